// The flows into which the motion of a vessel is split.
//
// S2 at a frozen attitude Q with q3 = Q'e3, in variables of similar magnitude: velocities, changes since the
// start of S2 and the constant 1. In the momenta and positions of the source and SI units the matrix would
// have a norm of 1e7, and the exponential would lose as many digits.
//   v' = -(D_t v + Q'[c e3 (d_z + z - z_eq) + Kd Q v + Kp (d + e) + Ki (f + phi)] - tau_t)/m,
//   d' = Q v,   f' = d + e,
//   w' = -T^-1 (D_r w + mu x q3 + J'[Kd J w + Kp e + Ki (phi + s e)] - tau_r),
//   n' = -(w x q3)_1,2,   s' = 1,
// with mu = (m g GM_L n1, m g GM_T n2, 0), n the tilt, e = eta - eta_ref and phi the integral of e at the
// start.
#include "sagbend/rigid/rigid.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid_internal.h"

#include <math.h>
#include <string.h>

void split_tilt_of(quat q_nb, double tilt[2]) {
  mat3 q = quat_matrix(q_nb);
  tilt[0] = q.m[2][0];
  tilt[1] = q.m[2][1];
}

double split_energy_j(const struct split_vessel *vessel, const struct split_state *state,
                      const double tilt[2]) {
  double z = state->x_n.z - vessel->equilibrium_z_m, sum = vessel->heave_npm * z * z;
  for (int i = 0; i < 3; i++)
    sum += vessel->mass_kg * state->nu[i] * state->nu[i] +
           vessel->moment_kgm2[i] * state->nu[3 + i] * state->nu[3 + i];
  return 0.5 * (sum + vessel->tilt_nm[0] * tilt[0] * tilt[0] + vessel->tilt_nm[1] * tilt[1] * tilt[1]);
}

struct split {
  const struct split_step *step;
  struct split_state state;
  double tilt[2];
  struct split_account account;
};

// ---- S1: the free rigid body ----

static void free_body(void *context, double h) NONBLOCKING {
  struct split *split = context;
  const struct split_vessel *vessel = split->step->vessel;
  double momentum[3];

  for (int i = 0; i < 3; i++)
    momentum[i] = vessel->moment_kgm2[i] * split->state.nu[3 + i];

  mat3 before = quat_matrix(split->state.q_nb);
  vec3 velocity_n = mat3_mul(&before, vec3_of(split->state.nu));
  rigid_free_flow(&vessel->inertia, split->step->how, h, momentum, &split->state.q_nb);
  mat3 after = quat_matrix(split->state.q_nb);
  vec3_to(mat3_tmul(&after, velocity_n), split->state.nu);

  for (int i = 0; i < 3; i++)
    split->state.nu[3 + i] = momentum[i] / vessel->moment_kgm2[i];
}

// ---- S2: forces at a frozen attitude ----

// A linear system whose first three states are velocities, with the forces on them kept apart by kind.
struct linear {
  int n, has_control;
  double x[PHI_MAX];
  double a[PHI_MAX][PHI_MAX];
  const double *inertia, *damping; // 3 each
  double control[3][PHI_MAX];      // rows: force as a function of the state
  double load[3];
  int one; // index of the state that is 1
};

// Adds damping, load and control to the rows of the velocities, which contain the conservative forces, and
// divides by the inertia.
static void sum_forces(struct linear *system) {
  for (int i = 0; i < 3; i++) {
    system->a[i][i] -= system->damping[i];
    system->a[i][system->one] += system->load[i];
    for (int j = 0; j < system->n; j++)
      system->a[i][j] = (system->a[i][j] + system->control[i][j]) / system->inertia[i];
  }
}

// Adds the work and loss along a path to the account.
static void add_to_account(const struct linear *system, const struct phi_path *path,
                           struct split_account *account) {
  for (int i = 0; i < 3; i++) {
    double velocity[PHI_TERMS], force[PHI_TERMS];
    for (int k = 0; k < path->terms; k++)
      velocity[k] = path->term[k][i];
    account->loss_j += system->damping[i] * phi_product(path, velocity, velocity);
    if (system->has_control) {
      phi_row(path, system->control[i], force);
      account->control_j += phi_product(path, velocity, force);
    }
    for (int k = 0; system->load[i] != 0 && k < path->terms; k++)
      account->load_j += path->h * system->load[i] * velocity[k] / (k + 1);
  }
}

