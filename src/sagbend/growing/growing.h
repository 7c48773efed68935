// The element whose unstressed length grows or shrinks within a step.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

// The top element while pipe is paid out or recovered: its unstressed length changes over a step, from
// start_m by grown_m. With a length that does not change the forces are those of element.c.
//
// The strains times the length, g, are bilinear in positions and directors and linear in the length:
//   g_k = t_k . (r_j - r_i) - delta_1k l (2 + t_1,i . t_1,j)/3 - l rho_k,   g_3+k = l Omega_k - l rho_3+k,
// rho the strains of the unstressed pipe. The elastic energy is sum C_k g_k^2/(2 l). Each change over a step
// obeys a product rule, and so does that of 1/l. With these stresses the work of the nodes, plus
// length_force_n times the change of the length, is therefore the change of the energy plus the loss, to
// rounding and for any increments.
//
// Above own_m the element can be of another kind, which enters while the old one has not ended at a node. In
// series both kinds have the same stress. The energy is then sum C_k g_k^2/(2 s_k) with the span
//   s_k = (length of the own kind) + (length of the next kind) C_k/C_next,k
// in place of l, and the integral of rho over both lengths in place of l rho. Both are linear in the length
// within each kind, so that the product rules hold with their mean slopes over a step.
//
// The boundary between both carries the weight of the halves beside it, so that the tension above it is
// larger. The nodes carry this weight by the lever of the lengths; what is missing to the lever of the axial
// flexibilities is the stretch
//   e(l) = (1/EA_next - 1/EA) F (l - own_m) own_m/l,   F = boundary_n + boundary_npm (l - own_m),
// which is taken off g_1. Its mean slope over a step is a divided difference. A split at the boundary then
// leaves the forces on the nodes as they are.

// A wire (is_wire) has, in place of these six strains,
//   g_1 = |chord| - l - l rho_1, chord = r_j - r_i,
// and bends between its chord and the axes of its nodes, with the energy 2 EI B/l^2 of each end,
//   B = |chord| - t_1 . chord >= 0.
// Its tension is a straight line of the length of its chord; its bending has no strain of the unstressed
// wire, and it has no torsion. A node between two wires turns freely, so that both bend as one wire with the
// angle between their chords. Damping of bending acts on the components t_2 . chord and t_3 . chord.

// A step of the element between its lower node a and its upper node b.
struct growing_element {
  double start_m, grown_m; // unstressed length at the start of the step, and its change; both ends > 0
  double stiffness[6], rest_strain[6];
  int has_next; // 1: what lies above own_m is of the next kind
  double own_m, next_stiffness[6], next_rest_strain[6];
  double boundary_n, boundary_npm; // weight at the boundary along the axis: at own_m, and per metre above it
  double damping_over_h;           // eta/h; 0 in statics
  int is_wire;                     // 1: a wire, of stiffness[0] = EA and stiffness[4] = EI
  int hinged[2];                   // of a wire: 1: it does not bend at its lower, its upper node
  // Of a wire: stiffness against twist of its nodes in the tangent alone, N m, where nothing else holds them,
  // as at rest. No moment about their axes acts on them.
  double held_twist_nm[2];
  vec3 chord, chord_change; // r_b - r_a at the start, and its change over the step, m
  vec3 a[3], b[3];          // directors at the start
  vec3 a_change[3], b_change[3];
};

struct growing_forces {
  double stress[6];                // mean over the step, with structural damping; N and N m
  vec3 force_n;                    // on the lower node; minus this on the upper one
  vec3 moment_lower, moment_upper; // N m
  double axial_change_n;           // of the axial stress over the step, without structural damping, N
  double length_force_n;           // P: work of the elastic energy per length that enters, N
  double loss_j;                   // by structural damping, >= 0
};

struct growing_forces growing_element_forces(const struct growing_element *x) NONBLOCKING;

// Elastic energy at the start of the step, J.
double growing_element_energy(const struct growing_element *x) NONBLOCKING;

// Force along the pipe that holds the material of a sleeve at the upper node, without weight: the
// configurational force N + N^2/(2 EA) + ... at the start of the step, N.
double growing_element_grip_n(const struct growing_element *x) NONBLOCKING;

// The stretch e at a length, m; 0 in an element of one kind.
double growing_element_boundary_stretch(const struct growing_element *x, double length_m) NONBLOCKING;

// Derivative of minus the forces on the nodes with respect to (displacement, rotation) of the lower, then of
// the upper node at the end of the step; rotations as in pipe_tangent. The length at the end is kept.
void growing_element_tangent(const struct growing_element *x, const struct growing_forces *forces,
                             double k[12][12]) NONBLOCKING;

// Where the length at the end of the step is an unknown, too.
struct growing_length_tangent {
  double column[12]; // derivative of minus the forces on the nodes with respect to grown_m
  double row[12];    // derivative of length_force_n with respect to the unknowns of the nodes
  double own_npm;    // derivative of length_force_n with respect to grown_m
};
struct growing_length_tangent growing_element_length_tangent(const struct growing_element *x) NONBLOCKING;
