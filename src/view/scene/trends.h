// The past of all output quantities, in bounded memory, out of the messages of the telemetry or of a log:
// what a page shows that is opened late, or after a seek. No sockets, no clock.
//
// Two tables of rows, one row for each interval of simulated time: the newest minutes finely, and the whole
// session, whose interval doubles each time the table is full.
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { TRENDS_NAMES = 8, TRENDS_FINE_ROWS = 6000, TRENDS_WHOLE_ROWS = 6000 };
#define TRENDS_FINE_S 0.1 // the fine table: ten minutes

struct trends;

// is_whole: only the table of the whole session, beginning with the interval of the fine one, as for a log.
// NULL: out of memory.
struct trends *trends_create(int is_whole);
void trends_free(struct trends *trends); // accepts NULL
void trends_begin_session(struct trends *trends);

// A message of the telemetry; other types than Truth, Sensors, Nodes, Ledger and Timing are left alone. A
// time before the last one begins anew.
void trends_take(struct trends *trends, const char *type, const void *data, size_t size, uint64_t time_ns);

// JSON: a list of objects with name, unit and meaning of each quantity, angles in degrees. Those with a value
// in this session have "is_here":true. NULL: out of memory. The caller frees it.
char *trends_list(const struct trends *trends);

// JSON: {"times":[...],"values":{"offset_m":[...],...}}: the rows above from_s, those of the newest ten
// minutes with the smallest interval, and null where a quantity is undefined. STATUS_BAD_INPUT: an unknown
// name. The caller frees *out.
enum status trends_write(const struct trends *trends, const char *const *names, int count, double from_s,
                         char **out, struct reason *why);
