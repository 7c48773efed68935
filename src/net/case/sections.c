#include "net/case/case.h"
#include "net/case/case_internal.h"

#include "net/buses/buses.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct config_section *const SECTIONS[] = {&SOCKETS_SECTION, &LOG_SECTION, &NMEA_SECTION,
                                                        &MODBUS_SECTION};
const struct config_sections RUN_SECTIONS = {.section = SECTIONS,
                                             .count = sizeof SECTIONS / sizeof *SECTIONS,
                                             .draft_bytes = sizeof(struct run_draft),
                                             .record_bytes = sizeof(struct config_run)};

const struct config_run *config_run(const struct config *c) {
  return c->more;
}

static enum status load(struct config_request request, struct config *out, FILE *errors) {
  const struct error_sink sink = error_to(errors);
  request.more = &RUN_SECTIONS;
  return config_read(&request, out, &sink);
}

enum status config_load(const char *path, const char *const *overrides, int override_count,
                        struct config *out, FILE *errors) {
  return config_load_placed(path, overrides, NULL, override_count, out, errors);
}

enum status config_load_placed(const char *path, const char *const *overrides, const char *const *places,
                               int override_count, struct config *out, FILE *errors) {
  return load(
      (struct config_request){
          .path = path, .overrides = overrides, .override_places = places, .override_count = override_count},
      out, errors);
}

enum status config_load_text(const char *name, const char *text, size_t size,
                             const struct config_files *files, const char *const *overrides,
                             int override_count, struct config *out, FILE *errors) {
  return load((struct config_request){.path = name,
                                      .text = text,
                                      .text_size = size,
                                      .files = files,
                                      .overrides = overrides,
                                      .override_count = override_count},
              out, errors);
}

enum status dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                                  struct dp_config *out, char **text, struct config_files *files,
                                  FILE *errors) {
  const struct error_sink sink = error_to(errors);
  const struct config_request request = {
      .path = path, .overrides = overrides, .override_count = override_count};
  return dp_config_read(&request, 1, out, text, files, &sink);
}

enum status dp_config_load(const char *path, const char *const *overrides, int override_count,
                           struct dp_config *out, FILE *errors) {
  const struct error_sink sink = error_to(errors);
  const struct config_request request = {
      .path = path, .overrides = overrides, .override_count = override_count};
  return dp_config_read(&request, 0, out, NULL, NULL, &sink);
}

static enum status write_schema(struct schema schema, FILE *out, struct reason *why) {
  const enum status status = schema_write_json(&schema, out, why);
  schema_free(&schema);
  return status;
}

enum status config_write_schema(FILE *out, struct reason *why) {
  return write_schema(config_schema(&RUN_SECTIONS), out, why);
}

enum status dp_config_write_schema(FILE *out, struct reason *why) {
  return write_schema(dp_schema(), out, why);
}

// ------------------------------------------------------------
// The section modbus.

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

// ------------------------------------------------------------
// The section nmea.

