#include "host/summary_parts.h"

#include <inttypes.h>
#include <stdio.h>

static cJSON *late_step(const struct late_step *late) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddNumberToObject(o, "step", (double)late->step);
  cJSON_AddNumberToObject(o, "time_s", late->time_s);
  cJSON_AddNumberToObject(o, "late_us", late->late_us);
  cJSON_AddStringToObject(o, "cause", step_stage_name((int)late_step_cause(late)));
  cJSON *stages = cJSON_AddObjectToObject(o, "stages_us");
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    cJSON_AddNumberToObject(stages, step_stage_name(i), late->stage_us[i]);
  return o;
}

void summary_add_real_time(cJSON *root, const struct host *host) {
  const struct real_time *t = &host->session->last.timing.real_time;
  if (host->setup.config.run.mode != RUN_REALTIME)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "real_time");
  cJSON_AddNumberToObject(o, "minor_page_faults", (double)t->minor_faults);
  cJSON_AddNumberToObject(o, "major_page_faults", (double)t->major_faults);
  cJSON_AddNumberToObject(o, "waits", (double)t->waits);
  cJSON_AddNumberToObject(o, "preemptions", (double)t->preemptions);
  cJSON_AddStringToObject(o, "overrun", host->setup.config.run.overrun == OVERRUN_HALT ? "halt" : "count");
  cJSON_AddNumberToObject(o, "halts", (double)host_halts(host));
  cJSON_AddNumberToObject(o, "late_steps", (double)host->session->late.count);
  if (host->session->late.count)
    cJSON_AddItemToObject(o, "worst_late_step", late_step(&host->session->late.worst));
  cJSON *newest = cJSON_AddArrayToObject(o, "newest_late_steps");
  const struct late_step *late;
  for (uint64_t i = 0; (late = late_steps_newest(&host->session->late, i)); i++)
    cJSON_AddItemToArray(newest, late_step(late));
}

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
