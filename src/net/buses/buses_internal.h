// Private to the inputs: nmea_inputs.c opens them and looks which have work, nmea_input_udp.c knows the
// senders of datagrams, nmea_input_serial.c collects lines, nmea_input_sentences.c makes commands of
// sentences.
#pragma once

#include "net/buses/nmea_inputs.h"

enum { NMEA_LINE_MAX = 128, NMEA_SENDERS = 16, NMEA_RETRY_MS = 1000 };

struct nmea_sender {
  uint32_t address; // host byte order; 0: this place is free
  int64_t heard_ms;
  struct bus_master master;
};

struct nmea_input {
  const struct nmea_input_def *def;
  int file; // -1: failed; opened again at retry_ms
  int64_t retry_ms;
  int port;                 // of UDP, as bound
  struct bus_master master; // at the other end of the serial line
  char line[NMEA_LINE_MAX];
  size_t line_size;
  int is_too_long; // the rest of this line is skipped
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
  struct nmea_alert_begun alert; // the newest first sentence
  struct bus_image image;
  int events; // epoll
  struct nmea_input input[MAX_NMEA_INPUTS];
  struct nmea_sender sender[NMEA_SENDERS]; // by UDP
};

// The sentences of one datagram, on their way to a command.
struct nmea_write {
  struct bus_image image;
  uint32_t thrusters; // one bit each
  int count;          // of sentences
  int alarms;         // sentences of alarms that were taken
};

enum status nmea_input_open_udp(struct nmea_input *input, struct reason *why);
enum status nmea_input_open_serial(struct nmea_input *input, struct reason *why);

// Take what has come. A serial line that fails is closed, to be opened again at retry_ms.
void nmea_input_read_udp(struct nmea_inputs *inputs, const struct nmea_input *input,
                         const struct bus_inbox *inbox);
void nmea_input_read_serial(struct nmea_inputs *inputs, struct nmea_input *input,
                            const struct bus_inbox *inbox);

// Refuses what waits there, and the begin of a line.
void nmea_input_refuse_udp(struct nmea_inputs *inputs, const struct nmea_input *input);
void nmea_input_refuse_serial(struct nmea_inputs *inputs, struct nmea_input *input);

// Reads the sentences of one datagram of this sender, which needs a name only; then passes them to the gate.
struct nmea_write nmea_read_sentences(struct nmea_inputs *inputs, struct bus_master *master, const char *data,
                                      size_t size);
void nmea_send_write(struct nmea_inputs *inputs, struct bus_master *master, const struct nmea_write *write,
                     const struct bus_inbox *inbox);

// Takes a sentence of an alarm into what its sender has reported.
enum refusal nmea_take_alarm(struct nmea_inputs *inputs, struct bus_master *master, const char *text,
                             size_t size, struct reason *why);

// Counts a sentence that becomes no command, and reports it.
void nmea_refuse_sentence(const struct nmea_inputs *inputs, const struct bus_master *master,
                          enum refusal refusal, const char *sentence, size_t size, const struct reason *why);
