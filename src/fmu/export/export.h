// Exports a case as an FMU: one file that other programs import and step (docs/fmu.md).
#pragma once

#include "sagbend/base/base.h"

#include <stddef.h>
#include <stdio.h>

struct fmu_request {
  const char *path; // of the case
  const char *const *overrides;
  size_t override_count;
  const char *const *parameters; // keys of numbers that the importer may set
  size_t parameter_count;
  int fmi;            // 2, 3
  int controller;     // SAGBEND_CONTROLLER_...
  const char *binary; // path of the FMU's binary
};

struct fmu_report {
  size_t inputs, outputs, parameters, files, bytes;
};

// Writes the FMU. Errors of the case go to errors, a line each; why is empty then.
enum status fmu_export(const struct fmu_request *request, FILE *out, FILE *errors, struct fmu_report *report,
                       struct reason *why);
