#include "run/session/session.h"

#include "sagbend/base/base.h"

#include "os/files/files.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct line {
  char text[768];
};

static void append(struct line *l, const char *before, const char *word) {
  size_t used = strlen(l->text);
  snprintf(l->text + used, sizeof l->text - used, "%s%s", before, word);
}

// "alarm of gnss-1, rejected or lost, within 10 s"
static struct line alarm_text(const struct alarm_filter *f) {
  struct line l = {""};
  char within[48];
  append(&l, "", f->within_s > 0 ? "alarm" : "no alarm");
  for (int i = 0; i < f->source_count; i++)
    append(&l, i ? " or " : " of ", f->source[i]);
  const char *between = ", ";
  for (int k = 0; k < ALARM_KIND_COUNT; k++)
    if (f->kinds >> k & 1) {
      append(&l, between, dp_alarm_kind_name(k));
      between = " or ";
    }
  snprintf(within, sizeof within, ", within %g s", f->within_s);
  append(&l, f->within_s > 0 ? within : "", "");
  return l;
}

static struct line bounds_text(const struct verdict_def *d) {
  struct line l;
  if (isinf(d->low))
    snprintf(l.text, sizeof l.text, "below %g", d->high);
  else if (isinf(d->high))
    snprintf(l.text, sizeof l.text, "above %g", d->low);
  else
    snprintf(l.text, sizeof l.text, "within %g and %g", d->low, d->high);
  return l;
}

static double time_of(const struct session *session, uint64_t step) {
  return (double)step * session->setup->config.sim.step_s;
}

// Result of a verdict at the end of the run. Unfinished: it held, but the run stopped before the end of its
// time. In a run without an end, a verdict that was not judged, or that held until the stop, is no failure.
enum result {
  PASSED = VERDICT_END_PASSED,
  FAILED = VERDICT_END_FAILED,
  NOT_JUDGED = VERDICT_END_NOT_JUDGED,
  UNFINISHED = VERDICT_END_UNFINISHED
};

static int time_is_over(const struct session *session, const struct verdict_def *d) {
  const struct events *events = &session->engine.loop.scenario.events;
  uint64_t zero = d->after >= 0 ? events->event[d->after].begun_step : 0;
  double step_s = session->setup->config.sim.step_s;
  return d->to_s > 0 && session->last.output.step >= zero + steps_nearest_to(d->to_s, step_s);
}

static enum result result_of(const struct session *session, int i) {
  const struct verdict_def *d = &session->setup->config.scenario.verdict[i];
  const struct verdict *v = &session->engine.loop.scenario.verdict[i];
  switch (verdict_result(v, d)) {
  case VERDICT_FAILED:
    return FAILED;
  case VERDICT_NOT_JUDGED:
    return NOT_JUDGED;
  case VERDICT_PASSED:
    break;
  }
  return session->outcome.broke_off && !d->expect_violated && !time_is_over(session, d) ? UNFINISHED : PASSED;
}

enum verdict_end verdicts_end_of(const struct session *session, int verdict) {
  const struct verdict_def *d = &session->setup->config.scenario.verdict[verdict];
  const struct verdict *v = &session->engine.loop.scenario.verdict[verdict];
  if (!v->judged_steps)
    return VERDICT_END_NOT_JUDGED;
  if (v->violated_step)
    return d->expect_violated ? VERDICT_END_PASSED : VERDICT_END_FAILED;
  if (!time_is_over(session, d))
    return VERDICT_END_UNFINISHED;
  return d->expect_violated ? VERDICT_END_FAILED : VERDICT_END_PASSED;
}

const char *verdicts_end_word(enum verdict_end end) {
  static const char *const words[] = {"passed", "failed", "not_judged", "unfinished"};
  return words[end];
}

static int fails(const struct session *session, int i) {
  enum result result = result_of(session, i);
  return result == NOT_JUDGED ? session->steps_total > 0 : result != PASSED;
}

int verdicts_passed(const struct session *session) {
  int count = 0;
  for (int i = 0; i < session->setup->config.scenario.verdict_count; i++)
    count += result_of(session, i) == PASSED;
  return count;
}

int verdicts_failed(const struct session *session) {
  int count = 0;
  for (int i = 0; i < session->setup->config.scenario.verdict_count; i++)
    count += fails(session, i);
  return count;
}

// "alarm of gnss-1, rejected, within 10 s: came, in the step of 35.25 s"
static struct line alarm_story(const struct session *session, int i) {
  const struct verdict_def *d = &session->setup->config.scenario.verdict[i];
  const struct verdict *v = &session->engine.loop.scenario.verdict[i];
  struct line l = alarm_text(&d->alarm);
  size_t used = strlen(l.text), room = sizeof l.text - used;
  if (!v->judged_steps)
    snprintf(l.text + used, room, ": never judged, its time or event did not come");
  else if (!v->violated_step)
    snprintf(l.text + used, room, ": %s",
             d->expect_violated                    ? "did not come"
             : result_of(session, i) == UNFINISHED ? "held, but the run broke off before its time was over"
                                                   : "held");
  else if (d->expect_violated)
    snprintf(l.text + used, room, ": came, with the command of %.2f s", time_of(session, v->first_step));
  else
    snprintf(l.text + used, room,
             ": violated %" PRIu64 " time%s, first at %.2f s; at most %g at once, at %.2f s", v->violations,
             v->violations == 1 ? "" : "s", time_of(session, v->first_step), v->worst_value,
             time_of(session, v->worst_step));
  return l;
}

