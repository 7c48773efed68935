// One script for gnuplot: every plot as SVG and as PNG, then the PDF, whose pages of text are labels on empty
// plots.
#include "verification/report/report_internal.h"

#include "os/cli/gnuplot.h"
#include "os/cli/version.h"
#include "os/process/rt_process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

int verify_plots_write(const char *folder, const char *build, const struct verify_outcome *outcomes,
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
