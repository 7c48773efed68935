// The simulator from outside: the room's public header. It knows no operating system and does no I/O.
//
//   sim_memsize      checks the definition and returns the size of the memory
//   sim_create       places the simulator there and solves the statics
//   sim_step         advances one step
//   sim_get_output   reads the result, as often as needed
//   sim_snapshot, sim_restore, sim_hash   write, read and compare the state
//
// The simulator is deterministic: the same definition, inputs and build give the same bits. No function
// allocates memory. World frame n: x north, y east, z down, origin on the mean sea surface. Body frame b: x
// forward, y starboard, z down, origin at the vessel's reference point. SI units, radians. docs/model.md.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
#include "sagbend/events/events.h"
#include "sagbend/integrator/integrator.h"
#include "sagbend/math/math.h"
#include "sagbend/model/model.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/sections/sections.h"
#include "sagbend/signals/signals.h"
#include "sagbend/steel/steel.h"
#include "sagbend/thrusters/thrusters.h"
#include "sagbend/vessel/vessel.h"

#include <stddef.h>
#include <stdint.h>

// ---- Definition and creation ----

enum controller_kind { CONTROLLER_NONE, CONTROLLER_CONTINUOUS, CONTROLLER_SAMPLED, CONTROLLER_EXTERNAL };

// The code check of the pipe.
struct code_check_def {
  int enabled;                                  // 0: none
  int safety_class;                             // enum safety_class
  int load_factors;                             // enum check_load_factors
  double condition;                             // gamma_C
  double min_pressure_pa;                       // p_min
  double arrestor_spacing_m;                    // of installed buckle arrestors; 0: none
  struct check_steel steel[1 + MAX_PIPE_TYPES]; // of the line pipe, then of the types
};

// Fatigue while the session goes on (sagbend/sim/checks.c).
struct fatigue_def {
  int enabled;
  int beside; // 1: counted beside the session: neither in its hash nor in snapshots
  struct sn_curve_def curve;
  double wall_m[1 + MAX_PIPE_TYPES]; // of the steel of the line pipe, then of the types
  double interval_s;                 // between samples of an element
  double gate_pa;                    // turns of the stress smaller than this are no turns
  double window_s;                   // over which the rate is taken
  double allowance;                  // damage that the operation may use
  double standby_least_s;            // event standby_short below it; 0: none
};
// The usual values; macros, as the table of configuration keys needs their text.
#define FATIGUE_INTERVAL_S 0.1
#define FATIGUE_GATE_PA    5e5
#define FATIGUE_WINDOW_S   1800
#define FATIGUE_ALLOWANCE  0.1

// Limits of validity beyond which an event is raised (sagbend/events/events.inc). 0: the usual one.
struct validity_def {
  double angle_rad; // of roll and pitch
  // Of the hang-off under the mean sea surface. 0: none for a hang-off that starts VALIDITY_HANGOFF_DRY_M
  // above the water, for another one twice the vessel's draught.
  double hangoff_depth_m;
  double strain;       // of the pipe's steel
  double brard_number; // with a hydro file: horizontal speed through the water times 2 pi/(g peak period)
  double sinking_diameters; // penetration of the seabed
};
static const double VALIDITY_ANGLE_RAD = 0.785398163397448310, VALIDITY_STRAIN = 0.05,
                    VALIDITY_BRARD_NUMBER = 0.25, VALIDITY_SINKING_DIAMETERS = 0.5;
static const double VALIDITY_HANGOFF_DRY_M = 1, VALIDITY_DRAFT_M = 10; // the latter without a draught

// Everything that defines a simulation.
struct sim_def {
  double step_s;
  int newton_max_iterations; // in a step
  struct integrator_def integrator;
  struct env_def env;
  struct vessel_def vessel;
  struct pipe_def pipe;
  struct statics_def statics;
  struct code_check_def code_check;
  struct validity_def validity;
  struct fatigue_def fatigue;
  enum controller_kind controller; // the simulator itself contains only CONTROLLER_CONTINUOUS
  struct pid_def pid;              // of CONTROLLER_CONTINUOUS
  int hold_balances_statics; // 1: the initial holding force is the one that holds the static equilibrium
  double initial_holding_force_b[6]; // otherwise this one, N and N m about the reference point
};

