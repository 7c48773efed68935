// The currency between step, server, log and record: what one step leaves behind. Plain data.
#pragma once

#include "core/integrator/ledger.h"
#include "core/signals/command.h"
#include "core/signals/readings.h"
#include "core/sim/sim.h"
#include "hil/fault.h"

#include <stdint.h>

struct timing {
  uint64_t deadline_misses; // steps that began late by a period or more, or ended after their deadline
  uint64_t skipped_periods;
  double lag_s;              // wall clock minus simulated time since the start
  double step_us, wakeup_us; // of the last step
  double step_p50_us, step_p99_us, step_p999_us, step_max_us;
  double wakeup_p50_us, wakeup_p99_us, wakeup_p999_us, wakeup_max_us;
  uint64_t dropped_frames; // telemetry frames lost between the step thread and the server
};

// Everything that leaves a step, except the pipe's nodes. What is large and often empty stands last, so that
// a copy can leave it out.
struct frame {
  struct sim_output output;
  struct ledger ledger;
  enum command_state command_state;
  uint64_t command_sequence; // of the command in use
  uint64_t command_based_on_step;
  uint64_t faults_started, faults_ended;
  int orders_active; // of the active faults, those that an operator made
  uint64_t last_order,
      orders_refused;         // of the operator: the number of the newest in effect; for want of room
  uint32_t verdicts_violated; // so far, bits
  int sensors_lost;           // these Sensors do not reach the controllers
  double clock_offset_s;      // on the time that Sensors tell
  struct timing timing;
  struct readings readings; // of the rig; no instruments: the exact output is sent
  struct fault_set faults;  // active now
};
