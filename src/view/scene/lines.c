// /log: events with their levels. An event of an unknown name is information.
#include "view/scene/scene_parts.h"
#include "view/scene/time_of.h"

#include "foxglove/log.pb-c.h"

#include <stdio.h>
#include <string.h>

// Names, or their ends (with '*').
static const char *const ERRORS[] = {
    "*_violated",           "*_failed",           "*_lost",       "halted",
    "not_finite",           "strain_limit",       "beyond_yield", "overload",
    "log_commands_missing", "tension_alternates", "large_angle",  "hangoff_outside",
    "large_strain",         "beyond_hydro",       "pipe_sinks"};
static const char *const WARNINGS[] = {
    "fault_began",      "faults_unseen",      "late_step",      "deadline_miss",
    "*_dropped",        "*_ignored",          "*_stalled",      "*_skipped",
    "lockstep_timeout", "waiting_for_answer", "*_limited",      "*_made_way",
    "controller_gone",  "not_sent",           "*_not_deleted",  "*refused",
    "refused_*",        "*_refused",          "denied*",        "page_fault",
    "*_short",          "*_cut_off",          "step_divided",   "newton_cap",
    "large_bend",       "contact_unresolved", "damping_gained", "verdict_lost",
    "check_limit",      "feed_full",          "store_empty",    "laid_slip",
    "flooded",          "buckle_propagation"};

static int fits(const char *name, const char *pattern) {
  size_t length = strlen(name), part = strlen(pattern);
  if (*pattern == '*')
    return length >= part - 1 && !strcmp(name + length - (part - 1), pattern + 1);
  if (part && pattern[part - 1] == '*')
    return !strncmp(name, pattern, part - 1);
  return !strcmp(name, pattern);
}

static Foxglove__Log__Level level_of(const char *name) {
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
    if (fits(name, ERRORS[i]))
      return FOXGLOVE__LOG__LEVEL__ERROR;
  for (size_t i = 0; i < sizeof WARNINGS / sizeof *WARNINGS; i++)
    if (fits(name, WARNINGS[i]))
      return FOXGLOVE__LOG__LEVEL__WARNING;
  return FOXGLOVE__LOG__LEVEL__INFO;
}

void scene_send_line(const struct scene_out *out, const char *name, const char *text) {
  Google__Protobuf__Timestamp time = scene_time(out->time_ns);
  Foxglove__Log line = FOXGLOVE__LOG__INIT;
  char message[2 * WIRE_MAX_TEXT + 4], writer[] = "sagbend";
  snprintf(message, sizeof message, "%s%s%s", name, *text ? ": " : "", text);
  line.timestamp = &time;
  line.level = level_of(name);
  line.message = message;
  line.name = writer;
  scene_send(out, SCENE_LOG, &line.base);
}
