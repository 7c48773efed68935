#include "control/allocation.h"

#include "core/math/trig.h"

#include <math.h>
#include <string.h>

enum { POWER_ROUNDS = 4 };
static const double NO_THRUST = 0.02; // share of full thrust at which an azimuth may cross a sector
static const double EDGE_RAD = 0.02;  // so far inside a sector a feedback still counts as on its edge
static const double SATURATED = 1e-3; // weighted error, as a share of the total thrust

static const struct thruster_feedback *feedback_of(const struct actuator_def *a, const struct readings *r) {
  for (int i = 0; i < r->thruster_count; i++)
    if (strncmp(r->thruster[i].name, a->name, SIGNAL_NAME) == 0)
      return &r->thruster[i];
  return NULL;
}

// Force of a thrust in this direction (azimuth, or rudder's angle).
static void force_of(const struct actuator_def *a, double thrust, double azimuth, double force[2]) {
  double direction = azimuth, size = 1;
  if (a->kind == ACTUATOR_TUNNEL)
    direction = TRIG_PI / 2;
  else if (a->kind == ACTUATOR_MAIN)
    direction = thrust > 0 ? actuator_rudder_direction(a, azimuth, &size) : 0;
  force[0] = a->kind == ACTUATOR_TUNNEL ? 0 : size * thrust * trig_cos(direction);
  force[1] = size * thrust * trig_sin(direction);
}

static void force_of_feedback(const struct actuator_def *a, const struct thruster_feedback *f,
                              double force[2]) {
  force_of(a, actuator_thrust(a, f->revolutions_rpm, f->pitch), f->azimuth_rad, force);
}

static void add_force(const struct actuator_def *a, const double force[2], double wrench[3]) {
  wrench[0] += force[0];
  wrench[1] += force[1];
  wrench[2] += a->position_b_m[0] * force[1] - a->position_b_m[1] * force[0];
}

void allocation_feedback_wrench(const struct allocation_def *def, const struct readings *r,
                                double wrench[3]) {
  memset(wrench, 0, 3 * sizeof *wrench);
  for (int i = 0; i < def->actuator_count; i++) {
    const struct thruster_feedback *f = feedback_of(&def->actuator[i], r);
    double force[2];
    if (!f)
      continue;
    force_of_feedback(&def->actuator[i], f, force);
    add_force(&def->actuator[i], force, wrench);
  }
}

static double bounded(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

void allocation_start(struct allocation_state *s, const struct allocation_def *def, const struct readings *r,
                      double time_s) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < def->actuator_count; i++) {
    const struct actuator_def *a = &def->actuator[i];
    const struct thruster_feedback *f = feedback_of(a, r);
    s->followed_s[i] = time_s;
    if (!f)
      continue;
    double low = a->kind == ACTUATOR_AZIMUTH ? 0 : -a->thrust_astern * a->thrust_max_n;
    s->thrust_n[i] = bounded(actuator_thrust(a, f->revolutions_rpm, f->pitch), low, a->thrust_max_n);
    s->azimuth_rad[i] = a->kind == ACTUATOR_TUNNEL ? 0 : f->azimuth_rad;
    force_of_feedback(a, f, s->force_n[i]);
  }
}

// One sample's view of the thrusters.
struct sampling {
  struct allocation_state *s;
  const struct allocation_def *def;
  const struct readings *r;
  const double *demand;
  double time_s, dt_s;
  const struct thruster_feedback *feedback[MAX_THRUSTERS]; // NULL: the vessel has none of that name
  struct allocated_arcs {
    struct allowed_arc arc[MAX_FORBIDDEN];
    int count;
  } arcs[MAX_THRUSTERS];
  double share[MAX_THRUSTERS]; // of thrust, that power leaves
  struct allocation_plan plan;
  int crossing[MAX_THRUSTERS]; // on its way to another arc: no thrust
};

static int deviates(const struct sampling *c, int i) {
  const struct actuator_def *a = &c->def->actuator[i];
  const struct thruster_feedback *f = c->feedback[i];
  double told[2], done[2];
  force_of(a, c->s->thrust_n[i], c->s->azimuth_rad[i], told);
  force_of_feedback(a, f, done);
  double x = told[0] - done[0], y = told[1] - done[1];
  double off = sqrt(x * x + y * y) / a->thrust_max_n;
  if (off <= c->def->deviation_share)
    c->s->followed_s[i] = c->time_s;
  return c->def->deviation_s > 0 && c->time_s - c->s->followed_s[i] > c->def->deviation_s;
}

