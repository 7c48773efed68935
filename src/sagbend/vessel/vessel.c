// The vessel in a step: momentum, hydrostatics, attitude.
//
// Energy-momentum step of the vessel. With nu_m = (nu0 + nu1)/2 and M nu_m = (p_m, pi_m),
//   M (nu1 - nu0)/h = [p_m x w_m; pi_m x w_m + p_m x v_m] + f_b,   Q1 = Q0 cay(h w_m),   x1 - x0 = h Qh v_m,
// where Qh is the orthonormal midpoint of Q0 and Q1 and f_b = Qh' (world force, world moment). The gyroscopic
// terms do no work, so the kinetic energy changes by force . dx + moment . theta with theta = Q0 h w_m. The
// hydrostatic energy is quadratic in z_F, Q e1 . e3 and Q e2 . e3: forces from their means over the step make
// its work exact.
#include "sagbend/vessel/vessel.h"

#include "sagbend/math/math.h"

struct vessel vessel_of(const struct vessel_def *def, const struct env_def *env) {
  struct vessel vessel = {.flotation_b_m = vec3_of(def->flotation_b_m),
                          .equilibrium_z_m = def->equilibrium_z_m,
                          .current_acts = def->current_acts,
                          .damping_is_level = def->damping_axes == DAMPING_LEVEL};
  for (int i = 0; i < 6; i++) {
    vessel.damping_quadratic[i] = def->damping_quadratic[i];
    for (int j = 0; j < 6; j++) {
      vessel.bare_inertia[i][j] = def->inertia[i][j];
      vessel.added_mass[i][j] = def->added_mass[i][j];
      vessel.damping_linear[i][j] = def->damping_linear[i][j];
    }
  }
  vessel.damping_loss = mat6_squares_of((const double (*)[6])vessel.damping_linear);
  vessel.radiation = radiation_of(&def->radiation);
  hydro_memory_added_mass_zero(&def->radiation, (const double (*)[6])vessel.added_mass,
                               vessel.added_mass_slow);
  vessel.hull =
      hull_drag_of(&def->hull, (const double (*)[6])vessel.added_mass_slow, env->water_density_kgpm3);
  vessel.heave_stiffness_npm = env->water_density_kgpm3 * env->gravity_mps2 * def->waterplane_area_m2;
  vessel.pitch_stiffness_nm = def->mass_kg * env->gravity_mps2 * def->gm_longitudinal_m;
  vessel.roll_stiffness_nm = def->mass_kg * env->gravity_mps2 * def->gm_transverse_m;
  return vessel;
}

struct vessel_state vessel_initial_state(const struct vessel_def *def) {
  struct vessel_state state = {.x_n = vec3_of(def->position_n_m), .q_nb = quat_of_euler(def->euler_rad)};
  for (int i = 0; i < 6; i++)
    state.nu[i] = def->velocity_b[i];
  return state;
}

void vessel_attach_mass(double inertia[6][6], const mat3 *mass, vec3 at_b_m) {
  // The velocity of the point is T nu with T = [I, -hat(at)]; the inertia grows by T' m T.
  double t[3][6] = {{0}};
  mat3 r = mat3_hat(at_b_m);
  for (int i = 0; i < 3; i++) {
    t[i][i] = 1;
    for (int j = 0; j < 3; j++)
      t[i][3 + j] = -r.m[i][j];
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
          inertia[i][j] += t[a][i] * mass->m[a][b] * t[b][j];
}

void vessel_attach_inertia(double inertia[6][6], const mat3 *added) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      inertia[3 + i][3 + k] += added->m[i][k];
}

// Gyroscopic terms of a mass matrix (Kirchhoff), with the sign of a force.
static void kirchhoff(const double (*mass)[6], const double nu[6], double out[6]) {
  double momentum[6];
  mat6_mul(mass, nu, momentum);
  vec3 vel = vec3_of(nu), w = vec3_of(nu + 3), p = vec3_of(momentum), pi = vec3_of(momentum + 3);
  vec3_to(vec3_cross(p, w), out);
  vec3_to(vec3_add(vec3_cross(pi, w), vec3_cross(p, vel)), out + 3);
}

