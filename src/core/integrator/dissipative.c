// The vessel with the half element that hangs on it, positions frozen: one dissipative midpoint in 6
// unknowns,
//   M (nu1 - nu0) = h [ tau + loads - D(nu_m) nu_m - P' K(rel) (P nu_m - u) - P_w' D_R P_w nu_m ] + P' W du,
// P nu the velocity of the hang-off in the section frame, u the water's there, W du its push
// (core/pipe/drag.c). Whatever the coefficients of the quadratic terms, as long as they are not negative,
// each loss is a square; they are iterated to the midpoint, which makes the flow its own adjoint. The pipe's
// other nodes decouple (core/pipe/drag.c). Outer forces that depend on the velocity (thrusters, wind) take
// that of the iteration's guess. Damping may be relative to moving water: then the power that this water
// supplies is the current's port, and the loss is of the relative velocity. The continuous PID is linear in
// nu while positions are frozen: its derivative term joins the matrix, its integral grows by duration *
// error; all its work is the control port's.
#include "core/integrator/dissipative.h"

#include "core/math/dense6.h"
#include "core/math/trig.h"

#include <assert.h>
#include <string.h>

enum { COEFFICIENT_ITERATIONS = 12 };

struct top_drag { // of the half element at the hang-off
  int present;
  double map[3][6];         // P: nu -> velocity in the section frame
  double water[3];          // u in the section frame
  double push[3];           // W du / h, N
  double transverse, axial; // N per (m/s)^2
  double turn[3][6];        // clamped: omega -> section rates
  double turn_damping[3];
};

struct vessel_flow;
// A wrench about the reference point, b, that depends on the vessel's velocity (positions are frozen).
typedef void force_at(const struct vessel_flow *f, const double nu[6], double wrench_b[6]) NONBLOCKING;

// What acts on the vessel from outside: each force is booked to its port with the wrench that the last solve
// used.
struct outer_force {
  enum port port;
  force_at *at; // evaluated anew for each iteration's guess; NULL: constant
  double wrench_b[6];
};
enum { MAX_OUTER = 8 };

struct vessel_flow {
  const struct model *m;
  const struct model_state *s;
  const struct half_step *half;
  double h;
  double nu0[6];
  double force[6]; // sum of the outer forces
  double pid_damping[6][6];
  struct top_drag top;
  vec3 air_b_mps;    // of the wind at the height of its coefficients
  double water_b[6]; // velocity of the current at the surface where the damping is relative to it, otherwise
                     // zero
  int outer_count;
  struct outer_force outer[MAX_OUTER];
  struct thruster_jet jet[MAX_THRUSTERS];
  vec3 jet_water_b[MAX_THRUSTERS];
};

static double *add_outer(struct vessel_flow *f, enum port port, force_at *at) {
  assert(f->outer_count < MAX_OUTER);
  struct outer_force *o = &f->outer[f->outer_count++];
  *o = (struct outer_force){.port = port, .at = at};
  return o->wrench_b;
}

static void sum_outer(struct vessel_flow *f, const double guess[6]) {
  for (int k = 0; k < f->outer_count; k++) {
    struct outer_force *o = &f->outer[k];
    if (o->at)
      o->at(f, guess, o->wrench_b);
    for (int i = 0; i < 6; i++)
      f->force[i] = k > 0 ? f->force[i] + o->wrench_b[i] : o->wrench_b[i];
  }
}

static void book_outer(const struct vessel_flow *f, const double nu_m[6], struct ledger *l) {
  for (int k = 0; k < f->outer_count; k++)
    for (int i = 0; i < 6; i++)
      l->work_j[f->outer[k].port] += f->h * nu_m[i] * f->outer[k].wrench_b[i];
}

// Wind, of the relative velocity; position and attitude are frozen.
static void wind_force(const struct vessel_flow *f, const double nu[6], double wrench_b[6]) NONBLOCKING {
  windage_wrench(&f->m->windage, f->air_b_mps, nu, wrench_b);
}