static void judge(struct sampling *c) {
  c->s->in_use = c->s->deviating = 0;
  for (int i = 0; i < c->def->actuator_count; i++) {
    const struct actuator_def *a = &c->def->actuator[i];
    const struct thruster_feedback *f = c->feedback[i] = feedback_of(a, c->r);
    enum actuator_state state = ACTUATOR_IN_USE;
    c->share[i] = 1;
    c->arcs[i].count = a->kind == ACTUATOR_AZIMUTH ? actuator_arcs(a, c->arcs[i].arc) : 0;
    if (!f) {
      state = ACTUATOR_ABSENT;
    } else if (!f->ready || !f->running) {
      state = ACTUATOR_OUT;
      c->s->followed_s[i] = c->time_s;
    } else if (deviates(c, i)) {
      state = ACTUATOR_DEVIATING;
    }
    c->s->state[i] = state;
    c->s->in_use += state == ACTUATOR_IN_USE;
    c->s->deviating += state == ACTUATOR_DEVIATING;
  }
}

// Power of these thrusts, bus by bus; where it is too much, the thrusters of the bus may give less from now
// on.
static int limit_power(struct sampling *c, const double *size_n) {
  int limited = 0;
  for (int b = 0; b < c->def->bus_count; b++) {
    const struct allocation_bus *bus = &c->def->bus[b];
    double power = 0;
    for (int i = 0; i < c->def->actuator_count; i++) {
      const struct actuator_def *a = &c->def->actuator[i];
      if (strcmp(a->bus, bus->name) == 0)
        power += a->power_max_w * actuator_power_share(size_n[i] / a->thrust_max_n);
    }
    if (power <= bus->power_w * (1 + 1e-9))
      continue;
    limited = 1;
    double scale = actuator_share_of_power(bus->power_w / power) * (1 - 1e-12);
    for (int i = 0; i < c->def->actuator_count; i++)
      if (strcmp(c->def->actuator[i].bus, bus->name) == 0)
        c->share[i] = bounded(scale * size_n[i] / c->def->actuator[i].thrust_max_n, 0, c->share[i]);
  }
  return limited;
}

static double size_of(const double force[2]) {
  return sqrt(force[0] * force[0] + force[1] * force[1]);
}

// Stage 1. A thruster on a bus without power to spare is held at its share, and the others asked again.
static void plan(struct sampling *c) {
  struct allocation_wish wish;
  memset(&wish, 0, sizeof wish);
  memcpy(wish.demand, c->demand, sizeof wish.demand);
  memcpy(wish.preferred_n, c->s->force_n, sizeof wish.preferred_n);
  for (int i = 0; i < c->def->actuator_count; i++) {
    const struct actuator_def *a = &c->def->actuator[i];
    wish.fixed[i] =
        c->s->state[i] != ACTUATOR_IN_USE || (a->kind == ACTUATOR_AZIMUTH && c->arcs[i].count == 0);
    if (c->s->state[i] == ACTUATOR_DEVIATING)
      force_of_feedback(a, c->feedback[i], wish.force_n[i]);
    if (a->kind == ACTUATOR_AZIMUTH && c->arcs[i].count > 0)
      wish.arc[i] = actuator_arc_of(c->arcs[i].arc, c->arcs[i].count, c->s->azimuth_rad[i]);
    double under = c->s->thrust_n[i] / a->thrust_max_n;
    wish.under_thrust[i] = under > NO_THRUST ? under : 0;
  }
  c->s->power_limited = 0;
  for (int round = 0; round < POWER_ROUNDS; round++) {
    double size_n[MAX_THRUSTERS] = {0};
    memcpy(wish.share, c->share, sizeof wish.share);
    allocation_plan(c->def, &wish, &c->plan);
    for (int i = 0; i < c->def->actuator_count; i++)
      size_n[i] = size_of(c->plan.solution.force_n[i]);
    if (!limit_power(c, size_n))
      break;
    c->s->power_limited = 1;
  }
  struct allocation_problem p;
  double error = 0;
  allocation_problem_of(c->def, c->demand, &p);
  for (int k = 0; k < 3; k++) {
    double e = p.error_weight[k] * (c->demand[k] - c->plan.solution.wrench[k]);
    error += e * e;
  }
  c->s->saturated = sqrt(error) > SATURATED;
  memcpy(c->s->force_n, c->plan.solution.force_n, sizeof c->s->force_n);
}

