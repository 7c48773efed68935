// What the plot of the page needs of what sagbend capability --json prints.
#pragma once

#include <cjson/cJSON.h>

// Cases and limits of a printed text, in which notices may stand before the JSON, which begins a line. NULL:
// it has no answer.
cJSON *limits_json_of(const char *printed);