// Model, state and workspace in one block of memory that the caller owns.
struct sim;

// Checks the definition and sets *size to the number of bytes that sim_create needs. STATUS_BAD_INPUT: the
// definition is not valid; *size is 0.
enum status sim_memsize(const struct sim_def *def, size_t *size, struct reason *why);

// Creates the simulator in mem, which is 64-byte aligned, and solves the statics. The definition is copied;
// its bathymetry grid is not needed afterwards. *out is set only with STATUS_OK. Errors: STATUS_BAD_INPUT
// (definition), STATUS_NO_MEMORY (size too small), STATUS_NOT_CONVERGED (no equilibrium).
enum status sim_create(const struct sim_def *def, void *mem, size_t size, struct sim **out,
                       struct reason *why);

// The same beside first, a simulator of the same definition (NULL: none). While that has made no step, its
// equilibrium is taken and not solved again. is_zero: mem contains zeros, which are not written again.
enum status sim_create_beside(const struct sim *first, const struct sim_def *def, void *mem, size_t size,
                              int is_zero, struct sim **out, struct reason *why);

// A further simulator of the definition of first, which has made no step: it takes the equilibrium, and
// shares all that no step changes, definition and model. first must outlive it. mem: sim_sharing_size bytes
// of zeros, 64-byte aligned.
size_t sim_sharing_size(const struct sim *first);
enum status sim_create_sharing(const struct sim *first, void *mem, size_t size, struct sim **out,
                               struct reason *why);

// Checks whether def->integrator can advance this session. STATUS_BAD_INPUT: *key is the configuration key at
// fault and why the reason.
enum status sim_check_integrator(const struct sim_def *def, const char **key, struct reason *why);

// Result of the statics. Its initial holding force is that of thrusters and wrench together.
const struct statics_report *sim_statics(const struct sim *sim);

// Set-points, one for each thruster, that hold the vessel at the start.
const struct thruster_setpoint *sim_hold_setpoints(const struct sim *sim);

// Wrench that these set-points, one for each thruster, ask for: the thrust of steady drives in still water,
// about the reference point, b, N and N m.
void sim_static_wrench(const struct sim *sim, const struct thruster_setpoint *setpoint,
                       double wrench_b[6]) NONBLOCKING;

// ---- Step ----

// Input of a step, constant during the step. Zero and NULL mean: hold, no failures.
struct sim_input {
  // Wrench about the reference point in addition to the thrusters, b, N and N m. NULL: the initial holding
  // force.
  const double *wrench_b;
  // Set-points, one for each thruster. NULL: those that hold the vessel at the start.
  const struct thruster_setpoint *setpoint;
  struct thruster_switches thruster[MAX_THRUSTERS]; // failures
  struct bus_switches bus[MAX_BUSES];
  struct power_switches power;      // failures of the power plant; that of a bus counts as well
  struct tensioner_input tensioner; // orders from outside, and failures
  struct flooding_input flooding;   // water that comes into the pipe
  int has_way;                      // 1: there is a route
  double way_m;                     // then: way of the vessel's point along it
};

// Advances one step. input NULL: hold, no failures. Does nothing once a fault is latched.
void sim_step(struct sim *sim, const struct sim_input *input) NONBLOCKING;

// ---- Output ----

// A thruster's true state; its feedback may differ.
struct thruster_output {
  char name[SIGNAL_NAME];
  int running, ready;
  double revolutions_rpm, pitch; // pitch: share of full pitch, -1 to 1
  double thrust_share;           // of full thrust in still water, -1 to 1
  double azimuth_rad;            // direction of positive thrust, clockwise from the bow; rudder: its angle
  double thrust_n;               // in the present inflow, along the azimuth; main propeller: ahead
  double power_w;
  uint64_t in_forbidden_zone_count; // number of commands whose azimuth lay in a forbidden zone
};

