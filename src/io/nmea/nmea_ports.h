// Where NMEA 0183 telegrams go: UDP destinations and serial devices. A telegram goes out when its instrument
// has said something new, so rate and latency are the instrument's. One thread owns the ports; it never waits
// for a line.
#pragma once

#include "core/base/status.h"
#include "hil/fault.h"
#include "io/nmea/nmea.h"

enum { MAX_NMEA_PORTS = 8, NMEA_TEXT = 256 };

struct nmea_port_def {
  char udp[64];     // "HOST:PORT"; empty: serial
  char serial[108]; // device; empty: udp
  int baud;
  char talker[3];              // empty: as the instrument's kind has it
  char instruments[NMEA_TEXT]; // names, separated by blanks; "thrusters" stands for their feedback
  char sentences[NMEA_TEXT]; // names of nmea_name, separated by blanks; empty: all that the instruments have
  double thruster_period_s;  // of their feedback
};

struct nmea_def {
  struct nmea_origin origin;
  int port_count; // 0: no telegrams
  struct nmea_port_def ports[MAX_NMEA_PORTS];
};

// The next blank-separated word from *text on, which moves, cut to size; 0: there is none.
int nmea_next_word(const char **text, char *word, size_t size);
// Whether every blank-separated word of text is a sentence's name; otherwise the first that is none, in word.
int nmea_known_sentences(const char *text, char word[16]);
// The sentences, a bit each, that the port says of an instrument of this kind (INSTRUMENT_COUNT: of the
// thrusters).
uint32_t nmea_sentences_of(const struct nmea_port_def *def, enum instrument kind);
// "HOST:PORT" with a numeric IPv4 host; the rest of the program never resolves names.
int nmea_is_udp(const char *text);
int nmea_is_baud(int baud);

struct nmea_counts {
  uint64_t sent;   // telegrams handed to the system
  uint64_t lost;   // that found no room, or no device
  uint64_t failed; // times a port failed; it is tried again once a second
};

struct nmea_ports;

// Opens all ports; a serial device that is not there is an error at the start, later it is waited for.
enum status nmea_ports_open(const struct nmea_def *def, struct nmea_ports **out, struct reason *why);
void nmea_ports_close(struct nmea_ports *p);

// Sends what is new in these readings. faults: telegram faults that are active (NULL: none). clock_s: any
// steady clock, for trying again.
void nmea_ports_send(struct nmea_ports *p, const struct readings *readings, double time_s,
                     const struct fault_set *faults, double clock_s);

const struct nmea_counts *nmea_ports_counts(const struct nmea_ports *p);
const char *nmea_ports_failure(const struct nmea_ports *p); // of the last failed port, for people
