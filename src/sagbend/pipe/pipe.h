// Operations of a lay: a list, one after the other. Each gives the tensioner an order, may turn the tower,
// and ends where its condition holds (sagbend/lay/lay.h).
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
#include "sagbend/ground/ground.h"
#include "sagbend/math/math.h"
#include "sagbend/signals/signals.h"
#include "sagbend/stinger/stinger.h"

enum { MAX_OPERATIONS = 64, OPERATION_NAME = 32 };

enum operation_order {
  OPERATION_BRAKE, // the tracks come to rest, then the brake engages
  OPERATION_TENSION,
  OPERATION_SPEED,
  OPERATION_MOVE, // the tracks move a length and come to rest at its end, then the brake engages; as often as
                  // the operation has moves
  OPERATION_ORDER_COUNT
};

enum operation_end {
  OPERATION_STAYS,    // it has no end but that of its moves and of its turn; without both it goes on
  OPERATION_TIME,     // since it began, s
  OPERATION_PAID_OUT, // length paid out since the start, m: passed from the side on which it was
  OPERATION_SECTION,  // pipe of this type comes through the hang-off
  OPERATION_FORCE,    // force of the tensioner, N: passed from the side on which it was
  OPERATION_WAY,      // way of the hang-off along the route, m
  OPERATION_END_COUNT
};

struct operation {
  char name[OPERATION_NAME];
  enum operation_order order;
  double tension_n; // OPERATION_TENSION
  double speed_mps; // OPERATION_SPEED, negative: back; OPERATION_MOVE: > 0
  double length_m;  // OPERATION_MOVE: of each, negative: back
  int moves;        // OPERATION_MOVE: how many
  double pause_s;   // OPERATION_MOVE: at rest after each
  int turns;        // 1: the tower turns
  double turn_rad;  // since the statics, upwards, at the end of the turn
  double turn_s;    // time of the turn, from the beginning of the operation
  enum operation_end end;
  double end_value; // s, m or N
  int end_type;     // OPERATION_SECTION: 0 the line pipe, k > 0: types[k - 1]
  double limit_s;   // time after which it is overdue; 0: none
};

struct operations_def {
  int count; // 0: none
  struct operation operation[MAX_OPERATIONS];
};

// ------------------------------------------------------------
// Pipe as configured. Arc length S is 0 at the lower end and L at the upper end, the hang-off.

enum lower_end {
  LOWER_CLAMPED,  // position and rotation held
  LOWER_ANCHORED, // position held, free to rotate
  LOWER_FREE
};

// Height of the lower end's axis above the seabed, along the seabed's normal.
enum lower_height {
  HEIGHT_GIVEN,   // lower_height_m
  HEIGHT_RESTING, // where the seabed carries the pipe's weight
  HEIGHT_GROUND   // on the ground
};

enum hangoff_kind {
  HANGOFF_PINNED,  // position follows the vessel, free to rotate
  HANGOFF_CLAMPED, // position and rotation follow the vessel
  HANGOFF_FREE,    // end_force_n and end_moment_nm act on it
  HANGOFF_MOVED    // pinned to a point that follows an imposed path instead of the vessel
};

// Imposed path of the upper end, relative to its place in the statics: a horizontal circle whose radius is
// ramped in and out by half cosines, offset r A(t) (cos, sin)(2 pi (t - start)/period) in (x, y); or a table
// of offsets that begins with 0.
struct motion_def {
  double radius_m, period_s;
  double start_s, stop_s; // stop_s 0: never
  double ramp_s;
  int rows;                               // > 0: the spline of the table replaces all of the above
  struct table_row table[TABLE_ROWS_MAX]; // value: offset in n, m
};

// A J-lay tower that turns: the clamp of the hang-off turns about the vessel's y axis, upwards where
// positive.
struct tower_def {
  int rows;                               // 0: it stays
  struct table_row table[TABLE_ROWS_MAX]; // value[0]: angle since the statics, rad; it begins with 0
};

