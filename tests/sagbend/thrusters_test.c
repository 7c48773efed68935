// Thrusters: closed forms of drives, sectors, power and forces; start without a transient; order 2; ledger.

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/thrusters/thrusters.h"

#include "scenes.h"
#include "suite.h"

#include <math.h>

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

static const double DEG = TRIG_PI / 180;

static struct thruster_def azimuth_def(void) {
  return (struct thruster_def){.name = "a",
                               .kind = THRUSTER_AZIMUTH,
                               .thrust_max_n = 4e5,
                               .thrust_astern = 0.6,
                               .revolutions_max_rpm = 200,
                               .revolutions_lag_s = 1.5,
                               .revolutions_rate_rpmps = 20,
                               .azimuth_lag_s = 0.5,
                               .azimuth_rate_radps = 12 * DEG,
                               .ventilation = 1,
                               .bus = -1,
                               .power_max_w = 2.5e6};
}

// dx/dt = clamp((c - x)/T, +-r), solved by hand with libm's exp: the bound holds until |c - x| = r T, then an
// exponential.
START_TEST(drive_follows_the_closed_form) {
  struct thruster_def def = azimuth_def();
  for (int k = 0; k < 60; k++) {
    double t = 0.25 * k, c = 150, x0 = -20, r = 20, lag = 1.5, t1 = (c - x0) / r - lag;
    double expected = t <= t1 ? x0 + r * t : c - r * lag * exp(-(t - t1) / lag);
    struct thruster_state s = thruster_at_rest(&def);
    s.revolutions_rpm = x0, s.revolutions_set_rpm = c;
    thruster_flow(&def, &s, t);
    ck_assert_double_eq_tol(s.revolutions_rpm, expected, 1e-12 * 200);
  }
  // small distance: lag only; no lag: rate limit only; neither: at once
  ck_assert_double_eq_tol(thruster_approach(1, 2, 5, 3), exp(-1.5), 1e-15);
  ck_assert_double_eq_tol(thruster_approach(-10, 0, 4, 1), -6, 1e-15);
  ck_assert_double_eq(thruster_approach(-10, 0, 4, 3), 0);
  ck_assert_double_eq(thruster_approach(7, 0, 0, 1e-9), 0);
  // sluggish, share 1/4: four times the lag, a quarter of the rate
  struct thruster_state s = thruster_at_rest(&def);
  s.rate_share = 0.25, s.revolutions_set_rpm = 150;
  thruster_flow(&def, &s, 10);
  ck_assert_double_eq_tol(s.revolutions_rpm, 50, 1e-12 * 200);
  // stuck: nothing moves
  s.stuck = 1;
  thruster_flow(&def, &s, 10);
  ck_assert_double_eq_tol(s.revolutions_rpm, 50, 1e-12 * 200);
}
END_TEST

START_TEST(azimuth_goes_the_shorter_way) {
  struct thruster_def def = azimuth_def();
  struct thruster_state s = thruster_at_rest(&def);
  s.azimuth_rad = 170 * DEG, s.azimuth_set_rad = -160 * DEG; // 30 degrees, across the stern
  thruster_flow(&def, &s, 1);
  ck_assert_double_eq_tol(s.azimuth_rad, -178 * DEG, 1e-13);
  thruster_flow(&def, &s, 60);
  ck_assert_double_eq_tol(s.azimuth_rad, -160 * DEG, 1e-13);
  def.kind = THRUSTER_MAIN; // a rudder does not rotate the shorter way
  s.azimuth_rad = -30 * DEG, s.azimuth_set_rad = 30 * DEG;
  thruster_flow(&def, &s, 1);
  ck_assert_double_eq_tol(s.azimuth_rad, -18 * DEG, 1e-13);
}
END_TEST

