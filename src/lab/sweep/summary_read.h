// What the results of a sweep take from the summary of a run.
#pragma once

#include "lab/sweep/point_folder.h"

#include <cjson/cJSON.h>
#include <stddef.h>

struct summary_facts {
  int is_there;           // the file is a complete summary
  int was_stopped;        // the run broke off because somebody stopped it
  char failure[512];      // its first failure, and how many more there are; "": none
  enum point_cause cause; // of the failures; CAUSE_NONE: none
};
void summary_read_facts(const char *path, struct summary_facts *out);

// Whether a program says of the machine what is no fault of its own: a taken port, a full disk.
int summary_is_of_machine(const char *text);

// The last line that a program has printed on its own account ("sagbend: ..."), or else the last line that is
// not empty; "" if there is none.
void summary_last_line(const char *path, char *out, size_t size);

// The summary as JSON, NULL if it is not there or damaged. The caller deletes it.
cJSON *summary_open(const char *path);

// The value of a path ("energy.closure_rel") or of an output quantity, which stands in one of the sections.
// NULL: there is none.
const cJSON *summary_find(const cJSON *root, const char *path);
