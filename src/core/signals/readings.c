#include "core/signals/readings.h"

static const struct {
  const char *name;
  int channel_count;
} KINDS[INSTRUMENT_COUNT] = {
    [INSTRUMENT_GNSS] = {"gnss", 6},
    [INSTRUMENT_GYRO] = {"gyro", 2},
    [INSTRUMENT_MOTION] = {"motion", 5},
    [INSTRUMENT_WIND] = {"wind", 2},
    [INSTRUMENT_SPEED_LOG] = {"speed_log", 2},
    [INSTRUMENT_LOAD_CELL] = {"load_cell", 1},
    [INSTRUMENT_HANGOFF_ANGLE] = {"hangoff_angle", 2},
    [INSTRUMENT_TOUCHDOWN] = {"touchdown", 3},
    [INSTRUMENT_PAYOUT] = {"payout", 2},
    [INSTRUMENT_TENSIONER] = {"tensioner", 3},
    [INSTRUMENT_HYDROACOUSTIC] = {"hydroacoustic", 5},
    [INSTRUMENT_LBL] = {"lbl", 4},
    [INSTRUMENT_TAUT_WIRE] = {"taut_wire", 5},
    [INSTRUMENT_LASER] = {"laser", 5},
    [INSTRUMENT_RADAR] = {"radar", 5},
    [INSTRUMENT_ARTEMIS] = {"artemis", 2},
};

const char *instrument_name(enum instrument kind) {
  return (unsigned)kind < INSTRUMENT_COUNT ? KINDS[kind].name : "unknown";
}

int instrument_channel_count(enum instrument kind) {
  return (unsigned)kind < INSTRUMENT_COUNT ? KINDS[kind].channel_count : 0;
}

int instrument_is_slack(enum instrument kind, const double value[READING_CHANNELS]) {
  enum { SLACK = 4 };
  return kind == INSTRUMENT_TAUT_WIRE && value[SLACK] > 0.5;
}
