// Of a summary: simulated time against the wall clock, pauses and waits; latencies; what the system did to
// the step thread.
#include "run/host/summary_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void add_late_step(cJSON *o, const struct late_step *late) {
  summary_number(o, "step", (double)late->step);
  summary_number(o, "time_s", late->time_s);
  summary_number(o, "late_us", late->late_us);
  summary_text(o, "cause", step_stage_name((int)late_step_cause(late)));
  cJSON *stages = cJSON_AddObjectToObject(o, "stages_us");
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    summary_number(stages, step_stage_name(i), late->stage_us[i]);
}

static void add_real_time(cJSON *root, const struct host *host) {
  const struct real_time *t = &host->session->last.timing.real_time;
  if (host->setup.config.run.mode != RUN_REALTIME)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "real_time");
  summary_number(o, "minor_page_faults", (double)t->minor_faults);
  summary_number(o, "major_page_faults", (double)t->major_faults);
  summary_number(o, "waits", (double)t->waits);
  summary_number(o, "preemptions", (double)t->preemptions);
  summary_text(o, "overrun", host->setup.config.run.overrun == OVERRUN_HALT ? "halt" : "count");
  summary_number(o, "halts", (double)host_halts(host));
  summary_number(o, "late_steps", (double)host->session->late.count);
  if (host->session->late.count)
    add_late_step(cJSON_AddObjectToObject(o, "worst_late_step"), &host->session->late.worst);
  cJSON *newest = cJSON_AddArrayToObject(o, "newest_late_steps");
  const struct late_step *late;
  for (uint64_t i = 0; (late = late_steps_newest(&host->session->late, i)); i++)
    add_late_step(summary_item(newest), late);
}

void summary_add_times(cJSON *root, const struct host *host) {
  const struct timing *t = &host->session->last.timing;
  const struct session_pace pace = session_pace(host->session, &host->pauses, host->session->end_ns);
  double running_s = pace.wall_s - pace.paused_s;
  summary_number(root, "steps", (double)host->session->last.output.step);
  summary_number(root, "sim_time_s", host->session->last.output.time_s);
  summary_number(root, "first_step", (double)host->session->first_step);
  summary_number(root, "wall_time_s", pace.wall_s);
  summary_number(root, "real_time_factor", running_s > 0 ? pace.simulated_s / running_s : (double)NAN);
  summary_number(root, "deadline_misses", (double)t->deadline_misses);
  summary_number(root, "skipped_periods", (double)t->skipped_periods);
  summary_number(root, "lag_s", t->lag_s);
  summary_number(root, "dropped_frames", (double)t->dropped_frames);
  cJSON *realtime = cJSON_AddObjectToObject(root, "realtime");
  cJSON_AddBoolToObject(realtime, "fifo", host->privileges.fifo);
  cJSON_AddBoolToObject(realtime, "serving_fifo", host->privileges.serving_fifo);
  cJSON_AddBoolToObject(realtime, "mlock", host->privileges.locked);
  cJSON_AddBoolToObject(realtime, "cpus_awake", host->privileges.cpus_awake);
  add_real_time(root, host);
}

void summary_print_times(const struct host *host) {
  const struct session_pace pace = session_pace(host->session, &host->pauses, host->session->end_ns);
  printf("%-20s %.3f s in %.3f s", "simulated", pace.simulated_s, pace.wall_s);
  if (pace.paused_s > 0)
    printf(" (%.3f s of them paused)", pace.paused_s);
  printf(", %" PRIu64 " steps", pace.steps);
  if (host->session->first_step)
    printf(" from step %" PRIu64 " to %" PRIu64, host->session->first_step, host->session->last.output.step);
  putchar('\n');
}

void summary_add_pauses(cJSON *root, const struct host *host) {
  const struct pauses *p = &host->pauses;
  cJSON *pauses = cJSON_AddObjectToObject(root, "pauses");
  summary_number(pauses, "count", (double)p->count);
  summary_number(pauses, "wall_s", 1e-9 * (double)pauses_ns(p, host->session->end_ns));
  cJSON *list = cJSON_AddArrayToObject(pauses, "first");
  for (uint64_t i = 0; i < p->count && i < PAUSES_KEPT; i++) {
    const struct pause *pause = &p->kept[i];
    cJSON *item = cJSON_CreateObject();
    summary_number(item, "step", (double)pause->step);
    summary_number(item, "time_s", pause->time_s);
    summary_number(item, "wall_s", pause_s(pause, host->session->end_ns));
    cJSON_AddBoolToObject(item, "halted", pause->halted);
    summary_text(item, "why", pause->why);
    summary_text(item, "operator", pause->operator_name);
    cJSON_AddItemToArray(list, item);
  }
}