// A pipe type: the properties of line pipe, a buckle arrestor or coated pipe.
struct pipe_type {
  double outer_diameter_m;      // displaces water, meets water and seabed
  double inner_diameter_m;      // of the bore that the content fills; 0: no bore
  double steel_diameter_m;      // outer diameter of the steel, where strain is evaluated; 0: outer_diameter_m
  double mass_kgpm;             // in air; with the content where content_density_kgpm3 is 0
  double inertia_kgm[3];        // rotary inertia per length, J_rho: axial, transverse 2 and 3
  double axial_stiffness_n;     // EA
  double shear_stiffness_n[2];  // GA2, GA3
  double torsion_stiffness_nm2; // GJ
  double bending_stiffness_nm2[2]; // EI2, EI3
  double curvature_1pm[2];         // of the unstressed pipe, about t2 and t3
  double yield_moment_nm;          // M_y of the law of bending; 0: elastic
  double ramberg_osgood[2];        // A, B: kappa EI/M_y = M/M_y + A (M/M_y)^B; A = 0: M_y at most
  double drag_transverse;          // Morison drag coefficients on the outer diameter
  double drag_axial;
  double added_mass_transverse; // added mass coefficients on the displaced water
  double added_mass_axial;
  double rotational_damping_ns[3]; // D_R about t1, t2, t3: N m per metre per rad/s
  double wire;                     // 1: elements are wires (sagbend/pipe/wire.c); 0: beams
  double wire_hinged;              // of a wire: 1: hinged where it meets a beam or a clamp; 0: rigid there
};

// The mesh is a list of segments from the lower end upwards, each divided into equal elements of one type.
enum { MAX_MESH_SEGMENTS = 128, MAX_PIPE_TYPES = 16 };
struct mesh_segment {
  double length_m;
  int elements;
  int type; // 0: the line pipe; k > 0: types[k - 1]
};

// Lengths of the elements where the mesh has no segments; sagbend/model/model.h makes segments of AUTO.
enum pipe_spacing { SPACING_EQUAL, SPACING_AUTO };

// Inertia of the water around a pipe that turns in water at rest (docs/model.md).
enum added_mass_form {
  ADDED_MASS_KIRCHHOFF, // momentum of an ideal fluid
  ADDED_MASS_MORISON    // added mass on the acceleration along and across the section, as in the industry's
                        // codes
};

// Buoyancy of the pipe.
enum pipe_buoyancy {
  BUOYANCY_BY_DEPTH, // of the part below the still water level
  BUOYANCY_SUBMERGED // of the whole pipe, wherever it is
};

// Programme of the tensioner: lengths paid out or recovered one after the other. The speed of each rises and
// falls by half cosines over ramp_s.
enum { MAX_PAYOUT_ROWS = 64 };
struct payout_row {
  double start_s;
  double length_m;  // paid out; negative: recovered; at least speed_mps ramp_s long
  double speed_mps; // largest, > 0
  double ramp_s;
};
// Time that a row takes, s.
static inline double payout_duration(const struct payout_row *row) {
  double length = row->length_m < 0 ? -row->length_m : row->length_m;
  return length / row->speed_mps + row->ramp_s;
}

struct payout_def {
  int row_count; // 0: the length of the pipe is constant
  struct payout_row row[MAX_PAYOUT_ROWS];
  int elements_max; // elements that the memory holds; less than pipe_def.elements: as many. Also for
                    // tensioner_def
};

// What a tensioner pays out after the mesh has left it, from the hang-off on, in parts of equal elements.
enum { MAX_TALLY_PARTS = 128 };
struct tally_def {
  int part_count; // 0: the last part of the mesh, without end
  struct mesh_segment part[MAX_TALLY_PARTS];
  int is_endless; // 1: the last part has no end; its length and elements give the length of an element only
};

