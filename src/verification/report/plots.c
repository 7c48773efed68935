// The plots of the cases: one script for gnuplot, which draws each of them as SVG and as PNG.
#include "verification/report/report_internal.h"

#include "os/cli/cli.h"
#include "os/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Colours of which each has a contrast of at least 4.5 on white, as names are written in them.
static const char *const COLOURS[] = {"#00598c", "#b34700", "#00704f", "#8a3a72",
                                      "#7a5c00", "#3d3d9e", "#a3142e", "#404040"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

static const char *colour_of(const struct verify_plot *p, int series) {
  return COLOURS[curve_leader(p, series) % COLOUR_COUNT];
}

static void write_data(FILE *out, const struct verify_series *s, const char *block) {
  fprintf(out, "$%s << EOD\n", block);
  for (int i = 0; i < s->count; i++)
    fprintf(out, isnan(s->y[i]) ? "\n" : "%.9g %.9g\n", s->x[i], s->y[i]);
  if (s->count == 0)
    fputs("nan nan\n", out);
  fputs("EOD\n", out);
}

static void write_legend(FILE *out, const struct verify_plot *p) {
  fprintf(out,
          "set lmargin -1\nset rmargin -1\nset tmargin -1\nset bmargin -1\nset xrange [*:*]\n"
          "set yrange [*:*] %s\nset key outside top center horizontal\n",
          p->flip_y ? "reverse" : "noreverse");
}

static void write_names(FILE *out, const struct verify_plot *p) {
  struct curve_names n;
  fputs("unset label\nunset arrow\n", out);
  if (!curve_names_place(p, &n)) {
    write_legend(out, p);
    return;
  }
  for (int s = 0; s < p->series_count; s++) {
    const struct curve_name *at = &n.at[s];
    if (curve_leader(p, s) != s)
      continue;
    fprintf(out, "set label %d ", s + 1), gnuplot_quoted(out, p->series[s].label);
    fprintf(out, " at graph %.4f, graph %.4f %s noenhanced front textcolor rgb '%s'\n", at->x, at->y,
            at->end < 0 ? "left"
            : at->end   ? "right"
                        : "center",
            colour_of(p, s));
    if (at->is_led)
      fprintf(out,
              "set arrow from graph %.4f, graph %.4f to graph %.4f, graph %.4f nohead lw 0.7 lc rgb '%s'\n",
              at->from_x, at->from_y, at->to_x, at->to_y, colour_of(p, s));
  }
  fprintf(out,
          "unset key\nset lmargin at screen %.4f\nset rmargin at screen %.4f\nset bmargin at screen %.4f\n"
          "set tmargin at screen %.4f\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g] noreverse\n",
          PLOT_LEFT, n.right, PLOT_BOTTOM, PLOT_TOP, n.x.low, n.x.high, p->flip_y ? n.y.high : n.y.low,
          p->flip_y ? n.y.low : n.y.high);
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
  fprintf(out, "\nset xrange [*:*]\nset yrange [*:*] noreverse\n%s logscale xy\n",
          p->log_axes ? "set" : "unset");
  write_names(out, p);
  fputs("plot ", out);
  for (int s = 0; s < p->series_count; s++) {
    fprintf(out, "%s$d%d with %s lc rgb '%s' ", s ? ", " : "", s, style[p->series[s].style], colour_of(p, s));
    if (curve_leader(p, s) == s)
      fputs("title ", out), gnuplot_quoted(out, p->series[s].label);
    else
      fputs("notitle", out);
  }
  fputc('\n', out);
}

static void write_script(FILE *out, const struct verify_outcome *all, int count) {
  fputs("set encoding utf8\nset grid lc '#dddddd' lt 1\nset format '%g'\n", out);
  for (int i = 0; i < count; i++)
    for (int p = 0; p < all[i].result.plot_count; p++) {
      const char *name = all[i].c->name;
      fprintf(out,
              "set terminal svg noenhanced size %g,%g font 'sans-serif,13' name 'plot%d_%d'\nset output "
              "'%s-%d.svg'\n",
              PLOT_WIDTH, PLOT_HEIGHT, i + 1, p + 1, name, p + 1);
      write_plot(out, &all[i].result.plots[p]);
      fprintf(out,
              "set terminal pngcairo noenhanced size 800,525 font 'DejaVu Sans,12'\nset output '%s-%d.png'\n",
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

int verify_plots_write(const char *folder, const struct verify_outcome *outcomes, int count) {
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
