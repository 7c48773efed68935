#include "core/signals/readings.h"

const char *instrument_name(enum instrument i) {
  static const char *const names[] = {
#define X(name, text, channels, help) text,
      INSTRUMENT_TABLE(X)
#undef X
  };
  return (unsigned)i < INSTRUMENT_COUNT ? names[i] : "unknown";
}

static const int channel_counts[] = {
#define X(name, text, channels, help) channels,
    INSTRUMENT_TABLE(X)
#undef X
};

int instrument_channels(enum instrument i) {
  return (unsigned)i < INSTRUMENT_COUNT ? channel_counts[i] : 0;
}
