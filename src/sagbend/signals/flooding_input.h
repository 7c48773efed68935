// Water that comes into the pipe in a step, as after a wet buckle. Zero: none.
#pragma once

struct flooding_input {
  int flows;
  double from_m; // arc length from which on the pipe fills
  double fill_s; // time from dry to full, > 0
};