START_TEST(flow_of_a_sum_is_the_flows_in_turn) {
  uint64_t seed = 3;
  for (int k = 0; k < 20000; k++) {
    struct thruster_def def = azimuth_def();
    def.drive = noise(&seed) > 0 ? DRIVE_CPP : DRIVE_FPP;
    def.revolutions_lag_s = noise(&seed) > 0.8 ? 0 : 1 + noise(&seed), def.pitch_lag_s = 1 + noise(&seed);
    def.revolutions_rate_rpmps = noise(&seed) > 0.5 ? 0 : 30 * (1.001 + noise(&seed));
    def.pitch_rate_1ps = 0.1 * (1.001 + noise(&seed));
    struct thruster_state x = thruster_at_rest(&def), y;
    x.revolutions_rpm = 200 * noise(&seed), x.revolutions_set_rpm = 200 * noise(&seed);
    x.pitch = noise(&seed), x.pitch_set = noise(&seed);
    x.azimuth_rad = TRIG_PI * noise(&seed), x.azimuth_set_rad = TRIG_PI * noise(&seed);
    y = x;
    double a = 4 * (1 + noise(&seed)), b = 4 * (1 + noise(&seed));
    thruster_flow(&def, &x, a + b);
    thruster_flow(&def, &y, a);
    thruster_flow(&def, &y, b);
    ck_assert_double_eq_tol(x.revolutions_rpm, y.revolutions_rpm, 1e-12 * 200);
    ck_assert_double_eq_tol(x.pitch, y.pitch, 1e-13);
    ck_assert_double_eq_tol(trig_wrap(x.azimuth_rad - y.azimuth_rad), 0, 1e-13);
  }
}
END_TEST

static struct plant_def plant_of(struct thruster_def one) {
  struct plant_def p = {.thruster_count = 1, .thruster = {one}};
  return p;
}

static const struct thruster_switches in_order[MAX_THRUSTERS];
static const struct bus_switches closed[MAX_BUSES];

START_TEST(sectors_send_a_command_to_the_nearest_edge) {
  struct thruster_def def = azimuth_def();
  def.sector[0] = (struct sector){.from_rad = -105 * DEG, .to_rad = -75 * DEG};
  def.sector[1] = (struct sector){.from_rad = 170 * DEG, .to_rad = -150 * DEG}; // across the stern
  def.sector_count = 2;
  struct plant_def plant = plant_of(def);
  static const double asked[] = {0, -80, -100, -105, -75, 175, -155, 169, 265},
                      goes[] = {0, -75, -105, -105, -75, 170, -150, 169, -105};
  struct plant_state s = plant_at_rest(&plant);
  uint64_t moved = 0;
  for (int k = 0; k < 9; k++) {
    struct thruster_setpoint p = {1, 100, 0, asked[k] * DEG};
    for (int repeat = 0; repeat < 3; repeat++)
      plant_latch(&plant, &s, &p, in_order, closed, NULL, 0.01);
    ck_assert_double_eq_tol(trig_wrap(s.thruster[0].azimuth_set_rad - goes[k] * DEG), 0, 1e-12);
    moved += fabs(trig_wrap((asked[k] - goes[k]) * DEG)) > 1e-9;
    ck_assert_uint_eq(s.thruster[0].in_forbidden_zone_count, moved); // counted once for each command
  }
  // astern the thrust points the other way: 90 degrees is -90 of the thrust
  struct thruster_setpoint p = {1, -100, 0, 88 * DEG};
  plant_latch(&plant, &s, &p, in_order, closed, NULL, 0.01);
  ck_assert_double_eq_tol(s.thruster[0].azimuth_set_rad, 75 * DEG, 1e-12);
}
END_TEST

// Two azimuths, each of which must not thrust at the other while that one turns.
static struct plant_def pair_of(double start_up_s) {
  struct plant_def plant = {.thruster_count = 2, .thruster = {azimuth_def(), azimuth_def()}};
  for (int i = 0; i < 2; i++) {
    struct thruster_def *t = &plant.thruster[i];
    t->sector[0] = i ? (struct sector){75 * DEG, 105 * DEG, "port"}
                     : (struct sector){-105 * DEG, -75 * DEG, "starboard"};
    t->sector_count = 1, t->start_up_s = start_up_s;
  }
  strcpy(plant.thruster[0].name, "port"), strcpy(plant.thruster[1].name, "starboard");
  return plant;
}

