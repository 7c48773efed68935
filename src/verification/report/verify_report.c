#include "verification/report/report.h"

#include "os/cli/version.h"
#include "os/files/markup.h"
#include "os/files/output_file.h"
#include "verification/report/report_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void verify_reference_text(const struct verify_row *row, char *text, size_t size) {
  if (isnan(row->low))
    snprintf(text, size, "-");
  else if (row->low == row->high)
    snprintf(text, size, "%.8g", row->low);
  else
    snprintf(text, size, "%.6g..%.6g", row->low, row->high);
}

const char *verify_verdict(const struct verify_row *row) {
  return isinf(row->limit) ? "shown" : row->ok ? "ok" : "FAILED";
}

static void number_text(double value, int relative, char *text, size_t size) {
  if (!isfinite(value))
    snprintf(text, size, "-");
  else
    snprintf(text, size, "%.2e%s", value, relative ? " rel" : "");
}

void verify_row_line(const struct verify_row *row, char line[VERIFY_LINE_SIZE]) {
  char reference[64], error[32], limit[32];
  verify_reference_text(row, reference, sizeof reference);
  number_text(row->error, row->kind == VERIFY_RELATIVE, error, sizeof error);
  number_text(row->limit, 0, limit, sizeof limit);
  snprintf(line, VERIFY_LINE_SIZE, "%-72s %14.8g %20s %-7s %13s %9s  %s", row->quantity, row->value,
           reference, row->unit, error, limit, verify_verdict(row));
}

static void write_head(FILE *out, const char *build, const struct verify_outcome *all, int count) {
  int passed = 0;
  double wall_s = 0;
  for (int i = 0; i < count; i++)
    passed += all[i].ok, wall_s += all[i].result.wall_s;
  fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Sagbend: "
        "verification</title>\n<style>\n"
        "body{font:16px/1.5 sans-serif;max-width:68rem;margin:2rem auto;padding:0 1rem;color:#222}\n"
        "table{border-collapse:collapse;font-size:14px;width:100%}th,td{padding:.15rem "
        ".6rem;border-bottom:1px solid "
        "#ddd;text-align:left}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
        "h2{margin-top:3rem;border-top:2px solid "
        "#888;padding-top:.5rem}.ok{color:#176b2c}.bad{color:#b00020;font-weight:bold}.shown{color:#777}"
        "\nfigure{display:inline-block;width:48%;margin:.5rem 0;vertical-align:top}figure "
        "svg{width:100%;height:auto}dt{font-weight:bold}dd{margin:0 0 .4rem 0}\n@media "
        "print{h2{break-before:page}}\n</style></head><body>\n"
        "<h1>Sagbend: verification</h1>\n",
        out);
  fprintf(out, "<p>Version %s, build <code>%s</code>. %d of %d cases hold; %.1f s of computation.</p>\n",
          program_version(), build, passed, count, wall_s);
  fputs("<p>Each case runs the same code as a simulation does. A row compares one quantity with a reference "
        "that does not come from this code, or with this code's own fine solution where the row states so. "
        "<b>error</b> is the distance to the reference, in the unit or relative (rel); the row holds while "
        "it is within <b>limit</b>. Rows marked shown put a published figure beside ours without judging "
        "it.</p>\n<table><tr><th>case</th><th></th><th>rows</th><th>wall time</th><th>verdict</th></tr>\n",
        out);
  for (int i = 0; i < count; i++)
    fprintf(out,
            "<tr><td><a href=\"#%s\">%s</a></td><td>%s</td><td class=\"n\">%d</td><td class=\"n\">%.2f "
            "s</td><td class=\"%s\">%s</td></tr>\n",
            all[i].c->name, all[i].c->name, all[i].c->title, all[i].result.row_count, all[i].result.wall_s,
            all[i].ok ? "ok" : "bad", all[i].ok ? "holds" : "FAILED");
  fputs("</table>\n", out);
}