static double toward(double from, double to, double most) {
  return from + bounded(to - from, -most, most);
}

// The azimuth goes to the wanted one within its arc, or to the edge next to the wanted arc and, once there is
// no thrust, to that arc's edge.
static void turn_azimuth(struct sampling *c, int i, double wanted_rad) {
  const struct actuator_def *a = &c->def->actuator[i];
  double *now = &c->s->azimuth_rad[i],
         most = a->azimuth_rate_radps > 0 ? a->azimuth_rate_radps * c->dt_s : 1e9;
  if (a->forbidden_count == 0) {
    *now = trig_wrap(*now + bounded(trig_wrap(wanted_rad - *now), -most, most));
    return;
  }
  const struct allowed_arc *arcs = c->arcs[i].arc;
  int in = actuator_arc_of(arcs, c->arcs[i].count, *now),
      to = actuator_arc_of(arcs, c->arcs[i].count, wanted_rad);
  double half = arcs[in].half_rad, offset = bounded(arc_offset(&arcs[in], *now), -half, half);
  if (in == to) {
    double goal = bounded(arc_offset(&arcs[in], wanted_rad), -half, half);
    *now = trig_wrap(arcs[in].middle_rad + toward(offset, goal, most));
    return;
  }
  c->crossing[i] = 1;
  double side = trig_wrap(wanted_rad - *now) < 0 ? -1 : 1,
         done =
             c->feedback[i] ? actuator_thrust(a, c->feedback[i]->revolutions_rpm, c->feedback[i]->pitch) : 0;
  double quiet = NO_THRUST * a->thrust_max_n;
  offset = toward(offset, side * half, most);
  *now = trig_wrap(arcs[in].middle_rad + offset);
  if (offset == side * half && c->s->thrust_n[i] <= quiet && fabs(done) <= 2 * quiet) {
    int count = c->arcs[i].count; // arcs may have another between them: the next one on this side
    double nearest = 2 * TRIG_PI;
    for (int k = 0; k < count; k++) {
      double edge = arcs[k].middle_rad - side * arcs[k].half_rad, way = trig_wrap(side * (edge - *now));
      way = way < 0 ? way + 2 * TRIG_PI : way;
      if (k != in && way < nearest) {
        nearest = way;
        to = k;
      }
    }
    *now = trig_wrap(arcs[to].middle_rad - side * arcs[to].half_rad);
  }
}

static void turn(struct sampling *c) {
  memset(c->crossing, 0, sizeof c->crossing);
  for (int i = 0; i < c->def->actuator_count; i++) {
    const struct actuator_def *a = &c->def->actuator[i];
    const double *force = c->plan.solution.force_n[i];
    if (c->s->state[i] != ACTUATOR_IN_USE || a->kind == ACTUATOR_TUNNEL)
      continue;
    int little = size_of(force) < c->def->least_share * a->thrust_max_n;
    double wanted = little ? c->s->azimuth_rad[i] : trig_atan2(force[1], force[0]);
    if (a->kind == ACTUATOR_AZIMUTH) {
      if (c->arcs[i].count > 0)
        turn_azimuth(c, i, wanted);
      continue;
    }
    double rudder = little                   ? c->s->azimuth_rad[i]
                    : c->plan.part[i].astern ? 0
                                             : actuator_rudder_for(a, wanted);
    double most = a->azimuth_rate_radps > 0 ? a->azimuth_rate_radps * c->dt_s : 1e9;
    c->s->azimuth_rad[i] =
        toward(c->s->azimuth_rad[i], bounded(rudder, -a->rudder_max_rad, a->rudder_max_rad), most);
  }
}

// Its thrust now points into a forbidden sector, or is on the way through one.
static int silent(const struct sampling *c, int i, double azimuth_rad) {
  if (c->def->actuator[i].kind != ACTUATOR_AZIMUTH || c->def->actuator[i].forbidden_count == 0)
    return 0;
  if (c->crossing[i] || c->arcs[i].count == 0)
    return 1;
  const struct allowed_arc *arc =
      &c->arcs[i].arc[actuator_arc_of(c->arcs[i].arc, c->arcs[i].count, azimuth_rad)];
  return fabs(arc_offset(arc, azimuth_rad)) > arc->half_rad + EDGE_RAD;
}

