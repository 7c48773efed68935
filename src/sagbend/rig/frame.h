// The frame: what one step of the closed loop leaves behind. Server, log, record and events all read it.
// closed_loop.c fills it; copies pass from the step thread to the thread that owns the sockets. Plain data.
#pragma once

#include "sagbend/integrator/integrator.h"
#include "sagbend/signals/signals.h"
#include "sagbend/signals/dp_alarm.h"
#include "sagbend/signals/readings.h"
#include "sagbend/signals/track_order.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/fault.h"
#include "sagbend/rig/link_energy.h"
#include "sagbend/rig/notice.h"
#include "sagbend/rig/step_stages.h"
#include "sagbend/rig/verdict_state.h"

#include <stdint.h>

// What the system did to the step thread since its first step, as of some second; and the late steps.
struct real_time {
  uint64_t minor_faults, major_faults; // page faults: from memory, from the disk
  uint64_t waits;                      // sleeps until the next step: it gave the processor up itself
  uint64_t preemptions;                // it had to give the processor up
  uint64_t halts, halted_after;        // halts so far; periods in a row without a step on time at the newest
  struct late_step late, worst; // the newest late step, and the one that ended latest after its deadline
};

// Percentiles so far of a time on the path of a message.
struct latency {
  uint64_t count; // of messages; 0: no percentiles
  double last_us, p50_us, p99_us, p999_us, max_us;
};

// Whether the run makes no steps at present: until an operator resumes it.
enum held {
  HELD_NOT,
  HELD_BY_PAUSE, // by an operator
  HELD_BY_HALT   // by itself
};

// Timing of a run against the wall clock. Zero in modes that do not pace their steps, except the step times.
struct timing {
  uint64_t deadline_misses;  // steps that began late by a period or more, or ended after their deadline
  uint64_t skipped_periods;  // periods in which no step ran
  double lag_s;              // wall-clock time minus simulated time since the start: the skipped periods
  double step_us, wakeup_us; // duration and wake-up latency of the last step
  double step_p50_us, step_p99_us, step_p999_us, step_max_us;         // durations, percentiles so far
  double wakeup_p50_us, wakeup_p99_us, wakeup_p999_us, wakeup_max_us; // wake-up latencies, likewise
  struct latency sensors_sent;    // from the end of a step until its Sensors have gone to all controllers
  struct latency command_latched; // from the receipt of a command to the step that uses it
  uint64_t ended_ns;              // when the step ended, on the monotonic clock
  uint64_t dropped_frames;        // frames that found no room on their way from the step thread to the server
  struct real_time real_time;     // zero in modes that do not pace their steps
  double rate;                    // simulated seconds in one second of the wall clock; 0: not paced
  enum held hold;
  uint64_t holds;                    // pauses and halts so far
  double stage_us[STEP_STAGE_COUNT]; // of the newest step whose times are complete; zero: not measured
};

struct track_def;

// An event of the configuration that moves the set-point: counted above the numbers of orders.
#define SETPOINT_EVENT ((uint64_t)1 << 32)

// What the vessel must hold, and where it started.
struct loop_target {
  double position_n_m[2], heading_rad; // set-point; without one, the start
  double start_n_m[3], step_s;
  const struct track_def *track; // the route that the vessel must follow; NULL: none
  uint64_t order;                // number of the operator's order that set it, plus SETPOINT_EVENT for each
                                 // event that has moved it: it only grows; 0: as configured
  int controller_inside;         // it is part of the simulated system: always in command
  int controller_outside;        // link_work of the frame counts
  struct track_orders track_orders; // of operators for the route
  uint64_t track_order;             // number of the newest of them; 0: none
};

// What a step leaves behind, except the pipe's nodes. Large members that are often empty stand last, so that
// a copy can omit them.
struct frame {
  struct sim_output output; // true state after the step
  struct ledger ledger;     // energy balance
  enum command_state command_state;
  uint64_t command_sequence;      // sequence number of the command in use
  uint64_t command_based_on_step; // step of the Sensors that this command answers
  double commanded_b[6];          // wrench of this command as sent, b, N and N m; with thrusters: beside them
  int commanded_thrusters;        // thrusters that this command names
  struct consequence_report consequence; // of the newest command
  uint64_t consequence_alarms;           // times that its alarm has come
  struct notices notices;                // mistakes of the controller
  struct link_work link_work;            // zero unless the configuration's controller is outside
  uint64_t faults_started, faults_ended; // counts since the start
  int orders_active;                     // active faults that an operator ordered
  uint64_t last_order;                   // number of the operator's newest order in effect
  uint64_t orders_refused;               // orders refused because too many faults were active
  uint32_t verdicts_violated;            // verdicts violated so far, one bit each
  int sensors_lost;                      // nonzero: the Sensors of this step do not reach the controllers
  double clock_offset_s;                 // added to the time in Sensors
  struct loop_target target;
  struct timing timing;
  struct readings readings; // of the instruments; instrument_count 0: Sensors carry the exact output
  struct verdict verdict[MAX_VERDICTS]; // so far, those of the configuration
  struct fault_set faults;              // active faults
  struct dp_alarm_state alarms;         // of the controller
};

// Faults and alarms beyond their counts are not copied.
void frame_copy(const struct frame *from, struct frame *to) NONBLOCKING;
