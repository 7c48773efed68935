// The pipe in a conservative step: balance of inertia, internal forces, weight and seabed at the nodes, and
// its tangent. Per node, with increments dr and theta and the angular velocity W in the section frame:
//   v1 = 2 dr/h - v0,   W1 = 2 R0' theta/h - W0,
//   m (v1 - v0)/h = forces,   (R1 J W1 - R0 J W0)/h = moments.
// The kinetic energy then changes exactly by forces . dr + moments . theta.
#include "core/pipe/contact.h"
#include "core/pipe/element.h"
#include "core/pipe/friction.h"
#include "core/pipe/inertia.h"
#include "core/pipe/morison.h"

#include "core/math/lanes.h"

#include <string.h>

void pipe_begin(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    mat3 r = quat_matrix(pipe_quat(s, i));
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++)
        w->d0[3 * k + c][i] = r.m[c][k];
  }

  for (int k = 0; k < 9; k++)
    memset(w->dd[k], 0, p->stride * sizeof(double));

  for (int k = 0; k < 3; k++) {
    memset(w->dr_n[k], 0, p->stride * sizeof(double));
    memset(w->theta_n[k], 0, p->stride * sizeof(double));
  }

  pipe_element_strains(p, s, w);
  pipe_contact_begin(p, s, w);
}

// Change of the directors over the step: d1 - d0 = (cay(theta) - I) d0.
KERNEL_CLONES
static void turn_directors(const struct pipe *p, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 t, d;
    L3_LOAD(t, w->theta_n, i);
    lanes scale = 1 / (1 + 0.25 * L3_DOT(t, t));
    for (int k = 0; k < 3; k++) {
      L3_LOAD(d, w->d0 + 3 * k, i);
      struct lanes3 once = L3_CROSS(t, d);
      struct lanes3 twice = L3_CROSS(t, once);
      twice = (struct lanes3)L3_AXPY(0.5, twice, once);
      twice = (struct lanes3)L3_SCALE(scale, twice);
      L3_STORE(w->dd + 3 * k, i, twice);
    }
  }
}

// Isotropic inertia, internal forces and weight of every node.
KERNEL_CLONES
static void node_balance(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                         const struct pipe_step *k) {
  const double twice_h = 2 * k->inverse_h, inverse_h = k->inverse_h;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 force, above, below, dr, v0, theta, moment, balance;
    lanes mass, weight, inertia, omega0;
    L3_LOAD(dr, w->dr_n, i);
    L3_LOAD(v0, s->v_n, i);
    L3_LOAD(above, w->force_n, i);
    L3_LOAD(below, w->force_n, i - 1);
    force = (struct lanes3)L3_SUB(above, below);
    lanes_load(&mass, p->mass_kg + i);
    lanes_load(&weight, p->weight_n + i);
    lanes a = mass * k->mass_dr, b = mass * k->mass_v;
    balance.x = a * dr.x - b * v0.x - force.x;
    balance.y = a * dr.y - b * v0.y - force.y;
    balance.z = a * dr.z - b * v0.z - force.z - weight;
    L3_STORE(w->residual, i, balance);

    L3_LOAD(above, w->moment_lower, i);
    L3_LOAD(below, w->moment_upper, i - 1);
    moment = (struct lanes3)L3_ADD(above, below);
    L3_LOAD(theta, w->theta_n, i);
    balance = (struct lanes3){-moment.x, -moment.y, -moment.z};
    for (int c = 0; c < 3; c++) {
      struct lanes3 d, dd;
      L3_LOAD(d, w->d0 + 3 * c, i);
      L3_LOAD(dd, w->dd + 3 * c, i);
      lanes_load(&inertia, p->inertia_kgm2[c] + i);
      lanes_load(&omega0, s->omega_t[c] + i);
      lanes omega1 = twice_h * L3_DOT(d, theta) - omega0;
      // (d1 W1 - d0 W0) J/h = (d0 (W1 - W0) + dd W1) J/h
      lanes first = inertia * (omega1 - omega0) * inverse_h, second = inertia * omega1 * inverse_h;
      balance = (struct lanes3)L3_AXPY(first, d, balance);
      balance = (struct lanes3)L3_AXPY(second, dd, balance);
    }
    L3_STORE(w->residual + 3, i, balance);
  }
}

