// Steady forces of wind and waves on a vessel: held by springs whose elongation measures the force, and free,
// where the vessel drifts at the speed at which its damping balances the force.
//   Wind: Blendermann (1994), docs/weather.md; U(10 m) = U0 for NORSOK's profile. Free before the wind, with
//   w the wind's speed: c (w - v)^2 = d v + e v^2, a quadratic for the speed v; the heel (m g GM_T - (M33 -
//   M22) v^2) sin cos phi = K; a heeled hull heaves as it drifts, which damps the drift by a share of phi^2.
//   Drift in a regular wave of amplitude a: rho g a^2 R^2/2 per length of the walls it meets, R of a thin
//   plate in deep water (F. Ursell, 1947), pi I1/sqrt(pi^2 I1^2 + K1^2) of kT, the Bessel functions here by
//   their power series; in a sea the mean is the integral of 2 S(omega) D(omega).
#include "verification/harness/harness.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846, RHO_AIR = 1.225, EULER_GAMMA = 0.57721566490153286;
static const double HOLD[3] = {1e6, 1e6, 1e10}, CALM[3] = {4e6, 4e6, 2e10}; // surge, sway, yaw

static int vessel_alone(const struct verify_setup *setup, struct sim_def *def, struct verify_result *r) {
  if (!scene_load(setup, "vessels/osv-83m-published", 0, NULL, def, r))
    return 0;
  def->vessel.plant.thruster_count = 0;
  def->env.wind.present = def->env.waves.present = 0;
  def->env.current.surface_mps = 0;
  def->vessel.windage.height_m = 10;
  def->step_s = 0.05;
  return 1;
}

// Runs to end_s. Springs hold the vessel at (0, 0, 0) in surge, sway and yaw, as the bits of mask select.
static struct sim *settle(const struct sim_def *def, unsigned mask, double end_s, struct sim_output *o,
                          struct verify_result *r) {
  struct sim *s = scene_create(def, r);
  for (int k = 0; s && k < (int)steps_nearest_to(end_s, def->step_s); k++) {
    double wrench[6] = {0};
    sim_get_output(s, o);
    const double place[3] = {o->position_n_m[0], o->position_n_m[1], o->euler_rad[2]};
    const double rate[3] = {s->state.vessel.nu[0], s->state.vessel.nu[1], s->state.vessel.nu[5]};
    for (int c = 0; c < 3; c++)
      if (mask >> c & 1)
        wrench[c < 2 ? c : 5] = -HOLD[c] * place[c] - CALM[c] * rate[c];
    sim_step(s, &(struct sim_input){.wrench_b = wrench});
  }
  if (s)
    sim_get_output(s, o);
  return s;
}

struct push {
  double x_n, y_n, n_nm; // surge, sway, yaw
};

static struct push blendermann(const struct windage_def *d, double speed_mps,
                               double angle) { // of wind from 0 to pi
  double pressure = 0.5 * RHO_AIR * speed_mps * speed_mps, bow = angle < PI / 2 ? d->drag_bow : d->drag_stern;
  double ratio = bow * d->frontal_area_m2 / d->lateral_area_m2 / d->drag_transverse;
  double below = 1 - 0.5 * d->cross_force * (1 - ratio) * pow(sin(2 * angle), 2);
  double y = -pressure * d->lateral_area_m2 * d->drag_transverse * sin(angle) / below;
  return (struct push){-pressure * d->frontal_area_m2 * bow * cos(angle) / below, y,
                       d->length_m * y * (d->centroid_forward_m / d->length_m - 0.18 * (angle - PI / 2))};
}

static void judge_held(struct verify_result *r, const struct sim_output *o, struct push want, double limit,
                       const char *what) {
  const double got[3] = {HOLD[0] * o->position_n_m[0], HOLD[1] * o->position_n_m[1],
                         HOLD[2] * o->euler_rad[2]};
  const double wanted[3] = {want.x_n, want.y_n, want.n_nm}, size = hypot(want.x_n, want.y_n);
  verify_add(r, VERIFY_ABSOLUTE, "", (got[0] - wanted[0]) / size, 0, limit,
             "%s: surge force of %.4g N, error over the force", what, wanted[0]);
  verify_add(r, VERIFY_ABSOLUTE, "", (got[1] - wanted[1]) / size, 0, limit,
             "%s: sway force of %.4g N, error over the force", what, wanted[1]);
  verify_add(r, VERIFY_RELATIVE, "N m", got[2], wanted[2], 4 * limit, "%s: yaw moment", what);
}

