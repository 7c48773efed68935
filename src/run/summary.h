// What is left of a run: summary.json for programs, a table for people.
#pragma once

#include "run/run.h"

// Writes the summary as JSON to r->summary and closes it, if requested. why names the file.
enum status summary_write(struct run *r, struct reason *why);
void summary_print(const struct run *r); // on stdout
