// A dataset of Capytaine (NetCDF), in a process of its own because the library may crash on a damaged file.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "lab/hydro/hydro_internal.h"

#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/hydro/hydro.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 12, MOST_VALUES = 1 << 22, MOST_DOFS = 12 };
static const double SIGN[6] = {1, -1, -1, 1, -1, -1}; // of our axes in Capytaine's
static const char *const DOFS[6] = {"Surge", "Sway", "Heave", "Roll", "Pitch", "Yaw"};

struct dataset {
  struct netcdf_file file;
  char frequency[NETCDF_NAME];       // the dimension of omega: omega, period, wavenumber, ...
  int count;                         // of frequencies, also 0 and infinite ones
  double omega[MAX_RAW_FREQUENCIES]; // as the file has them
  int place[MAX_RAW_FREQUENCIES];    // in the file, of those of raw
  int radiating[6], influenced[6];   // index of each degree of freedom
};

static enum status netcdf_read(const struct netcdf_file *file, const char *name, size_t most,
                               struct netcdf_variable *out, struct reason *why);

static size_t netcdf_stride(const struct netcdf_variable *variable, const char *dimension);

// Reads a variable that must be there and have no other dimensions than those named, unless of length 1.
static enum status need(const struct dataset *data, const char *name, const char *const *dimensions,
                        int count, struct netcdf_variable *out, struct reason *why) {
  enum status status = netcdf_read(&data->file, name, MOST_VALUES, out, why);
  if (status == STATUS_OK && (out->id < 0 || !out->value))
    return fail(why, STATUS_BAD_INPUT, "%.120s: a variable %s with numbers expected", data->file.path, name);
  for (int d = 0; d < out->dimensions && status == STATUS_OK; d++) {
    int is_known = out->length[d] == 1;
    for (int i = 0; i < count; i++)
      is_known |= strcmp(out->dimension[d], dimensions[i]) == 0;
    if (!is_known)
      status = fail(why, STATUS_BAD_INPUT, "%.100s: %s: one %.40s expected, got %zu", data->file.path, name,
                    out->dimension[d], out->length[d]);
  }
  for (int i = 0; i < count && status == STATUS_OK; i++)
    if (netcdf_stride(out, dimensions[i]) == 0)
      status = fail(why, STATUS_BAD_INPUT, "%.100s: %s: a dimension %.40s expected", data->file.path, name,
                    dimensions[i]);
  return status;
}

static void netcdf_variable_free(struct netcdf_variable *variable);

// A number; fallback if the file has none.
static enum status read_number(const struct dataset *data, const char *name, double fallback, double *out,
                               struct reason *why) {
  struct netcdf_variable variable;
  enum status status = netcdf_read(&data->file, name, MOST_VALUES, &variable, why);
  *out = fallback;
  if (status == STATUS_OK && variable.id >= 0 && (!variable.value || variable.count != 1))
    status = fail(why, STATUS_BAD_INPUT, "%.100s: %s: one number expected, got %zu", data->file.path, name,
                  variable.count);
  if (status == STATUS_OK && variable.value)
    *out = variable.value[0];
  netcdf_variable_free(&variable);
  return status;
}

static enum status read_water(const struct dataset *data, struct hydro_raw *raw, struct reason *why) {
  double speed = 0;
  enum status status = read_number(data, "rho", 1000, &raw->water_density_kgpm3, why);
  if (status == STATUS_OK)
    status = read_number(data, "g", 9.81, &raw->gravity_mps2, why);
  if (status == STATUS_OK)
    status = read_number(data, "water_depth", HUGE_VAL, &raw->depth_m, why);
  if (status == STATUS_OK)
    status = read_number(data, "forward_speed", 0, &speed, why);
  if (status == STATUS_OK && !(speed == 0))
    return fail(why, STATUS_BAD_INPUT, "%.100s: forward_speed: 0 expected, got %g m/s", data->file.path,
                speed);
  if (status == STATUS_OK && !(raw->water_density_kgpm3 > 0 && raw->gravity_mps2 > 0 && raw->depth_m > 0 &&
                               isfinite(raw->water_density_kgpm3) && isfinite(raw->gravity_mps2)))
    return fail(why, STATUS_BAD_INPUT, "%.100s: rho, g and water_depth above 0 expected, got %g, %g and %g",
                data->file.path, raw->water_density_kgpm3, raw->gravity_mps2, raw->depth_m);
  if (isinf(raw->depth_m))
    raw->depth_m = 0;
  return status;
}