void vessel_slow_wrench(const struct vessel *vessel, const double nu[6], double wrench_b[6]) {
  const double plane[6] = {nu[0], nu[1], 0, 0, 0, nu[5]};
  double at_zero[6], at_infinity[6];
  kirchhoff(vessel->added_mass_slow, plane, at_zero);
  kirchhoff(vessel->added_mass, plane, at_infinity);
  for (int i = 0; i < 6; i++)
    wrench_b[i] = i < 2 || i == 5 ? at_zero[i] - at_infinity[i] : 0;
}

// The memory takes the velocity through the water, so the water's own turn carries A(infinity) only. As on
// ground, A(0) acts in the horizontal plane only: with it in heave and roll, the motion in waves would have
// a mean force.
void vessel_current_wrench(const struct vessel *vessel, const double nu[6], vec3 water_b,
                           double wrench_b[6]) {
  double through[6], ground[6], relative[6], turning[6] = {0}, carried[6];
  vec3_to(vec3_sub(vec3_of(nu), water_b), through);
  vec3_to(vec3_of(nu + 3), through + 3);
  vec3_to(vec3_cross(water_b, vec3_of(nu + 3)), turning); // d(water_b)/dt of a steady current

  kirchhoff(vessel->added_mass, nu, ground);
  kirchhoff(vessel->added_mass, through, relative);
  mat6_mul(vessel->added_mass, turning, carried);
  double slow_ground[6] = {0}, slow_relative[6] = {0};
  if (vessel->radiation.count > 0) { // otherwise A(0) is A(infinity)
    vessel_slow_wrench(vessel, nu, slow_ground);
    vessel_slow_wrench(vessel, through, slow_relative);
  }
  for (int i = 0; i < 6; i++)
    wrench_b[i] = relative[i] - ground[i] + slow_relative[i] - slow_ground[i] + carried[i];
}

double vessel_kinetic(const double (*inertia)[6], const double nu[6]) {
  double p[6], sum = 0;
  mat6_mul(inertia, nu, p);
  for (int i = 0; i < 6; i++)
    sum += nu[i] * p[i];
  return 0.5 * sum;
}

double vessel_potential(const struct vessel *vessel, const struct vessel_state *state) {
  mat3 q = quat_matrix(state->q_nb);
  double z = state->x_n.z + mat3_mul(&q, vessel->flotation_b_m).z - vessel->equilibrium_z_m;
  double s1 = q.m[2][0], s2 = q.m[2][1];
  return 0.5 * (vessel->heave_stiffness_npm * z * z + vessel->pitch_stiffness_nm * s1 * s1 +
                vessel->roll_stiffness_nm * s2 * s2);
}

// Geometry of a step.
struct motion {
  mat3 q0, q_half;           // attitude at the start and orthonormal midpoint
  double nu_m[6];            // mean velocities, b
  vec3 float_m, float_1;     // Q r_F: mean and end
  vec3 axis_m[2], axis_1[2]; // Q e1, Q e2: mean and end
  double z_m, tilt_m[2];     // means of z_F - z_eq and of Q e_k . e3
};

