// Thrusts that hold a wrench.
//
// Thrusts for a wrench, by weighted least squares with an active set. The sum of (thrust / largest thrust)^2
// is minimised; then the thruster that violates its limit most is fixed there, and the others are solved
// again. A thrust is fixed at its largest value, a direction at the nearest edge of its forbidden zone, and
// a thrust along such an edge that would have to be negative at zero. Each thruster is fixed at most twice,
// so the iteration ends.
#include "sagbend/thrusters/thrusters.h"

#include "sagbend/math/math.h"

enum binding {
  FREE,
  ALONG_EDGE, // the direction is fixed, the thrust is free
  BOUND       // the force is fixed
};

// One thruster's part of the wrench.
struct share {
  enum binding binding;
  int columns;       // number of free force components
  vec3 column[2];    // effect of each: surge, sway, yaw over arm_m
  double force_n[2]; // x and y, b
  double edge_rad;
};

// Effect of a force: surge, sway and yaw over arm_m, which gives all three the same unit.
static vec3 effect_of(const struct thruster_def *def, double ahead, double across, double arm_m) {
  return (vec3){ahead, across, (def->position_b_m[0] * across - def->position_b_m[1] * ahead) / arm_m};
}

static void set_columns(const struct thruster_def *def, struct share *share, double arm_m) {
  share->columns = share->binding == BOUND ? 0 : 1;
  if (thruster_steering(def->kind) != STEERING_TURNS) {
    const vec3 axis = thruster_axis_b(def);
    share->column[0] = effect_of(def, axis.x, axis.y, arm_m);
  } else if (share->binding == ALONG_EDGE) {
    share->column[0] = effect_of(def, trig_cos(share->edge_rad), trig_sin(share->edge_rad), arm_m);
  } else if (share->columns) {
    share->columns = 2;
    share->column[0] = effect_of(def, 1, 0, arm_m);
    share->column[1] = effect_of(def, 0, 1, arm_m);
  }
}

static void set_along_axis(const struct thruster_def *def, struct share *share, double force_n) {
  const enum thruster_axis axis = thruster_axis(def->kind);
  share->force_n[axis] = force_n;
  share->force_n[!axis] = 0;
}

// Solves the free forces for the part of the wrench that the fixed ones leave.
static void solve(const struct plant_def *def, struct share *shares, vec3 wanted, double arm_m) {
  mat3 a = {{{0}}};
  double most = 0;
  for (int i = 0; i < def->thruster_count; i++) {
    struct share *share = &shares[i];
    set_columns(&def->thruster[i], share, arm_m);
    double weight = def->thruster[i].thrust_max_n * def->thruster[i].thrust_max_n;
    most = weight > most ? weight : most;
    if (share->binding == BOUND)
      wanted = vec3_sub(wanted, effect_of(&def->thruster[i], share->force_n[0], share->force_n[1], arm_m));
    for (int k = 0; k < share->columns; k++) {
      const double c[3] = {share->column[k].x, share->column[k].y, share->column[k].z};
      for (int r = 0; r < 3; r++)
        for (int q = 0; q < 3; q++)
          a.m[r][q] += weight * c[r] * c[q];
    }
  }
  for (int r = 0; r < 3; r++)
    a.m[r][r] += 1e-9 * most; // regularises directions in which no thruster acts

  vec3 y = mat3_solve_columns(&a, wanted);
  for (int i = 0; i < def->thruster_count; i++) {
    struct share *share = &shares[i];
    double weight = def->thruster[i].thrust_max_n * def->thruster[i].thrust_max_n;
    double f0 = share->columns > 0 ? weight * vec3_dot(y, share->column[0]) : 0;
    if (share->columns == 0)
      continue;
    if (thruster_steering(def->thruster[i].kind) != STEERING_TURNS)
      set_along_axis(&def->thruster[i], share, f0);
    else if (share->columns == 2)
      share->force_n[0] = f0, share->force_n[1] = weight * vec3_dot(y, share->column[1]);
    else
      share->force_n[0] = f0 * trig_cos(share->edge_rad), share->force_n[1] = f0 * trig_sin(share->edge_rad);
  }
}

