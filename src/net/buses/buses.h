// The buses of a ship: Modbus, NMEA 0183, and the lines of references.
#pragma once

#include "net/gate/gate.h"
#include "net/groups/groups.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/thrusters/thrusters.h"

#include <stddef.h>
#include <stdio.h>

// ------------------------------------------------------------
// The Modbus server as a configuration defines it.

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
  char endpoint_b[128];  // of network B; empty: there is none
  char masters[256];     // addresses of one master on both networks, "A=B", separated by blanks
  int register_count;
  struct modbus_register_def registers[MODBUS_REGISTERS];
};

// Fills registers with the default map of a vessel: all signals of its thrusters, buses, tensioner and
// instruments, without gaps, in float32 where they are numbers.
struct instruments_def;
void modbus_default_registers(const struct plant_def *plant, int has_tensioner,
                              const struct instruments_def *instruments, struct modbus_def *def);

// ------------------------------------------------------------
// Signals: what a register can contain.

enum signal_scope {
  SCOPE_SESSION,
  SCOPE_THRUSTER,
  SCOPE_BUS,
  SCOPE_GENERATOR,
  SCOPE_TIE,
  SCOPE_ALARM,
  SCOPE_INSTRUMENT
};

// Identifier, scope, name, 1 if a master writes it, 1 if it is yes or no, unit, meaning.
#define MODBUS_SIGNAL_TABLE(X)                                                                               \
  X(SIGNAL_STANDBY, SCOPE_SESSION, "command.standby", 1, 1, "", "1: the master asks for nothing")            \
  X(SIGNAL_BEAT, SCOPE_SESSION, "command.heartbeat", 1, 0, "", "any value: the master is alive")             \
  X(SIGNAL_BASED_ON, SCOPE_SESSION, "command.based_on_step", 1, 0, "",                                       \
    "step of the readings that this request answers")                                                        \
  X(SIGNAL_IN_COMMAND, SCOPE_SESSION, "command.in_command", 0, 1, "", "1: this master is in command")        \
  X(SIGNAL_STATE, SCOPE_SESSION, "command.state", 0, 0, "", "0 none, 1 standby, 2 live, 3 old, 4 lost")      \
  X(SIGNAL_ACCEPTED, SCOPE_SESSION, "command.accepted", 0, 0, "", "commands accepted, of all controllers")   \
  X(SIGNAL_REFUSED, SCOPE_SESSION, "command.refused", 0, 0, "", "commands refused, of all controllers")      \
  X(SIGNAL_STEP, SCOPE_SESSION, "session.step", 0, 0, "", "steps completed")                                 \
  X(SIGNAL_TIME, SCOPE_SESSION, "session.time_s", 0, 0, "s", "simulated time")                               \
  X(SIGNAL_LIFE, SCOPE_SESSION, "session.heartbeat", 0, 0, "", "steps completed, modulo 65536")              \
  X(SIGNAL_HELD, SCOPE_SESSION, "session.held", 0, 0, "",                                                    \
    "0 steps are made, 1 paused by an operator, 2 halted: readings stand still")                             \
  X(SIGNAL_ALL_AVAILABLE, SCOPE_SESSION, "power.available_w", 0, 0, "W", "power available, all buses")       \
  X(SIGNAL_ALL_USED, SCOPE_SESSION, "power.used_w", 0, 0, "W", "power drawn, all buses")                     \
  X(SIGNAL_TENSIONER_SET_MODE, SCOPE_SESSION, "tensioner.mode_set", 1, 0, "",                                \
    "order: 0 brake, 1 tension, 2 speed")                                                                    \
  X(SIGNAL_TENSIONER_SET_TENSION, SCOPE_SESSION, "tensioner.tension_set_n", 1, 0, "N",                       \
    "set-point of the mode tension")                                                                         \
  X(SIGNAL_TENSIONER_SET_SPEED, SCOPE_SESSION, "tensioner.speed_set_mps", 1, 0, "m/s",                       \
    "set-point of the mode speed, negative: recovery")                                                       \
  X(SIGNAL_TENSIONER_MODE, SCOPE_SESSION, "tensioner.mode", 0, 0, "",                                        \
    "mode in effect, measured: 0 brake, 1 tension, 2 speed")                                                 \
  X(SIGNAL_TENSIONER_BRAKE, SCOPE_SESSION, "tensioner.brake", 0, 1, "", "1: the brake is engaged, measured") \
  X(SIGNAL_TENSIONER_SOURCE, SCOPE_SESSION, "tensioner.source", 0, 0, "",                                    \
    "who gave the order in force: 0 the configuration, 1 a controller, 2 an operator")                       \
  X(SIGNAL_TENSIONER_TENSION, SCOPE_SESSION, "tensioner.tension_n", 0, 0, "N",                               \
    "tension at the grip, measured")                                                                         \
  X(SIGNAL_PAYOUT_LENGTH, SCOPE_SESSION, "tensioner.paid_out_m", 0, 0, "m",                                  \
    "length paid out since the start, measured")                                                             \
  X(SIGNAL_PAYOUT_SPEED, SCOPE_SESSION, "tensioner.payout_mps", 0, 0, "m/s", "its speed, measured")          \
  X(SIGNAL_ALARMS_ACTIVE, SCOPE_SESSION, "alarms.active", 0, 0, "",                                          \
    "alarms and warnings of the controller in force")                                                        \
  X(SIGNAL_ALARMS_RAISED, SCOPE_SESSION, "alarms.raised", 0, 0, "", "alarms and messages raised so far")     \
  X(SIGNAL_ALARM, SCOPE_ALARM, "alarm", 0, 1, "", "1: an alarm or warning of this kind is in force")         \
  X(SIGNAL_ALARM_SET, SCOPE_ALARM, "command.alarm", 1, 1, "", "1: the master reports an alarm of this kind") \
  X(SIGNAL_ENABLE, SCOPE_THRUSTER, "enable", 1, 1, "", "1: run")                                             \
  X(SIGNAL_SET_REVOLUTIONS, SCOPE_THRUSTER, "revolutions_set_rpm", 1, 0, "rpm",                              \
    "set-point, negative astern or to port")                                                                 \
  X(SIGNAL_SET_PITCH, SCOPE_THRUSTER, "pitch_set", 1, 0, "", "set-point, share of full pitch, -1 to 1")      \
  X(SIGNAL_SET_AZIMUTH, SCOPE_THRUSTER, "azimuth_set_deg", 1, 0, "deg",                                      \
    "set-point, thrust direction clockwise from the bow; main propeller: rudder angle")                      \
  X(SIGNAL_READY, SCOPE_THRUSTER, "ready", 0, 1, "", "1: takes commands")                                    \
  X(SIGNAL_RUNNING, SCOPE_THRUSTER, "running", 0, 1, "", "1: turns")                                         \
  X(SIGNAL_REVOLUTIONS, SCOPE_THRUSTER, "revolutions_rpm", 0, 0, "rpm", "feedback")                          \
  X(SIGNAL_PITCH, SCOPE_THRUSTER, "pitch", 0, 0, "", "feedback")                                             \
  X(SIGNAL_AZIMUTH, SCOPE_THRUSTER, "azimuth_deg", 0, 0, "deg", "feedback, -180 to 180")                     \
  X(SIGNAL_POWER, SCOPE_THRUSTER, "power_w", 0, 0, "W", "power drawn")                                       \
  X(SIGNAL_AVAILABLE, SCOPE_BUS, "available_w", 0, 0, "W", "power available")                                \
  X(SIGNAL_USED, SCOPE_BUS, "used_w", 0, 0, "W", "power drawn")                                              \
  X(SIGNAL_CLOSED, SCOPE_BUS, "closed", 0, 1, "", "1: the breaker is closed")                                \
  X(SIGNAL_LIMITED, SCOPE_BUS, "limited", 0, 1, "", "1: set-points are scaled down to the available power")  \
  X(SIGNAL_FREQUENCY, SCOPE_BUS, "frequency_pu", 0, 0, "", "with sets: per unit, 0: dark")                   \
  X(SIGNAL_VOLTAGE, SCOPE_BUS, "voltage_pu", 0, 0, "", "with sets: per unit")                                \
  X(SIGNAL_ON_LINE, SCOPE_GENERATOR, "on_line", 0, 1, "",                                                    \
    "1: its breaker is closed, as power management has it")                                                  \
  X(SIGNAL_LOAD, SCOPE_GENERATOR, "load_w", 0, 0, "W", "power that it gives to its bus")                     \
  X(SIGNAL_TRIPPED, SCOPE_GENERATOR, "tripped", 0, 1, "", "1: off line since its protection tripped it")     \
  X(SIGNAL_TIE_CLOSED, SCOPE_TIE, "closed", 0, 1, "", "1: the tie breaker is closed")