// The sector of the second against the first, which does not run: in force above 2 % of its revolutions.
START_TEST(a_sector_holds_while_the_other_one_turns) {
  struct plant_def plant = pair_of(0);
  for (int astern = 0; astern < 2; astern++)
    for (int k = 0; k < 2; k++) {
      struct plant_state s = plant_at_rest(&plant);
      struct thruster_setpoint p[2] = {{.enable = 0},
                                       {1, astern ? -100 : 100, 0, astern ? -85 * DEG : 95 * DEG}};
      double edge = astern ? -75 * DEG : 105 * DEG;
      s.thruster[0].revolutions_rpm = k ? -4.02 : 3.98; // of 200
      plant_latch(&plant, &s, p, in_order, closed, NULL, 0.01);
      ck_assert_double_eq_tol(s.thruster[1].azimuth_set_rad, k ? edge : p[1].azimuth_rad, 1e-12);
      ck_assert_uint_eq(s.thruster[1].in_forbidden_zone_count, k);
      memset(plant.thruster[1].sector[0].against, 0, SIGNAL_NAME); // without against: always
      s = plant_at_rest(&plant);
      plant_latch(&plant, &s, p, in_order, closed, NULL, 0.01);
      ck_assert_double_eq_tol(s.thruster[1].azimuth_set_rad, edge, 1e-12);
      plant = pair_of(0);
    }
}
END_TEST

// The first one starts while the second thrusts at it, with a command that does not change.
START_TEST(a_thruster_waits_for_thrust_against_it) {
  struct plant_def plant = pair_of(1);
  struct plant_state s = plant_at_rest(&plant);
  struct thruster_setpoint p[2] = {{.enable = 0}, {1, 150, 0, 85 * DEG}};
  for (int k = 0; k < 2000; k++) {
    plant_latch(&plant, &s, p, in_order, closed, NULL, 0.01);
    plant_flow(&plant, &s, 0.01);
  }
  ck_assert_double_eq_tol(s.thruster[1].azimuth_rad, 85 * DEG, 1e-6);
  ck_assert_uint_eq(s.thruster[1].in_forbidden_zone_count, 0);

  p[0] = (struct thruster_setpoint){1, 150, 0, -90 * DEG};
  int waited = 0, ran = 0;
  for (int k = 0; k < 600; k++) {
    plant_latch(&plant, &s, p, in_order, closed, NULL, 0.01);
    int starting = k < 100, inside = s.thruster[1].azimuth_rad > 76.2 * DEG;
    ck_assert(!s.thruster[0].running || !inside); // 75 degrees and the margin
    ck_assert_double_eq_tol(s.thruster[1].azimuth_set_rad, starting ? 85 * DEG : 75 * DEG, 1e-12);
    ck_assert_uint_eq(s.thruster[1].in_forbidden_zone_count, !starting);
    waited += !starting && !s.thruster[0].running, ran += (int)s.thruster[0].running;
    plant_flow(&plant, &s, 0.01);
  }
  ck_assert(waited > 50 && waited < 200 && ran == 500 - waited); // ten degrees at 12 degrees per second
  ck_assert_uint_eq(s.thruster[0].in_forbidden_zone_count, 1);   // its own command, since the other one runs

  p[1].azimuth_rad = 85 * DEG, p[1].revolutions_rpm = 0; // stuck at no thrust: nothing to wait for
  s = plant_at_rest(&plant);
  s.thruster[1].azimuth_rad = 85 * DEG, s.thruster[1].revolutions_rpm = 3.9;
  for (int k = 0; k < 101; k++)
    plant_latch(&plant, &s, p, in_order, closed, NULL, 0.01);
  ck_assert(s.thruster[0].running);
}
END_TEST

START_TEST(start_up_takes_its_time) {
  struct thruster_def def = azimuth_def();
  def.start_up_s = 0.5;
  struct plant_def plant = plant_of(def);
  struct plant_state s = plant_at_rest(&plant);
  struct thruster_setpoint p = {1, 100, 0, 0};
  for (int k = 0; k < 60; k++) { // at the start of the step from k * 0.01 s
    plant_latch(&plant, &s, &p, in_order, closed, NULL, 0.01);
    ck_assert_int_eq((int)s.thruster[0].running, k >= 50);
    ck_assert_double_eq(s.thruster[0].revolutions_set_rpm, k >= 50 ? 100 : 0);
  }
  struct thruster_switches failed[MAX_THRUSTERS] = {{.tripped = 1}};
  plant_latch(&plant, &s, &p, failed, closed, NULL, 0.01);
  ck_assert(!s.thruster[0].ready && !s.thruster[0].running && s.thruster[0].revolutions_set_rpm == 0);
  p.enable = 0;
  plant_latch(&plant, &s, &p, in_order, closed, NULL, 0.01);
  ck_assert(s.thruster[0].ready && !s.thruster[0].running);
}
END_TEST

