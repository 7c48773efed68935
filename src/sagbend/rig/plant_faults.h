// Faults of thrusters, of their power supply and of the tensioner: they alter the set-points and switches of
// a step, and the feedback in Sensors. The physics is in sagbend/vessel/plant.h and sagbend/lay/tensioner.h.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/names.h"

// Buses that are still dead after a blackout: they return one after the other when it ends.
struct restart {
  uint64_t back_step[MAX_BUSES]; // the bus is dead before this step
};

// True if a state from a file is possible at this step (sagbend/base/base.h).
int restart_is_valid(const struct restart *r, uint64_t step, double step_s, struct reason *why);

// Updates the restart of the buses after a step, with the faults that are active from now on.
void restart_update(struct restart *r, const struct fault_set *faults, int bus_count, uint64_t step,
                    double step_s) NONBLOCKING;

// Applies the faults to the input of a step. setpoint: as commanded, altered here by to_zero, to_full and
// rotating. time_s: at the start of the step.
void plant_apply_faults(const struct fault_set *faults, const struct restart *r,
                        const struct hil_names *names, uint64_t step, double time_s,
                        struct thruster_setpoint setpoint[MAX_THRUSTERS],
                        struct sim_input *input) NONBLOCKING;

// Writes the feedback of thrusters and buses in this true state to the readings.
void plant_feedback(const struct fault_set *faults, const struct hil_names *names,
                    const struct sim_output *truth, struct readings *told) NONBLOCKING;
