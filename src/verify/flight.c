// The flying flexible rod of Simo and Vu-Quoc (1988): length 10, EA = GA = 1e4, EI = GJ = 500, unit mass per length,
// J = (20, 10, 10), straight from (0, 8) to (6, 0) in its plane, thrown at the lower end (our "top") by the force
// (T/10, 0, 0) and the moment (0, T, T/2), T a triangle of 0, 200, 0 at 0, 2.5 and 5 s. Its x, y, z are our north, west, up.
#include "verify/cases.h"
#include "verify/scenes.h"

#include "math/trig.h"

#include <math.h>

static const struct scene_section FLYING = {.ea = 1e4, .ga = 1e4, .gj = 500, .ei = 500, 1, 20, 10};
static const double THROW_S = 5, LENGTH = 10;

// Displacements of the loaded end and of the other one, by tests/reference/flying_rod.py 80 160 320 (limit).
enum { SHOWN = 3, ENDS = 2 };
static const double SHOWN_S[SHOWN] = {2.5, 3.5, 5};
static const double FLOWN[SHOWN][ENDS][3] = {
    {{-2.39317, -0.42726, 0.04470}, {3.98176, -0.54047, 0.53172}},
    {{-0.69173, -3.04772, 1.84591}, {11.85795, 1.86517, -1.00675}},
    {{13.21360, -2.12724, 1.62556}, {12.95300, 3.02877, -1.19057}},
};
// The loaded end at 3.5 s, AeroBeams.jl, 10 elements.
static const double AEROBEAMS[3] = {-0.58649, -3.11548, 1.82414};
static const char *const END_NAME[ENDS] = {"loaded end", "other end"}, *const AXIS[] = {"x", "y", "z"};

static vec3 seen(vec3 r) { return (vec3){r.x, -r.y, -r.z}; }

static struct sim *flying(int elements, double step_s, struct verify_result *r) {
  struct sim_def def = scene_beam(elements, LENGTH, &FLYING);
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  scene_release_lower(s, 1, 1);
  const double euler[3] = {0, trig_atan2(-8, 6), 0};
  const vec3 axis = {0.6, 0, 0.8}, from = {0, 0, -8};
  for (int i = 0; i <= elements; i++) {
    pipe_set3(s->state.pipe.r_n, i, vec3_axpy(LENGTH * i / elements, axis, from));
    pipe_set_quat(&s->state.pipe, i, quat_of_euler(euler));
  }
  s->model.end_force_n = (vec3){20, 0, 0};
  s->model.end_moment_nm = (vec3){0, -200, -100};
  s->model.end_profile = (struct time_profile){
      .rows = 3, .table = {{.time_s = 0}, {.time_s = 0.5 * THROW_S, .value = {1}}, {.time_s = THROW_S}}};
  scene_restart(s);
  return s;
}

static void displacements(const struct sim *s, vec3 end[ENDS]) {
  int n = s->model.pipe.nodes - 1;
  end[0] = vec3_sub(seen(pipe_get3(s->state.pipe.r_n, n)), (vec3){6, 0, 0});
  end[1] = vec3_sub(seen(pipe_get3(s->state.pipe.r_n, 0)), (vec3){0, 0, 8});
}

// ---- where it flies

struct views {
  struct verify_plot *side, *above; // x-z, x-y
};

static void draw(struct verify_result *r, const struct views *to, const struct sim *s) {
  double time_s = (double)s->run.step * s->def.step_s;
  struct verify_series *side = verify_series(r, to->side, VERIFY_LINE, "%.1f s", time_s);
  struct verify_series *above = verify_series(r, to->above, VERIFY_LINE, "%.1f s", time_s);
  for (int i = 0; i < s->model.pipe.nodes; i++) {
    vec3 p = seen(pipe_get3(s->state.pipe.r_n, i));
    verify_point(r, side, p.x, p.z);
    verify_point(r, above, p.x, p.y);
  }
}

// The ends at the times shown; draws the rod every half second from 1.5 to 6.5 if asked to.
static int fly(int elements, double step_s, const struct views *views, vec3 found[SHOWN][ENDS], struct verify_result *r) {
  struct sim *s = flying(elements, step_s, r);
  if (!s)
    return 0;
  double last_s = views ? 6.5 : SHOWN_S[SHOWN - 1];
  int steps = (int)(last_s / step_s + 0.5), half_second = (int)(0.5 / step_s + 0.5);
  for (int k = 1; k <= steps; k++) {
    sim_step(s, NULL);
    for (int i = 0; i < SHOWN; i++)
      if (k == (int)(SHOWN_S[i] / step_s + 0.5))
        displacements(s, found[i]);
    if (views && k % half_second == 0 && k >= 3 * half_second)
      draw(r, views, s);
  }
  scene_free(s);
  return 1;
}