static enum status netcdf_texts(const struct netcdf_file *file, const struct netcdf_variable *variable,
                                int most, char (*out)[NETCDF_NAME], int *count, struct reason *why);

// Where each of six degrees of freedom stands: "Heave", or "hull__Heave" of a named body.
static enum status read_dofs(const struct dataset *data, const char *name, int place[6], struct reason *why) {
  struct netcdf_variable variable;
  char text[MOST_DOFS][NETCDF_NAME];
  int count = 0;
  enum status status = netcdf_read(&data->file, name, MOST_VALUES, &variable, why);
  if (status == STATUS_OK && (variable.id < 0 || variable.value))
    status = fail(why, STATUS_BAD_INPUT, "%.100s: the names of %s expected", data->file.path, name);
  if (status == STATUS_OK)
    status = netcdf_texts(&data->file, &variable, MOST_DOFS, text, &count, why);
  if (status == STATUS_OK && count != 6)
    status = fail(why, STATUS_BAD_INPUT, "%.100s: %s: the six of one rigid body expected, got %d",
                  data->file.path, name, count);
  for (int i = 0; i < 6 && status == STATUS_OK; i++) {
    place[i] = -1;
    for (int k = 0; k < count; k++) {
      const char *end = strstr(text[k], "__");
      if (strcasecmp(end ? end + 2 : text[k], DOFS[i]) == 0)
        place[i] = k;
    }
    if (place[i] < 0)
      status =
          fail(why, STATUS_BAD_INPUT, "%.100s: %s: a %s expected, got none", data->file.path, name, DOFS[i]);
  }
  netcdf_variable_free(&variable);
  return status;
}

static enum status read_frequencies(struct dataset *data, struct hydro_raw *raw, struct reason *why) {
  struct netcdf_variable omega;
  enum status status = netcdf_read(&data->file, "omega", MAX_RAW_FREQUENCIES, &omega, why);
  if (status == STATUS_OK && (omega.id < 0 || !omega.value || omega.dimensions != 1))
    status = fail(why, STATUS_BAD_INPUT, "%.100s: a list omega of frequencies expected", data->file.path);
  if (status == STATUS_OK) {
    data->count = (int)omega.count;
    memcpy(data->frequency, omega.dimension[0], sizeof data->frequency);
    memcpy(data->omega, omega.value, omega.count * sizeof *omega.value);
  }
  for (int k = 0; k < data->count && status == STATUS_OK; k++) {
    int at = raw->frequencies;
    if (!(data->omega[k] >= 0))
      status = fail(why, STATUS_BAD_INPUT, "%.100s: omega: frequencies of at least 0 expected, got %g",
                    data->file.path, data->omega[k]);
    if (status != STATUS_OK || data->omega[k] == 0 || isinf(data->omega[k]))
      continue;
    for (; at > 0 && raw->omega_radps[at - 1] > data->omega[k]; at--) {
      raw->omega_radps[at] = raw->omega_radps[at - 1];
      data->place[at] = data->place[at - 1];
    }
    if (at > 0 && raw->omega_radps[at - 1] == data->omega[k])
      status = fail(why, STATUS_BAD_INPUT, "%.100s: omega: different frequencies expected, got %g twice",
                    data->file.path, data->omega[k]);
    raw->omega_radps[at] = data->omega[k];
    data->place[at] = k;
    raw->frequencies++;
  }
  if (status == STATUS_OK && raw->frequencies < 8)
    status = fail(why, STATUS_BAD_INPUT, "%.100s: omega: 8 to %d frequencies above 0 expected, got %d",
                  data->file.path, MAX_RAW_FREQUENCIES, raw->frequencies);
  netcdf_variable_free(&omega);
  return status;
}