START_TEST(load_limit_keeps_the_bus_within_its_power) {
  struct plant_def plant = {.thruster_count = 3, .bus_count = 2, .bus = {{"one", 3e6}, {"two", 1e7}}};
  for (int i = 0; i < 3; i++)
    plant.thruster[i] = azimuth_def();
  plant.thruster[0].bus = plant.thruster[1].bus = 0, plant.thruster[2].bus = 1;
  plant.thruster[1].drive = DRIVE_CPP, plant.thruster[1].power_zero_pitch = 0.2;
  struct thruster_setpoint p[3] = {{1, -190, 0, 0}, {1, 0, 0.9, 0}, {1, 200, 0, 0}};
  struct plant_state s = plant_at_rest(&plant);
  struct bus_switches bus[MAX_BUSES] = {{0}};
  double previous = INFINITY;
  for (int k = 0; k <= 100; k++) {
    bus[0].withheld = 0.01 * k;
    plant_latch(&plant, &s, p, in_order, bus, NULL, 0.01);
    double power = 0;
    for (int i = 0; i < 2; i++)
      power +=
          thruster_power_w(&plant.thruster[i], s.thruster[i].revolutions_set_rpm, s.thruster[i].pitch_set);
    double available = 3e6 * (1 - 0.01 * k);
    ck_assert_msg(power <= available, "%g W of %g W", power, available);
    ck_assert_double_eq_tol(power, available, 1e-9 * 3e6);
    ck_assert(power <= previous && s.bus[0].limited && s.bus[0].limited_count == 1);
    // both by the same factor, signs kept, while pitch alone suffices
    if (available > 0.5e6)
      ck_assert_double_eq_tol(s.thruster[0].revolutions_set_rpm / -190, s.thruster[1].pitch_set / 0.9, 1e-12);
    ck_assert_double_eq(s.thruster[2].revolutions_set_rpm, 200); // another bus
    previous = power;
  }
  bus[0] = (struct bus_switches){.lost = 1};
  plant_latch(&plant, &s, p, in_order, bus, NULL, 0.01);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq((int)s.thruster[i].running, i == 2);
  ck_assert(!s.thruster[0].ready && s.thruster[0].revolutions_set_rpm == 0 &&
            plant_bus_power_w(&plant, &s, 0) == 0);
}
END_TEST

START_TEST(forces_and_losses) {
  struct thruster_def def = azimuth_def();
  def.inflow_loss_spm = 0.06, def.ventilation = 0.9;
  struct thruster_state s = thruster_at_rest(&def);
  s.revolutions_rpm = 100, s.azimuth_rad = 30 * DEG;
  struct thruster_jet jet = thruster_jet_of(&def, &s);
  vec3 f = thruster_force(&jet, (vec3){0, 0, 0}); // a quarter at half revolutions
  ck_assert_double_eq_tol(f.x, 0.9e5 * cos(30 * DEG), 1e-9);
  ck_assert_double_eq_tol(f.y, 0.9e5 * sin(30 * DEG), 1e-9);
  double along = 2 * cos(30 * DEG) + 1 * sin(30 * DEG);
  ck_assert_double_eq_tol(thruster_thrust(&jet, (vec3){2, 1, 0.3}), 0.9e5 - 0.9 * 4e5 * 0.06 * 0.5 * along,
                          1e-9);
  s.revolutions_rpm = -100;
  jet = thruster_jet_of(&def, &s);
  ck_assert_double_eq_tol(thruster_thrust(&jet, (vec3){0, 0, 0}), -0.6 * 0.9e5, 1e-9);
  def.kind = THRUSTER_TUNNEL, def.speed_half_mps = 2, def.inflow_loss_spm = 0;
  jet = thruster_jet_of(&def, &s);
  ck_assert_double_eq_tol(thruster_force(&jet, (vec3){-2, 0, 0}).y, -0.3 * 0.9e5, 1e-9);
  def.kind = THRUSTER_MAIN, def.rudder_lift = 1.2, def.rudder_drag = 0.5;
  s.revolutions_rpm = 200;
  jet = thruster_jet_of(&def, &s);
  f = thruster_force(&jet, (vec3){0, 0, 0});
  ck_assert_double_eq_tol(f.y, 3.6e5 * 1.2 * 0.5, 1e-8);
  ck_assert_double_eq_tol(f.x, 3.6e5 * (1 - 0.5 * 0.25), 1e-8);
  s.revolutions_rpm = -200; // no slipstream over the rudder
  jet = thruster_jet_of(&def, &s);
  ck_assert_double_eq(thruster_force(&jet, (vec3){0, 0, 0}).y, 0);
  // thrust to stroke is the inverse
  uint64_t seed = 5;
  for (int k = 0; k < 1000; k++) {
    struct thruster_def d = azimuth_def();
    d.inflow_loss_spm = 0.05;
    double thrust = 4e5 * noise(&seed), inflow = 2 * noise(&seed);
    double x = thruster_stroke_for(&d, thrust, inflow, 0);
    struct thruster_state made = thruster_at_rest(&d);
    made.revolutions_rpm = 200 * x;
    struct thruster_jet j = thruster_jet_of(&d, &made);
    ck_assert_double_eq_tol(thruster_thrust(&j, (vec3){inflow, 0, 0}), thrust, 1e-9 * 4e5);
  }
  def = azimuth_def();
  ck_assert_double_eq_tol(thruster_power_w(&def, -100, 0), 2.5e6 / 8, 1e-9);
  def.drive = DRIVE_CPP, def.power_zero_pitch = 0.2;
  ck_assert_double_eq_tol(thruster_power_w(&def, 200, 0), 0.5e6, 1e-9);
  ck_assert_double_eq_tol(thruster_power_w(&def, 200, -1), 2.5e6, 1e-9);
}
END_TEST

