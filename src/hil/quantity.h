// What conditions of events and verdicts look at: numbers of the vessel's true state and of the frame, by
// name.
#pragma once

#include "core/signals/command.h"
#include "core/sim/sim.h"

// Enumerator, name with its unit, whether it needs a pipe, what it is.
#define QUANTITY_TABLE(X)                                                                                    \
  X(QUANTITY_OFFSET, "offset_m", 0,                                                                          \
    "horizontal distance of the reference point from the set-point; without one, from the start")            \
  X(QUANTITY_DRIFT, "drift_m", 0, "the same from where the vessel was at the start")                         \
  X(QUANTITY_NORTH, "north_m", 0, "of the reference point")                                                  \
  X(QUANTITY_EAST, "east_m", 0, "of the reference point")                                                    \
  X(QUANTITY_HEADING_ERROR, "heading_error_deg", 0,                                                          \
    "from the set-point's heading; without one, from the start's. Positive clockwise")                       \
  X(QUANTITY_ROLL, "roll_deg", 0, "starboard side down")                                                     \
  X(QUANTITY_PITCH, "pitch_deg", 0, "bow up")                                                                \
  X(QUANTITY_HEAVE, "heave_m", 0, "of the reference point, down from where it was at the start")             \
  X(QUANTITY_SPEED, "speed_mps", 0, "horizontal, over ground")                                               \
  X(QUANTITY_TENSION, "hangoff_tension_n", 1,                                                                \
    "axial force between pipe and vessel: effective tension at the hang-off")                                \
  X(QUANTITY_ANGLE, "hangoff_angle_deg", 1,                                                                  \
    "of the pipe's axis at the hang-off in the lay plane; beyond 90: leaning back")                          \
  X(QUANTITY_LEAN, "hangoff_lean_deg", 1,                                                                    \
    "of the same axis out of the lay plane, positive to the right of the lay direction")                     \
  X(QUANTITY_LAYBACK, "layback_m", 1, "from the hang-off to the touchdown; without contact no number")       \
  X(QUANTITY_CURVATURE, "max_curvature_1pm", 1, "largest in the pipe")                                       \
  X(QUANTITY_MOMENT, "max_moment_nm", 1, "largest bending moment in the pipe")                               \
  X(QUANTITY_MAX_TENSION, "max_tension_n", 1, "largest effective tension in the pipe")                       \
  X(QUANTITY_MIN_TENSION, "min_tension_n", 1,                                                                \
    "smallest effective tension in the pipe; negative: compression")                                         \
  X(QUANTITY_STRAIN, "max_strain", 1,                                                                        \
    "largest magnitude of the steel's longitudinal strain, axial and bending")                               \
  X(QUANTITY_RUNNING, "thrusters_running", 0, "how many of them run")                                        \
  X(QUANTITY_POWER, "power_used_w", 0, "of all buses")                                                       \
  X(QUANTITY_LIMITED, "buses_limited", 0,                                                                    \
    "how many of them have less power than their thrusters' set-points need")                                \
  X(QUANTITY_DARK, "buses_dark", 0, "how many of them have an open breaker")                                 \
  X(QUANTITY_COMMAND_AGE, "command_age_s", 0,                                                                \
    "since the sensors that the command in use answers; before any, since the start")                        \
  X(QUANTITY_IN_COMMAND, "controller_in_command", 0,                                                         \
    "1 while a controller's command acts, fresh or held; 0 while waiting, on standby or lost")               \
  X(QUANTITY_CLOSURE, "ledger_closure", 0,                                                                   \
    "largest residual of the energy ledger so far, as a share of the energy turned over")                    \
  X(QUANTITY_UNSOLVED, "unsolved_steps", 0,                                                                  \
    "steps so far in which Newton found no solution; passivity was kept by force")                           \
  X(QUANTITY_UNRESOLVED, "unresolved_steps", 1,                                                              \
    "steps so far that were too long for the seabed's spring or damper in contact")

// The same for numbers of the clock, counted since the session's start or since it was resumed; 0 in modes
// that are not paced. For verdicts only: an event that began by the clock could not be replayed.
#define CLOCK_QUANTITY_TABLE(X)                                                                              \
  X(QUANTITY_MISSES, "deadline_misses", 0,                                                                   \
    "steps that began late by a period or more, or ended after their deadline")                              \
  X(QUANTITY_SKIPPED, "skipped_periods", 0, "periods lost: no step was made in them")                        \
  X(QUANTITY_MISSED, "missed_steps", 0, "both: steps that were late and periods lost")                       \
  X(QUANTITY_LAG, "lag_s", 0, "simulated time lost: by how much it is behind the wall clock")

#define X(name, text, pipe, help) name,
enum loop_quantity {
  QUANTITY_TABLE(X) STATE_QUANTITY_COUNT, // for conditions of events
  LOOP_BEFORE_CLOCK = STATE_QUANTITY_COUNT - 1,
  CLOCK_QUANTITY_TABLE(X) LOOP_QUANTITY_COUNT
};
#undef X
const char *quantity_name(int q);
const char *quantity_help(int q);
int quantity_needs_pipe(enum loop_quantity q);
int quantity_is_of_clock(enum loop_quantity q);

// What stays the same through a session.
struct loop_target {
  double position_n_m[2], heading_rad; // set-point; without one, the start
  double start_n_m[3], step_s;
  int controller_inside; // it is part of the simulated system: always in command
};

struct loop_lateness { // of the steps so far
  uint64_t deadline_misses, skipped_periods;
};

// The state after a step, as a rig's scenario sees it.
struct loop_view {
  const struct sim_output *truth;
  const struct loop_target *target;
  uint64_t command_based_on_step; // 0: none has come
  enum command_state command_state;
  const struct ledger *ledger;
  struct loop_lateness late;
};

double quantity_value(enum loop_quantity q, const struct loop_view *v); // NaN: there is none at present
