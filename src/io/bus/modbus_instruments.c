// What each kind of instrument measures, as signals of registers.
#include "core/math/trig.h"
#include "io/bus/modbus_signal.h"

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
    {INSTRUMENT_GNSS, 0, "north_m", "m", "antenna, measured"},
    {INSTRUMENT_GNSS, 1, "east_m", "m", "antenna, measured"},
    {INSTRUMENT_GNSS, 2, "down_m", "m", "antenna, measured"},
    {INSTRUMENT_GNSS, 3, "velocity_north_mps", "m/s", "antenna, measured"},
    {INSTRUMENT_GNSS, 4, "velocity_east_mps", "m/s", "antenna, measured"},
    {INSTRUMENT_GNSS, 5, "sigma_m", "m", "the receiver's own accuracy"},
    {INSTRUMENT_GYRO, 0, "heading_deg", "deg", "true heading, measured"},
    {INSTRUMENT_GYRO, 1, "rate_degps", "deg/s", "rate of turn to starboard, measured"},
    {INSTRUMENT_MOTION, 0, "roll_deg", "deg", "port side up, measured"},
    {INSTRUMENT_MOTION, 1, "pitch_deg", "deg", "bow up, measured"},
    {INSTRUMENT_MOTION, 2, "heave_m", "m", "down, at the instrument, measured"},
    {INSTRUMENT_MOTION, 3, "roll_rate_degps", "deg/s", "measured"},
    {INSTRUMENT_MOTION, 4, "pitch_rate_degps", "deg/s", "measured"},
    {INSTRUMENT_WIND, 0, "speed_mps", "m/s", "relative wind, measured"},
    {INSTRUMENT_WIND, 1, "direction_deg", "deg", "from which it comes, from the bow, measured"},
    {INSTRUMENT_SPEED_LOG, 0, "surge_mps", "m/s", "through the water, measured"},
    {INSTRUMENT_SPEED_LOG, 1, "sway_mps", "m/s", "through the water, to starboard, measured"},
    {INSTRUMENT_LOAD_CELL, 0, "tension_n", "N", "between pipe and vessel, measured"},
    {INSTRUMENT_HANGOFF_ANGLE, 0, "angle_deg", "deg", "pipe at the hang-off, from the horizontal, measured"},
    {INSTRUMENT_HANGOFF_ANGLE, 1, "azimuth_deg", "deg", "of the pipe's pull, from the bow, measured"},
    {INSTRUMENT_TOUCHDOWN, 0, "north_m", "m", "touchdown point, measured"},
    {INSTRUMENT_TOUCHDOWN, 1, "east_m", "m", "touchdown point, measured"},
    {INSTRUMENT_TOUCHDOWN, 2, "down_m", "m", "touchdown point, measured"},
    {INSTRUMENT_PAYOUT, 0, "length_m", "m", "paid out since the start, measured"},
    {INSTRUMENT_PAYOUT, 1, "speed_mps", "m/s", "its speed, measured"},
    {INSTRUMENT_TENSIONER, 0, "tension_n", "N", "at the grip, measured"},
    {INSTRUMENT_TENSIONER, 1, "mode", "", "in effect, measured: 0 brake, 1 tension, 2 speed"},
    {INSTRUMENT_TENSIONER, 2, "brake", "", "1: engaged, measured"},
    {INSTRUMENT_HYDROACOUSTIC, 0, "forward_m", "m", "transponder from the transducer, measured"},
    {INSTRUMENT_HYDROACOUSTIC, 1, "starboard_m", "m", "transponder from the transducer, measured"},
    {INSTRUMENT_HYDROACOUSTIC, 2, "down_m", "m", "transponder from the transducer, measured"},
    {INSTRUMENT_HYDROACOUSTIC, 3, "range_m", "m", "slant range, measured"},
    {INSTRUMENT_HYDROACOUSTIC, 4, "sigma_m", "m", "its own accuracy"},
    {INSTRUMENT_LBL, 0, "north_m", "m", "transducer, measured"},
    {INSTRUMENT_LBL, 1, "east_m", "m", "transducer, measured"},
    {INSTRUMENT_LBL, 2, "down_m", "m", "transducer, measured"},
    {INSTRUMENT_LBL, 3, "sigma_m", "m", "its own accuracy"},
    {INSTRUMENT_TAUT_WIRE, 0, "forward_deg", "deg", "wire from the vertical, measured"},
    {INSTRUMENT_TAUT_WIRE, 1, "starboard_deg", "deg", "wire from the vertical, measured"},
    {INSTRUMENT_TAUT_WIRE, 2, "length_m", "m", "of the wire, measured"},
    {INSTRUMENT_TAUT_WIRE, 3, "tension_n", "N", "of the wire, measured"},
    {INSTRUMENT_TAUT_WIRE, 4, "slack", "", "1: the wire hangs slack, measured"},
    {INSTRUMENT_LASER, 0, "range_m", "m", "target from the sensor, measured"},
    {INSTRUMENT_LASER, 1, "bearing_deg", "deg", "target from the bow, measured"},
    {INSTRUMENT_LASER, 2, "elevation_deg", "deg", "target above the sensor, measured"},
    {INSTRUMENT_LASER, 3, "target", "", "number of the target that it takes it for"},
    {INSTRUMENT_LASER, 4, "signal", "%", "strength of the echo"},
    {INSTRUMENT_RADAR, 0, "range_m", "m", "target from the sensor, measured"},
    {INSTRUMENT_RADAR, 1, "bearing_deg", "deg", "target from the bow, measured"},
    {INSTRUMENT_RADAR, 2, "elevation_deg", "deg", "target above the sensor, measured"},
    {INSTRUMENT_RADAR, 3, "target", "", "number of the target that it takes it for"},
    {INSTRUMENT_RADAR, 4, "signal", "%", "strength of the echo"},
    {INSTRUMENT_ARTEMIS, 0, "range_m", "m", "from the fixed station, measured"},
    {INSTRUMENT_ARTEMIS, 1, "azimuth_deg", "deg", "of the sensor from the station, measured"},
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