static struct motion motion_of(const struct vessel *vessel, const struct vessel_state *state,
                               const struct vessel_step *step) {
  struct motion motion;
  motion.q0 = quat_matrix(state->q_nb);
  motion.q_half = quat_matrix(quat_rotated(state->q_nb, cayley_half(step->theta_n)));
  vec3_to(vec3_scale(step->inverse_h, mat3_tmul(&motion.q_half, step->dx_n)), motion.nu_m);
  vec3_to(vec3_scale(step->inverse_h, mat3_tmul(&motion.q0, step->theta_n)), motion.nu_m + 3);

  vec3 arm = mat3_mul(&motion.q0, vessel->flotation_b_m), change = cayley_increment(step->theta_n, arm);
  motion.float_m = vec3_axpy(0.5, change, arm);
  motion.float_1 = vec3_add(arm, change);
  motion.z_m = state->x_n.z + arm.z - vessel->equilibrium_z_m + 0.5 * (step->dx_n.z + change.z);
  for (int i = 0; i < 2; i++) {
    vec3 axis = mat3_column(&motion.q0, i);
    change = cayley_increment(step->theta_n, axis);
    motion.axis_m[i] = vec3_axpy(0.5, change, axis);
    motion.axis_1[i] = vec3_add(axis, change);
    motion.tilt_m[i] = motion.axis_m[i].z;
  }
  return motion;
}

// a x e3
static vec3 cross_e3(vec3 a) {
  return (vec3){a.y, -a.x, 0};
}

// out = M (nu1 - nu0)/h minus the gyroscopic terms, b; momentum = M nu_m.
static void inertia_b(const double (*inertia)[6], const double nu0[6], const double nu_m[6], double inverse_h,
                      double momentum[6], double out[6]) {
  double change[6];
  for (int i = 0; i < 6; i++)
    change[i] = 2 * (nu_m[i] - nu0[i]);
  mat6_mul(inertia, change, out);
  mat6_mul(inertia, nu_m, momentum);
  vec3 vel = vec3_of(nu_m), w = vec3_of(nu_m + 3), p = vec3_of(momentum), pi = vec3_of(momentum + 3);
  vec3 lin = vec3_cross(p, w), ang = vec3_add(vec3_cross(pi, w), vec3_cross(p, vel));
  const double gyro[6] = {lin.x, lin.y, lin.z, ang.x, ang.y, ang.z};
  for (int i = 0; i < 6; i++)
    out[i] = inverse_h * out[i] - gyro[i];
}

void vessel_residual(const struct vessel *vessel, const double (*inertia)[6],
                     const struct vessel_state *state, const struct vessel_step *step, vec3 force_n,
                     vec3 moment_n, double residual[6]) {
  struct motion motion = motion_of(vessel, state, step);
  double inertial[6] = {0}, momentum[6];
  if (step->inverse_h != 0)
    inertia_b(inertia, state->nu, motion.nu_m, step->inverse_h, momentum, inertial);

  vec3 buoyancy = {0, 0, -vessel->heave_stiffness_npm * motion.z_m};
  vec3 force = vec3_add(force_n, buoyancy), moment = vec3_add(moment_n, vec3_cross(motion.float_m, buoyancy));
  moment = vec3_axpy(-vessel->pitch_stiffness_nm * motion.tilt_m[0], cross_e3(motion.axis_m[0]), moment);
  moment = vec3_axpy(-vessel->roll_stiffness_nm * motion.tilt_m[1], cross_e3(motion.axis_m[1]), moment);

  vec3_to(vec3_sub(mat3_mul(&motion.q_half, vec3_of(inertial)), force), residual);
  vec3_to(vec3_sub(mat3_mul(&motion.q_half, vec3_of(inertial + 3)), moment), residual + 3);
}

// Spatial variation of the half rotation for a variation of theta:
// Qh = cay(theta/(1+n)) Q0 with n = sqrt(1 + |theta|^2/4).
static vec3 half_variation(vec3 theta, vec3 dtheta) {
  double n = sqrt(1 + 0.25 * vec3_dot(theta, theta)), share = 1 / (1 + n);
  double dn = vec3_dot(theta, dtheta) / (4 * n);
  vec3 dhalf = vec3_axpy(-dn * share * share, theta, vec3_scale(share, dtheta));
  return cayley_derivative(vec3_scale(share, theta), dhalf);
}

