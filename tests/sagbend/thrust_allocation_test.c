// Thrust allocation: an attainable wrench is reproduced, otherwise the nearest one; sectors, rates, failures,
// power.
#include "sagbend/thrust/thrust.h"

#include "sagbend/math/math.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static double between(struct random_stream *r, double low, double high) {
  return low + (high - low) * random_uniform(r);
}

static struct actuator_def actuator(const char *name, enum thruster_kind kind, double x, double y,
                                    double thrust) {
  struct actuator_def a = {.kind = kind,
                           .position_b_m = {x, y, 0},
                           .thrust_max_n = thrust,
                           .thrust_astern = 1,
                           .revolutions_max_rpm = 150,
                           .response_s = 1,
                           .stroke_s = 10,
                           .price = 1};
  strcpy(a.name, name);
  return a;
}

// The four thrusters of the supply vessel.
static struct allocation_def vessel(void) {
  struct allocation_def d = {.actuator_count = 4,
                             .error_weight = {1, 1, 10},
                             .least_share = 0.01,
                             .watch = {.deviation_share = 0.01},
                             .stop_share = 0.25};
  d.actuator[0] = actuator("bow_1", THRUSTER_TUNNEL, 37, 0, 300e3);
  d.actuator[1] = actuator("bow_2", THRUSTER_TUNNEL, 35, 0, 300e3);
  d.actuator[2] = actuator("port", THRUSTER_AZIMUTH, -41.5, -7, 655e3);
  d.actuator[3] = actuator("starboard", THRUSTER_AZIMUTH, -41.5, 7, 420e3);
  return d;
}

static void forbid(struct actuator_def *a, double from_deg, double to_deg) {
  a->forbidden[a->forbidden_count++] =
      (struct forbidden_sector){.from_rad = from_deg * PI / 180, .to_rad = to_deg * PI / 180};
}

static int is_forbidden(const struct actuator_def *a, double azimuth_rad, double inside_rad) {
  for (int i = 0; i < a->forbidden_count; i++) {
    double in = fmod(azimuth_rad - a->forbidden[i].from_rad + 8 * PI, 2 * PI);
    double width = fmod(a->forbidden[i].to_rad - a->forbidden[i].from_rad + 8 * PI, 2 * PI);
    if (in > inside_rad && in < width - inside_rad)
      return 1;
  }
  return 0;
}

// A random vessel: all kinds of thrusters, some with sectors or rudders.
static struct allocation_def by_chance(struct random_stream *r) {
  struct allocation_def d = {.error_weight = {1, 1, 10}};
  d.actuator_count = 3 + (int)(5 * random_uniform(r));
  for (int i = 0; i < d.actuator_count; i++) {
    enum thruster_kind kind = i == 0 ? THRUSTER_AZIMUTH : (enum thruster_kind)(int)(3 * random_uniform(r));
    char name[] = {(char)('a' + i), 0};
    struct actuator_def *a = &d.actuator[i];
    *a = actuator(name, kind, between(r, -40, 40), between(r, -9, 9), between(r, 1e5, 7e5));
    if (kind == THRUSTER_MAIN) {
      a->thrust_astern = between(r, 0.3, 1);
      a->rudder_max_rad = random_uniform(r) < 0.5 ? 0 : 0.6;
      a->rudder_lift = between(r, 0.5, 1);
      a->rudder_drag = between(r, 0.1, 0.6);
    }
    if (kind == THRUSTER_AZIMUTH && random_uniform(r) < 0.5) {
      double from = between(r, -180, 180);
      forbid(a, from, from + between(r, 10, 100));
      if (random_uniform(r) < 0.5)
        forbid(a, from + 150, from + 200);
    }
  }
  return d;
}

// A force that the thruster can produce, from its definition alone.
static void some_force(const struct actuator_def *a, struct random_stream *r, double size, double f[2]) {
  if (a->kind == THRUSTER_TUNNEL) {
    f[0] = 0;
    f[1] = size * a->thrust_max_n * between(r, -1, 1);
    return;
  }
  if (a->kind == THRUSTER_MAIN) {
    double thrust = size * a->thrust_max_n * between(r, -a->thrust_astern, 1);
    double s = a->rudder_max_rad > 0 ? sin(between(r, -a->rudder_max_rad, a->rudder_max_rad)) : 0;
    if (a->rudder_max_rad > 0) // a smaller arc where the rudder reduces thrust
      thrust *= 0.8;
    f[0] = thrust > 0 ? thrust * (1 - a->rudder_drag * s * s) : thrust;
    f[1] = thrust > 0 ? thrust * a->rudder_lift * s : 0;
    return;
  }
  double azimuth;
  do
    azimuth = between(r, -PI, PI);
  while (is_forbidden(a, azimuth, 0));
  double thrust = size * a->thrust_max_n * sqrt(random_uniform(r));
  f[0] = thrust * cos(azimuth);
  f[1] = thrust * sin(azimuth);
}

static void add_wrench(const struct actuator_def *a, const double f[2], double w[3]) {
  w[0] += f[0];
  w[1] += f[1];
  w[2] += a->position_b_m[0] * f[1] - a->position_b_m[1] * f[0];
}

static void some_wrench(const struct allocation_def *d, struct random_stream *r, double size, double w[3]) {
  memset(w, 0, 3 * sizeof *w);
  for (int i = 0; i < d->actuator_count; i++) {
    double f[2];
    some_force(&d->actuator[i], r, size, f);
    add_wrench(&d->actuator[i], f, w);
  }
}