#define X(id, scope, name, written, flag, unit, meaning) id,
enum modbus_signal { MODBUS_SIGNAL_TABLE(X) MODBUS_SIGNAL_COUNT };
#undef X
// A signal beyond the table is a quantity of sagbend/rig/quantities.inc, MODBUS_SIGNAL_COUNT + its number, or
// what an instrument measures (modbus_map.c).
enum { MODBUS_FIRST_INSTRUMENT_SIGNAL = MODBUS_SIGNAL_COUNT + QUANTITY_COUNT };

struct signal_info {
  enum signal_scope scope;
  const char *name;
  int is_written, is_flag;
  const char *unit, *meaning;
};
struct signal_info modbus_signal_info(int signal);

// Signals of an instrument of this kind: the index-th, from 0, and by name; -1: there is none.
int modbus_instrument_signal_named(enum instrument kind, const char *name);
struct signal_info modbus_instrument_info(int signal);

// A signal of the session, of a thruster, of a bus, of a generator, of a tie, of a kind of alarm or of an
// instrument.
struct signal_place {
  int signal;
  int index; // of the thruster, bus, set, tie, kind or instrument
};
// NaN: the instrument has no valid measurement.
double modbus_instrument_value(struct signal_place place, const struct readings *readings);

// Finds a signal by its name: "session.step", "thruster.NAME.ready", "bus.NAME.used_w",
// "generator.NAME.on_line", "tie.NAME.closed", "alarm.KIND", "command.alarm.KIND", "quantity.NAME",
// "instrument.NAME.heading_deg".
// STATUS_BAD_INPUT: why contains what is expected.
enum status modbus_signal_find(const char *text, const struct hil_names *names, struct signal_place *out,
                               struct reason *why);

