// Stored energies of the pipe and the loss by structural damping.
#include "core/pipe/element.h"

#include "core/math/lanes.h"

// Sum of c x^2 / 2 over two fields, in the order of the lanes.
static double half_quadratic(const double *c, const double *x, int count) {
  double sum[LANES] = {0};
  int i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int k = 0; k < LANES; k++)
      sum[k] += c[i + k] * x[i + k] * x[i + k];

  double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);

  for (; i < count; i++)
    total += c[i] * x[i] * x[i];

  return 0.5 * total;
}

static double elastic(const struct pipe *p, double *const strain[6]) {
  double total = 0;
  for (int k = 0; k < 6; k++)
    for (int e = 0; e < p->elements; e++)
      total += p->length_m[e] * p->stiffness[k][e] * strain[k][e] * strain[k][e];
  return 0.5 * total;
}

double pipe_kinetic(const struct pipe *p, const struct pipe_state *s) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    sum += half_quadratic(p->mass_kg, s->v_n[c], p->nodes);
    sum += half_quadratic(p->inertia_kgm2[c], s->omega_t[c], p->nodes);
  }

  for (int i = 0; p->axial_excess && i < p->nodes; i++) {
    double along = vec3_dot(pipe_axis(s, i), pipe_get3(s->v_n, i));
    sum += 0.5 * p->axial_excess_kg[i] * along * along;
  }

  return sum;
}

struct pipe_energy pipe_energy_of(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) {
  struct pipe_energy energy = {0, 0, 0, 0};
  if (p->nodes == 0)
    return energy;

  pipe_begin(p, s, w);
  energy.elastic_j = elastic(p, w->strain0);
  energy.kinetic_j = pipe_kinetic(p, s);

  for (int i = 0; i < p->nodes; i++) {
    energy.gravity_j += p->weight_n[i] * (p->depth_m - s->r_n[2][i]);
    energy.seabed_j += p->contact_length_m[i] * seabed_energy(&p->seabed[i], w->penetration_m[i]);
    for (int d = 0; d < 2 && p->has_friction; d++)
      energy.seabed_j += 0.5 * p->friction_stiffness_npm2 * p->contact_length_m[i] *
                         s->friction_elongation_m[d][i] * s->friction_elongation_m[d][i];
  }

  return energy;
}

double pipe_structural_loss(const struct pipe *p, const struct pipe_work *w, const struct pipe_step *k) {
  return 2 * k->damping_over_h * elastic(p, w->strain_step);
}