// The matrix at a frequency by its place in the file; NaN is an error.
static enum status take_matrix(const struct dataset *data, const struct netcdf_variable *variable, int place,
                               double out[6][6], struct reason *why) {
  size_t at = (size_t)place * netcdf_stride(variable, data->frequency);
  size_t row = netcdf_stride(variable, "influenced_dof"), column = netcdf_stride(variable, "radiating_dof");
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double x =
          variable->value[at + (size_t)data->influenced[i] * row + (size_t)data->radiating[j] * column];
      if (!isfinite(x))
        return fail(why, STATUS_BAD_INPUT, "%.90s: %.30s: finite numbers expected, got %g (%s of %s%s)",
                    data->file.path, variable->name, x, DOFS[i], DOFS[j], place ? ", omega" : "");
      out[i][j] = SIGN[i] * SIGN[j] * x;
    }
  return STATUS_OK;
}

static enum status read_radiation(const struct dataset *data, struct hydro_raw *raw, struct reason *why) {
  const char *const dimensions[] = {data->frequency, "radiating_dof", "influenced_dof"};
  struct netcdf_variable added, damping = {.value = NULL};
  enum status status = need(data, "added_mass", dimensions, 3, &added, why);
  if (status == STATUS_OK)
    status = need(data, "radiation_damping", dimensions, 3, &damping, why);
  for (int f = 0; f < raw->frequencies && status == STATUS_OK; f++) {
    status = take_matrix(data, &added, data->place[f], raw->added_mass[f], why);
    if (status == STATUS_OK)
      status = take_matrix(data, &damping, data->place[f], raw->damping[f], why);
  }
  for (int k = 0; k < data->count && status == STATUS_OK; k++) {
    if (data->omega[k] == 0)
      status = take_matrix(data, &added, k, raw->added_mass_zero, why), raw->has_zero = 1;
    else if (isinf(data->omega[k]))
      status = take_matrix(data, &added, k, raw->added_mass_inf, why), raw->has_inf = 1;
  }
  netcdf_variable_free(&added);
  netcdf_variable_free(&damping);
  return status;
}

static size_t netcdf_length(const struct netcdf_variable *variable, const char *dimension);

// Adds a force, whose real and imaginary parts stand along a dimension "complex"; e^(-i omega t): the
// conjugate.
static enum status add_force(const struct dataset *data, const char *name, struct hydro_raw *raw,
                             struct reason *why) {
  const char *const dimensions[] = {data->frequency, "wave_direction", "influenced_dof", "complex"};
  struct netcdf_variable force;
  enum status status = need(data, name, dimensions, 4, &force, why);
  if (status == STATUS_OK && netcdf_length(&force, "complex") != 2)
    status = fail(why, STATUS_BAD_INPUT, "%.100s: %s: real and imaginary part along 'complex' expected",
                  data->file.path, name);
  for (int f = 0; f < raw->frequencies && status == STATUS_OK; f++)
    for (int h = 0; h < raw->force.headings && status == STATUS_OK; h++)
      for (int i = 0; i < PAIRS; i++) {
        double x = force.value[(size_t)data->place[f] * netcdf_stride(&force, data->frequency) +
                               (size_t)h * netcdf_stride(&force, "wave_direction") +
                               (size_t)data->influenced[i / 2] * netcdf_stride(&force, "influenced_dof") +
                               (size_t)(i % 2) * netcdf_stride(&force, "complex")];
        if (!isfinite(x))
          status = fail(why, STATUS_BAD_INPUT, "%.90s: %s: finite numbers expected, got %g (%s, %g rad/s)",
                        data->file.path, name, x, DOFS[i / 2], raw->omega_radps[f]);
        hydro_table_at(&raw->force, f, h)[i] += (i % 2 ? -1 : 1) * SIGN[i / 2] * x;
      }
  netcdf_variable_free(&force);
  return status;
}

