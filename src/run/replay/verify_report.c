// The report of replay --verify: as a table, as JSON.
#include "os/cli/cli.h"

#include "os/files/files.h"
#include "run/replay/replay_internal.h"
#include "sagbend/base/base.h"

#include <inttypes.h>
#include <stdio.h>

enum { LABEL_COLUMNS = 21 };

enum replay_result verify_result(const struct verify *verify) {
  const struct replay *replay = verify->replay;
  if (verify->first.found || replay->contradiction.found || replay->chain.state == LOG_CHAIN_BROKEN ||
      verify->not_signed_because)
    return REPLAY_DIFFERENT;
  return replay->gap_count ? REPLAY_INCOMPLETE : REPLAY_EQUAL;
}

// What is compared in all; the session's record and its end have one hash each.
static uint64_t compared_hashes(const struct verify *verify) {
  return verify->compared[LOG_STATE_HASH] + verify->compared[LOG_SESSION] + verify->compared[LOG_END];
}

static void print_difference(const char *label, const struct difference *d, double step_s) {
  if (d->found)
    print_labelled(LABEL_COLUMNS, label,
                   "step %" PRIu64 " (t = %.6g s), topic %s, field %s: logged %s, replayed %s", d->step,
                   (double)d->step * step_s, log_topic_name(d->topic), shown(d->field).text,
                   shown(d->logged).text, shown(d->replayed).text);
}

static const char *result_name(const struct verify *verify) {
  static const char *const names[] = {"equal", "different", "incomplete"};
  return names[verify_result(verify)];
}

static void print_chain(const struct verify *verify) {
  const struct log_check_report *c = &verify->replay->chain;
  char key[LOG_KEY_TEXT];
  log_key_text(&c->public_key, key);
  if (c->state == LOG_CHAIN_NONE)
    print_labelled(LABEL_COLUMNS, "chain", "none");
  else if (c->state == LOG_CHAIN_BROKEN)
    print_labelled(LABEL_COLUMNS, "chain", "broken: %s", c->broken.text);
  else
    print_labelled(LABEL_COLUMNS, "chain", "%s, %" PRIu64 " records", log_chain_state_name(c->state),
                   c->records);
  if (verify->not_signed_because)
    print_labelled(LABEL_COLUMNS, "signed", "not as asked for: %s", verify->not_signed_because);
  else if (c->is_signed)
    print_labelled(LABEL_COLUMNS, "signed", "by %s%s", key,
                   verify->replay->options->key_path ? ", as asked for"
                                                     : "; compare it with a key that you trust (--key)");
  else
    print_labelled(LABEL_COLUMNS, "signed", "no: whoever can write the file could have made this chain");
}

static void print_result(const struct verify *verify) {
  const struct replay *replay = verify->replay;
  if (verify->undeclared_count)
    print_labelled(LABEL_COLUMNS, "not compared",
                   "%" PRIu64 " values of fields that the schema of the log lacks, the first at step %" PRIu64
                   ": topic %s, field %s",
                   verify->undeclared_count, verify->undeclared.step,
                   log_topic_name(verify->undeclared.topic), shown(verify->undeclared.field).text);
  for (int i = 0; i < replay->gap_count; i++)
    print_labelled(LABEL_COLUMNS, i ? "" : "not complete", "%s", replay->gaps[i].text);
  if (!replay->same_build)
    print_labelled(LABEL_COLUMNS, "build of the log", "%s, this is %s%s", shown(replay->record->build).text,
                   program_build().text, verify->first.found ? ": a difference may come from that" : "");
  if (verify_result(verify) == REPLAY_INCOMPLETE)
    print_labelled(LABEL_COLUMNS, "result", "incomplete: equal as far as it goes, to step %" PRIu64,
                   verify_step(verify));
  else
    print_labelled(LABEL_COLUMNS, "result", "%s", result_name(verify));
}

static void print_part(const struct replay *replay) {
  const Sagbend__V1__LogPart *part = replay->record->part;
  const Sagbend__V1__Origin *origin = replay->record->origin;
  if (part) {
    char before[1100] = "", next[1100] = "";
    if (part->number > 1)
      snprintf(before, sizeof before, "; the part before it is %s", shown(part->before).text);
    if (replay->end && *replay->end->continued_in)
      snprintf(next, sizeof next, "; continued in %s", shown(replay->end->continued_in).text);
    print_labelled(LABEL_COLUMNS, "part", "%u, from step %" PRIu64 "%s%s", part->number,
                   replay->record->first_step, before, next);
  }
  if (origin)
    print_labelled(LABEL_COLUMNS, "origin", "%s of session %s at step %" PRIu64, shown(origin->how).text,
                   shown(origin->session).text, origin->step);
  if (replay->end && *replay->end->next_session)
    print_labelled(LABEL_COLUMNS, "next session", "%s", shown(replay->end->next_session).text);
}

