// The verification cases: the list of verification/harness/cases.inc as a table.
#pragma once

#include "verification/harness/harness.h"

int verify_count(void);
const struct verify_case *verify_at(int index);
const char *
verify_subject_at(int index); // title of the subject that begins with this case; NULL: none begins
const struct verify_case *verify_find(const char *name); // NULL: none
