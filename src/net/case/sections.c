// The section nmea.
#include "sagbend/base/words.h"
#include "net/case/case_internal.h"
#include "sagbend/base/clients.h"

#include <math.h>
#include <string.h>

static const struct key_def KEYS[] = {
    {"nmea", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "NMEA 0183 output of the instruments, and input of thruster commands."},
    {"nmea.origin_deg", AS_VECTOR, .size = 2, .range = LIMITED, .low = -180, .high = 180, .degrees = 1,
     .fallback = "0", RUN_AT(out.nmea.origin.latitude_rad), .unit = "deg",
     .doc = "Geographic position of the world origin (WGS 84): latitude (positive north) and longitude "
            "(positive east)."},
    {"nmea.start_utc", AS_TEXT, .size = 32, .fallback = "2026-01-01T00:00:00", RUN_AT(nmea_start_utc),
     .doc = "UTC date and time of simulated time 0, such as 2026-01-31T12:00:00."},
    {"nmea.rated_frequency_hz", AS_NUMBER, .range = POSITIVE, .fallback = "60",
     RUN_AT(out.nmea.origin.rated_hz), .unit = "Hz",
     .doc =
         "Rated frequency of the buses of a power plant, by which XDR turns the frequency per unit into Hz."},
    {"nmea.rated_voltage_v", AS_NUMBER, .range = POSITIVE, .fallback = "690", RUN_AT(out.nmea.origin.rated_v),
     .unit = "V",
     .doc = "Rated voltage of the buses of a power plant, by which XDR turns the voltage per unit into V."},
    {"nmea.ports", AS_ITEMS, .size = MAX_NMEA_PORTS, .optional = 1,
     ITEMS_IN(run_draft, out.nmea.ports, nmea_port_def, out.nmea.port_count),
     .doc = "Output ports for NMEA sentences."},
    {"nmea.ports[].udp", AS_TEXT, .size = 64, .optional = 1, IN(nmea_port_def, udp),
     .doc =
         "UDP destination HOST:PORT with a numeric IPv4 address. On the loopback interface port * lets the "
         "simulator choose a free one, which the receiver is told ({nmea_out}). Exactly one of udp and "
         "serial."},
    {"nmea.ports[].serial", AS_TEXT, .size = 108, .optional = 1, IN(nmea_port_def, serial),
     .doc = "Serial device, such as /dev/ttyUSB0. Exactly one of udp and serial."},
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
            "one. Beyond loopback it needs senders. Exactly one of udp and serial."},
    {"nmea.inputs[].serial", AS_TEXT, .size = 108, .optional = 1, IN(nmea_input_def, serial),
     .doc = "Serial device, such as /dev/ttyUSB0. Exactly one of udp and serial."},
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
      report_found(c, path.text, quote(word).text,
                   "another name expected where there are no vessel.power.generators or batteries");
    else if (!nmea_sentence_count(port, source))
      report_found(c, path.text, quote(word).text,
                   "instruments that have one of the port's sentences expected");
  }
  if (!count)
    report_found(c, path.text, "none", NAMES_EXPECTED);
}

static void check_port(const struct check *c, const struct nmea_port_def *port, int index) {
  struct key_path udp = port_key(index, "udp"), baud = port_key(index, "baud");
  struct key_path talker = port_key(index, "talker"), sentences = port_key(index, "sentences");
  char word[16];

  check_one_of(c, key_path("nmea.ports.%d", index).text, "udp", "serial");
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

static void check_input(const struct check *c, const struct nmea_input_def *input, int index) {
  struct key_path udp = key_path("nmea.inputs.%d.udp", index), baud = key_path("nmea.inputs.%d.baud", index);
  struct key_path senders = key_path("nmea.inputs.%d.senders", index);

  check_one_of(c, key_path("nmea.inputs.%d", index).text, "udp", "serial");
  if (is_given_well(c, udp.text) && !nmea_is_listening(input->udp))
    report(c, udp.text, "HOST:PORT with a numeric IPv4 address and a port from 1 to 65535, or *, expected");
  else if (is_given_well(c, udp.text) && strncmp(input->udp, "127.", 4) != 0 && !given(c, senders.text))
    report(c, udp.text,
           "an address of this machine only, or senders, expected, because NMEA has no security");
  if (is_given_well(c, senders.text) && !clients_are_valid(input->senders))
    report(c, senders.text, "IPv4 addresses, networks such as 10.0.0.0/24, or any, expected");
  if (is_readable(c, baud.text) && !nmea_is_baud(input->baud))
    report(c, baud.text, "4800, 9600, 19200, 38400, 57600 or 115200 expected");
}

static void check_nmea(const struct check *c) {
  const struct nmea_def *nmea = &run_draft(c)->out.nmea;
  double start_utc_s;

  if (!given(c, "nmea"))
    return;
  if (is_readable(c, "nmea.start_utc") && !nmea_parse_utc(run_draft(c)->nmea_start_utc, &start_utc_s))
    report(c, "nmea.start_utc", "a date and time such as 2026-01-31T12:00:00 expected");
  if (is_readable(c, "nmea.origin_deg") && fabs(nmea->origin.latitude_rad) > LARGEST_LATITUDE_RAD)
    report_found(c, "nmea.origin_deg", "one nearer to a pole",
                 "a latitude from -89.9 to 89.9 degrees expected");
  for (int i = 0; i < nmea->port_count; i++)
    check_port(c, &nmea->ports[i], i);
  for (int i = 0; i < nmea->input_count; i++)
    check_input(c, &nmea->inputs[i], i);
}

static void resolve_nmea(const struct check *c, struct config *out) {
  if (given(c, "nmea"))
    nmea_parse_utc(run_draft(c)->nmea_start_utc, &((struct config_run *)out->more)->nmea.origin.start_utc_s);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = "", .offset = MORE_DRAFT}};
const struct config_section NMEA_SECTION = {GROUPS, 1, check_nmea, resolve_nmea, NULL};
