// The Modbus server as a configuration defines it.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/vessel/plant_def.h"

enum { MODBUS_REGISTERS = 512, MODBUS_CONNECTIONS = 32, MODBUS_SIGNAL = 64 };

enum modbus_table { // with the functions that read and write it
  MODBUS_COIL,      // 1; 5, 15
  MODBUS_DISCRETE,  // 2
  MODBUS_INPUT,     // 4
  MODBUS_HOLDING,   // 3; 6, 16, 23
  MODBUS_TABLE_COUNT
};
const char *modbus_table_name(int table); // "coil"; NULL outside the enum

enum modbus_type {
  MODBUS_BOOL,
  MODBUS_INT16,
  MODBUS_UINT16,
  MODBUS_INT32,
  MODBUS_UINT32,
  MODBUS_FLOAT32,
  MODBUS_TYPE_COUNT
};
const char *modbus_type_name(int type); // "float32"; NULL outside the enum

enum modbus_order { MODBUS_BIG, MODBUS_LITTLE };
const char *modbus_order_name(int order); // "big"

// One value of the map. value = number in the register * scale + offset.
struct modbus_register_def {
  char signal[MODBUS_SIGNAL]; // docs/field-buses.md
  int table;
  int address; // of its first register or bit, from 0
  int type;
  double scale, offset;
  int byte_order; // within a register
  int word_order; // big: the register with the high half comes first
};

struct modbus_def {
  int is_on;
  char endpoint[128];
  int unit_id;           // 1 to 247
  int connections;       // at most
  double idle_timeout_s; // after so long without a request a connection is closed
  char clients[256];     // addresses and networks, separated by blanks; "any"; empty: this machine only
  int register_count;
  struct modbus_register_def registers[MODBUS_REGISTERS];
};

// Fills registers with the default map of a vessel: all signals of its thrusters, buses, tensioner and
// instruments, without gaps, in float32 where they are numbers.
struct instruments_def;
void modbus_default_registers(const struct plant_def *plant, int has_tensioner,
                              const struct instruments_def *instruments, struct modbus_def *def);
