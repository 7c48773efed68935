// junit.xml: a suite for each condition, a case for each run, as servers of continuous integration read it.
#include "trials/report/report.h"

#include "io/files/markup.h"

static int is_failure(const struct judged_run *run) {
  return (run->grade == 'A' || run->grade == 'B') && !*run->accepted;
}
static int is_error(const struct judged_run *run) { // it has no result
  return is_failure(run) && run->criterion[CRITERION_JUDGED].result == CRITERION_FAIL;
}
static int is_skipped(const struct judged_run *run) {
  return ((run->grade == 'A' || run->grade == 'B') && *run->accepted) || (run->is_outside && !run->grade);
}

// Every criterion that fails, and how to repeat the run.
static void put_story(FILE *out, const struct judgement *j, const struct judged_run *run) {
  char command[REPORT_COMMAND];
  for (int c = 0; c < CRITERION_COUNT; c++)
    if (run->criterion[c].result == CRITERION_FAIL) {
      fprintf(out, "%s (%c): ", criterion_name((enum criterion)c), run->criterion[c].grade);
      markup_put(out, run->criterion[c].text);
      fputc('\n', out);
    }
  report_command(j, run, command, sizeof command);
  markup_put(out, command);
  fputc('\n', out);
}

static void put_case(FILE *out, const struct judgement *j, const struct judged_run *run) {
  const char *condition = j->plan->condition[run->condition].id;
  fputs("    <testcase classname=\"", out);
  markup_put(out, condition);
  fputc('.', out);
  markup_put(out, *run->failure->equipment ? run->failure->equipment : run->failure->id);
  fputs("\" name=\"", out);
  markup_put(out, run->failure->id);
  fputc('@', out);
  markup_put(out, condition);
  fputs("\">", out);
  if (is_skipped(run)) {
    fputs("<skipped message=\"", out);
    markup_put(out, run->grade ? run->accepted : "its condition is outside the envelope");
    fputs("\"/>", out);
  } else if (is_failure(run)) {
    const char *element = is_error(run) ? "error" : "failure";
    fprintf(out, "<%s type=\"%c\" message=\"", element, run->grade);
    markup_put(out, run->criterion[findings_complaint(run)].text);
    fputs("\">", out);
    put_story(out, j, run);
    fprintf(out, "</%s>", element);
  } else if (run->grade) {
    fputs("<system-out>", out);
    put_story(out, j, run);
    fputs("</system-out>", out);
  }
  fputs("</testcase>\n", out);
}

static void put_counts(FILE *out, const struct judgement *j, int first, int end) {
  int failures = 0, errors = 0, skipped = 0;
  for (int i = first; i < end; i++) {
    errors += is_error(&j->run[i]);
    failures += is_failure(&j->run[i]) && !is_error(&j->run[i]);
    skipped += is_skipped(&j->run[i]);
  }
  fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n", end - first, failures, errors,
          skipped);
}

int report_write_junit(const struct judgement *j, FILE *out) {
  int count = j->failures->count;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"", out);
  markup_put(out, j->plan->name);
  fputc('"', out);
  put_counts(out, j, 0, j->run_count);
  for (int c = 0; c < j->plan->condition_count; c++) {
    fputs("  <testsuite name=\"", out);
    markup_put(out, j->plan->condition[c].id);
    fputc('"', out);
    put_counts(out, j, c * count, (c + 1) * count);
    for (int i = 0; i < count; i++)
      put_case(out, j, judgement_run(j, c, i));
    fputs("  </testsuite>\n", out);
  }
  fputs("</testsuites>\n", out);
  return 1;
}