static enum status read_force(const struct dataset *data, struct hydro_raw *raw, struct reason *why) {
  struct netcdf_variable direction;
  struct reason cause = {""};
  enum status status = netcdf_read(&data->file, "wave_direction", MAX_HYDRO_HEADINGS, &direction, why);
  if (status == STATUS_OK && (direction.id < 0 || !direction.value || direction.dimensions != 1))
    status = fail(why, STATUS_BAD_INPUT, "%.100s: a list wave_direction expected", data->file.path);
  if (status == STATUS_OK &&
      hydro_table_create(&raw->force, raw->frequencies, (int)direction.count, PAIRS) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  for (size_t h = 0; status == STATUS_OK && direction.value && h < direction.count; h++) {
    if (!(fabs(direction.value[h]) <= 6.2832))
      status =
          fail(why, STATUS_BAD_INPUT, "%.100s: wave_direction: radians of at most a turn expected, got %g",
               data->file.path, direction.value[h]);
    raw->force.heading_rad[h] = -direction.value[h];
  }
  for (int f = 0; f < raw->frequencies && status == STATUS_OK; f++)
    raw->force.omega_radps[f] = raw->omega_radps[f];
  if (status == STATUS_OK)
    status = add_force(data, "Froude_Krylov_force", raw, why);
  if (status == STATUS_OK)
    status = add_force(data, "diffraction_force", raw, why);
  if (status == STATUS_OK && hydro_table_order(&raw->force, &cause) != STATUS_OK)
    status = fail(why, STATUS_BAD_INPUT, "%.100s: wave_direction: %.140s", data->file.path, cause.text);
  netcdf_variable_free(&direction);
  return status;
}

// A matrix without frequency; *has: whether the file has it.
static enum status read_matrix(const struct dataset *data, const char *name, double out[6][6], int *has,
                               struct reason *why) {
  static const char *const dimensions[] = {"influenced_dof", "radiating_dof"};
  struct netcdf_variable variable;
  enum status status = netcdf_read(&data->file, name, MOST_VALUES, &variable, why);
  *has = status == STATUS_OK && variable.id >= 0;
  netcdf_variable_free(&variable);
  if (!*has)
    return status;
  status = need(data, name, dimensions, 2, &variable, why);
  if (status == STATUS_OK)
    status = take_matrix(data, &variable, 0, out, why);
  netcdf_variable_free(&variable);
  return status;
}

// The point about which the body rotates; phases refer to the surface at the origin of the axes.
static enum status read_point(const struct dataset *data, struct hydro_raw *raw, double point_m[3],
                              struct reason *why) {
  struct netcdf_variable point;
  enum status status = netcdf_read(&data->file, "rotation_center", MOST_VALUES, &point, why);
  point_m[0] = point_m[1] = point_m[2] = 0;
  if (status == STATUS_OK && point.id >= 0) {
    if (!point.value || point.count != 3 || !isfinite(point.value[0] + point.value[1] + point.value[2]))
      status =
          fail(why, STATUS_BAD_INPUT, "%.100s: rotation_center: three numbers expected", data->file.path);
    else
      memcpy(point_m, point.value, 3 * sizeof *point_m);
  }
  raw->wave_point_m[0] = point_m[0];
  raw->wave_point_m[1] = -point_m[1];
  netcdf_variable_free(&point);
  return status;
}

static enum status read_body(const struct dataset *data, struct hydro_raw *raw, int *has_restoring,
                             struct reason *why) {
  enum status status = read_matrix(data, "hydrostatic_stiffness", raw->restoring, has_restoring, why);
  if (status == STATUS_OK)
    status = read_matrix(data, "inertia_matrix", raw->mass, &raw->has_mass, why);
  if (status == STATUS_OK && raw->has_mass && !(raw->mass[0][0] > 0))
    return fail(why, STATUS_BAD_INPUT, "%.100s: inertia_matrix: a mass above 0 expected, got %g",
                data->file.path, raw->mass[0][0]);
  raw->displaced_kg = raw->has_mass ? raw->mass[0][0] : 0;
  return status;
}

static void netcdf_close(struct netcdf_file *file);

static enum status netcdf_open(struct netcdf_file *file, const char *path, struct reason *why);

// has_restoring: whether the file has a stiffness matrix. The density and gravity of the file are taken.
static enum status capytaine_read(const char *path, struct hydro_raw *raw, int *has_restoring,
                                  struct hydro_report *report, struct reason *why) {
  struct dataset data = {.count = 0};
  double point[3] = {0};
  enum status status = netcdf_open(&data.file, path, why);
  raw->code = "Capytaine";
  if (status == STATUS_OK)
    status = read_water(&data, raw, why);
  if (status == STATUS_OK)
    status = read_dofs(&data, "radiating_dof", data.radiating, why);
  if (status == STATUS_OK)
    status = read_dofs(&data, "influenced_dof", data.influenced, why);
  if (status == STATUS_OK)
    status = read_frequencies(&data, raw, why);
  if (status == STATUS_OK)
    status = read_radiation(&data, raw, why);
  if (status == STATUS_OK)
    status = read_force(&data, raw, why);
  if (status == STATUS_OK)
    status = read_body(&data, raw, has_restoring, why);
  if (status == STATUS_OK)
    status = read_point(&data, raw, point, why);
  if (status == STATUS_OK)
    report_line(
        report,
        "%s: Capytaine, %d frequencies, %.4g to %.4g rad/s, %d headings, about (%g, %g, %g) of its axes",
        path, raw->frequencies, raw->omega_radps[0], raw->omega_radps[raw->frequencies - 1],
        raw->force.headings, point[0], point[1], point[2]);
  netcdf_close(&data.file);
  return status;
}

// ------------------------------------------------------------
enum { LONGEST_S = 60, MOST_FORCES = MAX_RAW_FREQUENCIES * MAX_HYDRO_HEADINGS * 12 };

// What the other process leaves, in memory that both have.
struct result {
  int is_complete, has_restoring, headings;
  enum status status;
  struct reason why;
  struct hydro_report report;
  struct hydro_raw raw; // without its tables
  double heading_rad[MAX_HYDRO_HEADINGS], force[MOST_FORCES];
};

static void read_here(const char *path, struct result *result) {
  const struct rlimit seconds = {LONGEST_S, LONGEST_S}, no_core = {0, 0};
  struct hydro_table *force = &result->raw.force;
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_CORE, &no_core);
  result->status = capytaine_read(path, &result->raw, &result->has_restoring, &result->report, &result->why);
  if (result->status == STATUS_OK) {
    result->headings = force->headings;
    memcpy(result->heading_rad, force->heading_rad, sizeof(double) * (size_t)force->headings);
    memcpy(result->force, force->value,
           sizeof(double) * (size_t)force->frequencies * (size_t)force->headings * (size_t)force->width);
  }
  result->is_complete = 1;
}

