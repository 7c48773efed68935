// What `sagbend ctl watch` shows: the newest messages of a session's telemetry and the newest answer to a
// status order, and their page of text. No sockets, no terminal, no clock: the caller passes the time.
#pragma once

#include "net/messages/messages.h"

#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

enum { WATCH_EVENTS = 12, WATCH_PACES = 32, WATCH_VERDICTS = 3, WATCH_TEXT = 160, WATCH_MAX_PAGE = 1 << 16 };

struct watch_event {
  double time_s;
  char name[64], text[WATCH_TEXT];
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

  // The newest of each kind, released by watch_end; NULL: none of this session yet.
  Sagbend__V1__Sensors *sensors;
  Sagbend__V1__Truth *truth;
  Sagbend__V1__Timing *timing;
  Sagbend__V1__Status *judged;  // of the topic, with verdicts
  Sagbend__V1__Receipt *answer; // with a Status, or without one from a simulator that knows no status order
  double largest_thrust_n;      // of any thruster so far

  int event_count; // newest last
  struct watch_event event[WATCH_EVENTS];
  char why_ended[WATCH_TEXT]; // "": it runs
};

// The page: at most rows lines of at most columns characters of printable ASCII, each with a line feed. out
// has WATCH_MAX_PAGE bytes.
void watch_page(const struct watch_model *model, int64_t now_ms, int columns, int rows, char *out);

// The state in one line, without a line feed.
void watch_line(const struct watch_model *model, int64_t now_ms, char *out, size_t size);
