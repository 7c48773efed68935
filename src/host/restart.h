// Operators' orders snapshot, restore and reset (docs/operation.md).
#pragma once

#include "host/host.h"

// Keeps the initial state for resets, and opens the folder of snapshots. Call before a checkpoint is
// restored.
enum status host_prepare_restart(struct host *host, struct reason *why);
void host_close_restart(struct host *host);

// Main thread, before an order is accepted: checks what only the run can check, reads the snapshot of a
// restore. STATUS_BAD_INPUT and the reason: it is refused.
enum status host_accept_order(struct host *host, const struct order *order, struct reason *why);

// Reports as events which snapshots have been written, or not.
void host_report_snapshots(struct host *host);

// After the steps: if a restore or reset ended them, ends the session and begins the next one. 0: the run
// ends.
int host_begin_next_session(struct host *host);
