// Requests and answers of Modbus TCP (Modbus Messaging on TCP/IP Implementation Guide V1.0b; Modbus
// Application Protocol V1.1b3): their frames and fields. Pure functions.
#pragma once

#include "net/buses/buses.h"

#include "net/groups/groups.h"
#include "net/networks/networks.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <termios.h>

enum {
  MODBUS_FRAME = 260,      // bytes, at most
  MODBUS_FRAME_HEADER = 7, // bytes of transaction, protocol, length, unit
  MODBUS_IS_ANSWER = 0x80, // in the function code: an exception, not a request
  MODBUS_READS = 2000,     // bits of one request at most; of registers 125
};

// Exceptions, as the standard numbers them.
enum modbus_exception {
  EXCEPTION_NONE = 0,
  EXCEPTION_FUNCTION = 1,
  EXCEPTION_ADDRESS = 2,
  EXCEPTION_VALUE = 3,
  EXCEPTION_BUSY = 6,
  EXCEPTION_TARGET = 11, // no unit of that number
};

// The size of the first frame in data; 0: it is not complete yet; -1: this is no Modbus TCP, and where the
// next frame begins is unknown.
int modbus_frame_size(const uint8_t *data, size_t size);

struct modbus_request {
  int unit, function;
  int read_table, read_address, read_count;    // count 0: it reads nothing
  int write_table, write_address, write_count; // likewise
  const uint8_t *data;                         // values to write: bits, or registers, high byte first
};

// Reads the fields of a complete frame.
enum modbus_exception modbus_request_read(const uint8_t *frame, int size, struct modbus_request *out);

// The answer to a request that was read from this frame. values: what it reads, bits as 0 and 1. Returns the
// size of the answer.
int modbus_response_write(const uint8_t *frame, const struct modbus_request *request, const uint16_t *values,
                          uint8_t out[MODBUS_FRAME]);
// The answer to a request that is refused.
int modbus_exception_write(const uint8_t *frame, enum modbus_exception exception, uint8_t out[MODBUS_FRAME]);

// ------------------------------------------------------------
// Private to the server: modbus_server.c accepts, collects frames and closes, modbus_answer.c answers them.

enum { FRAME_TIMEOUT_MS = 1000 };

// A write by one of two networks, until the other one brings it as well.
struct modbus_seen {
  int64_t at_ms; // 0: it has come by both
  uint64_t hash; // of function and fields
  int network;
  enum modbus_exception exception; // of its answer, which the copy gets as well
};
enum { MODBUS_SEEN = 32 };

struct modbus_client { // a host; all its connections are one master
  uint32_t address;    // host byte order; of one with an address on each network that on A
  int connections;     // 0: this place is free
  struct bus_master master;
  struct modbus_seen seen[MODBUS_SEEN];
  unsigned seen_next;
  struct network_hearing hearing; // of its requests
};

struct modbus_connection {
  int file;          // -1: this place is free
  int network;       // 0: A
  uint64_t number;   // of all connections so far
  int client;        // index of clients
  int64_t heard_ms;  // newest answered request, or the connection's begin
  int64_t begun_ms;  // of an incomplete frame
  uint64_t requests; // answered without an exception
  size_t of_before;  // bytes still to be answered that came before this session began
  uint8_t data[MODBUS_FRAME];
  size_t size;
};

struct modbus_server {
  struct modbus_def def;
  struct modbus_map map;
  struct gate *gate;
  const struct loop_target *target;
  struct bus_image image;
  double beat;
  struct listener listener[NETWORKS]; // of network B without one: not open
  struct networks *networks;          // what faults do to both; NULL: nothing
  const struct modbus_inbox *delivering;
  uint64_t connections; // so far
  int events;           // epoll
  int accepts;          // the listeners are in the event loop
  int64_t next_accept_ms, next_check_ms;
  struct modbus_connection connection[MODBUS_CONNECTIONS];
  struct modbus_client client[MODBUS_CONNECTIONS];
};

struct modbus_inbox {
  const struct frame *frame;
  struct bus_inbox bus;
};

// Answers one complete frame. Returns 0 if the client does not take the whole answer.
int modbus_response(struct modbus_server *server, struct modbus_connection *connection, const uint8_t *frame,
                    int size, const struct modbus_inbox *inbox);

// Of two networks (modbus_networks.c).
int modbus_networks(const struct modbus_server *server); // 2: there is a network B
// The address on network A of the master with this address on a network.
uint32_t modbus_master_of(const struct modbus_server *server, int network, uint32_t address);
// The same write that the other network has brought, and that counts as come by both from now on; NULL: there
// is none.
const struct modbus_seen *modbus_find_copy(struct modbus_server *server,
                                           const struct modbus_connection *connection, const uint8_t *frame,
                                           int size);