static enum status take(const struct result *result, struct hydro_raw *raw, int *has_restoring,
                        struct hydro_report *report, struct reason *why) {
  *raw = result->raw;
  raw->force = (struct hydro_table){.frequencies = 0};
  *report = result->report;
  *has_restoring = result->has_restoring;
  if (result->status != STATUS_OK) {
    *why = result->why;
    return result->status;
  }
  if (hydro_table_create(&raw->force, raw->frequencies, result->headings, 12) != STATUS_OK)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  memcpy(raw->force.omega_radps, raw->omega_radps, sizeof(double) * (size_t)raw->frequencies);
  memcpy(raw->force.heading_rad, result->heading_rad, sizeof(double) * (size_t)result->headings);
  memcpy(raw->force.value, result->force,
         sizeof(double) * (size_t)raw->frequencies * (size_t)result->headings * 12);
  return STATUS_OK;
}

enum status capytaine_read_apart(const char *path, struct hydro_raw *raw, int *has_restoring,
                                 struct hydro_report *report, struct reason *why) {
  int ended = 0;
  pid_t process = -1, found = -1;
  struct result *result =
      mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (result == MAP_FAILED)
    return fail(why, STATUS_NO_MEMORY, "out of memory for %.150s", path);
  result->report = *report;
  process = fork();
  if (process == 0) {
    read_here(path, result);
    _exit(0);
  }
  while (process > 0 && (found = waitpid(process, &ended, 0)) < 0 && errno == EINTR)
    ;
  enum status status =
      process < 0 || found < 0
          ? fail(why, STATUS_IO, "%.120s: no process to read it: %.60s", path, strerror(errno))
      : result->is_complete ? take(result, raw, has_restoring, report, why)
                            : fail(why, STATUS_BAD_INPUT,
                                   "%.120s: a sound NetCDF file expected: libnetcdf ended by signal %d on it",
                                   path, WIFSIGNALED(ended) ? WTERMSIG(ended) : 0);
  munmap(result, sizeof *result);
  return status;
}

