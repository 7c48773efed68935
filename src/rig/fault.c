#include "rig/fault.h"

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