// Error in the metric of the definition, relative to the total thrust.
static double error_of(const struct allocation_def *d, const double demand[3], const double given[3]) {
  double total = 0, arm = 1, sum = 0;
  for (int i = 0; i < d->actuator_count; i++) {
    total += d->actuator[i].thrust_max_n;
    arm = fmax(arm, hypot(d->actuator[i].position_b_m[0], d->actuator[i].position_b_m[1]));
  }
  for (int k = 0; k < 3; k++)
    sum += d->error_weight[k] * pow((demand[k] - given[k]) / (k == 2 ? total * arm : total), 2);
  return sqrt(sum);
}

static void assert_possible(const struct actuator_def *a, const double f[2]) {
  double size = hypot(f[0], f[1]), slack = 1e-9 * a->thrust_max_n;
  ck_assert_double_le(size, a->thrust_max_n + slack);
  if (a->kind == THRUSTER_TUNNEL)
    ck_assert_double_le(fabs(f[0]), slack);
  if (a->kind == THRUSTER_AZIMUTH && size > slack)
    ck_assert(!is_forbidden(a, atan2(f[1], f[0]), 1e-9));
  if (a->kind == THRUSTER_MAIN && f[0] < -slack) {
    ck_assert_double_le(-f[0], a->thrust_astern * a->thrust_max_n + slack);
    ck_assert_double_le(fabs(f[1]), slack);
  }
}

static struct allocation_plan plan_of(const struct allocation_def *d, const double demand[3]) {
  struct allocation_wish wish = {.demand = {demand[0], demand[1], demand[2]}};
  struct allocation_plan plan;
  for (int i = 0; i < d->actuator_count; i++)
    wish.share[i] = 1;
  allocation_plan(d, &wish, &plan);
  return plan;
}

START_TEST(what_is_attainable_is_given) {
  struct random_stream r = random_stream_of(1);
  for (int n = 0; n < 3000; n++) {
    struct allocation_def d = n % 3 ? by_chance(&r) : vessel();
    double demand[3], given[3] = {0}, zero[3] = {0};
    some_wrench(&d, &r, 1, demand);
    struct allocation_plan plan = plan_of(&d, demand);
    for (int i = 0; i < d.actuator_count; i++) {
      assert_possible(&d.actuator[i], plan.solution.force_n[i]);
      add_wrench(&d.actuator[i], plan.solution.force_n[i], given);
    }
    ck_assert_double_lt(error_of(&d, demand, given), 1e-6 * error_of(&d, demand, zero));
  }
}
END_TEST

// Beyond the limits, without sectors: at the nearest point of a convex set, no attainable wrench lies further
// in the direction of the error. For each thruster the definition gives the furthest force in a direction.
START_TEST(otherwise_the_nearest) {
  struct random_stream r = random_stream_of(2);
  int beyond = 0;
  for (int n = 0; n < 3000; n++) {
    struct allocation_def d = n % 2 ? vessel() : by_chance(&r);
    double demand[3], error[3], total = 0, arm = 1;
    for (int i = 0; i < d.actuator_count; i++) {
      d.actuator[i].forbidden_count = 0;
      if (d.actuator[i].kind == THRUSTER_MAIN)
        d.actuator[i].rudder_max_rad = 0;
      total += d.actuator[i].thrust_max_n;
      arm = fmax(arm, hypot(d.actuator[i].position_b_m[0], d.actuator[i].position_b_m[1]));
    }
    d.error_weight[0] = between(&r, 0.1, 10);
    some_wrench(&d, &r, between(&r, 1, 6), demand);
    struct allocation_plan plan = plan_of(&d, demand);
    // closer to the limit the price of the forces would affect it
    if (error_of(&d, demand, plan.solution.wrench) < 1e-2)
      continue;
    beyond++;
    double furthest = 0, reached = 0, size = 0;
    for (int k = 0; k < 3; k++) {
      error[k] = d.error_weight[k] * (demand[k] - plan.solution.wrench[k]) / (k == 2 ? arm * arm : 1);
      reached += error[k] * plan.solution.wrench[k];
      size += fabs(error[k]) * (k == 2 ? arm : 1);
    }
    for (int i = 0; i < d.actuator_count; i++) {
      const struct actuator_def *a = &d.actuator[i];
      double forward = error[0] - a->position_b_m[1] * error[2],
             side = error[1] + a->position_b_m[0] * error[2];
      if (a->kind == THRUSTER_AZIMUTH)
        furthest += a->thrust_max_n * hypot(forward, side);
      else if (a->kind == THRUSTER_TUNNEL)
        furthest += a->thrust_max_n * fabs(side);
      else
        furthest += a->thrust_max_n * (forward > 0 ? forward : -forward * a->thrust_astern);
    }
    ck_assert_double_le(furthest - reached,
                        1e-5 * total * size); // rounding of multipliers of 1e10 is 1e-6
  }
  ck_assert_int_gt(beyond, 1000);
}
END_TEST

// With sectors and rudders: none of many random forces is nearer.
START_TEST(nothing_by_chance_comes_nearer) {
  struct random_stream r = random_stream_of(3);
  for (int n = 0; n < 100; n++) {
    struct allocation_def d = by_chance(&r);
    double demand[3], other[3];
    some_wrench(&d, &r, 3, demand);
    struct allocation_plan plan = plan_of(&d, demand);
    double found = error_of(&d, demand, plan.solution.wrench);
    for (int m = 0; m < 3000; m++) {
      some_wrench(&d, &r, 1, other);
      ck_assert_double_ge(error_of(&d, demand, other), found - 1e-6);
    }
  }
}
END_TEST

// A plant whose feedback follows set-points with a lag.
struct plant {
  struct readings r;
  double lag_s, azimuth_rate_radps;
};

