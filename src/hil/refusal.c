#include "hil/refusal.h"

const char *refusal_name(enum refusal r) {
  static const char *const names[] = {
#define X(name, text, help) text,
      REFUSAL_TABLE(X)
#undef X
  };
  return (unsigned)r < REFUSAL_COUNT ? names[r] : "unknown";
}

const char *nmea_refusal_name(enum nmea_refusal r) {
  static const char *const names[] = {
#define X(name, text, help) text,
      NMEA_REFUSAL_TABLE(X)
#undef X
  };
  return (unsigned)r < NMEA_REFUSAL_COUNT ? names[r] : "unknown";
}

const char *nmea_refusal_help(enum nmea_refusal r) {
  static const char *const texts[] = {
#define X(name, text, help) help,
      NMEA_REFUSAL_TABLE(X)
#undef X
  };
  return (unsigned)r < NMEA_REFUSAL_COUNT ? texts[r] : "unknown";
}

const char *refusal_help(enum refusal r) {
  static const char *const texts[] = {
#define X(name, text, help) help,
      REFUSAL_TABLE(X)
#undef X
  };
  return (unsigned)r < REFUSAL_COUNT ? texts[r] : "unknown";
}