// "offset_m below 10: violated 2 times, first at 35.2 s; worst 12.3, 2.3 beyond, at 40.1 s"
static struct line story(const struct session *session, int i) {
  const struct verdict_def *d = &session->setup->config.scenario.verdict[i];
  const struct verdict *v = &session->engine.loop.scenario.verdict[i];
  struct line l;
  char worst[128];
  if (d->alarm.is_used)
    return alarm_story(session, i);
  if (isnan(v->worst_value))
    snprintf(worst, sizeof worst, "there was no number at %.2f s", time_of(session, v->worst_step));
  else
    snprintf(worst, sizeof worst, "worst %.6g, %.4g %s, at %.2f s", v->worst_value, fabs(v->worst_margin),
             v->worst_margin < 0 ? "beyond" : "to spare", time_of(session, v->worst_step));
  char mean[32] = "";
  if (d->mean_s > 0)
    snprintf(mean, sizeof mean, ", mean of %g s,", d->mean_s);
  int used = snprintf(l.text, sizeof l.text, "%s%s %s: ", quantity_shown_name((int)d->quantity), mean,
                      bounds_text(d).text);
  if (!v->judged_steps)
    snprintf(l.text + used, sizeof l.text - (size_t)used, "never judged, its time or event did not come");
  else if (v->violated_step)
    snprintf(l.text + used, sizeof l.text - (size_t)used,
             "violated %" PRIu64 " time%s%s, first at %.2f s; %s", v->violations,
             v->violations == 1 ? "" : "s", d->expect_violated ? " as expected" : "",
             time_of(session, v->first_step), worst);
  else
    snprintf(l.text + used, sizeof l.text - (size_t)used, "held%s%s; %s",
             d->expect_violated ? ", but expected to be violated" : "",
             result_of(session, i) == UNFINISHED ? ", but the run broke off before its time was over" : "",
             worst);
  return l;
}

uint64_t session_acting_orders(const struct session *session) {
  const struct server *server = session->outlets->server;
  return server ? server_order_counts(server)->acting : 0;
}

// "3 orders of operators acted, the first at 40.000 s: set-point north 3 m"; empty: none did.
static struct line orders_story(const struct session *session) {
  const uint64_t acting = session_acting_orders(session);
  struct line l = {""};
  if (!acting)
    return l;
  const struct order_counts *counts = server_order_counts(session->outlets->server);
  int used = snprintf(l.text, sizeof l.text, "%" PRIu64 " order%s of operators acted", acting,
                      acting == 1 ? "" : "s");
  for (int i = 0; i < counts->listed; i++)
    if (!strcmp(counts->first[i].session, session->id)) {
      snprintf(l.text + used, sizeof l.text - (size_t)used, ", the first at %.3f s: %.160s",
               counts->first[i].time_s, shown(counts->first[i].text).text);
      break;
    }
  return l;
}

void verdicts_print(const struct session *session) {
  static const char *const WORDS[] = {"passed", "FAILED", "NOT JUDGED", "UNFINISHED"};
  const struct scenario_def *def = &session->setup->config.scenario;
  for (int i = 0; i < def->verdict_count; i++)
    printf("%-20s %s  %s\n%-20s         %s\n", i ? "" : "verdicts", WORDS[result_of(session, i)],
           def->verdict[i].name, "", story(session, i).text);
  if (def->verdict_count && session_acting_orders(session))
    printf("%-20s %s\n", "", orders_story(session).text);
}