static const struct key_def NMEA_KEYS[] = {
    {"nmea", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "NMEA 0183 output of the instruments, and input of thruster commands."},
    {"nmea.origin_deg", AS_VECTOR, .size = 2, .range = LIMITED, .low = -180, .high = 180, .degrees = 1,
     .fallback = "0", RUN_AT(out.nmea.origin.latitude_rad), .unit = "deg",
     .doc = "Geographic position of the world origin (WGS 84): latitude (positive north) and longitude "
            "(positive east)."},
    {"nmea.start_utc", AS_TEXT, .size = 32, .fallback = "2026-01-01T00:00:00", RUN_AT(nmea_start_utc),
     .doc = "UTC date and time of simulated time 0, such as 2026-01-31T12:00:00. now: the moment of the "
            "session's "
            "first step by the clock of this machine, which the log records (docs/rig-time.md). Where it is "
            "given, Sensors and Truth state UTC as well."},
    {"nmea.rated_frequency_hz", AS_NUMBER, .range = POSITIVE, .fallback = "60",
     RUN_AT(out.nmea.origin.rated_hz), .unit = "Hz",
     .doc =
         "Rated frequency of the buses of a power plant, by which XDR turns the frequency per unit into Hz."},
    {"nmea.rated_voltage_v", AS_NUMBER, .range = POSITIVE, .fallback = "690", RUN_AT(out.nmea.origin.rated_v),
     .unit = "V",
     .doc = "Rated voltage of the buses of a power plant, by which XDR turns the voltage per unit into V."},
    {"nmea.network", AS_SECTION, .optional = 1,
     .doc = "Interface and reach of groups and of UDP addresses that are multicast (docs/ship-network.md)."},
    {"nmea.network.interface", AS_TEXT, .size = 16, .fallback = "127.0.0.1",
     RUN_AT(out.nmea.network.interface[0]),
     .doc = "Numeric IPv4 address of the interface by which groups are joined and sent to. The loopback "
            "interface: nothing leaves this machine. Beyond it inputs need senders."},
    {"nmea.network.interface_b", AS_TEXT, .size = 16, .optional = 1, RUN_AT(out.nmea.network.interface[1]),
     .doc = "Numeric IPv4 address of the interface of network B: groups are sent to by both, and a line that "
            "comes by both acts once. Absent: there is no network B."},
    {"nmea.network.ttl", AS_INTEGER, .range = LIMITED, .low = 1, .high = 255, .fallback = "1",
     RUN_AT(out.nmea.network.ttl), .doc = "Routers that a datagram may pass, and 1. 1: none."},
    {"nmea.network.loop", AS_FLAG, .fallback = "true", RUN_AT(out.nmea.network.loop),
     .doc =
         "Whether programs on this machine that have joined a group on this interface hear the simulator."},
    {"nmea.network.port_offset", AS_INTEGER, .range = LIMITED, .low = 0, .high = GROUP_PORT_OFFSET,
     .fallback = "0", RUN_AT(out.nmea.network.port_offset),
     .doc =
         "Number added to the port of each group, and of each UDP address that is multicast: sessions with "
         "different ones on one interface do not hear each other. Sweeps and trials give each run its own."},
    {"nmea.network.tag_time", AS_FLAG, .fallback = "false", RUN_AT(out.nmea.network.tag_time),
     .doc = "Whether TAG blocks have the parameter c, the UTC of this machine at which the line is sent, in "
            "ms."},
    {"nmea.ports", AS_ITEMS, .size = MAX_NMEA_PORTS, .optional = 1,
     ITEMS_IN(run_draft, out.nmea.ports, nmea_port_def, out.nmea.port_count),
     .doc = "Output ports for NMEA sentences."},
    {"nmea.ports[].udp", AS_TEXT, .size = 64, .optional = 1, IN(nmea_port_def, udp),
     .doc =
         "UDP destination HOST:PORT with a numeric IPv4 address. On the loopback interface port * lets the "
         "simulator choose a free one, which the receiver is told ({nmea_out}). A multicast address is "
         "reached by "
         "nmea.network.interface. Exactly one of udp, serial and group."},
    {"nmea.ports[].serial", AS_TEXT, .size = 108, .optional = 1, IN(nmea_port_def, serial),
     .doc = "Serial device, such as /dev/ttyUSB0. Exactly one of udp, serial and group."},
    {"nmea.ports[].group", AS_WORD, .optional = 1, .word_at = network_group_name,
     .word_count = NETWORK_GROUP_COUNT, WORD_IN(nmea_port_def, group),
     .doc = "Transmission group of IEC 61162-450 to which the sentences go, each in a datagram with a TAG "
            "block. Exactly one of udp, serial and group."},
    {"nmea.ports[].sfi", AS_TEXT, .size = 8, .optional = 1, IN(nmea_port_def, sfi),
     .doc = "Source in the TAG blocks of a group, two letters and four digits such as HE0001. Absent: the "
            "talker of the sentence and the number of the port."},
    {"nmea.ports[].destination", AS_TEXT, .size = 8, .optional = 1, IN(nmea_port_def, destination),
     .doc = "Destination in the TAG blocks of a group, such as DP0001. Absent: none."},
    {"nmea.ports[].baud", AS_INTEGER, .range = LIMITED, .low = 4800, .high = 115200, .fallback = "4800",
     IN(nmea_port_def, baud),
     .doc = "Baud rate of the serial line: 4800, 9600, 19200, 38400, 57600 or 115200, with 8 data bits, no "
            "parity and 1 stop bit."},
    {"nmea.ports[].talker", AS_TEXT, .size = 3, .optional = 1, IN(nmea_port_def, talker),
     .doc = "Talker identifier of two characters. Absent: the usual one of each instrument kind."},
    {"nmea.ports[].instruments", AS_TEXT, .size = NMEA_TEXT, IN(nmea_port_def, instruments),
     .doc = "Names of the instruments to output, separated by spaces. thrusters: the feedback of the "
            "thrusters. power: buses, sets and ties as power management reports them, as XDR. alarms: the "
            "alarms of "
            "the controller, as ALF."},
    {"nmea.ports[].sentences", AS_TEXT, .size = NMEA_TEXT, .optional = 1, IN(nmea_port_def, sentences),
     .doc = "Sentences to output, separated by spaces:" NMEA_NAMES
            ". Absent: all that the instruments provide."},
    {"nmea.ports[].thruster_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     IN(nmea_port_def, thruster_period_s), .unit = "s",
     .doc = "Output period of the thrusters' feedback and of the report of power management."},
    {"nmea.inputs", AS_ITEMS, .size = MAX_NMEA_INPUTS, .optional = 1,
     ITEMS_IN(run_draft, out.nmea.inputs, nmea_input_def, out.nmea.input_count),
     .doc = "Input ports for thruster commands, TRC sentences, and for alarms, ALF sentences."},
    {"nmea.inputs[].udp", AS_TEXT, .size = 64, .optional = 1, IN(nmea_input_def, udp),
     .doc = "UDP address HOST:PORT to listen at, with a numeric IPv4 address; port * lets the system choose "
            "one. A multicast address is joined on nmea.network.interface. Beyond loopback it needs senders. "
            "Exactly one of udp, serial and group."},
    {"nmea.inputs[].serial", AS_TEXT, .size = 108, .optional = 1, IN(nmea_input_def, serial),
     .doc = "Serial device, such as /dev/ttyUSB0. Exactly one of udp, serial and group."},
    {"nmea.inputs[].group", AS_WORD, .optional = 1, .word_at = network_group_name,
     .word_count = NETWORK_GROUP_COUNT, WORD_IN(nmea_input_def, group),
     .doc =
         "Transmission group of IEC 61162-450 in which commands come. Exactly one of udp, serial and group."},
    {"nmea.inputs[].sources", AS_TEXT, .size = NMEA_TEXT, .optional = 1, IN(nmea_input_def, sources),
     .doc = "Sources in the TAG blocks of a group whose lines are read, separated by spaces, such as DP0001. "
            "Absent: all."},
    {"nmea.inputs[].baud", AS_INTEGER, .range = LIMITED, .low = 4800, .high = 115200, .fallback = "4800",
     IN(nmea_input_def, baud), .doc = "Baud rate of the serial line, as of nmea.ports[].baud."},
    {"nmea.inputs[].senders", AS_TEXT, .size = NMEA_TEXT, .optional = 1, IN(nmea_input_def, senders),
     .doc = "Addresses that may send by UDP, separated by spaces: IPv4 addresses, networks such as "
            "10.0.0.0/24, or any. Anybody there can command the vessel. Absent: this machine only, which "
            "can always send."},
};

