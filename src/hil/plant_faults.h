// Faults of thrusters and of the power that drives them: on set-points and switches of a step, and on the
// feedback that is told. The physics of both is the plant's (core/vessel/plant.h).
#pragma once

#include "core/base/nonblocking.h"
#include "core/sim/sim.h"
#include "hil/names.h"

// Buses that are dark after a blackout: they come back one after the other when it ends.
struct restart {
  uint64_t back_step[MAX_BUSES]; // dark before it
};

// Whether a state from a file is one that can have come at this step (core/base/valid.h).
int restart_is_valid(const struct restart *r, uint64_t step, double step_s, struct reason *why);

// After a step, with the faults that are active from now on.
void restart_update(struct restart *r, const struct fault_set *faults, int bus_count, uint64_t step,
                    double step_s) NONBLOCKING;

// What a step is given. setpoint: those commanded; altered by to_zero, to_full and rotating. time_s: of the
// step's start.
void plant_apply_faults(const struct fault_set *faults, const struct restart *r,
                        const struct hil_names *names, uint64_t step, double time_s,
                        struct thruster_setpoint setpoint[MAX_THRUSTERS],
                        struct sim_input *input) NONBLOCKING;

// What is told of thrusters and buses in this true state.
void plant_feedback(const struct fault_set *faults, const struct hil_names *names,
                    const struct sim_output *truth, struct readings *told) NONBLOCKING;
