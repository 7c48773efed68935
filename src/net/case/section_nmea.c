// The section nmea: sentences that are transmitted and received, and the groups of a ship's network.
#include "net/case/case.h"
#include "net/case/case_internal.h"

#include "net/buses/buses.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