struct bus_output {
  char name[SIGNAL_NAME];
  int closed, limited; // limited: set-points are scaled down to the available power
  double available_w, used_w;
  uint64_t limited_count; // number of times that a limitation began

  // With a power plant.
  double frequency, voltage; // per unit; 0: dark
  uint64_t dark_count;       // number of blackouts
};

// The power plant (sagbend/power/power.h).
struct generator_output {
  char name[SIGNAL_NAME];
  enum generator_phase phase;
  enum trip trip; // why it tripped last
  int locked;
  int reported; // power management takes its breaker for closed
  double load_w, reactive_w;
  uint64_t trip_count;
};

struct tie_output {
  char name[SIGNAL_NAME];
  int closed;
  uint64_t trip_count;
};

struct battery_output {
  char name[SIGNAL_NAME];
  double charge;  // share of its energy when full
  double power_w; // given to its bus; negative: it is charged
};

struct power_output {
  int present, running;                          // running: sets on line
  int generator_count, tie_count, battery_count; // 0: none
  double frequency_min; // least of the live buses, per unit; 1: no bus is live, or no power plant
  double reserve_w;     // power on line that nothing uses
  double battery_j;     // charge of all batteries
  struct power_ledger ledger;

  // Only so many as counted are set.
  struct generator_output generator[MAX_GENERATORS];
  struct tie_output tie[MAX_TIES];
  struct battery_output battery[MAX_BATTERIES];
};

struct sim_output {
  uint64_t step; // steps done
  double time_s; // step * step_s

  // Vessel: position and velocity of the reference point.
  double position_n_m[3];
  double quaternion_nb[4]; // attitude from b to n, Hamilton convention, scalar first
  double euler_rad[3];     // roll, pitch, yaw of the same attitude
  double velocity_n_mps[3];
  double velocity_b[6]; // nu: m/s, rad/s
  double euler_rate_radps[3];
  double control_wrench_b[6]; // of the last step, in addition to the thrusters; before the first: the hold
                              // wrench

  int has_pipe;
  double hangoff_force_n_n[3]; // force of the pipe on the vessel, n
  double hangoff_position_n_m[3];
  double touchdown_n_m[3];       // where the contact force ends; NaN without contact
  double touchdown_arc_length_m; // arc length S there; NaN without contact
  double layback_m;              // horizontal distance from hang-off to touchdown; NaN without contact
  int has_payout;
  double paid_out_m, payout_mps; // pipe paid out since the start, negative if recovered; its speed
  // Of a tensioner that follows orders (pipe_def.tensioner); has_tensioner 0: there is none.
  int has_tensioner;
  struct tensioner_output {
    enum tensioner_mode mode, ordered; // in effect; of the order in force
    enum tensioner_source source;      // of that order
    double tension_set_n;              // in effect; 0 unless the mode is tension
    double speed_set_mps;              // of the tracks, in effect; 0 unless the mode is speed
    double ordered_tension_n, ordered_speed_mps;
    double force_n; // with which it holds the pipe, mean over the last step
  } tensioner;
  // Operations of the lay; count 0: there are none.
  struct operation_output {
    int count, number;         // number of the present one, from 1; count + 1: all have ended
    char name[OPERATION_NAME]; // empty: all have ended
    double since_s;            // time that it has been on, without that in which it was held
    double progress;           // share that is done, 0 to 1
    int moves;                 // of it, that have ended
    int held, overdue;         // held: an order from outside is in force
    int needs_way;             // 1: an operation ends at a way of the route
  } operation;
  // Laid pipe that has retired: the last of the nodes; zeros without one.
  int has_retiring;
  struct sim_laid_node {
    double time_s, arc_length_m; // of its retiring; S
    double position_n_m[3];
    double tension_n;              // effective tension of the element above it
    double slip_m[2];              // on the seabed since it touched down: along, across the pipe
    double residual_curvature_1pm; // that bending beyond yield has left in the element above it
  } retired;
  // Of a seabed that is a soil; has_soil 0: it is none.
  int has_soil;
  double soil_embedment_m; // largest penetration that any pipe has made
  double soil_suction_n;   // sum of the pulls on the pipe
  // Fatigue; has_fatigue 0: not asked.
  int has_fatigue;
  double fatigue_damage, fatigue_arc_m; // largest of all points so far, up to their last turns; where
  double fatigue_point;                 // number of the point around the section, from 0, pi/4 apart
  double fatigue_rate_1ps,
      fatigue_standby_h;      // largest rate over the window; hours to the allowance, at most 1e6
  double touchdown_tension_n; // effective tension at the touchdown; NaN without contact

