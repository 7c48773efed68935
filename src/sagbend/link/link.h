// The link between controller and vessel: its faults, and the energy that it feeds into the plant.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/faults/faults.h"
#include "sagbend/integrator/integrator.h"
#include "sagbend/math/math.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <stdint.h>

// The link between controller and vessel, with its faults: loss, jitter, duplicates and reordering of
// commands, loss of Sensors, a clock that jumps. The session's log contains the commands as sent; the link
// acts after that, with a random stream of its own, so that a session can be replayed. Plain data, no clock,
// no allocation.
//
// loss: the command does not arrive. jitter: it arrives later by up to largest_s, in whole steps. duplicate:
// it arrives again, one step after the next command. reorder: it arrives only then. The vessel uses a command
// as it arrives, whatever its sequence number, as thruster drives do.

enum { LINK_QUEUE = 32 };

struct link_counts {
  uint64_t lost, delayed, duplicated, reordered,
      sensors_lost; // commands that found no room in the queue count as lost
};

struct link_item {
  uint64_t due_step; // UINT64_MAX: one step after the next command, which is not known yet
  struct command command;
};

struct link {
  struct random_stream random;
  struct link_counts counts;
  uint64_t count; // commands in transit, in the order of sending
  struct link_item queue[LINK_QUEUE];
};

void link_begin(struct link *l, uint64_t seed); // *l: zeros

// Puts in what the controller has sent since the last step (NULL: nothing), and writes the newest command
// that arrives for this step to *delivered. 0: none arrives.
int link_transfer(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                  const struct command *sent, struct command *delivered) NONBLOCKING;

// Draws whether the Sensors that are due are lost on their way to the controllers. Called once for each.
int link_loses_sensors(struct link *l, const struct fault_set *faults) NONBLOCKING;

// Error of the time in Sensors, in s.
double link_clock_offset_s(const struct fault_set *faults) NONBLOCKING;

// ------------------------------------------------------------
// Energy of the link: what sampling, hold, latency and losses between controller and vessel feed into the
// plant.
//
// Each command names the Sensors that it answers. Let tau_k be the wrench that the command asks for which
// answers the Sensors of time t_k, q the vessel's way in b, and tau_law the straight line through the points
// (t_k, tau_k). Three works then add up to the work of the ports control and thrusters
// (sagbend/integrator/integrator.h):
//
//   law      integral of tau_law . dq: what the controller's law does, as if it acted without a link
//   link     sum of tau . dq over the wrench asked for in each step, less law: what the link adds
//   drives   work of the ports less that sum: lags, limits, inflow and failures of the thrusters
//
// A thruster command asks for the thrust of its set-points in still water. A command that is lost is a point
// of the law all the same, so that the link answers for it. What holds the vessel while no controller asks
// for anything is law. Since the newest point the law is taken as constant, until the next one corrects it;
// over a silence longer than the time-out it stays constant.
//
// The damping of the link on an axis is -link / integral of v^2: below 0 the link takes damping away. With
// law tau = -K x, sampled every T, held and delayed by d, the link does pi K A^2 sinc(wT/2) sin(w(d + T/2))
// in a cycle of amplitude A, where sinc(x) = sin(x)/x; its damping is near -K (d + T/2).
//
// A pure function of commands and states, beside the step: it changes nothing, and no state hash contains it.

// Control samples that a command may be late. One that answers older Sensors counts as an answer to the
// oldest.
enum { LINK_SAMPLES = 64 };

enum { LINK_SURGE, LINK_SWAY, LINK_YAW, LINK_AXES };

// Since the start of the run, J; damping in N s/m, of yaw in N m s/rad; 0 while the vessel has not moved.
struct link_work {
  double law_j, link_j, drives_j;
  double damping[LINK_AXES];
};

// Way during one control sample, m and rad in b, and its moment about the beginning of the sample, in steps.
struct link_sample {
  double way_b[6], moment_b[6];
};

