// Input of a sampled controller (control/dp.h): the same numbers as in the message Sensors, so that a
// controller inside and one behind the protocol compute the same bits.
#pragma once

#include "control/law/dp.h"
#include "core/base/nonblocking.h"
#include "core/sim/sim.h"
#include "hil/frame.h"

// Exact values, for a vessel without instruments. Readings are empty.
void dp_sensors_of_output(const struct sim_output *output, struct dp_sensors *out);

// What the frame's Sensors contain. With instruments the exact values, other than step, time and applied
// wrench, are zero.
void dp_sensors_of_frame(const struct frame *frame, struct dp_sensors *out) NONBLOCKING;
