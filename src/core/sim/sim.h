// The core's one public header: create, step, output, snapshot, restore, hash. No operating system, no I/O.
// Frames and signs: docs/model.md. SI units, radians. Everything is deterministic: same definition, same
// inputs, same build: same bits.
#pragma once

#include "core/base/nonblocking.h"
#include "core/base/stages.h"
#include "core/base/status.h"
#include "core/env/env.h"
#include "core/integrator/integrator_def.h"
#include "core/integrator/ledger.h"
#include "core/model/statics.h"
#include "core/pipe/pipe_def.h"
#include "core/pipe/section_forces.h"
#include "core/signals/command.h"
#include "core/signals/pid.h"
#include "core/vessel/plant.h"
#include "core/vessel/vessel_def.h"

#include <stddef.h>
#include <stdint.h>

enum controller_kind { CONTROLLER_NONE, CONTROLLER_CONTINUOUS, CONTROLLER_SAMPLED, CONTROLLER_EXTERNAL };
struct sim_def {
  double step_s;
  int newton_max_iterations; // cap in a step
  struct integrator_def integrator;
  struct env_def env;
  struct vessel_def vessel;
  struct pipe_def pipe;
  struct statics_def statics;
  enum controller_kind controller;
  struct pid_def pid;        // CONTROLLER_CONTINUOUS only
  int hold_balances_statics; // hold wrench = what holds the static equilibrium
  double hold_wrench_b[6];   // otherwise this
};

// Latched events, bits of sim_output.events; the table makes enum and names.
#define EVENT_TABLE(X)                                                                                       \
  X(EVENT_STEP_DIVIDED, "step_divided",                                                                      \
    "Newton found no solution within its cap; the step was taken in four parts")                             \
  X(EVENT_NEWTON_CAP, "newton_cap", "Newton stopped at its cap; velocities were scaled to keep passivity")   \
  X(EVENT_LARGE_BEND, "large_bend", "more than 30 degrees between neighbouring pipe nodes")                  \
  X(EVENT_NOT_FINITE, "not_finite", "the state is not finite; the simulation has latched a fault")           \
  X(EVENT_STRAIN_LIMIT, "strain_limit",                                                                      \
    "the pipe's largest strain exceeds pipe.strain_limit; the model stays elastic")                          \
  X(EVENT_CONTACT_UNRESOLVED, "contact_unresolved",                                                          \
    "the seabed's spring or damper acts faster than the step resolves: (c + h k) d h/2 exceeds a node's "    \
    "mass per length; contact stays passive, details within a step are lost")                                \
  X(EVENT_DAMPING_GAINED, "damping_gained",                                                                  \
    "the damping made energy in a step: vessel.integrator sp4 and sp6 are not passive; take a shorter step " \
    "or sp2")
#define X(name, text, help) name,
enum sim_event { EVENT_TABLE(X) EVENT_COUNT };
#undef X
const char *sim_event_name(int event);
const char *sim_event_text(int event);

struct thruster_output { // as it is, whatever the feedback says
  char name[SIGNAL_NAME];
  int running, ready;
  double revolutions_rpm, pitch,
      azimuth_rad; // azimuth: of the thrust ahead, from the bow; of a rudder: its angle
  double thrust_n; // in the water that flows there; along the azimuth, of a main propeller ahead
  double power_w;
  uint64_t moved_count; // commands that lay in a forbidden sector
};
struct bus_output {
  char name[SIGNAL_NAME];
  int closed, limited; // limited: set-points are scaled down to the power available
  double available_w, used_w;
  uint64_t limited_count;
};

struct sim_output {
  uint64_t step;            // steps done
  double time_s;            // step * step_s
  double position_n_m[3];   // vessel reference point
  double quaternion_nb[4];  // Hamilton, scalar first
  double euler_rad[3];      // roll, pitch, yaw of the same
  double velocity_n_mps[3]; // of the reference point
  double velocity_b[6];     // nu: m/s, rad/s
  double euler_rate_radps[3];
  double control_wrench_b[6]; // applied in the last step beside the thrusters (before the first: what will be
                              // held)
  int has_pipe;
  // Component along the pipe's axis t1 at the hang-off of the force between the pipe and what holds it there:
  // effective tension at S = L, with weight, drag and inertia of the half element, without what structural
  // damping adds. Of order 2 in the element length. The load cells' true value.
  double hangoff_tension_n;
  // Of the axis t1 at the hang-off in the lay plane, the vertical plane from the lower end towards the
  // hang-off at the start: atan2(component upwards, horizontal component along the lay plane). 90 degrees:
  // vertical; beyond: leaning back over the laid pipe; in (-180, 180] degrees.
  double hangoff_angle_rad;
  double
      hangoff_lean_rad; // of the same axis out of the lay plane, positive to the right of the lay direction
  double hangoff_force_n_n[3]; // of the pipe on the vessel, world frame: minus the whole of that force
  double hangoff_position_n_m[3];
  double touchdown_n_m[3];    // where the contact force ends; NaN without contact
  double touchdown_s_m;       // arc length S there; NaN without contact
  double layback_m;           // horizontal distance hang-off to touchdown; NaN without contact
  double bottom_tension_n;    // effective, at the lower end
  double touchdown_tension_n; // effective; NaN without contact
  // Extremes over the whole pipe, ends and both sides of joints included, and their arc lengths
  // (core/pipe/extremes.h).
  double max_curvature_1pm, max_curvature_s_m;
  double max_moment_nm, max_moment_s_m;  // bending moment
  double max_tension_n, max_tension_s_m; // effective
  double min_tension_n, min_tension_s_m; // negative: compression
  double max_wall_tension_n, max_wall_tension_s_m;
  double min_wall_tension_n, min_wall_tension_s_m;
  double max_shear_n, max_shear_s_m;
  double max_torsion_nm, max_torsion_s_m; // magnitude
  double max_strain,
      max_strain_s_m; // largest magnitude of the steel's longitudinal strain: axial and bending
  double min_strain, min_strain_s_m; // negative: compression
  int thruster_count, bus_count;
  struct thruster_output thruster[MAX_THRUSTERS];
  double thruster_wrench_b[6]; // of all of them together
  struct bus_output bus[MAX_BUSES];
  struct sim_weather { // zero without wind, waves, current
    int has_wind, has_waves;
    double wind_speed_mps;     // of the air 10 m above the sea, with the gust
    double wind_direction_rad; // it comes from, clockwise from north
    double wind_gust_mps;      // part of the speed
    double wave_elevation_m;   // of the undisturbed surface at the reference point, upwards
    double current_n_mps[3];   // at the surface
  } weather;
  uint32_t events;       // bits latched since the start
  int newton_iterations; // of the last step
  int newton_max;        // since the start
  double newton_mean;
  double newton_residual_n;  // largest nodal residual of the last step
  uint64_t divided_count;    // steps that were taken in four parts
  uint64_t cap_count;        // steps that ended at the cap even so: not solved
  uint64_t unresolved_count; // steps too long for a spring or damper of the seabed in contact
  int fault;                 // latched: the state no longer advances
};