static void wind_held(struct sim_def def, double speed_mps, double angle_deg, struct verify_plot *plot,
                      struct verify_result *r) {
  char what[96];
  struct sim_output o;
  double angle = angle_deg * PI / 180;
  def.env.wind = (struct wind_def){.present = 1,
                                   .speed_mps = speed_mps,
                                   .direction_rad = angle,
                                   .air_density_kgpm3 = RHO_AIR,
                                   .gust_height_m = 10,
                                   .profile = {.ramp_s = 20}};
  struct sim *s = settle(&def, 7, 200, &o, r);
  struct push want = blendermann(&def.vessel.windage, speed_mps, angle);
  snprintf(what, sizeof what, "wind of %g m/s from %g degrees, held vessel", speed_mps, angle_deg);
  if (s) {
    judge_held(r, &o, want, 8e-4, what);
    verify_point(r, &plot->series[0], angle_deg, HOLD[0] * o.position_n_m[0] / 1e3);
    verify_point(r, &plot->series[1], angle_deg, HOLD[1] * o.position_n_m[1] / 1e3);
  }
  scene_free(s);
}

// The point off the centre of gravity, the vessel moving and turning: the wind relative to the point, and its
// force's lever.
static void wind_on_point(const struct vessel_def *v, struct verify_result *r) {
  struct windage_def d = v->windage;
  const double point[3] = {30, -4, -9}, nu[6] = {2, -1, 0.1, 0.01, -0.02, 0.06}, air[2] = {-9, -6};
  memcpy(d.point_b_m, point, sizeof point);
  struct windage w = windage_of(&d, RHO_AIR);
  double got[6], x = nu[0] + nu[4] * point[2] - nu[5] * point[1] - air[0],
                 y = nu[1] + nu[5] * point[0] - nu[3] * point[2] - air[1];
  struct push p = blendermann(&v->windage, hypot(x, y), atan2(y, x));
  double roll = d.rolling * d.centroid_height_m * p.y_n;
  windage_wrench(&w, (vec3){air[0], air[1], 0}, nu, got);
  verify_add(r, VERIFY_RELATIVE, "N", got[0], p.x_n, 1e-3, "turning, off the centre: surge force");
  verify_add(r, VERIFY_RELATIVE, "N", got[1], p.y_n, 1e-3, "turning, off the centre: sway force");
  verify_add(r, VERIFY_RELATIVE, "N m", got[3], roll - point[2] * p.y_n, 1e-3,
             "turning, off the centre: roll moment");
  verify_add(r, VERIFY_RELATIVE, "N m", got[4], point[2] * p.x_n, 1e-3,
             "turning, off the centre: pitch moment");
  verify_add(r, VERIFY_RELATIVE, "N m", got[5], p.n_nm + point[0] * p.y_n - point[1] * p.x_n, 1e-3,
             "turning, off the centre: yaw moment");
}

// c (w - v)^2 = d v + e v^2
static double drifting(double c, double w, double d, double e) {
  double a = c - e, b = -(2 * c * w + d), k = c * w * w;
  return 2 * k / (-b + sqrt(b * b - 4 * a * k));
}

