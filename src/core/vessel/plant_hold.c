// Least squares of thrust over largest thrust, active set: solve, bind what breaks its limit worst (a thrust
// to its largest, a direction to the nearest edge of its sector, a thrust along an edge that would have to
// pull to none), solve again for the rest. Each thruster is bound at most twice, so it ends.
#include "core/vessel/plant.h"

#include "core/math/dense3.h"
#include "core/math/trig.h"

enum binding { FREE, ALONG_EDGE, BOUND };

struct share { // one thruster's part
  enum binding binding;
  int columns;       // directions that it is free to push in
  vec3 column[2];    // of each: surge, sway, yaw over the yaw's arm
  double force_n[2]; // along x and y of b
  double edge_rad;
};

static vec3 effect_of(const struct thruster_def *def, double ahead, double across, double arm_m) {
  return (vec3){ahead, across, (def->position_b_m[0] * across - def->position_b_m[1] * ahead) / arm_m};
}

static void set_columns(const struct thruster_def *def, struct share *x, double arm_m) {
  x->columns = x->binding == BOUND ? 0 : 1;
  if (def->kind == THRUSTER_TUNNEL) {
    x->column[0] = effect_of(def, 0, 1, arm_m);
  } else if (def->kind == THRUSTER_MAIN) {
    x->column[0] = effect_of(def, 1, 0, arm_m);
  } else if (x->binding == ALONG_EDGE) {
    x->column[0] = effect_of(def, trig_cos(x->edge_rad), trig_sin(x->edge_rad), arm_m);
  } else if (x->columns) {
    x->columns = 2;
    x->column[0] = effect_of(def, 1, 0, arm_m);
    x->column[1] = effect_of(def, 0, 1, arm_m);
  }
}

// The free parts' forces for what the bound ones leave.
static void solve(const struct plant_def *def, struct share *shares, vec3 wanted, double arm_m) {
  mat3 a = {{{0}}};
  double most = 0;
  for (int i = 0; i < def->thruster_count; i++) {
    struct share *x = &shares[i];
    set_columns(&def->thruster[i], x, arm_m);
    double weight = def->thruster[i].thrust_max_n * def->thruster[i].thrust_max_n;
    most = weight > most ? weight : most;
    if (x->binding == BOUND)
      wanted = vec3_sub(wanted, effect_of(&def->thruster[i], x->force_n[0], x->force_n[1], arm_m));
    for (int k = 0; k < x->columns; k++) {
      const double c[3] = {x->column[k].x, x->column[k].y, x->column[k].z};
      for (int r = 0; r < 3; r++)
        for (int q = 0; q < 3; q++)
          a.m[r][q] += weight * c[r] * c[q];
    }
  }
  for (int r = 0; r < 3; r++)
    a.m[r][r] += 1e-9 * most; // what no thruster can make stays undone
  vec3 y = mat3_solve_columns(&a, wanted);
  for (int i = 0; i < def->thruster_count; i++) {
    struct share *x = &shares[i];
    double weight = def->thruster[i].thrust_max_n * def->thruster[i].thrust_max_n;
    double f0 = x->columns > 0 ? weight * vec3_dot(y, x->column[0]) : 0;
    if (x->columns == 0)
      continue;
    if (def->thruster[i].kind == THRUSTER_TUNNEL)
      x->force_n[0] = 0, x->force_n[1] = f0;
    else if (x->columns == 2)
      x->force_n[0] = f0, x->force_n[1] = weight * vec3_dot(y, x->column[1]);
    else if (x->binding == ALONG_EDGE)
      x->force_n[0] = f0 * trig_cos(x->edge_rad), x->force_n[1] = f0 * trig_sin(x->edge_rad);
    else
      x->force_n[0] = f0, x->force_n[1] = 0;
  }
}

static double size_of(const struct share *x) {
  return sqrt(x->force_n[0] * x->force_n[0] + x->force_n[1] * x->force_n[1]);
}

// By how much a part breaks its limit, above 1; and binds it there if asked to.
static double overload(const struct thruster_def *def, struct share *x, const vec3 *water_b, int bind) {
  if (x->binding == BOUND)
    return 0;
  double size = size_of(x), azimuth = trig_atan2(x->force_n[1], x->force_n[0]);
  if (x->binding == ALONG_EDGE && trig_cos(azimuth - x->edge_rad) < 0 && size > 0) {
    if (bind)
      x->binding = BOUND, x->force_n[0] = x->force_n[1] = 0;
    return (double)INFINITY;
  }
  double allowed = def->kind == THRUSTER_AZIMUTH ? thruster_allowed_azimuth(def, azimuth) : azimuth;
  if (x->binding == FREE && allowed != azimuth && size > 1e-9 * def->thrust_max_n) {
    if (bind)
      x->binding = ALONG_EDGE, x->edge_rad = allowed;
    return (double)INFINITY;
  }
  int tunnel = def->kind == THRUSTER_TUNNEL, azimuthing = def->kind == THRUSTER_AZIMUTH;
  double along = azimuthing ? size : x->force_n[tunnel];
  vec3 direction = azimuthing ? (vec3){trig_cos(azimuth), trig_sin(azimuth), 0} : (vec3){!tunnel, tunnel, 0};
  double stroke = fabs(thruster_stroke_for(def, along, -vec3_dot(*water_b, direction), -water_b->x));
  double full = def->thrust_astern > 0 || along > 0 ? stroke : along < 0 ? (double)INFINITY : 0;
  if (bind && full > 1) {
    double share = full < (double)INFINITY ? 1 / (full * full) : 0; // of the thrust; nearly, with inflow
    x->binding = BOUND;
    x->force_n[0] *= share;
    x->force_n[1] *= share;
  }
  return full;
}

static struct thruster_setpoint setpoint_of(const struct thruster_def *def, const struct share *x,
                                            vec3 water_b) {
  struct thruster_setpoint p = {.enable = 1, .azimuth_rad = thruster_at_rest(def).azimuth_rad};
  int azimuthing = def->kind == THRUSTER_AZIMUTH, tunnel = def->kind == THRUSTER_TUNNEL;
  double along = azimuthing ? size_of(x) : x->force_n[tunnel];
  vec3 direction = {!tunnel, tunnel, 0};
  if (azimuthing && along > 0) {
    p.azimuth_rad = x->binding == ALONG_EDGE ? x->edge_rad : trig_atan2(x->force_n[1], x->force_n[0]);
    direction = (vec3){trig_cos(p.azimuth_rad), trig_sin(p.azimuth_rad), 0};
  }
  double stroke = thruster_stroke_for(def, along, -vec3_dot(water_b, direction), -water_b.x);
  stroke = stroke > 1 ? 1 : stroke < -1 ? -1 : stroke;
  if (def->drive == DRIVE_CPP)
    p.pitch = stroke;
  else
    p.revolutions_rpm = stroke * def->revolutions_max_rpm;
  return p;
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
      double over = overload(&def->thruster[i], &shares[i], &water_b[i], 0);
      if (over > most)
        worst = i, most = over;
    }
    if (worst < 0)
      break;
    overload(&def->thruster[worst], &shares[worst], &water_b[worst], 1);
  }
  for (int i = 0; i < def->thruster_count; i++)
    setpoint[i] = setpoint_of(&def->thruster[i], &shares[i], water_b[i]);
}
