// The pipe: its memory, its mesh and state, the balance of a step, its energies, and how its length changes.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/blocktri/blocktri.h"
#include "sagbend/env/env.h"
#include "sagbend/ground/ground.h"
#include "sagbend/growing/growing.h"
#include "sagbend/math/math.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/plasticity/plasticity.h"

// The pipe: geometrically exact beam (Simo 1985; Simo and Vu-Quoc 1986) on two-node elements with lumped
// masses. Source of the model: Jensen, Saefstroem, Nguyen and Fossen 2010, A nonlinear PDE formulation for
// offshore vessel pipeline installation (Ocean Eng. 37), and Saefstroem 2009, chapter 5; derivation in
// docs/model.md.
//
// Arrays are fields of neighbouring nodes or elements: field[component][index]. Nodes 0 .. N from the lower
// end to the upper end, element e between nodes e and e + 1. Frames: world n, and the section frame t of each
// node with t1 along the axis towards the upper end. Vectors are in n unless their name ends in _t. Names
// throughout the room: p pipe or its mesh, s state, w scratch, k coefficients of the step, i node, e element.

// What a metre of a type adds to a node.
struct pipe_metre {
  double mass_kg, water_kg;             // with the content; displaced water
  double added_transverse, added_axial; // added mass coefficients
  double weight_n, drag_transverse, drag_axial;
  double inertia_kgm2[3], rotational_damping[3];
  int is_wire;
  int contact_m; // 0: no seabed
  struct seabed_spring spring;
  double contact_damping_nspm2, contact_offset_m;
};

enum { PREDICTION_STEPS = 3 }; // solved steps from which the next one is predicted (step.c)
enum { MOST_PREDICTION_STEPS = PREDICTION_STEPS + 1 }; // the same with waves on the pipe

// A type of pipe as its elements are filled.
struct pipe_kind {
  double stiffness[6];
  double curvature_1pm[2]; // of the unstressed pipe
  double outer_area_m2, inner_area_m2, steel_radius_m, weight_npm, outer_radius_m;
  int is_hinged; // of a wire: where it meets a beam or a clamp
  struct pipe_metre metre;
  struct pipe_layers layers;
};

// Equal elements of one type, of the mesh or of the tally.
struct pipe_stretch {
  int elements, type;
  double element_m;
  const struct pipe_kind *kind;
};

// Pay-out and recovery: the plan of what comes in at the top.
struct pipe_tally {
  int present; // 1: the length of the pipe may change
  int elements_min, elements_max;
  int plan_elements;            // number of elements that the plan holds
  int stretch_count;            // of the plan
  struct pipe_stretch *stretch; // from the lower end upwards
  double longest_m, shortest_m; // longest element of the tally; shortest one that comes in or goes back
};

// Where in the plan the top element is. Above the length of an element of its own kind it is of the next
// kind, until it is split.
struct pipe_top {
  int place;                             // of the top element in the plan
  const struct pipe_stretch *own, *next; // of the top element, and of what comes above; NULL: the plan ends
  double hanging_water_npm;              // weight of the water that a metre of its upper half displaces, with
                                         // BUOYANCY_SUBMERGED 0
  double steepness;                      // part of a weight that acts along the pipe at the hang-off
};

// Lengths of the top element that its lower and its upper node carry, of both kinds.
struct pipe_top_load {
  double own_m[2], next_m[2];
};

// Laid pipe that leaves the computation.
struct pipe_retiring {
  double anchor_m;                  // length computed beyond the touchdown; 0: nothing retires
  int capacity;                     // nodes that the store holds
  int held_position, held_rotation; // of the lower end at the start
};

// Water in the bore of the elements with these numbers, counted as in the tally's plan: from first, below
// end.
struct pipe_flood {
  int first, end;
  double share; // 0: dry; 1: full
};

