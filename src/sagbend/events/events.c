// Rows of the table of events by name, and names by number.
#include "sagbend/events/events.h"

#include "sagbend/base/base.h"

#include <string.h>

enum { WITNESSED, COMPUTED };
enum { FIRST_HOST_EVENT = (int)EVENT_COUNT + (int)NOTICE_COUNT };

#define SIM_EVENT(id, name, grade, reaction, meaning, advice)                                                \
  _Static_assert(sizeof meaning > 1 && sizeof advice > 1, "a description and an advice");
#define NOTICE(id, name, grade, question, meaning, advice)                                                   \
  _Static_assert(sizeof question > 1 && sizeof meaning > 1 && sizeof advice > 1, "three texts");
#define HOST_EVENT(name, grade, computed, group, meaning, advice)                                            \
  _Static_assert(sizeof meaning > 1 && sizeof advice > 1, "a meaning and an advice");
#include "sagbend/events/events.inc"

#define SIM_EVENT(id, name, grade, reaction, meaning, advice)                                                \
  [EVENT_##id] = {name, "Model", meaning, advice, GRADE_##grade, COMPUTED},
#define NOTICE(id, name, grade, question, meaning, advice)                                                   \
  [(int)EVENT_COUNT + (int) id] = {name,    "Mistakes of a controller", meaning, advice, GRADE_##grade,      \
                                   COMPUTED},
#define HOST_EVENT(name, grade, computed, group, meaning, advice)                                            \
  [FIRST_HOST_EVENT + (int)HOST_EVENT_##name] = {#name, group, meaning, advice, GRADE_##grade, computed},
const struct event_info event_table[EVENTS_OF_ALL_KINDS] = {
#include "sagbend/events/events.inc"
};

static const struct event_info *row_of(const char *name, size_t length) {
  for (int i = 0; i < EVENTS_OF_ALL_KINDS; i++)
    if (strlen(event_table[i].name) == length && !strncmp(event_table[i].name, name, length))
      return &event_table[i];
  return NULL;
}

// Of a former name the row of the present one.
static const struct event_info *find_row(const char *name) {
  static const char *const KINDS[] = {"refused_", "denied_"};
  const struct event_info *row = row_of(name, strlen(name));
  const char *present = row ? NULL : former_name(FORMER_EVENT, name);
  if (present)
    return row_of(present, strlen(present));
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS && !row; i++)
    if (!strncmp(name, KINDS[i], strlen(KINDS[i])))
      row = row_of(KINDS[i], strlen(KINDS[i]) - 1);
  return row;
}

enum event_grade event_grade_of(const char *name) {
  const struct event_info *row = find_row(name);
  return row ? row->grade : GRADE_INFORMATION;
}

int event_is_computed(const char *name) {
  const struct event_info *row = row_of(name, strlen(name));
  return row && row->is_computed;
}

const char *sim_event_name(int event) {
  return (unsigned)event < EVENT_COUNT ? event_table[event].name : "unknown";
}

const char *sim_event_text(int event) {
  return (unsigned)event < EVENT_COUNT ? event_table[event].meaning : "unknown event";
}

const char *notice_name(int kind) {
  return (unsigned)kind < NOTICE_COUNT ? event_table[EVENT_COUNT + kind].name : "unknown";
}

const char *notice_question(int kind) {
  static const char *const questions[] = {
#define NOTICE(id, name, grade, question, ...) [id] = question,
#include "sagbend/events/events.inc"
  };
  return (unsigned)kind < NOTICE_COUNT ? questions[kind] : "";
}

int notice_find(const char *name) {
  for (int i = 0; i < NOTICE_COUNT; i++)
    if (!strcmp(name, notice_name(i)))
      return i;
  return -1;
}

const char *host_event_name(enum host_event event) {
  return event_table[FIRST_HOST_EVENT + (int)event].name;
}

#define X(id, name, text, advice) [id] = {name, text, advice},
const struct event_reason refusal_table[REFUSAL_COUNT] = {REFUSAL_TABLE(X)};
#undef X
#define X(id, name, text, advice) [id] = {#name, text, advice},
const struct event_reason denial_table[DENIAL_COUNT] = {DENIAL_TABLE(X)};
#undef X

const char *refusal_name(enum refusal r) {
  return (unsigned)r < REFUSAL_COUNT ? refusal_table[r].name : "unknown";
}

const char *refusal_help(enum refusal r) {
  return (unsigned)r < REFUSAL_COUNT ? refusal_table[r].meaning : "unknown";
}

const char *denial_name(enum denial d) {
  return (unsigned)d < DENIAL_COUNT ? denial_table[d].name : "unknown";
}

const char *denial_help(enum denial d) {
  return (unsigned)d < DENIAL_COUNT ? denial_table[d].meaning : "unknown";
}
