// What a process says to the one that started it, as lines of JSON at a descriptor: that it is ready, or why
// it is not. `sagbend run --ready-fd` writes them, `serve` and `sweep` read them.
#pragma once

#include "core/base/status.h"

struct ready {
  char session[32], commands[128], telemetry[128]; // name, endpoints; "": none
  char error[256];                                 // why the start failed; "": it is ready
};

// Whether lines can be written to a descriptor that the process was started with. Processes that it starts do
// not get the descriptor. STATUS_BAD_INPUT: one of the standard streams, not open, or not open for writing.
enum status ready_check(int descriptor, struct reason *why);

// Writes one line: {"ready":true,"commands":"tcp://...","telemetry":"tcp://...","session":"..."}, without
// what is
// "", or {"ready":false,"error":"..."}. Never waits. STATUS_IO: it is not written, as when nobody reads.
enum status ready_write(int descriptor, const struct ready *ready, struct reason *why);

// STATUS_BAD_INPUT: the line is no such line.
enum status ready_read(const char *line, struct ready *out, struct reason *why);
