// An ESRI ASCII grid: ncols, nrows, xllcorner or xllcenter, yllcorner or yllcenter, cellsize and maybe
// NODATA_value, then a line of elevations for each row, from north to south. x is east, y north, an elevation
// is negative below the surface.
#pragma once

#include "core/env/env.h"
#include "io/yaml/error_list.h"

enum { BATHYMETRY_LARGEST_FILE = 16 << 20 }; // bytes

// origin_m: north and east (the file's y and x) of the world's origin. Allocates *z_m, which out then
// borrows. Adds errors; 0: there were some, and *z_m is NULL.
int bathymetry_read(const char *text, size_t size, const struct source *file, const double origin_m[2],
                    struct bathymetry_def *out, double **z_m, struct error_list *errors);
