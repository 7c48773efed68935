// An FMU as a controller of a session.
#pragma once

#include "os/cli/cli.h"

#include "sagbend/base/base.h"

struct fmu_controller_options {
  const char *endpoint, *fmu;
  const char *map;  // NULL: the FMU's path with .yaml behind it
  const char *name; // NULL: that of the model
};

// Answers measurements with commands until the session ends. STATUS_BAD_INPUT: FMU, map or session do not
// fit; an empty reason has been reported. STATUS_IO: the FMU or the connection has failed.
enum status fmu_controller_run(const struct fmu_controller_options *options, struct reason *why);

void fmu_controller_describe(struct help *h); // for --help and for the manual
