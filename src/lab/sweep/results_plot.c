// Plots of the results by gnuplot: NAME.gp, NAME.svg and NAME.png for each plot. Where several points have
// the same place in a plot, as draws have, it shows their mean.
#include "lab/sweep/sweep_internal.h"

#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void setting(FILE *out, const char *what, const char *text, const char *otherwise) {
  fprintf(out, "set %s ", what);
  gnuplot_quoted(out, *text ? text : otherwise);
  fputc('\n', out);
}

static void word_tics(FILE *out, const char *axis, char *const *word, int count) {
  fprintf(out, "set %s (", axis);
  for (int i = 0; i < count; i++) {
    fputs(i ? ", " : "", out);
    gnuplot_quoted(out, word[i]);
    fprintf(out, " %d", i);
  }
  fputs(")\n", out);
}

// The border between a place and the next one on the same axis.
static double half_way(const struct marks *m, double here, int is_x, int upwards) {
  double nearest = (double)INFINITY;
  for (int i = 0; i < m->count; i++) {
    double d = (is_x ? m->item[i].x : m->item[i].y) - here;
    if ((upwards ? d : -d) > 0 && fabs(d) < nearest)
      nearest = fabs(d);
  }
  if (!isfinite(nearest)) // the outermost place is as wide as on its other side
    for (int i = 0; i < m->count; i++) {
      double d = fabs((is_x ? m->item[i].x : m->item[i].y) - here);
      if (d > 0 && d < nearest)
        nearest = d;
    }
  return here + (upwards ? 0.5 : -0.5) * (isfinite(nearest) ? nearest : 1);
}

static void write_map(FILE *out, const struct marks *m) {
  fputs("$places << EOD\n", out);
  for (int i = 0; i < m->count; i++) {
    const struct mark *at = &m->item[i];
    fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", at->x, at->y, half_way(m, at->x, 1, 0),
            half_way(m, at->x, 1, 1), half_way(m, at->y, 0, 0), half_way(m, at->y, 0, 1), at->value);
  }
  fputs("EOD\nset palette defined (0 '#2b6cb0', 1 '#f6e05e', 2 '#c53030')\nunset key\nset autoscale "
        "noextend\nset style fill solid "
        "noborder\n"
        "plot $places using 1:2:3:4:5:6:7 with boxxyerror fillcolor palette\n",
        out);
}

static void write_series(FILE *out, const struct marks *m, int series, int is_polar) {
  double first_x = NAN, first_y = NAN, last_x = NAN;
  fprintf(out, "$series%d << EOD\n", series);
  for (int i = 0; i < m->count; i++) {
    if (m->item[i].series != series)
      continue;
    if (isnan(first_x)) {
      first_x = m->item[i].x;
      first_y = m->item[i].value;
    }
    last_x = m->item[i].x;
    fprintf(out, "%.9g %.9g\n", last_x, m->item[i].value);
  }
  if (is_polar && last_x - first_x > 180 && last_x - first_x < 360) // closes the circle
    fprintf(out, "%.9g %.9g\n", first_x + 360, first_y);
  fputs("EOD\n", out);
}

// Circles at round numbers, the outermost beyond all marks.
static void write_polar_axes(FILE *out, const struct marks *m, const struct plan_plot *plot) {
  char label[2 * PLAN_NAME + 32];
  double most = 0;
  for (int i = 0; i < m->count; i++)
    most = fmax(most, m->item[i].value);
  double step = pow(10, floor(log10(most > 0 ? most : 1))), end;
  step *= most / step > 5 ? 2 : most / step > 2 ? 1 : 0.5;
  end = step * ceil(most > 0 ? most / step : 1);
  fputs(
      "set polar\nset angles degrees\nset theta top clockwise\nunset border\nunset xtics\nunset ytics\n"
      "set grid polar 30 linetype 1 linecolor rgb '#aaaaaa' linewidth 0.5\nset ttics 0,30\nset size square\n"
      "set trange [0:360]\nunset ylabel\n",
      out);
  snprintf(label, sizeof label, "circles: %s; angle: %s", *plot->y_label ? plot->y_label : plot->y,
           *plot->x_label ? plot->x_label : plot->x);
  setting(out, "xlabel noenhanced", label, "");
  fprintf(out, "set rrange [0:%.9g]\nset rtics %.9g\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", end,
          step, -1.1 * end, 1.1 * end, -1.1 * end, 1.1 * end);
}