// Thrusts that it may have now: low to high; direction and size of the force of a thrust of 1.
struct reach {
  double low_n, high_n, direction_rad, size;
};

static struct reach reach_of(const struct sampling *c, int i) {
  const struct actuator_def *a = &c->def->actuator[i];
  const struct thruster_feedback *f = c->feedback[i];
  double full = c->share[i] * a->thrust_max_n, was = c->s->thrust_n[i];
  struct reach r = {.low_n = -a->thrust_astern * full, .high_n = full, .size = 1};
  double azimuth = f ? f->azimuth_rad : c->s->azimuth_rad[i];
  if (a->kind == ACTUATOR_TUNNEL) {
    r.direction_rad = TRIG_PI / 2;
  } else if (a->kind == ACTUATOR_AZIMUTH) {
    r.direction_rad = azimuth;
    r.low_n = 0;
    if (silent(c, i, azimuth))
      r.high_n = 0;
  } else if (c->plan.part[i].astern) {
    r.high_n = 0;
  } else {
    r.low_n = a->rudder_max_rad > 0 ? 0 : r.low_n;
    if (r.low_n == 0)
      r.direction_rad = actuator_rudder_direction(a, azimuth, &r.size);
  }
  if (a->thrust_rate_nps > 0) {
    double most = a->thrust_rate_nps * c->dt_s;
    r.low_n = bounded(r.low_n, was - most, was + most);
    r.high_n = bounded(r.high_n, was - most, was + most);
  }
  return r;
}

// Stage 2.
static void set_thrusts(struct sampling *c) {
  struct allocation_problem p;
  struct allocation_solution solution;
  double size_n[MAX_THRUSTERS] = {0};
  for (int round = 0; round < POWER_ROUNDS + 1; round++) {
    struct reach reach[MAX_THRUSTERS];
    allocation_problem_of(c->def, c->demand, &p);
    memcpy(p.preferred_n, c->plan.solution.force_n, sizeof p.preferred_n);
    for (int i = 0; i < p.count; i++) {
      if (c->s->state[i] != ACTUATOR_IN_USE) {
        double fixed[2] = {c->plan.solution.force_n[i][0], c->plan.solution.force_n[i][1]},
               size = size_of(fixed);
        p.set[i] = force_segment(trig_atan2(fixed[1], fixed[0]), size, size);
        continue;
      }
      reach[i] = reach_of(c, i);
      p.set[i] = force_segment(reach[i].direction_rad, reach[i].size * reach[i].low_n,
                               reach[i].size * reach[i].high_n);
    }
    allocation_solve(&p, &solution);
    for (int i = 0; i < p.count; i++) {
      double along = p.set[i].axis[0] * solution.force_n[i][0] + p.set[i].axis[1] * solution.force_n[i][1];
      int used = c->s->state[i] == ACTUATOR_IN_USE;
      size_n[i] = c->s->state[i] == ACTUATOR_OUT || c->s->state[i] == ACTUATOR_ABSENT ? 0 : fabs(along);
      if (used)
        c->s->thrust_n[i] = bounded(along / reach[i].size, reach[i].low_n, reach[i].high_n);
      else if (c->s->state[i] !=
               ACTUATOR_DEVIATING) // which keeps its set-point, to be seen to follow it again
        c->s->thrust_n[i] = 0;
    }
    if (round == POWER_ROUNDS || !limit_power(c, size_n))
      break;
    c->s->power_limited = 1;
  }
  memcpy(c->s->given, solution.wrench, sizeof c->s->given);
}

void allocation_sample(struct allocation_state *s, const struct allocation_def *def, const struct readings *r,
                       const double demand[3], double time_s, double dt_s, struct command *out) {
  struct sampling c = {
      .s = s, .def = def, .r = r, .demand = demand, .time_s = time_s, .dt_s = dt_s > 0 ? dt_s : 0};
  judge(&c);
  plan(&c);
  turn(&c);
  set_thrusts(&c);
  memcpy(s->demand, demand, sizeof s->demand);
  out->thruster_count = 0;
  for (int i = 0; i < def->actuator_count; i++)
    if (s->state[i] != ACTUATOR_ABSENT)
      actuator_setpoint(&def->actuator[i], s->thrust_n[i], s->azimuth_rad[i],
                        &out->thrusters[out->thruster_count++]);
}
