// Outputs of a stinger: reactions of the supports, clearance at the tip, strain of the overbend.
#include "sagbend/math/trig.h"
#include "sagbend/sim/sim_parts.h"

#include <math.h>

// Curvature of an element less that of the unstressed pipe, with what bending beyond yield has left, as the
// element `at` has it under the same moment, 1/m.
static double bending_of(const struct sim *sim, int k, int e, int at) {
  const double *stiffness = sim->state.mesh.pipe.stiffness[4 + k];
  return (sim->work.pipe.strain0[4 + k][e] + pipe_plastic_curvature(&sim->state.mesh.pipe, k, e)) *
         (stiffness[e] / stiffness[at]);
}

// A head beside a wire: its moment fades along the wire within less than an element.
static int is_far_stiffer(const struct pipe_mesh *p, int e, int at) {
  return p->stiffness[4][e] > 5 * p->stiffness[4][at];
}

// Bending (1/m) of element `at` in the section frame, continued along the pipe to S = arc_m from two elements
// on one side; 0: there is none.
static int continued_bending(const struct sim *sim, int at, int way, double arc_m, double bending_1pm[2]) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  const int near = at + way, far = near + way;
  if (near < 0 || near >= p->elements || is_far_stiffer(p, near, at) ||
      (far >= 0 && far < p->elements && is_far_stiffer(p, far, at)))
    return 0;
  for (int k = 0; k < 2; k++)
    bending_1pm[k] = bending_of(sim, k, near, at);
  if (far < 0 || far >= p->elements)
    return 1;
  const double x = p->arc_m[near] + 0.5 * p->length_m[near], y = p->arc_m[far] + 0.5 * p->length_m[far];
  const double share = (arc_m - x) / (y - x);
  for (int k = 0; k < 2; k++)
    bending_1pm[k] += share * (bending_of(sim, k, far, at) - bending_1pm[k]);
  return 1;
}

double stinger_bending(const struct sim *sim, const struct roller_place *place) {
  double mean[2] = {0, 0};
  int sides = 0;
  for (int way = -1; way <= 1; way += 2) {
    double side[2] = {0, 0};
    if (!continued_bending(sim, place->element, way, place->arc_m, side))
      continue;
    mean[0] += side[0], mean[1] += side[1], sides++;
  }
  return sqrt(mean[0] * mean[0] + mean[1] * mean[1]) / (sides > 0 ? sides : 1);
}

// Largest longitudinal strain of the steel over a roller. Bending beyond yield gathers in the element there,
// which then bends more than its neighbours let expect.
static double strain_at(const struct sim *sim, const struct roller_place *place) {
  const int e = place->element;
  const double a = bending_of(sim, 0, e, e), b = bending_of(sim, 1, e, e), own = sqrt(a * a + b * b);
  return fabs(sim->work.pipe.strain0[0][e]) +
         fmax(own, stinger_bending(sim, place)) * sim->state.mesh.pipe.steel_radius_m[e];
}

void stinger_output(const struct sim *sim, struct sim_output *out) {
  const struct model *m = &sim->model;
  const int each = stinger_rollers_each(&sim->def.pipe.stinger);
  out->has_stinger = 1;
  out->support_count = m->roller_count / each;
  for (int k = 0; k < m->roller_count; k++) {
    const struct roller *roller = &m->roller[k];
    const struct roller_place place = rollers_place(m, &sim->state, k, 0);
    const double force = place.is_near ? roller_force(roller, place.overlap_m) : 0;
    const double strain = place.is_near ? strain_at(sim, &place) : 0, gap = fmax(0, -place.overlap_m);
    out->support_reaction_n[k / each] += force * (each > 1 ? trig_cos(sim->def.pipe.stinger.v_angle_rad) : 1);
    if (strain > out->overbend_strain)
      out->overbend_strain = strain, out->overbend_strain_arc_length_m = place.arc_m;
    if (k / each == out->support_count - 1)
      out->tip_clearance_m = k % each ? fmin(out->tip_clearance_m, gap) : gap;
  }
  for (int k = 0; k < out->support_count; k++)
    out->max_reaction_n = fmax(out->max_reaction_n, out->support_reaction_n[k]);
  out->tip_reaction_n = out->support_reaction_n[out->support_count - 1];
}
