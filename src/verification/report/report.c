// The table of verification cases: what each one computes and where its reference comes from.
#include "verification/report/report.h"
#include "verification/report/report_internal.h"

#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "verification/harness/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The works as the references of the cases name them, and in full, for the report.
#define THESIS    "Saefstroem (2009)"
#define GIUSTI    "Giusti (2016)"
#define BETSCH    "Betsch, Siebert (2009)"
#define CELLEDONI "Celledoni, Hoiseth, Ramzina (2018)"
static const char SOURCES[] =
    "tests/reference has independent codes and their results. " THESIS ": thesis, NTNU. " GIUSTI
    ": Spatial formulation for the dynamics of floating rigid bodies. " BETSCH
    ": Int. J. Numer. Meth. Engng 79. " CELLEDONI ": Multibody System Dynamics 44.";
static const struct verify_case CASES[] = {
#define SUBJECT(id, title)
#define CASE(function, name, title, setup, reference) {name, title, setup, reference, function},
#include "verification/harness/cases.inc"
#undef CASE
#undef SUBJECT
};

// The index of the case with which a subject begins: its enumerator has the value of the next one.
enum {
#define SUBJECT(id, title)                            BEGIN_##id, BEFORE_##id = BEGIN_##id - 1,
#define CASE(function, name, title, setup, reference) INDEX_##function,
#include "verification/harness/cases.inc"
#undef CASE
#undef SUBJECT
};

static const struct {
  int begin;
  const char *title;
} SUBJECTS[] = {
#define SUBJECT(id, title) {BEGIN_##id, title},
#define CASE(function, name, title, setup, reference)
#include "verification/harness/cases.inc"
#undef CASE
#undef SUBJECT
};

const char *verify_subject_at(int index) {
  for (size_t i = 0; i < sizeof SUBJECTS / sizeof *SUBJECTS; i++)
    if (SUBJECTS[i].begin == index)
      return SUBJECTS[i].title;
  return NULL;
}

int verify_count(void) {
  return (int)(sizeof CASES / sizeof *CASES);
}
const struct verify_case *verify_at(int index) {
  return &CASES[index];
}

const struct verify_case *verify_find(const char *name) {
  for (int i = 0; i < verify_count(); i++)
    if (strcmp(CASES[i].name, name) == 0)
      return &CASES[i];
  return NULL;
}

// ------------------------------------------------------------
// A row begins a paper, or has a place; without a case it gives the reason.
static const struct {
  const char *paper, *place;
  verify_case_run *run;
  const char *agreement;
} ROWS[] = {
#define PAPER(title)                    {title, NULL, NULL, NULL},
#define ROW(place, function, agreement) {NULL, place, function, agreement},
#define OPEN(place, evidence)           {NULL, place, NULL, evidence},
#include "verification/report/papers.inc"
#undef PAPER
#undef ROW
#undef OPEN
};

static const char *name_of(verify_case_run *run) {
  for (int i = 0; i < verify_count(); i++)
    if (verify_at(i)->run == run)
      return verify_at(i)->name;
  return "";
}

void papers_print(void) {
  printf(
      "# The papers, row by row\n"
      "What the papers print, the case that judges it ([verification-cases.md](verification-cases.md)), and "
      "how it "
      "agrees. A dash: no case\n"
      "can judge it. The available copies have no drawings: of figures what text and captions state. Errata: "
      "[rigid-bodies.md](rigid-bodies.md).\n"
      "Made by `sagbend verify --papers` from `src/verification/report/papers.inc`.\n");
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
    if (ROWS[i].paper)
      printf("\n## %s\n| equation, figure, table | case | agreement |\n|---|---|---|\n", ROWS[i].paper);
    else if (ROWS[i].run)
      printf("| %s | `%s` | %s |\n", ROWS[i].place, name_of(ROWS[i].run), ROWS[i].agreement);
    else
      printf("| %s | - | %s |\n", ROWS[i].place, ROWS[i].agreement);
}

// ------------------------------------------------------------
// One script for gnuplot: every plot as SVG and as PNG, then the PDF, whose pages of text are labels on empty
// plots.

static void write_data(FILE *out, const struct verify_series *s, const char *block) {
  fprintf(out, "$%s << EOD\n", block);
  for (int i = 0; i < s->count; i++)
    fprintf(out, isnan(s->y[i]) ? "\n" : "%.9g %.9g\n", s->x[i], s->y[i]);
  if (s->count == 0)
    fputs("nan nan\n", out);
  fputs("EOD\n", out);
}

