// junit.xml: a suite for each condition, a case for each run, as servers of continuous integration read it.
#include "lab/trials/report.h"

#include "os/files/markup.h"

#include <string.h>

// "failure": an open finding A or B; "error": the machine ended the run; "skipped": a finding that the owner
// accepts, not run, not judged; "": else.
static const char *element_of(const struct judged_run *run) {
  const int is_urgent = run->grade == 'A' || run->grade == 'B';
  return run->state != RUN_FAILED ? run_states[run->state].junit
         : !is_urgent             ? ""
         : *run->accepted         ? "skipped"
                                  : run_states[RUN_FAILED].junit;
}

static int is_element(const struct judged_run *run, const char *element) {
  return !strcmp(element_of(run), element);
}

// Every criterion that fails, and how to repeat the run.
static void put_story(FILE *out, const struct judgement *j, const struct judged_run *run) {
  char command[REPORT_COMMAND];
  for (int c = 0; c < CRITERION_COUNT; c++)
    if (run->criterion[c].result == CRITERION_FAIL) {
      fprintf(out, "%s (%c): ", criteria[c].name, run->criterion[c].grade);
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
  const char *element = element_of(run);
  if (is_element(run, "skipped")) {
    fputs("<skipped message=\"", out);
    fprintf(out, "%s: ", run->grade ? "accepted" : run_states[run->state].name);
    markup_put(out, run->grade ? run->accepted : run->criterion[CRITERION_JUDGED].text);
    fputs("\"/>", out);
  } else if (*element) {
    const char type[2] = {run->grade, '\0'};
    fprintf(out, "<%s type=\"%s\" message=\"", element, run->grade ? type : run_states[run->state].name);
    markup_put(out, run->criterion[run->grade ? findings_complaint(run) : CRITERION_JUDGED].text);
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
    errors += is_element(&j->run[i], "error");
    failures += is_element(&j->run[i], "failure");
    skipped += is_element(&j->run[i], "skipped");
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
