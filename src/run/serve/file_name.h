// Names of cases and logs as operators give them. A name never leads out of its folder.
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>

// Letters, digits and characters of ".-_", the first of them a letter or a digit: no path.
int file_name_is_valid(const char *name);

// Finds the regular file NAME + ending in a folder (a real path) and writes its real path. STATUS_BAD_INPUT:
// the name is not valid, there is no such file, it is no regular file, or a symbolic link leads out of the
// folder.
enum status file_find(const char *folder, const char *name, const char *ending, char *path, size_t size,
                      struct reason *why);

// The names of all files in a folder that end so, without the ending, in order. Free each and the list.
enum status file_list(const char *folder, const char *ending, char ***names, int *count, struct reason *why);
void file_list_free(char **names, int count);