  // Extremes over the whole pipe, with ends and both sides of joints, and their arc lengths
  // (sagbend/pipe/pipe.h). Negative tensions and strains are compression.
  double max_curvature_1pm, max_curvature_arc_length_m;
  double max_moment_nm, max_moment_arc_length_m;  // bending moment
  double max_tension_n, max_tension_arc_length_m; // effective tension
  double min_tension_n, min_tension_arc_length_m;
  double max_wall_tension_n, max_wall_tension_arc_length_m;
  double min_wall_tension_n, min_wall_tension_arc_length_m;
  double max_shear_n, max_shear_arc_length_m;
  double max_torsion_nm, max_torsion_arc_length_m; // magnitude
  // Largest magnitude of the steel's longitudinal strain, axial and bending.
  double max_strain, max_strain_arc_length_m;
  double min_strain, min_strain_arc_length_m;

  // Code check: the largest utilisations over the whole pipe and their arc lengths; NaN where a check does
  // not apply somewhere.
  int has_code_check;
  struct check_output {
    double utilisation, arc_length_m;
  } check[CODE_CHECK_COUNT], governing; // governing: the largest of load-controlled buckling, collapse, burst
  uint32_t check_limits[CODE_CHECK_COUNT]; // bits of enum check_limit: why a check does not apply
  // Length of pipe along which a buckle would run, whose utilisation of propagation exceeds 1; NaN where that
  // check does not apply somewhere.
  double propagation_length_m;

  // Stinger. A reaction is the force of the rollers of a support on the pipe, across the pipe and upwards.
  int has_stinger, support_count;
  double support_reaction_n[MAX_STINGER_SUPPORTS];      // from the hang-off towards the tip
  double max_reaction_n, tip_reaction_n;                // of all supports; of the last one
  double tip_clearance_m;                               // gap of pipe and last support; 0: they touch
  double overbend_strain, overbend_strain_arc_length_m; // largest strain of the steel over a support

  int thruster_count, bus_count;
  struct thruster_output thruster[MAX_THRUSTERS];
  double thruster_wrench_b[6]; // sum of all thrusters, N and N m about the reference point
  struct bus_output bus[MAX_BUSES];

  // Zero without wind, waves, current.
  struct sim_weather {
    int has_wind, has_waves, has_current; // a current that is configured, also while it stands still
    double wind_speed_mps;                // 10 m above the sea, with the gust
    double wind_direction_rad;            // direction from which it comes, clockwise from north
    double wind_gust_mps;                 // the gust's part of the speed
    double wave_elevation_m;              // of the undisturbed surface at the reference point, upwards
    double current_n_mps[3];              // at the surface
  } weather;

// The single numbers, with their meanings.
#define OUTPUT(type, member, value) type member;
#define PIPE_OUTPUT                 OUTPUT
#include "sagbend/sim/outputs.inc"

  struct power_output power; // last: without a power plant its arrays are not set (sim_get_output)
};

void sim_get_output(const struct sim *sim, struct sim_output *out) NONBLOCKING;
const struct ledger *sim_ledger(const struct sim *sim) NONBLOCKING;

