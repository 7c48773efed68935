#include "sagbend/rig/denial.h"

static const char *const NAMES[] = {
#define X(name, text, help, advice) #text,
    DENIAL_TABLE(X)
#undef X
};
static const char *const HELPS[] = {
#define X(name, text, help, advice) help,
    DENIAL_TABLE(X)
#undef X
};

const char *denial_name(enum denial d) {
  return (unsigned)d < DENIAL_COUNT ? NAMES[d] : "unknown";
}

const char *denial_help(enum denial d) {
  return (unsigned)d < DENIAL_COUNT ? HELPS[d] : "unknown";
}