// Random attainable wrenches are produced; the set-points always respect limits and sectors.
START_TEST(hold_is_made_within_limits) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 0, NULL);
  const struct plant_def *plant = &def.vessel.plant;
  struct model m = {.plant = *plant};
  struct model_state s = {.vessel = {.q_nb = {1, 0, 0, 0}}};
  m.current = current_of(&def.env.current, 300);
  m.env = def.env;
  m.env.current.profile = (struct time_profile){0};
  uint64_t seed = 9;
  int made_count = 0;
  for (int k = 0; k < 3000; k++) {
    double size = k % 2 ? 0.25 : 3;
    const double wrench[6] = {size * 4e5 * noise(&seed), size * 3e5 * noise(&seed), 0, 0, 0,
                              size * 1e7 * noise(&seed)};
    s.plant = plant_at_rest(plant);
    model_set_hold(&m, &s, wrench);
    double left = fabs(m.initial_holding_force_b[0]) + fabs(m.initial_holding_force_b[1]) +
                  fabs(m.initial_holding_force_b[5]) / 41.5;
    int at_edge = 0;
    for (int i = 0; i < plant->thruster_count; i++) {
      const struct thruster_setpoint *p = &m.hold_setpoint[i];
      ck_assert(fabs(p->revolutions_rpm) <= plant->thruster[i].revolutions_max_rpm);
      ck_assert_double_eq(thruster_allowed_azimuth(&plant->thruster[i], p->azimuth_rad), p->azimuth_rad);
      at_edge |= fabs(p->revolutions_rpm) > 0.999 * plant->thruster[i].revolutions_max_rpm;
    }
    if (k % 2) {
      ck_assert_msg(left < 1e-6 * (fabs(wrench[0]) + fabs(wrench[1]) + fabs(wrench[5])) + 1e-3,
                    "%g N of (%g, %g, %g) left", left, wrench[0], wrench[1], wrench[5]);
      made_count += !at_edge;
    }
  }
  ck_assert_int_gt(made_count, 1400);
}
END_TEST

// ---- with the vessel

static const struct thruster_setpoint *wild_setpoints(uint64_t *seed, const struct plant_def *plant,
                                                      struct thruster_setpoint *p) {
  for (int i = 0; i < plant->thruster_count; i++)
    p[i] =
        (struct thruster_setpoint){noise(seed) > -0.8, plant->thruster[i].revolutions_max_rpm * noise(seed),
                                   noise(seed), TRIG_PI * noise(seed)};
  return p;
}

