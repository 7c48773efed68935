// The two flows of the vessel's splitting apart, and the orders of SP2, SP4 and SP6 from a start in motion:
// Celledoni, Hoiseth, Ramzina (2018), (40), (41), Figure 3.
#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

#include <math.h>
#include <string.h>

enum { ORDERS = 3, LEVELS = 3 };
static const struct {
  const char *name;
  const struct scheme *scheme;
  enum rigid_attitude how;
  int first; // of the orders: steps of 2^-first and halves
} METHODS[ORDERS] = {{"SP2", &scheme_v2, RIGID_MAGNUS_2, 4},
                     {"SP4", &scheme_s4_6, RIGID_MAGNUS_4, 3},
                     {"SP6", &scheme_s6_10, RIGID_MAGNUS_6, 1}};

// A start in motion; the paper's is at rest, where the term of order 4 of SP4's p is nearly nothing.
static struct split_state moving(const struct scene_vessel *v) {
  static const double nu[6] = {4, -2, 0.5, 0.06, -0.03, 0.05};
  struct split_state s = v->start;
  memcpy(s.nu, nu, sizeof s.nu);
  s.x_n.z = 0.4;
  return s;
}

static struct split_state run(struct split_step k, struct split_state s, long steps, double tilt[2]) {
  for (long i = 0; i < steps; i++)
    split_vessel_step(&k, &s, tilt, 1.0 / (double)steps);
  return s;
}

