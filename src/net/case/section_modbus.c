// The section modbus: the Modbus TCP server and its registers.
#include "net/case/case.h"
#include "net/case/case_internal.h"

#include "net/buses/buses.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <stdlib.h>
#include <string.h>

static const struct key_def MODBUS_KEYS[] = {
    {"modbus", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Modbus TCP server: set-points and feedback of the thrusters in registers."},
    {"modbus.endpoint", AS_TEXT, .size = 128, .fallback = "tcp://127.0.0.1:1502", RUN_AT(out.modbus.endpoint),
     .doc = "TCP endpoint to which Modbus masters connect. Port * lets the system choose one. Beyond "
            "loopback it needs clients, because Modbus has no security."},
    {"modbus.endpoint_b", AS_TEXT, .size = 128, .optional = 1, RUN_AT(out.modbus.endpoint_b),
     .doc =
         "TCP endpoint on network B with the same registers: a write that comes by both within 0.5 s counts "
         "once. Absent: there is none."},
    {"modbus.masters", AS_TEXT, .size = 256, .optional = 1, RUN_AT(out.modbus.masters),
     .doc = "Masters that have another address on network B, as pairs 192.0.2.20=198.51.100.20 separated by "
            "spaces: each is one controller. Absent: a master has one address on both."},
    {"modbus.clients", AS_TEXT, .size = 256, .optional = 1, RUN_AT(out.modbus.clients),
     .doc = "Clients that may connect, separated by spaces: IPv4 addresses, networks such as 10.0.0.0/24, or "
            "any. Anybody there can command the vessel and pretend to be another. Absent: this machine "
            "only, which can always connect."},
    {"modbus.unit_id", AS_INTEGER, .range = LIMITED, .low = 1, .high = 247, .fallback = "1",
     RUN_AT(out.modbus.unit_id),
     .doc = "Unit identifier that requests must contain; 255 is accepted as well."},
    {"modbus.connections", AS_INTEGER, .range = LIMITED, .low = 1, .high = MODBUS_CONNECTIONS,
     .fallback = "8", RUN_AT(out.modbus.connections),
     .doc = "Largest number of connections. A further one replaces the idlest, but none of the master in "
            "command."},
    {"modbus.idle_timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "60",
     RUN_AT(out.modbus.idle_timeout_s), .unit = "s",
     .doc = "Time without a request after which a connection is closed."},
    {"modbus.registers", AS_ITEMS, .size = MODBUS_REGISTERS, .optional = 1,
     ITEMS_IN(run_draft, out.modbus.registers, modbus_register_def, out.modbus.register_count),
     .doc = "Register map, one entry for each value. Absent: the default map, which 'sagbend modbus-map' "
            "prints."},
    {"modbus.registers[].signal", AS_TEXT, .size = MODBUS_SIGNAL, IN(modbus_register_def, signal),
     .doc = "Signal, such as thruster.NAME.revolutions_set_rpm; docs/field-buses.md lists them."},
    {"modbus.registers[].table", AS_WORD, .word_at = modbus_table_name, .word_count = MODBUS_TABLE_COUNT,
     WORD_IN(modbus_register_def, table),
     .doc = "Table: coil and holding for what a master writes, discrete and input for what it reads only."},
    {"modbus.registers[].address", AS_INTEGER, .range = LIMITED, .low = 0, .high = 65535,
     IN(modbus_register_def, address),
     .doc = "Address of the first register or bit as in the message, from 0 (register 40001 has address 0)."},
    {"modbus.registers[].type", AS_WORD, .word_at = modbus_type_name, .word_count = MODBUS_TYPE_COUNT,
     WORD_IN(modbus_register_def, type), .doc = "Type. Those of 32 bits occupy two registers."},
    {"modbus.registers[].scale", AS_NUMBER, .fallback = "1", IN(modbus_register_def, scale),
     .doc = "Scale: value = number in the register * scale + offset."},
    {"modbus.registers[].offset", AS_NUMBER, .fallback = "0", IN(modbus_register_def, offset),
     .doc = "Offset, in the unit of the signal."},
    {"modbus.registers[].byte_order", AS_WORD, .fallback = "big", .words = {"big", "little"},
     WORD_IN(modbus_register_def, byte_order),
     .doc = "Order of the bytes within a register; Modbus uses big."},
    {"modbus.registers[].word_order", AS_WORD, .fallback = "big", .words = {"big", "little"},
     WORD_IN(modbus_register_def, word_order),
     .doc = "Order of the two registers of a value of 32 bits. big: the high half comes first."},
};

static struct key_path register_key(int index, const char *key) {
  return key_path("modbus.registers.%d.%s", index, key);
}

static int is_of_network(const struct net_def *net, const char *endpoint) {
  return !strcmp(endpoint, net->command_endpoint) || !strcmp(endpoint, net->telemetry_endpoint) ||
         !strcmp(endpoint, net->command_endpoint_b) || !strcmp(endpoint, net->telemetry_endpoint_b);
}

static void check_modbus_endpoint(const struct check *c, const char *path, const char *endpoint) {
  const char *port = strrchr(endpoint, ':');
  struct reason why;
  if (strncmp(endpoint, "tcp://", strlen("tcp://")) != 0)
    report(c, path, "tcp://HOST:PORT expected");
  else if (endpoint_check(endpoint, ENDPOINT_LISTEN, &why) != STATUS_OK)
    report_text(c, path, why.text);
  else if (!endpoint_is_local(endpoint) && !given(c, "modbus.clients"))
    report(c, path, "an address of this machine only, or modbus.clients, expected: Modbus has no security");
  else if (endpoint_port(port + 1) > 0 && is_of_network(&c->draft->out.net, endpoint))
    report(c, path, "an endpoint different from those of network expected");
}

static void check_modbus_endpoints(const struct check *c, const struct modbus_def *modbus) {
  char word[MODBUS_PAIR];
  if (is_given_well(c, "modbus.clients") && !clients_are_valid(modbus->clients))
    report(c, "modbus.clients", "IPv4 addresses, networks such as 10.0.0.0/24, or any, expected");
  if (is_readable(c, "modbus.endpoint"))
    check_modbus_endpoint(c, "modbus.endpoint", modbus->endpoint);
  if (is_given_well(c, "modbus.endpoint_b"))
    check_modbus_endpoint(c, "modbus.endpoint_b", modbus->endpoint_b);
  if (is_given_well(c, "modbus.endpoint_b") && !strcmp(modbus->endpoint, modbus->endpoint_b))
    report(c, "modbus.endpoint_b", "an endpoint different from modbus.endpoint expected");
  check_allowed(c, "modbus.masters", given(c, "modbus.endpoint_b") != NULL, "needs modbus.endpoint_b");
  if (is_given_well(c, "modbus.masters") && !modbus_masters_are_valid(modbus->masters, word))
    report_found(c, "modbus.masters", quote(word).text, "pairs such as 192.0.2.20=198.51.100.20 expected");
}

static int is_overlapping(const struct modbus_register_def *a, const struct modbus_register_def *b) {
  return a->table == b->table && a->address < b->address + modbus_width(b) &&
         b->address < a->address + modbus_width(a);
}

static void check_register(const struct check *c, const struct modbus_def *modbus, int index,
                           const struct hil_names *names) {
  const struct modbus_register_def *def = &modbus->registers[index];
  struct modbus_register resolved;
  struct reason why = {""};
  const char *key;
  if (!is_item_readable(c, "modbus.registers", index) || !is_readable(c, "vessel.thrusters") ||
      !is_readable(c, "vessel.power.buses") || !is_readable(c, "instruments"))
    return;
  if (modbus_register_check(def, names, &resolved, &key, &why) != STATUS_OK) {
    report(c, register_key(index, key).text, "%s", why.text);
    return;
  }
  int is_written = modbus_signal_info(resolved.place.signal).is_written;
  for (int i = 0; i < index; i++) {
    const struct modbus_register_def *other = &modbus->registers[i];
    if (!is_item_readable(c, "modbus.registers", i))
      continue;
    if (is_overlapping(def, other)) {
      report(c, register_key(index, "address").text,
             "an address that does not overlap %s (registers.%d, address %d) expected", other->signal, i,
             other->address);
      return;
    }
    if (is_written && strcmp(def->signal, other->signal) == 0) {
      report(c, register_key(index, "signal").text,
             "is listed twice, first in registers.%d: the master writes a signal at one address", i);
      return;
    }
  }
}

static void check_modbus(const struct check *c) {
  const struct modbus_def *modbus = &run_draft(c)->out.modbus;
  if (!given(c, "modbus"))
    return;
  struct hil_names *names = malloc(sizeof *names);
  check_modbus_endpoints(c, modbus);
  if (names)
    config_hil_names(&c->draft->out, names);
  for (int i = 0; names && i < modbus->register_count; i++)
    check_register(c, modbus, i, names);
  free(names);
}

static void resolve_modbus(const struct check *c, struct config *out) {
  struct modbus_def *modbus = &((struct config_run *)out->more)->modbus;
  modbus->is_on = given(c, "modbus") != NULL;
  if (!given(c, "modbus.registers"))
    modbus_default_registers(&out->sim.vessel.plant, out->sim.pipe.tensioner.order_count > 0,
                             &out->suite.instruments, modbus);
}

static const struct key_rows MODBUS_ROWS = KEY_ROWS(MODBUS_KEYS);
static const struct key_group MODBUS_GROUPS[] = {{.rows = &MODBUS_ROWS, .prefix = "", .offset = MORE_DRAFT}};
const struct config_section MODBUS_SECTION = {MODBUS_GROUPS, 1, check_modbus, resolve_modbus, NULL};
