// The stinger: where its rollers stand, and how they carry the pipe.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
#include "sagbend/math/math.h"

// ------------------------------------------------------------
// A roller that is fixed in the vessel and carries the pipe: unilateral contact between the pipe's axis and a
// line, with friction along the pipe. docs/model.md, section 3.
//
// The axis of the pipe is a cubic through positions and axes t1 of the nodes (Hermite), smooth across them:
//   r(x) = H0 r_i + H1 l t_i + H2 r_j + H3 l t_j,   0 <= x <= 1.
// Its overlap with the roller is k = reach + w(x*) - n.(r(x*) - c) at the point x* closest to the roller's
// line through c, n the unit normal of both lines on the side of the pipe, w what the pipe is wider there
// than the line pipe: a cubic between the nodes, without slope there. k is a function of the places y:
// positions and axes of the nodes around the roller, in the vessel's frame b and relative to c, and the
// length of an element that grows. Each place is bilinear in the poses of vessel and pipe, so its change over
// a step obeys a product rule. With the discrete gradient G of k (Gonzalez 1996), G.dy = k1 - k0, and the
// mean force F of the spring, F (k1 - k0) = V1 - V0, the work of the forces F G equals the change of the
// energy V to rounding, also where a node passes the roller; so do force and angular momentum of pipe and
// vessel.
//
// Friction is a spring of elongation s along the pipe that slips at mu N (sagbend/pipe/contact.c), one for
// each roller. Its way is S.dy, S the gradient of the place of the material under the roller along the pipe.

enum {
  ROLLER_NODES = 4,                   // neighbouring nodes around a roller
  ROLLER_LENGTH = 6 * ROLLER_NODES,   // place of the length that changes
  ROLLER_PLACES = ROLLER_LENGTH + 1,  // per node position and axis, then that length
  ROLLER_VESSEL = 6 * ROLLER_NODES,   // unknown: the first of the vessel
  ROLLER_GROWN = ROLLER_VESSEL + 6,   // unknown: the length
  ROLLER_UNKNOWNS = ROLLER_GROWN + 1, // per node and for the vessel dr, phi; then the length
  ROLLER_STRIDE = 32,                 // ROLLER_UNKNOWNS, in whole lanes
  ROLLER_TERMS = 12                   // most outer products in a stiffness
};

struct roller {
  vec3 at_b_m;                 // a point of its line
  vec3 axis_b;                 // unit vector along the line
  vec3 up_b;                   // direction that points to the pipe's side of the line
  double reach_m;              // radius of the roller plus radius of the line pipe
  struct seabed_spring spring; // of the roller as a whole: N/m
  int holds;                   // 1: linear spring that also pulls, for comparisons
  double friction, friction_stiffness_npm;
};

// The pipe near a roller over a step.
struct roller_step {
  const struct roller *roller;
  int nodes;                         // 2 .. ROLLER_NODES, from the lower end upwards
  int growing;                       // element whose length changes, from the lowest node; -1: none
  double length_m[ROLLER_NODES - 1]; // unstressed, at the start
  double wider_m[ROLLER_NODES];      // radius of the pipe at a node less that of the line pipe
  double start[ROLLER_PLACES];       // places at the start; those that are not used are 0
  double change[ROLLER_PLACES];      // over the step
  double elongation_m;               // of the friction spring at the start
};

// The point of the axis closest to the roller's line, and the derivatives of the overlap there.
struct roller_touch {
  int element;                    // from the lowest node of the step
  double x, overlap_m, length_m;  // length_m: of the element
  double gradient[ROLLER_PLACES]; // of the overlap
  vec3 along;                     // dr/dx, b
  vec3 slope2;                    // d2r/dx2, b
  double taper_m, taper2_m;       // dw/dx, d2w/dx2
  double weight[4], rate[4];      // of the places of the element's nodes: factor of r, of dr/dx
  vec3 by_length, rate_by_length; // derivative of r and dr/dx with the length, if the element grows
  vec3 n, p;                      // p = axis x n
  double rho, deep, eased;        // p.r', n.(r - c), d(u.r')/dx
};

// Closest points at start, middle and end of a step, and the discrete gradient. roller_grip_of leaves them
// for roller_stiffness_of.
struct roller_passage {
  struct roller_touch start, middle, end;
  int has_start;                  // 0: no point of the pipe lies over the roller at the start
  int first, last;                // nodes whose places the overlap depends on at one of the three
  double beyond_m;                // k1 - k0 - g.dy
  double share_1pm2;              // 1/|dy|^2 over these nodes, 0: the correction is left out
  double gradient[ROLLER_PLACES]; // G
};

// Contact and friction over a step.
struct roller_grip {
  int is_near;                // 0: the pipe is clear of the roller, and all is 0
  int is_lost;                // 1: the closest point has left the nodes: no solution
  double overlap_m[2];        // at start and end
  double force_n, end_n;      // normal force: mean over the step, and at its end
  double rate_npm;            // d force_n / d overlap at the end
  double elongation_m;        // of the friction spring at the end
  double friction_n;          // mean friction force, on the vessel along the pipe's axis
  double loss_j;              // of friction, >= 0
  double push[ROLLER_PLACES]; // F G + friction S: derivative of the work with the places
};

// Finds the closest point for these places; returns 0 if there is none between the ends. near: that of
// neighbouring places, where the search begins; NULL: none.
int roller_touch_of(const struct roller_step *x, const double places[ROLLER_PLACES],
                    const struct roller_touch *near, struct roller_touch *touch) NONBLOCKING;

// Finds the closest point of the places at the start, once for all changes from there.
void roller_begin(const struct roller_step *x, struct roller_passage *passage) NONBLOCKING;