// Present velocity of the undisturbed water at the depth z_m, and of the air at a height above the mean sea
// surface, n, m/s.
void sim_water_velocity(const struct sim *sim, double z_m, double velocity_n_mps[3]) NONBLOCKING;
void sim_air_velocity(const struct sim *sim, double height_m, double velocity_n_mps[3]) NONBLOCKING;

// A node of the pipe.
struct sim_node {
  double arc_length_m; // S
  double position_n_m[3];
  double quaternion_nt[4]; // attitude from the section frame to n, Hamilton convention, scalar first
  struct section_forces section;
  // Of what meets the ground into the seabed, along the surface's normal; above 0 in contact. High above
  // uneven ground -1; without a seabed 0.
  double penetration_m;
  // Code check: the largest of local buckling, collapse and burst, here and in the middles of the elements
  // beside; -1: a check does not apply. NaN without a code check.
  double utilisation;
  // Curvature that bending beyond yield has left, the magnitude of section.residual_1pm. NaN where no pipe
  // yields.
  double residual_curvature_1pm;
  double fatigue_damage; // the larger of the elements beside it; NaN without fatigue
};

// Number of pipe nodes, from the lower end to the hang-off; 0 without a pipe. It changes where pipe is paid
// out or recovered, and is at most sim_node_capacity.
int sim_node_count(const struct sim *sim) NONBLOCKING;
int sim_node_capacity(const struct sim *sim);

// Fills all sim_node_count nodes.
void sim_get_nodes(const struct sim *sim, struct sim_node *nodes) NONBLOCKING;

// Section forces in the middle of an element, and at a node.
struct section_forces sim_element_forces(const struct sim *sim, int element);
struct section_forces sim_node_forces(const struct sim *sim, int node);

// Utilisations at all sim_node_count nodes, with all loads as functional loads, as in an equilibrium; of the
// side where it is larger where two types meet. Only with a code check.
void sim_get_static_utilisations(const struct sim *sim, struct utilisation *nodes);

// Capacity of a pipe type (0: the line pipe), and the depth from which on a buckle runs along it, m. Only
// with a code check.
const struct check_capacity *sim_check_capacity(const struct sim *sim, int type);
double sim_propagation_depth_m(const struct sim *sim, int type);

// ---- State in and out ----

// A snapshot contains everything on which the next steps depend. Its buffer is 8-byte aligned and has
// sim_snapshot_size bytes. The hash is over the same bytes.
size_t sim_snapshot_size(const struct sim *sim) NONBLOCKING;
void sim_snapshot(const struct sim *sim, void *buffer) NONBLOCKING;

// Checks whether this simulator can have written the snapshot. STATUS_BAD_INPUT: why gives the field, what
// was expected and the value.
enum status sim_check_snapshot(const struct sim *sim, const void *buffer, size_t size, struct reason *why);

// The same, then continues from the snapshot. On an error the state does not change.
enum status sim_restore(struct sim *sim, const void *buffer, size_t size, struct reason *why);

// Hash of the state now; hash and step of a snapshot that sim_check_snapshot has accepted.
uint64_t sim_hash(const struct sim *sim) NONBLOCKING;
uint64_t sim_snapshot_hash(const void *buffer, size_t size);
uint64_t sim_snapshot_step(const void *buffer);

// ---- Timing ----

// Sets the clock, in ns, that measures the stages of a step; NULL: none. The numerics do not depend on it.
void sim_set_clock(struct sim *sim, uint64_t (*now_ns)(void) NONBLOCKING);

// Duration of each stage of the last step, ns; zero without a clock.
void sim_stage_times_ns(const struct sim *sim, uint64_t stage_ns[STAGE_COUNT]) NONBLOCKING;

// ------------------------------------------------------------
// Fatigue that a simulator has counted, also beside its session (fatigue_def.beside), when no output shows
// it.

