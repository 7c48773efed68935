// The verification cases: the list of cases.inc as a table.
#pragma once

#include "verify/harness/verify.h"

#define SUBJECT(id, title)
#define CASE(function, name, title, setup, reference) verify_case_run function;
#include "verify/cases/cases.inc"
#undef CASE
#undef SUBJECT

int verify_count(void);
const struct verify_case *verify_at(int index);
const char *
verify_subject_at(int index); // title of the subject that begins with this case; NULL: none begins
const struct verify_case *verify_find(const char *name); // NULL: none
