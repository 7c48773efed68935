#include "lab/hydro/netcdf_file.h"

#include "sagbend/base/regular_file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NETCDF_CHARACTER = 2, NETCDF_STRING = 12, LONGEST_NAME = 257, LARGEST_NETCDF_FILE = 256 << 20 };
static const char LIBRARY[] = "libnetcdf.so.19";

// The functions of netcdf.h that are used, in its words.
static struct {
  void *library;
  int (*open)(const char *path, int mode, int *id);
  int (*close)(int id);
  int (*inq_varid)(int id, const char *name, int *variable);
  int (*inq_vartype)(int id, int variable, int *type);
  int (*inq_varndims)(int id, int variable, int *dimensions);
  int (*inq_vardimid)(int id, int variable, int *dimension);
  int (*inq_dim)(int id, int dimension, char *name, size_t *length);
  int (*get_var_double)(int id, int variable, double *value);
  int (*get_var_string)(int id, int variable, char **value);
  int (*get_var_text)(int id, int variable, char *value);
  int (*free_string)(size_t count, char **value);
  const char *(*strerror)(int error);
} netcdf;

static int find(const char *name, void *function) {
  void *found = dlsym(netcdf.library, name);
  memcpy(function, &found, sizeof found); // POSIX: both have one representation
  return found != NULL;
}

static enum status load(struct reason *why) {
  if (netcdf.library)
    return STATUS_OK;
  netcdf.library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!netcdf.library)
    return fail(
        why, STATUS_BAD_INPUT,
        "%s expected to read NetCDF (Debian: apt-get install libnetcdf19), got none; or write the data "
        "in Capytaine by export_dataset(..., format=\"nemoh\")",
        LIBRARY);
  if (find("nc_open", &netcdf.open) && find("nc_close", &netcdf.close) &&
      find("nc_inq_varid", &netcdf.inq_varid) && find("nc_inq_vartype", &netcdf.inq_vartype) &&
      find("nc_inq_varndims", &netcdf.inq_varndims) && find("nc_inq_vardimid", &netcdf.inq_vardimid) &&
      find("nc_inq_dim", &netcdf.inq_dim) && find("nc_get_var_double", &netcdf.get_var_double) &&
      find("nc_get_var_string", &netcdf.get_var_string) && find("nc_get_var_text", &netcdf.get_var_text) &&
      find("nc_free_string", &netcdf.free_string) && find("nc_strerror", &netcdf.strerror))
    return STATUS_OK;
  dlclose(netcdf.library);
  netcdf.library = NULL;
  return fail(why, STATUS_BAD_INPUT, "%s with the functions of netCDF 4 expected", LIBRARY);
}

