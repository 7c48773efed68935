// S2 in variables of one size, at a frozen attitude Q with q3 = Q'e3: velocities, changes since its start
// and 1. In the paper's p, x and SI units the matrix has a norm of 1e7 and the exponential loses as many
// digits.
//   v' = -(D_t v + Q'[c e3 (d_z + z - z_eq) + Kd Q v + Kp (d + e) + Ki (f + phi)] - tau_t)/m,   d' = Q v, f'
//   = d + e w' = -T^-1 (D_r w + mu x q3 + J'[Kd J w + Kp e + Ki (phi + s e)] - tau_r),   n' = -(w x q3)_1,2,
//   s' = 1
// with mu = (m g GM_L n1, m g GM_T n2, 0), n the tilt, e = eta - eta_ref and phi its integral at the start.
#include "core/rigid/vessel_splitting.h"

#include "core/math/phi.h"
#include "core/math/trig.h"

#include <math.h>
#include <string.h>

void split_tilt_of(quat q_nb, double tilt[2]) {
  mat3 q = quat_matrix(q_nb);
  tilt[0] = q.m[2][0];
  tilt[1] = q.m[2][1];
}

double split_energy_j(const struct split_vessel *v, const struct split_state *s, const double tilt[2]) {
  double z = s->x_n.z - v->equilibrium_z_m, sum = v->heave_npm * z * z;
  for (int i = 0; i < 3; i++)
    sum += v->mass_kg * s->nu[i] * s->nu[i] + v->moment_kgm2[i] * s->nu[3 + i] * s->nu[3 + i];
  return 0.5 * (sum + v->tilt_nm[0] * tilt[0] * tilt[0] + v->tilt_nm[1] * tilt[1] * tilt[1]);
}

struct split {
  const struct split_step *step;
  struct split_state s;
  double tilt[2];
  struct split_account account;
};

// ---- S1 ----

static void free_body(void *split, double h) NONBLOCKING {
  struct split *p = split;
  const struct split_vessel *v = p->step->vessel;
  double momentum[3];
  for (int i = 0; i < 3; i++)
    momentum[i] = v->moment_kgm2[i] * p->s.nu[3 + i];
  mat3 before = quat_matrix(p->s.q_nb);
  vec3 velocity_n = mat3_mul(&before, vec3_of(p->s.nu));
  rigid_free_flow(&v->inertia, p->step->how, h, momentum, &p->s.q_nb);
  mat3 after = quat_matrix(p->s.q_nb);
  vec3_to(mat3_tmul(&after, velocity_n), p->s.nu);
  for (int i = 0; i < 3; i++)
    p->s.nu[3 + i] = momentum[i] / v->moment_kgm2[i];
}

// ---- S2 ----

// A linear system whose first three states are velocities, with the forces on them told apart.
struct linear {
  int n, has_control;
  double x[PHI_MAX];
  double a[PHI_MAX][PHI_MAX];
  const double *inertia, *damping; // 3 of each
  double control[3][PHI_MAX];      // rows: force as a function of the state
  double load[3];
  int one; // the state that is 1
};

static void
sum_forces(struct linear *l) { // into the rows of the velocities, which hold the conservative ones
  for (int i = 0; i < 3; i++) {
    l->a[i][i] -= l->damping[i];
    l->a[i][l->one] += l->load[i];
    for (int j = 0; j < l->n; j++)
      l->a[i][j] = (l->a[i][j] + l->control[i][j]) / l->inertia[i];
  }
}

static void book(const struct linear *l, const struct phi_path *path, struct split_account *account) {
  for (int i = 0; i < 3; i++) {
    double velocity[PHI_TERMS], force[PHI_TERMS];
    for (int k = 0; k < path->terms; k++)
      velocity[k] = path->term[k][i];
    account->loss_j += l->damping[i] * phi_product(path, velocity, velocity);
    if (l->has_control) {
      phi_row(path, l->control[i], force);
      account->control_j += phi_product(path, velocity, force);
    }
    for (int k = 0; l->load[i] != 0 && k < path->terms; k++)
      account->load_j += path->h * l->load[i] * velocity[k] / (k + 1);
  }
}