// Energy of the normal spring and force of it at an overlap, J and N.
double roller_energy(const struct roller *roller, double overlap_m) NONBLOCKING;
double roller_force(const struct roller *roller, double overlap_m) NONBLOCKING;

// Energy of the friction spring, J.
double roller_elastic(const struct roller *roller, double elongation_m) NONBLOCKING;

// Forces over the step. with_friction: in steps, not in statics. passage: begun; the rest of it is set.
struct roller_grip roller_grip_of(const struct roller_step *x, int with_friction,
                                  struct roller_passage *passage) NONBLOCKING;

// Derivative of push with the places at the end of the step: the sum of the outer products left right', plus
// alike times the identity on the places of the nodes first .. last.
struct roller_stiffness {
  int first, last, count;
  double alike_npm;
  double left[ROLLER_TERMS][ROLLER_PLACES], right[ROLLER_TERMS][ROLLER_PLACES];
};

// passage: as roller_grip_of has left it for these changes, with is_near.
void roller_stiffness_of(const struct roller_step *x, int with_friction, const struct roller_passage *passage,
                         struct roller_stiffness *to) NONBLOCKING;

// ---- Places and poses (stinger.c) ----

// Poses over a step, world frame.
struct roller_poses {
  vec3 vessel_n, vessel_change_n; // reference point, and its change over the step
  mat3 q;                         // attitude of the vessel at the start
  vec3 turn;                      // Cayley vector of its rotation over the step
  vec3 r[ROLLER_NODES], dr[ROLLER_NODES], axis[ROLLER_NODES], axis_change[ROLLER_NODES];
};

// Fills start and change of x, but for the length, from the poses of its nodes.
void roller_take_start(struct roller_step *x, const struct roller_poses *poses) NONBLOCKING;
void roller_take_changes(struct roller_step *x, const struct roller_poses *poses) NONBLOCKING;

// Forces and moments (about the node, about the vessel's reference point) that take part in the balance of
// the nodes and of the vessel with this sign: on the pipe minus these, on the vessel plus the sum.
struct roller_balance {
  vec3 force_n[ROLLER_NODES], moment_nm[ROLLER_NODES];
  vec3 vessel_force_n, vessel_moment_nm; // on the vessel
};
struct roller_balance roller_balance_of(const struct roller_step *x, const struct roller_poses *poses,
                                        const double push[ROLLER_PLACES]) NONBLOCKING;

// Derivative of (force_n, moment_nm of each node; minus force and moment on the vessel; push of the length)
// with respect to (dr, phi) of each node and of the vessel and the length, phi the spatial variation of the
// rotation at the end of the step. to[unknown][row]; only the nodes first .. last, which it sets, vessel and
// length are written.
struct roller_tangent {
  int first, last;
  double to[ROLLER_UNKNOWNS][ROLLER_STRIDE];
};
void roller_balance_tangent(const struct roller_step *x, const struct roller_poses *poses,
                            const double push[ROLLER_PLACES], const struct roller_stiffness *stiffness,
                            struct roller_tangent *tangent) NONBLOCKING;

// ------------------------------------------------------------
// The stinger as configured.

// A stinger: rollers of the vessel that carry the pipe aft of the hang-off, on a straight ramp and an arc, or
// at listed places (stinger.h). b: body frame of the vessel.

enum { MAX_STINGER_SUPPORTS = 128 };
struct stinger_place {
  double at_b_m[3]; // axis of the pipe on a support
};
struct stinger_def {
  struct stinger_place support[MAX_STINGER_SUPPORTS]; // from the hang-off towards the tip
  int support_count;                                  // of the list; 0: ramp and arc
  int ramp_supports, arc_supports;                    // both 0, and no list: no stinger
  double start_b_m[3];                                // axis of the pipe on the first support of the arc
  double slope_rad;           // of the ramp, and of the axis there: below the horizontal, towards the stern
  double radius_m, spacing_m; // of the pipe's axis on the arc; of the supports along the axis
  double roller_radius_m;
  double v_angle_rad;   // of each of the two rollers of a support to the vessel's y axis; 0: one roller
  double stiffness_npm; // of a roller
  double soft_m;        // overlap up to which the stiffness rises from 0
  int holds;            // 1: linear rollers that also pull, for comparisons
  double friction;      // Coulomb coefficient along the pipe
  double friction_stiffness_npm; // of the friction spring of a roller
};

// ------------------------------------------------------------
// The rollers of a stinger.

enum { MAX_ROLLERS = 2 * MAX_STINGER_SUPPORTS };

// A support: where the axis of the pipe lies that just touches it, and the directions of the axis, towards
// the hang-off, and of the support; b.
struct stinger_support {
  vec3 at_b_m, along_b, up_b;
};

static inline int stinger_supports(const struct stinger_def *def) {
  return def->support_count > 0 ? def->support_count : def->ramp_supports + def->arc_supports;
}

// Least distance of neighbouring supports, m; INFINITY for one support.
double stinger_spacing(const struct stinger_def *def);

// Rollers of a support: 2 for a V.
static inline int stinger_rollers_each(const struct stinger_def *def) {
  return def->v_angle_rad > 0 ? 2 : 1;
}

// Support k, from the hang-off towards the tip: those of the list, or those of the ramp, then those of the
// arc. On listed supports the pipe has the direction between their neighbours, at both ends that of an arc.
struct stinger_support stinger_support_of(const struct stinger_def *def, int k);

// Fills the rollers, support by support, for a pipe of this radius; returns their number.
int stinger_rollers(const struct stinger_def *def, double pipe_radius_m, struct roller to[MAX_ROLLERS]);
