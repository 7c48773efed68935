// Reads a dataset of Capytaine, one body, that export_dataset(..., format="netcdf") wrote: added mass,
// radiation damping, diffraction and Froude-Krylov force; stiffness and inertia if they are there. SI units;
// its axes are x forward, y to port, z up, a direction is that of travel, anticlockwise from x, in radians; a
// quantity is the real part of value e^(-i omega t). Degrees of freedom are found by their names.
#pragma once

#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro_report.h"

// has_restoring: whether the file has a stiffness matrix. The density and gravity of the file are taken.
enum status capytaine_read(const char *path, struct hydro_raw *raw, int *has_restoring,
                           struct hydro_report *report, struct reason *why);

// The same in a process of its own: HDF5 can crash on a damaged file, or compute for ever. STATUS_BAD_INPUT
// also if the process ended by a signal, as after a minute of computing.
enum status capytaine_read_apart(const char *path, struct hydro_raw *raw, int *has_restoring,
                                 struct hydro_report *report, struct reason *why);
