// The default map, the names of the words, and how a map is printed.
#include "net/buses/modbus_map.h"

#include "sagbend/base/number_text.h"
#include "sagbend/rig/instruments.h"

#include <string.h>

static const char *const TABLES[] = {"coil", "discrete", "input", "holding"};
static const char *const TYPES[] = {"bool", "int16", "uint16", "int32", "uint32", "float32"};

const char *modbus_table_name(int table) {
  return table >= 0 && table < MODBUS_TABLE_COUNT ? TABLES[table] : NULL;
}
const char *modbus_type_name(int type) {
  return type >= 0 && type < MODBUS_TYPE_COUNT ? TYPES[type] : NULL;
}
const char *modbus_order_name(int order) {
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

static void put_alarms(struct filling *filling) {
  put(filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_ALARMS_ACTIVE);
  put(filling, MODBUS_INPUT, MODBUS_UINT16, "", "", SIGNAL_ALARMS_RAISED);
  for (int kind = 0; kind < ALARM_KIND_COUNT; kind++) {
    put_alarm(filling, MODBUS_DISCRETE, SIGNAL_ALARM, kind);
    put_alarm(filling, MODBUS_COIL, SIGNAL_ALARM_SET, kind);
  }
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