static const double LARGEST_LATITUDE_RAD = 1.5697;

static struct key_path port_key(int index, const char *key) {
  return key_path("nmea.ports.%d.%s", index, key);
}

static int instrument_named(const struct instruments_def *all, const char *name) {
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->instrument[i].name, name))
      return i;
  return -1;
}

// The source of a word that is no alarms: kind of an instrument, thrusters, power; -1: there is none of it.
static int source_of(const struct check *c, const char *word) {
  const struct instruments_def *all = &c->draft->out.suite.instruments;
  const int i = instrument_named(all, word);
  return i >= 0                       ? (int)all->instrument[i].kind
         : !strcmp(word, "thrusters") ? (int)NMEA_THRUSTERS
         : !strcmp(word, "power")     ? (int)NMEA_POWER
                                      : -1;
}

static const char NAMES_EXPECTED[] =
    "names of instruments, thrusters, power or alarms, separated by spaces, expected";

// Every name is known and has at least one of the port's sentences.
static void check_instruments(const struct check *c, const struct nmea_port_def *port, int index) {
  struct key_path path = port_key(index, "instruments");
  const char *names = port->instruments;
  char word[SIGNAL_NAME];
  int count = 0;

  if (!is_readable(c, path.text) || !is_readable(c, "instruments"))
    return;
  for (; words_next(&names, word, sizeof word); count++) {
    const int source = source_of(c, word);
    if (!strcmp(word, "alarms"))
      continue;
    if (source < 0)
      report_found(c, path.text, quote(word).text, NAMES_EXPECTED);
    else if (source == (int)NMEA_POWER && !power_is_present(&c->draft->out.sim.vessel.plant.power))
      report_found(c, path.text, quote(word).text, "needs vessel.power.generators or batteries for power");
    else if (!nmea_sentence_count(port, source))
      report_found(c, path.text, quote(word).text,
                   "instruments that have one of the port's sentences expected");
  }
  if (!count)
    report_found(c, path.text, "none", NAMES_EXPECTED);
}