void modbus_note_write(struct modbus_server *server, const struct modbus_connection *connection,
                       const uint8_t *frame, int size, enum modbus_exception exception);
// Counts a request, and reports a network that brings none of a master that has asked by both.
void modbus_note_request(struct modbus_server *server, const struct modbus_connection *connection);
void modbus_forget_client(struct modbus_server *server, int client); // its last connection has gone
// Whether a request or an answer passes now; else it is lost, or comes later.
int modbus_passes(struct modbus_server *server, const struct modbus_connection *connection, int is_answer,
                  const void *data, size_t size);

// Reads once and answers what is complete; may close the connection.
void modbus_connection_serve(struct modbus_server *server, struct modbus_connection *connection,
                             const struct modbus_inbox *inbox);
void modbus_connection_close(struct modbus_server *server, struct modbus_connection *connection);

// ------------------------------------------------------------
// Private to the room: where a port sends, as the system has it.

int nmea_open_serial(const char *device, int baud, int flags); // raw, 8N1, non-blocking; -1 with errno set
int nmea_parse_listening(const char *text, struct sockaddr_in *out); // as nmea_parse_udp; port * is 0

// ------------------------------------------------------------
// Private to the room: what any sentence that comes in has in common.

enum { NMEA_SENTENCE_MAX = 80, NMEA_FIELDS = 14 }; // characters without the end of line

struct nmea_fields {
  int count; // NMEA_FIELDS + 1: there are more
  char field[NMEA_FIELDS][NMEA_SENTENCE_MAX];
};

// "$" address, fields, "*", two digits that are the checksum, and nothing that does not print. REFUSAL_COUNT:
// it is one.
enum refusal nmea_check_form(const char *text, size_t size, struct reason *why);

// Whether a sentence of that form has this formatter behind a talker of two letters or digits.
int nmea_has_formatter(const char *text, size_t size, const char *formatter);

// The fields behind the address, as they stand there.
void nmea_split(const char *text, size_t size, struct nmea_fields *out);

// One of the letters, or empty if that is allowed.
int nmea_is_letter(const char *field, const char *letters, int may_be_empty);

// A whole number without sign from low to high; -1: it is none.
long nmea_whole(const char *field, long low, long high);

// ------------------------------------------------------------
// Private to the inputs: nmea_inputs.c opens them, looks which have work, knows the senders of datagrams,
// collects lines and makes commands of sentences.

enum { NMEA_LINE_MAX = 128, NMEA_SENDERS = 16, NMEA_RETRY_MS = 1000 };

struct nmea_sender {
  uint32_t address;      // host byte order; 0: this place is free
  char source[TAG_WORD]; // in a group: by which it is known; "": by its address
  int64_t heard_ms;
  struct bus_master master;
};

// The sentences of one datagram, or of one answer by a serial line, on their way to a command.
struct nmea_write {
  struct bus_image image;
  uint32_t thrusters; // one bit each
  int count;          // of sentences
  int alarms;         // sentences of alarms that were taken
};

struct nmea_input {
  const struct nmea_input_def *def;
  int file; // -1: failed; opened again at retry_ms
  int64_t retry_ms;
  int port;                    // of UDP, as bound
  struct group_reader *reader; // of multicast; NULL: none
  struct group_receiver receiver;
  int is_resting[NETWORKS]; // its storm waits with the kernel
  int is_plain_reported;    // that sentences come without a token
  struct bus_master master; // at the other end of the serial line
  char line[NMEA_LINE_MAX];
  size_t line_size;
  int is_too_long;          // the rest of this line is skipped
  struct nmea_write answer; // of the serial line in lockstep, as far as it has come; count 0: nothing
  int64_t answer_ms;        // when its newest sentence came
};

// The first sentence of an alarm whose second one has not come.
struct nmea_alert_begun {
  char master[GATE_NAME]; // empty: none
  int sequence;
  long identifier;
  char source[SIGNAL_NAME];
  enum dp_alarm_kind kind;
};

struct nmea_inputs {
  struct nmea_def def;
  struct gate *gate;
  struct hil_names names;
  const struct nmea_ports *ports;
  struct networks *networks;           // what faults do to groups; NULL: nothing
  const struct group_sink *delivering; // where what came later goes
  struct nmea_alert_begun alert;       // the newest first sentence
  struct bus_image image;
  int events;        // epoll
  int whole_answers; // nonzero: the sentences of a serial line that belong together are one command
  struct nmea_input input[MAX_NMEA_INPUTS];
  struct nmea_sender sender[NMEA_SENDERS]; // by UDP
};