// What the values are read from.
struct modbus_view {
  const struct frame *frame;
  const struct loop_target *target;
  const struct bus_image *image;
  const struct gate *gate;
  const struct dp_alarm_list *reported; // by the master that reads
  int is_in_command;                    // the master that reads
  double beat;                          // the last value of command.heartbeat
};
double modbus_signal_value(struct signal_place place, const struct modbus_view *view); // may be NaN

// ------------------------------------------------------------
// The register map: which signal stands at which address, and the registers of a value.

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

// ------------------------------------------------------------
// A Modbus TCP server: the registers of the map, read from the newest frame, and written set-points, which
// become commands at the gate. Frames are collected without blocking, and checked whole before anything is
// answered. One thread owns a server; no call blocks, and each does a bounded amount of work.

struct modbus_server;

struct modbus_session { // borrowed until modbus_server_close
  const struct modbus_def *def;
  const struct hil_names *names;
  const struct loop_target *target;          // for quantities
  const struct thruster_setpoint *setpoints; // that act at the start, one for each thruster
  struct gate *gate;                         // its counters and events too
  struct networks *networks;                 // what faults do to two networks; NULL: nothing
};
enum { MODBUS_PAIR = 40 };
// Whether each word is a pair "A=B" of numeric IPv4 addresses; if not, word is the first that is none.
int modbus_masters_are_valid(const char *masters, char word[MODBUS_PAIR]);

// Listens at the endpoint. STATUS_BAD_INPUT: the endpoint is not valid here, or others than this machine
// could connect and def->clients is empty; STATUS_IO: it is in use, or the system refuses.
enum status modbus_server_open(const struct modbus_session *session, struct modbus_server **out,
                               struct reason *why);
void modbus_server_close(struct modbus_server *server); // accepts NULL
// Another session begins, with this target. Set-points that have come before are refused, with the exception
// server busy. server NULL: does nothing.
void modbus_server_begin_session(struct modbus_server *server, const struct loop_target *target);

// As bound, with the port chosen; of network B "" if there is none.
const char *modbus_server_endpoint(const struct modbus_server *server, int network);
int modbus_server_file(const struct modbus_server *server); // readable when modbus_server_serve has work

// Accepts connections and answers requests with the values of this frame. on_command: as of server_poll
// (net/server/server.h).
void modbus_server_serve(struct modbus_server *server, const struct frame *frame,
                         void (*on_command)(void *context, const struct command *command), void *context);

// ------------------------------------------------------------
// NMEA 0183 (IEC 61162-1) sentences of the instruments' readings. Pure functions: no sockets, no state.
// docs/nmea.md lists the fields.

// Sources of sentences beside the kinds of instrument.
enum nmea_other_source { NMEA_THRUSTERS = INSTRUMENT_COUNT, NMEA_POWER };

