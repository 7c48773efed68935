#include "lab/trials/trials_internal.h"

#include <stdarg.h>
#include <string.h>

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
