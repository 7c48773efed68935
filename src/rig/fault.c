#include "rig/fault.h"

#include <string.h>

static const struct {
  const char *name;
  enum fault_target target;
  const char *parameter[FAULT_PARAMETERS];
} kinds[] = {
#define X(id, text, target, first, second) {text, target, {first, second}},
    FAULT_TABLE(X)
#undef X
};

const char *fault_name(enum fault_kind k) { return (unsigned)k < FAULT_COUNT ? kinds[k].name : "unknown"; }

enum fault_target fault_target_of(enum fault_kind k) { return kinds[(unsigned)k < FAULT_COUNT ? k : 0].target; }

const char *fault_parameter(enum fault_kind k, int which) {
  return (unsigned)k < FAULT_COUNT && (unsigned)which < FAULT_PARAMETERS ? kinds[k].parameter[which] : "";
}

const struct fault_parameter_def *fault_parameter_def(enum fault_parameter_id id) {
  static const struct fault_parameter_def defs[] = {
#define X(id, name, low, high, fallback, help) {name, low, high, fallback, help},
      FAULT_PARAMETER_TABLE(X)
#undef X
  };
  return &defs[(unsigned)id < PARAMETER_COUNT ? id : 0];
}

int fault_parameter_find(const char *name) {
  for (int i = 0; i < PARAMETER_COUNT; i++)
    if (!strcmp(fault_parameter_def((enum fault_parameter_id)i)->name, name))
      return i;
  return -1;
}

enum fault_kind fault_by_name(const char *name) {
  int k = 0;
  while (k < FAULT_COUNT && strcmp(fault_name((enum fault_kind)k), name) != 0)
    k++;
  return (enum fault_kind)k;
}

const char *fault_target_name(enum fault_target t) {
  static const char *const names[] = {"instrument", "instrument", "thruster", "bus", "commands", "sensors"};
  return (unsigned)t < sizeof names / sizeof *names ? names[t] : "unknown";
}
