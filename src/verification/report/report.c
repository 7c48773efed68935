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
// One script for gnuplot: every plot as SVG and as PNG.

#define PLOT_KEY "set key outside top center horizontal\n"

static void write_data(FILE *out, const struct verify_series *s, const char *block) {
  fprintf(out, "$%s << EOD\n", block);
  for (int i = 0; i < s->count; i++)
    fprintf(out, isnan(s->y[i]) ? "\n" : "%.9g %.9g\n", s->x[i], s->y[i]);
  if (s->count == 0)
    fputs("nan nan\n", out);
  fputs("EOD\n", out);
}

// The names of the series stand at the ends of their lines, which shows better than a key which is which,
// where all end at the right and there is room.
enum { MOST_NAMES = 6, LONGEST_NAME = 34 };
static const double LEAST_END = 0.9, NAME_HEIGHT = 0.06; // of the frame

struct plot_range {
  double low, high;
  int is_log;
};

static void stretch(struct plot_range *r, double value) {
  if (isfinite(value) && (!r->is_log || value > 0)) {
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
  }
}

static double place_in(const struct plot_range *r, double value) {
  return r->is_log ? log(value / r->low) / log(r->high / r->low) : (value - r->low) / (r->high - r->low);
}

static void widen(struct plot_range *r, double part) {
  const double step = r->is_log ? pow(r->high / r->low, part) : part * (r->high - r->low);
  r->low = r->is_log ? r->low / step : r->low - step;
  r->high = r->is_log ? r->high * step : r->high + step;
}

static void find_ranges(const struct verify_plot *p, struct plot_range *x, struct plot_range *y) {
  *x = *y = (struct plot_range){HUGE_VAL, -HUGE_VAL, p->log_axes};
  for (int s = 0; s < p->series_count; s++)
    for (int i = 0; i < p->series[s].count; i++) {
      stretch(x, p->series[s].x[i]);
      stretch(y, p->series[s].y[i]);
    }
  widen(y, 0.04);
}

// The heights at which the names stand; returns 0 if they do not fit.
static int place_names(const struct verify_plot *p, const struct plot_range *x, const struct plot_range *y,
                       double height[MOST_NAMES]) {
  int order[MOST_NAMES] = {0};
  if (p->series_count > MOST_NAMES || !(x->low < x->high) || !(y->low < y->high))
    return 0;
  for (int s = 0; s < p->series_count; s++) {
    const struct verify_series *series = &p->series[s];
    int last = series->count - 1, at = s;
    while (last >= 0 && !(isfinite(series->y[last]) && (!p->log_axes || series->y[last] > 0)))
      last--;
    if (last < 0 || strlen(series->label) > LONGEST_NAME || place_in(x, series->x[last]) < LEAST_END)
      return 0;
    height[s] = place_in(y, series->y[last]);
    height[s] = p->flip_y ? 1 - height[s] : height[s];
    for (; at > 0 && height[order[at - 1]] > height[s]; at--)
      order[at] = order[at - 1];
    order[at] = s;
  }
  for (int k = 1; k < p->series_count; k++)
    height[order[k]] = fmax(height[order[k]], height[order[k - 1]] + NAME_HEIGHT);
  for (int k = p->series_count - 1; k >= 0; k--) // none above the frame
    height[order[k]] =
        fmin(height[order[k]], k + 1 < p->series_count ? height[order[k + 1]] - NAME_HEIGHT : 1);
  return 1;
}

static void write_names(FILE *out, const struct verify_plot *p) {
  struct plot_range x, y;
  double height[MOST_NAMES];
  size_t longest = 0;
  find_ranges(p, &x, &y);
  fputs("unset label\nset rmargin -1\nset xrange [*:*]\n" PLOT_KEY, out);
  fprintf(out, "set yrange [*:*] %s\n", p->flip_y ? "reverse" : "noreverse");
  if (!place_names(p, &x, &y, height))
    return;
  for (int s = 0; s < p->series_count; s++) {
    fprintf(out, "set label %d ", s + 1), gnuplot_quoted(out, p->series[s].label);
    fprintf(out, " at graph 1.015, graph %.4f left noenhanced textcolor lt %d\n", height[s], s + 1);
    longest = longest > strlen(p->series[s].label) ? longest : strlen(p->series[s].label);
  }
  fprintf(out, "unset key\nset rmargin %zu\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g] noreverse\n",
          longest * 9 / 10 + 1, x.low, x.high, p->flip_y ? y.high : y.low, p->flip_y ? y.low : y.high);
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
  fprintf(out, "\n%s logscale xy\n", p->log_axes ? "set" : "unset");
  write_names(out, p);
  fprintf(out, "set format '%s'\nplot ", p->log_axes ? "%.0e" : "%g");
  for (int s = 0; s < p->series_count; s++) {
    fprintf(out, "%s$d%d with %s lc %d title ", s ? ", " : "", s, style[p->series[s].style], s + 1);
    gnuplot_quoted(out, p->series[s].label);
  }
  fputc('\n', out);
}