// Constants of a run.
struct pipe {
  size_t stride;                   // doubles in a padded array
  double stiffest_n;               // largest EA
  double widest_m;                 // largest outer radius; with BUOYANCY_SUBMERGED below any depth
  double water_npm3, content_npm3; // rho g of the water, of the content
  double buoyant_npm3;             // water_npm3 where the buoyancy depends on the depth; otherwise 0
  double content_pressure_pa;      // at the mean sea surface
  double flood_kgpm3;              // density of the water less that of the content
  double gravity_mps2;
  double structural_damping_s; // eta
  enum added_mass_form added_mass_form;
  int has_kirchhoff, has_morison; // 1: some axial_excess_kg is not 0 and its inertia may have this form
  int water_inertia;              // 1: accelerating water pushes the pipe
  int in_sea;                     // 1: waves move the water around the pipe (core/sea)
  int contact_suction;            // 1: the damper may pull
  int has_plastic;                // 1: some type yields in bending
  int has_wire;                   // 1: some type is a wire
  int has_friction;
  struct friction_def friction; // its law is not FRICTION_OF_SEABED
  int has_soil;                 // 1: the seabed is a soil that remembers
  int softens;                  // 1: and it softens with cycles
  struct soil_friction soil_friction;
  struct soil_column *column; // per type; NULL without soil
  struct seabed_surface ground;
  double depth_m; // reference level of the gravity energy, z
  struct pipe_tally tally;
  struct pipe_retiring retiring;
  struct pipe_kind *kind; // per type
};

// The mesh: what follows from the constants and the state (sagbend/lay/lay.h), and where the ends are held.
// Arrays are padded to whole lanes. With a tally, elements and nodes and what belongs to the top element and
// its two nodes follow the state (sagbend/pipe/feed.c). Where laid pipe retires, node 0 is the material node
// number `first`, and all arrays follow it.
struct pipe_mesh {
  // Per element.
  double *length_m;       // unstressed
  double *stiffness[6];   // EA, GA2, GA3 (N), GJ, EI2, EI3 (N m2)
  double *rest_strain[6]; // Gamma (-) and Omega (1/m) of the unstressed pipe, with its plastic bending
  double *unbent_1pm[2];  // rest_strain 4 and 5 without plastic bending; only with has_plastic
  double *outer_area_m2;
  double *inner_area_m2;  // of the bore
  double *steel_radius_m; // outer radius of the steel
  double *weight_npm;     // submerged
  double *outer_radius_m;
  double *displaced_n; // weight of the water that the whole element displaces; of the top element within a
                       // step: for the length that its nodes' masses have
  double *flood_share; // of the bore that water has filled; it follows flood (sagbend/pipe/pipe.h)

  // Per node. Between two types a node has the mean of both, weighted by their shares of its length.
  double *arc_m;           // S
  double *mass_kg;         // lumped, with the added mass across the axis
  double *axial_excess_kg; // mass along the axis minus mass_kg, may be negative
  double *kirchhoff_kg;    // the same where its inertia has Kirchhoff's form (inertia.c), 0 where Morison's
  double *inertia_kgm2[3]; // rotary inertia about t1, t2, t3
  double *weight_n;        // submerged, along +z
  double *water_kg[2];     // mass of water that pushes when the water accelerates: along the axis, across it
  double *drag_transverse; // N per (m/s)^2
  double *drag_axial;      // N per (m/s)^2
  double *rotational_damping[3]; // about t1, t2, t3: N m per rad/s
  double *contact_length_m;      // length that rests on the seabed; 0: no seabed
  double *contact_offset_m;      // of the axis above the surface where contact begins
  double *contact_damping_nspm2; // normal damper, per length

  int *type;                    // per element: number of the type; elements of one type have the same
  struct seabed_spring *seabed; // per node, per length

  const struct pipe *pipe; // the constants
  int elements, nodes;     // nodes = elements + 1; both 0: no pipe
  int first;               // elements below node 0 that have retired
  int held_position;       // 1: node 0 does not move
  int held_rotation;       // 1: node 0 does not turn
  int top_moved;           // 1: the displacement of node N is imposed
  int top_attached;        // 1: the position of node N is the vessel's, and its mass is part of the vessel's
                           // inertia
  int top_rotation_attached; // 1: the rotation of node N is the vessel's
  struct pipe_top top;       // with a tally
  struct pipe_flood flood;
};

// What an array has a value of. ALONG_NODES: per node, from the elements below it.
enum pipe_array_of { PER_NODE, PER_ELEMENT, PER_PIPE, ALONG_NODES };