// A row is all that there is to know of a sentence:
//
//   SENTENCE(id, name, source, head, put)  put: the function of nmea.c that writes its fields
//   TELEGRAM(id, name, source, form)       a form of a maker, written by telegram_write
//
// name: its formatter, by which configurations name it; AGAIN(name): of a row that shares it with one above.
// source: the kind of instrument whose readings it carries, or one of the others. head: what stands before
// the fields (enum nmea_head).
#define NMEA_TABLE(SENTENCE, TELEGRAM, NAME, AGAIN)                                                          \
  SENTENCE(NMEA_GGA, NAME("GGA"), INSTRUMENT_GNSS, TALKER, put_gga)                                          \
  SENTENCE(NMEA_GST, NAME("GST"), INSTRUMENT_GNSS, TALKER, put_gst)                                          \
  SENTENCE(NMEA_ZDA, NAME("ZDA"), INSTRUMENT_GNSS, TALKER, put_zda)                                          \
  SENTENCE(NMEA_VTG, NAME("VTG"), INSTRUMENT_GNSS, TALKER, put_vtg)                                          \
  SENTENCE(NMEA_RMC, NAME("RMC"), INSTRUMENT_GNSS, TALKER, put_rmc)                                          \
  SENTENCE(NMEA_GBS, NAME("GBS"), INSTRUMENT_GNSS, TALKER, put_gbs)                                          \
  SENTENCE(NMEA_HDT, NAME("HDT"), INSTRUMENT_GYRO, TALKER, put_hdt)                                          \
  SENTENCE(NMEA_THS, NAME("THS"), INSTRUMENT_GYRO, TALKER, put_ths)                                          \
  SENTENCE(NMEA_ROT, NAME("ROT"), INSTRUMENT_GYRO, TALKER, put_rot)                                          \
  SENTENCE(NMEA_PSXN, NAME("PSXN"), INSTRUMENT_MOTION, OWN, put_psxn)                                        \
  SENTENCE(NMEA_PRDID, NAME("PRDID"), INSTRUMENT_MOTION, OWN, put_prdid)                                     \
  SENTENCE(NMEA_PHTRO, NAME("PHTRO"), INSTRUMENT_MOTION, OWN, put_phtro)                                     \
  SENTENCE(NMEA_MWV, NAME("MWV"), INSTRUMENT_WIND, TALKER, put_mwv)                                          \
  SENTENCE(NMEA_MWVT, NAME("MWVT"), INSTRUMENT_WIND, TALKER, put_mwvt)                                       \
  SENTENCE(NMEA_VBW, NAME("VBW"), INSTRUMENT_SPEED_LOG, TALKER, put_vbw)                                     \
  SENTENCE(NMEA_XDR_TENSION, NAME("XDR"), INSTRUMENT_LOAD_CELL, XDR, nmea_xdr_put_tension)                   \
  SENTENCE(NMEA_XDR_ANGLE, AGAIN("XDR"), INSTRUMENT_HANGOFF_ANGLE, XDR, nmea_xdr_put_angle)                  \
  SENTENCE(NMEA_XDR_TOUCHDOWN, AGAIN("XDR"), INSTRUMENT_TOUCHDOWN, XDR, nmea_xdr_put_touchdown)              \
  SENTENCE(NMEA_XDR_PAYOUT, AGAIN("XDR"), INSTRUMENT_PAYOUT, XDR, nmea_xdr_put_payout)                       \
  SENTENCE(NMEA_XDR_TENSIONER, AGAIN("XDR"), INSTRUMENT_TENSIONER, XDR, nmea_xdr_put_tensioner)              \
  TELEGRAM(NMEA_PSIMSSB, NAME("PSIMSSB"), INSTRUMENT_HYDROACOUSTIC, TELEGRAM_PSIMSSB)                        \
  TELEGRAM(NMEA_PSIMSSB_LBL, AGAIN("PSIMSSB"), INSTRUMENT_LBL, TELEGRAM_PSIMSSB)                             \
  SENTENCE(NMEA_XDR_WIRE, AGAIN("XDR"), INSTRUMENT_TAUT_WIRE, XDR, nmea_xdr_put_wire)                        \
  TELEGRAM(NMEA_MDL, NAME("MDL"), INSTRUMENT_LASER, TELEGRAM_MDL)                                            \
  TELEGRAM(NMEA_MDLM, NAME("MDLM"), INSTRUMENT_LASER, TELEGRAM_MDL_MULTI)                                    \
  TELEGRAM(NMEA_ASCII17, NAME("ASCII17"), INSTRUMENT_LASER, TELEGRAM_ASCII17)                                \
  TELEGRAM(NMEA_RLS, NAME("RLS"), INSTRUMENT_LASER, TELEGRAM_RLS)                                            \
  TELEGRAM(NMEA_PSXRAD, NAME("PSXRAD"), INSTRUMENT_RADAR, TELEGRAM_PSXRAD)                                   \
  TELEGRAM(NMEA_ARTEMIS, NAME("ARTEMIS"), INSTRUMENT_ARTEMIS, TELEGRAM_ASCII17)                              \
  SENTENCE(NMEA_TRD, NAME("TRD"), NMEA_THRUSTERS, TALKER, put_trd)                                           \
  SENTENCE(NMEA_XDR_POWER, AGAIN("XDR"), NMEA_POWER, XDR, nmea_xdr_put_power)
