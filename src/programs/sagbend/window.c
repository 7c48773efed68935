// The length of pipe on the seabed stays that of the configuration: the suspended length changes with depth
// and tension as that of a catenary, and so does the length of the pipe, by whole elements of the longest
// part of the mesh.
#include "programs/sagbend/sagbend_program_internal.h"

#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/pipeline/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const enum quantity window_columns[WINDOW_COLUMNS] = {QUANTITY_HANGOFF_TENSION, QUANTITY_HANGOFF_ANGLE,
                                                      QUANTITY_LAYBACK,         QUANTITY_TOUCHDOWN_TENSION,
                                                      QUANTITY_STRAIN,          QUANTITY_UTILISATION};

static const int HALVINGS = 10; // of an interval of the range, at an edge of the window

static enum status read_range(const char *option, const char *text, double own, struct window_range *out,
                              struct reason *why) {
  struct number_range range = {own, own, 1, 1};
  if (text && (!number_range_read(text, WINDOW_VALUES, &range) || !(range.first > 0)))
    return fail(why, STATUS_BAD_INPUT,
                "--%s: FIRST:LAST:STEP or a number, positive and at most %d values expected, got '%.60s'",
                option, WINDOW_VALUES, text);
  out->count = range.count;
  for (int i = 0; i < range.count; i++)
    out->value[i] = number_range_at(&range, i);
  return STATUS_OK;
}

// Suspended length of a catenary.
static double suspended_m(const struct sim_def *def, double depth_m, double force_n) {
  double height = fmax(0, depth_m - def->vessel.hangoff_b_m[2]),
         weight = pipe_mean_weight(&def->pipe, &def->env);
  return sqrt(height * (height + 2 * force_n / weight));
}

// Adds a length to the longest part of the mesh, by whole elements.
static int lengthen(struct pipe_def *pipe, double more_m) {
  struct mesh_segment *part = NULL;
  for (int i = 0; i < pipe->mesh_segment_count; i++)
    if (!part || pipe->mesh[i].length_m > part->length_m)
      part = &pipe->mesh[i];
  double whole_m = part ? part->length_m : pipe->length_m;
  int elements = part ? part->elements : pipe->elements, more = (int)lround(more_m / (whole_m / elements));
  if (elements + more < 2 || elements + more > 100000)
    return 0;

  more_m = whole_m / elements * more;
  pipe->elements += more;
  pipe->length_m += more_m;
  if (part) {
    part->elements += more;
    part->length_m += more_m;
  }
  return 1;
}

static int is_limit(const struct verdict_def *verdict) {
  return quantity_groups[quantity_table[verdict->quantity].group].at_rest && !verdict->expect_violated;
}

struct finder {
  const struct config *config;
  struct sim_def def;
  void *memory;
  size_t size;
  struct reason no_memory; // of a point, which says nothing of the pipe; "": none
};

static enum status solve(struct finder *f, struct sim **sim, struct reason *why) {
  size_t size;
  enum status status = sim_memsize(&f->def, &size, why);
  if (status == STATUS_OK && size > f->size) {
    free(f->memory);
    f->memory = aligned_alloc(64, (size + 63) / 64 * 64);
    f->size = f->memory ? size : 0;
  }
  return status == STATUS_OK ? sim_create(&f->def, f->memory, f->size, sim, why) : status;
}

static void judge(const struct finder *f, const struct sim *sim, struct window_point *point) {
  const struct scenario_def *scenario = &f->config->scenario;
  struct sim_output o;
  sim_get_output(sim, &o);
  const struct loop_view view = {.truth = &o};
  for (int k = 0; k < WINDOW_COLUMNS; k++)
    point->shown[k] =
        quantity_exists(window_columns[k], &view) ? quantity_shown(window_columns[k], &view) : (double)NAN;
  for (int i = scenario->verdict_count - 1; i >= 0; i--) {
    const struct verdict_def *verdict = &scenario->verdict[i];
    double value = is_limit(verdict) ? quantity_shown(verdict->quantity, &view) : 0;
    if (is_limit(verdict) && !(value >= verdict->low && value <= verdict->high))
      point->broken = i;
  }
}