// Advances the system by h and adds to the account; control_b: control force at the end. STATUS_SINGULAR if
// the exponential cannot be resolved.
static enum status advance(struct linear *system, double h, struct split_account *account,
                           double control_b[3]) {
  const double (*a)[PHI_MAX] = (const double (*)[PHI_MAX])system->a;
  sum_forces(system);
  int parts = phi_part_count(system->n, a, h);

  for (int k = 0; k < parts; k++) {
    struct phi_path path;
    phi_path_of(system->n, a, h / parts, system->x, &path);
    add_to_account(system, &path, account);
    phi_end(&path, system->x);
  }

  for (int i = 0; i < 3; i++) {
    control_b[i] = 0;
    for (int j = 0; j < system->n; j++)
      control_b[i] += system->control[i][j] * system->x[j];
  }

  return parts > 0 ? STATUS_OK : STATUS_SINGULAR;
}

// Indices of the states: v, d, f, 1 in translation; omega, n, s, 1 in rotation.
enum { V = 0, D = 3, F = 6, ONE_T = 9 };
enum { W = 0, N = 3, TIME = 5, ONE_R = 6 };

static enum status translation(struct split *split, double h, const mat3 *q, const double load_b[6]) {
  const struct split_vessel *vessel = split->step->vessel;
  const struct split_pid *pid = split->step->pid;
  const double x[3] = {split->state.x_n.x, split->state.x_n.y, split->state.x_n.z},
               mass[3] = {vessel->mass_kg, vessel->mass_kg, vessel->mass_kg};
  struct linear system = {.n = 10,
                          .x = {split->state.nu[0], split->state.nu[1], split->state.nu[2]},
                          .inertia = mass,
                          .damping = vessel->damping,
                          .one = ONE_T,
                          .has_control = pid || split->step->control_b};
  system.x[ONE_T] = 1;

  for (int i = 0; i < 3; i++) {
    system.a[i][D + 2] = -q->m[2][i] * vessel->heave_npm; // the third row of Q is Q' e3
    system.a[i][ONE_T] = -q->m[2][i] * vessel->heave_npm * (x[2] - vessel->equilibrium_z_m);
    system.load[i] = load_b[i];
    system.control[i][ONE_T] = split->step->control_b ? split->step->control_b[i] : 0;
    for (int j = 0; j < 3; j++)
      system.a[D + i][V + j] = q->m[i][j];
    system.a[F + i][D + i] = 1;
    system.a[F + i][ONE_T] = pid ? x[i] - pid->reference[i] : 0;
  }

  for (int k = 0; pid && k < 3; k++) // a force along axis k of n
    for (int i = 0; i < 3; i++) {
      double share = -q->m[k][i];
      for (int j = 0; j < 3; j++)
        system.control[i][V + j] += share * pid->kd[k] * q->m[k][j];
      system.control[i][D + k] += share * pid->kp[k];
      system.control[i][F + k] += share * pid->ki[k];
      system.control[i][ONE_T] +=
          share * (pid->kp[k] * (x[k] - pid->reference[k]) + pid->ki[k] * split->state.integral[k]);
    }
  if (advance(&system, h, &split->account, split->account.control_b) != STATUS_OK)
    return STATUS_SINGULAR;

  memcpy(split->state.nu, system.x + V, 3 * sizeof *system.x);
  split->state.x_n = vec3_add(split->state.x_n, vec3_of(system.x + D));

  for (int i = 0; pid && i < 3; i++)
    split->state.integral[i] += system.x[F + i];

  return STATUS_OK;
}

static enum status rotation(struct split *split, double h, const mat3 *q, const double load_b[6]) {
  const struct split_vessel *vessel = split->step->vessel;
  const struct split_pid *pid = split->step->pid;
  const double q3[3] = {q->m[2][0], q->m[2][1], q->m[2][2]};
  const double turning[2][3] = {{0, -q3[2], q3[1]}, {q3[2], 0, -q3[0]}}; // n' = turning w
  struct linear system = {
      .n = 7,
      .x = {split->state.nu[3], split->state.nu[4], split->state.nu[5], split->tilt[0], split->tilt[1], 0, 1},
      .inertia = vessel->moment_kgm2,
      .damping = vessel->damping + 3,
      .one = ONE_R,
      .has_control = pid || split->step->control_b};