// Advances it by h and books what the forces did; out: the control force at the end.
static int advance(struct linear *l, double h, struct split_account *account, double control_b[3]) {
  const double (*a)[PHI_MAX] = (const double (*)[PHI_MAX])l->a;
  sum_forces(l);
  int parts = phi_part_count(l->n, a, h);
  for (int k = 0; k < parts; k++) {
    struct phi_path path;
    phi_path_of(l->n, a, h / parts, l->x, &path);
    book(l, &path, account);
    phi_end(&path, l->x);
  }
  for (int i = 0; i < 3; i++) {
    control_b[i] = 0;
    for (int j = 0; j < l->n; j++)
      control_b[i] += l->control[i][j] * l->x[j];
  }
  return parts > 0;
}

enum { V = 0, D = 3, F = 6, ONE_T = 9 };       // v, d, f, 1
enum { W = 0, N = 3, GROWING = 5, ONE_R = 6 }; // omega, n, s, 1

static int translation(struct split *p, double h, const mat3 *q, const double load_b[6]) {
  const struct split_vessel *v = p->step->vessel;
  const struct split_pid *pid = p->step->pid;
  const double x[3] = {p->s.x_n.x, p->s.x_n.y, p->s.x_n.z}, mass[3] = {v->mass_kg, v->mass_kg, v->mass_kg};
  struct linear l = {.n = 10,
                     .x = {p->s.nu[0], p->s.nu[1], p->s.nu[2]},
                     .inertia = mass,
                     .damping = v->damping,
                     .one = ONE_T,
                     .has_control = pid || p->step->control_b};
  l.x[ONE_T] = 1;
  for (int i = 0; i < 3; i++) {
    l.a[i][D + 2] = -q->m[2][i] * v->heave_npm; // Q' e3 is the third row of Q
    l.a[i][ONE_T] = -q->m[2][i] * v->heave_npm * (x[2] - v->equilibrium_z_m);
    l.load[i] = load_b[i];
    l.control[i][ONE_T] = p->step->control_b ? p->step->control_b[i] : 0;
    for (int j = 0; j < 3; j++)
      l.a[D + i][V + j] = q->m[i][j];
    l.a[F + i][D + i] = 1;
    l.a[F + i][ONE_T] = pid ? x[i] - pid->reference[i] : 0;
  }
  for (int k = 0; pid && k < 3; k++) // a force along axis k of n
    for (int i = 0; i < 3; i++) {
      double share = -q->m[k][i];
      for (int j = 0; j < 3; j++)
        l.control[i][V + j] += share * pid->kd[k] * q->m[k][j];
      l.control[i][D + k] += share * pid->kp[k];
      l.control[i][F + k] += share * pid->ki[k];
      l.control[i][ONE_T] +=
          share * (pid->kp[k] * (x[k] - pid->reference[k]) + pid->ki[k] * p->s.integral[k]);
    }
  if (!advance(&l, h, &p->account, p->account.control_b))
    return 0;
  memcpy(p->s.nu, l.x + V, 3 * sizeof *l.x);
  p->s.x_n = vec3_add(p->s.x_n, vec3_of(l.x + D));
  for (int i = 0; pid && i < 3; i++)
    p->s.integral[i] += l.x[F + i];
  return 1;
}

