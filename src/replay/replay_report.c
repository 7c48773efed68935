#include "cli/version.h"
#include "replay/replay_parts.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>

// What is compared in all; the session's record and its end have one hash each.
static uint64_t compared_hashes(const struct verify *v) {
  return v->compared[LOG_STATE_HASH] + v->compared[LOG_SESSION] + v->compared[LOG_END];
}

static void print_difference(const char *label, const struct difference *d, double step_s) {
  if (d->found)
    printf("%-20s step %" PRIu64 " (t = %.6g s), topic %s, field %s: logged %s, replayed %s\n", label,
           d->step, (double)d->step * step_s, log_topic_name(d->topic), d->field, d->logged, d->replayed);
}

static const char *result_name(const struct verify *v) {
  static const char *const names[] = {"equal", "different", "incomplete"};
  return names[replay_result(v)];
}

static void print_chain(const struct verify *v) {
  const struct log_check_report *c = &v->r->chain;
  char key[LOG_KEY_TEXT];
  log_key_text(&c->public_key, key);
  if (c->state == LOG_CHAIN_NONE)
    printf("%-20s none\n", "chain");
  else if (c->state == LOG_CHAIN_BROKEN)
    printf("%-20s broken: %s\n", "chain", c->broken.text);
  else
    printf("%-20s %s, %" PRIu64 " records\n", "chain", log_chain_state_name(c->state), c->records);
  if (v->not_by)
    printf("%-20s not as asked for: %s\n", "signed", v->not_by);
  else if (c->is_signed)
    printf("%-20s by %s%s\n", "signed", key,
           v->r->options->key_path ? ", as asked for" : "; compare it with a key that you trust (--key)");
  else
    printf("%-20s no: whoever can write the file could have made this chain\n", "signed");
}

static void print_result(const struct verify *v) {
  const struct replay *r = v->r;
  for (int i = 0; i < r->reason_count; i++)
    printf("%-20s %s\n", i ? "" : "not complete", r->reasons[i].text);
  if (!r->same_build)
    printf("%-20s %s, this is %s%s\n", "build of the log", r->record->build, program_build().text,
           v->first.found ? ": a difference may come from that" : "");
  if (replay_result(v) == REPLAY_INCOMPLETE)
    printf("%-20s incomplete: equal as far as it goes, to step %" PRIu64 "\n", "result", replay_step_now(v));
  else
    printf("%-20s %s\n", "result", result_name(v));
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
  print_difference("contradiction", &r->claim, step_s);
  print_difference("first difference", &v->first, step_s);
  if (v->telemetry.step != v->first.step || v->telemetry.topic != v->first.topic)
    print_difference("first in telemetry", &v->telemetry, step_s);
  if (v->agrees_again_at_step)
    printf("%-20s at step %" PRIu64 ": the log's value is wrong, not the replay\n", "equal again",
           v->agrees_again_at_step);
  print_chain(v);
  print_result(v);
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

static void add_chain(cJSON *root, const struct verify *v) {
  const struct log_check_report *c = &v->r->chain;
  cJSON *o = cJSON_AddObjectToObject(root, "chain");
  char key[LOG_KEY_TEXT];
  cJSON_AddStringToObject(o, "state", log_chain_state_name(c->state));
  cJSON_AddNumberToObject(o, "records", (double)c->records);
  cJSON_AddNumberToObject(o, "missing_records", (double)c->missing);
  if (c->state == LOG_CHAIN_BROKEN) {
    cJSON_AddStringToObject(o, "broken", c->broken.text);
    cJSON_AddStringToObject(o, "broken_topic", c->topic);
    cJSON_AddNumberToObject(o, "broken_time_s", 1e-9 * (double)c->time_ns);
  }
  log_key_text(&c->public_key, key);
  if (c->is_signed)
    cJSON_AddStringToObject(o, "signed_by", key);
  else
    cJSON_AddNullToObject(o, "signed_by");
  if (v->r->options->key_path)
    cJSON_AddBoolToObject(o, "signed_as_asked_for", !v->not_by);
  if (v->not_by)
    cJSON_AddStringToObject(o, "not_signed_because", v->not_by);
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
  cJSON_AddBoolToObject(root, "same_build", r->same_build);
  cJSON_AddBoolToObject(root, "complete", !r->reason_count);
  if (r->reason_count)
    cJSON_AddStringToObject(root, "incomplete_because", r->reasons[0].text);
  cJSON *reasons = cJSON_AddArrayToObject(root, "incomplete_reasons");
  for (int i = 0; i < r->reason_count; i++)
    cJSON_AddItemToArray(reasons, cJSON_CreateString(r->reasons[i].text));
  add_chain(root, v);
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
  cJSON_AddNumberToObject(compared, "event", (double)v->told.count);
  add_difference(root, "contradiction", &r->claim);
  add_difference(root, "first_difference", v->first.found ? &v->first : &r->claim);
  add_difference(root, "first_difference_in_telemetry", &v->telemetry);
  if (v->agrees_again_at_step)
    cJSON_AddNumberToObject(root, "agrees_again_at_step", (double)v->agrees_again_at_step);
  cJSON_AddStringToObject(root, "result", result_name(v));
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  puts(text ? text : "null");
  cJSON_free(text);
}
