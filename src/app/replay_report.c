#include "replay_parts.h"
#include "version.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>

// What is compared in all; the session's record has one hash of its own.
static uint64_t compared_hashes(const struct verify *v) {
  return v->compared[LOG_STATE_HASH] + v->compared[LOG_SESSION];
}

static void print_difference(const char *label, const struct difference *d, double step_s) {
  if (d->found)
    printf("%-20s step %" PRIu64 " (t = %.6g s), topic %s, field %s: logged %s, replayed %s\n", label,
           d->step, (double)d->step * step_s, log_topic_name(d->topic), d->field, d->logged, d->replayed);
}

void replay_report_table(const struct verify *v, double wall_s) {
  const struct replay *r = v->r;
  double step_s = r->session.config.sim.step_s;
  uint64_t steps = replay_step_now(v) - r->record->first_step;
  printf("%-20s %s of %s, started %s\n", "session", r->record->session, r->record->name,
         r->record->started_at);
  printf("%-20s %" PRIu64 " steps, %.3f s, in %.3f s: %.1f times real time\n", "replayed", steps,
         (double)steps * step_s, wall_s, (double)steps * step_s / wall_s);
  printf("%-20s %zu commands used; %" PRIu64 " state hashes, %" PRIu64 " sensors, %" PRIu64 " truth, %" PRIu64
         " ledger, %" PRIu64 " nodes\n",
         "compared", r->command_count, compared_hashes(v), v->compared[LOG_SENSORS], v->compared[LOG_TRUTH],
         v->compared[LOG_LEDGER], v->compared[LOG_NODES]);
  if (*r->cut.text)
    printf("%-20s no: %s\n", "complete", r->cut.text);
  print_difference("first difference", &v->first, step_s);
  if (v->telemetry.step != v->first.step || v->telemetry.topic != v->first.topic)
    print_difference("first in telemetry", &v->telemetry, step_s);
  if (v->agrees_again_at_step)
    printf("%-20s at step %" PRIu64 ": the log's value is wrong, not the replay\n", "equal again",
           v->agrees_again_at_step);
  printf("%-20s %s\n", "result", v->first.found ? "different" : "equal");
}

static void add_difference(cJSON *root, const char *name, const struct difference *d) {
  if (!d->found) {
    cJSON_AddNullToObject(root, name);
    return;
  }
  cJSON *o = cJSON_AddObjectToObject(root, name);
  cJSON_AddNumberToObject(o, "step", (double)d->step);
  cJSON_AddStringToObject(o, "topic", log_topic_name(d->topic));
  cJSON_AddStringToObject(o, "field", d->field);
  cJSON_AddStringToObject(o, "logged", d->logged);
  cJSON_AddStringToObject(o, "replayed", d->replayed);
}

void replay_report_json(const struct verify *v, double wall_s) {
  const struct replay *r = v->r;
  uint64_t steps = replay_step_now(v) - r->record->first_step;
  double time_s = (double)steps * r->session.config.sim.step_s;
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "log", r->path);
  cJSON_AddStringToObject(root, "session", r->record->session);
  cJSON_AddStringToObject(root, "name", r->record->name);
  cJSON_AddStringToObject(root, "build_of_log", r->record->build);
  cJSON_AddStringToObject(root, "build", program_build().text);
  cJSON_AddBoolToObject(root, "complete", !*r->cut.text);
  if (*r->cut.text)
    cJSON_AddStringToObject(root, "incomplete_because", r->cut.text);
  cJSON_AddNumberToObject(root, "first_step", (double)r->record->first_step);
  cJSON_AddNumberToObject(root, "last_step", (double)replay_step_now(v));
  cJSON_AddNumberToObject(root, "sim_time_s", time_s);
  cJSON_AddNumberToObject(root, "wall_time_s", wall_s);
  cJSON_AddNumberToObject(root, "real_time_factor", time_s / wall_s);
  cJSON_AddNumberToObject(root, "commands_used", (double)r->command_count);
  cJSON *compared = cJSON_AddObjectToObject(root, "compared");
  cJSON_AddNumberToObject(compared, "state_hash", (double)compared_hashes(v));
  for (int t = LOG_SENSORS; t <= LOG_LEDGER; t++)
    cJSON_AddNumberToObject(compared, log_topic_name((enum log_topic)t) + 1, (double)v->compared[t]);
  cJSON_AddNumberToObject(root, "not_compared_out_of_order", (double)v->late);
  add_difference(root, "first_difference", &v->first);
  add_difference(root, "first_difference_in_telemetry", &v->telemetry);
  if (v->agrees_again_at_step)
    cJSON_AddNumberToObject(root, "agrees_again_at_step", (double)v->agrees_again_at_step);
  cJSON_AddStringToObject(root, "result", v->first.found ? "different" : "equal");
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  puts(text ? text : "null");
  cJSON_free(text);
}