static void compare_ends(struct verify_result *r) {
  enum { LEVELS = 3 };
  vec3 found[LEVELS][SHOWN][ENDS];
  double width[LEVELS], error[LEVELS] = {0};
  struct views views = {verify_plot(r, "The rod in flight, from the side", "x", "z"),
                        verify_plot(r, "The rod in flight, from above", "x", "y")};
  for (int level = 0; level < LEVELS; level++) {
    int elements = 20 << level;
    width[level] = LENGTH / elements;
    if (!fly(elements, 0.2 / elements, level == LEVELS - 1 ? &views : NULL, found[level], r))
      return;
    for (int i = 0; i < SHOWN; i++)
      for (int e = 0; e < ENDS; e++)
        error[level] = fmax(error[level], vec3_norm(vec3_sub(found[level][i][e], vec3_of(FLOWN[i][e]))));
  }
  struct verify_series *side = verify_series(r, views.side, VERIFY_POINTS, "ends, other code"),
                       *above = verify_series(r, views.above, VERIFY_POINTS, "ends, other code");
  for (int i = 0; i < SHOWN; i++)
    for (int e = 0; e < ENDS; e++) {
      double fine[3], coarse[3];
      vec3 at = vec3_add(vec3_of(FLOWN[i][e]), e == 0 ? (vec3){6, 0, 0} : (vec3){0, 0, 8});
      verify_point(r, side, at.x, at.z);
      verify_point(r, above, at.x, at.y);
      vec3_to(found[LEVELS - 1][i][e], fine), vec3_to(found[LEVELS - 2][i][e], coarse);
      for (int c = 0; c < 3; c++)
        verify_add(r, VERIFY_ABSOLUTE, "", (4 * fine[c] - coarse[c]) / 3, FLOWN[i][e][c], 3e-4,
                   "displacement of the %s at %g s, %s, from 40 and 80 elements", END_NAME[e], SHOWN_S[i], AXIS[c]);
    }
  verify_order(r, "The ends", "element length, step with it", "the ends' positions, step and mesh together", width, error,
               LEVELS, 2, 0.15);
  double ours[3];
  vec3_to(found[LEVELS - 1][1][0], ours);
  for (int c = 0; c < 3; c++)
    verify_show(r, "", ours[c], AEROBEAMS[c], "displacement of the loaded end at 3.5 s, %s, AeroBeams.jl", AXIS[c]);
}

// ---- what it keeps

struct kept {
  vec3 linear, angular;
  double energy;
};

static struct kept kept_by(const struct sim *s) {
  struct kept k = {.energy = s->run.ledger.energy_j};
  scene_momenta(s, &k.linear, &k.angular);
  return k;
}

static void compare_kept(struct verify_result *r) {
  const double step_s = 0.01;
  const int throw = (int)(THROW_S / step_s + 0.5), steps = throw + 10000;
  struct sim *s = flying(20, step_s, r);
  if (!s)
    return;
  struct verify_plot *account = verify_plot(r, "Energy", "time, s", "J");
  struct verify_series *kinetic = verify_series(r, account, VERIFY_LINE, "in motion");
  struct verify_series *total = verify_series(r, account, VERIFY_LINE, "total");
  struct kept start = {.energy = 0};
  double drift = 0, turned = 0, moved = 0;
  for (int k = 1; k <= steps; k++) {
    sim_step(s, NULL);
    if (k <= 1500 && k % 5 == 0) {
      verify_point(r, kinetic, k * step_s, s->run.ledger.kinetic_j);
      verify_point(r, total, k * step_s, s->run.ledger.energy_j);
    }
    if (k < throw)
      continue;
    struct kept now = kept_by(s);
    if (k == throw)
      start = now;
    drift = fmax(drift, fabs(now.energy / start.energy - 1));
    moved = fmax(moved, vec3_norm(vec3_sub(now.linear, start.linear)) / vec3_norm(start.linear));
    turned = fmax(turned, vec3_norm(vec3_sub(now.angular, start.angular)) / vec3_norm(start.angular));
  }
  verify_add(r, VERIFY_RELATIVE, "kg m/s", start.linear.x, 0.5 * 20 * THROW_S, 1e-10,
             "linear momentum, impulse of the load");
  verify_add(r, VERIFY_ABSOLUTE, "", drift, 0, 1e-10, "energy in free flight, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", moved, 0, 1e-10, "linear momentum, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", turned, 0, 1e-10, "angular momentum, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.cap_count, 0, 0, "steps at Newton's cap");
  scene_free(s);
}

void verify_free_flight(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r, "20, 40, 80 elements with steps of 10, 5, 2.5 ms; for conservation 20 elements, 10 ms, thrown for %g s, "
                     "then 10,000 steps of free flight", THROW_S);
  compare_ends(r);
  compare_kept(r);
}
