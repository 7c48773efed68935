#include "verdicts.h"

#include "markup.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct line {
  char text[256];
};

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

static double time_of(const struct run *r, uint64_t step) { return (double)step * r->session.config.sim.step_s; }

// "offset_m below 10: violated 2 times, first at 35.2 s; worst 12.3, 2.3 beyond, at 40.1 s"
static struct line story(const struct run *r, int i) {
  const struct verdict_def *d = &r->session.config.scenario.verdict[i];
  const struct verdict *v = &r->stepper.scenario.verdict[i];
  struct line l;
  char worst[128];
  if (isnan(v->worst_value))
    snprintf(worst, sizeof worst, "there was no number at %.2f s", time_of(r, v->worst_step));
  else
    snprintf(worst, sizeof worst, "worst %.6g, %.4g %s, at %.2f s", v->worst_value, fabs(v->worst_margin),
             v->worst_margin < 0 ? "beyond" : "to spare", time_of(r, v->worst_step));
  int used = snprintf(l.text, sizeof l.text, "%s %s: ", quantity_name((int)d->quantity), bounds_text(d).text);
  if (!v->judged_steps)
    snprintf(l.text + used, sizeof l.text - (size_t)used, "never judged, its time or event did not come");
  else if (v->violated_step)
    snprintf(l.text + used, sizeof l.text - (size_t)used, "violated %" PRIu64 " time%s%s, first at %.2f s; %s", v->violations, v->violations == 1 ? "" : "s",
             d->expect_violated ? " as expected" : "", time_of(r, v->first_step), worst);
  else
    snprintf(l.text + used, sizeof l.text - (size_t)used, "held%s; %s",
             d->expect_violated ? ", but expected to be violated" : "", worst);
  return l;
}

static int passed(const struct run *r, int i) {
  return verdict_result(&r->stepper.scenario.verdict[i], &r->session.config.scenario.verdict[i]) == VERDICT_PASSED;
}

void verdicts_print(const struct run *r) {
  const struct scenario_def *def = &r->session.config.scenario;
  for (int i = 0; i < def->verdict_count; i++)
    printf("%-20s %s  %s\n%-20s         %s\n", i ? "" : "verdicts", passed(r, i) ? "passed" : "FAILED",
           def->verdict[i].name, "", story(r, i).text);
}

void verdicts_add(cJSON *root, const struct run *r) {
  static const char *const results[] = {"passed", "failed", "not_judged"};
  const struct scenario_def *def = &r->session.config.scenario;
  const struct events *events = &r->stepper.scenario.events;
  const struct link_counts *link = &r->stepper.scenario.link.counts;
  cJSON *faults = cJSON_AddObjectToObject(root, "faults");
  cJSON_AddNumberToObject(faults, "began", (double)events->started);
  cJSON_AddNumberToObject(faults, "ended", (double)events->ended);
  cJSON_AddNumberToObject(faults, "commands_lost", (double)link->lost);
  cJSON_AddNumberToObject(faults, "commands_delayed", (double)link->delayed);
  cJSON_AddNumberToObject(faults, "commands_duplicated", (double)link->duplicated);
  cJSON_AddNumberToObject(faults, "commands_reordered", (double)link->reordered);
  cJSON_AddNumberToObject(faults, "sensors_lost", (double)link->sensors_lost);
  cJSON *list = cJSON_AddArrayToObject(root, "verdicts");
  for (int i = 0; i < def->verdict_count; i++) {
    const struct verdict_def *d = &def->verdict[i];
    const struct verdict *v = &r->stepper.scenario.verdict[i];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "name", d->name);
    cJSON_AddStringToObject(o, "result", results[verdict_result(v, d)]);
    cJSON_AddStringToObject(o, "expect", d->expect_violated ? "violated" : "held");
    cJSON_AddStringToObject(o, "quantity", quantity_name((int)d->quantity));
    cJSON_AddNumberToObject(o, "low", d->low); // null: no bound
    cJSON_AddNumberToObject(o, "high", d->high);
    cJSON_AddNumberToObject(o, "judged_s", time_of(r, v->judged_steps));
    cJSON_AddNumberToObject(o, "violations", (double)v->violations);
    cJSON_AddNumberToObject(o, "first_s", v->violated_step ? time_of(r, v->first_step) : (double)NAN);
    cJSON_AddNumberToObject(o, "worst_value", v->judged_steps ? v->worst_value : (double)NAN);
    cJSON_AddNumberToObject(o, "worst_margin", v->judged_steps ? v->worst_margin : (double)NAN);
    cJSON_AddNumberToObject(o, "worst_s", v->judged_steps ? time_of(r, v->worst_step) : (double)NAN);
    cJSON_AddStringToObject(o, "text", story(r, i).text);
  }
  cJSON_AddBoolToObject(root, "passed", scenario_passed(&r->stepper.scenario, def) && !r->last.output.fault);
}

static void put_case(FILE *out, const struct run *r, const char *name, const char *element, const char *type,
                     const char *message) {
  fputs("    <testcase classname=\"", out);
  markup_put(out, r->session.config.name);
  fputs("\" name=\"", out);
  markup_put(out, name);
  fprintf(out, "\" time=\"%.3f\">\n", 1e-9 * (double)(r->end_ns - r->start_ns));
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

static void put_suite(FILE *out, const struct run *r) {
  static const char *const types[] = {"", "verdict", "not_judged"};
  const struct scenario_def *def = &r->session.config.scenario;
  int failures = 0, fault = r->last.output.fault != 0;
  for (int i = 0; i < def->verdict_count; i++)
    failures += !passed(r, i);
  char counts[160];
  snprintf(counts, sizeof counts, "tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\"", def->verdict_count + 1, failures,
           fault, 1e-9 * (double)(r->end_ns - r->start_ns));
  fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n  <testsuite name=\"", counts);
  markup_put(out, r->session.config.name);
  fprintf(out, "\" %s>\n", counts);
  struct line session;
  snprintf(session.text, sizeof session.text, "%s after %.3f s of simulated time",
           fault              ? "the simulation latched a fault"
           : r->stop_signal   ? "stopped"
                              : "ran to its end",
           r->last.output.time_s);
  put_case(out, r, "session", fault ? "error" : "", "fault", session.text);
  for (int i = 0; i < def->verdict_count; i++)
    put_case(out, r, def->verdict[i].name, passed(r, i) ? "" : "failure",
             types[verdict_result(&r->stepper.scenario.verdict[i], &def->verdict[i])], story(r, i).text);
  fputs("  </testsuite>\n</testsuites>\n", out);
}

int verdicts_write_junit(struct run *r) {
  if (!r->junit.stream)
    return 0;
  put_suite(r->junit.stream, r);
  return output_file_close(&r->junit);
}