void verify_report_table(const struct verify *verify, double wall_s) {
  const struct replay *replay = verify->replay;
  double step_s = replay->setup.config.sim.step_s;
  uint64_t steps = verify_step(verify) - replay->record->first_step;
  print_labelled(LABEL_COLUMNS, "session", "%s of %s, started %s", shown(replay->record->session).text,
                 shown(replay->record->name).text, shown(replay->record->started_at).text);
  print_part(replay);
  print_labelled(LABEL_COLUMNS, "replayed", "%" PRIu64 " steps, %.3f s, in %.3f s: %.1f times real time",
                 steps, (double)steps * step_s, wall_s, (double)steps * step_s / wall_s);
  print_labelled(LABEL_COLUMNS, "compared",
                 "%zu commands used; %" PRIu64 " state hashes, %" PRIu64 " sensors, %" PRIu64
                 " truth, %" PRIu64 " ledger, %" PRIu64 " nodes",
                 replay->command_count, compared_hashes(verify), verify->compared[LOG_SENSORS],
                 verify->compared[LOG_TRUTH], verify->compared[LOG_LEDGER], verify->compared[LOG_NODES]);
  print_difference("contradiction", &replay->contradiction, step_s);
  print_difference("first difference", &verify->first, step_s);
  if (verify->telemetry.step != verify->first.step || verify->telemetry.topic != verify->first.topic)
    print_difference("first in telemetry", &verify->telemetry, step_s);
  if (verify->agrees_again_at_step)
    print_labelled(LABEL_COLUMNS, "equal again",
                   "at step %" PRIu64 ": the log's value is wrong, not the replay",
                   verify->agrees_again_at_step);
  print_chain(verify);
  print_result(verify);
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

static void add_chain(cJSON *root, const struct verify *verify) {
  const struct log_check_report *c = &verify->replay->chain;
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
  if (verify->replay->options->key_path)
    cJSON_AddBoolToObject(o, "signed_as_asked_for", !verify->not_signed_because);
  if (verify->not_signed_because)
    cJSON_AddStringToObject(o, "not_signed_because", verify->not_signed_because);
}

static void add_part(cJSON *root, const struct replay *replay) {
  const Sagbend__V1__LogPart *part = replay->record->part;
  const Sagbend__V1__Origin *origin = replay->record->origin;
  if (part) {
    cJSON *o = cJSON_AddObjectToObject(root, "part");
    cJSON_AddNumberToObject(o, "number", part->number);
    cJSON_AddStringToObject(o, "before", part->before);
    cJSON_AddStringToObject(o, "continued_in", replay->end ? replay->end->continued_in : "");
  } else {
    cJSON_AddNullToObject(root, "part");
  }
  if (origin) {
    cJSON *o = cJSON_AddObjectToObject(root, "origin");
    cJSON_AddStringToObject(o, "session", origin->session);
    cJSON_AddNumberToObject(o, "step", (double)origin->step);
    cJSON_AddStringToObject(o, "how", origin->how);
    cJSON_AddStringToObject(o, "name", origin->name);
  } else {
    cJSON_AddNullToObject(root, "origin");
  }
  cJSON_AddStringToObject(root, "next_session", replay->end ? replay->end->next_session : "");
}

cJSON *verify_report_object(const struct verify *verify, double wall_s) {
  const struct replay *replay = verify->replay;
  uint64_t steps = verify_step(verify) - replay->record->first_step;
  double time_s = (double)steps * replay->setup.config.sim.step_s;
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "log", replay->path);
  cJSON_AddStringToObject(root, "session", replay->record->session);
  cJSON_AddStringToObject(root, "name", replay->record->name);
  cJSON_AddStringToObject(root, "build_of_log", replay->record->build);
  cJSON_AddStringToObject(root, "build", program_build().text);
  cJSON_AddBoolToObject(root, "same_build", replay->same_build);
  cJSON_AddBoolToObject(root, "complete", !replay->gap_count);
  if (replay->gap_count)
    cJSON_AddStringToObject(root, "incomplete_because", replay->gaps[0].text);
  cJSON *gaps = cJSON_AddArrayToObject(root, "incomplete_reasons");
  for (int i = 0; i < replay->gap_count; i++)
    cJSON_AddItemToArray(gaps, cJSON_CreateString(replay->gaps[i].text));
  add_chain(root, verify);
  cJSON_AddNumberToObject(root, "first_step", (double)replay->record->first_step);
  cJSON_AddNumberToObject(root, "last_step", (double)verify_step(verify));
  cJSON_AddNumberToObject(root, "sim_time_s", time_s);
  cJSON_AddNumberToObject(root, "wall_time_s", wall_s);
  cJSON_AddNumberToObject(root, "real_time_factor", time_s / wall_s);
  cJSON_AddNumberToObject(root, "commands_used", (double)replay->command_count);
  cJSON *compared = cJSON_AddObjectToObject(root, "compared");
  cJSON_AddNumberToObject(compared, "state_hash", (double)compared_hashes(verify));
  for (int t = LOG_SENSORS; t <= LOG_LEDGER; t++)
    cJSON_AddNumberToObject(compared, log_topic_name((enum log_topic)t) + 1, (double)verify->compared[t]);
  cJSON_AddNumberToObject(compared, "event", (double)verify->logged.count);
  cJSON_AddNumberToObject(root, "not_compared", (double)verify->undeclared_count);
  cJSON_AddStringToObject(root, "first_not_compared", verify->undeclared.field);
  add_difference(root, "contradiction", &replay->contradiction);
  add_difference(root, "first_difference", verify->first.found ? &verify->first : &replay->contradiction);
  add_difference(root, "first_difference_in_telemetry", &verify->telemetry);
  if (verify->agrees_again_at_step)
    cJSON_AddNumberToObject(root, "agrees_again_at_step", (double)verify->agrees_again_at_step);
  add_part(root, replay);
  cJSON_AddStringToObject(root, "result", result_name(verify));
  return root;
}

enum status verify_report_json(const struct verify *verify, double wall_s, struct reason *why) {
  return json_put(verify_report_object(verify, wall_s), why);
}
