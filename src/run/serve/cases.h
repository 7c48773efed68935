// The cases of a folder.
#pragma once

#include "net/messages/messages.h"

// Lists cases from index first on; DP files are left out. A case that cannot be loaded carries its first
// error.
enum status cases_list(const char *folder, uint32_t first, struct wire_manager *out, struct reason *why);

// Finds a case and checks its configuration. path: room for PATH_MAX characters. STATUS_BAD_INPUT: there is
// no such case, or why holds the first error in it. *has_sockets: its mode opens some.
enum status cases_find(const char *folder, const char *name, char *path, size_t size, int *has_sockets,
                       struct reason *why);