static double force_size(const struct share *share) {
  return sqrt(share->force_n[0] * share->force_n[0] + share->force_n[1] * share->force_n[1]);
}

// Ratio of a thruster's force to its limit: above 1 the limit is violated, INFINITY for a forbidden
// direction. With bind, also fixes the force at that limit.
static double limit_violation(const struct thruster_def *def, struct share *share, const vec3 *water_b,
                              int bind) {
  if (share->binding == BOUND)
    return 0;

  double size = force_size(share), azimuth = trig_atan2(share->force_n[1], share->force_n[0]);
  if (share->binding == ALONG_EDGE && trig_cos(azimuth - share->edge_rad) < 0 && size > 0) {
    if (bind)
      share->binding = BOUND, share->force_n[0] = share->force_n[1] = 0;
    return (double)INFINITY;
  }

  int turns = thruster_steering(def->kind) == STEERING_TURNS;
  double allowed = turns ? thruster_allowed_azimuth(def, azimuth) : azimuth;
  if (share->binding == FREE && allowed != azimuth && size > 1e-9 * def->thrust_max_n) {
    if (bind)
      share->binding = ALONG_EDGE, share->edge_rad = allowed;
    return (double)INFINITY;
  }

  double along = turns ? size : share->force_n[thruster_axis(def->kind)];
  vec3 direction = turns ? (vec3){trig_cos(azimuth), trig_sin(azimuth), 0} : thruster_axis_b(def);
  double stroke = fabs(thruster_stroke_for(def, along, -vec3_dot(*water_b, direction), -water_b->x));
  double full = def->thrust_astern > 0 || along > 0 ? stroke : along < 0 ? (double)INFINITY : 0;
  if (bind && full > 1) {
    double factor = full < (double)INFINITY ? 1 / (full * full) : 0; // of the thrust; approximate with inflow
    share->binding = BOUND;
    share->force_n[0] *= factor;
    share->force_n[1] *= factor;
  }
  return full;
}

static struct thruster_setpoint setpoint_of(const struct thruster_def *def, const struct share *share,
                                            vec3 water_b) {
  struct thruster_setpoint setpoint = {.enable = 1, .azimuth_rad = thruster_at_rest(def).azimuth_rad};
  int turns = thruster_steering(def->kind) == STEERING_TURNS;
  double along = turns ? force_size(share) : share->force_n[thruster_axis(def->kind)];
  vec3 direction = thruster_axis_b(def);
  if (turns && along > 0) {
    setpoint.azimuth_rad =
        share->binding == ALONG_EDGE ? share->edge_rad : trig_atan2(share->force_n[1], share->force_n[0]);
    direction = (vec3){trig_cos(setpoint.azimuth_rad), trig_sin(setpoint.azimuth_rad), 0};
  }

  double stroke = thruster_stroke_for(def, along, -vec3_dot(water_b, direction), -water_b.x);
  stroke = stroke > 1 ? 1 : stroke < -1 ? -1 : stroke;
  if (def->drive == DRIVE_CPP)
    setpoint.pitch = stroke;
  else
    setpoint.revolutions_rpm = stroke * def->revolutions_max_rpm;
  return setpoint;
}

void plant_hold_setpoints(const struct plant_def *def, const double wrench_b[6], const vec3 *water_b,
                          struct thruster_setpoint *setpoint) {
  struct share shares[MAX_THRUSTERS] = {{.binding = FREE}};
  double arm = 1;
  for (int i = 0; i < def->thruster_count; i++) {
    arm = fabs(def->thruster[i].position_b_m[0]) > arm ? fabs(def->thruster[i].position_b_m[0]) : arm;
    arm = fabs(def->thruster[i].position_b_m[1]) > arm ? fabs(def->thruster[i].position_b_m[1]) : arm;
  }

  const vec3 wanted = {wrench_b[0], wrench_b[1], wrench_b[5] / arm};

  for (int round = 0; round <= 2 * def->thruster_count; round++) {
    int worst = -1;
    double most = 1 + 1e-9;
    solve(def, shares, wanted, arm);
    for (int i = 0; i < def->thruster_count; i++) {
      double over = limit_violation(&def->thruster[i], &shares[i], &water_b[i], 0);
      if (over > most)
        worst = i, most = over;
    }
    if (worst < 0)
      break;
    limit_violation(&def->thruster[worst], &shares[worst], &water_b[worst], 1);
  }

  for (int i = 0; i < def->thruster_count; i++)
    setpoint[i] = setpoint_of(&def->thruster[i], &shares[i], water_b[i]);
}

