// capytaine_read in a process of its own: HDF5 can crash on a damaged file, or compute for ever.
#pragma once

#include "hydro/capytaine.h"

// As capytaine_read. STATUS_BAD_INPUT also if the process ended by a signal, as after a minute of computing.
enum status capytaine_read_apart(const char *path, struct hydro_raw *raw, int *has_restoring,
                                 struct hydro_report *report, struct reason *why);