static const char *const INTERFACE_KEYS[NETWORKS] = {"nmea.network.interface", "nmea.network.interface_b"};

static int beyond_loopback(const struct check *c) {
  int beyond = 0;
  for (int i = 0; i < NETWORKS; i++) {
    const char *interface = run_draft(c)->out.nmea.network.interface[i];
    beyond |= is_readable(c, INTERFACE_KEYS[i]) && *interface && !group_is_loopback(interface);
  }
  return beyond;
}

static int is_port_of_group(const struct check *c, int index) {
  return is_given_well(c, port_key(index, "group").text);
}

// Receivers count lines by source and address: two ports with one source would look like losses.
static void check_sfi_alone(const struct check *c, const struct nmea_port_def *port, int index) {
  const struct nmea_def *nmea = &run_draft(c)->out.nmea;
  for (int i = 0; i < index && is_port_of_group(c, index); i++)
    if (is_port_of_group(c, i) && nmea->ports[i].group == port->group &&
        !strcmp(nmea->ports[i].sfi, port->sfi))
      report(c, port_key(index, "sfi").text,
             "an sfi different from that of nmea.ports.%d of the same group expected", i);
}

// The keys that only a group has.
static void check_network_port(const struct check *c, const struct nmea_port_def *port, int index) {
  const struct key_path sfi = port_key(index, "sfi"), destination = port_key(index, "destination");
  const int is_group = given(c, port_key(index, "group").text) != NULL;
  check_allowed(c, sfi.text, is_group, "needs group");
  check_allowed(c, destination.text, is_group, "needs group");
  if (is_given_well(c, sfi.text) && !group_is_source(port->sfi))
    report(c, sfi.text, "two capital letters and four digits, as HE0001, expected");
  else if (is_given_well(c, sfi.text))
    check_sfi_alone(c, port, index);
  if (is_given_well(c, destination.text) && !group_is_source(port->destination))
    report(c, destination.text, "two capital letters and four digits, as DP0001, expected");
}

static void check_port(const struct check *c, const struct nmea_port_def *port, int index) {
  struct key_path udp = port_key(index, "udp"), baud = port_key(index, "baud");
  struct key_path talker = port_key(index, "talker"), sentences = port_key(index, "sentences");
  char word[16];

  check_one_of_three(c, key_path("nmea.ports.%d", index).text, "udp", "serial", "group");
  check_network_port(c, port, index);
  if (is_given_well(c, udp.text) && !nmea_is_udp(port->udp))
    report(c, udp.text,
           "HOST:PORT with a numeric IPv4 address and a port from 1 to 65535, or * with 127.0.0.1, expected");
  if (is_readable(c, baud.text) && !nmea_is_baud(port->baud))
    report(c, baud.text, "4800, 9600, 19200, 38400, 57600 or 115200 expected");
  check_instruments(c, port, index);
  if (is_given_well(c, talker.text) && strspn(port->talker, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != 2)
    report(c, talker.text, "two capital letters or digits expected");
  if (is_given_well(c, sentences.text) && !nmea_known_sentences(port->sentences, word))
    report_found(c, sentences.text, quote(word).text, "names of sentences such as GGA HDT expected");
}

// Where an input of a group, or of a multicast address, hears. Returns 0 if it is no such input.
static int multicast_of(const struct check *c, int index, struct sockaddr_in *out) {
  const struct nmea_input_def *input = &run_draft(c)->out.nmea.inputs[index];
  char host[sizeof input->udp];
  const size_t size = strcspn(input->udp, ":");
  if (is_given_well(c, key_path("nmea.inputs.%d.group", index).text)) {
    *out = group_address(input->group);
    return 1;
  }
  if (!is_given_well(c, key_path("nmea.inputs.%d.udp", index).text) || !nmea_is_multicast(input->udp))
    return 0;
  snprintf(host, sizeof host, "%.*s", (int)size, input->udp);
  *out =
      (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(input->udp + size + 1))};
  return inet_pton(AF_INET, host, &out->sin_addr) == 1;
}