static void write_lines(FILE *out, const struct marks *m, const struct plan_plot *plot) {
  int is_polar = plot->kind == PLAN_POLAR;
  for (int i = 0; i < m->series_count; i++)
    write_series(out, m, i, is_polar);
  if (is_polar)
    write_polar_axes(out, m, plot);
  fputs(*plot->by ? "set key outside right title " : "unset key # ", out);
  gnuplot_quoted(out, *plot->by_label ? plot->by_label : plot->by);
  fputs("\nplot ", out);
  for (int i = 0; i < m->series_count; i++) {
    fprintf(out, "%s$series%d using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 0.5 title ",
            i ? ", " : "", i);
    gnuplot_quoted(out, m->series[i]);
  }
  fputc('\n', out);
}

// A plot of a part looks like one of the whole: lines pass over points that are missing.
static void write_part(FILE *out, const struct results *r) {
  const int all = r->plan->point_count - r->unneeded, there = r->passed + r->failed;
  char text[96];
  if (there == all)
    return;
  snprintf(text, sizeof text, "%d of %d points have a result; the plot passes over the others", there, all);
  fputs("set label 1 ", out);
  gnuplot_quoted(out, text);
  fputs(" at screen 0.02, screen 0.975 left noenhanced textcolor rgb '#a3142e'\n", out);
}

static void write_script(FILE *out, const struct results *r, const struct plan_plot *plot,
                         const struct marks *m) {
  fputs("set encoding utf8\nset grid\n", out);
  write_part(out, r);
  setting(out, "title noenhanced", plot->title, r->plan->name);
  setting(out, "xlabel noenhanced", plot->x_label, plot->x);
  setting(out, "ylabel noenhanced", plot->y_label, plot->y);
  setting(out, "cblabel noenhanced", plot->value_label, plot->value);
  if (m->x_is_word)
    word_tics(out, "xtics", m->x_word, m->x_count);
  if (m->y_is_word)
    word_tics(out, "ytics", m->y_word, m->y_count);
  fputs("set terminal svg size 800,600 noenhanced font 'DejaVu Sans,12' background 'white'\nset output ",
        out);
  char file[96];
  snprintf(file, sizeof file, "%s.svg", plot->name);
  gnuplot_quoted(out, file);
  fputc('\n', out);
  if (plot->kind == PLAN_MAP)
    write_map(out, m);
  else
    write_lines(out, m, plot);
  fputs("set terminal pngcairo size 800,600 noenhanced font 'DejaVu Sans,10'\nset output ", out);
  snprintf(file, sizeof file, "%s.png", plot->name);
  gnuplot_quoted(out, file);
  fputs("\nreplot\n", out);
}

static enum status write_plot(const struct results *r, const struct plan_plot *plot, const struct marks *m,
                              struct reason *why) {
  char path[SWEEP_PATH + 96], name[80];
  struct output_file file;
  snprintf(name, sizeof name, "%s.gp", plot->name);
  snprintf(path, sizeof path, "%s/%s", r->folder->path, name);
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  write_script(file.stream, r, plot, m);
  status = output_file_close(&file, why);
  if (status != STATUS_OK)
    return status;
  if (gnuplot_draw(r->folder->path, name, path))
    printf("%-20s %s/%s.png\n", "plot", shown(r->folder->path).text, plot->name);
  return STATUS_OK;
}

static void plot_marks_free(struct marks *m);

static enum status plot_marks_take(struct marks *m, const struct results *r, const struct plan_plot *plot,
                                   const int column[4]);

static enum status plot_one(const struct results *r, const struct plan_plot *plot, struct reason *why) {
  const char *const names[4] = {plot->x, plot->y, plot->by, plot->value};
  int column[4];
  struct marks marks;
  for (int i = 0; i < 4; i++) {
    column[i] = *names[i] ? results_find_column(r, names[i]) : -1;
    if (*names[i] && column[i] < 0) {
      fprintf(stderr, "sagbend: notice: plot %s: the results have no column '%s'\n", plot->name, names[i]);
      return STATUS_OK;
    }
  }
  enum status status = plot_marks_take(&marks, r, plot, column);
  if (status != STATUS_OK)
    status = fail(why, status, "out of memory for the plot %s", plot->name);
  else if (marks.count == 0)
    fprintf(stderr, "sagbend: notice: plot %s: no point has numbers for it\n", plot->name);
  else
    status = write_plot(r, plot, &marks, why);
  plot_marks_free(&marks);
  return status;
}

enum status results_plot(const struct results *r, struct reason *why) {
  enum status status = STATUS_OK;
  for (int i = 0; i < r->plan->plot_count && status == STATUS_OK; i++)
    status = plot_one(r, &r->plan->plot[i], why);
  return status;
}