// A tensioner whose force follows a law (sagbend/pipe/pipe.h). The orders of its programme follow each
// other in time.
enum { MAX_TENSIONER_ORDERS = 64 };
struct tensioner_order {
  double start_s;
  enum tensioner_mode mode;
  double tension_n; // TENSIONER_TENSION: set-point
  double speed_mps; // TENSIONER_SPEED: of the tracks, negative: recovery
};
struct tensioner_def {
  int order_count; // 0: no such tensioner
  struct tensioner_order order[MAX_TENSIONER_ORDERS];
  double mass_kg;                     // of tracks and drive, at the speed of the pipe
  double grip_n, brake_n;             // most that the grip and the brake hold
  double stiffness_npm;               // of the grip along the pipe
  double damping_nspm;                // of the drive in the mode tension
  double dead_band_n;                 // of the tension, from lowest to highest
  double speed_max_mps;               // in the mode tension
  double motor_n, motor_w;            // limits of the motor
  double ramp_nps, acceleration_mps2; // of the set-points
};

// Least and largest set-point of the mode tension, N: half of the dead band lies below it, and motor and grip
// hold what lies above.
static inline double tensioner_least_n(const struct tensioner_def *def) {
  return 0.5 * def->dead_band_n;
}
static inline double tensioner_most_n(const struct tensioner_def *def) {
  const double grip = def->grip_n - 0.5 * def->dead_band_n;
  return def->motor_n < grip ? def->motor_n : grip;
}

// Laid pipe that leaves the computation, and returns where it is recovered.
struct retire_def {
  double anchor_m; // length that stays beyond the touchdown; 0: nothing retires
  int stored_max;  // nodes that can return
};

struct pipe_def {
  int elements;                                // of the whole pipe; 0: no pipe
  struct mesh_segment mesh[MAX_MESH_SEGMENTS]; // lengths sum to length_m, elements to elements
  int mesh_segment_count;                      // segments in mesh; 0: equal elements
  enum pipe_spacing spacing;
  int is_graded;                          // 1: sagbend/model/model.h has made the mesh
  double length_m;                        // unstressed
  struct pipe_type line;                  // line pipe, wherever the mesh names no other type
  struct pipe_type types[MAX_PIPE_TYPES]; // further types, each complete
  int type_count;
  double content_density_kgpm3; // the content's mass adds to mass_kgpm; 0: mass_kgpm contains it
  double content_pressure_pa;   // above atmospheric, at the level of the mean sea surface
  int water_inertia;            // 1: accelerating water pushes the pipe
  enum added_mass_form added_mass_form;
  enum pipe_buoyancy buoyancy;
  double structural_damping_s; // eta of Kelvin-Voigt damping: stress += eta C d(strain)/dt
  double strain_limit;         // strain of the steel above which an event is logged; 0: none
  enum lower_end lower;
  double anchor_n_m[2]; // north, east of the lower end
  enum lower_height lower_height;
  double lower_height_m;  // HEIGHT_GIVEN
  double lay_azimuth_rad; // horizontal direction from the lower end towards the vessel, clockwise from north
  enum hangoff_kind hangoff;
  struct motion_def motion; // HANGOFF_MOVED
  struct tower_def tower;   // HANGOFF_CLAMPED
  double end_force_n[3];    // HANGOFF_FREE: dead load on the upper end in n, N
  double end_moment_nm[3];
  struct time_profile end_profile; // factor of both in time; the statics uses factor 1
  int hangoff_angle_auto;          // HANGOFF_CLAMPED: 1: the angle that the pinned pipe would have
  double hangoff_angle_rad;        // HANGOFF_CLAMPED: angle of t1 above the vessel's x axis, in its x-z plane
  struct tally_def tally;          // for a pipe with payout or tensioner
  struct payout_def payout;        // for a pipe that hangs from the vessel or from a moved point
  struct tensioner_def tensioner;  // for a pipe that hangs from the vessel; excludes a programme in payout
  struct operations_def operations; // for a pipe with a tensioner
  struct retire_def retire;         // for a pipe with one of the two, on a seabed with friction
  struct stinger_def stinger;       // for a pipe that hangs from the vessel
};

// Stretches of equal elements from the lower end upwards: those of the mesh, then those of the tally.
static inline int pipe_stretch_count(const struct pipe_def *def) {
  return (def->mesh_segment_count > 0 ? def->mesh_segment_count : 1) + def->tally.part_count;
}