static int rotation(struct split *p, double h, const mat3 *q, const double load_b[6]) {
  const struct split_vessel *v = p->step->vessel;
  const struct split_pid *pid = p->step->pid;
  const double q3[3] = {q->m[2][0], q->m[2][1], q->m[2][2]};
  const double turning[2][3] = {{0, -q3[2], q3[1]}, {q3[2], 0, -q3[0]}}; // n' = turning w
  struct linear l = {.n = 7,
                     .x = {p->s.nu[3], p->s.nu[4], p->s.nu[5], p->tilt[0], p->tilt[1], 0, 1},
                     .inertia = v->moment_kgm2,
                     .damping = v->damping + 3,
                     .one = ONE_R,
                     .has_control = pid || p->step->control_b};
  for (int i = 0; i < 3; i++) {
    l.load[i] = load_b[3 + i];
    l.control[i][ONE_R] = p->step->control_b ? p->step->control_b[3 + i] : 0;
    for (int j = 0; j < 2; j++) {
      l.a[i][N + j] = -v->tilt_nm[j] * turning[j][i];
      l.a[N + j][W + i] = turning[j][i];
    }
  }
  l.a[GROWING][ONE_R] = 1;
  double euler[3], error[3];
  euler_of_quat(p->s.q_nb, euler);
  mat3 rate = euler_rate_matrix(euler);
  for (int k = 0; pid && k < 3; k++) { // a moment along angle k
    error[k] = trig_wrap(euler[k] - pid->reference[3 + k]);
    for (int i = 0; i < 3; i++) {
      double share = -rate.m[k][i];
      for (int j = 0; j < 3; j++)
        l.control[i][W + j] += share * pid->kd[3 + k] * rate.m[k][j];
      l.control[i][GROWING] += share * pid->ki[3 + k] * error[k];
      l.control[i][ONE_R] += share * (pid->kp[3 + k] * error[k] + pid->ki[3 + k] * p->s.integral[3 + k]);
    }
  }
  if (!advance(&l, h, &p->account, p->account.control_b + 3))
    return 0;
  memcpy(p->s.nu + 3, l.x + W, 3 * sizeof *l.x);
  memcpy(p->tilt, l.x + N, sizeof p->tilt);
  for (int k = 0; pid && k < 3; k++)
    p->s.integral[3 + k] += h * error[k];
  return 1;
}

static void forced_flow(void *split, double h) NONBLOCKING {
  struct split *p = split;
  mat3 q = quat_matrix(p->s.q_nb);
  double load_b[6] = {0};
  if (p->step->load)
    p->step->load(p->step->load_of, &q, load_b);
  p->account.solved = p->account.solved && translation(p, h, &q, load_b) && rotation(p, h, &q, load_b);
}

// ---- the step ----

// Turns the vessel so that Q'e3 has the tilt as its first two components; velocities stay in b.
static int agree_with_tilt(struct split *p) {
  double left = 1 - p->tilt[0] * p->tilt[0] - p->tilt[1] * p->tilt[1];
  if (!(left > 0))
    return 0;
  mat3 q = quat_matrix(p->s.q_nb);
  vec3 is = {q.m[2][0], q.m[2][1], q.m[2][2]};
  vec3 wanted = {p->tilt[0], p->tilt[1], is.z < 0 ? -sqrt(left) : sqrt(left)};
  vec3 axis =
      vec3_cross(wanted, is); // the body turns from wanted to is: q3 as the new body sees it is wanted
  p->account.correction_rad = trig_atan2(vec3_norm(axis), vec3_dot(wanted, is));
  quat turn = quat_unit((quat){1 + vec3_dot(wanted, is), axis.x, axis.y, axis.z});
  p->s.q_nb = quat_unit(quat_mul(p->s.q_nb, turn));
  return 1;
}

static int is_finite(const struct split_state *s) {
  double sum = s->x_n.x + s->x_n.y + s->x_n.z + s->q_nb.w + s->q_nb.x + s->q_nb.y + s->q_nb.z;
  for (int i = 0; i < 6; i++)
    sum += s->nu[i] + s->integral[i];
  return isfinite(sum);
}

struct split_account split_vessel_step(const struct split_step *k, struct split_state *s, double tilt[2],
                                       double h) {
  struct split p = {.step = k, .s = *s, .account = {.solved = 1}};
  if (k->keep_tilt)
    memcpy(p.tilt, tilt, sizeof p.tilt);
  else
    split_tilt_of(s->q_nb, p.tilt);
  compose(k->scheme, forced_flow, free_body, &p, h);
  if (!k->keep_tilt)
    p.account.solved = p.account.solved && agree_with_tilt(&p);
  p.account.solved = p.account.solved && is_finite(&p.s);
  if (!p.account.solved)
    return (struct split_account){0};
  *s = p.s;
  if (k->keep_tilt)
    memcpy(tilt, p.tilt, sizeof p.tilt);
  return p.account;
}
