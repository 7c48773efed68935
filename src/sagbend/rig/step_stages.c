#include "sagbend/rig/step_stages.h"

static const char *const NAMES[] = {
#define X(name, text, meaning) text,
    STEP_STAGE_TABLE(X)
#undef X
};

const char *step_stage_name(int stage) {
  return stage >= 0 && stage < STEP_STAGE_COUNT ? NAMES[stage] : "unknown";
}

enum step_stage late_step_cause(const struct late_step *late) {
  int cause = 0;
  for (int i = 1; i < STEP_STAGE_COUNT; i++)
    cause = late->stage_us[i] > late->stage_us[cause] ? i : cause;
  return (enum step_stage)cause;
}