static int has_common(const char *list, const char *other) {
  char word[NMEA_TEXT];
  int is_common = !*list || !*other; // all
  while (!is_common && words_next(&list, word, sizeof word))
    is_common = words_contain(other, word);
  return is_common;
}

// What two inputs hear acts twice.
static void check_input_alone(const struct check *c, const struct nmea_input_def *input, int index) {
  const int is_group = given(c, key_path("nmea.inputs.%d.group", index).text) != NULL;
  struct sockaddr_in at, other;
  for (int i = 0; i < index && multicast_of(c, index, &at); i++)
    if (multicast_of(c, i, &other) && at.sin_addr.s_addr == other.sin_addr.s_addr &&
        at.sin_port == other.sin_port && has_common(input->sources, run_draft(c)->out.nmea.inputs[i].sources))
      report(c, key_path("nmea.inputs.%d.%s", index, is_group ? "group" : "udp").text,
             "a place or sources different from those of nmea.inputs.%d expected: a command would act twice",
             i);
}

static void check_input(const struct check *c, const struct nmea_input_def *input, int index) {
  struct key_path udp = key_path("nmea.inputs.%d.udp", index), baud = key_path("nmea.inputs.%d.baud", index);
  struct key_path senders = key_path("nmea.inputs.%d.senders", index);

  const struct key_path sources = key_path("nmea.inputs.%d.sources", index),
                        group = key_path("nmea.inputs.%d.group", index);
  const int is_multicast = is_given_well(c, udp.text) && nmea_is_multicast(input->udp);
  const char *list = input->sources;
  char word[NMEA_TEXT];

  check_one_of_three(c, key_path("nmea.inputs.%d", index).text, "udp", "serial", "group");
  check_allowed(c, sources.text, given(c, group.text) != NULL, "needs group");
  check_input_alone(c, input, index);
  while (is_given_well(c, sources.text) && words_next(&list, word, sizeof word))
    if (!group_is_source(word))
      report_found(c, sources.text, quote(word).text,
                   "sources of two capital letters and four digits, as DP0001, expected");
  if ((is_multicast || given(c, group.text)) && beyond_loopback(c) && !given(c, senders.text))
    report(c, is_multicast ? udp.text : group.text,
           "nmea.network.interface of this machine only, or senders, expected: NMEA has no security");
  if (is_multicast && strchr(input->udp, '*'))
    report(c, udp.text, "a port from 1 to 65535 of a multicast address expected");
  if (is_given_well(c, udp.text) && !nmea_is_listening(input->udp))
    report(c, udp.text, "HOST:PORT with a numeric IPv4 address and a port from 1 to 65535, or *, expected");
  else if (is_given_well(c, udp.text) && !is_multicast && strncmp(input->udp, "127.", 4) != 0 &&
           !given(c, senders.text))
    report(c, udp.text, "an address of this machine only, or senders, expected: NMEA has no security");
  if (is_given_well(c, senders.text) && !clients_are_valid(input->senders))
    report(c, senders.text, "IPv4 addresses, networks such as 10.0.0.0/24, or any, expected");
  if (is_readable(c, baud.text) && !nmea_is_baud(input->baud))
    report(c, baud.text, "4800, 9600, 19200, 38400, 57600 or 115200 expected");
}

// A multicast address whose port the offset takes beyond the last one.
static void check_moved(const struct check *c, const char *path, const char *udp) {
  const int offset = run_draft(c)->out.nmea.network.port_offset;
  if (is_given_well(c, path) && is_readable(c, "nmea.network.port_offset") && nmea_is_multicast(udp) &&
      endpoint_port(strchr(udp, ':') + 1) + offset > UINT16_MAX)
    report(c, path, "a port of at most %d expected: nmea.network.port_offset is added", UINT16_MAX - offset);
}

