#include "core/base/stages.h"

const char *sim_stage_name(int stage) {
  static const char *const names[] = {
#define X(name, text) text,
      STAGE_TABLE(X)
#undef X
  };
  return (unsigned)stage < STAGE_COUNT ? names[stage] : "unknown";
}
