// Verdicts of a run: for people, for programs, for a CI that reads JUnit XML.
#pragma once

#include "run/run.h"

#include <cjson/cJSON.h>

// How a verdict stands in a session that ends before the run does.
enum verdict_end verdicts_end_of(const struct host *host, int verdict);
const char *verdicts_end_word(enum verdict_end end); // in the summary
int verdicts_failed(const struct host *host);        // how many make the run fail
void verdicts_print(const struct host *host);        // on stdout, a line each
void verdicts_add(cJSON *root, const struct host *host);
// Writes the verdicts as JUnit XML to host->junit and closes it, if requested. why names the file.
enum status verdicts_write_junit(struct host *host, struct reason *why);