static void wind_free(struct sim_def def, double speed_mps, struct verify_result *r) {
  const struct vessel_def *v = &def.vessel;
  for (int beam = 0; beam < 2; beam++) {
    struct sim_output o;
    const struct windage_def *d = &def.vessel.windage;
    def.env.wind = (struct wind_def){.present = 1,
                                     .speed_mps = speed_mps,
                                     .direction_rad = beam ? PI / 2 : 0,
                                     .air_density_kgpm3 = RHO_AIR,
                                     .gust_height_m = 10,
                                     .profile = {.ramp_s = 20}};
    double area = beam ? d->lateral_area_m2 * d->drag_transverse : d->frontal_area_m2 * d->drag_bow;
    double speed =
        drifting(0.5 * RHO_AIR * area, speed_mps, v->damping_linear[beam][beam], v->damping_quadratic[beam]);
    struct sim *s = settle(&def, 4, 1500, &o, r); // the heading is held
    if (!s)
      return;
    verify_add(r, VERIFY_RELATIVE, "m/s", o.velocity_n_mps[beam], -speed, beam ? 2e-3 : 1e-6,
               "%s wind of %g m/s, free vessel: drift speed", beam ? "beam" : "head", speed_mps);
    if (beam) {
      double moment = -0.5 * RHO_AIR * pow(speed_mps - speed, 2) * area * d->rolling * d->centroid_height_m;
      double munk = (v->inertia[2][2] - v->inertia[1][1]) * speed * speed; // of the water past a heeled hull
      double heel = 0.5 * asin(2 * moment / (v->mass_kg * def.env.gravity_mps2 * v->gm_transverse_m - munk));
      verify_add(r, VERIFY_RELATIVE, "rad", o.euler_rad[0], heel, 2e-4,
                 "beam wind of %g m/s, free vessel: heel", speed_mps);
    }
    verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11, "ledger closure");
    scene_free(s);
  }
}

static double plate_reflection(double x) {              // R^2
  double i1 = 0, sum = 0, term = 0.5 * x, harmonic = 0; // term: (x/2)^(2k+1) / (k! (k+1)!)
  for (int k = 0; k < 60; k++) {
    i1 += term;
    sum += term * (2 * harmonic + 1.0 / (k + 1) - 2 * EULER_GAMMA); // psi(k+1) + psi(k+2)
    harmonic += 1.0 / (k + 1);
    term *= 0.25 * x * x / ((k + 1.0) * (k + 2.0));
  }
  double k1 = 1 / x + log(0.5 * x) * i1 - 0.5 * sum;
  return PI * PI * i1 * i1 / (PI * PI * i1 * i1 + k1 * k1);
}

static struct push wave_push(const struct sim_def *def, double k,
                             double travels) { // per square metre of amplitude
  const struct wave_response_def *w = &def->vessel.waves;
  double wall = 0.5 * def->env.water_density_kgpm3 * def->env.gravity_mps2 * plate_reflection(k * w->draft_m);
  double y = wall * w->length_m * sin(travels) * fabs(sin(travels));
  return (struct push){wall * w->beam_m * cos(travels) * fabs(cos(travels)), y, y * w->centre_x_b_m};
}

static void waves_held(struct sim_def def, double period_s, double travels_deg, struct verify_result *r) {
  char what[96];
  struct sim_output o;
  const double height = 2, omega = 2 * PI / period_s, travels = travels_deg * PI / 180;
  def.env.waves = (struct waves_def){.present = 1,
                                     .spectrum = WAVES_REGULAR,
                                     .height_m = height,
                                     .period_s = period_s,
                                     .direction_rad = travels + PI,
                                     .profile = {.ramp_s = 20}};
  struct push one = wave_push(&def, omega * omega / def.env.gravity_mps2, travels),
              want = {one.x_n, one.y_n, one.n_nm};
  snprintf(what, sizeof what, "%g m, %g s, travelling at %g degrees, held vessel", height, period_s,
           travels_deg);
  struct sim *s = settle(&def, 7, 200, &o, r);
  if (s)
    judge_held(r, &o, want, 2e-5, what); // amplitude 1 m
  scene_free(s);
}

static void waves_free(struct sim_def def, double period_s, struct verify_result *r) {
  struct sim_output o;
  const struct vessel_def *v = &def.vessel;
  const double omega = 2 * PI / period_s;
  def.env.waves = (struct waves_def){.present = 1,
                                     .spectrum = WAVES_REGULAR,
                                     .height_m = 4,
                                     .period_s = period_s,
                                     .profile = {.ramp_s = 20}};
  double force = 4 * wave_push(&def, omega * omega / def.env.gravity_mps2, PI).x_n;
  double d = v->damping_linear[0][0], e = v->damping_quadratic[0],
         speed = (sqrt(d * d + 4 * e * -force) - d) / (2 * e);
  struct sim *s = settle(&def, 4, 1500, &o, r);
  if (!s)
    return;
  verify_add(r, VERIFY_RELATIVE, "m/s", o.velocity_n_mps[0], -speed, 1e-6,
             "head waves of 4 m and %g s, free vessel: drift speed", period_s);
  scene_free(s);
}

