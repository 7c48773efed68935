// Stored energies of the pipe and the loss by structural damping.
#include "sagbend/pipe/contact.h"
#include "sagbend/pipe/element.h"
#include "sagbend/pipe/plasticity.h"
#include "sagbend/pipe/waterline.h"

#include "sagbend/math/lanes.h"

KERNEL_CLONES
static double elastic(const struct pipe_mesh *p, double *const strain[6]) {
  lanes sum = {0};
  for (int e = 0; e < p->elements; e += LANES) {
    lanes density = {0}, c, x, length;
    for (int k = 0; k < 6; k++) {
      lanes_load(&c, p->stiffness[k] + e); // 0 in the padding
      lanes_load(&x, strain[k] + e);
      density += c * x * x;
    }
    lanes_load(&length, p->length_m + e);
    sum += length * density;
  }

  return 0.5 * lanes_sum(&sum);
}

KERNEL_CLONES
double pipe_kinetic(const struct pipe_mesh *p, const struct pipe_state *s) {
  lanes sum = {0};
  for (int i = 0; i < p->nodes; i += LANES) { // mass and inertia are 0 in the padding
    struct lanes3 v;
    lanes c, x, q[4];
    L3_LOAD(v, s->v_n, i);
    lanes_load(&c, p->mass_kg + i);
    sum += c * L3_DOT(v, v);
    for (int k = 0; k < 3; k++) {
      lanes_load(&c, p->inertia_kgm2[k] + i);
      lanes_load(&x, s->omega_t[k] + i);
      sum += c * x * x;
    }
    if (!p->pipe->has_kirchhoff && !p->pipe->has_morison)
      continue;
    for (int k = 0; k < 4; k++)
      lanes_load(&q[k], s->q_nt[k] + i);
    lanes_load(&c, p->axial_excess_kg + i);
    struct lanes3 axis = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] + q[0] * q[3]),
                          2 * (q[1] * q[3] - q[0] * q[2])};
    x = L3_DOT(axis, v);
    sum += c * x * x;
  }

  return 0.5 * lanes_sum(&sum);
}

struct pipe_energy pipe_energy_of(const struct pipe_mesh *p, const struct pipe_state *s,
                                  struct pipe_work *w) {
  struct pipe_energy energy = {0, 0, 0, 0};
  if (p->nodes == 0)
    return energy;

  pipe_lay_out(p, s, w);
  energy.elastic_j = elastic(p, w->strain0);
  if (p->pipe->has_plastic)
    energy.elastic_j += pipe_plastic_energy(p, s);
  energy.kinetic_j = pipe_kinetic(p, s);

  for (int i = 0; i < p->nodes; i++) {
    energy.gravity_j += p->weight_n[i] * (p->pipe->depth_m - s->r_n[2][i]);
    energy.seabed_j +=
        p->contact_length_m[i] *
        (p->pipe->has_soil ? w->soil[i].energy_jpm : seabed_energy(&p->seabed[i], w->penetration_m[i]));
    for (int d = 0; d < 2 && p->pipe->has_friction; d++)
      energy.seabed_j += 0.5 * p->pipe->friction.stiffness_npm2 * p->contact_length_m[i] *
                         s->friction_elongation_m[d][i] * s->friction_elongation_m[d][i];
  }

  energy.gravity_j += pipe_waterline_energy(p, s);
  return energy;
}

double pipe_structural_loss(const struct pipe_mesh *p, const struct pipe_work *w, const struct pipe_step *k) {
  double loss = 2 * k->damping_over_h * elastic(p, w->strain_step);
  if (p->pipe->has_wire)
    loss += w->wire_loss_j;
  return w->growth.is_active ? loss + w->growth.loss_j : loss;
}