void summary_add_waits(cJSON *root, const struct host *host) {
  const struct lockstep_waits *w = &host->waits;
  if (host->setup.config.run.mode != RUN_LOCKSTEP)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "lockstep");
  summary_number(o, "answers", (double)w->answers);
  summary_number(o, "long_waits", (double)w->long_waits);
  summary_number(o, "waited_s", w->total_s);
  summary_number(o, "longest_wait_s", w->longest_s);
  summary_number(o, "longest_wait_step", (double)w->longest_step);
}

// ---- Latencies ----

// Null without a measurement.
static cJSON *add_percentiles(cJSON *to, const char *name, const struct latency *t) {
  cJSON *o = cJSON_AddObjectToObject(to, name);
  double none = t->count ? 0 : (double)NAN;
  summary_number(o, "p50", t->p50_us + none);
  summary_number(o, "p99", t->p99_us + none);
  summary_number(o, "p999", t->p999_us + none);
  summary_number(o, "max", t->max_us + none);
  return o;
}

static void add_bucket(void *array, struct histogram_bucket bucket) {
  const double pair[] = {1e-3 * (double)bucket.upper_ns, (double)bucket.count};
  cJSON_AddItemToArray(array, cJSON_CreateDoubleArray(pair, 2));
}

// histogram_us: for each bucket that is not empty its upper end and its count.
static void add_histogram(cJSON *to, const char *name, const struct histogram *h) {
  struct latency t;
  times_fill_latency(h, &t);
  cJSON *o = add_percentiles(to, name, &t);
  summary_number(o, "count", (double)t.count);
  histogram_visit(h, add_bucket, cJSON_AddArrayToObject(o, "histogram_us"));
}

void summary_add_latency(cJSON *root, const struct host *host) {
  struct latency step, wakeup;
  times_fill_latency(&host->session->times.step_ns, &step);
  times_fill_latency(&host->session->times.wakeup_ns, &wakeup);
  add_percentiles(root, "step_us", &step);
  add_percentiles(root, "wakeup_us", &wakeup);
  cJSON *o = cJSON_AddObjectToObject(root, "latency");
  add_histogram(o, "step_us", &host->session->times.step_ns);
  add_histogram(o, "wakeup_us", &host->session->times.wakeup_ns);
  add_histogram(o, "step_end_to_sensors_sent_us", &host->session->sent_ns);
  add_histogram(o, "command_received_to_latched_us", &host->session->times.latched_ns);
}

static void print_latency(const char *name, const struct histogram *h) {
  struct latency t;
  times_fill_latency(h, &t);
  if (t.count)
    printf("%-20s p50 %.0f  p99 %.0f  p99.9 %.0f  max %.0f us\n", name, t.p50_us, t.p99_us, t.p999_us,
           t.max_us);
}

void summary_print_latency(const struct host *host) {
  print_latency("step time", &host->session->times.step_ns);
  print_latency("wake-up latency", &host->session->times.wakeup_ns);
  print_latency("Sensors sent", &host->session->sent_ns);
  print_latency("commands latched", &host->session->times.latched_ns);
}

// ---- The step thread ----

void summary_print_real_time(const struct host *host) {
  const struct real_time *t = &host->session->last.timing.real_time;
  const struct late_step *worst = &host->session->late.worst;
  if (host->setup.config.run.mode != RUN_REALTIME)
    return;
  printf("%-20s %" PRIu64 " page faults (%" PRIu64 " from the disk), %" PRIu64 " preemptions\n",
         "step thread", t->minor_faults + t->major_faults, t->major_faults, t->preemptions);
  if (host->session->late.count)
    printf("%-20s step %" PRIu64 ", %.0f us after its deadline, most of it in %s\n", "worst late step",
           worst->step, worst->late_us, step_stage_name((int)late_step_cause(worst)));
  if (host_halts(host))
    printf("%-20s %" PRIu64 " times, the last after %" PRIu64 " periods without a step on time\n", "halted",
           host_halts(host), t->halts ? t->halted_after : host->earlier.halted_after);
}
