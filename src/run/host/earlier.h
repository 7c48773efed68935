// What happened in the earlier sessions of the process, which a reset or restore ended: neither exit status
// nor summary nor status forgets it.
#pragma once

#include "run/session/verdicts.h"

#include <stdint.h>

struct pauses;
struct session;

enum { EARLIER_KEPT = 32 }; // sessions

struct earlier_session {
  char session[24], end[64], log[256]; // log empty: none
  uint64_t first_step, last_step;
  double wall_s, paused_s; // wall clock, pauses included; the pauses in it
  uint64_t deadline_misses, skipped_periods, dropped_frames, halts;
  double lag_s, worst_late_us;
  uint64_t page_faults, preemptions;   // of the step thread
  uint64_t log_missing;                // messages
  int log_complete, commands_missing;  // commands or orders are missing:
  uint64_t replayable_to_step;         // then
  unsigned char verdict[MAX_VERDICTS]; // enum verdict_end
};

struct earlier {                             // sums over all of them
  struct earlier_session kept[EARLIER_KEPT]; // the newest, number i at i modulo the size
  uint64_t count;
  uint64_t deadline_misses, skipped_periods, dropped_frames;
  double lag_s;
  uint64_t halts, halted_after; // periods at the newest
  uint64_t log_missing;         // messages missing in their logs
  uint64_t logs_incomplete;     // logs in which something is missing
  uint64_t parts_deleted;

  // Sessions with a reason of failure, and the first of them.
  struct earlier_failures {
    uint64_t sessions;
    char session[24], text[160];
  } verdicts, lost_time, unsolved, events, logs;
};

// The session whose steps have ended and whose log is closed.
void earlier_add(struct earlier *e, const struct session *session, const struct pauses *pauses,
                 const char *end_text);

// Adds to the outcome of the last session the reasons for which the run fails.
void earlier_judge(const struct earlier *e, struct session *session);

// Kept session i, from the oldest kept; NULL: there are not so many.
const struct earlier_session *earlier_session(const struct earlier *e, uint64_t i);

// On stdout: what happened in them.
void earlier_print(const struct earlier *e);