static void current_force(const struct vessel_flow *f, const double nu[6], double wrench_b[6]) NONBLOCKING {
  vessel_current_wrench(&f->m->vessel, nu, vec3_of(f->water_b), wrench_b);
}

static void add_weather(struct vessel_flow *f, const mat3 *q) {
  const struct model *m = f->m;
  if (m->windage.present && m->wind.def.present) {
    struct wind_sample now = wind_at(&m->wind, f->half->time_s);
    f->air_b_mps = mat3_tmul(q, wind_velocity(&m->wind, &now, m->windage.height_m));
    add_outer(f, PORT_WIND, wind_force);
  }
  if (m->wave_response.present && !f->half->impulses_apart)
    wave_response_wrench(&m->wave_response, &m->sea, f->half->time_s, &f->s->vessel,
                         add_outer(f, PORT_WAVES, NULL));
}

static void rotate_rows(const mat3 *section_b, const mat3 *lever, double map[3][6]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      map[i][j] = section_b->m[j][i];
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += section_b->m[k][i] * lever->m[k][j];
      map[i][3 + j] = sum;
    }
}

static struct top_drag top_drag_of(const struct model *m, const struct model_state *s,
                                   const struct current_span *span, double h) {
  const struct pipe *p = &m->pipe;
  struct top_drag d = {.present = p->top_attached};
  if (!d.present)
    return d;
  int n = p->nodes - 1;
  mat3 q = quat_matrix(s->vessel.q_nb), t = quat_matrix(pipe_quat(&s->pipe, n)), qt = mat3_transpose(&q);
  mat3 section_b = mat3_product(&qt, &t);
  mat3 lever = mat3_hat(vec3_scale(-1, m->hangoff_b_m)); // w x r = -r x w
  rotate_rows(&section_b, &lever, d.map);
  vec3 u = current_at(&m->current, span->middle, s->pipe.r_n[2][n]);
  vec3_to(mat3_tmul(&t, u), d.water);
  vec3_to(mat3_tmul(&t, current_at(&m->current, span->change, s->pipe.r_n[2][n])), d.push);
  for (int c = 0; c < 3; c++)
    d.push[c] *= p->water_kg[c > 0][n] / h;
  d.transverse = p->drag_transverse[n];
  d.axial = p->drag_axial[n];
  if (p->top_rotation_attached)
    for (int i = 0; i < 3; i++) {
      d.turn_damping[i] = p->rotational_damping[i][n];
      for (int j = 0; j < 3; j++)
        d.turn[i][3 + j] = section_b.m[j][i];
    }
  return d;
}

static void relative_velocity(const struct top_drag *d, const double nu[6], double rel[3]) {
  for (int i = 0; i < 3; i++) {
    rel[i] = -d->water[i];
    for (int j = 0; j < 6; j++)
      rel[i] += d->map[i][j] * nu[j];
  }
}

static void drag_coefficients(const struct top_drag *d, const double rel[3], double k[3]) {
  k[0] = d->axial * fabs(rel[0]);
  k[1] = k[2] = d->transverse * sqrt(rel[1] * rel[1] + rel[2] * rel[2]);
}

// One solve for nu_m with the quadratic coefficients of a guess. Returns 0 if the matrix is not positive
// definite.
static int midpoint_solve(const struct vessel_flow *f, const double guess[6], double nu_m[6]) {
  const struct vessel *v = &f->m->vessel;
  double a[6][6], half = 0.5 * f->h, k[3] = {0}, rel[3];
  if (f->top.present) {
    relative_velocity(&f->top, guess, rel);
    drag_coefficients(&f->top, rel, k);
  }
  mat6_mul(v->inertia, f->nu0, nu_m);
  for (int i = 0; i < 6; i++) {
    nu_m[i] += half * f->force[i];
    for (int j = 0; j < 6; j++) {
      a[i][j] = v->inertia[i][j] + half * (v->damping_linear[i][j] + f->pid_damping[i][j]);
      nu_m[i] += half * v->damping_linear[i][j] * f->water_b[j];
    }
    double quadratic = v->damping_quadratic[i] * fabs(guess[i] - f->water_b[i]);
    a[i][i] += half * quadratic;
    nu_m[i] += half * quadratic * f->water_b[i];
  }
  for (int c = 0; f->top.present && c < 3; c++)
    for (int i = 0; i < 6; i++) {
      nu_m[i] += half * f->top.map[c][i] * k[c] * f->top.water[c];
      nu_m[i] += half * f->top.map[c][i] * f->top.push[c];
      for (int j = 0; j < 6; j++)
        a[i][j] += half * (f->top.map[c][i] * k[c] * f->top.map[c][j] +
                           f->top.turn[c][i] * f->top.turn_damping[c] * f->top.turn[c][j]);
    }
  if (mat6_cholesky(a) != STATUS_OK)
    return 0;
  mat6_cholesky_solve((const double (*)[6])a, nu_m);
  return 1;
}