static void plant_start(struct plant *p, const struct allocation_def *d) {
  memset(&p->r, 0, sizeof p->r);
  p->r.thruster_count = d->actuator_count;
  for (int i = 0; i < d->actuator_count; i++) {
    strcpy(p->r.thruster[i].name, d->actuator[i].name);
    p->r.thruster[i].ready = p->r.thruster[i].running = 1;
  }
}

static void plant_step(struct plant *p, const struct command *c, double dt) {
  for (int i = 0; i < c->thruster_count; i++)
    for (int k = 0; k < p->r.thruster_count; k++) {
      struct thruster_feedback *f = &p->r.thruster[k];
      if (strcmp(f->name, c->thrusters[i].name) != 0 || !f->running)
        continue;
      f->revolutions_rpm += dt / (p->lag_s + dt) * (c->thrusters[i].revolutions_rpm - f->revolutions_rpm);
      double way = remainder(c->thrusters[i].azimuth_rad - f->azimuth_rad, 2 * PI),
             most = p->azimuth_rate_radps * dt;
      f->azimuth_rad = remainder(f->azimuth_rad + fmax(-most, fmin(most, way)), 2 * PI);
    }
}

static double setpoint_thrust(const struct actuator_def *a, const struct thruster_command *c) {
  return actuator_thrust(a, c->revolutions_rpm, c->pitch);
}

START_TEST(rates_and_sectors_are_kept) {
  struct random_stream r = random_stream_of(4);
  const double dt = 0.2;
  struct allocation_def d = vessel();
  for (int i = 0; i < 4; i++) {
    d.actuator[i].thrust_rate_nps = 40e3;
    d.actuator[i].azimuth_rate_radps = 0.15;
  }
  forbid(&d.actuator[2], 70, 110);
  forbid(&d.actuator[3], -110, -70);
  forbid(&d.actuator[3], 150, 170);
  struct plant p = {.lag_s = 1, .azimuth_rate_radps = 0.2};
  plant_start(&p, &d);
  struct allocation_state s;
  allocation_start(&s, &d, &p.r, 0);
  struct command before = {0}, c = {0};
  double demand[3] = {0};
  int crossings = 0;
  for (int n = 0; n < 20000; n++) {
    if (n % 400 == 0)
      some_wrench(&d, &r, 0.7, demand);
    before = c;
    allocation_sample(&s, &d, &p.r, demand, n * dt, dt, &c);
    ck_assert_int_eq(c.thruster_count, 4);
    for (int i = 0; i < 4; i++) {
      const struct actuator_def *a = &d.actuator[i];
      double thrust = setpoint_thrust(a, &c.thrusters[i]), azimuth = c.thrusters[i].azimuth_rad;
      ck_assert_double_le(fabs(thrust), a->thrust_max_n * (1 + 1e-12));
      if (a->kind == THRUSTER_AZIMUTH)
        ck_assert(!is_forbidden(a, azimuth, 1e-9));
      // in a sector it delivers nothing in its present direction
      if (is_forbidden(a, p.r.thruster[i].azimuth_rad, 0.03) && a->kind == THRUSTER_AZIMUTH)
        ck_assert_double_le(thrust, a->thrust_max_n * 0.02);
      if (n == 0)
        continue;
      ck_assert_double_le(fabs(thrust - setpoint_thrust(a, &before.thrusters[i])), 40e3 * dt * (1 + 1e-9));
      double turn = fabs(remainder(azimuth - before.thrusters[i].azimuth_rad, 2 * PI));
      if (turn > 0.15 * dt * (1 + 1e-9)) { // through a sector, from edge to edge, without thrust
        crossings++;
        ck_assert_int_gt(a->forbidden_count, 0);
        ck_assert_double_le(thrust, 0.02 * a->thrust_max_n);
      }
    }
    plant_step(&p, &c, dt);
    if (n % 400 == 399) // long enough for all thrusters
      ck_assert_double_lt(error_of(&d, demand, s.given), 0.02);
  }
  ck_assert_int_gt(crossings, 3);
}
END_TEST

// A sector against a thruster that stops and starts again: used in between, left at once afterwards.
START_TEST(a_sector_ends_with_the_thruster_that_it_protects) {
  const double dt = 0.2, demand[3] = {0, 3e5, -41.5 * 3e5}; // to starboard at the stern
  for (int is_named = 0; is_named < 2; is_named++) {
    struct allocation_def d = vessel();
    d.actuator[3].thrust_rate_nps = 100e3, d.actuator[3].azimuth_rate_radps = 0.15;
    forbid(&d.actuator[3], 70, 110);
    if (is_named)
      strcpy(d.actuator[3].forbidden[0].against, "port");
    struct plant p = {.lag_s = 1, .azimuth_rate_radps = 0.2};
    plant_start(&p, &d);
    struct allocation_state s;
    struct command c = {0};
    allocation_start(&s, &d, &p.r, 0);
    for (int n = 0; n < 900; n++) {
      int stopped = n >= 300 && n < 600;
      struct thruster_feedback *port = &p.r.thruster[2], *starboard = &p.r.thruster[3];
      port->running = !stopped;
      if (stopped)
        port->revolutions_rpm = 0;
      allocation_sample(&s, &d, &p.r, demand, n * dt, dt, &c);
      double azimuth = c.thrusters[3].azimuth_rad, thrust = setpoint_thrust(&d.actuator[3], &c.thrusters[3]);
      if (!stopped || !is_named)
        ck_assert(!is_forbidden(&d.actuator[3], azimuth, 1e-9)); // from the first sample after the start
      if (n == 599)
        ck_assert_int_eq(fabs(azimuth - PI / 2) < 0.01 && thrust > 2.9e5, is_named);
      if (n > 602 && is_forbidden(&d.actuator[3], starboard->azimuth_rad, 0.03)) // falls at its rate
        ck_assert_double_lt(thrust, 3e5 - 0.99 * 100e3 * dt * (n - 600));
      plant_step(&p, &c, dt);
      if (n == 899)
        ck_assert(!is_forbidden(&d.actuator[3], starboard->azimuth_rad, 0.03));
    }
  }
  // a protected thruster that the vessel does not have
  struct allocation_def d = vessel();
  forbid(&d.actuator[3], 70, 110);
  strcpy(d.actuator[3].forbidden[0].against, "port");
  struct plant p;
  plant_start(&p, &d);
  strcpy(p.r.thruster[2].name, "another");
  struct allocation_state s;
  struct command c = {0};
  allocation_start(&s, &d, &p.r, 0);
  for (int n = 0; n < 3; n++)
    allocation_sample(&s, &d, &p.r, demand, n * dt, dt, &c);
  ck_assert_double_eq_tol(s.azimuth_rad[3], PI / 2, 0.01);
}
END_TEST