#define NMEA_NOTHING(...)
#define NMEA_IDENTIFIER(id, ...) id,
enum nmea_sentence {
  NMEA_TABLE(NMEA_IDENTIFIER, NMEA_IDENTIFIER, NMEA_NOTHING, NMEA_NOTHING) NMEA_SENTENCE_COUNT
};

// What stands before the fields: talker and formatter, or the formatter alone. Transducers need the first,
// and may need several sentences (parts).
enum nmea_head { HEAD_TALKER, HEAD_OWN, HEAD_XDR };

// Every formatter once, each with a blank before it, for a text.
#define NMEA_BLANK(name)           " " name
#define NMEA_SECOND(id, name, ...) name
#define NMEA_NAMES                 NMEA_TABLE(NMEA_SECOND, NMEA_SECOND, NMEA_BLANK, NMEA_NOTHING)

const char *nmea_name(enum nmea_sentence sentence);      // formatter; MWVT for the MWV of the true wind
int nmea_source(enum nmea_sentence sentence);            // enum instrument or enum nmea_other_source
int nmea_is_whole_sentence(enum nmea_sentence sentence); // 0: a line of a maker without $
const char *nmea_default_talker(int source);             // "GP", "HE", ...

// Place and time of the world's origin, and what per unit means on the buses of a power plant.
struct nmea_origin {
  double latitude_rad, longitude_rad; // WGS 84
  double start_utc_s;                 // of simulated time 0, since 1970-01-01 without leap seconds
  double rated_hz, rated_v;           // frequency and voltage
};

// The WGS 84 coordinates of a point in the world frame: the plane that touches the ellipsoid at the origin is
// projected down its normals. Within 10 km of the origin distance and bearing match the geodesic to 2 cm.
// Heights are above mean sea level.
void nmea_geodetic(const struct nmea_origin *origin, double north_m, double east_m, double *latitude_rad,
                   double *longitude_rad);

// Parses "2026-01-31T12:00:00", optionally with Z, into seconds since 1970. Returns 0 if the text is not a
// time from 1970 on.
int nmea_parse_utc(const char *text, double *out_s);

enum { NMEA_MAX = 128 }; // bytes of a sentence with \r\n and a final zero
enum { NMEA_LINE = 82 }; // characters that the standard allows, with \r\n

// Buses, sets and ties of a power plant, each with sentences of its own; 0: there is no plant.
int nmea_power_count(const struct power_feedback *power);

// Faults of the transmission, applied to a sentence.
struct nmea_corruption {
  int wrong_checksum, wrong_talker;
  double age_s; // subtracted from the time stamps
};

// Writes one sentence with \r\n from the instrument, thruster or item of the power plant at index of
// readings. part, from 0: of an XDR whose transducers need several sentences. Returns its length; 0 beyond
// the last part, and for what is not to be sent. A reading that the instrument flags as invalid is flagged in
// the sentence where there is a field for it; otherwise its fields are empty.
size_t nmea_write(enum nmea_sentence sentence, const struct nmea_origin *origin, const char *talker,
                  const struct readings *readings, int index, int part,
                  const struct nmea_corruption *corruption, char out[NMEA_MAX]);

// ------------------------------------------------------------
// ALF, the alert sentence of IEC 61162-1 and IEC 62923-2. Pure functions: no state. docs/nmea.md lists the
// fields.
//
// The first sentence of an alert has its title, which is the source of the alarm; the second one has the
// text. Identifiers: ALF_FIRST + the kind.

enum { ALF_FIRST = 10001 };

struct nmea_alf {
  int number;   // 1 or 2: of this sentence
  int sequence; // 0 to 9: of the message, whose sentences have the same
  enum dp_alarm_severity severity;
  int is_active;
  long identifier, instance;
  char text[DP_ALARM_TEXT]; // of the first sentence the title, of the second one the description
};

// Reads one sentence without its end of line that has this formatter. REFUSAL_COUNT: it is one. why: filled
// if there is more to report.
enum refusal nmea_alf_read(const char *text, size_t size, struct nmea_alf *out, struct reason *why);
enum dp_alarm_kind nmea_alf_kind(const struct nmea_alf *alf); // an identifier of others: ALARM_OTHER