// State of the pipe: part of the simulation's state. Per node.
struct pipe_state {
  double *r_n[3];                   // position, m
  double *q_nt[4];                  // attitude of the section, unit quaternion, t to n
  double *v_n[3];                   // velocity, m/s
  double *omega_t[3];               // angular velocity in t, rad/s
  double *friction_elongation_m[2]; // of the friction springs: axial, lateral
  double *slip_m[2]; // way over the bounds of these springs since the node touched down; only with retiring,
                     // or where the law of friction remembers
  double *soil_m[SOIL_MEMORY];             // struct soil_memory of the ground below the node; only with soil
  double *remoulded[1];                    // its last member; only where the soil softens
  double *plastic_1pm[2 * PLASTIC_LAYERS]; // per element, layer by layer: plastic curvature about t2, t3;
                                           // only with has_plastic
  double
      *known_arc_m; // [1], with has_plastic and a tally: arc length that the pipe has been out, less a fade
  // Increments of the last steps beyond those of constant velocity, the last step first: displacement (m) and
  // rotation (rad), n. The prediction of the next step starts from them.
  double *beyond_n[PREDICTION_STEPS][6];
  // Waves on the pipe, only with in_sea: elevation of the surface over the node, m; window of its station,
  // from and to, s; and the places of the station then, n, m (sagbend/pipe/pipe.h). Without a station zero.
  // And one step more than in beyond_n.
  double *surface_m[1];
  double *station_s[2];
  double *station_n[6];
  double *beyond_earliest_n[6];
};

// The arrays of the state in the order of their memory: member, number of arrays, whether pipe p has them,
// and what an array has a value of. Creation, copies, checks, snapshots and the changes of the mesh follow
// this table.
#define PIPE_STATE(X)                                                                                        \
  X(r_n, 3, 1, PER_NODE)                                                                                     \
  X(q_nt, 4, 1, PER_NODE)                                                                                    \
  X(v_n, 3, 1, PER_NODE)                                                                                     \
  X(omega_t, 3, 1, PER_NODE)                                                                                 \
  X(friction_elongation_m, 2, 1, PER_NODE)                                                                   \
  X(beyond_n, 6 * PREDICTION_STEPS, 1, PER_NODE)                                                             \
  X(plastic_1pm, 2 * PLASTIC_LAYERS, p->has_plastic, PER_ELEMENT)                                            \
  X(known_arc_m, 1, p->has_plastic && p->tally.present, PER_PIPE)                                            \
  X(slip_m, 2, p->retiring.anchor_m > 0 || friction_remembers(p->friction.law), PER_NODE)                    \
  X(surface_m, 1, p->in_sea, PER_NODE)                                                                       \
  X(station_s, 2, p->in_sea, PER_NODE)                                                                       \
  X(station_n, 6, p->in_sea, PER_NODE)                                                                       \
  X(beyond_earliest_n, 6, p->in_sea, PER_NODE)                                                               \
  X(soil_m, SOIL_MEMORY, p->has_soil, PER_NODE)                                                              \
  X(remoulded, 1, p->softens, PER_NODE)
#define X(member, arrays, present, of) PIPE_STATE_##member,
enum pipe_state_member { PIPE_STATE(X) PIPE_STATE_MEMBERS };
#undef X

// One row of the table for a state: its arrays, NULL where count is 0.
struct pipe_state_row {
  double **array;
  int count;
  enum pipe_array_of of;
  const char *name;
};

struct pipe_state_rows {
  struct pipe_state_row row[PIPE_STATE_MEMBERS];
};

// Doubles that the ground below a node remembers.
static inline size_t pipe_soil_doubles(const struct pipe *p) {
  return p->has_soil ? (size_t)(SOIL_MEMORY + p->softens) : 0;
}

// The rows of a state of pipe p. Through them a caller may change what s points to.
struct pipe_state_rows pipe_state_rows(const struct pipe *p, const struct pipe_state *s) NONBLOCKING;

// A step in which the length of the top element changes.
struct pipe_growth {
  int is_active;
  int is_unknown;        // 1: grown_m is solved for, with the force of a tensioner
  double grown_m;        // change of the length over the step; at its start length_m
  double length_force_n; // P of sagbend/pipe/pipe.h
  // What a split after the step needs: duration of the conservative step, 0 where the length stayed or the
  // step was not solved, and change of the axial stress of the top element over it, without damping.
  double step_s, axial_change_n;
  double loss_j; // structural damping of the top element over the step
  // Bending beyond yield of the top element: its loss, and if is_plastic its plastic curvatures at the end.
  int is_plastic;
  double plastic_loss_j;
  double end_plastic_1pm[PLASTIC_LAYERS][2];
};

