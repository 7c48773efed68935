// The table of verification cases: what each one computes and where its reference comes from.
#include "verification/report/report.h"
#include "verification/report/report_internal.h"

#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "verification/harness/harness.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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
    "h2{font-size:13pt;margin-top:8mm}table{font-size:7.5pt;line-height:1.3;table-layout:fixed}"
    "th,td{padding:.6mm 1.2mm}td.n{white-space:normal;overflow-wrap:anywhere}"
    ".cases th:nth-child(1){width:36mm}.cases th:nth-child(3){width:9mm}"
    ".cases th:nth-child(n+4){width:16mm}"
    ".rows th:nth-child(2){width:21mm}.rows th:nth-child(3){width:27mm}.rows th:nth-child(4){width:12mm}"
    ".rows th:nth-child(5){width:19mm}.rows th:nth-child(6){width:14mm}.rows "
    "th:nth-child(7){width:13mm}}\n"
    "@media screen and (max-width:700px){body{margin:1rem "
    "auto}table{display:block;overflow-x:auto;font-size:13px}"
    "th,td{padding:.15rem .3rem}td:first-child{min-width:8rem}figure{display:block;width:100%}}\n"
    "</style></head><body>\n<h1>Sagbend: verification</h1>\n";

// What is known only of a selection, or of another simulator than the one beside this program, stands first.
static void write_claim(FILE *out, const struct verify_builds *builds, int passed, int count) {
  char day[40] = "unknown";
  struct tm utc;
  const time_t now = time(NULL);
  if (gmtime_r(&now, &utc))
    strftime(day, sizeof day, "%Y-%m-%d %H:%M UTC", &utc);
  fprintf(out, "<p><b>%d of %d cases hold", passed, count);
  if (passed < count)
    fprintf(out, ", <span class=\"bad\">%d FAILED</span>", count - passed);
  fputs(".</b>", out);
  if (count < verify_count())
    fprintf(
        out,
        " <b>Of the %d cases of this version %d were not run</b>: this is no verification of the version.",
        verify_count(), verify_count() - count);
  fprintf(
      out,
      "</p>\n<p>Version %s. The cases hold for the simulator of build <code>%s</code>. Computed on %s.</p>\n",
      program_version(), builds->cases, day);
  if (!builds->is_same)
    fprintf(out,
            "<p class=\"bad\">The sagbend beside this program is another one, build <code>%s</code>: this "
            "report does "
            "not hold for it.</p>\n",
            builds->beside);
}

static void write_head(FILE *out, const struct verify_builds *builds, const struct verify_outcome *all,
                       int count) {
  int passed = 0;
  double wall_s = 0;
  for (int i = 0; i < count; i++)
    passed += all[i].ok, wall_s += all[i].result.wall_s;
  fputs(HEAD, out);
  write_claim(out, builds, passed, count);
  fprintf(out, "<p>%.1f s of computation.</p>\n", wall_s);
  fputs("<p>Each case runs the same code as a simulation does. A row compares one quantity with a reference "
        "that does not come from this code, or with this code's own fine solution where the row states so. "
        "<b>error</b> is the distance to the reference, in the unit or relative (rel); the row holds while "
        "it is within <b>limit</b>. Rows marked shown put a published figure beside ours without judging "
        "it.</p>\n<p>",
        out);
  markup_put(out, SOURCES);
  fputs("</p>\n<table class=\"cases\"><thead><tr><th>case</th><th>what it computes</th><th "
        "class=\"n\">rows</th><th "
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
  fputs("<table class=\"rows\"><thead><tr><th>quantity</th><th class=\"n\">computed</th><th "
        "class=\"n\">reference</th>"
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

static int write_page(const char *folder, const char *name, enum plots plots,
                      const struct verify_builds *builds, const struct verify_outcome *outcomes, int count) {
  char path[1100];
  struct output_file page;
  struct reason why;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (output_file_open_atomic(&page, path, &why) != STATUS_OK) {
    fprintf(stderr, "sagbend: %s\n", why.text);
    return -1;
  }
  write_head(page.stream, builds, outcomes, count);
  for (int i = 0; i < count; i++)
    write_case(page.stream, &outcomes[i], folder, plots);
  fputs(SIGNATURES, page.stream);
  if (output_file_close(&page, &why) == STATUS_OK)
    return 0;
  fprintf(stderr, "sagbend: %s\n", why.text);
  return -1;
}

int verify_report_write(const char *folder, const struct verify_builds *builds,
                        const struct verify_outcome *outcomes, int count) {
  static const char PAGES[] = "report.pdf.html"; // gone when the PDF is made
  char path[1100];
  const int drawn = verify_plots_write(folder, outcomes, count);
  if (drawn < 0 ||
      write_page(folder, "index.html", drawn ? PLOTS_INSIDE : NO_PLOTS, builds, outcomes, count) ||
      write_page(folder, PAGES, drawn ? PLOTS_BESIDE : NO_PLOTS, builds, outcomes, count))
    return -1;
  report_pdf("sagbend verify", folder, PAGES);
  snprintf(path, sizeof path, "%s/%s", folder, PAGES);
  unlink(path);
  return 0;
}
