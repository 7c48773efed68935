// The pipe as configured, and what the tensioner does with it: types, mesh, tally, pay-out, operations of a
// lay. Operations are a list, one after the other: each gives the tensioner an order, may turn the tower, and
// ends where its condition holds (sagbend/lay/lay.h).
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
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
int pipe_plan_elements(const struct pipe_def *def);

// Shortest element that the tally holds or recovery takes back, m.
double pipe_tally_shortest(const struct pipe_def *def);

// Elements that recovery leaves: the uppermost element and one more are of the last segment of the mesh.
int pipe_tally_elements_min(const struct pipe_def *def);

// Areas of circles and of the displaced water, m2.
static inline double pipe_circle_area(double diameter_m) {
  return 0.25 * TRIG_PI * diameter_m * diameter_m;
}
static inline double pipe_outer_area(const struct pipe_type *type) {
  return pipe_circle_area(type->outer_diameter_m);
}

// Mass of a type with its content, kg/m.
double pipe_type_mass(const struct pipe_def *def, const struct pipe_type *type);

// Submerged weight of a type with its content, N/m; negative if it floats.
double pipe_type_weight(const struct pipe_def *def, const struct pipe_type *type, const struct env_def *env);

// Mean submerged weight of the whole pipe, N/m.
double pipe_mean_weight(const struct pipe_def *def, const struct env_def *env);

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
