// Reads a vessel type of OrcaFlex from a text data file (.yml): load RAOs as wave force, displacement RAOs as
// motions, frequency-dependent added mass and damping, hydrostatic stiffness, mass and inertia, wave drift.
// Of the conventions those on directions, phases, periods and angles are followed; units are SI as OrcaFlex
// means it: m, te, kN. Its vessel axes are x forward, y to port, z up; a direction is that of travel,
// anticlockwise from x; the hydrostatic stiffness includes the weight. Everything is moved to the origin of
// these axes.
#pragma once

#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro_report.h"

struct orcaflex_choice {
  const char *vessel_type, *draught;        // NULL: the only one that has radiation data
  double water_density_kgpm3, gravity_mps2; // 0: those of the file, 9.80665
};

enum status orcaflex_read(const char *path, const struct orcaflex_choice *choice, struct hydro_raw *raw,
                          struct hydro_report *report, struct reason *why);
