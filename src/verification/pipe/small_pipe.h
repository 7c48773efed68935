// The pipe of tests/reference/clamped_pipe.py, which the cases of a clamped hang-off share: 12.75 inch, 800
// m, in 350 m of water, seabed 1e5 Pa/m under the axis, H = 50 kN, on a vessel that does not pitch.
#pragma once

#include "verification/harness/scenes.h"

int small_pipe(const struct verify_setup *setup, struct sim_def *def, struct verify_result *r);

// A quantity of an equilibrium; before: the value of build 8ad29a5 on the same mesh, or NAN.
struct small_pipe_row {
  const char *quantity, *unit;
  double reference, before, limit; // relative
};

enum {
  SMALL_PIPE_MOMENT = 0,
  SMALL_PIPE_SHEAR = 2,
  SMALL_PIPE_TENSION = 5,
  SMALL_PIPE_REACH = 8,
  SMALL_PIPE_ROWS
};

// Clamped at 65 degrees; the limits are for 100 equal elements.
extern const struct small_pipe_row SMALL_PIPE_CLAMPED[SMALL_PIPE_ROWS];
void small_pipe_values(const struct sim *s, double values[SMALL_PIPE_ROWS]);
