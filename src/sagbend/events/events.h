// Every event of a run: its name, how grave it is, whether a replay finds it again, what it means, what to
// do. The table is sagbend/events/events.inc; the reasons for which something is refused or denied stand
// here.
#pragma once

enum event_grade { GRADE_INFORMATION, GRADE_WARNING, GRADE_ERROR };

struct event_info {
  const char *name;  // "command_lost"
  const char *group; // heading of docs/events.md
  const char *meaning, *advice;
  enum event_grade grade;
  int is_computed; // nonzero: it follows from the steps, so that a replay finds it again
};

// Of refused_REASON and denied_REASON that of "refused" and "denied"; of an unknown name: information.
enum event_grade event_grade_of(const char *name);
int event_is_computed(const char *name);

// ---- events of the model ----

// What a run does about an event: it reports it, it fails, or it has latched a fault. The configuration
// chooses between the first two.
enum event_reaction { REACTION_REPORT, REACTION_FAIL, REACTION_FAULT };

// Latched as bits of sim_output.events.
#define SIM_EVENT(id, ...) EVENT_##id,
enum sim_event {
#include "sagbend/events/events.inc"
  EVENT_COUNT
};
const char *sim_event_name(int event); // "unknown" for a number that is none
const char *sim_event_text(int event); // description of the event, for people

// ---- mistakes of a controller ----

#define NOTICE(id, ...) id,
enum notice_kind {
#include "sagbend/events/events.inc"
  NOTICE_COUNT
};
const char *notice_name(int kind); // "positive_feedback": the name of its event; "unknown" outside the table
const char *notice_question(int kind); // "is a sign wrong?"
int notice_find(const char *name);     // -1: no notice has this name

// ---- events of a run: a name that the table lacks does not compile ----

#define HOST_EVENT(name, ...) HOST_EVENT_##name,
enum host_event {
#include "sagbend/events/events.inc"
  HOST_EVENT_COUNT
};
#define EVENT_NAME(name) host_event_name(HOST_EVENT_##name)
const char *host_event_name(enum host_event event);

enum { EVENTS_OF_ALL_KINDS = (int)EVENT_COUNT + (int)NOTICE_COUNT + (int)HOST_EVENT_COUNT };
extern const struct event_info event_table[EVENTS_OF_ALL_KINDS]; // the model's first

// ---- reasons of refused_REASON and denied_REASON ----

struct event_reason {
  const char *name, *meaning, *advice;
};

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
    "in the Welcome. A vessel with thrusters refuses a wrench unless `network.accept_wrench` is true.")      \
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
    "Send one command for each Sensors, not in a loop without a wait.")                                      \
  X(REFUSED_STANDBY, "standby", "the controller stands by, or the case does not list it",                    \
    "A controller that stands by sends its command with `shadow`. To give it the command order "             \
    "`sagbend ctl ... take-over NAME` ([redundancy.md](redundancy.md)).")

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
  X(REFUSED_NMEA_STATUS, "nmea_status", "status C, a command, expected in field 8, got R, a report",         \
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
    "Another controller is in command (`command.in_command` 0), or no steps are made (`session.held`). "     \
    "Wait or hand over, then write again.")                                                                  \
  X(REFUSED_MODBUS_TARGET, "modbus_target", "gateway target failed to respond",                              \
    "Use the unit identifier of `modbus.unit_id`.")

#define REFUSAL_TABLE(X)            MESSAGE_REFUSAL_TABLE(X) NMEA_REFUSAL_TABLE(X) MODBUS_REFUSAL_TABLE(X)
#define X(name, text, help, advice) name,
enum refusal { REFUSAL_TABLE(X) REFUSAL_COUNT };
#undef X
enum {
  REFUSALS_OF_MESSAGES = REFUSED_STANDBY + 1, // the first of them
  FIRST_NMEA_REFUSAL = REFUSED_NMEA_FORM,
  LAST_NMEA_REFUSAL = REFUSED_NMEA_SENDER
};
extern const struct event_reason refusal_table[REFUSAL_COUNT];
const char *refusal_name(enum refusal r); // "stale"; counters and events carry it
const char *refusal_help(enum refusal r); // a sentence for people

// What the sockets deny to those who connect, beside refused messages.
#define DENIAL_TABLE(X)                                                                                      \
  X(DENIED_UNKNOWN_KEY, unknown_key,                                                                         \
    "a key that is not in the list of admitted keys, which is read at the start only",                       \
    "Add the public key to the list of admitted keys and start the simulator again.")                        \
  X(DENIED_ROLE, role, "an admitted key in another role",                                                    \
    "Make a key of the right role: `sagbend keygen --role ROLE FILE`.")                                      \
  X(DENIED_MECHANISM, mechanism, "a connection without a key where keys are required",                       \
    "Give the client a key (`--key`, `--server-key`).")                                                      \
  X(DENIED_HANDSHAKE, handshake, "a handshake that is malformed, forged, replayed or for another server",    \
    "Check the server's public key at the client. If it is right, look who else connects.")                  \
  X(DENIED_UNFINISHED, unfinished, "a connection that ended, or took too long, before its handshake",        \
    "Nothing, if it is rare: a client has given up. Many of them: a port scan, a wrong server key, or "      \
    "a client without keys where keys are required.")                                                        \
  X(DENIED_MESSAGE, message, "a message that is forged, replayed, altered, malformed or too large",          \
    "Use a client of ZeroMQ 4 with CURVE; look for a device that alters traffic.")                           \
  X(DENIED_TOO_MANY, too_many, "a connection beyond the largest number",                                     \
    "Close clients that are not needed.")                                                                    \
  X(DENIED_RATE, rate, "messages beyond the largest rate", "Let the client send less often.")                \
  X(DENIED_UNREAD, unread, "a message to a peer that does not read: its queue is full",                      \
    "Let the client read what it has subscribed to.")
#define X(name, text, help, advice) name,
enum denial { DENIAL_TABLE(X) DENIAL_COUNT };
#undef X
extern const struct event_reason denial_table[DENIAL_COUNT];
const char *denial_name(enum denial d); // "unknown_key"; counters and events carry it
const char *denial_help(enum denial d); // for people