static int is_now(const struct check *c) {
  return !strcmp(run_draft(c)->nmea_start_utc, "now");
}

// UTC in nanoseconds, where 0 is none, holds the years 1971 to 2200.
static const double UTC_FROM_S = 31536000, UTC_TO_S = 7258118400;

static void check_nmea(const struct check *c) {
  const struct nmea_def *nmea = &run_draft(c)->out.nmea;
  double start_utc_s;

  if (!given(c, "nmea"))
    return;
  if (is_readable(c, "nmea.start_utc") && !is_now(c) &&
      (!nmea_parse_utc(run_draft(c)->nmea_start_utc, &start_utc_s) || start_utc_s < UTC_FROM_S ||
       start_utc_s > UTC_TO_S))
    report(c, "nmea.start_utc", "a date and time such as 2026-01-31T12:00:00, or now, expected");
  if (is_readable(c, "nmea.origin_deg") && fabs(nmea->origin.latitude_rad) > LARGEST_LATITUDE_RAD)
    report_found(c, "nmea.origin_deg", "one nearer to a pole",
                 "a latitude from -89.9 to 89.9 degrees expected");
  for (int i = 0; i < NETWORKS; i++)
    if (is_readable(c, INTERFACE_KEYS[i]) && *nmea->network.interface[i] &&
        !group_is_interface(nmea->network.interface[i]))
      report(c, INTERFACE_KEYS[i], "the numeric IPv4 address of an interface of this machine expected");
  if (is_given_well(c, INTERFACE_KEYS[1]) && !strcmp(nmea->network.interface[0], nmea->network.interface[1]))
    report(c, INTERFACE_KEYS[1], "an address different from nmea.network.interface expected");
  for (int i = 0; i < nmea->port_count; i++)
    check_port(c, &nmea->ports[i], i);
  for (int i = 0; i < nmea->port_count; i++)
    check_moved(c, port_key(i, "udp").text, nmea->ports[i].udp);
  for (int i = 0; i < nmea->input_count; i++)
    check_moved(c, key_path("nmea.inputs.%d.udp", i).text, nmea->inputs[i].udp);
  for (int i = 0; i < nmea->input_count; i++)
    check_input(c, &nmea->inputs[i], i);
}

static void resolve_nmea(const struct check *c, struct config *out) {
  struct nmea_def *nmea = &((struct config_run *)out->more)->nmea;
  if (!given(c, "nmea"))
    return;
  nmea->start = is_now(c)                    ? NMEA_START_NOW
                : given(c, "nmea.start_utc") ? NMEA_START_GIVEN
                                             : NMEA_START_DEFAULT;
  nmea_parse_utc(run_draft(c)->nmea_start_utc, &nmea->origin.start_utc_s);
}

static const struct key_rows NMEA_ROWS = KEY_ROWS(NMEA_KEYS);
static const struct key_group NMEA_GROUPS[] = {{.rows = &NMEA_ROWS, .prefix = "", .offset = MORE_DRAFT}};
const struct config_section NMEA_SECTION = {NMEA_GROUPS, 1, check_nmea, resolve_nmea, NULL};

// ------------------------------------------------------------
// The sockets and keys of the section network, and the section log: what a session needs and no step.

