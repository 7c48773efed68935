// The folders of a session manager: folder.c lists and reads them, serve.c answers with it.
#pragma once

#include "run/serve/serve.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/server/server.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <stddef.h>

// Lists cases from index first on; DP files are left out. A case that cannot be loaded carries its first
// error.
enum status cases_list(const char *folder, uint32_t first, struct wire_manager *out, struct reason *why);

// Finds a case and checks its configuration. path: room for PATH_MAX characters. STATUS_BAD_INPUT: there is
// no such case, or why holds the first error in it. *has_sockets: its mode opens some.
enum status cases_find(const char *folder, const char *name, char *path, size_t size, int *has_sockets,
                       struct reason *why);

// ------------------------------------------------------------
// The logs of a folder.

// Lists logs from index first on, the newest first. session: the running one, whose newest log grows; "":
// none.
enum status logs_list(const char *folder, uint32_t first, const char *session, struct wire_manager *out,
                      struct reason *why);

// Reads a piece of a log or its digest. STATUS_BAD_INPUT: there is no such log.
enum status logs_piece(const char *folder, const struct manager_order *order, struct wire_manager *out,
                       struct reason *why);