static inline struct mesh_segment pipe_stretch_of(const struct pipe_def *def, int stretch) {
  const int mesh = def->mesh_segment_count > 0 ? def->mesh_segment_count : 1;
  if (stretch >= mesh)
    return def->tally.part[stretch - mesh];
  return def->mesh_segment_count > 0 ? def->mesh[stretch]
                                     : (struct mesh_segment){def->length_m, def->elements, 0};
}

// The stretch that an element belongs to; elements count from the lower end, first those of the mesh, then
// those of the tally. The last stretch has no end here.
static inline struct mesh_segment pipe_stretch_at(const struct pipe_def *def, int element) {
  int k = 0;
  for (; k < pipe_stretch_count(def) - 1 && element >= pipe_stretch_of(def, k).elements; k++)
    element -= pipe_stretch_of(def, k).elements;
  return pipe_stretch_of(def, k);
}

// Unstressed length of an element, m.
static inline double pipe_element_length(const struct pipe_def *def, int element) {
  const struct mesh_segment stretch = pipe_stretch_at(def, element);
  return stretch.length_m / stretch.elements;
}

// Type by its number, as in struct mesh_segment: 0 is the line pipe.
static inline const struct pipe_type *pipe_type_of(const struct pipe_def *def, int type) {
  return type == 0 ? &def->line : &def->types[type - 1];
}

// Outer diameter of the steel, m.
static inline double pipe_steel_diameter(const struct pipe_type *type) {
  return type->steel_diameter_m > 0 ? type->steel_diameter_m : type->outer_diameter_m;
}

// Type of an element.
static inline const struct pipe_type *pipe_element_type(const struct pipe_def *def, int element) {
  return pipe_type_of(def, pipe_stretch_at(def, element).type);
}

// The shortest top element, as a share of the nominal length (sagbend/lay/remesh.c), and the speed at which
// it lasts three steps.
#define PIPE_SHORTEST_SHARE 0.05
static inline double pipe_tally_speed_max(double nominal_m, double step_s) {
  return PIPE_SHORTEST_SHARE * (nominal_m / step_s) / 3;
}

// Elements of mesh and feed together; without end a number that no pipe reaches.
static inline int pipe_plan_elements(const struct pipe_def *def) {
  int sum = def->elements;
  if (def->tally.part_count == 0 || def->tally.is_endless)
    return 1 << 30;
  for (int k = 0; k < def->tally.part_count; k++)
    sum += def->tally.part[k].elements;
  return sum;
}

// Shortest element that the tally holds or recovery takes back, m.
static inline double pipe_tally_shortest(const struct pipe_def *def) {
  const int mesh = pipe_stretch_count(def) - def->tally.part_count;
  double shortest = 0;
  for (int k = mesh - 1; k < pipe_stretch_count(def); k++) {
    const struct mesh_segment part = pipe_stretch_of(def, k);
    const double element = part.length_m / part.elements;
    shortest = k < mesh || element < shortest ? element : shortest;
  }
  return shortest;
}

// Elements that recovery leaves: the uppermost element and one more are of the last segment of the mesh.
static inline int pipe_tally_elements_min(const struct pipe_def *def) {
  int segment = def->mesh_segment_count - 1;
  int equal = segment < 0 ? def->elements : def->mesh[segment].elements;
  return def->elements - equal + 2;
}

// ------------------------------------------------------------
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

// Bending beyond yield: layers in parallel, each elastic and perfectly plastic (sagbend/pipe/pipe.h).
enum { PLASTIC_LAYERS = 16 };
struct pipe_layers {
  int count; // 0: elastic
  double stiffness_nm2[PLASTIC_LAYERS];
  double limit_1pm[PLASTIC_LAYERS]; // elastic curvature at which a layer yields
};

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
  double *kirchhoff_kg;    // the same where its inertia has Kirchhoff's form (wire.c), 0 where Morison's
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