  for (int i = 0; i < 3; i++) {
    system.load[i] = load_b[3 + i];
    system.control[i][ONE_R] = split->step->control_b ? split->step->control_b[3 + i] : 0;
    for (int j = 0; j < 2; j++) {
      system.a[i][N + j] = -vessel->tilt_nm[j] * turning[j][i];
      system.a[N + j][W + i] = turning[j][i];
    }
  }

  system.a[TIME][ONE_R] = 1;
  double euler[3], error[3];
  euler_of_quat(split->state.q_nb, euler);
  mat3 rate = euler_rate_matrix(euler);

  for (int k = 0; pid && k < 3; k++) { // a moment along angle k
    error[k] = trig_wrap(euler[k] - pid->reference[3 + k]);
    for (int i = 0; i < 3; i++) {
      double share = -rate.m[k][i];
      for (int j = 0; j < 3; j++)
        system.control[i][W + j] += share * pid->kd[3 + k] * rate.m[k][j];
      system.control[i][TIME] += share * pid->ki[3 + k] * error[k];
      system.control[i][ONE_R] +=
          share * (pid->kp[3 + k] * error[k] + pid->ki[3 + k] * split->state.integral[3 + k]);
    }
  }

  if (advance(&system, h, &split->account, split->account.control_b + 3) != STATUS_OK)
    return STATUS_SINGULAR;

  memcpy(split->state.nu + 3, system.x + W, 3 * sizeof *system.x);
  memcpy(split->tilt, system.x + N, sizeof split->tilt);

  for (int k = 0; pid && k < 3; k++)
    split->state.integral[3 + k] += h * error[k];

  return STATUS_OK;
}

static void forced_flow(void *context, double h) NONBLOCKING {
  struct split *split = context;
  mat3 q = quat_matrix(split->state.q_nb);
  double load_b[6] = {0};
  if (!split->account.solved)
    return;

  if (split->step->load)
    split->step->load(split->step->load_of, &q, load_b);
  split->account.solved =
      translation(split, h, &q, load_b) == STATUS_OK && rotation(split, h, &q, load_b) == STATUS_OK;
}

// ---- the step ----

// Turns the vessel by the smallest rotation after which Q'e3 has the tilt as its first two components;
// velocities stay the same in b. STATUS_NOT_CONVERGED if the tilt is beyond the horizontal.
static enum status align_with_tilt(struct split *split) {
  double left = 1 - split->tilt[0] * split->tilt[0] - split->tilt[1] * split->tilt[1];
  if (!(left > 0))
    return STATUS_NOT_CONVERGED;

  mat3 q = quat_matrix(split->state.q_nb);
  vec3 is = {q.m[2][0], q.m[2][1], q.m[2][2]};
  vec3 wanted = {split->tilt[0], split->tilt[1], is.z < 0 ? -sqrt(left) : sqrt(left)};
  // The body turns from wanted to is, so that the turned body sees the vertical at wanted.
  vec3 axis = vec3_cross(wanted, is);
  split->account.correction_rad = trig_atan2(vec3_norm(axis), vec3_dot(wanted, is));
  quat turn = quat_unit((quat){1 + vec3_dot(wanted, is), axis.x, axis.y, axis.z});
  split->state.q_nb = quat_unit(quat_mul(split->state.q_nb, turn));

  return STATUS_OK;
}

static int is_finite(const struct split_state *state) {
  double sum = state->x_n.x + state->x_n.y + state->x_n.z + state->q_nb.w + state->q_nb.x + state->q_nb.y +
               state->q_nb.z;
  for (int i = 0; i < 6; i++)
    sum += state->nu[i] + state->integral[i];
  return isfinite(sum);
}

struct split_account split_vessel_step(const struct split_step *step, struct split_state *state,
                                       double tilt[2], double h) {
  struct split split = {.step = step, .state = *state, .account = {.solved = 1}};
  if (step->keep_tilt)
    memcpy(split.tilt, tilt, sizeof split.tilt);
  else
    split_tilt_of(state->q_nb, split.tilt);

  compose(step->scheme, forced_flow, free_body, &split, h);
  if (!step->keep_tilt)
    split.account.solved = split.account.solved && align_with_tilt(&split) == STATUS_OK;

  split.account.solved = split.account.solved && is_finite(&split.state);
  if (!split.account.solved)
    return (struct split_account){0};

  *state = split.state;
  if (step->keep_tilt)
    memcpy(tilt, split.tilt, sizeof split.tilt);

  return split.account;
}
