// Bisection in the logarithm of the horizontal force, within the range in which equilibria with contact exist
// and the quantity is monotone; a value outside is refused with that range.
#include "app/find.h"

#include "core/math/trig.h"
#include "core/pipe/pipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quantity {
  const char *name;
  double (*of)(const struct sim_output *o, const struct config *c);
};

static double layback(const struct sim_output *o, const struct config *c) {
  (void)c;
  return o->layback_m;
}
static double touchdown(const struct sim_output *o, const struct config *c) {
  return hypot(o->touchdown_n_m[0] - c->sim.pipe.anchor_n_m[0],
               o->touchdown_n_m[1] - c->sim.pipe.anchor_n_m[1]);
}
static double angle(const struct sim_output *o, const struct config *c) {
  (void)c;
  return o->hangoff_angle_rad * 180 / TRIG_PI;
}
static double tension(const struct sim_output *o, const struct config *c) {
  (void)c;
  return o->hangoff_tension_n;
}
static double bottom_tension(const struct sim_output *o, const struct config *c) {
  (void)c;
  return o->bottom_tension_n;
}
static double touchdown_tension(const struct sim_output *o, const struct config *c) {
  (void)c;
  return o->touchdown_tension_n;
}
static double curvature(const struct sim_output *o, const struct config *c) {
  (void)c;
  return o->max_curvature_1pm;
}

static const struct quantity QUANTITIES[] = {
    {"layback_m", layback},
    {"touchdown_m", touchdown},
    {"hangoff_angle_deg", angle},
    {"top_tension_n", tension},
    {"bottom_tension_n", bottom_tension},
    {"touchdown_tension_n", touchdown_tension},
    {"max_curvature_1pm", curvature},
};
enum { QUANTITY_COUNT = sizeof QUANTITIES / sizeof *QUANTITIES, HALVINGS = 60 };

// "touchdown_point_m=X,Y": the pipe is laid from its lower end towards that point, which leaves the distance
// to be found.
static const struct quantity *point_named(const char *wanted, struct pipe_def *pipe, double *value) {
  static const char name[] = "touchdown_point_m=";
  static const struct quantity distance = {"touchdown_m", touchdown};
  if (strncmp(wanted, name, sizeof name - 1) != 0)
    return NULL;
  char *comma, *end;
  double x = strtod(wanted + sizeof name - 1, &comma) - pipe->anchor_n_m[0];
  if (comma == wanted + sizeof name - 1 || *comma != ',')
    return NULL;
  double y = strtod(comma + 1, &end) - pipe->anchor_n_m[1];
  if (end == comma + 1 || *end || !isfinite(x) || !isfinite(y) || (x == 0 && y == 0))
    return NULL;
  pipe->lay_azimuth_rad = trig_atan2(y, x);
  *value = hypot(x, y);
  return &distance;
}

static const struct quantity *quantity_named(const char *wanted, double *value) {
  const char *equals = strchr(wanted, '=');
  for (int i = 0; equals && i < QUANTITY_COUNT; i++) {
    size_t length = strlen(QUANTITIES[i].name);
    if (length != (size_t)(equals - wanted) || strncmp(wanted, QUANTITIES[i].name, length) != 0)
      continue;
    char *end;
    *value = strtod(equals + 1, &end);
    return end > equals + 1 && !*end && isfinite(*value) ? &QUANTITIES[i] : NULL;
  }
  return NULL;
}

// The quantity at a force; NaN where there is no equilibrium or no contact. The simulator is left in the
// session.
static double at_force(struct session *s, const struct quantity *q, double force_n) {
  struct sim_output o;
  struct reason why = {""};
  s->config.sim.statics.horizontal_force_n = force_n;
  s->sim = NULL;
  size_t size = sim_memsize(&s->config.sim, &why);
  if (!s->sim_mem)
    s->sim_mem = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!s->sim_mem || sim_create(&s->config.sim, s->sim_mem, size, &s->sim, &why) != STATUS_OK)
    return NAN;
  sim_get_output(s->sim, &o);
  return q->of(&o, &s->config);
}

// That range, from a guess in the middle outwards.
static int bracket(struct session *s, const struct quantity *q, double force[2], double value[2]) {
  const struct env_def *e = &s->config.sim.env;
  double weight = pipe_mean_weight(&s->config.sim.pipe, e), middle = 0.3 * weight * e->depth_m;
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

int find_equilibrium(struct session *s, const char *wanted) {
  double goal, force[2], value[2];
  const struct quantity *q = quantity_named(wanted, &goal);
  if (!q)
    q = point_named(wanted, &s->config.sim.pipe, &goal);
  if (!q) {
    fprintf(stderr,
            "sagbend statics: --find: quantity=number expected, such as layback_m=680, or "
            "touchdown_point_m=X,Y, got '%s'; see --help\n",
            wanted);
    return EXIT_USAGE;
  }
  if (s->config.sim.pipe.elements == 0 || s->config.sim.statics.kind != STATICS_HORIZONTAL_FORCE) {
    fprintf(stderr,
            "sagbend statics: --find: a configuration with a pipe and statics.horizontal_force_n expected\n");
    return EXIT_USAGE;
  }
  if (!bracket(s, q, force, value)) {
    fprintf(stderr, "sagbend statics: --find: no equilibrium with contact found for this pipe\n");
    return EXIT_FAILED;
  }
  int growing = value[1] > value[0];
  if ((goal < value[0]) == (goal < value[1])) {
    fprintf(stderr,
            "sagbend statics: --find: %s from %.6g to %.6g can be had (H from %.4g to %.4g N), not %.6g\n",
            q->name, value[!growing], value[growing], force[0], force[1], goal);
    return EXIT_FAILED;
  }
  for (int k = 0; k < HALVINGS && force[1] / force[0] > 1 + 1e-12; k++) {
    double middle = sqrt(force[0] * force[1]);
    force[(at_force(s, q, middle) > goal) == growing] = middle;
  }
  at_force(s, q, sqrt(force[0] * force[1]));
  return s->sim ? -1 : EXIT_FAILED;
}
