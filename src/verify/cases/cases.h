// The verification cases: the list of cases.inc as a table.
#pragma once

#include "verify/harness/verify.h"

#define CASE(function, name, title, setup, reference) verify_case_run function;
#include "verify/cases/cases.inc"
#undef CASE

int verify_count(void);
const struct verify_case *verify_at(int index);
const struct verify_case *verify_find(const char *name); // NULL: none