static void write_plot(FILE *out, const struct verify_plot *p) {
  static const char *const style[] = {"lines lw 1.5", "points pt 6 ps 0.7", "lines dt 2 lw 1.2"};
  char block[16];
  for (int s = 0; s < p->series_count; s++) {
    snprintf(block, sizeof block, "d%d", s);
    write_data(out, &p->series[s], block);
  }
  fputs("set title ", out), gnuplot_quoted(out, p->title);
  fputs("\nset xlabel ", out), gnuplot_quoted(out, p->x_label);
  fputs("\nset ylabel ", out), gnuplot_quoted(out, p->y_label);
  fprintf(out, "\n%s logscale xy\nset yrange [*:*] %s\nset format '%s'\nplot ", p->log_axes ? "set" : "unset",
          p->flip_y ? "reverse" : "noreverse", p->log_axes ? "%.0e" : "%g");
  for (int s = 0; s < p->series_count; s++) {
    fprintf(out, "%s$d%d with %s lc %d title ", s ? ", " : "", s, style[p->series[s].style], s + 1);
    gnuplot_quoted(out, p->series[s].label);
  }
  fputc('\n', out);
}

// ---- pages of text ----

enum { LINES_PER_PAGE = 44, COLUMNS = 132 };
struct sheet {
  FILE *out;
  int line;
};

static void end_sheet(struct sheet *s) {
  if (s->line > 0)
    fputs("plot [0:1][0:1] NaN notitle\nunset label\n", s->out);
  s->line = 0;
}

static void put(struct sheet *s, const char *text, int size) {
  if (s->line == LINES_PER_PAGE)
    end_sheet(s);
  fputs("set label ", s->out);
  gnuplot_quoted(s->out, text);
  fprintf(s->out, " at graph 0, graph %g left noenhanced font 'DejaVu Sans Mono,%d'\n",
          1 - (double)s->line++ / LINES_PER_PAGE, size);
}

static void put_wrapped(struct sheet *s, const char *head, const char *text) {
  char line[COLUMNS + 1];
  size_t indent = strlen(head);
  snprintf(line, sizeof line, "%s", head);
  while (*text) {
    size_t room = COLUMNS - indent, take = strlen(text);
    if (take > room)
      for (take = room; take > 1 && text[take] != ' '; take--)
        ;
    snprintf(line + indent, sizeof line - indent, "%.*s", (int)take, text);
    put(s, line, 9);
    memset(line, ' ', indent);
    text += take;
    text += *text == ' ';
  }
}

static void write_pdf(FILE *out, const char *build, const struct verify_outcome *all, int count) {
  struct sheet sheet = {out, 0};
  char line[VERIFY_LINE_SIZE];
  const char *const text_page =
      "unset border\nunset tics\nunset key\nunset title\nunset xlabel\nunset ylabel\nunset logscale\n"
      "unset grid\nset yrange [*:*] noreverse\nset margins 2,2,1,1\n";
  const char *const plot_page = "set border\nset tics\nset key outside top center horizontal\nset grid\nset "
                                "lmargin -1\nset rmargin -1\nset tmargin -1\n"
                                "set bmargin -1\n";
  fputs("set terminal pdfcairo noenhanced size 29.7cm,21cm fontscale 0.8 font 'DejaVu Sans,9'\nset output "
        "'report.pdf'\n",
        out);
  fputs(text_page, out);
  snprintf(line, sizeof line, "Sagbend: verification. Version %s, build %s", program_version(), build);
  put(&sheet, line, 12);
  put_wrapped(&sheet, "sources    ", SOURCES);
  put(&sheet, "", 7);
  for (int i = 0; i < count; i++) {
    snprintf(line, sizeof line, "%-22s %-50s %3d rows %8.2f s   %s", all[i].c->name, all[i].c->title,
             all[i].result.row_count, all[i].result.wall_s, all[i].ok ? "holds" : "FAILED");
    put(&sheet, line, 9);
  }
  end_sheet(&sheet);
  for (int i = 0; i < count; i++) {
    const struct verify_result *r = &all[i].result;
    fputs(text_page, out);
    snprintf(line, sizeof line, "%s: %s", all[i].c->title, all[i].ok ? "holds" : "FAILED");
    put(&sheet, line, 12);
    put_wrapped(&sheet, "case       ", all[i].c->text);
    put_wrapped(&sheet, "reference  ", all[i].c->source);
    put_wrapped(&sheet, "run with   ", r->run_with);
    put_wrapped(&sheet, "FAILED     ", r->failure);
    put(&sheet, "", 7);
    for (int k = 0; k < r->row_count; k++) {
      verify_row_line(&r->rows[k], line);
      put(&sheet, line, 8);
    }
    end_sheet(&sheet);
    fputs(plot_page, out);
    for (int p = 0; p < r->plot_count; p += 4) {
      fputs("set multiplot layout 2,2\n", out);
      for (int k = p; k < r->plot_count && k < p + 4; k++)
        write_plot(out, &r->plots[k]);
      fputs("unset multiplot\n", out);
    }
  }
  fputs("unset output\n", out);
}

