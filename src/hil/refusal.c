#include "hil/refusal.h"

const char *refusal_name(enum refusal r) {
  static const char *const names[] = {
#define X(name, text, help) text,
      REFUSAL_TABLE(X)
#undef X
  };
  return (unsigned)r < REFUSAL_COUNT ? names[r] : "unknown";
}

const char *refusal_help(enum refusal r) {
  static const char *const texts[] = {
#define X(name, text, help) help,
      REFUSAL_TABLE(X)
#undef X
  };
  return (unsigned)r < REFUSAL_COUNT ? texts[r] : "unknown";
}