// The arrays of doubles of the mesh in the order of their memory: member, number of arrays, whether pipe p
// has them, and what an array has a value of. Creation, copies and the clearing of elements and nodes follow
// this table.
#define PIPE_MESH(X)                                                                                         \
  X(length_m, 1, 1, PER_ELEMENT)                                                                             \
  X(stiffness, 6, 1, PER_ELEMENT)                                                                            \
  X(rest_strain, 6, 1, PER_ELEMENT)                                                                          \
  X(mass_kg, 1, 1, PER_NODE)                                                                                 \
  X(axial_excess_kg, 1, 1, PER_NODE)                                                                         \
  X(kirchhoff_kg, 1, 1, PER_NODE)                                                                            \
  X(inertia_kgm2, 3, 1, PER_NODE)                                                                            \
  X(weight_n, 1, 1, PER_NODE)                                                                                \
  X(water_kg, 2, 1, PER_NODE)                                                                                \
  X(drag_transverse, 1, 1, PER_NODE)                                                                         \
  X(drag_axial, 1, 1, PER_NODE)                                                                              \
  X(rotational_damping, 3, 1, PER_NODE)                                                                      \
  X(contact_length_m, 1, 1, PER_NODE)                                                                        \
  X(contact_offset_m, 1, 1, PER_NODE)                                                                        \
  X(contact_damping_nspm2, 1, 1, PER_NODE)                                                                   \
  X(outer_area_m2, 1, 1, PER_ELEMENT)                                                                        \
  X(inner_area_m2, 1, 1, PER_ELEMENT)                                                                        \
  X(steel_radius_m, 1, 1, PER_ELEMENT)                                                                       \
  X(arc_m, 1, 1, ALONG_NODES)                                                                                \
  X(weight_npm, 1, 1, PER_ELEMENT)                                                                           \
  X(outer_radius_m, 1, 1, PER_ELEMENT)                                                                       \
  X(displaced_n, 1, 1, PER_ELEMENT)                                                                          \
  X(flood_share, 1, 1, PER_ELEMENT)                                                                          \
  X(unbent_1pm, 2, p->has_plastic, PER_ELEMENT)

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
                        // (sagbend/model/top.c)
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

// Mass of a type with its content, kg/m.
double pipe_type_mass(const struct pipe_def *def, const struct pipe_type *type);

// Submerged weight of a type with its content, N/m; negative if it floats.
double pipe_type_weight(const struct pipe_def *def, const struct pipe_type *type, const struct env_def *env);

// Mean submerged weight of the whole pipe, N/m.
double pipe_mean_weight(const struct pipe_def *def, const struct env_def *env);

// Doubles of a padded array before index 0: element -1 exists and is zero.
enum { PIPE_LEAD = 8 };

// A length of one kind that a node carries. contact_part: its share of the node's contact properties.
struct pipe_load {
  const struct pipe_metre *metre;
  double length_m, contact_part;
};

// Lets the tally know what its place in the plan means (sagbend/pipe/feed.c).
void pipe_find_place(struct pipe_mesh *p) NONBLOCKING;

// Gives node i what these lengths carry, and nothing else.
void pipe_lump(struct pipe_mesh *p, int i, const struct pipe_load *load, int count) NONBLOCKING;

// Makes element e, or all that node i carries, that of padding.
void pipe_clear_element(struct pipe_mesh *p, int e) NONBLOCKING;

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

// ------------------------------------------------------------
// For the other files of this room: normal springs and dampers of the seabed under the nodes.

// Fills w->penetration_m at the start of a step.
void pipe_contact_begin(const struct pipe_mesh *p, const struct pipe_state *s,
                        struct pipe_work *w) NONBLOCKING;

// Adds the forces of springs and, in a step, dampers to the residual; fills normal_force_n, damper_force_n,
// end_normal_force_n, contact_share and penetration_gradient of w. inverse_h: 0 in statics.
void pipe_contact_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         double inverse_h) NONBLOCKING;

