#include "net/buses/buses.h"

#include "sagbend/base/base.h"
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/math/math.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int modbus_width(const struct modbus_register_def *def) {
  return def->type == MODBUS_INT32 || def->type == MODBUS_UINT32 || def->type == MODBUS_FLOAT32 ? 2 : 1;
}

enum status modbus_register_check(const struct modbus_register_def *def, const struct hil_names *names,
                                  struct modbus_register *out, const char **key, struct reason *why) {
  int is_bit = def->table == MODBUS_COIL || def->table == MODBUS_DISCRETE;
  *out = (struct modbus_register){.def = *def, .width = modbus_width(def)};
  *key = "signal";
  if (modbus_signal_find(def->signal, names, &out->place, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  struct signal_info info = modbus_signal_info(out->place.signal);

  *key = "table";
  if (info.is_written && def->table != MODBUS_COIL && def->table != MODBUS_HOLDING)
    return fail(why, STATUS_BAD_INPUT, "coil or holding expected: the master writes the signal");
  if (is_bit && !info.is_flag)
    return fail(why, STATUS_BAD_INPUT, "input or holding expected: the signal is a number");
  *key = "type";
  if (is_bit && def->type != MODBUS_BOOL)
    return fail(why, STATUS_BAD_INPUT, "bool expected: the tables coil and discrete hold nothing else");
  if (!info.is_flag && def->type == MODBUS_BOOL)
    return fail(why, STATUS_BAD_INPUT, "a type of numbers expected: the signal is not yes or no");
  *key = "scale";
  if (!(fabs(def->scale) > 0))
    return fail(why, STATUS_BAD_INPUT, "a number other than 0 expected");
  *key = "address";
  if (def->address + out->width > 65536)
    return fail(why, STATUS_BAD_INPUT, "an address of at most %d expected", 65536 - out->width);
  return STATUS_OK;
}

static int compare(const void *a, const void *b) {
  const struct modbus_register_def *x = &((const struct modbus_register *)a)->def;
  const struct modbus_register_def *y = &((const struct modbus_register *)b)->def;
  return x->table != y->table ? x->table - y->table : x->address - y->address;
}

void modbus_map_init(struct modbus_map *map, const struct modbus_def *def, const struct hil_names *names) {
  const char *key;
  map->count = 0;
  for (int i = 0; i < def->register_count; i++)
    if (modbus_register_check(&def->registers[i], names, &map->registers[map->count], &key, NULL) ==
        STATUS_OK)
      map->count++;
  qsort(map->registers, (size_t)map->count, sizeof map->registers[0], compare);
}

const struct modbus_register *modbus_map_at(const struct modbus_map *map, int table, int address) {
  int low = 0, high = map->count;
  while (low < high) { // the last that begins at or before the address
    int middle = (low + high) / 2;
    const struct modbus_register_def *def = &map->registers[middle].def;
    if (def->table < table || (def->table == table && def->address <= address))
      low = middle + 1;
    else
      high = middle;
  }
  const struct modbus_register *found = low > 0 ? &map->registers[low - 1] : NULL;
  return found && found->def.table == table && address < found->def.address + found->width ? found : NULL;
}

int modbus_map_has(const struct modbus_map *map, int table, int address, int count) {
  for (int at = address; at < address + count;) {
    const struct modbus_register *found = modbus_map_at(map, table, at);
    if (!found)
      return 0;
    at = found->def.address + found->width;
  }
  return 1;
}

static uint16_t swapped(uint16_t word) {
  return (uint16_t)(word << 8 | word >> 8);
}

// Between the order of the map and the usual one: high byte and high word first.
static void reorder(const struct modbus_register_def *def, uint16_t words[2]) {
  if (def->byte_order == MODBUS_LITTLE && def->type != MODBUS_BOOL)
    for (int i = 0; i < 2; i++)
      words[i] = swapped(words[i]);
  if (def->word_order == MODBUS_LITTLE && modbus_width(def) == 2) {
    uint16_t first = words[0];
    words[0] = words[1];
    words[1] = first;
  }
}

static uint32_t integer(double number, double low, double high, double for_nan) {
  double within = isnan(number) ? for_nan : number < low ? low : number > high ? high : nearbyint(number);
  return (uint32_t)(int64_t)within;
}

static uint32_t float_bits(double number) {
  float narrow = (float)number;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

void modbus_encode(const struct modbus_register_def *def, double value, uint16_t words[2]) {
  double number = (value - def->offset) / def->scale;
  uint32_t bits = 0;
  switch (def->type) {
  case MODBUS_BOOL:
    bits = value > 0;
    break;
  case MODBUS_INT16:
    bits = integer(number, INT16_MIN, INT16_MAX, INT16_MIN);
    break;
  case MODBUS_UINT16:
    bits = integer(number, 0, UINT16_MAX, UINT16_MAX);
    break;
  case MODBUS_INT32:
    bits = integer(number, INT32_MIN, INT32_MAX, INT32_MIN);
    break;
  case MODBUS_UINT32:
    bits = integer(number, 0, UINT32_MAX, UINT32_MAX);
    break;
  default:
    bits = float_bits(number);
  }
  words[0] = (uint16_t)(modbus_width(def) == 2 ? bits >> 16 : bits);
  words[1] = (uint16_t)bits;
  reorder(def, words);
}

double modbus_decode(const struct modbus_register_def *def, const uint16_t words[2]) {
  uint16_t ordered[2] = {words[0], modbus_width(def) == 2 ? words[1] : 0};
  reorder(def, ordered);
  uint32_t bits = (uint32_t)ordered[0] << 16 | ordered[1];
  double number;
  float narrow;
  switch (def->type) {
  case MODBUS_BOOL:
    return ordered[0];
  case MODBUS_INT16:
    number = (int16_t)ordered[0];
    break;
  case MODBUS_UINT16:
    number = ordered[0];
    break;
  case MODBUS_INT32:
    number = (int32_t)bits;
    break;
  case MODBUS_UINT32:
    number = bits;
    break;
  default:
    memcpy(&narrow, &bits, sizeof narrow);
    number = (double)narrow;
  }
  return number * def->scale + def->offset;
}

// ------------------------------------------------------------
// What each kind of instrument measures, as signals of registers.

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

static int modbus_instrument_signal(enum instrument kind, int index) {
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

// ------------------------------------------------------------
// The default map, the names of the words, and how a map is printed.

static const char *const TABLES[] = {"coil", "discrete", "input", "holding"};
static const char *const TYPES[] = {"bool", "int16", "uint16", "int32", "uint32", "float32"};

const char *modbus_table_name(int table) {
  return table >= 0 && table < MODBUS_TABLE_COUNT ? TABLES[table] : NULL;
}
const char *modbus_type_name(int type) {
  return type >= 0 && type < MODBUS_TYPE_COUNT ? TYPES[type] : NULL;
}
static const char *modbus_order_name(int order) {
  return order == MODBUS_BIG ? "big" : "little";
}

struct filling {
  struct modbus_def *def;
  int next[MODBUS_TABLE_COUNT]; // address
};

static void put_named(struct filling *filling, enum modbus_table table, enum modbus_type type,
                      const char *signal) {
  struct modbus_register_def *out = &filling->def->registers[filling->def->register_count];
  if (filling->def->register_count >= MODBUS_REGISTERS)
    return;
  *out =
      (struct modbus_register_def){.table = table, .address = filling->next[table], .type = type, .scale = 1};
  snprintf(out->signal, sizeof out->signal, "%s", signal);
  filling->next[table] += modbus_width(out);
  filling->def->register_count++;
}

static void put(struct filling *filling, enum modbus_table table, enum modbus_type type, const char *prefix,
                const char *name, int signal) {
  char text[sizeof filling->def->registers[0].signal];
  snprintf(text, sizeof text, "%s%s%s%s", prefix, name, *name ? "." : "", modbus_signal_info(signal).name);
  put_named(filling, table, type, text);
}

static void put_alarm(struct filling *filling, enum modbus_table table, int signal, int kind) {
  char name[SIGNAL_NAME + 24];
  snprintf(name, sizeof name, "%s.%s", modbus_signal_info(signal).name, dp_alarm_kind_name(kind));
  put_named(filling, table, MODBUS_BOOL, name);
}

static void put_setpoints(struct filling *filling, const struct thruster_def *thruster) {
  const char *of = "thruster.", *name = thruster->name;
  put(filling, MODBUS_HOLDING, MODBUS_FLOAT32, of, name,
      thruster->drive == DRIVE_CPP ? SIGNAL_SET_PITCH : SIGNAL_SET_REVOLUTIONS);
  if (thruster_steering(thruster->kind) != STEERING_NONE)
    put(filling, MODBUS_HOLDING, MODBUS_FLOAT32, of, name, SIGNAL_SET_AZIMUTH);
}

static void put_thruster(struct filling *filling, const struct thruster_def *thruster) {
  const char *of = "thruster.", *name = thruster->name;
  put(filling, MODBUS_COIL, MODBUS_BOOL, of, name, SIGNAL_ENABLE);
  put(filling, MODBUS_DISCRETE, MODBUS_BOOL, of, name, SIGNAL_READY);
  put(filling, MODBUS_DISCRETE, MODBUS_BOOL, of, name, SIGNAL_RUNNING);
  put_setpoints(filling, thruster);
  put(filling, MODBUS_INPUT, MODBUS_FLOAT32, of, name, SIGNAL_REVOLUTIONS);
  if (thruster->drive == DRIVE_CPP)
    put(filling, MODBUS_INPUT, MODBUS_FLOAT32, of, name, SIGNAL_PITCH);
  if (thruster_steering(thruster->kind) != STEERING_NONE)
    put(filling, MODBUS_INPUT, MODBUS_FLOAT32, of, name, SIGNAL_AZIMUTH);
  put(filling, MODBUS_INPUT, MODBUS_FLOAT32, of, name, SIGNAL_POWER);
}

static void put_tensioner(struct filling *filling) {
  put(filling, MODBUS_HOLDING, MODBUS_UINT16, "", "", SIGNAL_TENSIONER_SET_MODE);
  put(filling, MODBUS_HOLDING, MODBUS_FLOAT32, "", "", SIGNAL_TENSIONER_SET_TENSION);
  put(filling, MODBUS_HOLDING, MODBUS_FLOAT32, "", "", SIGNAL_TENSIONER_SET_SPEED);
  put(filling, MODBUS_DISCRETE, MODBUS_BOOL, "", "", SIGNAL_TENSIONER_BRAKE);
  put(filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_TENSIONER_MODE);
  put(filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_TENSIONER_SOURCE);
  put(filling, MODBUS_INPUT, MODBUS_FLOAT32, "", "", SIGNAL_TENSIONER_TENSION);
  put(filling, MODBUS_INPUT, MODBUS_FLOAT32, "", "", SIGNAL_PAYOUT_LENGTH);
  put(filling, MODBUS_INPUT, MODBUS_FLOAT32, "", "", SIGNAL_PAYOUT_SPEED);
}

static void put_alarm_of(struct filling *filling, int kind) {
  put_alarm(filling, MODBUS_DISCRETE, SIGNAL_ALARM, kind);
  put_alarm(filling, MODBUS_COIL, SIGNAL_ALARM_SET, kind);
}

static void put_alarms(struct filling *filling) {
  put(filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_ALARMS_ACTIVE);
  put(filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_ALARMS_RAISED);
  for (int kind = 0; kind < ALARM_WAITING; kind++)
    put_alarm_of(filling, kind);
}

// What a power management system hands to a controller.
static void put_power_plant(struct filling *filling, const struct plant_def *plant) {
  const struct power_def *power = &plant->power;
  for (int i = 0; i < plant->bus_count; i++) {
    put(filling, MODBUS_INPUT, MODBUS_FLOAT32, "bus.", plant->bus[i].name, SIGNAL_FREQUENCY);
    put(filling, MODBUS_INPUT, MODBUS_FLOAT32, "bus.", plant->bus[i].name, SIGNAL_VOLTAGE);
  }
  for (int i = 0; i < power->generator_count; i++) {
    put(filling, MODBUS_DISCRETE, MODBUS_BOOL, "generator.", power->generator[i].name, SIGNAL_ON_LINE);
    put(filling, MODBUS_DISCRETE, MODBUS_BOOL, "generator.", power->generator[i].name, SIGNAL_TRIPPED);
    put(filling, MODBUS_INPUT, MODBUS_FLOAT32, "generator.", power->generator[i].name, SIGNAL_LOAD);
  }
  for (int i = 0; i < power->tie_count; i++)
    put(filling, MODBUS_DISCRETE, MODBUS_BOOL, "tie.", power->tie[i].name, SIGNAL_TIE_CLOSED);
  put_named(filling, MODBUS_INPUT, MODBUS_FLOAT32, "quantity.power_reserve_w");
}

static void put_instrument(struct filling *filling, const struct instrument_def *instrument) {
  int signal;
  for (int i = 0; (signal = modbus_instrument_signal(instrument->kind, i)) >= 0; i++) {
    const struct signal_info info = modbus_signal_info(signal);
    const int is_count = strcmp(info.name, "sequence") == 0;
    put(filling, info.is_flag ? MODBUS_DISCRETE : MODBUS_INPUT,
        info.is_flag ? MODBUS_BOOL
        : is_count   ? MODBUS_UINT32
                     : MODBUS_FLOAT32,
        "instrument.", instrument->name, signal);
  }
}

void modbus_default_registers(const struct plant_def *plant, int has_tensioner,
                              const struct instruments_def *instruments, struct modbus_def *def) {
  struct filling filling = {.def = def};
  def->register_count = 0;
  put(&filling, MODBUS_COIL, MODBUS_BOOL, "", "", SIGNAL_STANDBY);
  put(&filling, MODBUS_DISCRETE, MODBUS_BOOL, "", "", SIGNAL_IN_COMMAND);
  put(&filling, MODBUS_HOLDING, MODBUS_UINT16, "", "", SIGNAL_BEAT);
  put(&filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_LIFE);
  put(&filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_STATE);
  put(&filling, MODBUS_INPUT, MODBUS_UINT32, "", "", SIGNAL_STEP);
  put(&filling, MODBUS_INPUT, MODBUS_FLOAT32, "", "", SIGNAL_TIME);
  put(&filling, MODBUS_INPUT, MODBUS_FLOAT32, "", "", SIGNAL_ALL_AVAILABLE);
  put(&filling, MODBUS_INPUT, MODBUS_FLOAT32, "", "", SIGNAL_ALL_USED);
  for (int i = 0; i < plant->thruster_count; i++)
    put_thruster(&filling, &plant->thruster[i]);
  for (int i = 0; i < plant->bus_count; i++) {
    put(&filling, MODBUS_DISCRETE, MODBUS_BOOL, "bus.", plant->bus[i].name, SIGNAL_CLOSED);
    put(&filling, MODBUS_DISCRETE, MODBUS_BOOL, "bus.", plant->bus[i].name, SIGNAL_LIMITED);
    put(&filling, MODBUS_INPUT, MODBUS_FLOAT32, "bus.", plant->bus[i].name, SIGNAL_AVAILABLE);
    put(&filling, MODBUS_INPUT, MODBUS_FLOAT32, "bus.", plant->bus[i].name, SIGNAL_USED);
  }
  put(&filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_HELD);
  if (has_tensioner)
    put_tensioner(&filling);
  put_alarms(&filling);
  if (plant->power.generator_count || plant->power.battery_count)
    put_power_plant(&filling, plant);
  for (int i = 0; i < instruments->count; i++) // last: what stood before them keeps its address
    put_instrument(&filling, &instruments->instrument[i]);
  put_alarm_of(&filling, ALARM_WAITING); // likewise
}

void modbus_map_print(const struct modbus_map *map, FILE *out) {
  fprintf(
      out,
      "| table | address | type | signal | unit | scale | offset | byte, word order | access | meaning |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < map->count; i++) {
    const struct modbus_register *at = &map->registers[i];
    const struct modbus_register_def *def = &at->def;
    struct signal_info info = modbus_signal_info(at->place.signal);
    fprintf(out, "| %s | %d", TABLES[def->table], def->address);
    if (at->width > 1)
      fprintf(out, "-%d", def->address + at->width - 1);
    fprintf(out, " | %s | %s | %s | %s | %s | %s, %s | %s | %s |\n", TYPES[def->type], def->signal, info.unit,
            number_text(def->scale).text, number_text(def->offset).text, modbus_order_name(def->byte_order),
            modbus_order_name(def->word_order), info.is_written ? "write" : "read", info.meaning);
  }
}

void modbus_map_print_yaml(const struct modbus_map *map, FILE *out) {
  fprintf(out, "  registers:\n");
  for (int i = 0; i < map->count; i++) {
    const struct modbus_register_def *def = &map->registers[i].def;
    fprintf(out, "    - {table: %s, address: %d, type: %s, signal: %s", modbus_table_name(def->table),
            def->address, TYPES[def->type], def->signal);
    if (def->scale != 1)
      fprintf(out, ", scale: %s", number_text(def->scale).text);
    if (def->offset != 0)
      fprintf(out, ", offset: %s", number_text(def->offset).text);
    if (def->byte_order != MODBUS_BIG)
      fprintf(out, ", byte_order: little");
    if (def->word_order != MODBUS_BIG)
      fprintf(out, ", word_order: little");
    fprintf(out, "}\n");
  }
}
