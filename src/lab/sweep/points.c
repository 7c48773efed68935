// Runs several points at a time, until all have ended or a signal comes.
#include "lab/sweep/sweep.h"

#include "lab/sweep/sweep_internal.h"
#include "os/cli/cli.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/signals/signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double STOP_GRACE_S = 20; // for points that are to end

struct pool {
  const struct plan *plan;
  const struct sweep_folder *folder;
  const int *points;
  int count, next;  // of the list
  const int *needs; // NULL: none
  int told;         // the point of the last line of skip_points
  int jobs, running;
  struct point_run *run; // jobs of them; without a simulator: free
  int done, failed;
  struct console console;
  uint64_t started_ns, stopped_ns; // 0: not stopped
  int tenth;                       // of the progress last printed
  enum status status;
  struct reason *why;
};

// Waits until a process has ended, a signal has come or some time has passed. Returns the signal.
static int wait_for_signal(long ms) {
  struct timespec limit = {ms / 1000, ms % 1000 * 1000000};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  int number = sigtimedwait(&set, NULL, &limit);
  return number == SIGCHLD || number < 0 ? 0 : number;
}

static void block_signals(void) {
  sigset_t set;
  os_block_stop_signals();
  os_lead_processes();
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
}

static void time_text(double seconds, char *out, size_t size) {
  if (seconds < 100)
    snprintf(out, size, "%.0f s", seconds);
  else if (seconds < 6000)
    snprintf(out, size, "%.0f min", seconds / 60);
  else
    snprintf(out, size, "%.1f h", seconds / 3600);
}

static void show_progress(struct pool *pool) {
  double elapsed_s = 1e-9 * (double)(os_now_ns() - pool->started_ns);
  char to_go[48] = "";
  int tenth = (int)(10.0 * pool->done / pool->count);
  if (pool->done > 0) {
    time_text(elapsed_s / pool->done * (pool->count - pool->done), to_go, sizeof to_go);
    strcat(to_go, " to go");
  }
  if (pool->console.terminal)
    console_status(&pool->console, "%d of %d points, %d not passed, %d running, %.1f points a minute%s%s",
                   pool->done, pool->count, pool->failed, pool->running, 60 * pool->done / elapsed_s,
                   *to_go ? ", " : "", to_go);
  else if (tenth > pool->tenth && pool->done < pool->count)
    console_line(&pool->console, "%d of %d points, %s", pool->done, pool->count, to_go);
  pool->tenth = tenth;
}

static void break_off(struct pool *pool, int number) {
  if (!pool->stopped_ns)
    pool->stopped_ns = os_now_ns();
  for (int i = 0; i < pool->jobs; i++)
    if (pool->run[i].simulator.id)
      point_run_signal(&pool->run[i], number);
}

// Passes over points whose need has ended without passing: they would fail as it did, each after the same
// time.
static void skip_points(struct pool *pool) {
  for (; pool->needs && pool->next < pool->count; pool->next++) {
    const int need = pool->needs[pool->points[pool->next]];
    struct point_record record;
    struct reason why;
    if (!need || point_record_read(pool->folder, need, &record, &why) != STATUS_OK)
      return;
    point_record_free(&record);
    if (record.outcome == POINT_MISSING || record.outcome == POINT_PASSED)
      return;
    if (need != pool->told)
      console_line(&pool->console,
                   "point %d has no result, and the points that are compared with it are not run", need);
    pool->told = need;
  }
}

static void start_points(struct pool *pool) {
  skip_points(pool);
  for (int i = 0; i < pool->jobs && pool->next < pool->count && !pool->stopped_ns; i++) {
    if (pool->run[i].simulator.id)
      continue;
    pool->status =
        point_run_start(&pool->run[i], pool->plan, pool->folder, pool->points[pool->next], pool->why);
    if (pool->status != STATUS_OK) {
      break_off(pool, SIGTERM);
      return;
    }
    pool->next++;
    pool->running++;
    skip_points(pool);
  }
}

static void finish_point(struct pool *pool, struct point_run *run, struct point_record *record) {
  struct reason why = {""};
  int number = run->point.number;
  pool->running--;
  enum status status = point_run_finish(run, record, &why);
  if (status != STATUS_OK && pool->status == STATUS_OK) {
    pool->status = status;
    *pool->why = why;
    break_off(pool, SIGTERM);
  }
  if (record->outcome == POINT_MISSING || status != STATUS_OK)
    return;
  pool->done++;
  pool->failed += record->outcome != POINT_PASSED;
  if (record->outcome != POINT_PASSED)
    console_line(&pool->console, "point %d %s: %s", number, point_outcome_word(record->outcome),
                 record->reason);
}

static void look_at_points(struct pool *pool) {
  for (int i = 0; i < pool->jobs; i++) {
    struct point_record record;
    if (pool->run[i].simulator.id && point_run_has_ended(&pool->run[i], &record))
      finish_point(pool, &pool->run[i], &record);
  }
}

static void take_signal(struct pool *pool, int number) {
  int is_late = pool->stopped_ns && 1e-9 * (double)(os_now_ns() - pool->stopped_ns) > STOP_GRACE_S;
  if (is_late || (number && pool->stopped_ns)) {
    break_off(pool, SIGKILL);
  } else if (number) {
    console_line(&pool->console, "stopping the %d that run; a second signal kills them", pool->running);
    break_off(pool, SIGTERM);
  }
}

enum status sweep_run_points(const struct plan *plan, const struct sweep_folder *folder, const int *points,
                             int count, const int *needs, int jobs, int *stopped, struct reason *why) {
  struct pool pool = {.plan = plan,
                      .folder = folder,
                      .points = points,
                      .count = count,
                      .needs = needs,
                      .jobs = jobs,
                      .why = why};
  pool.run = calloc((size_t)jobs, sizeof *pool.run);
  if (!pool.run)
    return fail(why, STATUS_NO_MEMORY, "out of memory for %d jobs", jobs);
  console_init(&pool.console);
  block_signals();
  pool.started_ns = os_now_ns();
  long patience_ms =
      plan->mode == RUN_LOCKSTEP ? 20 : 500; // the endpoint of a simulator comes without a signal

  start_points(&pool);
  while (pool.running > 0) {
    take_signal(&pool, wait_for_signal(patience_ms));
    look_at_points(&pool);
    if (pool.status == STATUS_OK)
      start_points(&pool);
    show_progress(&pool);
  }
  console_end(&pool.console);
  *stopped = pool.stopped_ns != 0;
  free(pool.run);
  return pool.status;
}
