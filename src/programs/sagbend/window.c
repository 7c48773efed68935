// The length of pipe on the seabed stays that of the configuration: the suspended length changes with depth
// and tension as that of a catenary, and so does the length of the pipe, by whole elements of the longest
// part of the mesh.
#include "programs/sagbend/sagbend_program_internal.h"

#include "sagbend/base/number_range.h"
#include "sagbend/pipe/pipe.h"

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
  point->found = solve(f, &sim, &point->why) == STATUS_OK;
  if (point->found)
    judge(f, sim, point);
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
    return fail(
        why, STATUS_BAD_INPUT,
        "--depths, --forces: a configuration with a pipe, statics.horizontal_force_n and no bathymetry "
        "expected");
  if (!(pipe_mean_weight(&def->pipe, &def->env) > 0))
    return fail(why, STATUS_BAD_INPUT, "--depths, --forces: a pipe that sinks expected");
  return STATUS_OK;
}

enum status window_find(struct loaded *s, const char *depths, const char *forces, struct window *w,
                        struct reason *why) {
  const struct config *c = &s->setup.config;
  *w = (struct window){.columns = WINDOW_COLUMNS - !c->sim.code_check.asked};
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
  free(f->memory);
  free(f);
  return STATUS_OK;
}

void window_free(struct window *w) {
  free(w->point);
  free(w->span);
  *w = (struct window){0};
}