enum status netcdf_open(struct netcdf_file *file, const char *path, struct reason *why) {
  struct regular_file found;
  struct reason cause = {""};
  *file = (struct netcdf_file){.path = path, .id = -1};
  if (regular_file_open(path, LARGEST_NETCDF_FILE, &found, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%.150s: a readable file expected: %.80s", path, cause.text);
  close(found.descriptor);
  enum status status = load(why);
  int error = status == STATUS_OK ? netcdf.open(path, 0, &file->id) : 0;
  if (error == 0)
    return status;
  file->id = -1;
  return fail(why, STATUS_BAD_INPUT, "%.120s: a NetCDF file expected: %.80s", path, netcdf.strerror(error));
}

void netcdf_close(struct netcdf_file *file) {
  if (file->id >= 0)
    netcdf.close(file->id);
  file->id = -1;
}

void netcdf_variable_free(struct netcdf_variable *variable) {
  free(variable->value);
  variable->value = NULL;
}

static enum status fail_variable(const struct netcdf_file *file, const char *name, int error,
                                 struct reason *why) {
  return fail(why, STATUS_BAD_INPUT, "%.100s: %.40s: a readable variable expected: %.80s", file->path, name,
              netcdf.strerror(error));
}

static enum status read_shape(const struct netcdf_file *file, size_t most, struct netcdf_variable *out,
                              struct reason *why) {
  int dimension[NETCDF_DIMENSIONS], error = netcdf.inq_varndims(file->id, out->id, &out->dimensions);
  if (error == 0 && out->dimensions > NETCDF_DIMENSIONS)
    return fail(why, STATUS_BAD_INPUT, "%.100s: %.40s: at most %d dimensions expected, got %d", file->path,
                out->name, NETCDF_DIMENSIONS, out->dimensions);
  if (error == 0)
    error = netcdf.inq_vardimid(file->id, out->id, dimension);
  out->count = 1;
  for (int d = 0; d < out->dimensions && error == 0; d++) {
    char name[LONGEST_NAME] = "";
    error = netcdf.inq_dim(file->id, dimension[d], name, &out->length[d]);
    snprintf(out->dimension[d], sizeof out->dimension[d], "%.60s", name);
    if (out->length[d] == 0 || out->length[d] > most / out->count)
      return fail(why, STATUS_BAD_INPUT, "%.100s: %.40s: 1 to %zu values expected, got more or none",
                  file->path, out->name, most);
    out->count *= out->length[d];
  }
  return error == 0 ? STATUS_OK : fail_variable(file, out->name, error, why);
}

enum status netcdf_read(const struct netcdf_file *file, const char *name, size_t most,
                        struct netcdf_variable *out, struct reason *why) {
  int type = 0;
  *out = (struct netcdf_variable){.id = -1};
  snprintf(out->name, sizeof out->name, "%s", name);
  if (netcdf.inq_varid(file->id, name, &out->id) != 0) {
    out->id = -1;
    return STATUS_OK;
  }
  enum status status = read_shape(file, most, out, why);
  int error = status == STATUS_OK ? netcdf.inq_vartype(file->id, out->id, &type) : 0;
  if (status != STATUS_OK || (error == 0 && (type == NETCDF_CHARACTER || type == NETCDF_STRING)))
    return status;
  out->value = calloc(out->count, sizeof *out->value);
  if (!out->value)
    return fail(why, STATUS_NO_MEMORY, "out of memory for %.40s", name);
  if (error == 0)
    error = netcdf.get_var_double(file->id, out->id, out->value);
  return error == 0 ? STATUS_OK : fail_variable(file, name, error, why);
}

enum status netcdf_texts(const struct netcdf_file *file, const struct netcdf_variable *variable, int most,
                         char (*out)[NETCDF_NAME], int *count, struct reason *why) {
  int type = 0, error = netcdf.inq_vartype(file->id, variable->id, &type);
  size_t rows = variable->dimensions ? variable->length[0] : 1, width = variable->count / rows;
  enum { MOST_TEXTS = 64, MOST_CHARACTERS = 1 << 14 };
  char *text[MOST_TEXTS] = {NULL}, character[MOST_CHARACTERS] = "";
  *count = (int)rows;
  if (error == 0 && (rows > MOST_TEXTS || *count > most || variable->count > MOST_CHARACTERS ||
                     (type == NETCDF_STRING ? width != 1 : type != NETCDF_CHARACTER)))
    return fail(why, STATUS_BAD_INPUT, "%.100s: %.40s: at most %d texts expected", file->path, variable->name,
                most);
  if (error == 0 && type == NETCDF_STRING)
    error = netcdf.get_var_string(file->id, variable->id, text);
  else if (error == 0)
    error = netcdf.get_var_text(file->id, variable->id, character);
  if (error != 0)
    return fail_variable(file, variable->name, error, why);
  for (size_t i = 0; i < rows; i++) {
    const char *start = type == NETCDF_STRING ? text[i] : character + i * width;
    int length = type == NETCDF_STRING || width >= NETCDF_NAME ? NETCDF_NAME - 1 : (int)width;
    snprintf(out[i], NETCDF_NAME, "%.*s", length, start ? start : "");
  }
  if (type == NETCDF_STRING)
    netcdf.free_string(rows, text);
  return STATUS_OK;
}

size_t netcdf_stride(const struct netcdf_variable *variable, const char *dimension) {
  size_t stride = 1;
  for (int d = variable->dimensions - 1; d >= 0; d--) {
    if (strcmp(variable->dimension[d], dimension) == 0)
      return stride;
    stride *= variable->length[d];
  }
  return 0;
}

size_t netcdf_length(const struct netcdf_variable *variable, const char *dimension) {
  for (int d = 0; d < variable->dimensions; d++)
    if (strcmp(variable->dimension[d], dimension) == 0)
      return variable->length[d];
  return 1;
}
