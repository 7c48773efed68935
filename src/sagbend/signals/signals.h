// The command that a step uses. It is latched at the start of the step, as a pure function of the step number
// and of the commands that arrived, so that a session can be replayed. No clock, no input or output.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/base/base.h"
#include "sagbend/signals/readings.h"
#include "sagbend/signals/tensioner_order.h"

enum command_state {
  COMMAND_WAITING, // no command has arrived yet: the hold wrench acts
  COMMAND_STANDBY, // a controller is connected and asks for nothing: the hold wrench acts
  COMMAND_FRESH,   // the command arrived within the control period
  COMMAND_HELD,    // older than the control period, not older than the time-out: still applied
  COMMAND_LOST,    // older than the time-out: the configured reaction applies
  COMMAND_STATE_COUNT
};

// Name of a state in messages and logs, such as "waiting"; "unknown" outside the enum.
const char *command_state_name(enum command_state state);

// What acts after the time-out: the last wrench, the hold wrench, or no wrench.
enum command_reaction { REACTION_HOLD_LAST, REACTION_HOLD_WRENCH, REACTION_ZERO };

// Set-point of one thruster, in the order of the configuration.
struct thruster_setpoint {
  int enable;             // 0: stop it
  double revolutions_rpm; // of a fixed-pitch drive; negative: astern, of a tunnel thruster to port
  double pitch;           // of a controllable-pitch propeller, share of full pitch, -1 to 1
  double azimuth_rad;     // of the thrust from the bow, clockwise; of a main propeller the rudder angle
};

// Set-point of one thruster, by its name. Fields as in struct thruster_setpoint.
struct thruster_command {
  char name[SIGNAL_NAME];
  int enable;
  double revolutions_rpm;
  double pitch;
  double azimuth_rad;
};

// Thrusters that a command stops at once, by their names.
struct thruster_stops {
  int count;
  char name[MAX_THRUSTERS][SIGNAL_NAME];
};

// What a controller says of its consequence analysis: whether the vessel could still be held after a failure.
enum { CONSEQUENCE_NAME = SIGNAL_NAME + 8, MAX_CONSEQUENCE_GROUPS = 12 };
struct consequence_report {
  int given; // 0: it says nothing; the rest is zero
  int known; // 0: it cannot say yet; no alarm, margin 0
  int alarm;
  double margin;                  // least of all failures: the factor by which the load may grow
  char failure[CONSEQUENCE_NAME]; // that has it; "": none
  uint64_t unsolved;              // times since take-over that a margin was not found, or only within a gap
};

struct command {
  uint64_t sequence;      // of the controller's message, strictly increasing within a connection
  uint64_t based_on_step; // step of the sensors that it answers
  int standby;            // 1: asks for nothing
  double
      wrench_b[6]; // about the reference point in b, N and N m; acts directly, in addition to the thrusters
  int thruster_count; // thrusters that this command names; the others keep their set-points
  struct thruster_command thrusters[MAX_THRUSTERS];
  struct tensioner_setpoint tensioner; // order for the tensioner, also on standby
  struct thruster_stops stops;         // emergency stops, also on standby
  struct consequence_report consequence;
};

// Limits of the commands to one thruster, and what happens when no command names it any more.
struct thruster_rule {
  char name[SIGNAL_NAME];
  double revolutions_max_rpm; // of a fixed-pitch drive, both ways; 0: a controllable-pitch propeller
  double rudder_max_rad;      // of a main propeller's rudder, both ways; negative: no rudder, any azimuth
  uint64_t timeout_steps;     // after the last command that named it
  int stops_on_timeout;       // 1: zero thrust after the time-out; 0: the last set-point stays
};

struct command_def {
  uint64_t period_steps;  // control period: steps between the sensors sent to controllers
  uint64_t timeout_steps; // age at which a command is lost
  enum command_reaction reaction;
  double wrench_limit[6];      // bound of each component of a commanded wrench, N and N m; 0: unlimited
  int thrusters_only;          // 1: a wrench is refused, except while taking over from the hold wrench
  double hold_wrench_b[6];     // acts while no controller commands, N and N m in b
  uint64_t hold_release_steps; // in which the hold wrench fades out under thruster commands, and back in
                               // afterwards
  int thruster_count;
  struct thruster_rule thruster[MAX_THRUSTERS];
  struct thruster_setpoint hold_setpoint[MAX_THRUSTERS]; // set-points that belong to the hold wrench
  struct tensioner_rule tensioner;
};

// A controller that takes over with thrusters starts by requesting the wrench that acted beside them, and
// fades it out: the hold wrench, and after another controller whatever remains of that controller's wrench.
// Where thrusters_only is set, each component may reach this multiple of the hold wrench.
enum { HAND_OVER_HOLD_WRENCHES = 4 };

// Checks a command on arrival: thrusters that the vessel has, within their limits, a wrench within its
// limits, an order that the tensioner accepts. STATUS_BAD_INPUT with the first violation in why.
enum status command_check(const struct command_def *def, const struct command *command,
                          struct reason *why) NONBLOCKING;

// Part of the simulation's state.
struct command_latch {
  struct command last;      // newest accepted command
  uint64_t latched_at_step; // step at whose start it was latched
  enum command_state state;
  int has_command;     // 1: a command has arrived since the start
  uint64_t lost_count; // how often the state became COMMAND_LOST
  double applied_b[6]; // wrench of this step in b, N and N m
  double hold_share;   // share of the hold wrench that acts, 0 to 1; below 1 under and shortly after thruster
                       // commands
  struct thruster_setpoint setpoint[MAX_THRUSTERS]; // of this step
  uint64_t set_at_step[MAX_THRUSTERS];              // step at which a command or the hold wrench last set it
};

// State at the start: waiting, with the hold wrench and its set-points.
void command_latch_init(struct command_latch *latch, const struct command_def *def);

// Start of a step: latches newest, the last command that has arrived since the previous call (NULL: none),
// and sets state, applied_b and setpoint of this step.
void command_latch_step(struct command_latch *latch, const struct command_def *def,
                        const struct command *newest, uint64_t step) NONBLOCKING;

// Whether a command or latch from a file is possible under this definition at this step (conventions:
// sagbend/base/base.h).
int command_is_valid(const struct command_def *def, const struct command *command, struct reason *why);
int command_latch_is_valid(const struct command_def *def, const struct command_latch *latch, uint64_t step,
                           struct reason *why);
