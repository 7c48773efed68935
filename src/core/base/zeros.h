// Negative zeros. Protobuf does not transmit them, so everything that a controller reads or a controller
// sends is cleared of them: a controller behind the protocol then computes the same bits as one inside the
// simulator.
#pragma once

// Makes each -0 a +0; every other value, NaN included, stays.
static inline void unsign_zeros(double *values, int count) {
  for (int i = 0; i < count; i++)
    values[i] += 0.0;
}
