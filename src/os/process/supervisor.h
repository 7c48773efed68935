// The link to the service manager, systemd (sd_notify(3)): readiness, a state line each second, the end, and
// the watchdog. A thread of its own looks at the pulse of the run. It feeds the watchdog only while the
// threads that should beat do so: a main thread or step thread that hangs stops the feeding, and systemd
// restarts the service. Without the environment variable NOTIFY_SOCKET nothing happens.
#pragma once

#include "sagbend/base/status.h"
#include "os/process/pulse.h"

#include <stdio.h>

struct supervisor;

// Starts the thread. *out is NULL if no service manager waits for a notification. messages: where a hanging
// thread is reported. STATUS_IO: the manager does not hear; STATUS_NO_MEMORY.
enum status supervisor_start(struct pulse *pulse, FILE *messages, struct supervisor **out,
                             struct reason *why);

// Reports the end of the steps, while log and summary are written. NULL: no effect.
void supervisor_stopping(struct supervisor *s);

void supervisor_free(struct supervisor *s); // ends the thread; NULL: no effect
