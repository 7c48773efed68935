// The vessel with full inertia and its thrusters, without a pipe, against an independent code:
// tests/reference/osv_vessel.py.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include <math.h>

static const struct {
  const char *name;
  double period_s, shape[3]; // heave m, roll, pitch rad
} MODES[] = {{"heave against pitch", 5.1497362869, {-1, 0, 0.0477145876}},
             {"heave with pitch", 7.6326402115, {1, 0, 0.0427693354}},
             {"roll", 10.1807666026, {0, 1, 0}}};

// Period over whole swings, between passages through zero from below, linear between steps.
static double period_of(struct sim *s, int heave, int coordinate, int swings, struct verify_result *r,
                        struct verify_series *line) {
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
  verify_run_with(
      r, "configs/vessels/osv-83m-published.yaml: damping off, 1 cm or 1e-4 rad, steps of 10 ms, 20 swings");
  if (!scene_load(setup, "vessels/osv-83m-published", 0, NULL, &def, r))
    return;
  scene_conservative(&def);
  def.vessel.plant.thruster_count = 0;
  struct verify_plot *plot =
      verify_plot(r, "Free oscillation of the 83 m vessel", "time, s", "heave, m, or roll, rad x 100");
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
    verify_add(r, VERIFY_RELATIVE, "s", period, MODES[k].period_s, 4e-5, "period, %s", MODES[k].name);
    struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "%s, mode", MODES[k].name);
    for (int i = 0; i <= 60; i += 2)
      verify_point(r, closed, i,
                   (k < 2 ? size * MODES[k].shape[0] : 100 * size) *
                       cos(2 * acos(-1) * i / MODES[k].period_s));
    scene_free(s);
  }
}

// From rest, bow tunnels at 70 and -50 rpm, azimuths at 120 rpm and 0.4 rad, 90 rpm and -0.3 rad.
static const double THRUST_RUN[][10] = {
    // time s; north, east, down m; roll, pitch, yaw rad; surge, sway, heave m/s
    {20, 7.359550126, 1.458798447, -0.0006772755286, -0.00394696495, 0.0002722374077, 0.001486661055,
     0.8819410663, 0.1674791951, 0.000920715759},
    {40, 33.27739554, 6.367953197, -0.0006898438991, -0.002850047162, 0.0002406174561, -0.0008393058661,
     1.64749807, 0.3123781091, 0.00128575564},
    {60, 71.17002338, 13.53642185, -0.0007313288634, -0.002396226871, 0.0002181634556, -0.007459162657,
     2.096134455, 0.4142953384, 0.001447939822},
    {80, 115.9179067, 22.08078051, -0.0007577023857, -0.002160928745, 0.0002052240279, -0.01738968048,
     2.342305804, 0.4919073888, 0.001542225367},
    {100, 164.4337855, 31.42600162, -0.0007786226915, -0.002018201394, 0.0001982105132, -0.02975183616,
     2.471857383, 0.5539887656, 0.001607001448},
    {120, 214.9997674, 41.18032126, -0.0007960191736, -0.001923067501, 0.0001945795114, -0.0439137228,
     2.537930466, 0.6048763062, 0.001656245772},
    {140, 266.7023024, 51.05937113, -0.0008105861131, -0.001855329098, 0.0001927717737, -0.05943565654,
     2.570541481, 0.6470517088, 0.00169535971},
    {160, 319.0680728, 60.84448675, -0.0008226645326, -0.001804622384, 0.0001919141293, -0.07600910438,
     2.585877688, 0.6821695081, 0.001726780351},
    {180, 371.8552075, 70.36033591, -0.0008325575531, -0.001765244048, 0.0001915395463, -0.09341223533,
     2.59245731, 0.7114625112, 0.001752019844},
    {200, 424.9401595, 79.46264045, -0.000840585378, -0.001733873379, 0.000191404377, -0.1114807336,
     2.594699029, 0.7359096453, 0.001772252814},
};

void verify_osv_thrust(const struct verify_setup *setup, struct verify_result *r) {
  static const char *const what[] = {"north", "east",  "down", "roll", "pitch",
                                     "yaw",   "surge", "sway", "heave"};
  static const char *const unit[] = {"m", "m", "m", "rad", "rad", "rad", "m/s", "m/s", "m/s"};
  static const double limit[] = {1e-2, 1e-2, 1e-5, 1e-6, 1e-7, 1e-5, 1e-4, 1e-4, 1e-6};
  const struct thruster_setpoint setpoint[MAX_THRUSTERS] = {
      {1, 70, 0, 0}, {1, -50, 0, 0}, {1, 120, 0, 0.4}, {1, 90, 0, -0.3}};
  const struct sim_input input = {.setpoint = setpoint};
  struct sim_def def;
  struct sim_output o;
  verify_run_with(
      r,
      "configs/vessels/osv-83m-published.yaml: steps of 20 ms, 200 s, set-points of the thrusters constant");
  if (!scene_load(setup, "vessels/osv-83m-published", 0, NULL, &def, r))
    return;
  def.step_s = 0.02;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct verify_plot *plot =
      verify_plot(r, "Track under constant set-points, plan view", "east, m", "north, m");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "the program"),
                       *other = verify_series(r, plot, VERIFY_POINTS, "Runge-Kutta, independent code");
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
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11, "ledger closure");
  scene_free(s);
}
