// Verdicts of a run: for people, for programs, for a CI that reads JUnit XML.
#pragma once

#include "run/run.h"

#include <cjson/cJSON.h>

// How a verdict stands in a session that ends before the run does.
enum verdict_end verdicts_end_of(const struct run *r, int verdict);
const char *verdicts_end_word(enum verdict_end end); // in the summary
int verdicts_failed(const struct run *r);            // how many make the run fail
void verdicts_print(const struct run *r);            // on stdout, a line each
void verdicts_add(cJSON *root, const struct run *r);
// Writes the verdicts as JUnit XML to r->junit and closes it, if requested. why names the file.
enum status verdicts_write_junit(struct run *r, struct reason *why);