// STATUS_BAD_INPUT: both interfaces are of one device, so that networks A and B would be one.
enum status nmea_check_networks(const struct network_def *network, struct reason *why);
enum status nmea_input_open_group(struct nmea_inputs *inputs, struct nmea_input *input, struct reason *why);
void nmea_input_close_group(struct nmea_input *input);

// Takes what has come in a group (nmea_groups.c). Between: joins again, gives up sentences that miss others.
void nmea_input_read_group(struct nmea_inputs *inputs, struct nmea_input *input,
                           const struct bus_inbox *inbox);
void nmea_input_keep_group(struct nmea_inputs *inputs, struct nmea_input *input,
                           const struct bus_inbox *inbox);
// Refuses what waits at a socket, but for what the ports of this program have sent to the group.
void nmea_input_refuse_udp(struct nmea_inputs *inputs, int file);
// Counts and refuses a datagram of one that may not send.
void nmea_refuse_stranger(struct nmea_inputs *inputs, uint32_t address, const char *data, size_t size);
void nmea_input_refuse_group(struct nmea_inputs *inputs, struct nmea_input *input);

// The sentences of one datagram of a host, or of a source in a group, by whatever way it comes ("": of the
// host). Only a sender of a valid sentence gets a place.
void nmea_take_from_host(struct nmea_inputs *inputs, uint32_t address, const char *source, const char *data,
                         size_t size, const struct bus_inbox *inbox);
struct bus_master nmea_named(uint32_t address);

// Takes a sentence of an alarm into what its sender has reported.
enum refusal nmea_take_alarm(struct nmea_inputs *inputs, struct bus_master *master, const char *text,
                             size_t size, struct reason *why);

// Counts a sentence that becomes no command, and reports it.
void nmea_refuse_sentence(const struct nmea_inputs *inputs, const struct bus_master *master,
                          enum refusal refusal, const char *sentence, size_t size, const struct reason *why);

// ------------------------------------------------------------
// Private to the room: writes the fields of a sentence, each with the comma before it.

struct nmea_text {
  char text[NMEA_MAX];
  size_t size;
};

// What a sentence is written from.
struct nmea_material {
  const struct nmea_origin *origin;
  const struct readings *all;
  const struct reading *reading; // of the instrument; NULL: of a thruster or the power plant
  int index;                     // of the instrument, thruster or item of the power plant
  int part;                      // of an XDR, from 0
  double age_s;
};
typedef void nmea_fields(struct nmea_text *out, const struct nmea_material *from); // appends the fields

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void nmea_put(struct nmea_text *out, const char *format, ...);

struct nmea_utc {
  int year, month, day, hour, minute;
  int hundredths; // of seconds, 0 to 5999
};
struct nmea_utc nmea_utc_of(double s_since_1970);
void nmea_put_time(struct nmea_text *out, const struct nmea_utc *utc); // hhmmss.ss

// ------------------------------------------------------------
// Reads TRC, the thruster control data of IEC 61162-1. Pure functions.

struct nmea_trc {
  int thruster;       // number, from 1
  int has_rpm;        // 0: the field is empty, or its mode is V
  int rpm_is_percent; // of full revolutions
  double rpm;
  int has_pitch;
  double pitch_percent;
  int has_azimuth;
  double azimuth_deg; // 0 to 360
};

// Reads one sentence without its end of line: $ttTRC,number,rpm,mode,pitch,mode,azimuth,location,status*hh.
// REFUSAL_COUNT: it is a command. why: filled if there is more to report.
enum refusal nmea_trc_read(const char *text, size_t size, struct nmea_trc *out, struct reason *why);

// ------------------------------------------------------------
// Private to the room: XDR, the measurements of transducers with their names. Transducers that one sentence
// of the standard's length does not hold go into further ones, so that each part has a number.

// Append the fields of one part; nothing beyond the last part.
nmea_fields nmea_xdr_put_tension, nmea_xdr_put_angle, nmea_xdr_put_touchdown, nmea_xdr_put_payout,
    nmea_xdr_put_tensioner, nmea_xdr_put_wire, nmea_xdr_put_power;

// ------------------------------------------------------------
// What the files that read telegrams share.

enum { TELEGRAM_FIELDS = 24, TELEGRAM_FIELD = 40 }; // room for a name and its ending

// The fields between $ and *, each with its end.
struct telegram_fields {
  int count;
  char text[TELEGRAM_FIELDS][TELEGRAM_FIELD];
  int is_cut; // it has more or longer ones
};
