// Bisection in the logarithm of the horizontal force, within the range in which equilibria with contact exist
// and the quantity is monotone; a value outside is refused with that range.
#include "programs/sagbend/find.h"

#include "sagbend/math/trig.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/rig/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What --find can look for: a quantity of the pipe, or the distance of the touchdown point from the lower
// end.
struct wanted {
  const char *name;
  enum quantity quantity; // QUANTITY_COUNT: that distance
};
enum { HALVINGS = 60 };
static const struct wanted TOUCHDOWN_DISTANCE = {"touchdown_m", QUANTITY_COUNT};

static double value_of(const struct wanted *wanted, const struct sim_output *o, const struct config *c) {
  const struct loop_view view = {.truth = o};
  if (wanted->quantity != QUANTITY_COUNT)
    return quantity_shown(wanted->quantity, &view);
  return hypot(o->touchdown_n_m[0] - c->sim.pipe.anchor_n_m[0],
               o->touchdown_n_m[1] - c->sim.pipe.anchor_n_m[1]);
}

// The i-th name that --find takes; 0 beyond the last.
static int name_at(int i, struct wanted *out) {
  *out = TOUCHDOWN_DISTANCE;
  if (i-- == 0)
    return 1;
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_group_info *group = &quantity_groups[quantity_table[q].group];
    *out = (struct wanted){quantity_shown_name(q), (enum quantity)q};
    if (group->needs_pipe && group->at_rest && i-- == 0)
      return 1;
  }
  return 0;
}

#define TOUCHDOWN_POINT "touchdown_point_m"

// "touchdown_point_m=X,Y": the pipe is laid from its lower end towards that point, which leaves the distance
// to be found.
static int read_point(const char *text, struct pipe_def *pipe, double *distance_m) {
  static const char name[] = TOUCHDOWN_POINT "=";
  if (strncmp(text, name, sizeof name - 1) != 0)
    return 0;
  char *comma, *end;
  double x = strtod(text + sizeof name - 1, &comma) - pipe->anchor_n_m[0];
  if (comma == text + sizeof name - 1 || *comma != ',')
    return 0;
  double y = strtod(comma + 1, &end) - pipe->anchor_n_m[1];
  if (end == comma + 1 || *end || !isfinite(x) || !isfinite(y) || (x == 0 && y == 0))
    return 0;
  pipe->lay_azimuth_rad = trig_atan2(y, x);
  *distance_m = hypot(x, y);
  return 1;
}

// The quantity with this name. 0: --find takes none of that name.
static int find_quantity(const char *name, size_t length, struct wanted *out) {
  for (int i = 0; name_at(i, out); i++)
    if (strlen(out->name) == length && !strncmp(name, out->name, length))
      return 1;
  return 0;
}

// "quantity=number"
static int read_quantity(const char *text, struct wanted *out, double *value) {
  size_t length = strcspn(text, "=");
  if (!text[length] || !find_quantity(text, length, out))
    return 0;
  char *end;
  const char *number = text + length + 1;
  *value = strtod(number, &end);
  return end > number && !*end && isfinite(*value);
}

// The quantity at a force; NaN where there is no equilibrium or no contact. The simulator is left in the
// session.
static double at_force(struct loaded *s, const struct wanted *q, double force_n) {
  struct sim_output o;
  struct reason why = {""};
  s->setup.config.sim.statics.horizontal_force_n = force_n;
  s->plant.sim = NULL;
  size_t size;
  if (sim_memsize(&s->setup.config.sim, &size, &why) != STATUS_OK)
    return NAN;
  if (!s->plant.sim_mem)
    s->plant.sim_mem = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!s->plant.sim_mem ||
      sim_create(&s->setup.config.sim, s->plant.sim_mem, size, &s->plant.sim, &why) != STATUS_OK)
    return NAN;
  sim_get_output(s->plant.sim, &o);
  return value_of(q, &o, &s->setup.config);
}

// That range, from a guess in the middle outwards.
static int bracket(struct loaded *s, const struct wanted *q, double force[2], double value[2]) {
  const struct env_def *e = &s->setup.config.sim.env;
  double weight = pipe_mean_weight(&s->setup.config.sim.pipe, e), middle = 0.3 * weight * e->depth_m;
  double start = weight > 0 ? at_force(s, q, middle) : (double)NAN;
  double rise = at_force(s, q, 1.01 * middle) - start;
  if (isnan(rise))
    return 0;
  for (int side = 0; side < 2; side++) {
    force[side] = middle;
    value[side] = start;
    for (int k = 0; k < 40; k++) {
      double next = force[side] * (side ? 1.25 : 0.8), then = at_force(s, q, next);
      if (!((then - value[side]) * rise * (side ? 1 : -1) > 0))
        break;
      force[side] = next;
      value[side] = then;
    }
  }
  return 1;
}

enum status find_equilibrium(struct loaded *s, const char *wanted, struct reason *why) {
  double goal, force[2], value[2];
  struct wanted quantity = TOUCHDOWN_DISTANCE, *q = &quantity;
  if (!read_point(wanted, &s->setup.config.sim.pipe, &goal) && !read_quantity(wanted, q, &goal)) {
    int name = (int)strcspn(wanted, "=");
    struct wanted known;
    if (wanted[name] && strncmp(wanted, TOUCHDOWN_POINT "=", sizeof TOUCHDOWN_POINT) != 0 &&
        !find_quantity(wanted, (size_t)name, &known))
      return fail(why, STATUS_BAD_INPUT,
                  "--find: quantity=number expected, such as layback_m=680, got the unknown quantity '%.*s'; "
                  "'sagbend outputs' lists the quantities of the pipe (angles in degrees)",
                  name > 60 ? 60 : name, wanted);
    return fail(why, STATUS_BAD_INPUT,
                "--find: quantity=number expected, such as layback_m=680, or touchdown_point_m=X,Y, got "
                "'%.80s'; 'sagbend outputs' lists the quantities of the pipe",
                wanted);
  }
  if (s->setup.config.sim.pipe.elements == 0 || s->setup.config.sim.statics.kind != STATICS_HORIZONTAL_FORCE)
    return fail(why, STATUS_BAD_INPUT,
                "--find: a configuration with a pipe and statics.horizontal_force_n expected");
  if (q->quantity != QUANTITY_COUNT && quantity_needs_code_check(q->quantity) &&
      !s->setup.config.sim.code_check.asked)
    return fail(why, STATUS_BAD_INPUT, "--find: %s: a configuration with pipe.code_check expected", q->name);
  if (!bracket(s, q, force, value))
    return fail(why, STATUS_NOT_CONVERGED, "--find: no equilibrium with seabed contact found for this pipe");

  int growing = value[1] > value[0];
  if ((goal < value[0]) == (goal < value[1]))
    return fail(why, STATUS_NOT_CONVERGED,
                "--find: %s is possible from %.6g to %.6g (H from %.4g to %.4g N), not %.6g", q->name,
                value[!growing], value[growing], force[0], force[1], goal);
  for (int k = 0; k < HALVINGS && force[1] / force[0] > 1 + 1e-12; k++) {
    double middle = sqrt(force[0] * force[1]);
    force[(at_force(s, q, middle) > goal) == growing] = middle;
  }
  at_force(s, q, sqrt(force[0] * force[1]));
  return s->plant.sim ? STATUS_OK : fail(why, STATUS_NOT_CONVERGED, "--find: no equilibrium at the solution");
}