// What the two sentences of an alarm are written from.
struct nmea_alert {
  const struct dp_alarm *alarm;
  int instance;  // of the source, from 1
  int is_active; // 1: the alarm has come; 0: it has ended
  double utc_s;  // when, since 1970
  int sequence;  // 0 to 9
  int revision;  // 1 to 99
};
// Writes the first or the second with \r\n, the text cut to the 82 characters of a sentence. Returns its
// length; 0: an alarm without text has no second one.
size_t nmea_alf_write(const struct nmea_alert *alert, int number, const char *talker, char out[NMEA_MAX]);

// ------------------------------------------------------------
// Ports of NMEA 0183 sentences as a configuration defines them.

enum { MAX_NMEA_PORTS = 20, MAX_NMEA_INPUTS = 4, NMEA_TEXT = 256 };

struct nmea_port_def {
  char udp[64];                // destination "HOST:PORT"; port *: a free one of this machine is chosen, which
                               // the receiver opens; empty: a serial port
  char serial[108];            // device path; empty: UDP or a group
  int group;                   // of the ship's network (enum network_group), without udp and serial
  char sfi[8];                 // of a group: source of its TAG blocks, as HE0001; empty: talker and number
  char destination[8];         // of a group: of its TAG blocks; empty: none
  int baud;                    // of the serial port
  char talker[3];              // two letters; empty: nmea_default_talker of each instrument's kind
  char instruments[NMEA_TEXT]; // names, separated by blanks; "thrusters": the feedback of all thrusters;
                               // "power": the report of power management
  char sentences[NMEA_TEXT];   // names as of nmea_name, separated by blanks; empty: all of the instruments'
  double thruster_period_s;    // between sentences of a thruster, and of the power plant
};

struct nmea_input_def {
  char udp[64];            // "HOST:PORT" to listen at, port * chosen by the system; empty: a serial port
  char serial[108];        // device path; empty: UDP or a group
  int group;               // of the ship's network (enum network_group), without udp and serial
  char sources[NMEA_TEXT]; // of a group: whose lines are read, separated by blanks; empty: all
  int baud;                // of the serial port
  char senders[NMEA_TEXT]; // addresses that may send by UDP (sagbend/base/base.h); empty: this machine only
};

// Where UTC of simulated time 0 comes from (nmea.start_utc).
enum nmea_start { NMEA_START_DEFAULT, NMEA_START_GIVEN, NMEA_START_NOW }; // NOW: the session's first step

struct nmea_def {
  struct nmea_origin origin;
  enum nmea_start start; // of origin.start_utc_s, which NOW leaves to nmea_ports_set_start
  struct network_def network;
  int port_count; // 0: no NMEA output
  struct nmea_port_def ports[MAX_NMEA_PORTS];
  int input_count; // 0: no thruster commands
  struct nmea_input_def inputs[MAX_NMEA_INPUTS];
};

struct nmea_place {
  char text[128];
};

// Whether these stand for a group, and where it is; udp with a multicast address is one without TAG blocks.
int nmea_is_group(const char *udp, const char *serial);
int nmea_is_multicast(const char *udp);          // "HOST:PORT" with a multicast address
int nmea_has_groups(const struct nmea_def *def); // either of these, which all at the interface hear

// Whether every blank-separated word of text is the name of a sentence; if not, word is the first that is
// not.
int nmea_known_sentences(const char *text, char word[16]);
// Number of the sentences that the port sends for a source (enum instrument or enum nmea_other_source).
int nmea_sentence_count(const struct nmea_port_def *def, int source);

int nmea_is_udp(const char *text); // "HOST:PORT" with a numeric IPv4 host; host names are never resolved.
                                   // PORT may be * on the loopback interface
int nmea_is_listening(const char *text); // "HOST:PORT" with a numeric IPv4 host; PORT may be *
int nmea_is_baud(int baud);              // a supported rate, 4800 to 115200

// ------------------------------------------------------------
// Transmits readings as NMEA 0183 sentences over UDP and serial lines. A sentence is sent when its instrument
// has a new reading, so rate and latency are those of the instrument. One thread owns the ports; no call
// blocks.

struct nmea_counts {
  uint64_t sent;     // sentences handed to the system
  uint64_t lost;     // sentences for which there was no room or no device
  uint64_t failed;   // failures of a port; it is opened again each second
  uint64_t restored; // of these ports, those that work again
};

struct nmea_ports;

// Whether a datagram from this address is one that the ports have sent to a group. Accepts NULL ports.
int nmea_ports_sent(const struct nmea_ports *ports, const struct sockaddr_in *from);

