// The window of a lay as text, JSON, CSV and plot.
#include "programs/sagbend/sagbend_program_internal.h"

#include "os/cli/gnuplot.h"
#include "os/files/json_text.h"
#include "os/files/output_file.h"

#include <math.h>
#include <string.h>

static int point_count(const struct window *w) {
  return w->depths.count * w->forces.count;
}

static int is_within(const struct window_point *p) {
  return p->found && p->broken < 0;
}

// "", or the name of the first verdict that does not hold, or "no equilibrium".
static const char *state_of(const struct window_point *p, const struct config *c) {
  return !p->found ? "no equilibrium" : p->broken < 0 ? "" : c->scenario.verdict[p->broken].name;
}

static void print_spans(const struct window *w) {
  for (int d = 0; d < w->depths.count; d++) {
    int spans = 0;
    printf("depth %g m: ", w->depths.value[d]);
    for (int i = 0; i < w->span_count; i++) {
      const struct window_span *s = &w->span[i];
      if (s->depth_m != w->depths.value[d])
        continue;
      printf("%s%.6g%s to %.6g N%s", spans++ ? ", " : "", s->from_n, s->from_open ? " (or less)" : "",
             s->to_n, s->to_open ? " (or more)" : "");
    }
    puts(spans ? "" : "no tension of the range");
  }
}

void window_print(const struct window *w, const struct config *c) {
  printf("%9s %12s %10s", "depth_m", "force_n", "length_m");
  for (int k = 0; k < w->columns; k++)
    printf(" %19s", quantity_shown_name((int)window_columns[k]));
  puts("  limit");
  for (int i = 0; i < point_count(w); i++) {
    const struct window_point *p = &w->point[i];
    printf("%9g %12g %10.1f", p->depth_m, p->force_n, p->length_m);
    for (int k = 0; k < w->columns; k++)
      if (isnan(p->shown[k]))
        printf(" %19s", "none");
      else
        printf(" %19.6g", p->shown[k]);
    printf("  %s%s%s\n", state_of(p, c), p->found ? "" : ": ", p->found ? "" : p->why.text);
  }
  printf("\nhorizontal tensions at which %s\n", w->limits
                                                    ? "the verdicts on an equilibrium hold"
                                                    : "there is an equilibrium (no verdict limits one)");
  print_spans(w);
}

enum status window_print_json(const struct window *w, const struct config *c) {
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "name", c->name);
  cJSON_AddNumberToObject(root, "limits", w->limits);
  cJSON *points = cJSON_AddArrayToObject(root, "points"), *window = cJSON_AddArrayToObject(root, "window");
  for (int i = 0; i < point_count(w); i++) {
    const struct window_point *p = &w->point[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(points, item);
    cJSON_AddNumberToObject(item, "depth_m", p->depth_m);
    cJSON_AddNumberToObject(item, "horizontal_force_n", p->force_n);
    cJSON_AddNumberToObject(item, "length_m", p->length_m);
    for (int k = 0; k < w->columns; k++)
      cJSON_AddNumberToObject(item, quantity_shown_name((int)window_columns[k]),
                              p->shown[k]); // not finite: null
    cJSON_AddBoolToObject(item, "within", is_within(p));
    cJSON_AddStringToObject(item, "limit", state_of(p, c));
  }
  for (int i = 0; i < w->span_count; i++) {
    const struct window_span *s = &w->span[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(window, item);
    cJSON_AddNumberToObject(item, "depth_m", s->depth_m);
    cJSON_AddNumberToObject(item, "from_n", s->from_n);
    cJSON_AddNumberToObject(item, "to_n", s->to_n);
    cJSON_AddBoolToObject(item, "from_open", s->from_open);
    cJSON_AddBoolToObject(item, "to_open", s->to_open);
  }
  char *text = json_end(root);
  if (!text)
    return STATUS_NO_MEMORY;
  puts(text);
  cJSON_free(text);
  return STATUS_OK;
}

enum status window_write_table(const struct window *w, const struct config *c, const char *path,
                               struct reason *why) {
  struct output_file file;
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK || !file.stream)
    return status;
  fputs("depth_m,horizontal_force_n,length_m", file.stream);
  for (int k = 0; k < w->columns; k++)
    fprintf(file.stream, ",%s", quantity_shown_name((int)window_columns[k]));
  fputs(",within,limit\n", file.stream);
  for (int i = 0; i < point_count(w); i++) {
    const struct window_point *p = &w->point[i];
    fprintf(file.stream, "%.12g,%.12g,%.12g", p->depth_m, p->force_n, p->length_m);
    for (int k = 0; k < w->columns; k++)
      if (isnan(p->shown[k]))
        fputs(",nan", file.stream);
      else
        fprintf(file.stream, ",%.12g", p->shown[k]);
    fprintf(file.stream, ",%d,\"%s\"\n", is_within(p), state_of(p, c));
  }
  return output_file_close(&file, why);
}

