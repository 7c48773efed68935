// Inside of the exporter: the variables of a model description, and the archive.
#pragma once

#include "fmu/export/export.h"
#include "fmu/fmu.h"

// ---- The variables of a model description ----

enum causality { INDEPENDENT, PARAMETER, INPUT, OUTPUT };

struct model_variable {
  uint32_t vr;
  int type; // SAGBEND_..., FMU_TEXT
  enum causality causality;
  char *name; // of structured naming; owned
  const char *unit, *meaning;
  int is_continuous, can_be_undefined;
  double start, least, most; // of what can be set
};

struct description {
  int fmi;
  const char *name, *about, *token;
  double step_s, period_s, duration_s; // duration 0: without an end
  struct model_variable *variable;     // independent, parameters, inputs, outputs, each by name
  size_t variable_count;
};

// modelDescription.xml. STATUS_NO_MEMORY is the only failure; the stream's errors are the caller's.
enum status description_write(FILE *out, const struct description *model);
