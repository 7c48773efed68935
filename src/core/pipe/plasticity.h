// Bending beyond yield. The section is a bundle of layers in parallel, each elastic and perfectly plastic in
// the plane of bending (Besseling 1958; Iwan 1967): layer j carries C_j (kappa - kappa_pj), at most C_j
// limit_j in any direction. Together they follow a moment-curvature curve, unload elastically, and yield
// earlier when bent back. The plastic curvatures kappa_pj are the state. Axial force and torsion do not
// interact with it. Their mean, weighted by C_j, counts as curvature of the unstressed pipe
// (pipe.rest_strain), so everything else in this room computes as for elastic pipe.
#pragma once

#include "core/base/nonblocking.h"
#include "core/base/status.h"
#include "core/pipe/pipe.h"

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
// virgin: without a start, as in statics: moment is what yielding adds at the end.
struct plastic_step plasticity_bend(const struct pipe_layers *layers, double (*plastic_1pm)[2],
                                    const double start[2], const double end[2], int virgin) NONBLOCKING;

// For pipe_residual after the forces of the elements, and pipe_tangent: what yielding changes.
void pipe_plastic_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                         int statics) NONBLOCKING;
void pipe_plastic_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                          int statics, struct blocktri *b, double top_diag[36], double top_upper[36],
                          double top_lower[36]) NONBLOCKING;

// Energy that the layers hold against each other, J, >= 0.
double pipe_plastic_energy(const struct pipe *p, const struct pipe_state *s) NONBLOCKING;
