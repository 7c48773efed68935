// Large static deflections of beams: end moment, 45 degree bend, elastica.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

static vec3 tip_of(const struct sim *s) { // from the clamp, z up
  vec3 r = pipe_get3(s->state.pipe.r_n, s->state.mesh.pipe.nodes - 1);
  return (vec3){r.x, r.y, s->def.env.depth_m - r.z};
}

static void draw(struct verify_result *r, struct verify_series *line, const struct sim *s, int across) {
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    vec3 p = pipe_get3(s->state.pipe.r_n, i);
    verify_point(r, line, across ? p.y : p.x, s->def.env.depth_m - p.z);
  }
}

// EI = 1e4, L = 10; stretch and shear vanish under a pure moment.
static const struct scene_section ROLLED = {.ea = 1e8, .ga = 1e8, .gj = 1e4, .ei = 1e4, 100, 1, 1};

void verify_roll_up(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 4 };
  double width[LEVELS], error[LEVELS];
  (void)setup;
  verify_run_with(r, "length 10 m, EI = 1e4 N m2, 20 to 160 elements; the moment increases in steps");
  struct verify_plot *shape = verify_plot(r, "Cantilever under an end moment", "m", "m");
  for (int k = 0; k < LEVELS; k++) {
    struct sim_def def = scene_beam(20 << k, 10, &ROLLED);
    def.pipe.end_moment_nm[1] = PI * 1e4 / 10;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    vec3 tip = tip_of(s);
    width[k] = 10.0 / (20 << k);
    error[k] = vec3_norm(vec3_sub(tip, (vec3){0, 0, 2 * 10 / PI}));
    if (k == LEVELS - 1) {
      verify_add(r, VERIFY_ABSOLUTE, "m", tip.x, 0, 4e-3,
                 "half circle, 160 elements: tip position along the beam");
      verify_add(r, VERIFY_ABSOLUTE, "m", tip.z, 2 * 10 / PI, 4e-3,
                 "half circle, 160 elements: transverse tip position");
      draw(r, verify_series(r, shape, VERIFY_LINE, "half circle"), s, 0);
    }
    scene_free(s);
  }
  verify_order(r, "Tip of the half circle", "element length, m", "the tip position", width, error, LEVELS, 2,
               0.15);
  for (int part = 1; part <= 4; part += part) { // quarter, half, whole circle
    struct sim_def def = scene_beam(160, 10, &ROLLED);
    def.pipe.end_moment_nm[1] = part * 0.5 * PI * 1e4 / 10;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    if (part != 2)
      draw(r, verify_series(r, shape, VERIFY_LINE, "M = %d/4 of 2 pi EI/L", part), s, 0);
    struct verify_series *arc =
        verify_series(r, shape, VERIFY_POINTS, "circular arc, %d/4 of a circle", part);
    for (int i = 0; i <= 20; i++) {
      double turn = 0.5 * PI * part, at = 0.05 * i * turn;
      verify_point(r, arc, 10 / turn * sin(at), 10 / turn * (1 - cos(at)));
    }
    if (part == 4)
      verify_add(r, VERIFY_ABSOLUTE, "m", vec3_norm(tip_of(s)), 0, 0.012,
                 "full circle, 160 elements: distance of the tip from the clamp");
    scene_free(s);
  }
}

// Tips by the rod's ordinary differential equations (m' = -r' x n, n the load), Runge-Kutta of order 4 with
// 800 steps, the moment at the clamp from shooting, in an independent code. Published, 8 elements: Simo and
// Vu-Quoc (1986).
static const double BEND_LOAD[] = {300, 450, 600};
static const double BEND_TIP[][3] = {
    {22.24478, 58.77912, 40.19189}, {18.50818, 52.23856, 48.50293}, {15.68480, 47.15044, 53.47486}};
static const double BEND_PUBLISHED[][3] = {
    {22.33, 58.84, 40.08}, {(double)NAN, (double)NAN, (double)NAN}, {15.79, 47.23, 53.37}};

