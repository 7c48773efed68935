// Bending beyond yield of one section: layers in parallel that follow a curve of moment and curvature.
#pragma once

#include "sagbend/pipeline/pipeline.h"

// Bending beyond yield: layers in parallel, each elastic and perfectly plastic.
enum { PLASTIC_LAYERS = 16 };
struct pipe_layers {
  int count; // 0: elastic
  double stiffness_nm2[PLASTIC_LAYERS];
  double limit_1pm[PLASTIC_LAYERS]; // elastic curvature at which a layer yields
};

// Bending beyond yield. The section is a bundle of layers in parallel, each elastic and perfectly plastic in
// the plane of bending (Besseling 1958; Iwan 1967): layer j carries C_j (kappa - kappa_pj), at most C_j
// limit_j in any direction. Together they follow a moment-curvature curve, unload elastically, and yield
// earlier when bent back. The plastic curvatures kappa_pj are the state. Axial force and torsion do not
// interact with it. Their mean, weighted by C_j, counts as curvature of the unstressed pipe
// (pipe.rest_strain), so everything else in this room computes as for elastic pipe.

// The layers of a type. Its two bending stiffnesses are equal.
struct pipe_layers plasticity_layers(const struct pipe_type *type);

// Moment at a curvature when bent from the virgin state, N m.
double plasticity_moment(const struct pipe_layers *layers, double curvature_1pm);

// Bends a section of stiffness ei. start, end: curvature beyond that of the unstressed pipe at both ends of
// the step; plastic: [layer][component], 1/m.
struct plastic_step {
  int yields;           // 0: all layers stay elastic, and nothing else is filled
  double moment[2];     // moment that yielding adds to the mean over the step, N m
  double tangent[2][2]; // derivative of the moment at the end with respect to the curvature there
  double loss_n;        // plastic work per length, >= 0
  double plastic_1pm[PLASTIC_LAYERS][2]; // at the end
};
// kept: share of the plastic curvatures that is left at the end before yielding; 1 where the length is
// constant. virgin: without a start, as in statics: moment is what yielding adds at the end.
struct plastic_step plasticity_bend(const struct pipe_layers *layers, double (*plastic_1pm)[2], double kept,
                                    const double start[2], const double end[2], int virgin) NONBLOCKING;

// A step of the top element while its length changes (sagbend/pipe/pipe.h). Per component: about t2,
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