static void inertia_column(const double (*inertia)[6], const struct vessel_step *step,
                           const struct motion *motion, const double inertial[6], const double momentum[6],
                           vec3 ddx, vec3 dtheta, double column[6]) {
  vec3 psi = half_variation(step->theta_n, dtheta);
  double dnu[6], dp[6];
  vec3_to(vec3_scale(step->inverse_h, mat3_tmul(&motion->q_half, vec3_sub(ddx, vec3_cross(psi, step->dx_n)))),
          dnu);
  vec3_to(vec3_scale(step->inverse_h, mat3_tmul(&motion->q0, dtheta)), dnu + 3);
  mat6_mul(inertia, dnu, dp);

  vec3 vel = vec3_of(motion->nu_m), w = vec3_of(motion->nu_m + 3), p = vec3_of(momentum),
       pi = vec3_of(momentum + 3);
  vec3 dv = vec3_of(dnu), dw = vec3_of(dnu + 3), dlin = vec3_of(dp), dang = vec3_of(dp + 3);
  vec3 lin = vec3_add(vec3_cross(dlin, w), vec3_cross(p, dw));
  vec3 ang = vec3_add(vec3_add(vec3_cross(dang, w), vec3_cross(pi, dw)),
                      vec3_add(vec3_cross(dlin, vel), vec3_cross(p, dv)));

  double twice = 2 * step->inverse_h;
  vec3 force = mat3_mul(&motion->q_half, vec3_sub(vec3_scale(twice, dlin), lin));
  vec3 moment = mat3_mul(&motion->q_half, vec3_sub(vec3_scale(twice, dang), ang));
  force = vec3_add(force, vec3_cross(psi, mat3_mul(&motion->q_half, vec3_of(inertial))));
  moment = vec3_add(moment, vec3_cross(psi, mat3_mul(&motion->q_half, vec3_of(inertial + 3))));

  vec3_to(force, column);
  vec3_to(moment, column + 3);
}

static void hydrostatic_column(const struct vessel *vessel, const struct motion *motion, vec3 ddx, vec3 phi,
                               double column[6]) {
  vec3 darm = vec3_scale(0.5, vec3_cross(phi, motion->float_1));
  vec3 buoyancy = {0, 0, -vessel->heave_stiffness_npm * motion->z_m};
  vec3 dbuoyancy = {0, 0, -vessel->heave_stiffness_npm * (0.5 * ddx.z + darm.z)};
  vec3 moment = vec3_add(vec3_cross(darm, buoyancy), vec3_cross(motion->float_m, dbuoyancy));

  const double stiffness[2] = {vessel->pitch_stiffness_nm, vessel->roll_stiffness_nm};
  for (int i = 0; i < 2; i++) {
    vec3 daxis = vec3_scale(0.5, vec3_cross(phi, motion->axis_1[i]));
    moment = vec3_axpy(-stiffness[i] * daxis.z, cross_e3(motion->axis_m[i]), moment);
    moment = vec3_axpy(-stiffness[i] * motion->tilt_m[i], cross_e3(daxis), moment);
  }

  column[2] -= dbuoyancy.z;
  column[3] -= moment.x;
  column[4] -= moment.y;
  column[5] -= moment.z;
}

void vessel_tangent(const struct vessel *vessel, const double (*inertia)[6], const struct vessel_state *state,
                    const struct vessel_step *step, double tangent[6][6]) {
  struct motion motion = motion_of(vessel, state, step);
  double inertial[6] = {0}, momentum[6] = {0};
  if (step->inverse_h != 0)
    inertia_b(inertia, state->nu, motion.nu_m, step->inverse_h, momentum, inertial);

  for (int j = 0; j < 6; j++) {
    double unit[6] = {0}, column[6] = {0};
    unit[j] = 1;
    vec3 ddx = vec3_of(unit), phi = vec3_of(unit + 3);
    if (step->inverse_h != 0)
      inertia_column(inertia, step, &motion, inertial, momentum, ddx,
                     cayley_derivative_inverse(step->theta_n, phi), column);
    hydrostatic_column(vessel, &motion, ddx, phi, column);
    for (int i = 0; i < 6; i++)
      tangent[i][j] = column[i];
  }
}

