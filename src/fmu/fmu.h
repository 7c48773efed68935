// What the binary of an exported FMU and the exporter agree on: the variables that an FMU has beside those of
// sagbend.h, the list in its resources, and the token that ties model description, resources and binary
// together.
#pragma once

#include "sagbend/sagbend.h"

#include <stddef.h>
#include <stdint.h>

// Types of variables that FMI has beside those of sagbend.h.
enum { FMU_TEXT = SAGBEND_BOOLEAN + 1 };

// Value references up to FMU_LAST_OWN are the FMU's own variables and its parameters; those of the case are
// the numbers of sagbend.h. An export is refused if one of these is as small.
enum {
  FMU_ORDER = 1,
  FMU_ORDER_RESULT,
  FMU_STATE_HASH,
  FMU_EVENTS_COUNT,
  FMU_VERDICTS_FAILED,
  FMU_COMMANDS_REFUSED,
  FMU_JOURNAL,
  FMU_FIRST_PARAMETER = 16,
  FMU_MOST_PARAMETERS = 256,
  FMU_LAST_OWN = FMU_FIRST_PARAMETER + FMU_MOST_PARAMETERS - 1
};

struct fmu_own_variable {
  uint32_t vr;
  int type, is_input, is_fixed; // fixed: a parameter
  int of_controller;            // a controller alone has it too
  const char *name, *meaning;
};
enum { FMU_OWN_VARIABLES = 7 };
extern const struct fmu_own_variable fmu_own_variables[FMU_OWN_VARIABLES];

// A key of the case that an importer sets before the simulation starts.
struct fmu_parameter {
  uint32_t vr;
  int type; // SAGBEND_REAL, SAGBEND_INTEGER
  double start;
  char *key;
};
// "KEY=VALUE", as it is applied. The caller frees it; NULL: out of memory.
char *fmu_parameter_text(const char *key, double value);

// The list in the resources, FMU_LIST: one item a line, its word, a space, and the rest of the line.
//   token TOKEN
//   case NAME                 of the case in errors
//   controller 0|1|2          SAGBEND_CONTROLLER_...
//   file STORED PATH          a file beside the list, and its path as sagbend_case_file gives it; the case:
//   "." override KEY=VALUE        in their order parameter VR TYPE START KEY
#define FMU_LIST  "sagbend.txt"
#define FMU_MODEL "sagbend" // modelIdentifier: the name of the binary without its extension

struct fmu_list {
  char *token, *name;
  int controller;
  char **override;
  size_t override_count;
  struct fmu_parameter *parameter;
  size_t parameter_count;
  sagbend_file *file; // the first is the case; path and text are owned
  size_t file_count;
};
// Reads list and files of a folder. 0: done. Otherwise why (size bytes) says what was expected. Release with
// fmu_list_free in either case.
int fmu_list_read(const char *folder, struct fmu_list *out, char *why, size_t size);
void fmu_list_free(struct fmu_list *list);

// build: id of the FMU's binary. The simulation is at its start, with the parameters at their start values.
enum { FMU_TOKEN = 40 };
void fmu_token(const char *build, const struct fmu_list *list, const sagbend_case *c, const sagbend_sim *s,
               char out[FMU_TOKEN]);
