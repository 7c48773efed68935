// Thrusts for a wrench, by weighted least squares with an active set. The sum of (thrust / largest thrust)^2
// is minimised; then the thruster that violates its limit most is fixed there, and the others are solved
// again. A thrust is fixed at its largest value, a direction at the nearest edge of its forbidden sector, and
// a thrust along such an edge that would have to be negative at zero. Each thruster is fixed at most twice,
// so the iteration ends.
#include "sagbend/vessel/plant.h"

#include "sagbend/math/dense3.h"
#include "sagbend/math/trig.h"

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
