// The pipe: Simo's finite-strain beam on two-node elements with lumped masses (seed 000, chapter 5;
// docs/model.md). Arrays are fields of neighbouring nodes or elements: field[component][index]. World frame n
// unless said otherwise.
#pragma once

#include "core/base/arena.h"
#include "core/base/nonblocking.h"
#include "core/base/status.h"
#include "core/base/valid.h"
#include "core/env/env.h"
#include "core/env/seabed.h"
#include "core/env/seabed_surface.h"
#include "core/linsolve/blocktri.h"
#include "core/math/so3.h"
#include "core/pipe/pipe_def.h"

// Constant through a run. nodes = elements + 1; node and element arrays are padded to whole lanes.
struct pipe {
  int elements, nodes;
  size_t stride;     // doubles in a padded node array
  int held_position; // node 0 does not move
  int held_rotation; // node 0 does not turn
  int top_moved;     // node N's displacement is imposed
  int top_attached;  // node N's position is the vessel's: its mass is in the vessel's inertia
  int top_rotation_attached;
  double *length_m;                // per element
  double *stiffness[6];            // per element: EA, GA2, GA3 (N), GJ, EI2, EI3 (N m2)
  double *rest_strain[6];          // per element: Gamma and Omega of the unstressed pipe
  int *section;                    // per element: elements of one kind have the same number
  double *outer_area_m2;           // per element
  double *inner_area_m2;           // per element, of the content
  double *steel_radius_m;          // per element, outer
  double *arc_m;                   // per node: S
  double *weight_npm;              // per element, submerged
  double water_npm3, content_npm3; // rho g outside and inside
  double content_pressure_pa;      // at the mean sea surface
  double structural_damping_s;
  double *mass_kg;         // per node, lumped; across the axis, with the added mass
  double *axial_excess_kg; // per node: what the mass along the axis is more (less, if negative) than mass_kg
  int axial_excess;        // not all of them are zero
  double *inertia_kgm2[3]; // per node, in the section frame
  double *weight_n;        // per node, submerged, along +e3
  enum added_mass_form added_mass_form;
  int water_inertia; // accelerating water pushes
  double
      *water_kg[2]; // per node: mass that the water's acceleration pushes with, along the axis and across it
  double *drag_transverse; // per node, N per (m/s)^2
  double *drag_axial;
  double *rotational_damping[3]; // per node, N m per rad/s
  double *contact_length_m;      // per node; 0: no seabed
  // Between two different sections a node has the mean of both, by their shares of its length.
  struct seabed_spring *seabed;  // per node
  double *contact_offset_m;      // per node; of the axis above the surface where contact begins
  double *contact_damping_nspm2; // per node; normal, per length
  int contact_suction;           // the damper may pull
  int has_friction;
  double friction[2];             // axial, lateral
  double friction_stiffness_npm2; // per length
  struct seabed_surface ground;
  double depth_m;
};

// What changes: part of the simulation's state.
struct pipe_state {
  double *r_n[3];                   // m
  double *q_nt[4];                  // section attitude, unit quaternion
  double *v_n[3];                   // m/s
  double *omega_t[3];               // rad/s, in the section frame
  double *friction_elongation_m[2]; // m, of the friction springs: axial, lateral
};

// Scratch of a conservative step or of a static iteration.
struct pipe_work {
  double *d0[9];           // directors t1, t2, t3 at the start, x y z each
  double *dd[9];           // their change over the step, exact to rounding of the change
  double *dr_n[3];         // unknown: displacement, m
  double *theta_n[3];      // unknown: Cayley vector of the rotation
  double *slope0[3];       // per element: (r_j - r_i) / l at the start
  double *strain0[6];      // per element at the start: Gamma, Omega
  double *strain_step[6];  // per element: change over the step
  double *stress[6];       // per element: mean stress with structural damping, N and N m
  double *force_n[3];      // per element: internal force on its lower node (index -1 exists and is 0)
  double *moment_lower[3]; // per element: moments on its nodes
  double *moment_upper[3];
  double *residual[6];   // per node: forces N, moments N m
  double *penetration_m; // per node at the start: penetration of the seabed; high above uneven ground -1
  // Per node over the step: mean forces of the seabed's spring and damper along the gradient of penetration;
  // the share in contact; the spring's force at the end.
  double *normal_force_n, *damper_force_n, *contact_share, *end_normal_force_n;
  double *penetration_gradient[3];      // per node in contact: that gradient
  double *end_friction_elongation_m[2]; // per node: of the friction springs at the end
  double friction_loss_j;               // over the step
  vec3 top_force_n;                     // of what holds the top on the pipe, for people; set by the model
                                        // (src/core/model/top_force.c)
  double seabed_loss_j;                 // of the dampers; by pipe_commit
  int unresolved; // a spring or damper in contact is too fast for the step; by pipe_commit
};

