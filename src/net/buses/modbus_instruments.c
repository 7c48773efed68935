// What each kind of instrument measures, as signals of registers.
#include "sagbend/math/trig.h"
#include "net/buses/buses.h"

#include <math.h>
#include <string.h>

enum { VALID = -1, SEQUENCE = -2, MEASURED_S = -3, OF_EACH = INSTRUMENT_COUNT };

static const struct row {
  int kind;    // enum instrument; OF_EACH: of all
  int channel; // of its readings, or one of the three above
  const char *name, *unit, *meaning;
} ROWS[] = {
    {OF_EACH, VALID, "valid", "", "1: the instrument gives its measurement as valid"},
    {OF_EACH, SEQUENCE, "sequence", "", "number of its measurement, from 1; 0: there is none yet"},
    {OF_EACH, MEASURED_S, "measured_s", "s", "simulated time of its measurement"},
#define CHANNEL(id, channel, name, unit, form, meaning) {INSTRUMENT_##id, channel, name, unit, meaning},
#include "sagbend/signals/instruments.inc"
};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

static int is_of(const struct row *row, enum instrument kind) {
  return row->kind == (int)kind || row->kind == (int)OF_EACH;
}

int modbus_instrument_signal(enum instrument kind, int index) {
  for (int i = 0; i < ROW_COUNT; i++)
    if (is_of(&ROWS[i], kind) && index-- == 0)
      return MODBUS_FIRST_INSTRUMENT_SIGNAL + i;
  return -1;
}

int modbus_instrument_signal_named(enum instrument kind, const char *name) {
  for (int i = 0; i < ROW_COUNT; i++)
    if (is_of(&ROWS[i], kind) && strcmp(ROWS[i].name, name) == 0)
      return MODBUS_FIRST_INSTRUMENT_SIGNAL + i;
  return -1;
}

struct signal_info modbus_instrument_info(int signal) {
  const struct row *row = &ROWS[signal - MODBUS_FIRST_INSTRUMENT_SIGNAL];
  return (struct signal_info){SCOPE_INSTRUMENT, row->name, 0, row->channel == VALID, row->unit, row->meaning};
}

double modbus_instrument_value(struct signal_place place, const struct readings *readings) {
  const struct row *row = &ROWS[place.signal - MODBUS_FIRST_INSTRUMENT_SIGNAL];
  const struct reading *reading = &readings->instrument[place.index];
  const int is_good = reading->sequence > 0 && reading->valid;
  if (place.index >= readings->instrument_count)
    return (double)NAN;
  if (row->channel == VALID)
    return is_good;
  if (row->channel == SEQUENCE)
    return (double)reading->sequence;
  if (row->channel == MEASURED_S)
    return reading->time_s;
  const int is_angle = strncmp(row->unit, "deg", 3) == 0;
  return is_good ? reading->value[row->channel] * (is_angle ? 180 / TRIG_PI : 1) : (double)NAN;
}