// The vessel keeps azimuths out of the sector of a thruster that has lost its power until that has run down.
// One that is sent in before would not follow, and get an emergency stop.
START_TEST(a_sector_lasts_until_the_thruster_that_it_protects_has_run_down) {
  const double dt = 0.2, demand[3] = {0, 3e5, -41.5 * 3e5};
  struct allocation_def d = vessel();
  d.actuator[3].azimuth_rate_radps = 0.15;
  forbid(&d.actuator[3], 70, 110);
  strcpy(d.actuator[3].forbidden[0].against, "port");
  struct plant p = {.lag_s = 1, .azimuth_rate_radps = 0.2};
  plant_start(&p, &d);
  struct allocation_state s;
  struct command c = {0};
  allocation_start(&s, &d, &p.r, 0);
  for (int n = 0; n < 300; n++) {
    struct thruster_feedback *port = &p.r.thruster[2];
    int turns = n < 200;
    port->running = port->ready = n < 100;
    if (n >= 100) // 2.1 %, then 1.9 %
      port->revolutions_rpm = (turns ? -0.021 : -0.019) * d.actuator[2].revolutions_max_rpm;
    allocation_sample(&s, &d, &p.r, demand, n * dt, dt, &c);
    if (turns)
      ck_assert(!is_forbidden(&d.actuator[3], s.azimuth_rad[3], 1e-9));
    plant_step(&p, &c, dt);
  }
  ck_assert(is_forbidden(&d.actuator[3], s.azimuth_rad[3], 0.1));
}
END_TEST

// From full ahead to full astern: the azimuths rotate although each degree of rotation gains nothing.
START_TEST(azimuths_are_never_stuck) {
  struct allocation_def d = vessel();
  d.actuator[2].azimuth_rate_radps = d.actuator[3].azimuth_rate_radps = 0.1;
  struct plant p = {.lag_s = 1, .azimuth_rate_radps = 0.1};
  plant_start(&p, &d);
  struct allocation_state s;
  struct command c = {0};
  allocation_start(&s, &d, &p.r, 0);
  for (int n = 0; n < 800; n++) {
    double demand[3] = {n < 300 ? 8e5 : -8e5, 0, 0};
    allocation_sample(&s, &d, &p.r, demand, 0.1 * n, 0.1, &c);
    plant_step(&p, &c, 0.1);
    if (n == 299 || n == 799)
      ck_assert_double_lt(error_of(&d, demand, s.given), 1e-6);
  }
}
END_TEST

// From one edge of a sector to beyond the other: across it, in a fraction of the time of the way round.
START_TEST(a_sector_is_crossed_where_that_is_sooner) {
  const double dt = 0.1, way_round_s = (360 - 54) / 10.0, force_n = 2e5;
  struct allocation_def d = vessel();
  d.actuator[2].thrust_rate_nps = 60e3, d.actuator[2].azimuth_rate_radps = 10 * PI / 180;
  forbid(&d.actuator[2], -108.6, -71.4);
  struct plant p = {.lag_s = 1, .azimuth_rate_radps = 12 * PI / 180};
  plant_start(&p, &d);
  for (int i = 0; i < 4; i++)
    p.r.thruster[i].ready = p.r.thruster[i].running = i == 2;
  struct allocation_state s;
  struct command c = {0};
  double there_s = 0;
  allocation_start(&s, &d, &p.r, 0);
  for (int n = 0; n < 1000 && there_s == 0; n++) {
    double azimuth = (n < 600 ? -72 : -126) * PI / 180, demand[3] = {0};
    const double wanted[2] = {force_n * cos(azimuth), force_n * sin(azimuth)};
    add_wrench(&d.actuator[2], wanted, demand);
    allocation_sample(&s, &d, &p.r, demand, n * dt, dt, &c);
    plant_step(&p, &c, dt);
    if (is_forbidden(&d.actuator[2], p.r.thruster[2].azimuth_rad, 0.03))
      ck_assert_double_le(setpoint_thrust(&d.actuator[2], &c.thrusters[2]),
                          0.02 * d.actuator[2].thrust_max_n);
    double given[3];
    allocation_feedback_wrench(&d, &p.r, 1U << 2, given);
    if (n == 599)
      ck_assert_double_lt(error_of(&d, demand, given), 1e-2);
    if (n >= 600 && error_of(&d, demand, given) < 1e-2)
      there_s = (n - 599) * dt;
  }
  ck_assert_double_gt(there_s, 0);
  ck_assert_double_lt(there_s, 0.6 * way_round_s);
}
END_TEST