// Scratch of a conservative step or of a static iteration. An iteration solves for the increments dr_n and
// theta_n.
struct pipe_work {
  double *d0[9];      // per node: directors t1, t2, t3 at the start, x y z each
  double *dd[9];      // per node: their change over the step, exact to rounding of the change
  double *dr_n[3];    // per node, unknown: displacement, m
  double *theta_n[3]; // per node, unknown: Cayley vector of the rotation

  double *slope0[3];       // per element at the start: (r_j - r_i) / l
  double *strain0[6];      // per element at the start: Gamma (-), Omega (1/m)
  double *strain_step[6];  // per element: change over the step
  double *stress[6];       // per element: mean over the step, with structural damping; N and N m
  double *force_n[3];      // per element: internal force on its lower node, N; element -1 exists and is 0
  double *moment_lower[3]; // per element: moments on its lower and upper node, N m
  double *moment_upper[3];

  double *residual[6];   // per node: balance of forces (N) and moments (N m)
  double *penetration_m; // per node at the start, into the seabed; -1 high above uneven ground
  double *
      normal_force_n; // per node: mean force of the seabed's spring over the step, along penetration_gradient
  double *damper_force_n;          // per node: mean force of the seabed's damper, along penetration_gradient
  double *contact_share;           // per node: share of the step's way in contact
  double *end_normal_force_n;      // per node: force of the spring at the end of the step
  double *penetration_gradient[3]; // per node in contact: discrete gradient of the penetration, in n
  struct soil_start *soil;         // per node at the start, only with soil
  struct soil_way *soil_way;       // per node in contact over the step
  double *end_penetration_m;       // per node in contact at the end of the step, only with soil
  double *end_friction_elongation_m[2]; // per node at the end of the step: axial, lateral
  double *friction_slip_m[2];           // per node over the step, >= 0: axial, lateral

  double *push_n[3]; // per node, with in_sea: force of the accelerating water over the step, N

  struct pipe_growth growth;
  double friction_loss_j;   // over the step
  double plastic_loss_j;    // loss of bending beyond yield
  double wire_loss_j;       // loss of the structural damping of wires whose length does not change
  int wire_first, wire_end; // elements from the first wire to the last one; set by pipe_lay_out
  int wires_alone;          // 1: there is no beam; likewise
  vec3 top_force_n;     // force on the upper end of the pipe by what holds it, N; an output, set by the model
                        // (sagbend/model/assembly.c)
  double seabed_loss_j; // loss of the dampers over the step; set by pipe_commit
  double soil_loss_j;   // loss of the soil's layers over the step, >= 0; set by pipe_commit
  int with_secant; // 1: the tangents of soil and friction are at least the secants of the step (contact.c,
                   // contact.c)
  int is_laid_out; // 1: d0, slope0, strain0 and penetration_m are those of the state
  int unresolved;  // 1: a spring or damper in contact is too fast for the step; set by pipe_commit
};

// Coefficients of a step of length h; all 0 in statics.
struct pipe_step {
  double inverse_h;      // 1/h
  double mass_dr;        // 2/h^2
  double mass_v;         // 2/h
  double damping_over_h; // eta/h
};

struct pipe_step pipe_step_of(const struct pipe *p, double step_s) NONBLOCKING;
struct pipe_step pipe_step_statics(void) NONBLOCKING;

// Doubles of a padded array before index 0: element -1 exists and is zero.
enum { PIPE_LEAD = 8 };

// Gives element e a type and a length, and node i what the halves of the elements below and above it carry.
void pipe_fill_element(struct pipe_mesh *p, int e, int type, double length_m) NONBLOCKING;
void pipe_fill_node(struct pipe_mesh *p, int i) NONBLOCKING;

// Take memory and fill the constants; only measure with an arena that measures. State and scratch start at 0.
void pipe_create(struct pipe *p, const struct pipe_def *def, const struct env_def *env, struct arena *memory);
void pipe_mesh_create(struct pipe_mesh *mesh, const struct pipe *p, const struct pipe_def *def,
                      struct arena *memory);