static void find_point(struct finder *f, double depth_m, double force_n, struct window_point *point) {
  const struct sim_def *own = &f->config->sim;
  struct sim *sim = NULL;
  *point = (struct window_point){.depth_m = depth_m, .force_n = force_n, .broken = -1};
  for (int k = 0; k < WINDOW_COLUMNS; k++)
    point->shown[k] = (double)NAN;
  f->def = *own;
  f->def.env.depth_m = depth_m;
  f->def.statics.horizontal_force_n = force_n;
  double more_m = suspended_m(own, depth_m, force_n) -
                  suspended_m(own, own->env.depth_m, own->statics.horizontal_force_n);
  if (!lengthen(&f->def.pipe, more_m)) {
    fail(&point->why, STATUS_BAD_INPUT, "the mesh cannot be shortened by %.0f m", -more_m);
    return;
  }
  point->length_m = f->def.pipe.length_m;
  const enum status status = solve(f, &sim, &point->why);
  point->found = status == STATUS_OK;
  if (point->found)
    judge(f, sim, point);
  if (status == STATUS_NO_MEMORY)
    f->no_memory = point->why;
}

static int is_within(const struct window_point *p) {
  return p->found && p->broken < 0;
}

// Tension at the edge between a point within and one outside.
static double edge(struct finder *f, const struct window_point *within, const struct window_point *outside) {
  double in = within->force_n, out = outside->force_n;
  for (int i = 0; i < HALVINGS; i++) {
    struct window_point middle;
    find_point(f, within->depth_m, 0.5 * (in + out), &middle);
    if (is_within(&middle))
      in = middle.force_n;
    else
      out = middle.force_n;
  }
  return in;
}

static void find_spans(struct finder *f, struct window *w, const struct window_point *row) {
  int last = w->forces.count - 1;
  for (int i = 0; i <= last && w->span_count < WINDOW_VALUES; i++) {
    if (!is_within(&row[i]) || (i > 0 && is_within(&row[i - 1])))
      continue;
    int end = i;
    while (end < last && is_within(&row[end + 1]))
      end++;
    w->span[w->span_count++] =
        (struct window_span){.depth_m = row[i].depth_m,
                             .from_open = i == 0,
                             .to_open = end == last,
                             .from_n = i > 0 ? edge(f, &row[i], &row[i - 1]) : row[i].force_n,
                             .to_n = end < last ? edge(f, &row[end], &row[end + 1]) : row[end].force_n};
  }
}

static enum status check_case(const struct config *c, struct reason *why) {
  const struct sim_def *def = &c->sim;
  if (def->pipe.elements == 0 || def->statics.kind != STATICS_HORIZONTAL_FORCE ||
      def->env.bathymetry.north_nodes)
    return fail(why, STATUS_BAD_INPUT,
                "--depths and --forces need a configuration with a pipe and statics.horizontal_force_n, "
                "without bathymetry");
  if (!(pipe_mean_weight(&def->pipe, &def->env) > 0))
    return fail(why, STATUS_BAD_INPUT, "--depths and --forces need a pipe that sinks");
  return STATUS_OK;
}

enum status window_find(struct loaded *s, const char *depths, const char *forces, struct window *w,
                        struct reason *why) {
  const struct config *c = &s->setup.config;
  *w = (struct window){.columns = WINDOW_COLUMNS - !c->sim.code_check.enabled};
  enum status status = check_case(c, why);
  if (status == STATUS_OK)
    status = read_range("depths", depths, c->sim.env.depth_m, &w->depths, why);
  if (status == STATUS_OK)
    status = read_range("forces", forces, c->sim.statics.horizontal_force_n, &w->forces, why);
  if (status == STATUS_OK && w->depths.count * w->forces.count > WINDOW_POINTS)
    status = fail(why, STATUS_BAD_INPUT, "--depths, --forces: at most %d points expected, got %d",
                  WINDOW_POINTS, w->depths.count * w->forces.count);
  if (status != STATUS_OK)
    return status;

  struct finder *f = calloc(1, sizeof *f);
  w->point = calloc(WINDOW_POINTS, sizeof *w->point);
  w->span = calloc(WINDOW_VALUES, sizeof *w->span);
  if (!f || !w->point || !w->span) {
    free(f);
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  f->config = c;
  for (int i = 0; i < c->scenario.verdict_count; i++)
    w->limits += is_limit(&c->scenario.verdict[i]);
  for (int d = 0; d < w->depths.count; d++) {
    struct window_point *row = &w->point[d * w->forces.count];
    for (int i = 0; i < w->forces.count; i++)
      find_point(f, w->depths.value[d], w->forces.value[i], &row[i]);
    find_spans(f, w, row);
  }
  if (f->no_memory.text[0])
    status = fail(why, STATUS_NO_MEMORY, "%s", f->no_memory.text);
  free(f->memory);
  free(f);
  return status;
}

void window_free(struct window *w) {
  free(w->point);
  free(w->span);
  *w = (struct window){0};
}

// ------------------------------------------------------------
// The window of a lay as text, JSON, CSV and plot.

static int point_count(const struct window *w) {
  return w->depths.count * w->forces.count;
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
