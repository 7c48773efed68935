// Reasons for which a message, a sentence or a request is refused, and their counters.
#pragma once

#include <stdint.h>

// Of messages of the protocol, in the order of RefusalReason (proto/sagbend/v1/command.proto). Commands of
// field buses that the gate refuses count here, too. The tables make enum, counter names and event texts.
#define MESSAGE_REFUSAL_TABLE(X)                                                                             \
  X(REFUSED_MALFORMED, "malformed", "not a sagbend.v1 message",                                              \
    "Regenerate the messages from the .proto files of this version; send one Envelope per message.")         \
  X(REFUSED_PROTOCOL, "protocol", "other protocol version",                                                  \
    "Set `Header.protocol` to the version that the refusal names.")                                          \
  X(REFUSED_SESSION, "session", "from another session: send Hello first",                                    \
    "Send Hello, and use the session of the Welcome. The simulator has begun another session or was "        \
    "restarted.")                                                                                            \
  X(REFUSED_NOT_FINITE, "not_finite", "a number is not finite",                                              \
    "Find NaN or infinity in the controller: often a division by zero before its first measurement.")        \
  X(REFUSED_RANGE, "range", "a component is out of range",                                                   \
    "The refusal names field, value and limit. Check the unit (N, not kN; rad, not degrees) and the limit "  \
    "in the Welcome.")                                                                                       \
  X(REFUSED_STALE, "stale", "based on sensors that are too old, or of the future",                           \
    "Answer the newest Sensors: copy its step to `based_on_step`. If that is done, the controller is "       \
    "slower than `network.command_max_age_s`.")                                                              \
  X(REFUSED_SEQUENCE, "sequence", "sequence not above the last one: send Hello to start again",              \
    "Count `Header.sequence` up with each command. After a restart of the controller send Hello first.")     \
  X(REFUSED_NOT_CONTROLLER, "not_controller", "another controller is in command",                            \
    "Another controller is in command. Stop it, wait until it times out, or order `sagbend ctl ... "         \
    "take-over NAME`.")                                                                                      \
  X(REFUSED_ROLE, "role", "the role of the key does not permit this message",                                \
    "Use a key of the right role ([security.md](security.md)).")                                             \
  X(REFUSED_RATE, "rate", "too many messages in a second",                                                   \
    "Send one command for each Sensors, not in a loop without a wait.")

// Of NMEA sentences.
#define NMEA_REFUSAL_TABLE(X)                                                                                \
  X(REFUSED_NMEA_FORM, "nmea_form",                                                                          \
    "no sentence: $, letters, fields, * and two hexadecimal digits expected",                                \
    "Send whole sentences: `$`, address, fields, `*`, checksum, CR LF.")                                     \
  X(REFUSED_NMEA_LENGTH, "nmea_length", "at most 82 characters expected",                                    \
    "Shorten the sentence, or end each one with CR LF.")                                                     \
  X(REFUSED_NMEA_CHECKSUM, "nmea_checksum", "the checksum does not match",                                   \
    "Compute the exclusive or of the characters between `$` and `*`, as two hexadecimal digits.")            \
  X(REFUSED_NMEA_FORMATTER, "nmea_formatter", "a TRC or ALF sentence expected",                              \
    "Send TRC to the input; other sentences belong elsewhere ([nmea.md](nmea.md)).")                         \
  X(REFUSED_NMEA_FIELDS, "nmea_fields", "a field is wrong",                                                  \
    "The refusal names the field. Compare with the layout of TRC ([field-buses.md](field-buses.md)).")       \
  X(REFUSED_NMEA_STATUS, "nmea_status", "status C, a command, expected in field 8, not R, a report",         \
    "Set field 8 to C. R marks a report, and is not obeyed.")                                                \
  X(REFUSED_NMEA_THRUSTER, "nmea_thruster", "no thruster of this number",                                    \
    "Number thrusters from 1, in the order of `vessel.thrusters`.")                                          \
  X(REFUSED_NMEA_ALARM, "nmea_alarm", "an alarm that cannot be taken",                                       \
    "Name the source in the title, end alarms that are over, and send both sentences of an alarm "           \
    "(docs/nmea.md).")                                                                                       \
  X(REFUSED_NMEA_SENDER, "nmea_sender", "nmea.inputs[].senders does not contain its address",                \
    "Add the address of the sender to `nmea.inputs[].senders`.")

// Of Modbus requests: exceptions, but for those of writes that the gate refuses.
#define MODBUS_REFUSAL_TABLE(X)                                                                              \
  X(REFUSED_MODBUS_FUNCTION, "modbus_function", "illegal function", "Use function 1 to 6, 15, 16 or 23.")    \
  X(REFUSED_MODBUS_ADDRESS, "modbus_address", "illegal data address",                                        \
    "Compare with `sagbend modbus-map CASE`; write whole values only.")                                      \
  X(REFUSED_MODBUS_VALUE, "modbus_value", "illegal data value",                                              \
    "Check count, word order and limits of the value; NaN is refused.")                                      \
  X(REFUSED_MODBUS_BUSY, "modbus_busy", "server busy",                                                       \
    "Another controller is in command, or no steps are made. Read `session.state` and try again.")           \
  X(REFUSED_MODBUS_TARGET, "modbus_target", "gateway target failed to respond",                              \
    "Use the unit identifier of `modbus.unit_id`.")

#define REFUSAL_TABLE(X)            MESSAGE_REFUSAL_TABLE(X) NMEA_REFUSAL_TABLE(X) MODBUS_REFUSAL_TABLE(X)
#define X(name, text, help, advice) name,
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