// Books the terms of the flow with the coefficients that the last solve used (those of guess).
static void book(const struct vessel_flow *f, const double guess[6], const double nu_m[6], struct ledger *l) {
  const struct vessel *v = &f->m->vessel;
  double through[6], damping[6], loss = 0, work = 0; // through the water
  for (int i = 0; i < 6; i++)
    through[i] = nu_m[i] - f->water_b[i];
  mat6_mul(v->damping_linear, through, damping);
  for (int i = 0; i < 6; i++) {
    double force = damping[i] + v->damping_quadratic[i] * fabs(guess[i] - f->water_b[i]) * through[i];
    loss += through[i] * force;
    work -= f->water_b[i] * force;
  }
  l->loss_j[LOSS_VESSEL_DAMPING] += f->h * loss;
  l->work_j[PORT_CURRENT] += f->h * work;
  if (!f->top.present)
    return;
  double k[3], rel[3];
  relative_velocity(&f->top, guess, rel);
  drag_coefficients(&f->top, rel, k);
  relative_velocity(&f->top, nu_m, rel);
  for (int c = 0; c < 3; c++) {
    double turn = 0;
    for (int j = 0; j < 6; j++)
      turn += f->top.turn[c][j] * nu_m[j];
    l->loss_j[LOSS_PIPE_DRAG] += f->h * k[c] * rel[c] * rel[c];
    l->loss_j[LOSS_PIPE_ROTATION] += f->h * f->top.turn_damping[c] * turn * turn;
    l->work_j[PORT_CURRENT] -= f->h * k[c] * rel[c] * f->top.water[c];
    l->work_j[PORT_WATER_INERTIA] += f->h * f->top.push[c] * (rel[c] + f->top.water[c]);
  }
}

// Sets the continuous controller's damping and constant wrench; its integral advances by the whole flow.
static void pid_terms(const struct model *m, struct model_state *s, double h, struct vessel_flow *f,
                      double wrench[6]) {
  const struct pid_def *pid = &m->pid;
  double euler[3], error[6], mean_integral[6], rest[6] = {0};
  euler_of_quat(s->vessel.q_nb, euler);
  vec3_to(s->vessel.x_n, error);
  for (int i = 0; i < 3; i++)
    error[3 + i] = euler[i];
  for (int i = 0; i < 6; i++) {
    error[i] -= pid->reference[i];
    if (i >= 3)
      error[i] = trig_wrap(error[i]);
    double next = s->pid_integral[i] + h * error[i];
    if (pid->integral_limit[i] > 0 && pid->ki[i] > 0) {
      double most = pid->integral_limit[i] / pid->ki[i];
      next = next > most ? most : next < -most ? -most : next;
    }
    mean_integral[i] = 0.5 * (s->pid_integral[i] + next);
    s->pid_integral[i] = next;
  }
  pid_wrench(pid, error, rest, mean_integral, euler, wrench);
  for (int j = 0; j < 6; j++) { // J' Kd J, column by column
    double unit[6] = {0}, force[6], body[6];
    unit[j] = 1;
    mat3 q = quat_matrix(s->vessel.q_nb), t = euler_rate_matrix(euler);
    vec3_to(mat3_mul(&q, vec3_of(unit)), force);
    vec3_to(mat3_mul(&t, vec3_of(unit + 3)), force + 3);
    for (int i = 0; i < 6; i++)
      force[i] *= pid->kd[i];
    pid_to_body(euler, force, body);
    for (int i = 0; i < 6; i++)
      f->pid_damping[i][j] = body[i];
  }
}

