#pragma once

#include "verify/harness/verify.h"

// The table of all cases.
int verify_count(void);
const struct verify_case *verify_at(int index);
const struct verify_case *verify_find(const char *name); // NULL: none
