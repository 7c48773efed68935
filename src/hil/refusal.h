// Reasons for which a message, a sentence or a request is refused, and their counters.
#pragma once

#include <stdint.h>

// Of messages of the protocol, in the order of RefusalReason (proto/sagbend/v1/command.proto). Commands of
// field buses that the gate refuses count here, too. The tables make enum, counter names and event texts.
#define MESSAGE_REFUSAL_TABLE(X)                                                                             \
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

// Of NMEA sentences.
#define NMEA_REFUSAL_TABLE(X)                                                                                \
  X(REFUSED_NMEA_FORM, "nmea_form",                                                                          \
    "no sentence: $, letters, fields, * and two hexadecimal digits expected")                                \
  X(REFUSED_NMEA_LENGTH, "nmea_length", "at most 82 characters expected")                                    \
  X(REFUSED_NMEA_CHECKSUM, "nmea_checksum", "the checksum does not match")                                   \
  X(REFUSED_NMEA_FORMATTER, "nmea_formatter", "a TRC or ALF sentence expected")                              \
  X(REFUSED_NMEA_FIELDS, "nmea_fields", "a field is wrong")                                                  \
  X(REFUSED_NMEA_STATUS, "nmea_status", "status C, a command, expected in field 8, not R, a report")         \
  X(REFUSED_NMEA_THRUSTER, "nmea_thruster", "no thruster of this number")                                    \
  X(REFUSED_NMEA_ALARM, "nmea_alarm", "an alarm that cannot be taken")                                       \
  X(REFUSED_NMEA_SENDER, "nmea_sender", "nmea.inputs[].senders does not contain its address")

// Of Modbus requests: exceptions, but for those of writes that the gate refuses.
#define MODBUS_REFUSAL_TABLE(X)                                                                              \
  X(REFUSED_MODBUS_FUNCTION, "modbus_function", "illegal function")                                          \
  X(REFUSED_MODBUS_ADDRESS, "modbus_address", "illegal data address")                                        \
  X(REFUSED_MODBUS_VALUE, "modbus_value", "illegal data value")                                              \
  X(REFUSED_MODBUS_BUSY, "modbus_busy", "server busy")                                                       \
  X(REFUSED_MODBUS_TARGET, "modbus_target", "gateway target failed to respond")

#define REFUSAL_TABLE(X)    MESSAGE_REFUSAL_TABLE(X) NMEA_REFUSAL_TABLE(X) MODBUS_REFUSAL_TABLE(X)
#define X(name, text, help) name,
enum refusal { REFUSAL_TABLE(X) REFUSAL_COUNT };
#undef X
enum {
  REFUSALS_OF_MESSAGES = REFUSED_RATE + 1, // the first of them
  FIRST_NMEA_REFUSAL = REFUSED_NMEA_FORM,
  LAST_NMEA_REFUSAL = REFUSED_NMEA_SENDER
};
const char *refusal_name(enum refusal r); // "stale"; counters and events carry it
const char *refusal_help(enum refusal r); // a sentence for people

// Counters of the field buses.
struct field_bus_counts {
  uint64_t modbus_connections; // open now
  uint64_t modbus_requests;    // answered, exceptions included
  uint64_t modbus_exceptions;  // requests answered with an exception
  uint64_t modbus_cut_off;     // connections that the simulator closed or did not admit
  uint64_t nmea_received;      // sentences, or what stands in their place
  uint64_t nmea_at_gate;       // sentences of a command that the gate refused
};

struct command_counts {
  uint64_t accepted;
  uint64_t refused[REFUSAL_COUNT];
  uint64_t displaced;  // idle controllers that made room for new ones
  uint64_t changes;    // of command: a controller came into command
  uint64_t from_buses; // of those accepted
  struct field_bus_counts buses;
};
uint64_t refused_in_all(const struct command_counts *counts);
uint64_t refused_sentences(const struct command_counts *counts); // of NMEA, those at the gate included