// One bow tunnel is lost, and the wind grows (a campaign's case): the port azimuth has to cross its sector.
// The starboard one turns to where it makes up for it first, so that the vessel gets most of the force all
// the time.
START_TEST(others_take_over_before_an_azimuth_crosses) {
  const double dt = 0.1;
  struct allocation_def d = vessel();
  d.actuator[0].thrust_max_n = d.actuator[1].thrust_max_n = 230e3;
  for (int i = 0; i < 4; i++) {
    d.actuator[i].thrust_rate_nps = i == 2 ? 60e3 : 40e3;
    d.actuator[i].azimuth_rate_radps = i >= 2 ? 10 * PI / 180 : 0;
  }
  forbid(&d.actuator[2], -108.6, -71.4);
  forbid(&d.actuator[3], 73.3, 106.7);
  d.actuator[2].bias_n[1] = 20e3, d.actuator[3].bias_n[1] = -20e3;
  struct plant p = {.lag_s = 1, .azimuth_rate_radps = 12 * PI / 180};
  plant_start(&p, &d);
  p.r.thruster[0].ready = p.r.thruster[0].running = 0;
  struct allocation_state s;
  struct command c = {0};
  allocation_start(&s, &d, &p.r, 0);
  int crossed = 0;
  double least_n = INFINITY;
  for (int n = 0; n < 1800; n++) {
    const double t = n * dt, grown = fmin(1, fmax(0, (t - 60) / 30));
    const double demand[3] = {60e3 - 40e3 * grown, -200e3 - 160e3 * grown, 1e6 - 4.5e6 * grown};
    double given[3];
    allocation_sample(&s, &d, &p.r, demand, t, dt, &c);
    plant_step(&p, &c, dt);
    allocation_feedback_wrench(&d, &p.r, ALL_THRUSTERS, given);
    crossed |= t > 60 && is_forbidden(&d.actuator[2], p.r.thruster[2].azimuth_rad, 0.03);
    if (t > 60)
      least_n = fmin(least_n, -given[1] - 200e3 - 160e3 * fmin(1, fmax(0, (t - 65) / 30)));
  }
  ck_assert(crossed);
  ck_assert_double_gt(least_n, -60e3);
}
END_TEST

// A drive that idles: after a while the thruster crosses the sector all the same, and it is known.
START_TEST(a_drive_that_does_not_come_to_rest_is_not_waited_for) {
  const double dt = 0.1, force_n = 2e5;
  for (int idles = 0; idles < 2; idles++) {
    struct allocation_def d = vessel();
    d.actuator[2].thrust_rate_nps = 60e3, d.actuator[2].azimuth_rate_radps = 10 * PI / 180;
    d.actuator[2].response_s = 2;
    forbid(&d.actuator[2], -108.6, -71.4);
    struct plant p = {.lag_s = 1, .azimuth_rate_radps = 12 * PI / 180};
    plant_start(&p, &d);
    for (int i = 0; i < 4; i++)
      p.r.thruster[i].ready = p.r.thruster[i].running = i == 2;
    struct allocation_state s;
    struct command c = {0};
    allocation_start(&s, &d, &p.r, 0);
    int was_restless = 0;
    for (int n = 0; n < 1000; n++) {
      double azimuth = (n < 600 ? -72 : -126) * PI / 180, demand[3] = {0};
      const double wanted[2] = {force_n * cos(azimuth), force_n * sin(azimuth)};
      add_wrench(&d.actuator[2], wanted, demand);
      allocation_sample(&s, &d, &p.r, demand, n * dt, dt, &c);
      plant_step(&p, &c, dt);
      if (idles && n >= 600)
        p.r.thruster[2].revolutions_rpm =
            fmax(p.r.thruster[2].revolutions_rpm, 0.06 * d.actuator[2].revolutions_max_rpm);
      was_restless |= s.restless[2];
    }
    ck_assert_int_eq(was_restless, idles);
    ck_assert_double_eq_tol(p.r.thruster[2].azimuth_rad, -126 * PI / 180, 0.05);
  }
}
END_TEST

START_TEST(a_failed_thruster_is_left_out_at_once) {
  struct random_stream r = random_stream_of(5);
  for (int failed = 0; failed < 4; failed++)
    for (int how = 0; how < 2; how++) {
      struct allocation_def d = vessel(), rest = d;
      struct plant p = {.lag_s = 0, .azimuth_rate_radps = 100};
      plant_start(&p, &d);
      struct allocation_state s;
      struct command c = {0};
      allocation_start(&s, &d, &p.r, 0);
      rest.actuator[failed].thrust_max_n = 1e-3;
      for (int n = 0; n < 60; n++) {
        double demand[3];
        if (n == 30) {
          if (how)
            p.r.thruster[failed].ready = 0;
          else
            p.r.thruster[failed].running = 0;
        }
        some_wrench(n < 30 ? &d : &rest, &r, 0.5, demand);
        for (int k = 0; k < 2; k++) { // the azimuths need a sample to get there
          allocation_sample(&s, &d, &p.r, demand, n + 0.5 * k, 0.5, &c);
          if (n >= 30)
            ck_assert_double_eq(setpoint_thrust(&d.actuator[failed], &c.thrusters[failed]), 0);
          plant_step(&p, &c, 0.5);
        }
        ck_assert_int_eq(s.in_use, n < 30 ? 4 : 3);
        ck_assert_double_lt(error_of(&d, demand, s.given), 1e-6);
      }
    }
}
END_TEST

