// The functions of the verification cases, one for each row of cases.inc. They stand in verify/pipe,
// verify/lay, verify/ground, verify/fatigue, verify/sea, verify/tables, verify/rigid and verify/vessel.
#pragma once

#include "verification/harness/harness.h"

#define SUBJECT(id, title)
#define CASE(function, name, title, setup, reference) verify_case_run function;
#include "verification/harness/cases.inc"
#undef CASE
#undef SUBJECT