// ------------------------------------------------------------
struct thruster_state thruster_at_rest(const struct thruster_def *def) {
  struct thruster_state state = {.start_left_s = def->start_up_s, .rate_share = 1};
  double axis_rad = thruster_axis_rad(def->kind);
  state.azimuth_rad =
      thruster_steering(def->kind) == STEERING_TURNS ? thruster_allowed_azimuth(def, axis_rad) : axis_rad;
  state.azimuth_set_rad = state.asked_azimuth_rad = state.azimuth_rad;
  return state;
}

double thruster_approach(double distance, double lag_s, double rate_1ps, double duration_s) {
  double size = fabs(distance), sign = distance < 0 ? -1 : 1;
  if (rate_1ps > 0) {
    double lagging = rate_1ps * lag_s; // within this distance the lag is slower than the largest rate
    if (size > lagging) {
      double bounded_s = (size - lagging) / rate_1ps;
      if (duration_s <= bounded_s)
        return sign * (size - rate_1ps * duration_s);
      size = lagging;
      duration_s -= bounded_s;
    }
  }

  if (size == 0 || duration_s == 0)
    return sign * size;
  return lag_s > 0 ? sign * size * explog_exp(-duration_s / lag_s) : 0;
}

void thruster_flow(const struct thruster_def *def, struct thruster_state *state, double duration_s) {
  if (state->stuck)
    return;
  double share = state->rate_share, lag = 1 / share;
  state->revolutions_rpm =
      state->revolutions_set_rpm - thruster_approach(state->revolutions_set_rpm - state->revolutions_rpm,
                                                     lag * def->revolutions_lag_s,
                                                     share * def->revolutions_rate_rpmps, duration_s);

  if (def->drive == DRIVE_CPP)
    state->pitch =
        state->pitch_set - thruster_approach(state->pitch_set - state->pitch, lag * def->pitch_lag_s,
                                             share * def->pitch_rate_1ps, duration_s);

  const enum thruster_steering steering = thruster_steering(def->kind);
  if (steering == STEERING_NONE)
    return;
  double distance = state->azimuth_set_rad - state->azimuth_rad;
  if (steering == STEERING_TURNS)
    distance = trig_wrap(distance); // the shorter way, even through a forbidden zone
  double azimuth = state->azimuth_set_rad - thruster_approach(distance, lag * def->azimuth_lag_s,
                                                              share * def->azimuth_rate_radps, duration_s);
  state->azimuth_rad = steering == STEERING_TURNS ? trig_wrap(azimuth) : azimuth;
}

// Clockwise turn from one direction to another, in [0, 2 pi).
static double turn_from(double from_rad, double to_rad) {
  double turn = trig_wrap(to_rad - from_rad);
  return turn < 0 ? turn + 2 * TRIG_PI : turn;
}

int thruster_sector_at(const struct thruster_def *def, double azimuth_rad, double margin_rad,
                       unsigned lifted) {
  for (int i = 0; i < def->sector_count; i++) {
    const struct sector *sector = &def->sector[i];
    double inside = turn_from(sector->from_rad, azimuth_rad),
           width = turn_from(sector->from_rad, sector->to_rad);
    if (!(lifted >> i & 1) && inside > margin_rad && inside < width - margin_rad)
      return i;
  }
  return -1;
}

double thruster_sector_edge(const struct sector *sector, double azimuth_rad) {
  double inside = turn_from(sector->from_rad, azimuth_rad),
         width = turn_from(sector->from_rad, sector->to_rad);
  return trig_wrap(inside < 0.5 * width ? sector->from_rad : sector->to_rad);
}

