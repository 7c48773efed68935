// The session's log beside the step. The thread that steps only copies into a ring of memory; a thread of the
// logger's own packs, compresses, writes and syncs. In real time a full or slow disk never delays a step: the
// ring fills, and whole messages are left out, the least important topics first (LOG_TOPIC_TABLE). In the
// other modes the step waits for room instead.
#pragma once

#include "core/base/nonblocking.h"
#include "hil/closed_loop.h"

#include "io/log/session_log.h"
#include "rt/os.h"

struct logger;

// Creates the file and starts the thread. The caller's config in session must outlive the logger. -1 after a
// line on stderr.
int logger_open(const char *path, const struct log_session *session, struct logger **out);

// A name in folder made of start time and session, as "20260131T120000Z-0123456789abcdef.mcap". -1: no
// memory.
char *logger_name(const char *folder, const char *session_id);

// From the thread that steps; NULL: no log. After each step, and once before the first: what is due of the
// state, with the command that the step used. Superseded: a command that came and was never used.
void logger_step(struct logger *l, const struct closed_loop *s) NONBLOCKING;
// After the step, when the thread has time: what the next logger_step will write to is brought near.
void logger_prefetch(const struct logger *l) NONBLOCKING;
void logger_superseded(struct logger *l, uint64_t step, double time_s, const struct command *c) NONBLOCKING;

// An order that the next step will heed, from the thread that steps.
void logger_order(struct logger *l, uint64_t step, double time_s, const struct order *o) NONBLOCKING;

// Where the step may wait: until there is room for all topics. -1: the disk takes nothing more; see
// logger_news.
int logger_wait_for_room(struct logger *l);

// From the main thread.
void logger_event(struct logger *l, uint64_t step, double time_s, const char *name, const char *text);
void logger_counts(struct logger *l, const struct command_counts *counts); // the newest, for the topic timing

struct logger_news {
  int stalled;           // the disk takes nothing at present, for this reason:
  struct reason trouble; // the newest, empty if there never was any
  uint64_t dropped[LOG_TOPIC_COUNT];
  int commands_missing; // some did not reach the log:
  uint64_t replayable_to_step;
  struct mcap_written written;
  int incomplete; // the file could not be closed in order, for the reason above
};
struct logger_news logger_news(struct logger *l);
int logger_is_whole(const struct logger_news *news); // nothing was left out

// Writes what is there, ends and closes the file. Not after it: anything but logger_news, logger_path,
// logger_free.
void logger_finish(struct logger *l, const struct closed_loop *s, const char *why);
const char *logger_path(const struct logger *l);
void logger_free(struct logger *l); // finishes first if that was not done