static const struct key_def SOCKET_KEYS[] = {
    {"network.command_endpoint", AS_TEXT, .outside_model = 1, .size = 128,
     .fallback = "tcp://127.0.0.1:47700", AT(out.net.command_endpoint),
     .doc = "ZeroMQ ROUTER endpoint to which controllers connect. Port * lets the system choose one."},
    {"network.telemetry_endpoint", AS_TEXT, .outside_model = 1, .size = 128,
     .fallback = "tcp://127.0.0.1:47701", AT(out.net.telemetry_endpoint),
     .doc = "ZeroMQ PUB endpoint of the telemetry. Port * lets the system choose one."},
    {"network.command_endpoint_b", AS_TEXT, .outside_model = 1, .size = 128, .optional = 1,
     AT(out.net.command_endpoint_b),
     .doc = "ZeroMQ ROUTER endpoint on network B: a controller connects to both, and a command acts once "
            "(docs/ship-network.md). Absent: there is no network B."},
    {"network.telemetry_endpoint_b", AS_TEXT, .outside_model = 1, .size = 128, .optional = 1,
     AT(out.net.telemetry_endpoint_b),
     .doc = "ZeroMQ PUB endpoint of the same telemetry on network B. Absent: there is none."},
    {"network.server_key", AS_TEXT, .outside_model = 1, .size = 256, .optional = 1,
     AT(out.net.server_key_file),
     .doc =
         "File of the simulator's secret key ('sagbend keygen --role server'), relative to this file's "
         "folder. With it both sockets admit only clients whose keys are in admitted_keys; without it they "
         "must be on the loopback interface or ipc."},
    {"network.admitted_keys", AS_TEXT, .outside_model = 1, .size = 256, .optional = 1,
     AT(out.net.admitted_keys_file),
     .doc = "File with the public keys of the clients that are admitted, one 'ROLE NAME KEY' in a line, "
            "relative to this file's folder."},
    {"network.withhold_truth", AS_FLAG, .outside_model = 1, .fallback = "false", AT(out.net.withhold_truth),
     .doc = "Withholds the truth from a controller under test. true: it cannot read the truth from a socket "
            "of the simulator: nothing is "
            "published, Welcome names no "
            "telemetry endpoint, and orders and questions are refused. Trials set it."},
};

// The period of a topic of the log, with its fallback or .optional.
#define LOG_PERIOD(topic, text, ...)                                                                         \
  {"log." #topic "_period_s",                                                                                \
   AS_NUMBER | AS_WORD,                                                                                      \
   .range = NOT_NEGATIVE,                                                                                    \
   __VA_ARGS__,                                                                                              \
   .words = {"off"},                                                                                         \
   .word_first = 1,                                                                                          \
   WORD_AT(out.log.topic.off),                                                                               \
   AT(out.log.topic.period_s),                                                                               \
   .unit = "s",                                                                                              \
   .doc = text " 0: every step. off: not logged."}
