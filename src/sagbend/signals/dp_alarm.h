// Alarms of a controller: what it reports with each command as active now. They act on nothing; the simulator
// shows, logs and judges them. Plain data.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/signals/readings.h"

enum { MAX_DP_ALARMS = 16, DP_ALARM_TEXT = 80 }; // bytes of a text with its final zero

// Kinds in the order of AlarmKind of command.proto, after its first value: enumerator, word in configurations
// and lists.
#define ALARM_KIND_TABLE(X)                                                                                  \
  X(ALARM_LOST, "lost")                                                                                      \
  X(ALARM_FROZEN, "frozen")                                                                                  \
  X(ALARM_REJECTED, "rejected")                                                                              \
  X(ALARM_DEVIATES, "deviates")                                                                              \
  X(ALARM_DIFFERS, "differs")                                                                                \
  X(ALARM_NOT_FOLLOWING, "not_following")                                                                    \
  X(ALARM_POWER_LIMIT, "power_limit")                                                                        \
  X(ALARM_NO_POSITION, "no_position")                                                                        \
  X(ALARM_NO_HEADING, "no_heading")                                                                          \
  X(ALARM_LINK_DOWN, "link_down")                                                                            \
  X(ALARM_CONSEQUENCE, "consequence")                                                                        \
  X(ALARM_OTHER, "other")                                                                                    \
  X(ALARM_SATURATED, "saturated")
#define X(id, word) id,
enum dp_alarm_kind { ALARM_KIND_TABLE(X) ALARM_KIND_COUNT };
#undef X

// In the order of AlarmSeverity, after its first value. A message is no alarm that trials or verdicts count.
enum dp_alarm_severity { SEVERITY_MESSAGE, SEVERITY_WARNING, SEVERITY_ALARM, ALARM_SEVERITY_COUNT };

const char *dp_alarm_kind_name(int kind);         // "not_following"; "unknown" outside the enum
const char *dp_alarm_severity_name(int severity); // "warning"; "unknown" outside the enum

// Sources beside the names of instruments, thrusters and buses, by index from 0; NULL: no more.
const char *dp_alarm_source_word(int index);

struct dp_alarm {
  char source[SIGNAL_NAME]; // of a vessel's equipment, or one of the words
  enum dp_alarm_kind kind;
  enum dp_alarm_severity severity;
  char text[DP_ALARM_TEXT];
};

// Alarms that are active; each pair of source and kind at most once.
struct dp_alarm_list {
  int count;
  struct dp_alarm alarm[MAX_DP_ALARMS];
};

// Adds an alarm whose text is the three parts one after the other, cut to its room. A pair of source and kind
// that is there already stays as it is. Without room the most severe stay, of equal ones those that came
// first. The last place then counts the others ("3 more alarms than fit", of the controller), with the
// severity of the worst of them.
void dp_alarm_raise(struct dp_alarm_list *list, const char *source, enum dp_alarm_kind kind,
                    enum dp_alarm_severity severity, const char *before, const char *name,
                    const char *after) NONBLOCKING;

// Index of the alarm with this source and kind; -1: there is none.
int dp_alarm_find(const struct dp_alarm_list *list, const char *source, enum dp_alarm_kind kind) NONBLOCKING;

// Number of alarms; messages are none.
int dp_alarm_count(const struct dp_alarm_list *list) NONBLOCKING;

// The alarms in force, and since when. 8-byte members first.
struct dp_alarm_state {
  uint64_t step[MAX_DP_ALARMS]; // since which each is active: of the Sensors that its first command answers
  uint64_t newest_step;         // of the Sensors that the newest command with alarms or without answers
  uint64_t changes; // times that a command raised or ended one or more; a change of a text is none
  uint64_t raised;  // alarms raised so far
  struct dp_alarm_list list;
};

// Takes the list of a command that answers the Sensors of this step.
void dp_alarm_state_take(struct dp_alarm_state *state, const struct dp_alarm_list *list,
                         uint64_t step) NONBLOCKING;

// Alarms beyond the count of the list are not copied.
void dp_alarm_state_copy(const struct dp_alarm_state *from, struct dp_alarm_state *to) NONBLOCKING;

// Whether a list or state from a file or a message is possible (sagbend/base/base.h): counts, texts, kinds, no
// pair twice.
int dp_alarm_list_is_valid(const struct dp_alarm_list *list, struct reason *why);
int dp_alarm_state_is_valid(const struct dp_alarm_state *state, uint64_t step, struct reason *why);