START_TEST(starts_quietly) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 0, NULL);
  struct sim *s = shipped_create(&def);
  struct sim_output out;
  sim_get_output(s, &out);
  ck_assert_double_eq_tol(out.thruster_wrench_b[0], 120e3, 1); // the thrusters carry the pull of the pipe
  // together they equal the wrench that holds the vessel
  for (int i = 0; i < 6; i++)
    ck_assert_double_eq_tol(out.thruster_wrench_b[i] + out.control_wrench_b[i],
                            sim_statics(s)->initial_holding_force_b[i], 1e-6);
  ck_assert_double_eq_tol(out.control_wrench_b[5], 0, 1);
  ck_assert_double_gt(out.bus[0].used_w, 1e4);
  double start = out.hangoff_tension_n, most = 0;
  while (out.time_s < 9.85) {
    sim_step(s, NULL);
    sim_get_output(s, &out);
    most = fmax(most, fabs(out.hangoff_tension_n - start));
  }
  printf("thrusters hold the pipe: tension %.1f N constant to %.2e N, work of the port %.2e J\n", start, most,
         s->run.ledger.total_work_j[PORT_THRUSTERS]);
  ck_assert_msg(most < 1, "tension moves by %g N", most);
  shipped_free(s);
}
END_TEST

static const double steps_s[] = {0.005, 0.01, 0.02, 0.05, 0.1};

START_TEST(ledger_closes) {
  const char *const sets[] = {"pipe.elements=40", "vessel.damping.quadratic=[2e4, 5e4, 5e4, 1e8, 1e9, 1e9]"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 2, sets);
  scene_all_ports(&def);
  def.step_s = steps_s[_i];
  struct sim *s = shipped_create(&def);
  uint64_t seed = 11;
  struct thruster_setpoint p[MAX_THRUSTERS];
  struct sim_input input = {.setpoint = p};
  int count = (int)steps_nearest_to(120, def.step_s), every = (int)steps_nearest_to(2, def.step_s);
  for (int k = 0; k < count; k++) {
    if (k % every == 0) {
      wild_setpoints(&seed, &def.vessel.plant, p);
      input.bus[0].lost = noise(&seed) > 0.7;
      input.bus[1].withheld = fabs(noise(&seed));
      input.thruster[0].stuck = noise(&seed) > 0.5;
      input.thruster[2].slowed = 0.5 + 0.49 * noise(&seed);
    }
    sim_step(s, &input);
    const struct ledger *l = &s->run.ledger;
    for (int i = 0; i < LOSS_COUNT; i++)
      ck_assert(l->loss_j[i] >= 0);
    ck_assert(fabs(l->residual_j) <= 1e-9 * l->kinetic_j + 1e-12 * (l->scale_j + fabs(l->energy_j)));
  }
  double closure = ledger_closure_rel(&s->run.ledger);
  printf("%3.0f ms: closure %.2e, thrusters' work %.3g J of turnover %.3g J\n", 1e3 * def.step_s, closure,
         s->run.ledger.total_work_j[PORT_THRUSTERS], s->run.ledger.turnover_j);
  ck_assert(closure <= 1e-8);
  ck_assert(!s->run.fault && s->run.not_converged_count == 0);
  ck_assert(fabs(s->run.ledger.total_work_j[PORT_THRUSTERS]) > 1e5);
  shipped_free(s);
}
END_TEST

struct end {
  vec3 position, velocity, rate;
  quat attitude;
  double revolutions, tension;
};

static struct end run(struct sim_def def, int steps) {
  def.step_s = 4.0 / steps;
  struct sim *s = shipped_create(&def);
  // revolutions, azimuths and directions still moving at the end
  const struct thruster_setpoint p[MAX_THRUSTERS] = {
      {1, 130, 0, 0}, {1, -120, 0, 0}, {1, 150, 0, 2.5}, {1, 140, 0, -1}};
  const struct sim_input input = {.setpoint = p};
  for (int k = 0; k < steps; k++)
    sim_step(s, &input);
  struct sim_output out;
  sim_get_output(s, &out);
  struct end e = {s->state.vessel.x_n,
                  vec3_of(s->state.vessel.nu),
                  vec3_of(s->state.vessel.nu + 3),
                  s->state.vessel.q_nb,
                  s->state.plant.thruster[2].revolutions_rpm,
                  out.hangoff_tension_n};
  shipped_free(s);
  return e;
}