// A panel: a quantity over the tension, a line for each depth; a circle where a limit does not hold.
static void write_panel(FILE *out, const struct window *w, int column) {
  const struct quantity_info *info = &quantity_table[window_columns[column]];
  fprintf(out, "set ylabel \"%s%s%s%s\"\nplot ", info->shown_name, *info->shown_unit ? " (" : "",
          info->shown_unit, *info->shown_unit ? ")" : "");
  for (int d = 0; d < w->depths.count; d++)
    fprintf(out, "%s$data index %d using 1:%d with lines lc %d title \"%g m\"", d ? ", " : "", d, column + 2,
            d + 1, w->depths.value[d]);
  fprintf(
      out,
      ", $data using 1:($%d > 0.5 ? NaN : $%d) with points pt 7 ps 0.5 lc rgb \"red\" title \"outside\"\n",
      w->columns + 2, column + 2);
}

static void write_script(FILE *out, const struct window *w, const char *image) {
  fputs("# Made by sagbend statics --plot. Columns: horizontal tension (kN), the quantities, within "
        "(1).\n$data << "
        "EOD\n",
        out);
  for (int d = 0; d < w->depths.count; d++) {
    for (int i = 0; i < w->forces.count; i++) {
      const struct window_point *p = &w->point[d * w->forces.count + i];
      fprintf(out, "%.9g", 1e-3 * p->force_n);
      for (int k = 0; k < w->columns; k++)
        if (isnan(p->shown[k]))
          fputs(" NaN", out);
        else
          fprintf(out, " %.9g", p->shown[k]);
      fprintf(out, " %d\n", is_within(p));
    }
    fputs("\n\n", out);
  }
  fprintf(
      out,
      "EOD\nset terminal pngcairo size 1000,1200 noenhanced font 'DejaVu Sans,9'\nset output \"%s\"\n"
      "set multiplot layout 3,2\nset grid\nset key outside right\nset xlabel \"horizontal tension (kN)\"\n",
      image);
  for (int k = 0; k < w->columns; k++)
    write_panel(out, w, k);
  fputs("unset multiplot\n", out);
}

enum status window_plot(const struct window *w, const char *name, struct reason *why) {
  char script[512], image[512];
  struct output_file file;
  if (strlen(name) > sizeof script - 8 || strchr(name, '"') || strchr(name, '\\'))
    return fail(why, STATUS_BAD_INPUT, "--plot: a shorter name without quotes and backslashes expected");
  snprintf(script, sizeof script, "%s.gp", name);
  snprintf(image, sizeof image, "%s.png", name);
  enum status status = output_file_open_atomic(&file, script, why);
  if (status != STATUS_OK)
    return status;
  write_script(file.stream, w, image);
  status = output_file_close(&file, why);
  if (status != STATUS_OK)
    return status;
  gnuplot_draw(NULL, script, script);
  return STATUS_OK;
}
