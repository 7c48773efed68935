// Of a summary: simulated time against the wall clock, and the pauses.
#include "host/summary_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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
  summary_add_real_time(root, host);
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