START_TEST(one_that_does_not_follow_is_counted_as_it_is) {
  struct allocation_def d = vessel();
  d.watch.deviation_s = 20;
  struct plant p = {.lag_s = 0.5, .azimuth_rate_radps = 1};
  plant_start(&p, &d);
  struct allocation_state s;
  struct command c = {0};
  const double demand[3] = {1e5, 0, 0};
  allocation_start(&s, &d, &p.r, 0);
  for (int n = 0; n < 900; n++) {
    allocation_watch(&s, &d, &p.r, (uint64_t)n, 0.1 * n);
    c.based_on_step = (uint64_t)n + 1;
    allocation_sample(&s, &d, &p.r, demand, 0.1 * n, 0.1, &c);
    ck_assert_int_eq(c.stops.count, n > 225 && n < 400 ? 1 : c.stops.count);
    plant_step(&p, &c, 0.1);
    if (n > 200 && n < 400)
      p.r.thruster[0].revolutions_rpm = 150; // a tunnel thruster runs away to full thrust
    if (n < 205 || (n > 225 && n < 400) || n > 650)
      ck_assert_int_eq(s.deviating, n > 225 && n < 400);
    if (n == 399) {
      double given[3];
      allocation_feedback_wrench(&d, &p.r, ALL_THRUSTERS, given);
      ck_assert_double_lt(error_of(&d, demand, given), 1e-6);
    }
  }
}
END_TEST

// A tunnel thruster that does not follow: it lags, or it is stuck ahead, while the demand asks for astern.
// The others would come nearer without it. It is stopped, but not if it is the last one at the bow and comes
// nearer.
START_TEST(the_last_one_at_the_bow_is_kept_while_it_comes_nearer) {
  for (int is_last = 0; is_last < 2; is_last++)
    for (int is_stuck = 0; is_stuck < 2; is_stuck++) {
      struct allocation_def d = vessel();
      d.watch.deviation_s = 5;
      d.actuator[2].azimuth_rate_radps = d.actuator[3].azimuth_rate_radps = 0.2;
      struct plant p = {.lag_s = 0.5, .azimuth_rate_radps = 0.2};
      plant_start(&p, &d);
      struct allocation_state s;
      struct command c = {0};
      allocation_start(&s, &d, &p.r, 0);
      int stopped = 0;
      for (int n = 0; n < 900; n++) {
        const double demand[3] = {0, (n < 300 ? 1 : -1) * 1.5e6, 0};
        if (n == 200 && is_last)
          p.r.thruster[1].ready = p.r.thruster[1].running = p.r.thruster[3].ready = p.r.thruster[3].running =
              0;
        allocation_watch(&s, &d, &p.r, (uint64_t)n, 0.1 * n);
        c.based_on_step = (uint64_t)n + 1;
        allocation_sample(&s, &d, &p.r, demand, 0.1 * n, 0.1, &c);
        stopped |= c.stops.count > 0;
        double before = p.r.thruster[0].revolutions_rpm;
        plant_step(&p, &c, 0.1);
        double way = p.r.thruster[0].revolutions_rpm - before;
        if (n >= 290) // a tenth of the rate, or none
          p.r.thruster[0].revolutions_rpm = before + (is_stuck ? 0 : fmax(-0.2, fmin(0.2, way)));
      }
      ck_assert_int_eq(stopped, is_stuck || !is_last);
    }
}
END_TEST

START_TEST(a_bus_is_not_overloaded_and_others_help) {
  struct random_stream r = random_stream_of(6);
  struct allocation_def d = vessel();
  const double power[4] = {1e6, 1e6, 2.5e6, 1.6e6};
  d.bus_count = 2;
  d.bus[0] = (struct allocation_bus){"port", 1.5e6};
  d.bus[1] = (struct allocation_bus){"starboard", 2.2e6};
  for (int i = 0; i < 4; i++) {
    d.actuator[i].power_max_w = power[i];
    strcpy(d.actuator[i].bus, i % 2 ? "starboard" : "port");
  }
  struct plant p = {.lag_s = 0, .azimuth_rate_radps = 100};
  plant_start(&p, &d);
  struct allocation_state s;
  struct command c = {0};
  int limited = 0, helped = 0;
  allocation_start(&s, &d, &p.r, 0);
  for (int n = 0; n < 1000; n++) {
    double demand[3], load[2] = {0, 0};
    some_wrench(&d, &r, 0.9, demand);
    for (int k = 0; k < 3; k++) {
      allocation_sample(&s, &d, &p.r, demand, n + k, 1, &c);
      plant_step(&p, &c, 1);
    }
    for (int i = 0; i < 4; i++)
      load[i % 2] += power[i] * pow(fabs(c.thrusters[i].revolutions_rpm) / 150, 3);
    ck_assert_double_le(load[0], 1.5e6 * (1 + 1e-6));
    ck_assert_double_le(load[1], 2.2e6 * (1 + 1e-6));
    limited += s.power_limited;
    helped += s.power_limited && !s.saturated;
  }
  ck_assert_int_gt(limited, 50);
  ck_assert_int_gt(helped, 10);
}
END_TEST

START_TEST(it_begins_with_what_is_there) {
  struct random_stream r = random_stream_of(7);
  struct allocation_def d = vessel();
  d.change_weight = 1;
  for (int i = 0; i < 4; i++) {
    d.actuator[i].thrust_rate_nps = 30e3;
    d.actuator[i].azimuth_rate_radps = 0.1;
  }
  struct plant p = {.lag_s = 1, .azimuth_rate_radps = 0.1};
  for (int n = 0; n < 100; n++) {
    plant_start(&p, &d);
    struct allocation_state s;
    struct command c = {0};
    double acting[3];
    for (int i = 0; i < 4; i++) {
      p.r.thruster[i].revolutions_rpm = between(&r, i < 2 ? -150 : 0, 150);
      p.r.thruster[i].azimuth_rad = i < 2 ? 0 : between(&r, -PI, PI);
    }
    allocation_start(&s, &d, &p.r, 0);
    allocation_feedback_wrench(&d, &p.r, ALL_THRUSTERS, acting);
    allocation_sample(&s, &d, &p.r, acting, 0, 0, &c);
    for (int i = 0; i < 4; i++) {
      ck_assert_double_eq_tol(c.thrusters[i].revolutions_rpm, p.r.thruster[i].revolutions_rpm, 1e-6);
      ck_assert_double_eq_tol(c.thrusters[i].azimuth_rad, p.r.thruster[i].azimuth_rad, 1e-9);
    }
    ck_assert_double_lt(error_of(&d, acting, s.given), 1e-9);
  }
}
END_TEST

