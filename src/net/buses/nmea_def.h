// Ports of NMEA 0183 sentences as a configuration defines them.
#pragma once

#include "net/buses/nmea.h"

enum { MAX_NMEA_PORTS = 20, MAX_NMEA_INPUTS = 4, NMEA_TEXT = 256 };

struct nmea_port_def {
  char udp[64];                // destination "HOST:PORT"; port *: a free one of this machine is chosen, which
                               // the receiver opens; empty: a serial port
  char serial[108];            // device path; empty: UDP
  int baud;                    // of the serial port
  char talker[3];              // two letters; empty: nmea_default_talker of each instrument's kind
  char instruments[NMEA_TEXT]; // names, separated by blanks; "thrusters": the feedback of all thrusters;
                               // "power": the report of power management
  char sentences[NMEA_TEXT];   // names as of nmea_name, separated by blanks; empty: all of the instruments'
  double thruster_period_s;    // between sentences of a thruster, and of the power plant
};

struct nmea_input_def {
  char udp[64];            // "HOST:PORT" to listen at, port * chosen by the system; empty: a serial port
  char serial[108];        // device path; empty: UDP
  int baud;                // of the serial port
  char senders[NMEA_TEXT]; // addresses that may send by UDP (sagbend/base/clients.h); empty: this machine only
};

struct nmea_def {
  struct nmea_origin origin;
  int port_count; // 0: no NMEA output
  struct nmea_port_def ports[MAX_NMEA_PORTS];
  int input_count; // 0: no thruster commands
  struct nmea_input_def inputs[MAX_NMEA_INPUTS];
};

struct nmea_place {
  char text[128];
};

// Whether every blank-separated word of text is the name of a sentence; if not, word is the first that is
// not.
int nmea_known_sentences(const char *text, char word[16]);
int nmea_port_sends(const struct nmea_port_def *def, enum nmea_sentence sentence); // of its sources
// Number of the sentences that the port sends for a source (enum instrument or enum nmea_other_source).
int nmea_sentence_count(const struct nmea_port_def *def, int source);

int nmea_is_udp(const char *text); // "HOST:PORT" with a numeric IPv4 host; host names are never resolved.
                                   // PORT may be * on the loopback interface
int nmea_is_listening(const char *text); // "HOST:PORT" with a numeric IPv4 host; PORT may be *
int nmea_is_baud(int baud);              // a supported rate, 4800 to 115200
