// The register map: which signal stands at which address, and the registers of a value.
#pragma once

#include "net/buses/buses.h"

#include <stdio.h>

struct modbus_register {
  struct modbus_register_def def;
  struct signal_place place;
  int width; // registers or bits
};

struct modbus_map {
  int count;
  struct modbus_register registers[MODBUS_REGISTERS]; // by table and address
};

int modbus_width(const struct modbus_register_def *def); // registers or bits that it occupies

// Checks one value of the map: its signal, its table and type, its address. STATUS_BAD_INPUT: *key is the key
// at fault ("signal", "table", "type", "address", "scale"), why what is expected.
enum status modbus_register_check(const struct modbus_register_def *def, const struct hil_names *names,
                                  struct modbus_register *out, const char **key, struct reason *why);

// The map of a definition that modbus_register_check accepts and whose values do not overlap.
void modbus_map_init(struct modbus_map *map, const struct modbus_def *def, const struct hil_names *names);

// The value at an address; NULL: there is none.
const struct modbus_register *modbus_map_at(const struct modbus_map *map, int table, int address);
// Whether every address of the range has a value.
int modbus_map_has(const struct modbus_map *map, int table, int address, int count);

// The registers of a value; a bit is 0 or 1 in words[0]. A value beyond the type's range is the nearest one
// within it; NaN is NaN, in an integer -32768, 65535 and the like.
void modbus_encode(const struct modbus_register_def *def, double value, uint16_t words[2]);
// The value of registers; may be NaN or infinite.
double modbus_decode(const struct modbus_register_def *def, const uint16_t words[2]);

// Prints the map as a table for people, or as the list "registers" of a configuration.
void modbus_map_print(const struct modbus_map *map, FILE *out);
void modbus_map_print_yaml(const struct modbus_map *map, FILE *out);
