// The state of a session as Prometheus reads it: text form 0.0.4. Names end in their units, counters in
// _total. No sockets, no clock. One thread owns it.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct metrics;

struct metrics *metrics_create(void);       // NULL: out of memory
void metrics_free(struct metrics *metrics); // accepts NULL

// Another session begins: forgets the one before.
void metrics_begin_session(struct metrics *metrics, const char *session);

// Takes a message of the telemetry that has been checked. type: "sagbend.v1.Timing"; others than Timing,
// Sensors, Truth, Ledger and Status change nothing.
void metrics_take(struct metrics *metrics, const char *type, const void *data, size_t size);

struct metrics_view { // of the program that serves the text
  int has_data;       // telemetry comes
  int clients;
  uint64_t joined, refused, sent, dropped, unreadable, lost;
};

// Writes at most capacity bytes of whole lines; returns how many. A metric without a value at present has its
// lines HELP and TYPE only.
size_t metrics_write(const struct metrics *metrics, const struct metrics_view *view, char *out,
                     size_t capacity);