// Coefficients that tell a step of length h from statics (all zero).
struct pipe_step {
  double inverse_h;      // 1/h
  double mass_dr;        // 2/h^2
  double mass_v;         // 2/h
  double damping_over_h; // eta/h
};
struct pipe_step pipe_step_of(const struct pipe *p, double step_s) NONBLOCKING;
struct pipe_step pipe_step_statics(void) NONBLOCKING;

double pipe_section_mass(const struct pipe_def *def,
                         const struct pipe_section *section); // kg/m, with content
// Weight less that of the displaced water, N per metre; negative if it floats.
double pipe_section_weight(const struct pipe_def *def, const struct pipe_section *section,
                           const struct env_def *env);
double pipe_mean_weight(const struct pipe_def *def, const struct env_def *env); // over the whole pipe

// Null arena block: only measures.
void pipe_create(struct pipe *p, const struct pipe_def *def, const struct env_def *env, struct arena *memory);
void pipe_state_create(struct pipe_state *s, const struct pipe *p, struct arena *memory);
void pipe_state_copy(const struct pipe *p, struct pipe_state *to, const struct pipe_state *from) NONBLOCKING;
// Whether a state from a file is one that this pipe can have (core/base/valid.h).
int pipe_state_is_valid(const struct pipe *p, const struct pipe_state *s, struct reason *why);

void pipe_work_create(struct pipe_work *w, const struct pipe *p, struct arena *memory);

// Height at which node 0's axis is held above the ground, along its normal. resting: where the seabed carries
// the weight across the ground (a pipe lighter than water: where it touches).
double pipe_lower_height(const struct pipe *p, const struct pipe_def *def);

// Directors and strains at the start of a step (w->d0, slope0, strain0); increments are set to zero.
void pipe_begin(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// Forces for the increments in w: fills stress and residual, the nodal balance
//   inertia - internal - weight + seabed, per node 3 forces and 3 moments. No boundary condition applied yet.
void pipe_residual(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                   const struct pipe_step *k) NONBLOCKING;

// Its exact derivative with respect to (dr, phi) per node, phi the spatial variation of the rotation at the
// end, d theta = cayley_derivative_inverse(theta, phi). Blocks of nodes 0..N-1 go to b; node N's diagonal
// block to top_diag, the couplings of N-1 and N to top_upper, top_lower.
void pipe_tangent(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                  const struct pipe_step *k, struct blocktri *b, double top_diag[36], double top_upper[36],
                  double top_lower[36]) NONBLOCKING;

// Takes the increments into the state: poses, and velocities v1 = 2 dr / h - v0, settled where the seabed's
// dampers act (fills w->seabed_loss_j, unresolved). step_s 0: poses only (statics).
void pipe_commit(const struct pipe *p, struct pipe_state *s, struct pipe_work *w, double step_s) NONBLOCKING;

double pipe_kinetic(const struct pipe *p, const struct pipe_state *s);

struct pipe_energy {
  double kinetic_j, elastic_j, gravity_j, seabed_j; // seabed: the normal springs and those of friction
};
struct pipe_energy pipe_energy_of(const struct pipe *p, const struct pipe_state *s,
                                  struct pipe_work *w) NONBLOCKING;

// What Morison's form of the added mass supplies over the step whose increments are in w, from s at its
// start, of either sign; zero with Kirchhoff's.
double pipe_morison_work(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                         const struct pipe_step *k) NONBLOCKING;

// Energy lost to structural damping over the step whose increments are in w, >= 0.
double pipe_structural_loss(const struct pipe *p, const struct pipe_work *w,
                            const struct pipe_step *k) NONBLOCKING;

// Exact flows, one after the other, of the accelerating water's push, drag and rotational damping for a time
// with positions frozen, for all nodes that the pipe owns.
struct drag_account {
  double drag_loss_j, rotation_loss_j, current_work_j, inertia_work_j;
};
// reversed: the flows in the other order, the adjoint of the first.
void pipe_drag_flow(const struct pipe *p, struct pipe_state *s, double step_s, const struct current *current,
                    const struct current_span *span, int reversed, struct drag_account *account) NONBLOCKING;

static inline quat pipe_quat(const struct pipe_state *s, int i) {
  return (quat){s->q_nt[0][i], s->q_nt[1][i], s->q_nt[2][i], s->q_nt[3][i]};
}
static inline vec3 pipe_axis(const struct pipe_state *s, int i) { // t_1 of node i
  quat q = pipe_quat(s, i);
  return (vec3){1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)};
}
static inline void pipe_set_quat(struct pipe_state *s, int i, quat q) {
  s->q_nt[0][i] = q.w;
  s->q_nt[1][i] = q.x;
  s->q_nt[2][i] = q.y;
  s->q_nt[3][i] = q.z;
}
static inline vec3 pipe_get3(double *const field[3], int i) {
  return (vec3){field[0][i], field[1][i], field[2][i]};
}
static inline void pipe_set3(double *const field[3], int i, vec3 v) {
  field[0][i] = v.x;
  field[1][i] = v.y;
  field[2][i] = v.z;
}