static void write_script(FILE *out, const char *build, const struct verify_outcome *all, int count) {
  fputs("set encoding utf8\nset key outside top center horizontal\nset grid lc '#dddddd' lt 1\n", out);
  for (int i = 0; i < count; i++)
    for (int p = 0; p < all[i].result.plot_count; p++) {
      const char *name = all[i].c->name;
      fprintf(out,
              "set terminal svg noenhanced size 640,420 font 'sans-serif,13' name 'plot%d_%d'\nset output "
              "'%s-%d.svg'\n",
              i + 1, p + 1, name, p + 1);
      write_plot(out, &all[i].result.plots[p]);
      fprintf(out,
              "set terminal pngcairo noenhanced size 800,525 font 'DejaVu Sans,10'\nset output '%s-%d.png'\n",
              name, p + 1);
      write_plot(out, &all[i].result.plots[p]);
    }
  write_pdf(out, build, all, count);
}

static int have_gnuplot(void) {
  char *arguments[] = {(char *)"gnuplot", (char *)"--version", NULL};
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  int status = process_run(
      &(struct process_start){.program = arguments[0], .arguments = arguments, .output = nowhere});
  close(nowhere);
  return status == 0;
}

// Writes CASE-K.svg and CASE-K.png for each plot, and report.pdf. Returns 1 if they are written, 0 if gnuplot
// is missing, -1 on failure; both after a line on stderr.
static int verify_plots_write(const char *folder, const char *build, const struct verify_outcome *outcomes,
                              int count) {
  char path[1100];
  if (!have_gnuplot()) {
    fprintf(stderr, "sagbend verify: gnuplot was not found: the report has no plots and no PDF\n");
    return 0;
  }
  snprintf(path, sizeof path, "%s/plots.gp", folder);
  FILE *script = fopen(path, "w");
  if (!script) {
    fprintf(stderr, "sagbend verify: %s: %s\n", path, strerror(errno));
    return -1;
  }
  write_script(script, build, outcomes, count);
  int written = !ferror(script);
  if (fclose(script) || !written) {
    fprintf(stderr, "sagbend verify: %s: could not be written\n", path);
    return -1;
  }
  int status = gnuplot_run(folder, "plots.gp");
  if (status) {
    fprintf(stderr, "sagbend verify: gnuplot ended with status %d on %s\n", status, path);
    return -1;
  }
  return 1;
}

// ------------------------------------------------------------
static void verify_reference_text(const struct verify_row *row, char *text, size_t size) {
  if (isnan(row->low))
    snprintf(text, size, "-");
  else if (row->low == row->high)
    snprintf(text, size, "%.8g", row->low);
  else
    snprintf(text, size, "%.6g..%.6g", row->low, row->high);
}

static const char *verify_verdict(const struct verify_row *row) {
  return isinf(row->limit) ? "shown" : row->ok ? "ok" : "FAILED";
}

static void print_number(double value, int relative, char *text, size_t size) {
  if (!isfinite(value))
    snprintf(text, size, "-");
  else
    snprintf(text, size, "%.2e%s", value, relative ? " rel" : "");
}

void verify_row_line(const struct verify_row *row, char line[VERIFY_LINE_SIZE]) {
  char reference[64], error[32], limit[32];
  verify_reference_text(row, reference, sizeof reference);
  print_number(row->error, row->kind == VERIFY_RELATIVE, error, sizeof error);
  print_number(row->limit, 0, limit, sizeof limit);
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
        "it.</p>\n<p>",
        out);
  markup_put(out, SOURCES);
  fputs("</p>\n<table><tr><th>case</th><th></th><th>rows</th><th>wall time</th><th>verdict</th></tr>\n", out);
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
    print_number(row->error, row->kind == VERIFY_RELATIVE, error, sizeof error);
    print_number(row->limit, 0, limit, sizeof limit);
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