static void write_rows(FILE *out, const struct verify_result *r) {
  fputs("<table><tr><th>quantity</th><th>value</th><th>reference</th><th>unit</th><th>error</th><th>limit</"
        "th><th></th></tr>\n",
        out);
  for (int i = 0; i < r->row_count; i++) {
    const struct verify_row *row = &r->rows[i];
    char reference[64], error[32], limit[32];
    verify_reference_text(row, reference, sizeof reference);
    number_text(row->error, row->kind == VERIFY_RELATIVE, error, sizeof error);
    number_text(row->limit, 0, limit, sizeof limit);
    fputs("<tr><td>", out);
    markup_put(out, row->quantity);
    fprintf(out,
            "</td><td class=\"n\">%.8g</td><td class=\"n\">%s</td><td>%s</td><td class=\"n\">%s</td><td "
            "class=\"n\">%s</td><td class=\"%s\">%s</td></tr>\n",
            row->value, reference, row->unit, error, limit,
            isinf(row->limit) ? "shown"
            : row->ok         ? "ok"
                              : "bad",
            verify_verdict(row));
  }
  fputs("</table>\n", out);
}

// The SVG of a plot, without its XML head; nothing if gnuplot left none.
static void inline_svg(FILE *out, const char *folder, const char *name, int plot) {
  char path[1200], line[4096];
  snprintf(path, sizeof path, "%s/%s-%d.svg", folder, name, plot + 1);
  FILE *in = fopen(path, "r");
  int inside = 0;
  while (in && fgets(line, sizeof line, in)) {
    char *start = inside ? line : strstr(line, "<svg");
    if (!start)
      continue;
    inside = 1;
    fputs(start, out);
  }
  if (in)
    fclose(in);
}

static void write_case(FILE *out, const struct verify_outcome *o, const char *folder, int plots) {
  const struct verify_result *r = &o->result;
  fprintf(out, "<h2 id=\"%s\">%s <small class=\"%s\">%s</small></h2>\n<dl><dt>Case</dt><dd>", o->c->name,
          o->c->title, o->ok ? "ok" : "bad", o->ok ? "holds" : "FAILED");
  markup_put(out, o->c->text);
  fputs("</dd><dt>Reference</dt><dd>", out);
  markup_put(out, o->c->source);
  fputs("</dd><dt>Run with</dt><dd>", out);
  markup_put(out, r->run_with);
  fprintf(out, "; %.2f s of wall time (<code>sagbend verify --case %s</code>)</dd></dl>\n", r->wall_s,
          o->c->name);
  if (*r->failure) {
    fputs("<p class=\"bad\">It did not run to its end: ", out);
    markup_put(out, r->failure);
    fputs("</p>\n", out);
  }
  write_rows(out, r);
  for (int p = 0; p < r->plot_count && plots; p++) {
    fputs("<figure>", out);
    inline_svg(out, folder, o->c->name, p);
    fputs("</figure>\n", out);
  }
}

int verify_report_open(const char *folder) {
  struct stat s;
  if (mkdir(folder, 0777) == 0)
    return 0;
  int error = errno;
  if (error == EEXIST && stat(folder, &s) == 0 && S_ISDIR(s.st_mode))
    return 0;
  fprintf(stderr, "sagbend verify: %s: %s\n", folder, strerror(error == EEXIST ? ENOTDIR : error));
  return -1;
}

int verify_report_write(const char *folder, const char *build, const struct verify_outcome *outcomes,
                        int count) {
  char path[1100];
  struct output_file page;
  int plots = verify_plots_write(folder, build, outcomes, count);
  if (plots < 0)
    return -1;
  snprintf(path, sizeof path, "%s/index.html", folder);
  struct reason why;
  if (output_file_open_atomic(&page, path, &why) != STATUS_OK) {
    fprintf(stderr, "sagbend: %s\n", why.text);
    return -1;
  }
  write_head(page.stream, build, outcomes, count);
  for (int i = 0; i < count; i++)
    write_case(page.stream, &outcomes[i], folder, plots > 0);
  fputs("</body></html>\n", page.stream);
  if (output_file_close(&page, &why) == STATUS_OK)
    return 0;
  fprintf(stderr, "sagbend: %s\n", why.text);
  return -1;
}