// Mean over 33 hours, two seconds apart, of the force in a sea; the vessel does not move.
static void sea_mean(const struct sim_def *def, struct verify_result *r) {
  enum { SAMPLES = 60000, CELLS = 2000 };
  struct sim_def d = *def;
  d.env.waves = (struct waves_def){.present = 1,
                                   .height_m = 3,
                                   .period_s = 9,
                                   .gamma = 3.3,
                                   .direction_rad = PI,
                                   .components = 64,
                                   .seed = 1};
  struct sim *s = scene_create(&d, r);
  double sum = 0, wanted = 0, peak = 2 * PI / 9, low = WAVES_LOWEST * peak, high = WAVES_HIGHEST * peak;
  if (!s)
    return;
  for (int i = 0; i < SAMPLES; i++) {
    double wrench[6];
    wave_response_wrench(&s->model->wave_response, &s->model->sea, 2.0 * i, &s->state.vessel, wrench);
    sum += wrench[0] / SAMPLES;
  }
  scene_free(s);
  double variance = 0; // JONSWAP, by the midpoint rule over the logarithm
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < CELLS; i++) {
      double w = low * pow(high / low, (i + 0.5) / CELLS), dw = w * log(high / low) / CELLS;
      double density = pow(w, -5) * exp(-1.25 * pow(peak / w, 4)) *
                       pow(3.3, exp(-0.5 * pow((w / peak - 1) / (w <= peak ? 0.07 : 0.09), 2)));
      if (pass == 0)
        variance += density * dw;
      else
        wanted += 2 * density * dw * (9.0 / 16) / variance *
                  (w * w / 9.81 * 5 > 30
                       ? 0.5 * d.env.water_density_kgpm3 * d.env.gravity_mps2 * d.vessel.waves.beam_m
                       : wave_push(&d, w * w / d.env.gravity_mps2, 0).x_n);
    }
  verify_add(r, VERIFY_RELATIVE, "N", sum, wanted, 2e-3,
             "following sea, Hs 3 m, Tp 9 s: mean force of %d samples", SAMPLES);
}

void verify_drift(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def;
  verify_run_with(
      r, "configs/vessels/osv-83m-published.yaml without thrusters, steps of 50 ms; held by springs and "
         "dampers, or in heading only");
  if (!vessel_alone(setup, &def, r))
    return;
  struct verify_plot *plot =
      verify_plot(r, "Held vessel in 15 m/s wind", "wind from, degrees off the bow", "force, kN");
  verify_series(r, plot, VERIFY_POINTS, "surge");
  verify_series(r, plot, VERIFY_POINTS, "sway");
  struct verify_series *closed[2] = {verify_series(r, plot, VERIFY_LINE, "surge, Blendermann"),
                                     verify_series(r, plot, VERIFY_LINE, "sway, Blendermann")};
  if (!plot)
    return;
  for (int a = 0; a <= 180; a += 3) {
    struct push p = blendermann(&def.vessel.windage, 15, a * PI / 180);
    verify_point(r, closed[0], a, p.x_n / 1e3), verify_point(r, closed[1], a, p.y_n / 1e3);
  }
  static const double angles[] = {20, 60, 135};
  for (int k = 0; k < 3; k++)
    wind_held(def, 15, angles[k], plot, r);
  wind_free(def, 10, r);
  wind_on_point(&def.vessel, r);
  def.vessel.waves = (struct wave_response_def){
      .present = 1, .drift = 1, .length_m = 72, .beam_m = 18, .draft_m = 5, .centre_x_b_m = -0.5};
  waves_held(def, 6, 150, r);
  waves_held(def, 9, 60, r);
  waves_free(def, 5, r);
  sea_mean(&def, r);
}
