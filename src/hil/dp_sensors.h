// What a sampled controller (control/dp.h) reads: the very numbers that the message Sensors carries.
#pragma once

#include "control/dp.h"
#include "core/sim/sim.h"
#include "hil/frame.h"

void dp_sensors_of_output(const struct sim_output *output, struct dp_sensors *out); // exact: no instruments
void dp_sensors_of_frame(const struct frame *f, struct dp_sensors *out);
