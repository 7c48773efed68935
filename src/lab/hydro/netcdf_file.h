// Reads variables of a NetCDF file by their names. libnetcdf, which brings HDF5 and thirty more libraries, is
// loaded when the first file is opened, so that a simulation carries none of it. Within the reader of
// Capytaine only, in a process of its own (capytaine_apart.h). Errors name the file, the variable and what
// was expected.
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>

enum { NETCDF_NAME = 64, NETCDF_DIMENSIONS = 8 };

struct netcdf_file {
  const char *path;
  int id; // -1: not open
};

struct netcdf_variable {
  int id; // -1: the file has none of this name
  char name[NETCDF_NAME];
  int dimensions;
  char dimension[NETCDF_DIMENSIONS][NETCDF_NAME]; // names, the slowest first
  size_t length[NETCDF_DIMENSIONS];
  size_t count;  // of values
  double *value; // owned; NULL: a text
};

// STATUS_BAD_INPUT: the library or the file is missing, or it is no NetCDF file. Release with netcdf_close,
// also after a failure.
enum status netcdf_open(struct netcdf_file *file, const char *path, struct reason *why);
void netcdf_close(struct netcdf_file *file);

// Finds a variable of at most most values; id is -1 if there is none. Takes its values if it holds numbers.
// Release with netcdf_variable_free, also after a failure.
enum status netcdf_read(const struct netcdf_file *file, const char *name, size_t most,
                        struct netcdf_variable *out, struct reason *why);
void netcdf_variable_free(struct netcdf_variable *variable);

// The texts of a variable of one dimension, as strings or rows of characters, of which the first count are
// copied, cut to NETCDF_NAME. *count: how many there are, at most most.
enum status netcdf_texts(const struct netcdf_file *file, const struct netcdf_variable *variable, int most,
                         char (*out)[NETCDF_NAME], int *count, struct reason *why);

// The step through the values along a dimension; 0 if the variable lacks it.
size_t netcdf_stride(const struct netcdf_variable *variable, const char *dimension);
// The length of a dimension; 1 if the variable lacks it.
size_t netcdf_length(const struct netcdf_variable *variable, const char *dimension);
