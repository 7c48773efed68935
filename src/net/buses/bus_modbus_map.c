#include "net/buses/modbus_map.h"

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
    return fail(why, STATUS_BAD_INPUT, "coil or holding expected for a signal that the master writes");
  if (is_bit && !info.is_flag)
    return fail(why, STATUS_BAD_INPUT, "input or holding expected for a number");
  *key = "type";
  if (is_bit && def->type != MODBUS_BOOL)
    return fail(why, STATUS_BAD_INPUT, "bool expected in the tables coil and discrete");
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
