#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "lab/hydro/capytaine.h"

#include "sagbend/hydro/hydro_tables.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