START_TEST(order_stays_two) {
  const char *const sets[] = {"pipe.elements=30"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 1, sets);
  def.env.current.profile =
      (struct time_profile){.start_s = 0.3, .ramp_s = 2, .variation = 0.4, .period_s = 3};
  def.env.current.surface_mps = 2;
  for (int i = 0; i < def.vessel.plant.thruster_count; i++) // smooth: the lag alone
    def.vessel.plant.thruster[i].revolutions_rate_rpmps = def.vessel.plant.thruster[i].azimuth_rate_radps = 0;
  const char *const names[] = {"position", "velocity", "rate", "attitude", "tension"};
  struct end fine = run(def, 200 * 64);
  double error[3][5];
  for (int level = 0; level < 3; level++) {
    struct end e = run(def, 200 << level);
    error[level][0] = vec3_norm(vec3_sub(e.position, fine.position));
    error[level][1] = vec3_norm(vec3_sub(e.velocity, fine.velocity));
    error[level][2] = vec3_norm(vec3_sub(e.rate, fine.rate));
    error[level][3] = fabs(e.attitude.w - fine.attitude.w) + fabs(e.attitude.x - fine.attitude.x) +
                      fabs(e.attitude.y - fine.attitude.y) + fabs(e.attitude.z - fine.attitude.z);
    error[level][4] = fabs(e.tension - fine.tension);
    ck_assert_double_eq_tol(e.revolutions, fine.revolutions, 1e-9); // the drives themselves are exact
  }
  for (int q = 0; q < 5; q++) {
    double last = error[1][q] / error[2][q];
    printf("  %-9s %.3e %.3e %.3e, ratios %.2f %.2f\n", names[q], error[0][q], error[1][q], error[2][q],
           error[0][q] / error[1][q], last);
    ck_assert_msg(last > 3.6 && last < 4.5, "%s: ratio %.2f", names[q], last);
  }
}
END_TEST

START_TEST(snapshot_carries_the_plant) {
  const char *const sets[] = {"pipe.elements=20"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 1, sets);
  struct sim *a = shipped_create(&def), *b = shipped_create(&def);
  uint64_t seed = 21;
  struct thruster_setpoint p[MAX_THRUSTERS];
  struct sim_input input = {.setpoint = wild_setpoints(&seed, &def.vessel.plant, p)};
  p[2].enable = 1;
  for (int k = 0; k < 100; k++)
    sim_step(a, &input);
  void *bytes = malloc(sim_snapshot_size(a));
  struct reason why;
  sim_snapshot(a, bytes);
  ck_assert_int_eq(sim_restore(b, bytes, sim_snapshot_size(a), &why), STATUS_OK);
  ck_assert_uint_eq(sim_hash(a), sim_hash(b));
  for (int k = 0; k < 100; k++)
    sim_step(a, &input), sim_step(b, &input);
  ck_assert_uint_eq(sim_hash(a), sim_hash(b));
  b->state.plant.thruster[2].azimuth_rad += 1e-15; // the hash covers it
  ck_assert_uint_ne(sim_hash(a), sim_hash(b));
  free(bytes);
  shipped_free(a), shipped_free(b);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("thrusters");
  TCase *parts = add_case(suite, "parts", 60), *vessel = add_case(suite, "with the vessel", 110);
  tcase_add_test(parts, drive_follows_the_closed_form);
  tcase_add_test(parts, azimuth_goes_the_shorter_way);
  tcase_add_test(parts, flow_of_a_sum_is_the_flows_in_turn);
  tcase_add_test(parts, sectors_send_a_command_to_the_nearest_edge);
  tcase_add_test(parts, a_sector_holds_while_the_other_one_turns);
  tcase_add_test(parts, a_thruster_waits_for_thrust_against_it);
  tcase_add_test(parts, start_up_takes_its_time);
  tcase_add_test(parts, load_limit_keeps_the_bus_within_its_power);
  tcase_add_test(parts, forces_and_losses);
  tcase_add_test(parts, hold_is_made_within_limits);
  tcase_add_test(vessel, starts_quietly);
  tcase_add_loop_test(vessel, ledger_closes, 0, 5);
  tcase_add_test(vessel, order_stays_two);
  tcase_add_test(vessel, snapshot_carries_the_plant);
  return run_suite(suite);
}
