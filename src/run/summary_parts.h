// Private to the summary: parts that stand in files of their own.
#pragma once

#include "run/run.h"

#include <cjson/cJSON.h>

// The object real_time: what the system did to the step thread, and the late steps (summary_real_time.c).
void summary_add_real_time(cJSON *root, const struct run *r);
void summary_print_real_time(const struct run *r);

// step_us, wakeup_us and the object latency with their histograms (summary_latency.c).
void summary_add_latency(cJSON *root, const struct run *r);
void summary_print_latency(const struct run *r);
