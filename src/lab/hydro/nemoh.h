// Reads the files of Nemoh 2 and 3, one body: RadiationCoefficients.tec (added mass, damping),
// ExcitationForce.tec (wave force as amplitude and phase), KH.dat (restoring), Inertia.dat (mass). SI units;
// its axes are x forward, y to port, z up, a heading is the direction of travel, anticlockwise from x, and a
// quantity is the real part of value e^(-i omega t). Capytaine's export in this format is read too.
#pragma once

#include "sagbend/hydro/first_column.h"
#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro_report.h"

// Radiation comes first; the forces must have its frequencies.
enum status nemoh_read_radiation(const char *path, enum first_column column, struct hydro_raw *raw,
                                 struct hydro_report *report, struct reason *why);
enum status nemoh_read_force(const char *path, enum first_column column, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why);
enum status nemoh_read_restoring(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                                 struct reason *why);
enum status nemoh_read_inertia(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                               struct reason *why);
