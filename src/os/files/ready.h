// What a process says to the one that started it, as lines of JSON at a descriptor: that it is ready, or why
// it is not. `sagbend run --ready-fd` writes them, `serve` and `sweep` read them.
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>

enum { READY_NMEA_IN = 4, READY_NMEA_OUT = 20, READY_PLACE = 64 };

struct ready {
  char session[32], commands[128], telemetry[128]; // name, endpoints; "": none
  char modbus[READY_PLACE];                        // where Modbus masters connect, "HOST:PORT"; "": nowhere
  int nmea_in_count, nmea_out_count;
  char nmea_in[READY_NMEA_IN][READY_PLACE];   // where UDP commands are received
  char nmea_out[READY_NMEA_OUT][READY_PLACE]; // where UDP sentences are sent, so that a controller listens
                                              // there
  char error[256];                            // why the start failed; "": it is ready
};

// Whether lines can be written to a descriptor that the process was started with. Processes that it starts do
// not get the descriptor. STATUS_BAD_INPUT: one of the standard streams, not open, or not open for writing.
enum status ready_check(int descriptor, struct reason *why);

// Writes one line: {"ready":true,"commands":"tcp://...","telemetry":"tcp://...","modbus":"HOST:PORT",
// "nmea_in":["HOST:PORT"],"nmea_out":["HOST:PORT"],"session":"..."}, without what is "" or has no items, or
// {"ready":false,"error":"..."}. Never waits. STATUS_IO: it is not written, as when nobody reads.
enum status ready_write(int descriptor, const struct ready *ready, struct reason *why);

// STATUS_BAD_INPUT: the line is no such line.
enum status ready_read(const char *line, struct ready *out, struct reason *why);

// A mark in the command of a controller, for which a place of the session is put: {endpoint} (commands),
// {modbus}, {nmea_in}, {nmea_out}, of a further one {nmea_out_2}, and of the port alone {nmea_out_2_port}.
struct ready_mark {
  size_t size;                // of the mark in the text; 0: none begins there
  char text[READY_PLACE * 2]; // what is put for it; "": the session has no such place
};
struct ready_mark ready_mark_at(const char *text, const struct ready *ready);
// The first mark of a text that the session does not have; size 0: it has all. *any: the text has a mark.
struct ready_mark ready_mark_missing(const char *text, const struct ready *ready, int *any, const char **at);