// Opens all ports. A missing serial device is an error here; one that disappears later is waited for.
enum status nmea_ports_open(const struct nmea_def *def, struct nmea_ports **out, struct reason *why);
void nmea_ports_close(struct nmea_ports *ports); // accepts NULL

// Sends the readings that are new, and again those that a receiver on this machine has not got because it
// had not opened its port yet. faults: those active now, of which the transmission faults act here (NULL:
// none). clock_s: any monotonic clock, for opening failed ports again. Accepts NULL ports.
void nmea_ports_send(struct nmea_ports *ports, const struct readings *readings, double time_s,
                     const struct fault_set *faults, double clock_s);

void nmea_ports_begin_session(struct nmea_ports *ports); // another session, perhaps at an earlier step

// UTC of simulated time 0 in the sentences from now on. Accepts NULL ports.
void nmea_ports_set_start(struct nmea_ports *ports, double start_utc_s);

// 1: nmea_ports_send sends the sentences of instruments that have not measured yet as well, once, marked as
// not valid: a controller that answers sentences alone begins with them. Accepts NULL ports.
void nmea_ports_say_first(struct nmea_ports *ports, int on);

// The next nmea_ports_send sends the newest readings again to receivers of which nobody knows whether they
// listen: those on other machines and on serial lines. Accepts NULL ports.
void nmea_ports_send_again(struct nmea_ports *ports);

// Where a port sends, "127.0.0.1:20017", with the port that was chosen for *; "": a serial line.
struct nmea_place nmea_ports_place(const struct nmea_ports *ports, int index);

// While no steps are made: sends the newest reading of each instrument once more, marked as not valid. The
// sentences of thrusters and power plant have no such mark and are not sent. Accepts NULL ports.
void nmea_ports_send_not_valid(struct nmea_ports *ports, const struct readings *readings, double clock_s);

// Sends the sentences of an alarm to each port whose instruments contain "alarms".
void nmea_ports_send_alert(struct nmea_ports *ports, const struct nmea_alert *alert, double clock_s);
const struct nmea_origin *nmea_ports_origin(const struct nmea_ports *ports);

const struct nmea_counts *nmea_ports_counts(const struct nmea_ports *ports);

// Datagrams of all groups and multicast addresses by one network (0: A).
struct nmea_network_counts {
  uint64_t sent, lost, failed; // failed: as nmea_counts
};
struct networks;
// What faults do to what the ports send by each network. networks: borrowed.
void nmea_ports_disturb(struct nmea_ports *ports, struct networks *networks);
struct nmea_network_counts nmea_ports_network(const struct nmea_ports *ports, int network);
const char *nmea_ports_failure(const struct nmea_ports *ports); // newest failure, for people; "": none

// ------------------------------------------------------------
// The alarms of a controller as ALF sentences: each that comes and each that ends, and all in force again and
// again, for who has missed one.

struct nmea_alerts { // zero: nothing was sent
  uint64_t changes;  // of the news that was sent last
  struct dp_alarm_state told;
  double all_at_s; // when all were sent
  int sequence;
};

// now: the alarms of a frame. news: another number when those are to be sent. step_s: of a step of the
// session.
void nmea_alerts_send(struct nmea_alerts *alerts, struct nmea_ports *ports, const struct hil_names *names,
                      const struct dp_alarm_state *now, uint64_t news, double step_s, double time_s,
                      double clock_s);

// ------------------------------------------------------------
// Receives thruster commands as TRC sentences and alarms as ALF sentences by UDP and serial lines. The TRC
// sentences of one datagram make one command, on a serial line each does, but in lockstep; a command brings
// the alarms that its sender has reported. One thread owns the inputs; no call blocks, and each does a
// bounded amount of work.

struct nmea_inputs;

struct nmea_session {
  const struct nmea_def *def;
  const struct thruster_setpoint *setpoints; // that act at the start, one for each thruster
  const struct hil_names *names;             // thrusters with their full revolutions, sources of alarms
  struct gate *gate;                         // its counters and events too
  const struct nmea_ports *ports;            // whose datagrams are not read as those of others; NULL: none
  struct networks *networks;                 // what faults do to groups; NULL: nothing
};

// Opens all inputs. A missing serial device is an error here; one that disappears later is waited for.
// STATUS_BAD_INPUT: others than this machine could send, and senders is empty; STATUS_IO: the system refuses.
enum status nmea_inputs_open(const struct nmea_session *session, struct nmea_inputs **out,
                             struct reason *why);
void nmea_inputs_close(struct nmea_inputs *inputs); // accepts NULL