START_TEST(rudders_and_drives_answer_for_their_forces) {
  struct actuator_def a = actuator("main", THRUSTER_MAIN, -40, 3, 5e5);
  a.rudder_max_rad = 0.7;
  a.rudder_lift = 0.9;
  a.rudder_drag = 0.5;
  for (double rudder = -0.7; rudder <= 0.7; rudder += 0.05) {
    double size, s = sin(rudder), direction = actuator_rudder_direction(&a, rudder, &size);
    ck_assert_double_eq_tol(size * cos(direction), 1 - 0.5 * s * s, 1e-12);
    ck_assert_double_eq_tol(size * sin(direction), 0.9 * s, 1e-12);
    ck_assert_double_eq_tol(actuator_rudder_for(&a, direction), rudder, 1e-12);
  }
  for (int controllable_pitch = 0; controllable_pitch < 2; controllable_pitch++) {
    a.controllable_pitch = controllable_pitch;
    a.thrust_astern = 0.6;
    for (double thrust = -3e5; thrust <= 5e5; thrust += 1e4) {
      struct thruster_command c;
      actuator_setpoint(&a, thrust, 0, &c);
      ck_assert_double_eq_tol(actuator_thrust(&a, c.revolutions_rpm, c.pitch), thrust, 1e-6);
      ck_assert_double_le(fabs(c.pitch), 1);
    }
  }
}
END_TEST

START_TEST(one_bus_is_limited_when_its_thrusters_show_that_it_lacks_power) {
  struct power_watch watch = {0};
  struct power_reported told = {.available_w = 9e6, .full_w = {4.8e6, 3.8e6}, .takes_w = {0.7e6, 0.1e6}};
  power_watch_sample(&watch, 2, &told, 0);
  told.available_w = 5.16e6; // 3.84 MW are missing: of 5 MW on one bus, or of 4 MW on the other
  for (int k = 1; k <= 50; k++)
    power_watch_sample(&watch, 2, &told, 0.1 * k);
  ck_assert(watch.is_known && watch.is_short[0] && watch.is_short[1]);
  ck_assert_double_eq(power_watch_limit_w(&watch, 0, 4.8e6, 8.6e6), 4.8e6);
  ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
  told.lacks[1] = 1;
  power_watch_sample(&watch, 2, &told, 5.1);
  ck_assert(!watch.is_short[0] && watch.is_short[1]);
  ck_assert_double_eq(power_watch_limit_w(&watch, 0, 4.8e6, 8.6e6), 4.8e6);
  ck_assert_double_lt(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 0.16e6);
}
END_TEST

// As long as the thrusters take little, each bus is kept below what it would have left, so that no thruster
// has to show which one it is. Starboard, which takes 0.14 MW, has to give up most of it. As soon as the
// thrusters need more, neither is limited.
START_TEST(while_little_is_taken_both_buses_are_kept_below_what_is_left) {
  struct power_watch watch = {0};
  struct power_reported told = {.available_w = 9e6, .full_w = {4.8e6, 3.8e6}, .takes_w = {0.2e6, 0.14e6}};
  power_watch_sample(&watch, 2, &told, 0);
  ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
  told.available_w = 5.16e6;
  for (int k = 1; k <= 50; k++)
    power_watch_sample(&watch, 2, &told, 0.1 * k);
  ck_assert(watch.is_known && watch.is_short[0] && watch.is_short[1]);
  ck_assert_double_eq_tol(power_watch_limit_w(&watch, 0, 4.8e6, 8.6e6), 1.08e6, 0.01e6);
  ck_assert_double_eq_tol(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 0.057e6, 0.01e6);
  told.takes_w[0] = 0.6e6;
  power_watch_sample(&watch, 2, &told, 6);
  ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
}
END_TEST

// Both buses would have 1.14 MW left together. The load of thrusters in waves lies between half of it and six
// tenths: it brings no limit where there was none, and takes none away.
START_TEST(limits_at_a_light_load_do_not_come_and_go_with_waves) {
  struct power_watch watch = {0};
  struct power_reported told = {.available_w = 9e6, .full_w = {4.8e6, 3.8e6}, .takes_w = {0.63e6}};
  power_watch_sample(&watch, 2, &told, 0);
  told.available_w = 5.16e6;
  for (int k = 1; k <= 200; k++) {
    told.takes_w[0] = 0.63e6 + 0.04e6 * sin(0.1 * k);
    power_watch_sample(&watch, 2, &told, 0.1 * k);
    ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
  }
  ck_assert(watch.is_known && watch.is_short[0] && watch.is_short[1]);
  told.takes_w[0] = 0.5e6; // less than half: both are limited, and stay so in the same waves
  power_watch_sample(&watch, 2, &told, 20.1);
  for (int k = 0; k < 200; k++) {
    ck_assert_double_lt(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 0.06e6);
    ck_assert_double_lt(power_watch_limit_w(&watch, 0, 4.8e6, 8.6e6), 1.1e6);
    told.takes_w[0] = 0.63e6 + 0.04e6 * sin(0.1 * k);
    power_watch_sample(&watch, 2, &told, 20.2 + 0.1 * k);
  }
  told.takes_w[0] = 0.72e6; // more than six tenths
  power_watch_sample(&watch, 2, &told, 40.2);
  ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
  told.takes_w[0] = 0.63e6; // still more than half
  power_watch_sample(&watch, 2, &told, 40.3);
  ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
  told.takes_w[0] = 0.5e6;
  power_watch_sample(&watch, 2, &told, 40.4);
  ck_assert_double_lt(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 0.06e6);
  // More is missing, and the thrusters take between half and six tenths: the limits do not go on from before.
  told.available_w = 4.96e6;
  told.takes_w[0] = 0.5e6;
  for (int k = 1; k <= 20; k++)
    power_watch_sample(&watch, 2, &told, 40.4 + 0.1 * k);
  ck_assert(watch.is_known && watch.is_short[0] && watch.is_short[1]);
  ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
}
END_TEST

