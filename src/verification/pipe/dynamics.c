// The flying flexible rod: where it flies, and what it keeps.
#include "verification/harness/case_functions.h"

#include "sagbend/base/steps.h"
#include "verification/pipe/pipe.h"

#include <math.h>

// The loaded end at 3.5 s, AeroBeams.jl, 10 elements.
static const double AEROBEAMS[3] = {-0.58649, -3.11548, 1.82414};
static const char *const END_NAME[FLYING_ENDS] = {"loaded end", "other end"}, *const AXIS[] = {"x", "y", "z"};

// ---- where it flies

struct views {
  struct verify_plot *side, *above; // x-z, x-y
};

static void draw(struct verify_result *r, const struct views *to, const struct sim *s) {
  double time_s = (double)s->run.step * s->def.step_s;
  struct verify_series *side = verify_series(r, to->side, VERIFY_LINE, "%.1f s", time_s);
  struct verify_series *above = verify_series(r, to->above, VERIFY_LINE, "%.1f s", time_s);
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    vec3 p = flying_seen(pipe_get3(s->state.pipe.r_n, i));
    verify_point(r, side, p.x, p.z);
    verify_point(r, above, p.x, p.y);
  }
}

// The ends at the times shown; draws the rod every half second from 1.5 to 6.5 if asked to.
static int fly(int elements, double step_s, const struct views *views, vec3 found[FLYING_SHOWN][FLYING_ENDS],
               struct verify_result *r) {
  struct sim *s = flying_rod(elements, step_s, r);
  if (!s)
    return 0;
  double last_s = views ? 6.5 : flying_shown_s[FLYING_SHOWN - 1];
  int steps = (int)steps_nearest_to(last_s, step_s), half_second = (int)steps_nearest_to(0.5, step_s);
  for (int k = 1; k <= steps; k++) {
    sim_step(s, NULL);
    for (int i = 0; i < FLYING_SHOWN; i++)
      if (k == (int)steps_nearest_to(flying_shown_s[i], step_s))
        flying_displacements(s, found[i]);
    if (views && k % half_second == 0 && k >= 3 * half_second)
      draw(r, views, s);
  }
  scene_free(s);
  return 1;
}

static void compare_ends(struct verify_result *r) {
  enum { LEVELS = 3 };
  vec3 found[LEVELS][FLYING_SHOWN][FLYING_ENDS];
  double width[LEVELS], error[LEVELS] = {0};
  struct views views = {verify_plot(r, "The flying rod, side view", "x", "z"),
                        verify_plot(r, "The flying rod, plan view", "x", "y")};
  for (int level = 0; level < LEVELS; level++) {
    int elements = 20 << level;
    width[level] = FLYING_LENGTH_M / elements;
    if (!fly(elements, 0.2 / elements, level == LEVELS - 1 ? &views : NULL, found[level], r))
      return;
    for (int i = 0; i < FLYING_SHOWN; i++)
      for (int e = 0; e < FLYING_ENDS; e++)
        error[level] =
            fmax(error[level], vec3_norm(vec3_sub(found[level][i][e], vec3_of(flying_flown_m[i][e]))));
  }
  struct verify_series *side = verify_series(r, views.side, VERIFY_POINTS, "ends, independent code"),
                       *above = verify_series(r, views.above, VERIFY_POINTS, "ends, independent code");
  for (int i = 0; i < FLYING_SHOWN; i++)
    for (int e = 0; e < FLYING_ENDS; e++) {
      double fine[3], coarse[3];
      vec3 at = vec3_add(vec3_of(flying_flown_m[i][e]), e == 0 ? (vec3){6, 0, 0} : (vec3){0, 0, 8});
      verify_point(r, side, at.x, at.z);
      verify_point(r, above, at.x, at.y);
      vec3_to(found[LEVELS - 1][i][e], fine), vec3_to(found[LEVELS - 2][i][e], coarse);
      for (int c = 0; c < 3; c++)
        verify_add(r, VERIFY_ABSOLUTE, "", (4 * fine[c] - coarse[c]) / 3, flying_flown_m[i][e][c], 3e-4,
                   "displacement of the %s at %g s, %s, from 40 and 80 elements", END_NAME[e],
                   flying_shown_s[i], AXIS[c]);
    }
  verify_order(r, "End positions", "element length (step in proportion)",
               "the end positions, step and mesh refined together", width, error, LEVELS, 2, 0.15);
  double ours[3];
  vec3_to(found[LEVELS - 1][1][0], ours);
  for (int c = 0; c < 3; c++)
    verify_show(r, "", ours[c], AEROBEAMS[c], "displacement of the loaded end at 3.5 s, %s, AeroBeams.jl",
                AXIS[c]);
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
  const int throw = (int)steps_nearest_to(FLYING_THROW_S, step_s), steps = throw + 10000;
  struct sim *s = flying_rod(20, step_s, r);
  if (!s)
    return;
  struct verify_plot *account = verify_plot(r, "Energy", "time, s", "J");
  struct verify_series *kinetic = verify_series(r, account, VERIFY_LINE, "kinetic");
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
  verify_add(r, VERIFY_RELATIVE, "kg m/s", start.linear.x, 0.5 * 20 * FLYING_THROW_S, 1e-10,
             "linear momentum against the impulse of the load");
  verify_add(r, VERIFY_ABSOLUTE, "", drift, 0, 1e-10, "energy in free flight, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", moved, 0, 1e-10, "linear momentum, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", turned, 0, 1e-10, "angular momentum, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.unsolved_count, 0, 0,
             "steps at the Newton iteration limit");
  scene_free(s);
}

void verify_free_flight(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r,
                  "20, 40, 80 elements with steps of 10, 5, 2.5 ms; for conservation 20 elements, 10 ms, "
                  "thrown for %g s, then 10,000 steps of free flight",
                  FLYING_THROW_S);
  compare_ends(r);
  compare_kept(r);
}