void verdicts_add(cJSON *root, const struct session *session) {
  const struct scenario_def *def = &session->setup->config.scenario;
  const struct events *events = &session->engine.loop.scenario.events;
  const struct link_counts *link = &session->engine.loop.scenario.link.counts;
  cJSON *faults = cJSON_AddObjectToObject(root, "faults");
  cJSON_AddNumberToObject(faults, "began", (double)events->started);
  cJSON_AddNumberToObject(faults, "ended", (double)events->ended);
  cJSON_AddNumberToObject(faults, "commands_lost", (double)link->lost);
  cJSON_AddNumberToObject(faults, "commands_delayed", (double)link->delayed);
  cJSON_AddNumberToObject(faults, "commands_duplicated", (double)link->duplicated);
  cJSON_AddNumberToObject(faults, "commands_reordered", (double)link->reordered);
  cJSON_AddNumberToObject(faults, "sensors_lost", (double)link->sensors_lost);
  const struct feedback_seen *feedback = &session->feedback;
  cJSON_AddNumberToObject(faults, "feedback_error_mean", // null: no fault of feedback was active
                          feedback->frames ? feedback->sum / (double)feedback->frames : (double)NAN);
  cJSON_AddNumberToObject(faults, "feedback_error_largest",
                          feedback->frames ? feedback->largest : (double)NAN);
  cJSON *list = cJSON_AddArrayToObject(root, "verdicts");
  for (int i = 0; i < def->verdict_count; i++) {
    const struct verdict_def *d = &def->verdict[i];
    const struct verdict *v = &session->engine.loop.scenario.verdict[i];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "name", d->name);
    cJSON_AddStringToObject(o, "result", verdicts_end_word((enum verdict_end)result_of(session, i)));
    cJSON_AddStringToObject(o, "expect", d->expect_violated ? "violated" : "held");
    cJSON_AddStringToObject(o, "quantity", quantity_shown_name((int)d->quantity));
    if (d->alarm.is_used)
      cJSON_AddStringToObject(o, "alarm", alarm_text(&d->alarm).text);
    cJSON_AddNumberToObject(o, "low", d->low); // null: no bound
    cJSON_AddNumberToObject(o, "high", d->high);
    cJSON_AddNumberToObject(o, "judged_s", time_of(session, v->judged_steps));
    cJSON_AddNumberToObject(o, "violations", (double)v->violations);
    cJSON_AddNumberToObject(o, "first_s", v->violated_step ? time_of(session, v->first_step) : (double)NAN);
    cJSON_AddNumberToObject(o, "worst_value", v->judged_steps ? v->worst_value : (double)NAN);
    cJSON_AddNumberToObject(o, "worst_margin", v->judged_steps ? v->worst_margin : (double)NAN);
    cJSON_AddNumberToObject(o, "worst_s", v->judged_steps ? time_of(session, v->worst_step) : (double)NAN);
    double count = v->judged_steps ? (double)v->judged_steps : (double)NAN;
    cJSON_AddNumberToObject(o, "mean_value", v->sum / count);
    cJSON_AddNumberToObject(o, "rms_value", sqrt(v->square_sum / count));
    cJSON_AddStringToObject(o, "text", story(session, i).text);
  }
}

static void put_case(FILE *out, const struct session *session, const char *name, const char *element,
                     const char *type, const char *message) {
  fputs("    <testcase classname=\"", out);
  markup_put(out, session->setup->config.name);
  fputs("\" name=\"", out);
  markup_put(out, name);
  fprintf(out, "\" time=\"%.3f\">\n", 1e-9 * (double)(session->end_ns - session->start_ns));
  fprintf(out, "      <%s", *element ? element : "system-out");
  if (*element) {
    fprintf(out, " type=\"%s\" message=\"", type);
    markup_put(out, message);
    fputc('"', out);
  }
  fputc('>', out);
  markup_put(out, message);
  fprintf(out, "</%s>\n    </testcase>\n", *element ? element : "system-out");
}

// Result of the session apart from its verdicts. An error of the session is not the fault of the controller
// under test.
static struct line session_story(const struct session *session, const char **element) {
  const struct outcome *o = &session->outcome;
  struct line l;
  int used =
      snprintf(l.text, sizeof l.text, "%s after %.3f s of simulated time",
               o->end == END_REACHED ? "ran to its end" : run_end_text(o->end), session->last.output.time_s);
  for (int i = 0; i < o->session_reasons && (size_t)used < sizeof l.text; i++)
    used += snprintf(l.text + used, sizeof l.text - (size_t)used, "; %s", o->reason[i].text);
  int stopped = o->end == END_REACHED || o->end == END_OPERATOR || o->end == END_SIGNAL;
  if (session_acting_orders(session) && (size_t)used < sizeof l.text)
    snprintf(l.text + used, sizeof l.text - (size_t)used, "; %.300s", orders_story(session).text);
  *element = !o->session_reasons ? "" : stopped ? "failure" : "error";
  return l;
}

static void put_suite(FILE *out, const struct session *session) {
  static const char *const types[] = {"", "verdict", "not_judged", "unfinished"};
  const struct scenario_def *def = &session->setup->config.scenario;
  const char *element;
  struct line told = session_story(session, &element);
  int failures = verdicts_failed(session) + !strcmp(element, "failure"), errors = !strcmp(element, "error");
  char counts[160];
  snprintf(counts, sizeof counts, "tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\"",
           def->verdict_count + 1, failures, errors, 1e-9 * (double)(session->end_ns - session->start_ns));
  fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n  <testsuite name=\"", counts);
  markup_put(out, session->setup->config.name);
  fprintf(out, "\" %s>\n", counts);
  put_case(out, session, "session", element,
           session->outcome.end == END_REACHED ? "session" : run_end_word(session->outcome.end), told.text);
  for (int i = 0; i < def->verdict_count; i++)
    put_case(out, session, def->verdict[i].name, fails(session, i) ? "failure" : "",
             types[result_of(session, i)], story(session, i).text);
  fputs("  </testsuite>\n</testsuites>\n", out);
}

enum status verdicts_write_junit(const struct session *session, struct output_file *file,
                                 struct reason *why) {
  if (!file->stream)
    return STATUS_OK;
  put_suite(file->stream, session);
  return output_file_close(file, why);
}