double thruster_allowed_azimuth(const struct thruster_def *def, double azimuth_rad) {
  int sector = thruster_sector_at(def, azimuth_rad, SECTOR_EDGE_RAD, 0);
  return sector < 0 ? azimuth_rad : thruster_sector_edge(&def->sector[sector], azimuth_rad);
}

double thruster_power_w(const struct thruster_def *def, double revolutions_rpm, double pitch) {
  double r = fabs(revolutions_rpm / def->revolutions_max_rpm), p = fabs(pitch);
  double power = def->power_max_w * r * r * r;
  return def->drive == DRIVE_CPP ? power * (def->power_zero_pitch + (1 - def->power_zero_pitch) * p * p * p)
                                 : power;
}

double thruster_stroke(const struct thruster_def *def, double revolutions_rpm, double pitch) {
  double r = revolutions_rpm / def->revolutions_max_rpm;
  return def->drive == DRIVE_CPP ? r * pitch : r;
}

// Factor on the thrust of a thruster in a tunnel at this speed ahead; 1 without such a loss.
static double speed_factor(double speed_half_mps, double ahead_mps) {
  double ratio = speed_half_mps > 0 ? ahead_mps / speed_half_mps : 0;
  return 1 / (1 + ratio * ratio);
}

// Solves thrust = full (side x |x| - loss |x| inflow) for the stroke x, which has the sign of the thrust.
double thruster_stroke_for(const struct thruster_def *def, double thrust_n, double inflow_mps,
                           double ahead_mps) {
  double half = THRUSTER_KINDS[def->kind].in_tunnel ? def->speed_half_mps : 0;
  double full = def->thrust_max_n * def->ventilation * speed_factor(half, ahead_mps);
  if (thrust_n == 0 || full == 0)
    return 0;
  double sign = thrust_n < 0 ? -1 : 1, side = thrust_n < 0 ? def->thrust_astern : 1;
  double loss = sign * def->inflow_loss_spm * inflow_mps;
  double square = loss * loss + 4 * side * fabs(thrust_n) / full;
  return side > 0 && square > 0 ? sign * (loss + sqrt(square)) / (2 * side) : 0;
}

struct thruster_jet thruster_jet_of(const struct thruster_def *def, const struct thruster_state *state) {
  double stroke = thruster_stroke(def, state->revolutions_rpm, state->pitch),
         full = def->thrust_max_n * def->ventilation;
  struct thruster_jet jet = {.place_b_m = vec3_of(def->position_b_m),
                             .direction_b = thruster_axis_b(def),
                             .bollard_n =
                                 full * (stroke < 0 ? def->thrust_astern : 1) * stroke * fabs(stroke),
                             .inflow_nspm = full * def->inflow_loss_spm * fabs(stroke)};
  if (THRUSTER_KINDS[def->kind].in_tunnel)
    jet.speed_half_mps = def->speed_half_mps;
  switch (thruster_steering(def->kind)) {
  case STEERING_NONE:
    break;
  case STEERING_TURNS:
    jet.direction_b = (vec3){trig_cos(state->azimuth_rad), trig_sin(state->azimuth_rad), 0};
    break;
  case STEERING_RUDDER:
    jet.rudder_sine = trig_sin(state->azimuth_rad);
    jet.rudder_lift = def->rudder_lift;
    jet.rudder_drag = def->rudder_drag;
  }
  return jet;
}

double thruster_thrust(const struct thruster_jet *jet, vec3 velocity_b) {
  double thrust = jet->bollard_n - jet->inflow_nspm * vec3_dot(velocity_b, jet->direction_b);
  return thrust * speed_factor(jet->speed_half_mps, velocity_b.x);
}

vec3 thruster_force(const struct thruster_jet *jet, vec3 velocity_b) {
  double thrust = thruster_thrust(jet, velocity_b);
  vec3 force = vec3_scale(thrust, jet->direction_b);
  if (thrust > 0) { // a rudder works only in the slipstream of thrust ahead
    force.x -= jet->rudder_drag * jet->rudder_sine * jet->rudder_sine * thrust;
    force.y += jet->rudder_lift * jet->rudder_sine * thrust;
  }
  return force;
}
