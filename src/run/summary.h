// What is left of a run: summary.json for programs, a table for people.
#pragma once

#include "run/run.h"

int summary_write(struct run *r);        // closes r->summary; -1: not written, said on stderr
void summary_print(const struct run *r); // on stdout