// 8-byte members only.
struct link_energy {
  uint64_t step;          // of the state to which it has booked
  uint64_t has_law;       // 1: the law has a point
  uint64_t law_step;      // of the Sensors that its newest point answers, at the begin of a control sample
  double law_b[6];        // wrench of that point, N and N m
  double since_b[6];      // way since it
  double law_j[6];        // work of the law up to it, by component
  double asked_j[6];      // work of the wrench asked for, by component
  double control_error_j; // work of the port control less its part of asked_j
  double drives_j;
  double square_b[LINK_AXES];                    // integral of v^2
  double velocity_b[6];                          // of the state
  struct thruster_setpoint meant[MAX_THRUSTERS]; // set-points after the newest command sent
  struct thruster_setpoint known[MAX_THRUSTERS]; // set-points of known_b
  double known_b[6];                             // thrust of the thrusters in still water
  struct link_sample sample[LINK_SAMPLES];       // of the newest control samples
};

// A state at which nothing is booked.
void link_energy_begin(struct link_energy *e, const struct sim_output *now); // *e: zeros

// Before a step: a command that a controller has sent, whether or not it arrives, and the latch of the step
// before.
void link_energy_send(struct link_energy *e, const struct command_def *def, const struct sim *sim,
                      const struct command_latch *latch, const struct command *sent) NONBLOCKING;

// After a step: the latch that it used, its state and its ledger. sim gives the thrust of set-points.
void link_energy_step(struct link_energy *e, const struct command_def *def, const struct sim *sim,
                      const struct command_latch *latch, const struct sim_output *now,
                      const struct ledger *ledger, double step_s) NONBLOCKING;

struct link_work link_energy_work(const struct link_energy *e) NONBLOCKING;

// The wrench asked for in the step that was booked last: the thrust of the set-points in still water, and the
// commanded wrench, N and N m in b.
void link_energy_asked(const struct link_energy *e, const struct command_def *def,
                       const struct command_latch *latch, double asked_b[6]) NONBLOCKING;

// Whether a state from a file is possible at this step (sagbend/base/base.h).
int link_energy_is_valid(const struct link_energy *e, uint64_t step, struct reason *why);

// ------------------------------------------------------------
// What a changeover between redundant controllers does to the thrust that is asked for: its largest change
// from one step to the next, from the moment that the command is taken from one until BUMP_LASTS samples
// after the first command of the next, whose first answers may repeat the last one of the one before; and
// beside it the largest change while one controller commands, which fades with BUMP_FADES_S. Beside the step:
// no state hash contains it. Without a list of controllers all of it stays zero.

static const double BUMP_FADES_S = 60;
enum { BUMP_LASTS = 10 }; // control periods

struct thrust_step {
  double force_n, moment_nm; // horizontal; in yaw
};

// 8-byte members only; zero at the start.
struct bump {
  uint64_t has_asked, is_open;          // asked_b is known; a changeover goes on
  uint64_t count;                       // complete changeovers that it has seen
  double asked_b[6];                    // in the step before
  struct thrust_step usual;             // while one commands
  struct thrust_step before;            // the same as the newest changeover that is complete began
  struct thrust_step newest;            // of that one, as far as it has come
  uint64_t left;                        // steps that still belong to the one that goes on or went on last
  uint64_t is_complete;                 // another controller has commanded in that one
  struct thrust_step usual_then, going; // of that one
};

// Of the newest changeover that is complete, or of one that goes on, if that is larger.
struct thrust_step bump_newest(const struct bump *bump) NONBLOCKING;

// After each step: the latch that it used, and the wrench that was asked for.
void bump_step(struct bump *bump, const struct command_def *def, const struct command_latch *latch,
               const double asked_b[6], double step_s) NONBLOCKING;
int bump_is_valid(const struct bump *bump, struct reason *why); // sagbend/base/base.h

// What a frame shows of changeovers.
struct changeover_view {
  int listed; // controllers of the case; 0: it lists none, and all below is 0
  uint64_t term, seat, given_to, since, cause, count, late, gap_steps; // as in struct changeover
  int on_backup;                                                       // the switch points to the backup
  uint64_t standbys_ready, standbys_following; // as in the command in use; 0 while none is
  struct thrust_step newest, before;           // as in struct bump
};