void pipe_state_create(struct pipe_state *s, const struct pipe *p, struct arena *memory);
void pipe_work_create(struct pipe_work *w, const struct pipe *p, struct arena *memory);

void pipe_mesh_copy(struct pipe_mesh *to, const struct pipe_mesh *from) NONBLOCKING;
void pipe_state_copy(const struct pipe *p, struct pipe_state *to, const struct pipe_state *from) NONBLOCKING;

// Whether a state from a file is one that this pipe can have with so many elements (conventions:
// sagbend/base/base.h).
int pipe_state_is_valid(const struct pipe *p, int elements, const struct pipe_state *s, struct reason *why);

// Height of node 0's axis above the ground along its normal, m. HEIGHT_RESTING: where the seabed carries the
// component of the weight along the normal; for a pipe lighter than water, where it just touches.
double pipe_lower_height(const struct pipe_mesh *p, const struct pipe_def *def);

// Fills d0, slope0, strain0 and penetration_m from the state.
void pipe_lay_out(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// Start of a step or iteration: the same, and sets the increments to 0.
void pipe_begin(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// The increments of a step of constant velocity plus multiples of those that the last steps added to it.
// Fills dr_n and theta_n. d0 has to be that of the state.
void pipe_predict(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w, double step_s,
                  const double share[MOST_PREDICTION_STEPS]) NONBLOCKING;

// Keeps what the increments in w add to those of constant velocity, before pipe_commit.
void pipe_remember(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                   double step_s) NONBLOCKING;

// Balance for the increments in w: fills stress, and residual = inertia minus internal forces, weight and
// forces of the seabed, per node 3 forces and 3 moments. Boundary conditions are not applied yet.
void pipe_residual(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                   const struct pipe_step *k) NONBLOCKING;

// Whether an element has folded in the state: its nodes are bent or twisted against each other by more than
// 90 degrees, beyond which the strains fall again, or its chord differs by more than 1 % from its stretch
// times the chord that it has in pure bending (element.c). The strains have to be up to date (pipe_lay_out).
int pipe_has_folded(const struct pipe_mesh *p, const struct pipe_work *w) NONBLOCKING;

// Largest of the internal forces, moments divided by length_m, and rates of the nodes' momentum, of the last
// pipe_residual, N.
double pipe_force_scale(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                        const struct pipe_step *k, double length_m) NONBLOCKING;

// Exact derivative of the residual with respect to (dr, phi) of each node, phi the spatial variation of the
// rotation at the end, d theta = cayley_derivative_inverse(theta, phi). Blocks of nodes 0 .. N-1 go to b; the
// diagonal block of node N to top_diag, the couplings of N-1 and N to top_upper and top_lower.
void pipe_tangent(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                  const struct pipe_step *k, struct blocktri *b, double top_diag[36], double top_upper[36],
                  double top_lower[36]) NONBLOCKING;

// End of a step: applies the increments to the state, with velocities v1 = 2 dr / h - v0, corrected where the
// seabed's dampers act (fills seabed_loss_j and unresolved). step_s 0 (statics): poses only.
void pipe_commit(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w,
                 double step_s) NONBLOCKING;

// Kinetic energy, J.
double pipe_kinetic(const struct pipe_mesh *p, const struct pipe_state *s);

struct pipe_energy {
  double kinetic_j, elastic_j, gravity_j;
  double seabed_j; // normal springs and friction springs
};

// Calls pipe_lay_out.
struct pipe_energy pipe_energy_of(const struct pipe_mesh *p, const struct pipe_state *s,
                                  struct pipe_work *w) NONBLOCKING;

// Statics on soil: the memory of every node for a slow way to where it lies, with penetration_m of w that of
// the state (sagbend/pipe/pipe.c). Does nothing without soil.
void pipe_ground_settle(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w);

// Energy that Morison's form of the added mass supplies over the step whose increments are in w, from state s
// at its start, J; of either sign, 0 with Kirchhoff's form.
double pipe_morison_work(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                         const struct pipe_step *k) NONBLOCKING;

// Loss by structural damping over the step whose increments are in w, J, >= 0.
double pipe_structural_loss(const struct pipe_mesh *p, const struct pipe_work *w,
                            const struct pipe_step *k) NONBLOCKING;

// Steps from which those of the pipe are predicted, and component c of the k-th last one's addition
// (beyond_n).
static inline int pipe_prediction_steps(const struct pipe_mesh *p) {
  return p->pipe->in_sea ? MOST_PREDICTION_STEPS : PREDICTION_STEPS;
}
static inline double *pipe_beyond(const struct pipe_state *s, int k, int c) {
  return k < PREDICTION_STEPS ? s->beyond_n[k][c] : s->beyond_earliest_n[c];
}

// Depth of node i below the surface over it, m.
static inline double pipe_depth(const struct pipe_mesh *p, const struct pipe_state *s, int i) {
  return p->pipe->in_sea ? s->r_n[2][i] + s->surface_m[0][i] : s->r_n[2][i];
}

// Work of push_n over the step whose increments are in w, J.
double pipe_push_work(const struct pipe_mesh *p, const struct pipe_work *w) NONBLOCKING;

// Whether element e is a wire.
static inline int pipe_is_wire(const struct pipe_mesh *p, int e) {
  return p->pipe->has_wire && p->pipe->kind[p->type[e]].metre.is_wire;
}

// Whether a wire does not bend at its lower (n = 0) or upper node: hinged there to a beam or a clamp.
int pipe_wire_is_hinged(const struct pipe_mesh *p, int e, int n) NONBLOCKING;

// Bending stiffness with which the nodes of a wire turn with it in time, whatever its own: their rotation
// between two elements of length_m has at least this rate, rad/s (sagbend/pipe/wire.c).
#define PIPE_WIRE_TURN_RATE 20

// Share of the pipe around node i that is in the water, 0 to 1.
double pipe_wet_share(const struct pipe_mesh *p, const struct pipe_state *s, int i) NONBLOCKING;

// Bending beyond yield (sagbend/pipe/plasticity.c). At the end of a step, of the increments in w: the plastic
// curvatures in the state, and rest_strain; after the statics those of the shape, bent from the virgin state.
// And rest_strain of a state that was set otherwise. Do nothing for elastic pipe.
void pipe_plastic_commit(struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                         int statics) NONBLOCKING;
void pipe_plastic_follow(struct pipe_mesh *p, const struct pipe_state *s) NONBLOCKING;

// Plastic curvature of element e about t2 (k = 0) or t3, 1/m.
static inline double pipe_plastic_curvature(const struct pipe_mesh *p, int k, int e) {
  return p->pipe->has_plastic ? p->rest_strain[4 + k][e] - p->unbent_1pm[k][e] : 0;
}

// Account of the dissipative flow, J.
struct drag_account {
  double drag_loss_j, rotation_loss_j;   // drag, rotational damping; >= 0
  double current_work_j, inertia_work_j; // of moving and of accelerating water on the pipe
  double waves_work_j;                   // of the water that the waves move
};

// Dissipative flow over step_s with positions frozen, for all nodes that the pipe owns: push of the
// accelerating water, drag and rotational damping, each exact, one after the other. reversed: push and drag
// in the opposite order, which is the adjoint flow. waves_n: with in_sea velocity of the water by the waves
// at each node, m/s; its acceleration acts elsewhere. Adds to the account.
void pipe_drag_flow(const struct pipe_mesh *p, struct pipe_state *s, double step_s,
                    const struct current *current, const struct current_span *span, double *const waves_n[3],
                    int reversed, struct drag_account *account) NONBLOCKING;

// Attitude of node i.
static inline quat pipe_quat(const struct pipe_state *s, int i) {
  return (quat){s->q_nt[0][i], s->q_nt[1][i], s->q_nt[2][i], s->q_nt[3][i]};
}

// t1 of node i in n.
static inline vec3 pipe_axis(const struct pipe_state *s, int i) {
  quat q = pipe_quat(s, i);
  return (vec3){1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)};
}

static inline void pipe_set_quat(struct pipe_state *s, int i, quat q) {
  s->q_nt[0][i] = q.w;
  s->q_nt[1][i] = q.x;
  s->q_nt[2][i] = q.y;
  s->q_nt[3][i] = q.z;
}

// Element i of a field of vectors.
static inline vec3 pipe_get3(double *const field[3], int i) {
  return (vec3){field[0][i], field[1][i], field[2][i]};
}

static inline void pipe_set3(double *const field[3], int i, vec3 v) {
  field[0][i] = v.x;
  field[1][i] = v.y;
  field[2][i] = v.z;
}

// Half the stiffness of the reaction at rest at node i, N/m2, as in the tangent of the statics.
double pipe_contact_rest_stiffness(const struct pipe_mesh *p, const struct pipe_state *s, int i,
                                   double penetration_m) NONBLOCKING;

// Takes the elongations at the end of the step into the state.
void pipe_friction_commit(const struct pipe_mesh *p, struct pipe_state *s,
                          const struct pipe_work *w) NONBLOCKING;

// ------------------------------------------------------------
// The top element while pipe is paid out or recovered. Its length changes within a step;
// between steps it is split, or merged with its neighbour.

// What the nodes of an element carry that is of a kind up to the length of an element of this kind, and of
// the next kind above; NULL: nothing follows. Two kinds keep their centre of gravity.
struct pipe_top_load pipe_load_between(const struct pipe_stretch *own, const struct pipe_stretch *next,
                                       double length_m) NONBLOCKING;

// The same for a length of the top element.
struct pipe_top_load pipe_load_of(const struct pipe_mesh *p, double length_m) NONBLOCKING;

// Submerged weight at the upper node over the length of the element, N/m.
double pipe_hanging_weight(const struct pipe_mesh *p, const struct pipe_top_load *load) NONBLOCKING;

// Tension at the grip between steps, without inertia and the force of the water, of a top element whose
// length changes by grown_m in a step, N.
double pipe_still_grip_n(const struct pipe_mesh *p, const struct pipe_state *s, double grown_m) NONBLOCKING;

// Sets the length of the top element, and what its two nodes take from it: masses, weight, drag and contact
// of these lengths. Within a conservative step they are the means of start and end.
void pipe_set_top_length(struct pipe_mesh *p, double element_m,
                         const struct pipe_top_load *lumped) NONBLOCKING;

// Sets the number of elements, elements_min to elements_max. Each has its length and kind in the plan but the
// top element, which has top_m.
void pipe_set_elements(struct pipe_mesh *p, int elements, double top_m) NONBLOCKING;

// Lets the pipe begin with the element `first` above the lower end at the start, where the arc length is
// arc_m, and have so many elements, all of their whole length.
void pipe_set_window(struct pipe_mesh *p, int first, double arc_m, int elements) NONBLOCKING;

// The stretch of an element of the plan; the last one where the plan has ended.
const struct pipe_stretch *pipe_stretch_of_place(const struct pipe *p, int place) NONBLOCKING;

// Clears the scratch of slots that no longer belong to the pipe, and of the top.
void pipe_work_clear_above(const struct pipe_mesh *p, struct pipe_work *w) NONBLOCKING;

// State: a new node before the last, with everything 0; and the removal of the node below the last.
void pipe_state_insert_below_top(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;
void pipe_state_remove_below_top(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;

// State: the removal of node 0, and a new node 0 with everything 0.
void pipe_state_drop_lowest(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;
void pipe_state_add_lowest(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;

// Element e of the state, at rest.
struct growing_element pipe_still_element(const struct pipe_mesh *p, const struct pipe_state *s,
                                          int e) NONBLOCKING;

// Derivatives of the top element within a step whose length at the end is an unknown.
struct growing_length_tangent pipe_growing_length_tangent(const struct pipe_mesh *p,
                                                          const struct pipe_state *s,
                                                          const struct pipe_work *w,
                                                          double damping_over_h) NONBLOCKING;

// The same element as it balances while its length changes by grown_m a step: within such a step the mean
// stress is C mean(g) mean(1/l), which exceeds the mean of C g/l at its ends by the share (grown_m /
// length_m)^2 / 4.
void pipe_stiffen_for_growth(struct growing_element *x, double grown_m) NONBLOCKING;

// Energy of a metre of a kind that belongs to node i: weight, contact, friction springs, rotation; and of its
// mass with the added mass along the axis, moving with the node.
double pipe_metre_potential(const struct pipe_mesh *p, const struct pipe_metre *metre,
                            const struct pipe_state *s, int i) NONBLOCKING;
double pipe_metre_rotary(const struct pipe_metre *metre, const struct pipe_state *s, int i) NONBLOCKING;
double pipe_metre_kinetic(const struct pipe_metre *metre, vec3 axis, vec3 velocity) NONBLOCKING;

// Mass of a metre that moves along its axis, with the added mass, kg/m.
static inline double pipe_axial_mass(const struct pipe_metre *metre) {
  return metre->mass_kg + metre->added_axial * metre->water_kg;
}

// ------------------------------------------------------------
// Water in the pipe. It fills a share of the bore of a range of elements, beside the content. Mass and weight
// of nodes and elements, and the pressure inside, are linear in this share.

// Elements that always stay dry: the uppermost ones, which the tally changes.
enum { PIPE_DRY_ELEMENTS = 2 };

// Floods so. Returns the energy that the water brings along, with the place and the velocity of the pipe that
// it fills, J; negative for water that leaves.
double pipe_set_flood(struct pipe_mesh *p, const struct pipe_state *s, struct pipe_flood flood) NONBLOCKING;

// Adds the present flood after elements and nodes have been filled as of dry pipe.
void pipe_refill_flood(struct pipe_mesh *p) NONBLOCKING;

// Mass of the water in the pipe beyond that of the content it replaces, kg.
double pipe_flood_mass(const struct pipe_mesh *p) NONBLOCKING;

// ------------------------------------------------------------
// Bending beyond yield on the mesh (sagbend/plasticity/plasticity.h).

// Between steps. Before the top element is split or merged with its neighbour: the plastic curvatures of what
// follows. And after it: lets so many elements at the top yield where their new shape bends them beyond what
// they hold.
void pipe_plastic_split(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;
void pipe_plastic_merge(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;
void pipe_plastic_relax(struct pipe_mesh *p, struct pipe_state *s, int count) NONBLOCKING;

// Keeps how far the pipe has been out, at the start and after a step in which its length has changed.
void pipe_plastic_pass(const struct pipe_mesh *p, struct pipe_state *s) NONBLOCKING;

// ------------------------------------------------------------
// Pipe at and above the water. weight_n and weight_npm are those of submerged pipe; this adds the weight of
// the water that the pipe does not displace. The surface is the still water level, z = 0, or with waves on
// the pipe that of its state (surface_m). An element is straight between its nodes, its section a circle that
// the surface cuts horizontally. An element whose nodes lie deeper than its radius has no part in any of
// this. docs/model.md.

// Energy of the water that is not displaced, J.
double pipe_waterline_energy(const struct pipe_mesh *p, const struct pipe_state *s) NONBLOCKING;

// Length of pipe above the water, m; 0 with BUOYANCY_SUBMERGED.
double pipe_dry_length(const struct pipe_mesh *p, const struct pipe_state *s);

// Weight of the water that is not displaced around node i, N, along +z; and per length at depth z_m, in
// element e, N/m.
double pipe_waterline_load(const struct pipe_mesh *p, const struct pipe_state *s, int i) NONBLOCKING;
double pipe_waterline_load_npm(const struct pipe_mesh *p, int e, double z_m) NONBLOCKING;

// pipe_wet_share of LANES nodes from first on, with their depths greater by a share of `more`, unless NULL;
// behind the pipe 1.
void pipe_wet_shares(const struct pipe_mesh *p, const struct pipe_state *s, const double *more, double share,
                     int first, lanes *wet) NONBLOCKING;

// Energy of a metre of a kind in the top element between these depths of its nodes, J/m.
double pipe_waterline_feed(const struct pipe_mesh *p, const struct pipe_stretch *kind, double lower_z_m,
                           double upper_z_m) NONBLOCKING;

// The part of the tension at the grip that carries the water which the upper half of the top element does not
// displace: energy of a metre at the grip minus that of pipe_waterline_feed.
struct waterline_hanging {
  double force_n;
  double rate_npm[2]; // derivatives with respect to the depths of lower and upper node
};
struct waterline_hanging pipe_waterline_hanging(const struct pipe_mesh *p, double lower_z_m,
                                                double upper_z_m) NONBLOCKING;
