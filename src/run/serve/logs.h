// The logs of a folder.
#pragma once

#include "net/messages/messages.h"

// Lists logs from index first on, the newest first. session: the running one, whose newest log grows; "":
// none.
enum status logs_list(const char *folder, uint32_t first, const char *session, struct wire_manager *out,
                      struct reason *why);

// Reads a piece of a log or its digest. STATUS_BAD_INPUT: there is no such log.
enum status logs_piece(const char *folder, const struct manager_order *order, struct wire_manager *out,
                       struct reason *why);