// ------------------------------------------------------------
// Index of a text in a list that grows; -1: out of memory.
static int index_of(char ***list, int *count, const char *text) {
  for (int i = 0; i < *count; i++)
    if (!strcmp((*list)[i], text))
      return i;
  char **more = realloc(*list, ((size_t)*count + 1) * sizeof *more);
  if (!more)
    return -1;
  *list = more;
  more[*count] = strdup(text);
  return more[*count] ? (*count)++ : -1;
}

static int is_number_text(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return end != text && !*end && isfinite(*out);
}

static int by_place(const void *left, const void *right) {
  const struct mark *a = left, *b = right;
  if (a->series != b->series)
    return a->series < b->series ? -1 : 1;
  if (a->x != b->x)
    return a->x < b->x ? -1 : 1;
  return a->y < b->y ? -1 : a->y > b->y;
}

// Sorts the marks and replaces those of one place by their mean, or their least: of y, or for a map of the
// value.
static void merge(struct marks *m, int is_map, int is_least) {
  int kept = 0;
  for (int i = 0; !is_map && i < m->count; i++) {
    m->item[i].value = m->item[i].y;
    m->item[i].y = 0;
  }
  if (m->count > 1)
    qsort(m->item, (size_t)m->count, sizeof *m->item, by_place);
  for (int i = 0; i < m->count;) {
    double sum = 0, least = m->item[i].value;
    int n = 0;
    for (; i + n < m->count && by_place(&m->item[i], &m->item[i + n]) == 0; n++) {
      sum += m->item[i + n].value;
      least = fmin(least, m->item[i + n].value);
    }
    m->item[kept] = m->item[i];
    m->item[kept++].value = is_least ? least : sum / n;
    i += n;
  }
  m->count = kept;
}

static int words_in_column(const struct results *r, int column) {
  double x;
  int found = 0;
  for (int number = 1; number <= r->plan->point_count && !found; number++) {
    struct plan_point point;
    if (plan_point_make(r->plan, number, &point) == STATUS_OK) {
      struct results_cell cell = results_cell(r, &point, column);
      found = *cell.text && !is_number_text(cell.text, &x);
    }
    plan_point_free(&point);
  }
  return found;
}

static void add_mark(struct marks *m, const struct results *r, const struct plan_point *point,
                     const int column[4]) {
  struct results_cell x = results_cell(r, point, column[0]), y = results_cell(r, point, column[1]);
  struct results_cell by = {""}, value = {"0"};
  struct mark mark = {.series = 0};
  if (column[2] >= 0)
    by = results_cell(r, point, column[2]);
  if (column[3] >= 0)
    value = results_cell(r, point, column[3]);
  if (!*x.text || !*y.text || !is_number_text(value.text, &mark.value))
    return;
  mark.series = index_of(&m->series, &m->series_count, by.text);
  if (m->x_is_word)
    mark.x = index_of(&m->x_word, &m->x_count, x.text);
  else if (!is_number_text(x.text, &mark.x))
    return;
  if (m->y_is_word)
    mark.y = index_of(&m->y_word, &m->y_count, y.text);
  else if (!is_number_text(y.text, &mark.y))
    return;
  if (mark.series >= 0)
    m->item[m->count++] = mark;
}

// Takes the rows of the table that have all values which the plot shows. Where several have the same place it
// keeps their mean. column: of x, y, by and value, -1: none. STATUS_NO_MEMORY is the only failure. Release
// with plot_marks_free in every case.
static enum status plot_marks_take(struct marks *m, const struct results *r, const struct plan_plot *plot,
                                   const int column[4]) {
  *m = (struct marks){.x_is_word = words_in_column(r, column[0])};
  m->y_is_word = plot->kind == PLAN_MAP && words_in_column(r, column[1]);
  m->item = calloc((size_t)r->plan->point_count, sizeof *m->item);
  if (!m->item)
    return STATUS_NO_MEMORY;
  for (int number = 1; number <= r->plan->point_count; number++) {
    struct plan_point point;
    if (plan_point_make(r->plan, number, &point) == STATUS_OK)
      add_mark(m, r, &point, column);
    plan_point_free(&point);
  }
  merge(m, plot->kind == PLAN_MAP, results_is_limit(r, column[plot->kind == PLAN_MAP ? 3 : 1]));
  return STATUS_OK;
}

static void free_words(char **list, int count) {
  for (int i = 0; i < count; i++)
    free(list[i]);
  free(list);
}

static void plot_marks_free(struct marks *m) {
  free_words(m->series, m->series_count);
  free_words(m->x_word, m->x_count);
  free_words(m->y_word, m->y_count);
  free(m->item);
}
