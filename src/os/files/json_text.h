// JSON that a program prints. cJSON leaves out silently what it has no memory for; a text from here is whole.
#pragma once

#include "sagbend/base/status.h"

#include <cjson/cJSON.h>

// An object, or a list, that a text begins with, or a part of one. Only one thread of a program makes texts.
cJSON *json_begin(void);
cJSON *json_begin_list(void);

// The text with line breaks, or in one line, to be released with cJSON_free. NULL: there was no memory for a
// part of it. Deletes root.
char *json_end(cJSON *root);
char *json_end_in_line(cJSON *root);

// Print the text of root on stdout and delete root. STATUS_NO_MEMORY: nothing was printed.
enum status json_put(cJSON *root, struct reason *why);
enum status json_put_in_line(cJSON *root, struct reason *why);