// Energy of the seabed's spring or soil below a metre of pipe at node i, J.
double pipe_contact_energy(const struct pipe_mesh *p, const struct pipe_state *s, int i,
                           double penetration_m) NONBLOCKING;

// Half the stiffness of the reaction at rest at node i, N/m2, as in the tangent of the statics.
double pipe_contact_rest_stiffness(const struct pipe_mesh *p, const struct pipe_state *s, int i,
                                   double penetration_m) NONBLOCKING;

// Derivatives with respect to dr of a node, for the friction.
struct contact_rates {
  vec3 share, end_force; // of w->contact_share and w->end_normal_force_n
  mat3 turn;             // of w->penetration_gradient
};

// Adds the derivative of the forces with respect to dr to the diagonal block of node i, after
// pipe_contact_forces for the same dr.
struct contact_rates pipe_contact_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                          const struct pipe_work *w, int i, double inverse_h,
                                          double block[36]) NONBLOCKING;

// End of a step, when poses and velocities are known: corrects the velocities for the moments at which the
// dampers' impulses act. Fills w->seabed_loss_j, and w->unresolved if a spring or damper is too fast for the
// step.
void pipe_contact_correct_velocities(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w,
                                     double step_s) NONBLOCKING;

// ------------------------------------------------------------
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

// ------------------------------------------------------------
// For core/model: the top element while pipe is paid out or recovered. Its length changes within a step;
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
// For the other files of this room: Coulomb friction on the seabed, an elastic spring that slips at its
// bound, along and across the pipe independently.

// Adds the friction forces for the increments in w to the residual (steps only) and fills
// w->end_friction_elongation_m and w->friction_loss_j. Call after pipe_contact_forces.
void pipe_friction_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                          struct pipe_work *w) NONBLOCKING;

// Adds their derivative to the diagonal block of a node. rates: from pipe_contact_tangent.
void pipe_friction_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           int node, const struct contact_rates *rates, double block[36]) NONBLOCKING;

// Takes the elongations at the end of the step into the state.
void pipe_friction_commit(const struct pipe_mesh *p, struct pipe_state *s,
                          const struct pipe_work *w) NONBLOCKING;

// ------------------------------------------------------------
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

// ------------------------------------------------------------
// Pipe at and above the water. weight_n and weight_npm are those of submerged pipe; this adds the weight of
// the water that the pipe does not displace. The surface is the still water level, z = 0, or with waves on
// the pipe that of its state (surface_m). An element is straight between its nodes, its section a circle that
// the surface cuts horizontally. An element whose nodes lie deeper than its radius has no part in any of
// this. docs/model.md.

// Means along an element whose ends lie lower and upper radii below the surface, for water of unit weight in
// the whole section and a unit radius.
struct waterline {
  double energy;       // V >= 0; 0: all of it is submerged
  double gradient[2];  // dV/d(lower), dV/d(upper); -1/2 each: all of it is dry
  double curvature[3]; // second derivatives: lower lower, lower upper, upper upper
};
struct waterline waterline_of(double lower, double upper) NONBLOCKING;

// Mean gradient over a step: its product with the changes of lower and upper is the change of V.
struct waterline_step {
  double gradient[2];
  double tangent[2][2]; // derivatives of gradient with respect to lower and upper at the end of the step
};
struct waterline_step waterline_over(const double start[2], const double end[2]) NONBLOCKING;

// Energy of the water that is not displaced, J.
double pipe_waterline_energy(const struct pipe_mesh *p, const struct pipe_state *s) NONBLOCKING;

// Length of pipe above the water, m; 0 with BUOYANCY_SUBMERGED.
double pipe_dry_length(const struct pipe_mesh *p, const struct pipe_state *s);

// For pipe_residual and pipe_tangent: adds the forces over the step, and their derivatives.
void pipe_waterline_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                           struct pipe_work *w) NONBLOCKING;
void pipe_waterline_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                            struct blocktri *b, double top_diag[36], double top_upper[36],
                            double top_lower[36]) NONBLOCKING;

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

