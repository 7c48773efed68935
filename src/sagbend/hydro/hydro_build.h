// Makes the data of the simulator from those of a diffraction code: fits the memory and moves everything to
// the vessel's reference point.
#pragma once

#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro_report.h"

struct hydro_build_options {
  double tolerance;   // largest error of K in units of the peaks of B
  double scale;       // Froude's, from the files' vessel to the user's; 0: 1
  double origin_m[3]; // of the files' axes, scaled, in the vessel's: x forward, y starboard, z down
};

// Takes the tables of raw, which has none afterwards. Reports order, error and where, A_inf and A(0).
// STATUS_BAD_INPUT: the tolerance was not reached, or mass plus A_inf is not positive definite. Release out
// with hydro_data_free in every case.
enum status hydro_build(struct hydro_raw *raw, const struct hydro_build_options *options,
                        struct hydro_data *out, struct hydro_report *report, struct reason *why);