// Checks whether def->integrator can advance this session. STATUS_BAD_INPUT: *key is the configuration key at
// fault and why the reason.
enum status sim_check_integrator(const struct sim_def *def, const char **key, struct reason *why);

struct sim; // const model, state and workspace in one caller-owned block

// Bytes that sim_create needs for this definition; 0 if the definition is not valid (see why).
size_t sim_memsize(const struct sim_def *def, struct reason *why);

// Lays out the simulator in mem (64-byte aligned) and solves the statics. *out is valid only with STATUS_OK.
enum status sim_create(const struct sim_def *def, void *mem, size_t size, struct sim **out,
                       struct reason *why);

const struct statics_report *
sim_statics(const struct sim *s); // its hold wrench: of thrusters and the rest together
const struct thruster_setpoint *
sim_hold_setpoints(const struct sim *s); // those that hold the vessel at the start

// What a step is given; all of it is held through the step. Zero or NULL is the ordinary state of everything.
struct sim_input {
  const double
      *wrench_b; // body wrench about the reference point, beside the thrusters; NULL: the hold wrench
  const struct thruster_setpoint
      *setpoint; // one for each thruster; NULL: those that hold the vessel at the start
  struct thruster_switches thruster[MAX_THRUSTERS]; // of the plant, as failures set them
  struct bus_switches bus[MAX_BUSES];
};

// Advances one step. NULL: hold, with nothing failed.
void sim_step(struct sim *s, const struct sim_input *input) NONBLOCKING;

void sim_get_output(const struct sim *s, struct sim_output *out) NONBLOCKING;
const struct ledger *sim_ledger(const struct sim *s) NONBLOCKING;

// Of the water at a depth, now.
void sim_water_velocity(const struct sim *s, double z_m, double velocity_n_mps[3]) NONBLOCKING;
// Velocity of the air at a height above the mean sea surface, now; world frame.
void sim_air_velocity(const struct sim *s, double height_m, double velocity_n_mps[3]) NONBLOCKING;

int sim_node_count(const struct sim *s); // 0 without pipe
struct sim_node {
  double position_n_m[3];
  double quaternion_nt[4]; // Hamilton, scalar first
  struct section_forces section;
};
void sim_get_nodes(const struct sim *s, struct sim_node *nodes) NONBLOCKING; // sim_node_count of them
struct section_forces sim_element_forces(const struct sim *s, int element);  // at its middle
struct section_forces sim_node_forces(const struct sim *s, int node);

// State in and out: everything the next steps depend on. The hash is over the same bytes.
size_t sim_snapshot_size(const struct sim *s) NONBLOCKING;
void sim_snapshot(const struct sim *s, void *buffer) NONBLOCKING;
// Refused (STATUS_BAD_INPUT and the field, what was expected, the value) is what this simulator cannot have
// come to; nothing is changed then. buffer: 8-byte aligned.
enum status sim_restore(struct sim *s, const void *buffer, size_t size, struct reason *why);
enum status sim_check_snapshot(const struct sim *s, const void *buffer, size_t size,
                               struct reason *why); // and no more
uint64_t sim_hash(const struct sim *s) NONBLOCKING;
uint64_t sim_snapshot_hash(const void *buffer, size_t size); // of a checked one: what sim_hash would be
uint64_t sim_snapshot_step(const void *buffer);              // of a checked one

// Optional stage times: the caller's clock, in ns; numerics never see it.
void sim_set_clock(struct sim *s, uint64_t (*now_ns)(void) NONBLOCKING);
void sim_stage_times_ns(const struct sim *s, uint64_t stage_ns[STAGE_COUNT]); // of the last step