// ------------------------------------------------------------
enum { NETCDF_CHARACTER = 2, NETCDF_STRING = 12, LONGEST_NAME = 257, LARGEST_NETCDF_FILE = 256 << 20 };

// The functions of netcdf.h that are used, in its words.
static struct {
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

static const struct library_function NETCDF_FUNCTIONS[] = {
    {"nc_open", &netcdf.open},
    {"nc_close", &netcdf.close},
    {"nc_inq_varid", &netcdf.inq_varid},
    {"nc_inq_vartype", &netcdf.inq_vartype},
    {"nc_inq_varndims", &netcdf.inq_varndims},
    {"nc_inq_vardimid", &netcdf.inq_vardimid},
    {"nc_inq_dim", &netcdf.inq_dim},
    {"nc_get_var_double", &netcdf.get_var_double},
    {"nc_get_var_string", &netcdf.get_var_string},
    {"nc_get_var_text", &netcdf.get_var_text},
    {"nc_free_string", &netcdf.free_string},
    {"nc_strerror", &netcdf.strerror},
};
LIBRARY_ON_DEMAND(libnetcdf, "libnetcdf.so.19", "libnetcdf19", "NetCDF", "suggested", NETCDF_FUNCTIONS);

static enum status load(struct reason *why) {
  struct reason cause;
  if (library_load(&libnetcdf, &cause) == STATUS_OK)
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "%.170s; or write the data in Capytaine by export_dataset(..., format=\"nemoh\")", cause.text);
}

// STATUS_BAD_INPUT: the library or the file is missing, or it is no NetCDF file. Release with netcdf_close,
// also after a failure.
static enum status netcdf_open(struct netcdf_file *file, const char *path, struct reason *why) {
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

static void netcdf_close(struct netcdf_file *file) {
  if (file->id >= 0)
    netcdf.close(file->id);
  file->id = -1;
}

// Finds a variable of at most most values; id is -1 if there is none. Takes its values if it holds numbers.
// Release with netcdf_variable_free, also after a failure.
static void netcdf_variable_free(struct netcdf_variable *variable) {
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

static enum status netcdf_read(const struct netcdf_file *file, const char *name, size_t most,
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

// The texts of a variable of one dimension, as strings or rows of characters, of which the first count are
// copied, cut to NETCDF_NAME. *count: how many there are, at most most.
static enum status netcdf_texts(const struct netcdf_file *file, const struct netcdf_variable *variable,
                                int most, char (*out)[NETCDF_NAME], int *count, struct reason *why) {
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

// The step through the values along a dimension; 0 if the variable lacks it.
static size_t netcdf_stride(const struct netcdf_variable *variable, const char *dimension) {
  size_t stride = 1;
  for (int d = variable->dimensions - 1; d >= 0; d--) {
    if (strcmp(variable->dimension[d], dimension) == 0)
      return stride;
    stride *= variable->length[d];
  }
  return 0;
}

// The length of a dimension; 1 if the variable lacks it.
static size_t netcdf_length(const struct netcdf_variable *variable, const char *dimension) {
  for (int d = 0; d < variable->dimensions; d++)
    if (strcmp(variable->dimension[d], dimension) == 0)
      return variable->length[d];
  return 1;
}