static void thruster_wrench(const struct vessel_flow *f, const double nu[6], double wrench_b[6]) NONBLOCKING {
  model_thruster_wrench(f->m, f->jet, f->jet_water_b, nu, wrench_b);
}

static double change_of(const double a[6], const double b[6]) {
  double change = 0, size = 0;
  for (int i = 0; i < 6; i++) {
    change += fabs(a[i] - b[i]);
    size += fabs(a[i]);
  }
  return change > 1e-15 * size ? change : 0;
}

static int flow_of_vessel(const struct model *m, struct model_state *s, struct half_step *half,
                          const struct current_span *span, struct ledger *ledger) {
  const double h = half->duration_s;
  struct vessel_flow f = {.m = m, .s = s, .half = half, .h = h, .top = top_drag_of(m, s, span, h)};
  mat3 q = quat_matrix(s->vessel.q_nb);
  double guess[6], nu_m[6], pid_damping[6];
  memcpy(f.nu0, s->vessel.nu, sizeof f.nu0);
  if (half->pid_on)
    pid_terms(m, s, h, &f, half->control_b);
  double *control = add_outer(&f, PORT_CONTROL, NULL);
  int command_apart = half->impulses_apart && !half->pid_on;
  if (!command_apart)
    memcpy(control, half->control_b, sizeof half->control_b);
  if (!half->impulses_apart)
    loads_at(&m->env, half->time_s, &q, add_outer(&f, PORT_LOADS, NULL));
  add_weather(&f, &q);
  if (m->vessel.current_acts) {
    vec3_to(mat3_tmul(&q, current_at(&m->current, span->middle, 0)), f.water_b);
    add_outer(&f, PORT_CURRENT, current_force);
  }
  if (m->plant.thruster_count > 0) {
    model_jets(m, s, span->middle, f.jet, f.jet_water_b);
    add_outer(&f, PORT_THRUSTERS, thruster_wrench);
  }
  memcpy(nu_m, f.nu0, sizeof nu_m);
  for (int k = 0; k < COEFFICIENT_ITERATIONS; k++) {
    memcpy(guess, nu_m, sizeof guess);
    sum_outer(&f, guess);
    if (!midpoint_solve(&f, guess, nu_m))
      return 0; // a PID of negative damping, or overflow
    if (change_of(guess, nu_m) == 0)
      break;
  }
  book(&f, guess, nu_m, ledger);
  mat6_mul((const double (*)[6])f.pid_damping, nu_m, pid_damping);
  for (int i = 0; i < 6; i++) {
    control[i] -= pid_damping[i];
    if (!command_apart)
      half->control_b[i] = control[i];
    s->vessel.nu[i] = 2 * nu_m[i] - f.nu0[i];
  }
  book_outer(&f, nu_m, ledger);
  return 1;
}

int dissipative_flow(const struct model *m, struct model_state *s, struct half_step *half,
                     struct ledger *ledger) {
  struct current_span span = current_over(&m->env.current, half->time_s, half->duration_s);
  int solved = flow_of_vessel(m, s, half, &span, ledger);
  if (m->pipe.nodes > 0) {
    struct drag_account account = {0};
    pipe_drag_flow(&m->pipe, &s->pipe, half->duration_s, &m->current, &span, half->second, &account);
    ledger->loss_j[LOSS_PIPE_DRAG] += account.drag_loss_j;
    ledger->loss_j[LOSS_PIPE_ROTATION] += account.rotation_loss_j;
    ledger->work_j[PORT_CURRENT] += account.current_work_j;
    ledger->work_j[PORT_WATER_INERTIA] += account.inertia_work_j;
    model_place_top(m, s);
  }
  return solved;
}