// Power management tells the power of each bus. What the sum misses then needs no search, however it changes;
// without a loss none is limited, even if a bus tells less than the DP file counts on because the other one
// takes the power that both share.
START_TEST(a_bus_that_tells_its_power_is_limited_to_it) {
  struct power_watch watch = {0};
  struct power_reported told = {
      .available_w = 8.4e6, .has_buses = 1, .bus_w = {5.4e6, 3e6}, .full_w = {4.8e6, 3.8e6}};
  power_watch_sample(&watch, 2, &told, 0);
  ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
  for (int k = 1; k <= 50; k++) { // half of the power of port, which falls as port takes less
    told.bus_w[0] = 2.4e6 - 0.02e6 * k, told.bus_w[1] = 4e6;
    told.available_w = told.bus_w[0] + told.bus_w[1];
    power_watch_sample(&watch, 2, &told, 0.1 * k);
    double limit_w = power_watch_limit_w(&watch, 0, 4.8e6, 8.6e6);
    ck_assert(watch.is_known && watch.is_short[0] && !watch.is_short[1]);
    ck_assert_double_le(limit_w, told.bus_w[0]);
    ck_assert_double_ge(limit_w, 0.95 * told.bus_w[0]);
    ck_assert_double_eq(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 3.8e6);
  }
  told.bus_w[1] = 2e6, told.available_w = told.bus_w[0] + told.bus_w[1]; // and the other one
  power_watch_sample(&watch, 2, &told, 6);
  ck_assert(watch.is_short[0] && watch.is_short[1]);
  ck_assert_double_le(power_watch_limit_w(&watch, 1, 3.8e6, 8.6e6), 2e6);
  told.bus_w[0] = 5.4e6, told.bus_w[1] = 3e6, told.available_w = 8.4e6;
  power_watch_sample(&watch, 2, &told, 7);
  ck_assert(!watch.is_known && !watch.is_short[0] && !watch.is_short[1]);
  ck_assert_double_eq(power_watch_limit_w(&watch, 0, 4.8e6, 8.6e6), 4.8e6);
}
END_TEST

// The thrusters of a limited bus still take more power than it has, and less and less. Those of the other one
// take more and more, and soon more than that bus would have left.
START_TEST(a_bus_that_takes_more_power_than_it_would_have_left_has_it) {
  for (int limited = 0; limited < 2; limited++) {
    struct power_watch watch = {0};
    struct power_reported told = {.available_w = 9e6, .full_w = {4.8e6, 3.8e6}, .takes_w = {1.5e6, 1.5e6}};
    const double had_w[2] = {9e6 * 4.8 / 8.6, 9e6 * 3.8 / 8.6};
    power_watch_sample(&watch, 2, &told, 0);
    told.available_w -= 3.8e6;
    for (int k = 1; k <= 100; k++) {
      told.takes_w[limited] = fmax(had_w[limited] - 3.8e6, 1.5e6 - 0.3e6 * 0.1 * k);
      told.takes_w[!limited] = 1.5e6 + 0.1e6 * 0.1 * k;
      power_watch_sample(&watch, 2, &told, 0.1 * k);
      ck_assert(watch.is_short[limited]);
    }
    ck_assert(watch.is_known && !watch.is_short[!limited]);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("allocation");
  TCase *tc = add_case(suite, "allocation", 60);
  tcase_add_test(tc, what_is_attainable_is_given);
  tcase_add_test(tc, otherwise_the_nearest);
  tcase_add_test(tc, nothing_by_chance_comes_nearer);
  tcase_add_test(tc, rates_and_sectors_are_kept);
  tcase_add_test(tc, a_sector_ends_with_the_thruster_that_it_protects);
  tcase_add_test(tc, a_sector_lasts_until_the_thruster_that_it_protects_has_run_down);
  tcase_add_test(tc, azimuths_are_never_stuck);
  tcase_add_test(tc, a_sector_is_crossed_where_that_is_sooner);
  tcase_add_test(tc, others_take_over_before_an_azimuth_crosses);
  tcase_add_test(tc, a_drive_that_does_not_come_to_rest_is_not_waited_for);
  tcase_add_test(tc, a_failed_thruster_is_left_out_at_once);
  tcase_add_test(tc, one_that_does_not_follow_is_counted_as_it_is);
  tcase_add_test(tc, the_last_one_at_the_bow_is_kept_while_it_comes_nearer);
  tcase_add_test(tc, a_bus_is_not_overloaded_and_others_help);
  tcase_add_test(tc, it_begins_with_what_is_there);
  tcase_add_test(tc, rudders_and_drives_answer_for_their_forces);
  tcase_add_test(tc, one_bus_is_limited_when_its_thrusters_show_that_it_lacks_power);
  tcase_add_test(tc, while_little_is_taken_both_buses_are_kept_below_what_is_left);
  tcase_add_test(tc, limits_at_a_light_load_do_not_come_and_go_with_waves);
  tcase_add_test(tc, a_bus_that_tells_its_power_is_limited_to_it);
  tcase_add_test(tc, a_bus_that_takes_more_power_than_it_would_have_left_has_it);
  return run_suite(suite);
}
