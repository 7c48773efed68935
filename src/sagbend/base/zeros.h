// Negative zeros. Protobuf does not transmit the sign of a zero. Everything that passes between simulator and
// controller is therefore cleared of it, so that a controller behind the protocol computes the same bits as
// one inside the simulator.
#pragma once

// Turns every -0 into +0 and leaves all other values as they are.
static inline void unsign_zeros(double *values, int count) {
  for (int i = 0; i < count; i++)
    values[i] += 0.0;
}
