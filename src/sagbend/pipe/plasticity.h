// Bending beyond yield. The section is a bundle of layers in parallel, each elastic and perfectly plastic in
// the plane of bending (Besseling 1958; Iwan 1967): layer j carries C_j (kappa - kappa_pj), at most C_j
// limit_j in any direction. Together they follow a moment-curvature curve, unload elastically, and yield
// earlier when bent back. The plastic curvatures kappa_pj are the state. Axial force and torsion do not
// interact with it. Their mean, weighted by C_j, counts as curvature of the unstressed pipe
// (pipe.rest_strain), so everything else in this room computes as for elastic pipe.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/growing_element.h"

// The layers of a type. Its two bending stiffnesses are equal.
struct pipe_layers plasticity_layers(const struct pipe_type *type);

// Moment at a curvature when bent from the virgin state, N m.
double plasticity_moment(const struct pipe_layers *layers, double curvature_1pm);

// Bends a section of stiffness ei. start, end: curvature beyond that of the unstressed pipe at both ends of
// the step; plastic: [layer][component], 1/m.
struct plastic_step {
  int yields;           // 0: all layers stay elastic, and nothing else is filled
  double moment[2];     // what yielding adds to the mean moment over the step, N m
  double tangent[2][2]; // derivative of the moment at the end with respect to the curvature there
  double loss_n;        // plastic work per length, >= 0
  double plastic_1pm[PLASTIC_LAYERS][2]; // at the end
};
// kept: share of the plastic curvatures that is left at the end before yielding; 1 where the length is
// constant. virgin: without a start, as in statics: moment is what yielding adds at the end.
struct plastic_step plasticity_bend(const struct pipe_layers *layers, double (*plastic_1pm)[2], double kept,
                                    const double start[2], const double end[2], int virgin) NONBLOCKING;

// A step of the top element while its length changes (sagbend/pipe/growing_element.h). Per component: about t2,
// t3.
struct plastic_growth {
  double start_m, end_m;
  double enters;                  // plastic curvatures of the length that enters or leaves, over those of the
                                  // element at the start of the step: 0 for pipe that has never been out
  double turn[2], turn_change[2]; // length times curvature at the start, and its change
  double unbent_1pm[2];           // curvature of the unstressed pipe
  double stiffness_nm2;
};
// What its layers add to the element whose plastic curvature is their mean at the start of the step and does
// not change. With both, the work of the nodes plus length_force_n times the change of the length is the
// change of the energy of all layers plus the loss, to rounding and for any increments.
struct plastic_grown {
  int acts;              // 0: they add nothing, and nothing else is filled
  double moment[2];      // mean over the step, N m
  double tangent[2][2];  // derivative of the moment at the end with respect to the curvature there
  double length_force_n; // part of P
  double loss_j;         // >= 0
  double plastic_1pm[PLASTIC_LAYERS][2]; // at the end
};
struct plastic_grown plasticity_grow(const struct pipe_layers *layers, double (*plastic_1pm)[2],
                                     const struct plastic_growth *x) NONBLOCKING;

// For pipe_residual after the forces of the elements, and pipe_tangent: what yielding changes.
void pipe_plastic_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         int statics) NONBLOCKING;
void pipe_plastic_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                          int statics, struct blocktri *b, double top_diag[36], double top_upper[36],
                          double top_lower[36]) NONBLOCKING;

// The same for the top element x in a step in which its length changes: its forces, its tangent, and the
// derivatives where the length at the end is an unknown.
void pipe_plastic_growing_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct growing_element *x, struct pipe_work *w) NONBLOCKING;
void pipe_plastic_growing_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                  const struct growing_element *x, double k[12][12]) NONBLOCKING;
void pipe_plastic_length_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct growing_element *x,
                                 struct growing_length_tangent *t) NONBLOCKING;

// What yielding adds to growing_element_grip_n of the top element at rest, N.
double pipe_plastic_grip_n(const struct pipe_mesh *p, const struct pipe_state *s,
                           const struct growing_element *top) NONBLOCKING;

// Between steps. Before the top element is split or merged with its neighbour: the plastic curvatures of what
// follows. And after it: lets so many elements at the top yield where their new shape bends them beyond what
// they hold.
void pipe_plastic_split(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;
void pipe_plastic_merge(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;
void pipe_plastic_relax(struct pipe_mesh *p, struct pipe_state *s, int count) NONBLOCKING;

// Keeps how far the pipe has been out, at the start and after a step in which its length has changed.
void pipe_plastic_pass(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;

// Energy that the layers hold against each other, J, >= 0.
double pipe_plastic_energy(const struct pipe_mesh *p, const struct pipe_state *s) NONBLOCKING;