// ------------------------------------------------------------
// The motion of the sea at the nodes of the pipe. Summing all components at every node in every step costs
// too much, so each node has a station: a point that moves straight from one place to another over a window
// of time. The motion is summed at both ends of the window only; in between, the motion along the way is the
// cubic that has the sums and their rates at its ends, and the way from the station to the node is bridged by
// the gradient. The windows of the nodes end one after the other, so that the work spreads over the steps.
//
// The places and times are state (pipe_state.station_n, station_s). The sums are a pure function of them:
// stations_follow makes them anew where they are not those of the state.

// Arrays have a value per node. Polynomials are in the share of the window that has passed, by rising power.
struct stations {
  double *key[8];           // begin and end of the window, its two places: what the sums are of
  double *last[SEA_COLUMN]; // sea_column at the end of the window
  double *velocity[4][3];   // m/s, along the way
  double *gradient[2][9];   // 1/s
  double *surface[4];       // m
  double *slope[2][2];
  double *water_n[3]; // velocity of the water at the last time asked for, m/s
  int first;          // number of node 0, as in pipe_mesh
};

// Take memory for a pipe that is in the sea; only measures with an arena that measures.
void stations_create(struct stations *c, const struct pipe *p, struct arena *memory);

// Begins a step: windows that have ended are followed by the next ones, and nodes that come near the surface
// get a station.
void stations_begin(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                    struct stations *c, double time_s, double step_s) NONBLOCKING;

// Lets the sums follow the state where nodes have come, gone or shifted, or the state was set otherwise.
void stations_follow(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                     struct stations *c) NONBLOCKING;

// Sets water_n: velocity of the water at the nodes at a time within the windows.
void stations_flow(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                   struct stations *c, double time_s) NONBLOCKING;

// The same at node i alone, m/s.
vec3 stations_velocity(const struct sea_field *field, const struct pipe_state *s, const struct stations *c,
                       int i, double time_s) NONBLOCKING;

// Fills force_n: mean force on each node of the water that the waves accelerate in the step from time_s, N.
// It is that at the place, attitude and draught that the node has in the middle of the step by its velocity
// now. The surface must be that of the middle (stations_raise).
void stations_push(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                   const struct stations *c, double time_s, double step_s,
                   double *const force_n[3]) NONBLOCKING;

// Moves the surface over the nodes to that of a time, at the places that they have lead_s later by their
// velocities now. Returns the work that it does on the pipe, J.
double stations_raise(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                      const struct stations *c, double time_s, double lead_s) NONBLOCKING;

// Whether stations of a file are such as a run can have (conventions: sagbend/base/base.h).
int stations_are_valid(int nodes, const struct pipe_state *s, struct reason *why);

// ------------------------------------------------------------
// Largest and smallest forces, curvature and strain of the whole pipe, over the middles of all elements, all
// nodes, both sides of every node where two types meet, and both ends.

struct pipe_extreme {
  double value;
  double s_m; // arc length S at which it occurs
};

struct pipe_extremes {
  struct pipe_extreme max_tension_n, min_tension_n; // effective tension; negative: compression
  struct pipe_extreme max_wall_tension_n, min_wall_tension_n;
  struct pipe_extreme max_shear_n;            // magnitude
  struct pipe_extreme max_torsion_nm;         // magnitude
  struct pipe_extreme max_moment_nm;          // magnitude of the bending moment
  struct pipe_extreme max_curvature_1pm;      // magnitude, of the shape
  struct pipe_extreme max_strain, min_strain; // of the steel's outer fibre, T_e/EA + curvature by bending
                                              // moment times outer radius of the steel (elastic, round pipe):
                                              // largest magnitude; smallest value, negative in compression
};

struct pipe_mesh;
struct pipe_state;
struct pipe_work;

// For the state of the last pipe_begin or pipe_energy_of, after w->top_force_n has been set.
void pipe_extremes_of(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                      struct pipe_extremes *extremes) NONBLOCKING;

// ------------------------------------------------------------
// Forces and moments in the cross-sections of the pipe, as outputs: what the part above S exerts on the part
// below, in the section frame t (t1 along the axis, towards the hang-off).