struct fatigue_result {
  double damage, arc_m, point;
  double rate_1ps, standby_h; // standby at most 1e6
};
struct fatigue_result sim_fatigue(const struct sim *sim) NONBLOCKING;

// Of the elements that are counted now, from the lower end: arc length of the middle, largest damage. Returns
// their number; fills at most capacity.
struct fatigue_place {
  double arc_m, damage;
};
int sim_fatigue_along(const struct sim *sim, struct fatigue_place *places, int capacity);

// ------------------------------------------------------------
// Whether the tension at the hang-off alternates: its deviation from the mean of its neighbours,
//   d(n) = T(n) - (T(n-1) + T(n+1))/2,
// exceeds 0.1 % of the mean tension and changes its sign in each of ten steps, and it has not fallen to half
// of its largest value meanwhile. A motion that the step resolves does not do so, and what a shock leaves
// decays. The energy ledger cannot show it: it closes for any motion.

enum {
  TENSION_ALTERNATIONS = 10,
  TENSION_START = 100 // steps that are not judged: a state that is not at rest may begin with a vibration
};

// 8-byte members only; zero at the start, and always where the length of the pipe is constant.
struct tension_watch {
  uint64_t steps;        // so far, up to TENSION_START
  double tension_n[2];   // of the last step and of the one before
  double deviation_n;    // d of the step before, N
  uint64_t alternations; // deviations in a row beyond the limit, each of another sign than the one before
  double largest_n;      // magnitude of the largest of them, N
};

// Takes the tension after a step. Returns 1 if it alternates. A mean tension below least_n > 0 counts as
// least_n: a slack pipe has no tension of which to take a share.
int tension_watch_step(struct tension_watch *watch, double tension_n, double least_n) NONBLOCKING;

// ------------------------------------------------------------
// Inside of struct sim, for the files of this room and for tests of the inside.

// Of all counts of fatigue: hashed in their place. Zero without them. 8-byte members only.
struct fatigue_state {
  uint64_t bytes;        // of all that counts, in a snapshot behind the fields; 0: none
  uint64_t first, count; // elements that are counted, by their numbers
  double sum;            // of all that the totals have grown
  double damage, arc_m;  // largest of all elements so far, and its arc length
  uint64_t point;
  double rate_1ps, standby_s; // worst of the elements that are counted
};

// An element that has retired.
struct fatigue_laid {
  uint64_t number; // plus 1; 0: none
  double total[FATIGUE_POINTS];
};

// Fatigue of a run, with def.fatigue.enabled. Element number n has the place n modulo slots, on the deck too
// as long as no other takes it; retired it has the place n modulo laid_slots of the store.
struct fatigue_run {
  struct fatigue_section section[1 + MAX_PIPE_TYPES];
  uint64_t every; // steps between samples of an element
  uint64_t ticks; // samples between ticks
  int slots, laid_slots;
  struct fatigue_element *element;
  struct fatigue_laid *laid; // behind the elements, in one piece
};

// Counters and ledger of a run: hashed and part of snapshots. 8-byte members only.
struct sim_run {
  uint64_t step, events, fault, not_converged_count, divided_count, contact_not_resolved_count;
  uint64_t newton_iterations, newton_max, newton_total;
  uint64_t newton_tangents, newton_tangents_total;
  double newton_residual_n;
  double control_b[6]; // wrench of the last step in addition to the thrusters, N, N m
  // Rate of momentum of the half element at the hang-off, n, N: mean over the last step, and at its end.
  double top_rate_n[3], top_rate_end_n[3];
  struct ledger ledger;
  struct tension_watch tension;
  struct fatigue_state fatigue;
};

// The code check of a run. A place is the middle of an element, an end, or one side of a node where two types
// meet.
struct code_check_state {
  struct check_capacity capacity[1 + MAX_PIPE_TYPES];
  int places;                       // room in functional
  struct check_section *functional; // per place: the loads of the static equilibrium at the start
  double *element_governing;        // per element: largest of buckling, collapse and burst in it; -1:
                                    // undefined
  double propagation_length_m;
  struct check_output largest[CODE_CHECK_COUNT];
  uint32_t limits[CODE_CHECK_COUNT];
};

