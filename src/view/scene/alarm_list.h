// A list of alarms: what went beyond a limit, when it began and ended, and its worst value. An alarm stays
// after its cause has gone, so that whoever looks later sees it. Categories are those of IEC 62923-1: alarm
// and warning are to be acknowledged, a caution is not.
#pragma once

#include <stdint.h>

#define ALARMS_HOLD_S 10.0 // a cause that returns within this simulated time continues the alarm before

enum {
  ALARMS_MAX =
      200, // in the list; beyond it one is left out and counted: the oldest caution, one whose cause
           // has gone before the others; without a caution the oldest warning, then alarm, in that order
  ALARM_NAME = 64,
  ALARM_TEXT = 200
};

enum alarm_category { ALARM_CAUTION, ALARM_WARNING, ALARM_ALARM };

enum alarm_kind {
  ALARM_LIMIT,      // name: quantity as in docs/outputs.md; value and limit in its unit of the protocol
  ALARM_VERDICT,    // name: of the verdict; value in the unit of VerdictInfo
  ALARM_FAULT,      // name: of the fault
  ALARM_CONTROLLER, // name: "gnss-1: frozen", source and kind of an alarm that the controller sends
  ALARM_EVENT,      // name: of the event; equal ones are one alarm with a count
  ALARM_LATE        // late steps and lost periods, one alarm with a count; worst: s after the deadline
};

struct alarm {
  enum alarm_kind kind;
  enum alarm_category category;
  char name[ALARM_NAME];
  char text[ALARM_TEXT]; // for people; "": the name says it
  int is_active;         // the cause is there
  double from_s, to_s;   // simulated time of its begin; of its end, or the newest time at which it was seen
  int has_value, has_limit;
  double first, worst, worst_s, limit; // value at the begin, the worst value and its time
  uint64_t count;                      // of equal events; else 1
};

struct alarm_list {
  struct alarm alarm[ALARMS_MAX]; // in the order in which they began
  int count;
  uint64_t left_out; // for lack of room
  uint64_t changes;  // another number: the list has changed
};

struct alarm_key {
  enum alarm_kind kind;
  enum alarm_category category;
  const char *name;
};

struct alarm *alarm_newest(struct alarm_list *list, struct alarm_key key); // NULL: there is none
struct alarm *alarm_add(struct alarm_list *list, struct alarm_key key, double time_s);

// The alarm whose cause is there at a time: the one before, if its cause has been away for ALARMS_HOLD_S at
// most, or a new one.
struct alarm *alarm_raise(struct alarm_list *list, struct alarm_key key, double time_s);
void alarm_end(struct alarm_list *list, struct alarm_key key, double time_s); // without one: nothing

// The value, if it is the first or worse than those before.
void alarm_note(struct alarm_list *list, struct alarm *alarm, double value, double time_s, int is_worse);
void alarm_set_text(struct alarm *alarm, const char *text);
