// The vessel with full inertia and its thrusters, without a pipe, against other code: tests/reference/osv_vessel.py.
#include "verify/cases.h"
#include "verify/scenes.h"

#include <math.h>

static const struct {
  const char *name;
  double period_s, shape[3]; // heave m, roll, pitch rad
} MODES[] = {{"heave against pitch", 5.1497362869, {-1, 0, 0.0477145876}},
             {"heave with pitch", 7.6326402115, {1, 0, 0.0427693354}},
             {"roll", 10.1807666026, {0, 1, 0}}};

// Period over whole swings, between passages through zero from below, linear between steps.
static double period_of(struct sim *s, int heave, int coordinate, int swings, struct verify_result *r, struct verify_series *line) {
  double before = 0, first = 0, last = 0;
  struct sim_output o;
  int passed = 0;
  while (passed <= swings) {
    sim_get_output(s, &o);
    double x = heave ? o.position_n_m[2] : o.euler_rad[coordinate];
    if (o.step > 0 && before < 0 && x >= 0) {
      last = o.time_s - s->def.step_s * x / (x - before);
      first = passed++ == 0 ? last : first;
    }
    if (o.step % 10 == 0 && o.time_s < 60)
      verify_point(r, line, o.time_s, x);
    before = x;
    if (o.time_s > 1000)
      return (double)NAN;
    sim_step(s, NULL);
  }
  return (last - first) / swings;
}

void verify_osv_decay(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def;
  verify_run_with(r, "configs/vessels/osv-83m.yaml: damping off, 1 cm or 1e-4 rad, steps of 10 ms, 20 swings");
  if (!scene_load(setup, "vessels/osv-83m", 0, NULL, &def, r))
    return;
  scene_conservative(&def);
  def.vessel.plant.thruster_count = 0;
  struct verify_plot *plot = verify_plot(r, "Free oscillation of the 83 m vessel", "time, s", "heave, m, or roll, rad x 100");
  for (int k = 0; k < 3; k++) {
    double size = k < 2 ? 0.01 : 1e-4;
    int coordinate = k < 2 ? 1 : 0;
    def.vessel.position_n_m[2] = size * MODES[k].shape[0];
    def.vessel.euler_rad[0] = size * MODES[k].shape[1];
    def.vessel.euler_rad[1] = size * MODES[k].shape[2];
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", MODES[k].name);
    double period = period_of(s, k < 2, coordinate, 20, r, line);
    for (int i = 0; line && k == 2 && i < line->count; i++)
      line->y[i] *= 100;
    verify_add(r, VERIFY_RELATIVE, "s", period, MODES[k].period_s, 2e-4, "period, %s", MODES[k].name);
    scene_free(s);
  }
}

// From rest, bow tunnels at 70 and -50 rpm, azimuths at 120 rpm and 0.4 rad, 90 rpm and -0.3 rad.
static const double THRUST_RUN[][10] = {
// time s; north, east, down m; roll, pitch, yaw rad; surge, sway, heave m/s
  {20, 7.359550446, 1.458789378, -0.0006762356698, -0.003937181701, 0.0002722493463, 0.001486797654, 0.8819411249, 0.1674756762, 0.0009195440471},
  {40, 33.27739593, 6.367956238, -0.0006889316374, -0.002844510394, 0.0002406243528, -0.0008391737127, 1.64749811, 0.3123770194, 0.001284333223},
  {60, 71.17002342, 13.53643594, -0.0007304772625, -0.002391498339, 0.0002181620084, -0.007459010919, 2.096134486, 0.4142953979, 0.001446068614},
  {80, 115.9179059, 22.08080813, -0.0007567769671, -0.002156487464, 0.0002052199389, -0.01738950161, 2.342305833, 0.4919077031, 0.001540050094},
  {100, 164.4337837, 31.42604534, -0.0007776308986, -0.002013985246, 0.0001982055768, -0.02975163289, 2.47185741, 0.5539891334, 0.00160465791},
  {120, 214.9997643, 41.18038326, -0.0007949800963, -0.001919025531, 0.0001945740739, -0.04391349847, 2.53793049, 0.6048767022, 0.001653789609},
  {140, 266.7022978, 51.05945323, -0.0008095105257, -0.001851415379, 0.0001927659491, -0.05943541358, 2.570541502, 0.6470521315, 0.001692814672},
  {160, 319.0680667, 60.84459054, -0.0008215591953, -0.001800804226, 0.0001919080044, -0.07600884449, 2.585877706, 0.682169956, 0.001724162009},
  {180, 371.8552, 70.36046284, -0.0008314277582, -0.001761499356, 0.0001915331905, -0.09341195981, 2.592457326, 0.7114629817, 0.001749341083},
  {200, 424.9401507, 79.4627918, -0.0008394355575, -0.001730186752, 0.0001913978424, -0.1114804434, 2.594699042, 0.7359101357, 0.001769524577},
};

void verify_osv_thrust(const struct verify_setup *setup, struct verify_result *r) {
  static const char *const what[] = {"north", "east", "down", "roll", "pitch", "yaw", "surge", "sway", "heave"};
  static const char *const unit[] = {"m", "m", "m", "rad", "rad", "rad", "m/s", "m/s", "m/s"};
  static const double limit[] = {1e-2, 1e-2, 1e-5, 1e-6, 1e-7, 1e-5, 1e-4, 1e-4, 1e-6};
  const struct thruster_setpoint setpoint[MAX_THRUSTERS] = {{1, 70, 0, 0}, {1, -50, 0, 0}, {1, 120, 0, 0.4}, {1, 90, 0, -0.3}};
  const struct sim_input input = {.setpoint = setpoint};
  struct sim_def def;
  struct sim_output o;
  verify_run_with(r, "configs/vessels/osv-83m.yaml: steps of 20 ms, 200 s, set-points of the thrusters constant");
  if (!scene_load(setup, "vessels/osv-83m", 0, NULL, &def, r))
    return;
  def.step_s = 0.02;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct verify_plot *plot = verify_plot(r, "Under constant set-points, from above", "east, m", "north, m");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "the program"),
                       *other = verify_series(r, plot, VERIFY_POINTS, "Runge-Kutta, other code");
  const int rows = (int)(sizeof THRUST_RUN / sizeof *THRUST_RUN);
  for (int k = 0; k < rows; k++) {
    const double *ref = THRUST_RUN[k];
    for (sim_get_output(s, &o); o.time_s < ref[0] - 0.5 * def.step_s; sim_get_output(s, &o)) {
      if (o.step % 50 == 0)
        verify_point(r, line, o.position_n_m[1], o.position_n_m[0]);
      sim_step(s, &input);
    }
    verify_point(r, other, ref[2], ref[1]);
    for (int c = 0; c < 9 && (k == 0 || k == rows / 2 || k == rows - 1); c++) {
      double found = c < 3 ? o.position_n_m[c] : c < 6 ? o.euler_rad[c - 3] : o.velocity_b[c - 6];
      verify_add(r, VERIFY_ABSOLUTE, unit[c], found, ref[1 + c], limit[c], "%s at %g s", what[c], ref[0]);
    }
  }
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-8, "ledger's closure");
  scene_free(s);
}