void pipe_residual(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                   const struct pipe_step *k) {
  turn_directors(p, w);
  pipe_element_forces(p, w, k->damping_over_h);
  node_balance(p, s, w, k);
  if (p->axial_excess && k->inverse_h > 0) {
    if (p->added_mass_form == ADDED_MASS_MORISON)
      pipe_morison_inertia(p, s, w, k);
    else
      pipe_axial_inertia(p, s, w, k);
  }

  pipe_contact_forces(p, s, w, k->inverse_h);
  if (p->has_friction && k->inverse_h > 0)
    pipe_friction_forces(p, s, w);
}

static void add_block(double *restrict to, const double *restrict from) {
  for (int k = 0; k < 36; k++)
    to[k] += from[k];
}

void pipe_tangent(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                  const struct pipe_step *k, struct blocktri *b, double top_diag[36], double top_upper[36],
                  double top_lower[36]) {
  const int n = p->elements;
  memset(b->diag, 0, (size_t)n * sizeof *b->diag);
  memset(top_diag, 0, 36 * sizeof(double));

  for (int first = 0; first < n; first += LANES) {
    struct element_blocks blocks[LANES];
    pipe_element_tangents(p, w, k->damping_over_h, first, blocks);
    for (int e = first; e < n && e < first + LANES; e++) {
      const struct element_blocks *x = &blocks[e - first];
      int last = e + 1 == n;
      add_block(b->diag[e], x->k[AA]);
      add_block(last ? top_diag : b->diag[e + 1], x->k[BB]);
      memcpy(last ? top_upper : b->upper[e], x->k[AB], sizeof x->k[AB]);
      memcpy(last ? top_lower : b->lower[e + 1], x->k[BA], sizeof x->k[BA]);
    }
  }

  for (int i = 0; i <= n; i++) {
    double *block = i < n ? b->diag[i] : top_diag;
    struct contact_rates rates = pipe_contact_tangent(p, s, w, i, k->inverse_h, block);
    if (p->has_friction && k->inverse_h > 0)
      pipe_friction_tangent(p, s, w, i, &rates, block);
  }

  for (int i = 0; i < n; i++)
    pipe_inertia_tangent(p, s, w, k, i, b->diag[i]);

  pipe_inertia_tangent(p, s, w, k, n, top_diag);
}

void pipe_commit(const struct pipe *p, struct pipe_state *s, struct pipe_work *w, double step_s) {
  double twice_h = step_s > 0 ? 2 / step_s : 0;
  int is_kirchhoff = p->added_mass_form == ADDED_MASS_KIRCHHOFF;
  if (p->has_friction && step_s > 0)
    pipe_friction_commit(p, s, w);

  for (int i = 0; i < p->nodes; i++) {
    vec3 dr = pipe_get3(w->dr_n, i), theta = pipe_get3(w->theta_n, i);
    if (step_s > 0) {
      vec3 v = vec3_sub(vec3_scale(twice_h, dr), pipe_get3(s->v_n, i));
      pipe_set3(s->v_n, i,
                p->axial_excess_kg[i] != 0 && is_kirchhoff ? pipe_axial_velocity(p, s, w, 1 / step_s, i) : v);
      for (int c = 0; c < 3; c++)
        s->omega_t[c][i] = twice_h * vec3_dot(pipe_get3(w->d0 + 3 * c, i), theta) - s->omega_t[c][i];
    }
    pipe_set3(s->r_n, i, vec3_add(pipe_get3(s->r_n, i), dr));
    pipe_set_quat(s, i, quat_rotated(pipe_quat(s, i), theta));
  }

  if (step_s > 0)
    pipe_contact_correct_velocities(p, s, w, step_s);
}
