// What `sagbend ctl watch` shows: the newest state of a session from its telemetry and from the answers to
// status orders, and its page of text. No sockets, no terminal, no clock: the caller passes the time.
#pragma once

#include "io/codec/codec.h"

enum { WATCH_EVENTS = 12, WATCH_PACES = 32, WATCH_VERDICTS = 3, WATCH_TEXT = 160, WATCH_MAX_PAGE = 1 << 16 };

struct watch_thruster {
  char name[SIGNAL_NAME];
  int running, ready;
  double thrust_n, azimuth_rad, power_w;
};

struct watch_event {
  double time_s;
  char name[64], text[WATCH_TEXT];
};

struct watch_verdict {
  char name[64];
  const char *state; // in words
  int has_value;
  double value, margin; // in the verdict's unit; margin positive within
};

struct watch_model {
  const char *endpoint;    // of the telemetry, for people
  char session[WIRE_NAME]; // "": nothing has come yet
  uint64_t sessions;       // seen so far
  int64_t heard_ms;        // newest telemetry, and
  int64_t answered_ms;     // newest answer; below 0: none yet
  uint64_t lost;           // messages that did not arrive
  uint64_t not_read;       // messages that cannot be read
  uint64_t sequence[8];    // newest of each topic

  uint64_t step;
  double time_s;
  int pace_count; // newest pairs of simulated time and wall clock, from which the rate follows
  struct {
    double time_s;
    int64_t at_ms;
  } pace[WATCH_PACES];

  int has_truth;
  double position_m[3], heading_rad;
  double speed_mps; // over ground
  int has_pull;
  double pull_n; // force of the pipe on the vessel
  int has_weather;
  double wind_mps, wind_rad, current_mps;
  int thruster_count;
  struct watch_thruster thruster[MAX_THRUSTERS];
  double largest_thrust_n; // of any thruster so far

  int has_pipe, has_touchdown, command_state;
  double tension_n, angle_rad, touchdown_m[3], layback_m;
  double power_used_w, power_available_w;

  int has_timing;
  uint64_t late_steps, lost_periods, commands_accepted, commands_refused;
  double lag_s, step_p99_us, wakeup_p99_us;

  int verdict_count, passing_count; // passing if the session ended now
  int failing_count;                // of those below: the first that do not pass
  struct watch_verdict failing[WATCH_VERDICTS];

  int event_count; // newest last
  struct watch_event event[WATCH_EVENTS];
  char why_ended[WATCH_TEXT]; // "": it runs

  struct wire_receipt status; // newest answer
};

void watch_init(struct watch_model *model, const char *endpoint);

// A message of the telemetry. What cannot be read is counted. A message of another session begins with an
// empty model.
void watch_take_telemetry(struct watch_model *model, int64_t now_ms, const char *topic, const void *data,
                          size_t size);
void watch_take_receipt(struct watch_model *model, int64_t now_ms, const struct wire_receipt *receipt);

// Seconds since anything was heard; below 0: nothing was yet.
double watch_silent_s(const struct watch_model *model, int64_t now_ms);

// The page: at most rows lines of at most columns characters of printable ASCII, each with a line feed. out
// has WATCH_MAX_PAGE bytes.
void watch_page(const struct watch_model *model, int64_t now_ms, int columns, int rows, char *out);

// The state in one line, without a line feed.
void watch_line(const struct watch_model *model, int64_t now_ms, char *out, size_t size);
