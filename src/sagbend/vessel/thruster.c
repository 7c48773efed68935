#include "sagbend/vessel/thruster.h"

#include "sagbend/math/explog.h"
#include "sagbend/math/trig.h"

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
    distance = trig_wrap(distance); // the shorter way, even through a forbidden sector
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
