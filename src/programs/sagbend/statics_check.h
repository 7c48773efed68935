// What 'sagbend statics' prints of the code check.
#pragma once

#include "run/setup/setup_setup.h"

#include <cjson/cJSON.h>
#include <stdio.h>

// Utilisations along the pipe, at about twenty nodes, and why a check does not apply. STATUS_NO_MEMORY.
enum status statics_check_print(const struct loaded *s);

// "code_check": utilisations at all nodes, and why a check does not apply. STATUS_NO_MEMORY.
enum status statics_check_add(cJSON *root, const struct loaded *s);

// Columns of --shape after those of the node; nothing without a code check. used NULL: the header.
void statics_check_columns(FILE *out, const struct loaded *s, const struct utilisation *used);

// Utilisations at all nodes; NULL without a code check, or if memory runs out. Release with free.
struct utilisation *statics_check_of(const struct loaded *s);
