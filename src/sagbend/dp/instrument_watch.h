// Supervision of single instruments by the DP controller: what a vote of three cannot see, because the
// instrument is the only one of its kind, or because two of them agree for the wrong reason. An instrument is
// judged by its own measurements only, so that a sound one never suffers from one that is wrong.
// docs/controller.md.
//
//   timing     the interval between two measurements and their age, against those of its first ones
//   rate       a value against the integral of its own rate: s' = -s / T + value' - rate
//   level      a value without a rate against its slow mean
//   copies     the same numbers as another one of its kind, or as that one's measurement before
//
// Limits are a number of standard deviations (navigation.sigma_limit) that the instrument shows in service.
// A variance follows squares that are cut off at three of them: a failure raises it only slowly.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/signals/readings.h"

// What is wrong with an instrument although it reports valid, new measurements; a later one hides those
// before.
#define INSTRUMENT_DOUBT_TABLE(X)                                                                            \
  X(DOUBT_NONE, "beyond doubt again")                                                                        \
  X(DOUBT_LATE, "late")                                                                                      \
  X(DOUBT_SPARSE, "short of measurements")                                                                   \
  X(DOUBT_DIFFERS, "different from the others")                                                              \
  X(DOUBT_COPY, "a copy")                                                                                    \
  X(DOUBT_RANGE, "out of its range")                                                                         \
  X(DOUBT_RATE, "not in agreement with its own rate")                                                        \
  X(DOUBT_LEVEL, "far from what it showed before")
enum instrument_doubt {
#define DOUBT(id, text) id,
  INSTRUMENT_DOUBT_TABLE(DOUBT)
#undef DOUBT
      DOUBT_COUNT
};
const char *instrument_doubt_name(enum instrument_doubt doubt) NONBLOCKING;

enum { WATCH_RATES = 2, WATCH_LEVELS = 2 };

// A quantity against its mean over minutes, as it comes and smoothed over ten seconds.
struct level {
  double seen_s; // for which it has been observed
  double mean, variance, smooth, smooth_variance;
};

struct instrument_watch {
  int32_t doubt;               // enum instrument_doubt
  int32_t copy_of;             // DOUBT_COPY: which one, an index
  int32_t count;               // measurements
  int32_t repeats;             // measurements in a row with the same main value
  int32_t changes[2], same[2]; // measurements with another main value and with the same, but for long
                               // repeats; while the tensioner holds the pipe [1] or not [0]
  int32_t twin_run;            // measurements in a row that were equal to those of the twin
  int32_t twin;
  uint32_t apart;                  // one bit for each instrument with which it has been seen to differ
  int32_t held, held_changes;      // measurements while the tensioner holds the pipe, and changes among them
  double main_changed_s;           // time of the last change of its main value
  double time_s;                   // of the newest measurement
  double before[READING_CHANNELS]; // values of the measurement before
  double period_s, age_s;          // of its first measurements
  double arrival_s;                // mean time between those of them that have arrived
  double missing;                  // measurements that are missing, less those that are allowed
  double doubt_s;                  // time when the doubt was last confirmed
  double rate_seen_s, rate_sum[WATCH_RATES], rate_variance[WATCH_RATES];
  struct level level[WATCH_LEVELS];
};

int instrument_watch_is_valid(const struct instrument_watch *watch, struct reason *why);

// How far a quantity is from its level.
struct level_departure {
  int jumps;  // the value itself is beyond the limit
  int shifts; // the smoothed one is
};

// Follows a quantity over h seconds. sigmas: of the limit, which is at least smallest. Nothing departs within
// the first LEVEL_WARM_S.
struct level_departure level_follow(struct level *level, double x, double h_s, double sigmas,
                                    double smallest) NONBLOCKING;