static double apart(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

// ---- S1: the free rigid body with its Magnus series ----

static void free_flow(const struct scene_vessel *v, struct verify_result *r) {
  struct verify_plot *plot =
      verify_plot(r, "S1 alone, attitude at t = 1", "step, s", "error of the attitude, rad");
  const double spin[3] = {0.9, -0.7, 1.1};
  double exact_m[3];
  quat exact = v->start.q_nb;
  for (int i = 0; i < 3; i++)
    exact_m[i] = v->vessel.moment_kgm2[i] * spin[i];
  rival_taylor(v->vessel.moment_kgm2, 1, exact_m, &exact);
  for (int k = 0; k < ORDERS; k++) {
    double width[LEVELS], error[LEVELS], momentum = 0;
    for (int i = 0; i < LEVELS; i++) {
      const long steps = 4L << i;
      quat q = v->start.q_nb;
      double m[3];
      for (int c = 0; c < 3; c++)
        m[c] = v->vessel.moment_kgm2[c] * spin[c];
      width[i] = 1.0 / (double)steps;
      for (long n = 0; n < steps; n++)
        rigid_free_flow(&v->vessel.inertia, METHODS[k].how, width[i], m, &q);
      error[i] = scene_turn(q, exact);
      momentum = fmax(momentum, apart(m, exact_m, 3) / vec3_norm(vec3_of(exact_m)));
    }
    char what[24] = "S1 of ";
    verify_order_in(r, plot, strcat(what, METHODS[k].name), width, error, LEVELS, 2 * k + 2, 0.1);
    if (k == 0)
      verify_add(r, VERIFY_ABSOLUTE, "", momentum, 0, 1e-14, "S1, every step: momentum, relative");
  }
}

// ---- S2: linear, at a frozen attitude ----

enum { X = 0, NU = 3, TILT = 9, INTEGRAL = 11, STATES = 17 };

struct forced {
  const struct rival_vessel *vessel;
  quat q;
};

static void forced_rate(const void *of, const double *x, double *rate) { // (41)
  const struct forced *f = of;
  const struct split_vessel *v = f->vessel->vessel;
  const mat3 q = quat_matrix(f->q);
  struct split_state s = {.x_n = vec3_of(x + X), .q_nb = f->q};
  double wrench[6], euler[3];
  memcpy(s.nu, x + NU, sizeof s.nu), memcpy(s.integral, x + INTEGRAL, sizeof s.integral);
  rival_vessel_control(f->vessel, &s, wrench);
  euler_of_quat(f->q, euler);
  const vec3 q3 = {q.m[2][0], q.m[2][1], q.m[2][2]};
  const vec3 mu = {v->tilt_nm[0] * x[TILT], v->tilt_nm[1] * x[TILT + 1], 0};
  const vec3 restoring = vec3_cross(mu, q3),
             heave = vec3_scale(v->heave_npm * (s.x_n.z - v->equilibrium_z_m), q3);
  const vec3 tilting = vec3_cross(q3, vec3_of(s.nu + 3));
  vec3_to(mat3_mul(&q, vec3_of(s.nu)), rate + X);
  for (int i = 0; i < 3; i++) {
    rate[NU + i] = (wrench[i] - v->damping[i] * s.nu[i] - (&heave.x)[i]) / v->mass_kg;
    rate[NU + 3 + i] =
        (wrench[3 + i] - v->damping[3 + i] * s.nu[3 + i] - (&restoring.x)[i]) / v->moment_kgm2[i];
    rate[INTEGRAL + i] = (&s.x_n.x)[i] - f->vessel->pid->reference[i];
    rate[INTEGRAL + 3 + i] = euler[i] - f->vessel->pid->reference[3 + i];
  }
  rate[TILT] = tilting.x, rate[TILT + 1] = tilting.y;
}

static void forced_flow(const struct scene_vessel *v, struct verify_result *r) {
  static const double half[] = {0.5}, none[] = {0};
  const struct scheme alone = {"S2", 2, 1, 1, half, none, 2, 1};
  const struct rival_vessel rival = {&v->vessel, &v->pid, NULL};
  const struct split_step step = {
      .vessel = &v->vessel, .scheme = &alone, .how = RIGID_MAGNUS_2, .keep_tilt = 1, .pid = &v->pid};
  const struct split_state start = moving(v);
  struct forced f = {&rival, start.q_nb};
  double x[STATES] = {0}, tilt[2][2];
  vec3_to(start.x_n, x + X);
  memcpy(x + NU, start.nu, sizeof start.nu);
  split_tilt_of(start.q_nb, x + TILT);
  for (int i = 0; i < 2; i++)
    memcpy(tilt[i], x + TILT, sizeof tilt[i]);
  for (int k = 0; k < 2000; k++)
    rival_rk4(forced_rate, &f, STATES, x, 1.0 / 2000);
  const struct split_state once = run(step, start, 1, tilt[0]), often = run(step, start, 16, tilt[1]);
  verify_add(r, VERIFY_ABSOLUTE, "rad", scene_turn(once.q_nb, start.q_nb), 0, 1e-15,
             "S2 alone: the attitude turns by");
  verify_add(r, VERIFY_ABSOLUTE, "", apart(once.nu, x + NU, 3) / apart(start.nu, x + NU, 3), 0, 1e-10,
             "S2, one step of 1 s: velocity, off RK4's, of its change");
  verify_add(r, VERIFY_ABSOLUTE, "", apart(once.nu + 3, x + NU + 3, 3) / apart(start.nu + 3, x + NU + 3, 3),
             0, 1e-10, "S2, one step of 1 s: rates, off RK4's, of their change");
  verify_add(r, VERIFY_ABSOLUTE, "", apart(tilt[0], x + TILT, 2), 0, 1e-12,
             "S2, one step of 1 s: tilt, off RK4's");
  verify_add(r, VERIFY_ABSOLUTE, "m", vec3_norm(vec3_sub(once.x_n, vec3_of(x + X))), 0, 1e-10,
             "S2, one step of 1 s: position, off RK4's");
  verify_add(r, VERIFY_ABSOLUTE, "", apart(once.integral, x + INTEGRAL, 6), 0, 1e-10,
             "S2, one step of 1 s: integrals, off RK4's");
  verify_add(r, VERIFY_ABSOLUTE, "m/s", apart(once.nu, often.nu, 3), 0, 1e-13,
             "S2, one step and 16: velocity");
  verify_add(r, VERIFY_ABSOLUTE, "rad", apart(tilt[0], tilt[1], 2), 0, 1e-14, "S2, one step and 16: tilt");
}

// ---- orders from a start in motion ----

static void orders(const struct scene_vessel *v, struct verify_result *r) {
  static const char *const names[4] = {"m", "p", "q", "x"};
  const struct rival_vessel rival = {&v->vessel, &v->pid, NULL};
  struct split_state fine = moving(v);
  for (int k = 0; k < 4096; k++)
    rival_vessel_step(&rival, rival_rk4, &fine, 1.0 / 4096);
  struct verify_plot *plots[2] = {
      verify_plot(r, "SP2, SP4, SP6 from a start in motion", "step, s", "error at t = 1"),
      verify_plot(r, "The same without the correcting rotation", "step, s", "error at t = 1")};
  for (int kept = 0; kept < 2; kept++)
    for (int k = 0; k < ORDERS; k++) {
      double width[LEVELS], error[4][LEVELS];
      struct split_step step = {.vessel = &v->vessel,
                                .scheme = METHODS[k].scheme,
                                .how = METHODS[k].how,
                                .keep_tilt = kept,
                                .pid = &v->pid};
      for (int i = 0; i < LEVELS; i++) {
        double tilt[2];
        struct split_state s = moving(v);
        split_tilt_of(s.q_nb, tilt);
        width[i] = 1.0 / (double)(1L << (METHODS[k].first + i));
        s = run(step, s, 1L << (METHODS[k].first + i), kept ? tilt : NULL);
        error[0][i] = apart(s.nu + 3, fine.nu + 3, 3), error[1][i] = apart(s.nu, fine.nu, 3);
        error[2][i] = scene_turn(s.q_nb, fine.q_nb), error[3][i] = vec3_norm(vec3_sub(s.x_n, fine.x_n));
      }
      for (int c = 0; c < 4; c++) {
        char what[64] = "";
        strcat(strcat(strcat(what, METHODS[k].name), kept ? " without the turn: " : ": "), names[c]);
        verify_order_in(r, plots[kept], what, width, error[c], LEVELS, 2 * k + 2, 0.2);
      }
    }
}

void verify_splitting_flows(const struct verify_setup *setup, struct verify_result *r) {
  struct scene_vessel v;
  verify_run_with(r, "configs/vessel-only.yaml to t = 1 s with the controller; S1 at 1.6 rad/s; S2 and the "
                     "orders from 4.5 m/s "
                     "and 0.08 rad/s");
  if (!scene_vessel(setup, &v, r))
    return;
  free_flow(&v, r);
  forced_flow(&v, r);
  orders(&v, r);
}