static const struct key_def LOG_KEYS[] = {
    {"log", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Contents of a session log (--log). Commands and events are always logged."},
    LOG_PERIOD(sensors, "Logging period of the sensor messages. Absent: network.sensor_period_s.",
               .optional = 1),
    LOG_PERIOD(truth, "Logging period of the full vessel state.", .fallback = "0.1"),
    LOG_PERIOD(nodes, "Logging period of the pipe's node positions.", .fallback = "0.5"),
    LOG_PERIOD(ledger, "Logging period of the energy ledger.", .fallback = "1"),
    LOG_PERIOD(timing, "Logging period of the timing figures.", .fallback = "1"),
    LOG_PERIOD(state_hash, "Logging period of the state hash, which a replay compares.", .fallback = "0"),
    LOG_PERIOD(status, "Logging period of the status: offset, verdicts so far, active faults.",
               .fallback = "0.5"),
    {"log.buffer_mib", AS_INTEGER, .range = LIMITED, .low = 1, .high = 1024, .fallback = "16",
     AT(out.log.buffer_mib), .unit = "MiB",
     .doc = "Buffer between the step and the disk. A slow disk must fill it before messages are dropped."},
    {"log.part_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.log.part_s), .unit = "s",
     .doc = "Simulated time after which a log in a folder (--log-dir) continues in a new part. 0: never."},
    {"log.part_mib", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1e9, .fallback = "0",
     AT(out.log.part_mib), .unit = "MiB",
     .doc = "Size at which a log in a folder (--log-dir) continues in a new part. 0: any size."},
    {"log.keep_parts", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999, .fallback = "0",
     AT(out.log.keep_parts),
     .doc =
         "Number of parts that the folder keeps, the one that is being written and those of earlier sessions "
         "included: older ones are deleted when a part begins. 0: all."},
    {"log.keep_mib", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1e9, .fallback = "0",
     AT(out.log.keep_mib), .unit = "MiB",
     .doc = "Size of all parts in the folder, the one that is being written and those of earlier sessions "
            "included, beyond which the oldest are deleted. 0: any size."},
};

static void check_endpoint(const struct check *c, const char *path, const char *endpoint) {
  struct reason why;
  if (is_readable(c, path) && endpoint_check(endpoint, ENDPOINT_LISTEN, &why) != STATUS_OK)
    report_text(c, path, why.text);
}

// The endpoints, each with the key that must have another one.
static const struct {
  const char *key;
  size_t offset; // in struct net_def
} SOCKETS[] = {{"network.command_endpoint", offsetof(struct net_def, command_endpoint)},
               {"network.telemetry_endpoint", offsetof(struct net_def, telemetry_endpoint)},
               {"network.command_endpoint_b", offsetof(struct net_def, command_endpoint_b)},
               {"network.telemetry_endpoint_b", offsetof(struct net_def, telemetry_endpoint_b)}};
enum { SOCKET_COUNT = sizeof SOCKETS / sizeof *SOCKETS };

static const char *socket_at(const struct net_def *net, int i) {
  return (const char *)net + SOCKETS[i].offset;
}

// Two sockets cannot share an address. Ports that the system chooses differ.
static int is_same_address(const char *a, const char *b) {
  static const char named[] = "tcp://localhost:", numeric[] = "tcp://127.0.0.1:";
  const size_t length = strlen(named); // of both
  const int is_own[] = {!strncmp(a, named, length) || !strncmp(a, numeric, length),
                        !strncmp(b, named, length) || !strncmp(b, numeric, length)};
  const char *port = strrchr(a, ':');
  const int is_same = !strcmp(a, b) || (is_own[0] && is_own[1] && !strcmp(a + length, b + length));
  return is_same && (strncmp(a, "tcp:", 4) != 0 || endpoint_port(port + 1) > 0);
}

static void check_sockets(const struct check *c) {
  const struct net_def *net = &c->draft->out.net;

  for (int i = 0; i < SOCKET_COUNT; i++) {
    if (!*socket_at(net, i))
      continue;
    check_endpoint(c, SOCKETS[i].key, socket_at(net, i));
    for (int k = 0; k < i; k++)
      if (is_same_address(socket_at(net, k), socket_at(net, i)))
        report(c, SOCKETS[i].key, "an endpoint different from %s expected",
               SOCKETS[k].key + strlen("network."));
  }

  // Reported at the key that is there: that is what the user wrote.
  if (given(c, "network.server_key") && !given(c, "network.admitted_keys"))
    report_found(c, "network.server_key", "nothing", "needs network.admitted_keys");
  if (given(c, "network.admitted_keys") && !given(c, "network.server_key"))
    report_found(c, "network.admitted_keys", "nothing", "needs network.server_key");
}

// An interface that does not exist, or a file in the place of a socket, is an error before anything is
// computed.
static void check_endpoint_here(struct loading *loading, const char *key, const char *endpoint) {
  struct reason why;
  const struct node *node = tree_find(loading->tree.root, key);

  if (node && !node->bad && !loading->from_memory &&
      endpoint_check(endpoint, ENDPOINT_LISTEN, &why) == STATUS_OK &&
      endpoint_check_here(endpoint, &why) != STATUS_OK)
    error_add(&loading->errors, node->at, "%s: %s", key, why.text);
}

_Static_assert(sizeof((struct net_def *)0)->server_key_file == CONFIG_PATH &&
                   sizeof((struct net_def *)0)->admitted_keys_file == CONFIG_PATH,
               "config_take_path writes so many bytes");

static void take_references(struct loading *loading, struct config *out) {
  config_take_path(loading, "network.server_key", 0, out->net.server_key_file);
  config_take_path(loading, "network.admitted_keys", 0, out->net.admitted_keys_file);
  for (int i = 0; i < SOCKET_COUNT; i++)
    if (*socket_at(&out->net, i))
      check_endpoint_here(loading, SOCKETS[i].key, socket_at(&out->net, i));
}

static void resolve_log(const struct check *c, struct config *out) {
  if (!given(c, "log.sensors_period_s"))
    out->log.sensors.period_s = out->net.sensor_period_s;
}

static const struct key_rows SOCKET_ROWS = KEY_ROWS(SOCKET_KEYS), LOG_ROWS = KEY_ROWS(LOG_KEYS);
static const struct key_group SOCKET_GROUPS[] = {{.rows = &SOCKET_ROWS, .prefix = ""}},
                              LOG_GROUPS[] = {{.rows = &LOG_ROWS, .prefix = ""}};
const struct config_section SOCKETS_SECTION = {SOCKET_GROUPS, 1, check_sockets, NULL, take_references};
const struct config_section LOG_SECTION = {LOG_GROUPS, 1, NULL, resolve_log, NULL};