struct section_forces {
  double effective_tension_n; // axial force of the model, which balances the submerged weight; positive in
                              // tension
  double wall_tension_n;      // axial force in the steel: T_w = T_e - p_o A_o + p_i A_i
  double shear_n[2];          // along t2, t3
  double torsion_nm;          // about t1
  double bending_nm[2];       // about t2, t3
  double curvature_1pm[2];    // about t2, t3: of the shape, including the curvature of the unstressed pipe
  double residual_1pm[2];     // part of curvature_1pm that bending beyond yield has left: what remains of it
                              // without bending_nm/EI and the curvature of the unstressed pipe
  double max_strain, min_strain; // longitudinal, of the steel's outer fibre: largest magnitude; smallest
                                 // value, negative in compression
};

struct pipe_mesh;
struct pipe_state;
struct pipe_work;

// The functions below refer to the state of the last pipe_begin or pipe_energy_of. They give the elastic
// part: the stress of structural damping is not included.

// In the middle of an element.
struct section_forces pipe_element_section_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                                  const struct pipe_work *w, int element) NONBLOCKING;

// At a node, with an error of order 2 in the element length (sections.c). Where two types meet, the
// wall tension is the mean of both sides; curvature, with its residual part, and strain are those of the side
// where they are larger. At the upper end the force is w->top_force_n, between the pipe and what holds it.
struct section_forces pipe_node_section_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                               const struct pipe_work *w, int node) NONBLOCKING;

// The same with wall tension, curvature and strain of the element below (upper = 0) or above (upper = 1) the
// node.
struct section_forces pipe_node_side_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                            const struct pipe_work *w, int node, int upper) NONBLOCKING;

// Force in the middle of an element, N in n.
struct vec3 pipe_element_force(const struct pipe_mesh *p, const struct pipe_work *w, int element) NONBLOCKING;

// ------------------------------------------------------------
// The force with which a tensioner holds the pipe over a step in which the length dl passes its grip. One law
// for all modes:
//   force = set + k s_mean + B (dl - a)/h + stop(dl/h) + m (u1 - u0)/h,   u1 = 2 dl/h - u0,
// s is the stretch of the grip, with k |s| <= bound: beyond it the pipe slips, or the drive gives way. s_mean
// is its mean over the way dl - a. a is the way of the tracks over the step, u the speed of the pipe through
// the grip. Pay-out is positive.
//   brake:    set = 0, a = 0, B = 0, bound: what brake and grip hold;
//   tension:  set: the set-point, a = 0, bound: half the dead band;
//   speed:    set = 0, a: as the tracks move, B = 0, bound: what motor and grip hold.
// Stored are m u^2/2 + k s^2/2. Work and losses follow from the law, so that their balance is exact for any
// dl: force dl = change of what is stored - work + loss.

// A step of the law.
struct tensioner_step {
  double step_s;                    // h
  double mass_kg;                   // m: tracks, drive and the pipe on board
  double speed_mps, stretch_m;      // u0, s0
  double set_n;                     // before the limit of the power
  double power_w;                   // limit of |set u0|; 0: none
  double bound_n;                   // >= 0
  double travel_m;                  // a
  double stiffness_npm;             // k > 0
  double damping_nspm;              // B >= 0
  double stop_speed_mps, stop_nspm; // a damper on the part of |dl/h| beyond stop_speed_mps; 0 N s/m: none
};

struct tensioner_force {
  double force_n;   // with the inertia
  double slope_npm; // derivative of the force with respect to dl
  double holding_n; // without the inertia
  double end_stretch_m, end_speed_mps;
  double work_j; // of motor and set-point on the system, of either sign
  double loss_j; // by slip, damper and stop, >= 0
};

struct tensioner_force tensioner_force_of(const struct tensioner_step *x, double length_m) NONBLOCKING;

// Stored energy, J.
double tensioner_energy(double mass_kg, double stiffness_npm, double speed_mps, double stretch_m) NONBLOCKING;