void vessel_commit(struct vessel_state *state, const struct vessel_step *step) {
  if (step->inverse_h != 0) {
    mat3 q0 = quat_matrix(state->q_nb),
         half = quat_matrix(quat_rotated(state->q_nb, cayley_half(step->theta_n)));
    double nu_m[6];
    vec3_to(vec3_scale(step->inverse_h, mat3_tmul(&half, step->dx_n)), nu_m);
    vec3_to(vec3_scale(step->inverse_h, mat3_tmul(&q0, step->theta_n)), nu_m + 3);
    for (int i = 0; i < 6; i++)
      state->nu[i] = 2 * nu_m[i] - state->nu[i];
  }
  state->x_n = vec3_add(state->x_n, step->dx_n);
  state->q_nb = quat_rotated(state->q_nb, step->theta_n);
}

// ------------------------------------------------------------
// Checks of a vessel and plant state that comes from a file.

int vessel_state_is_valid(const struct vessel_state *state, struct reason *why) {
  const double x[3] = {state->x_n.x, state->x_n.y, state->x_n.z},
               q[4] = {state->q_nb.w, state->q_nb.x, state->q_nb.y, state->q_nb.z};
  return valid_finite(x, 3, "x_n", why) && valid_unit_quaternion(q, "q_nb", why) &&
         valid_finite(state->nu, 6, "nu", why);
}

static int thruster_state_is_valid(const struct thruster_def *def, const struct thruster_state *state,
                                   struct reason *why) {
  const double rounding = 1 + 1e-9, rpm = def->revolutions_max_rpm * rounding;
  const double angle =
      thruster_steering(def->kind) == STEERING_RUDDER ? def->rudder_max_rad * rounding : TRIG_PI * rounding;
  return valid_range(state->revolutions_rpm, -rpm, rpm, "revolutions_rpm", why) &&
         valid_range(state->revolutions_set_rpm, -rpm, rpm, "revolutions_set_rpm", why) &&
         valid_range(state->pitch, -rounding, rounding, "pitch", why) &&
         valid_range(state->pitch_set, -rounding, rounding, "pitch_set", why) &&
         valid_range(state->azimuth_rad, -angle, angle, "azimuth_rad", why) &&
         valid_range(state->azimuth_set_rad, -angle, angle, "azimuth_set_rad", why) &&
         valid_finite(&state->asked_azimuth_rad, 1, "asked_azimuth_rad", why) &&
         valid_range(state->start_left_s, 0, def->start_up_s * rounding, "start_left_s", why) &&
         valid_range(state->rate_share, 0, 1, "rate_share", why) &&
         valid_whole(state->ready, 0, 1, "ready", why) && valid_whole(state->running, 0, 1, "running", why) &&
         valid_whole(state->stuck, 0, 1, "stuck", why);
}

static int bus_state_is_valid(const struct bus_def *def, const struct bus_state *state, struct reason *why) {
  return valid_range(state->available_w, 0, def->available_w, "available_w", why) &&
         valid_whole(state->closed, 0, 1, "closed", why) && valid_whole(state->limited, 0, 1, "limited", why);
}

int plant_state_is_valid(const struct plant_def *def, const struct plant_state *state, struct reason *why) {
  for (int i = 0; i < def->thruster_count; i++)
    if (!thruster_state_is_valid(&def->thruster[i], &state->thruster[i], why))
      return valid_fail_in(why, "%s.", def->thruster[i].name);
  for (int i = 0; i < def->bus_count; i++)
    if (!bus_state_is_valid(&def->bus[i], &state->bus[i], why))
      return valid_fail_in(why, "%s.", def->bus[i].name);
  return 1;
}
