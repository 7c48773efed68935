// A bathymetry file in the ESRI ASCII grid format: ncols, nrows, xllcorner or xllcenter, yllcorner or
// yllcenter, cellsize (or dx and dy, which must be equal) and optionally NODATA_value, then the elevations
// (m, negative below the surface) row by row from north to south, in lines of any length. x is east, y is
// north. NODATA_value is a number or nan; without it -9999.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/env/env.h"
#include "sagbend/yaml/error_list.h"

enum { BATHYMETRY_LARGEST_FILE = 16 << 20 }; // bytes

// Reads a grid. origin_m: northing and easting (the file's y and x) of the world origin. Allocates *z_m
// (depths, m, positive downwards), which out borrows. On failure errors are added and *z_m is NULL.
enum status bathymetry_read(const char *text, size_t size, const struct source *file,
                            const double origin_m[2], struct bathymetry_def *out, double **z_m,
                            struct error_list *errors);