struct sim {
  // Constant after the creation. Simulators that sim_create_sharing has made have those of the first one.
  struct sim_def *def;
  struct model *model;
  size_t bytes, shared_bytes; // of all memory; of what others share with it
  struct integrator_plan plan;
  struct model_state state;
  struct model_work work;
  struct sim_run run;
  struct statics_report statics;
  struct stage_clock clock;
  double hangoff_start_z_m;      // z of the hang-off at the start; 0 without a pipe
  vec3 lay_plane_n;              // horizontal unit vector from the lower end towards the initial hang-off
  struct pipe_extremes extremes; // of the state
  struct code_check_state check; // with def.code_check.enabled
  struct fatigue_run fatigue;
  unsigned char *fields; // the arrays of state.pipe, state.radiation and state.laid, contiguous
  size_t field_bytes;
};

// Simulated time, s.
static inline double sim_time_s(const struct sim *sim) {
  return (double)sim->run.step * sim->def->step_s;
}

static inline void sim_raise(struct sim *sim, enum sim_event event) {
  sim->run.events |= UINT64_C(1) << event;
}

// Checks a definition: sim_check.c. STATUS_BAD_INPUT: why gives the reason.
enum status sim_check_def(const struct sim_def *def, struct reason *why);

// Computes what outputs read beside the state: force at the top and extremes. Call after every step, and
// whenever the state was set otherwise; the strains have to be up to date (model_energy_of).
void sim_refresh(struct sim *sim) NONBLOCKING;

// Tension at the hang-off of a pipe, N, after sim_refresh: sim_output.hangoff_tension_n.
double sim_hangoff_tension(const struct sim *sim) NONBLOCKING;

// Raises the events of the limits of validity, likewise.
void sim_watch_validity(struct sim *sim) NONBLOCKING;

// Code check (checks.c): takes the memory for the functional loads; computes the capacities of all types,
// before the statics; keeps the loads of the equilibrium as functional loads, after sim_refresh; computes the
// utilisations of the state, likewise.
void code_check_take(struct code_check_state *check, const struct pipe *pipe, const struct pipe_def *def,
                     struct arena *memory);
enum status code_check_prepare(struct sim *sim, struct reason *why);
void code_check_start(struct sim *sim);
void code_check_refresh(struct sim *sim) NONBLOCKING;
void code_check_output(const struct sim *sim, struct sim_output *out) NONBLOCKING;
double code_check_governing_at(const struct sim *sim,
                               int node) NONBLOCKING; // the larger of the elements beside it

// Fatigue (checks.c): takes the memory for the counts; prepares them, before the first step; counts
// the state after a step, after sim_refresh, and raises its events; its outputs.
void fatigue_take(struct sim *sim, const struct sim_def *def, struct arena *memory);
void fatigue_start(struct sim *sim);
void fatigue_advance(struct sim *sim) NONBLOCKING;
void fatigue_output(const struct sim *sim, struct sim_output *out) NONBLOCKING;
double fatigue_damage_at(const struct sim *sim, int node) NONBLOCKING;
int fatigue_is_valid(const struct sim *sim, const struct fatigue_state *state, const void *counts,
                     struct reason *why);

// Outputs of a stinger (output.c). stinger_bending: bending strain over a roller, 1/m, continued from
// both sides because the moment has a kink there.
double stinger_bending(const struct sim *sim, const struct roller_place *place) NONBLOCKING;

// A snapshot: this head, then the pipe's fields. 8-byte members only, so that no padding is copied.
struct snapshot_head {
  uint64_t magic, bytes, elements, reserved;
  struct sim_run run;
  struct vessel_state vessel;
  double pid_integral[6];
  struct plant_state plant;
  struct prediction_state prediction;
#define X(name, present) struct name##_state name;
  FEATURE_TABLE(X)
#undef X
};
