// Input of a sampled controller (control/dp.h): the same numbers as in the message Sensors, so that a
// controller inside and one behind the protocol compute the same bits.
#pragma once

#include "sagbend/dp/dp.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/frame.h"

// Exact values, for a vessel without instruments. Readings are empty.
void dp_sensors_of_output(const struct sim_output *output, struct dp_sensors *out);

// What the frame's Sensors contain. With instruments the exact values, other than step, time and applied
// wrench, are zero.
void dp_sensors_of_frame(const struct frame *frame, struct dp_sensors *out) NONBLOCKING;
