#include "core/signals/readings.h"

const char *instrument_name(enum instrument i) {
  static const char *const names[] = {
#define X(name, text, channels, help) text,
      INSTRUMENT_TABLE(X)
#undef X
  };
  return (unsigned)i < INSTRUMENT_COUNT ? names[i] : "unknown";
}

int instrument_channels(enum instrument i) {
  static const int counts[] = {
#define X(name, text, channels, help) channels,
      INSTRUMENT_TABLE(X)
#undef X
  };
  return (unsigned)i < INSTRUMENT_COUNT ? counts[i] : 0;
}
