// What the parts of the report share: names, letters and commands of runs, pieces of the template.
#include "lab/trials/trials_internal.h"

#include "lab/failures/failures.h"
#include "lab/judge/judge.h"
#include "lab/plan/plan.h"
#include "lab/sweep/sweep.h"
#include "net/case/case.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *report_object(const struct trial_plan *p) {
  return *p->report.object ? p->report.object : p->name;
}

void report_command(const struct judgement *j, const struct judged_run *run, char *out, size_t size) {
  char *text = NULL, name[512];
  size_t length = 0;
  FILE *line = text_stream_open(&text, &length);
  *out = '\0';
  if (!line)
    return;
  snprintf(name, sizeof name, "%s@%s", run->failure->id, j->plan->condition[run->condition].id);
  fputs("sagbend trials ", line);
  sweep_put_word(line, j->plan->path);
  const char *hash = run->stop_point ? run->unstopped.state_hash : run->seen.state_hash;
  fprintf(line, " --out again%s%s --run ", *hash ? " --hash " : "", hash);
  sweep_put_word(line, name);
  if (j->plan->tried) {
    fputs(" --seeded-fault ", line);
    sweep_put_word(line, j->plan->tried->name);
  }
  for (int i = 0; i < j->plan->set.count; i++)
    if (!strcmp(j->plan->set.item[i].place, "--set")) {
      fputs(" --set ", line);
      sweep_put_word(line, j->plan->set.item[i].text);
    }
  if (fclose(line) == 0 && length < size)
    memcpy(out, text, length + 1);
  else // a part of it would be another command
    snprintf(out, size,
             text ? "the command has %zu bytes, too many to be shown" : "out of memory for the command",
             length);
  free(text);
}

const struct observation *report_log(const struct judged_run *run, char *path, size_t size) {
  int is_first = *run->seen.log_digest != '\0';
  const struct observation *seen = is_first ? &run->seen : &run->repeated;
  snprintf(path, size, "%spoints/%06d/run.mcap",
           !is_first         ? TRIALS_AGAIN "/"
           : run->stop_point ? TRIALS_INTERVENTION "/"
                             : "",
           is_first && run->stop_point ? run->stop_point : run->point);
  return *seen->log_digest ? seen : NULL;
}

char report_letter(const struct judged_run *run) {
  return run->grade ? run->grade : run_states[run->state].letter;
}

void report_put_letter(const struct report *r, const struct judged_run *run) {
  char letter = report_letter(run);
  int has_sheet = report_has_sheet(r, (int)(run - r->j->run));
  if (has_sheet)
    fprintf(r->out, "<a href=\"#run-%d\">", run->point);
  fprintf(r->out, "<span class=\"g g%c\">", letter);
  fputs(run->grade ? (char[]){run->grade, '\0'} : run_states[run->state].sign, r->out);
  fputs("</span>", r->out);
  fputs(has_sheet ? "</a>" : "", r->out);
}

static void put_conversion(FILE *out, const char *spec, va_list *args) {
  char format[16];
  const size_t size = strlen(spec);
  snprintf(format, sizeof format, "%s", spec);
  switch (spec[size - 1]) {
  case 's':
    if (spec[1] == '.') {
      char text[512];
      const int length = va_arg(*args, int);
      snprintf(text, sizeof text, "%.*s", length, va_arg(*args, const char *));
      markup_put(out, text);
    } else
      markup_put(out, va_arg(*args, const char *));
    break;
  case 'c':
  case 'd': {
    const int number = va_arg(*args, int);
    fprintf(out, format, number);
    break;
  }
  case 'f':
  case 'g': {
    const double value = va_arg(*args, double);
    fprintf(out, format, value);
    break;
  }
  default:
    fputc('%', out);
  }
}

void report_put(FILE *out, const char *piece, ...) {
  va_list args;
  va_start(args, piece);
  while (*piece) {
    const size_t plain = strcspn(piece, "%");
    fwrite(piece, 1, plain, out);
    piece += plain;
    if (*piece) {
      char spec[16];
      const size_t size = strcspn(piece + 1, "scdfg%") + 2;
      snprintf(spec, sizeof spec, "%.*s", (int)size, piece);
      put_conversion(out, spec, &args);
      piece += size;
    }
  }
  va_end(args);
}

struct report_name report_id(const struct report *r, const struct judged_run *run) {
  struct report_name name;
  judgement_id(r->j, run, name.text, sizeof name.text);
  return name;
}

void report_put_cell(FILE *out, const char *text) {
  fputs("<td>", out);
  markup_put(out, text);
  fputs("</td>", out);
}

void report_put_head(FILE *out, const struct report_column *columns, int count) {
  fputs("<table><colgroup>", out);
  for (int i = 0; i < count; i++)
    fprintf(out, "<col style=\"width:%dmm\">", columns[i].width_mm);
  fputs("</colgroup><thead><tr>", out);
  for (int i = 0; i < count; i++) {
    fprintf(out, "<th%s>", columns[i].is_number ? " class=\"n\"" : "");
    markup_put(out, columns[i].title);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n", out);
}

void report_put_number(FILE *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("<td class=\"n\">", out);
  vfprintf(out, format, args);
  fputs("</td>", out);
  va_end(args);
}

void report_put_id(FILE *out, const struct report *r, const struct judged_run *run) {
  markup_put(out, report_id(r, run).text);
}

static int is_declared(const struct trial_plan *p, const struct failure *f) {
  for (int i = 0; i < p->worst_case_count; i++)
    if (!strcmp(f->id, p->worst_case[i].id))
      return 1;
  return 0;
}

int report_needs_record(const struct judgement *j, const struct judged_run *run) {
  return run->failure->group == FAILURE_NONE || run->grade == 'A' || run->grade == 'B' ||
         is_declared(j->plan, run->failure);
}

int report_has_sheet(const struct report *r, int run) {
  for (int i = 0; i < r->findings->count; i++)
    if (r->findings->item[i].worst == run && r->findings->item[i].grade != 'C')
      return 1;
  return is_declared(r->j->plan, r->j->run[run].failure) && r->j->run[run].seen.is_there;
}
