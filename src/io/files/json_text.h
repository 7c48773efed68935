// JSON that a program prints. cJSON leaves out silently what it has no memory for; a text from here is whole.
#pragma once

#include "core/base/status.h"

#include <cjson/cJSON.h>

// An object that a text begins with, or a part of one. Only one thread of a program makes texts.
cJSON *json_begin(void);

// The text with line breaks, or in one line, to be released with cJSON_free. NULL: there was no memory for a
// part of it. Deletes root.
char *json_end(cJSON *root);
char *json_end_in_line(cJSON *root);

// Prints the text of root on stdout and deletes root. STATUS_NO_MEMORY: nothing was printed.
enum status json_put(cJSON *root, struct reason *why);