void verify_bend(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section section = {
      .ea = 1e7, .ga = 5e6, .gj = 1e7 / 12, .ei = 1e7 / 12, 100, 1, 1};
  static const char *const axis[] = {"x", "y", "z"};
  enum { LEVELS = 3 };
  (void)setup;
  verify_run_with(r, "radius 100, section 1 by 1, E = 1e7, Poisson's ratio 0; 8, 32 and 128 elements");
  struct verify_plot *shape = verify_plot(r, "Out-of-plane bend, seen from the clamp", "y", "z");
  for (int load = 0; load < 3; load++) {
    double width[LEVELS], error[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
      struct sim_def def = scene_beam(8 << (2 * k), 25 * PI, &section);
      def.pipe.line.curvature_1pm[1] = 0.01; // about t3, down: towards +y
      def.pipe.end_force_n[2] = -BEND_LOAD[load];
      struct sim *s = scene_create(&def, r);
      if (!s)
        return;
      vec3 tip = tip_of(s);
      const double seen[3] = {tip.y, tip.x, tip.z};
      width[k] = 25 * PI / (8 << (2 * k));
      error[k] = vec3_norm(vec3_sub(vec3_of(seen), vec3_of(BEND_TIP[load])));
      for (int c = 0; c < 3 && k == LEVELS - 1; c++)
        verify_add(r, VERIFY_ABSOLUTE, "", seen[c], BEND_TIP[load][c], 5e-3, "load %g, 128 elements: tip %s",
                   BEND_LOAD[load], axis[c]);
      for (int c = 0; c < 3 && k == 0 && !isnan(BEND_PUBLISHED[load][0]); c++)
        verify_show(r, "", seen[c], BEND_PUBLISHED[load][c], "load %g, 8 elements: tip %s, Simo and Vu-Quoc",
                    BEND_LOAD[load], axis[c]);
      if (k == LEVELS - 1)
        draw(r, verify_series(r, shape, VERIFY_LINE, "load %g", BEND_LOAD[load]), s, 1);
      scene_free(s);
    }
    verify_point(r, verify_series(r, shape, VERIFY_POINTS, "tip by shooting, load %g", BEND_LOAD[load]),
                 BEND_TIP[load][0], BEND_TIP[load][2]);
    char what[64];
    snprintf(what, sizeof what, "the tip under load %g", BEND_LOAD[load]);
    verify_order(r, what, "element length", what, width, error, LEVELS, 2, 0.15);
  }
}

// Inextensible and without shear: for F L^2 / EI = alpha and the slope phi at the tip, with k^2 = (1 + sin
// phi)/2 and sin t1 = 1/(k sqrt 2): sqrt alpha = K(k) - F(k, t1), deflection/L = 1 - 2 (E(k) - E(k, t1)) /
// sqrt alpha, reach/L = sqrt(2 sin phi / alpha).
static double simpson(double (*f)(double t, double k), double k, double from, double to) {
  enum { N = 4000 };
  double h = (to - from) / N, sum = f(from, k) + f(to, k);
  for (int i = 1; i < N; i++)
    sum += (i % 2 ? 4 : 2) * f(from + i * h, k);
  return sum * h / 3;
}
static double first_kind(double t, double k) {
  return 1 / sqrt(1 - k * k * sin(t) * sin(t));
}
static double second_kind(double t, double k) {
  return sqrt(1 - k * k * sin(t) * sin(t));
}

void verify_elastica(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section section = {.ea = 1e8, .ga = 1e8, .gj = 1, .ei = 1, 100, 1, 1};
  enum { LEVELS = 4 };
  double width[LEVELS], error[LEVELS], x[LEVELS], z[LEVELS];
  double phi = 0.9, k = sqrt((1 + sin(phi)) / 2), t1 = asin(1 / (k * sqrt(2)));
  double root = simpson(first_kind, k, t1, PI / 2), alpha = root * root;
  double deflection = 1 - 2 * simpson(second_kind, k, t1, PI / 2) / root, reach = sqrt(2 * sin(phi)) / root;
  (void)setup;
  verify_run_with(
      r, "EI = 1, EA = GA = 1e8 (their contribution is below 1e-8), F L^2/EI = %.6f; 50 to 400 elements",
      alpha);
  struct verify_plot *shape = verify_plot(r, "Cantilever under a transverse end force", "m", "m");
  for (int i = 0; i < LEVELS; i++) {
    struct sim_def def = scene_beam(50 << i, 1, &section);
    def.pipe.end_force_n[2] = -alpha;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    vec3 tip = tip_of(s);
    width[i] = 1.0 / (50 << i);
    error[i] = hypot(tip.x - reach, tip.z - deflection);
    x[i] = tip.x, z[i] = tip.z;
    if (i == LEVELS - 1)
      draw(r, verify_series(r, shape, VERIFY_LINE, "400 elements"), s, 0);
    scene_free(s);
  }
  verify_point(r, verify_series(r, shape, VERIFY_POINTS, "tip by elliptic integrals"), reach, deflection);
  double limit_x = (4 * x[LEVELS - 1] - x[LEVELS - 2]) / 3, limit_z = (4 * z[LEVELS - 1] - z[LEVELS - 2]) / 3;
  verify_add(r, VERIFY_RELATIVE, "m", x[LEVELS - 1], reach, 1e-5, "reach of the tip, 400 elements");
  verify_add(r, VERIFY_RELATIVE, "m", z[LEVELS - 1], deflection, 1e-5, "deflection of the tip, 400 elements");
  verify_add(r, VERIFY_RELATIVE, "m", limit_x, reach, 1e-6, "reach, extrapolated from 200 and 400 elements");
  verify_add(r, VERIFY_RELATIVE, "m", limit_z, deflection, 1e-6,
             "deflection, extrapolated from 200 and 400 elements");
  verify_order(r, "Tip of the elastica", "element length, m", "the tip position", width, error, LEVELS, 2,
               0.1);
}
