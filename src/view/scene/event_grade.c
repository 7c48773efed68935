#include "view/scene/event_grade.h"

#include <stddef.h>
#include <string.h>

// Names, or their ends (with '*').
static const char *const ERRORS[] = {
    "*_violated",           "*_failed",           "*_lost",       "halted",
    "not_finite",           "strain_limit",       "beyond_yield", "overload",
    "log_commands_missing", "tension_alternates", "large_angle",  "hangoff_outside",
    "large_strain",         "beyond_hydro",       "pipe_sinks",   "feed_full",
    "store_empty",          "fatigue_allowance"};
static const char *const WARNINGS[] = {
    "fault_began",        "faults_unseen",   "late_step",        "deadline_miss",
    "*_dropped",          "*_ignored",       "*_stalled",        "*_skipped",
    "*_limited",          "*_made_way",      "*refused",         "refused_*",
    "*_refused",          "controller_gone", "not_sent",         "denied*",
    "page_fault",         "*_not_deleted",   "lockstep_timeout", "waiting_for_answer",
    "verdict_lost",       "*_short",         "*_cut_off",        "step_divided",
    "newton_cap",         "large_bend",      "element_folded",   "damping_gained",
    "check_limit",        "laid_slip",       "flooded",          "contact_unresolved",
    "buckle_propagation", "*_weak",          "soil_broke_out",   "*_units",
    "*_feedback",         "command_frame",   "command_limits",   "never_commanded"};

static int fits(const char *name, const char *pattern) {
  size_t length = strlen(name), part = strlen(pattern);
  if (*pattern == '*')
    return length >= part - 1 && !strcmp(name + length - (part - 1), pattern + 1);
  if (part && pattern[part - 1] == '*')
    return !strncmp(name, pattern, part - 1);
  return !strcmp(name, pattern);
}

enum event_grade event_grade_of(const char *name) {
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
    if (fits(name, ERRORS[i]))
      return GRADE_ERROR;
  for (size_t i = 0; i < sizeof WARNINGS / sizeof *WARNINGS; i++)
    if (fits(name, WARNINGS[i]))
      return GRADE_WARNING;
  return GRADE_INFORMATION;
}
