// Reasons for which a message from a controller is refused, and their counters.
#pragma once

#include <stdint.h>

// Refusals by reason; the table makes enum, counter names and event texts.
#define REFUSAL_TABLE(X)                                                                                     \
  X(REFUSED_MALFORMED, "malformed", "not a sagbend.v1 message")                                              \
  X(REFUSED_PROTOCOL, "protocol", "other protocol version")                                                  \
  X(REFUSED_SESSION, "session", "from another session: send Hello first")                                    \
  X(REFUSED_NOT_FINITE, "not_finite", "a number is not finite")                                              \
  X(REFUSED_RANGE, "range", "a component is out of range")                                                   \
  X(REFUSED_STALE, "stale", "based on sensors that are too old, or of the future")                           \
  X(REFUSED_SEQUENCE, "sequence", "sequence not above the last one: send Hello to start again")              \
  X(REFUSED_NOT_CONTROLLER, "not_controller", "another controller is in command")                            \
  X(REFUSED_ROLE, "role", "the role of the key does not permit this message")                                \
  X(REFUSED_RATE, "rate", "too many messages in a second")
#define X(name, text, help) name,
enum refusal { REFUSAL_TABLE(X) REFUSAL_COUNT };
#undef X
const char *refusal_name(enum refusal r); // "stale"; counters and events carry it
const char *refusal_help(enum refusal r); // a sentence for people

// Reasons for which an NMEA sentence becomes no command.
#define NMEA_REFUSAL_TABLE(X)                                                                                \
  X(NMEA_REFUSED_FORM, "form", "no sentence: $, letters, fields, * and two hexadecimal digits expected")     \
  X(NMEA_REFUSED_LENGTH, "length", "at most 82 characters expected")                                         \
  X(NMEA_REFUSED_CHECKSUM, "checksum", "the checksum does not match")                                        \
  X(NMEA_REFUSED_FORMATTER, "formatter", "a TRC sentence expected")                                          \
  X(NMEA_REFUSED_FIELDS, "fields", "a field is wrong")                                                       \
  X(NMEA_REFUSED_STATUS, "status", "the status C, of a command, expected")                                   \
  X(NMEA_REFUSED_THRUSTER, "thruster", "no thruster of this number")                                         \
  X(NMEA_REFUSED_SENDER, "sender", "nmea.inputs[].senders does not contain its address")                     \
  X(NMEA_REFUSED_GATE, "gate", "refused as any command could be")
#define X(name, text, help) name,
enum nmea_refusal { NMEA_REFUSAL_TABLE(X) NMEA_REFUSAL_COUNT };
#undef X
const char *nmea_refusal_name(enum nmea_refusal r);
const char *nmea_refusal_help(enum nmea_refusal r);

// Counters of the field buses.
struct field_bus_counts {
  uint64_t modbus_connections; // open now
  uint64_t modbus_requests;    // answered, exceptions included
  uint64_t modbus_exceptions;  // requests answered with an exception
  uint64_t modbus_cut_off;     // connections that the simulator closed or did not admit
  uint64_t nmea_received;      // sentences, or what stands in their place
  uint64_t nmea_refused[NMEA_REFUSAL_COUNT];
};

struct command_counts {
  uint64_t accepted;
  uint64_t refused[REFUSAL_COUNT];
  uint64_t displaced;  // idle controllers that made room for new ones
  uint64_t changes;    // of command: a controller came into command
  uint64_t from_buses; // of those accepted
  struct field_bus_counts buses;
};
