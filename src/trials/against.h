// Two trials of the same failures beside each other: which criteria fail here that held there. Grades would
// hide them: a run that failed before can fail for more reasons now.
#pragma once

#include "trials/judgement.h"

// Prints the criteria that fail in j and hold in the results.json of the other folder, and the runs that one
// of them lacks. *worse: their number. STATUS_BAD_INPUT: the other folder has no such file.
enum status against_print(const struct judgement *j, const char *other_folder, int *worse,
                          struct reason *why);