int nmea_inputs_file(const struct nmea_inputs *inputs); // readable when nmea_inputs_serve has work
int nmea_inputs_count(const struct nmea_inputs *inputs);
struct nmea_place nmea_inputs_place(const struct nmea_inputs *inputs, int index); // "UDP 127.0.0.1:10120"
// What the line counts of a group say; NULL: the input is none.
const struct group_reader *nmea_inputs_group(const struct nmea_inputs *inputs, int index);

// Takes what has come. current_step, on_command: as of server_poll (net/server/server.h).
void nmea_inputs_serve(struct nmea_inputs *inputs, uint64_t current_step,
                       void (*on_command)(void *context, const struct command *command), void *context);

// 1: the TRC sentences that come by a serial line one after the other are one command, which is complete with
// that of the last thruster, or after a tenth of a second in which no other has come. For lockstep, which
// takes one answer. Accepts NULL.
void nmea_inputs_take_whole_answers(struct nmea_inputs *inputs, int on);

// Another session begins: what waits was meant for the one before, and is refused. inputs NULL: does nothing.
void nmea_inputs_begin_session(struct nmea_inputs *inputs);

// Takes bytes as one datagram of this sender, for tests.
void nmea_inputs_take(struct nmea_inputs *inputs, struct bus_master *master, const char *data, size_t size,
                      const struct bus_inbox *inbox);

// ------------------------------------------------------------
// Telegrams of position references as their makers define them, written and read byte by byte, and sentences
// of gyros, motion and wind sensors, read. Pure functions. docs/nmea.md lists the fields.

enum telegram_form {
  TELEGRAM_PSIMSSB,   // hydroacoustics: $PSIMSSB
  TELEGRAM_PSXRAD,    // radar: $PSXRAD
  TELEGRAM_MDL,       // laser, 19 characters: number, range m, bearing degrees
  TELEGRAM_MDL_MULTI, // MDL with a checksum, 22 characters
  TELEGRAM_ASCII17,   // laser, radar, Artemis, 17 characters: range dm, bearing millidegrees, status
  TELEGRAM_RLS,       // laser, $RLS: place of the sensor in the frame of its targets, and the heading
  TELEGRAM_COUNT
};

enum { TELEGRAM_MAX = 128, TELEGRAM_TARGET = 8 };

// Writes "$", the body, "*" and its checksum, and the end of line. Returns the length; 0: it is too long.
size_t telegram_close(const char *body, int wrong_checksum, char out[TELEGRAM_MAX]);

// What a telegram needs beside its reading.
struct telegram_moment {
  double day_s;              // UTC time of the measurement since midnight
  const double *heading_rad; // heading that the unit knows; NULL: none
  int wrong_checksum;
};

// One telegram with its end of line. An invalid reading is flagged, as is one with a number that its field
// has no room for; a form without a flag gives 0, and nothing is to be sent. Returns the length.
size_t telegram_write(enum telegram_form form, const struct reading *reading,
                      const struct telegram_moment *moment, char out[TELEGRAM_MAX]);

// Axes of the first two numbers of a position: of an acoustic one the bow or north; of a receiver latitude
// and longitude, rad on WGS 84; of a laser the bearing is from the bow or from north.
enum telegram_axes { AXES_BOW, AXES_NORTH, AXES_GEOGRAPHIC };

struct telegram {
  enum telegram_form form; // TELEGRAM_COUNT: a sentence of NMEA 0183
  unsigned channels; // bits of those that it has; without the first, the measurement stays the one before
  int valid;
  char other[8]; // name of a whole sentence that concerns no instrument of this kind and has no channels, as
                 // GSA;
                 // "": it does
  char target[TELEGRAM_TARGET]; // name of a transponder, number of a reflector; "": none
  enum telegram_axes axes;
  double value[READING_CHANNELS];
};

// North and east of a point of the ellipsoid in the plane that touches it at the origin: its normal is
// followed to the plane, the inverse of what the simulator does. origin, at: latitude and longitude, rad.
// Returns 0 beyond LARGEST_PLANE_M, where the plane is no chart.
static const double LARGEST_PLANE_M = 1e6;
int telegram_in_plane(const double origin_rad[2], const double at_rad[2], double north_east_m[2]);

// Reads one telegram without its end of line for an instrument of this kind. A sentence with a right checksum
// that belongs to another kind, or to none, is other. STATUS_BAD_INPUT: why names what was expected. A
// PSIMSSB with status A but an error code, without a position, or with one that is predicted and not
// measured, is not valid.
enum status telegram_read(const char *text, size_t size, enum instrument kind, struct telegram *out,
                          struct reason *why);
