// What is left of a run: summary.json for programs, a table for people.
#pragma once

#include "host/host.h"

// Writes the summary as JSON to host->summary and closes it, if requested. why names the file.
enum status summary_write(struct host *host, struct reason *why);
void summary_print(const struct host *host); // on stdout