static void write_script(FILE *out, const struct verify_outcome *all, int count) {
  fputs("set encoding utf8\nset grid lc '#dddddd' lt 1\n", out);
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
}

static int have_gnuplot(void) {
  char *arguments[] = {(char *)"gnuplot", (char *)"--version", NULL};
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  int status = process_run(
      &(struct process_start){.program = arguments[0], .arguments = arguments, .output = nowhere});
  close(nowhere);
  return status == 0;
}

// Writes CASE-K.svg and CASE-K.png for each plot. Returns 1 if they are written, 0 if gnuplot
// is missing, -1 on failure; both after a line on stderr.
static int verify_plots_write(const char *folder, const struct verify_outcome *outcomes, int count) {
  char path[1100];
  if (!have_gnuplot()) {
    fprintf(stderr, "sagbend verify: gnuplot was not found: the report has no plots\n");
    return 0;
  }
  snprintf(path, sizeof path, "%s/plots.gp", folder);
  FILE *script = fopen(path, "w");
  if (!script) {
    fprintf(stderr, "sagbend verify: %s: %s\n", path, strerror(errno));
    return -1;
  }
  write_script(script, outcomes, count);
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

// On the screen, on a phone, and on the pages of the PDF and of a browser's print.
static const char HEAD[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\"><title>Sagbend: verification</title>\n<style>\n"
    "@page{size:A4;margin:17mm 16mm 18mm;@bottom-left{content:'Sagbend: verification';font:7.5pt 'DejaVu "
    "Sans',sans-serif;color:#666}@bottom-right{content:'page ' counter(page) ' of ' "
    "counter(pages);font:7.5pt "
    "'DejaVu Sans',sans-serif;color:#666}}\n"
    "body{font:16px/1.5 'DejaVu Sans',sans-serif;max-width:68rem;margin:2rem auto;padding:0 "
    "1rem;color:#222}\n"
    "table{border-collapse:collapse;font-size:14px;width:100%}th,td{padding:.15rem .6rem;border-bottom:1px "
    "solid "
    "#ddd;text-align:left;vertical-align:top}th{vertical-align:bottom}th.n,td.n{text-align:right}"
    "td.n{font-variant-numeric:tabular-nums;white-space:nowrap}code{overflow-wrap:anywhere}\n"
    "h2{margin-top:3rem;border-top:2px solid #888;padding-top:.5rem;break-after:avoid}.ok{color:#176b2c}"
    ".bad{color:#b00020;font-weight:bold}.shown{color:#666}thead{display:table-header-group}"
    "tr,figure,dl,.signatures{break-inside:avoid}\n"
    "figure{display:inline-block;width:48%;margin:.5rem 0;vertical-align:top}figure "
    "svg{width:100%;height:auto}img{width:100%}dt{font-weight:bold}dd{margin:0 0 .4rem 0}.signatures "
    "td{height:2.6rem}\n"
    "@media print{body{font-size:9pt;line-height:1.4;max-width:none;margin:0;padding:0}h1{font-size:22pt}"
    "h2{font-size:13pt;margin-top:8mm}table{font-size:7.5pt;line-height:1.3}th,td{padding:.6mm 1.2mm}}\n"
    "@media screen and (max-width:700px){body{margin:1rem "
    "auto}table{display:block;overflow-x:auto;font-size:13px}"
    "th,td{padding:.15rem .3rem}td:first-child{min-width:8rem}figure{display:block;width:100%}}\n"
    "</style></head><body>\n<h1>Sagbend: verification</h1>\n";

static void write_head(FILE *out, const char *build, const struct verify_outcome *all, int count) {
  int passed = 0;
  double wall_s = 0;
  for (int i = 0; i < count; i++)
    passed += all[i].ok, wall_s += all[i].result.wall_s;
  fputs(HEAD, out);
  fprintf(out, "<p>Version %s, build <code>%s</code>. %d of %d cases hold; %.1f s of computation.</p>\n",
          program_version(), build, passed, count, wall_s);
  fputs("<p>Each case runs the same code as a simulation does. A row compares one quantity with a reference "
        "that does not come from this code, or with this code's own fine solution where the row states so. "
        "<b>error</b> is the distance to the reference, in the unit or relative (rel); the row holds while "
        "it is within <b>limit</b>. Rows marked shown put a published figure beside ours without judging "
        "it.</p>\n<p>",
        out);
  markup_put(out, SOURCES);
  fputs("</p>\n<table><thead><tr><th>case</th><th>what it computes</th><th class=\"n\">rows</th><th "
        "class=\"n\">wall time</th><th>verdict</th></tr></thead>\n",
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
  fputs("<table><thead><tr><th>quantity</th><th class=\"n\">computed</th><th class=\"n\">reference</th>"
        "<th>unit</th><th class=\"n\">error</th><th class=\"n\">limit</th><th>result</th></tr></thead>\n",
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

// How a page shows the plots: not, as SVG in it, or as the PNG files, of which a PDF is made in less
// than half the time.
enum plots { NO_PLOTS, PLOTS_INSIDE, PLOTS_BESIDE };

// The SVG of a plot, without its XML head, under the plot's title; nothing if gnuplot left none.
static void inline_svg(FILE *out, const char *folder, const char *name, const struct verify_plot *plot,
                       int index) {
  char path[1200], line[4096];
  snprintf(path, sizeof path, "%s/%s-%d.svg", folder, name, index + 1);
  FILE *in = fopen(path, "r");
  int inside = 0;
  while (in && fgets(line, sizeof line, in)) {
    char *start = inside ? line : strstr(line, "<svg");
    if (!start)
      continue;
    inside = 1;
    if (!strncmp(start, "<title>", 7)) {
      fputs("<title>", out), markup_put(out, plot->title), fputs("</title>\n", out);
    } else {
      fputs(start, out);
    }
  }
  if (in)
    fclose(in);
}

static void write_case(FILE *out, const struct verify_outcome *o, const char *folder, enum plots plots) {
  const struct verify_result *r = &o->result;
  fprintf(out, "<h2 id=\"%s\">%s <small class=\"%s\">%s</small></h2>\n<dl><dt>Method</dt><dd>", o->c->name,
          o->c->title, o->ok ? "ok" : "bad", o->ok ? "holds" : "FAILED");
  markup_put(out, o->c->text);
  fputs("</dd><dt>Expected: the reference</dt><dd>", out);
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
    if (plots == PLOTS_INSIDE) {
      inline_svg(out, folder, o->c->name, &r->plots[p], p);
    } else {
      fprintf(out, "<img src=\"%s-%d.png\" alt=\"", o->c->name, p + 1);
      markup_put(out, r->plots[p].title);
      fputs("\">", out);
    }
    fputs("</figure>\n", out);
  }
}

static const char SIGNATURES[] =
    "<div class=\"signatures\"><h2 "
    "id=\"signatures\">Signatures</h2>\n<table><thead><tr><th>role</th><th>name</th>"
    "<th>date</th><th>signature</th></tr></thead><tr><td>computed by</td><td></td><td></td><td></td></tr>"
    "<tr><td>witnessed by</td><td></td><td></td><td></td></tr></table></div>\n</body></html>\n";

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

static int write_page(const char *folder, const char *name, enum plots plots, const char *build,
                      const struct verify_outcome *outcomes, int count) {
  char path[1100];
  struct output_file page;
  struct reason why;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (output_file_open_atomic(&page, path, &why) != STATUS_OK) {
    fprintf(stderr, "sagbend: %s\n", why.text);
    return -1;
  }
  write_head(page.stream, build, outcomes, count);
  for (int i = 0; i < count; i++)
    write_case(page.stream, &outcomes[i], folder, plots);
  fputs(SIGNATURES, page.stream);
  if (output_file_close(&page, &why) == STATUS_OK)
    return 0;
  fprintf(stderr, "sagbend: %s\n", why.text);
  return -1;
}

int verify_report_write(const char *folder, const char *build, const struct verify_outcome *outcomes,
                        int count) {
  static const char PAGES[] = "report.pdf.html"; // gone when the PDF is made
  char path[1100];
  const int drawn = verify_plots_write(folder, outcomes, count);
  if (drawn < 0 ||
      write_page(folder, "index.html", drawn ? PLOTS_INSIDE : NO_PLOTS, build, outcomes, count) ||
      write_page(folder, PAGES, drawn ? PLOTS_BESIDE : NO_PLOTS, build, outcomes, count))
    return -1;
  report_pdf("sagbend verify", folder, PAGES);
  snprintf(path, sizeof path, "%s/%s", folder, PAGES);
  unlink(path);
  return 0;
}
