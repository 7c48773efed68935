// The extremes along the pipe since the start of a session, by arc length, out of the messages Nodes: what
// each piece of the pipe has seen. In bounded memory. No sockets, no clock.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Column of the message as the page names it, and its value at node i of n (Nodes).
#define ENVELOPE_TABLE(X)                                                                                    \
  X(tension_n, n->effective_tension_n[i])                                                                    \
  X(moment_nm, hypot(n->bending_2_nm[i], n->bending_3_nm[i]))                                                \
  X(curvature_1pm, n->curvature_1pm[i])                                                                      \
  X(utilisation, n->n_utilisation ? n->utilisation[i] : -1)                                                  \
  X(clearance_m, n->n_penetration_m ? -n->penetration_m[i] : 0)

enum { ENVELOPE_PLACES = 2048, ENVELOPE_MOMENTS = 48 };

struct envelope;

// keeps_moments: the extremes up to earlier moments as well, ENVELOPE_MOMENTS at most, as for a log. NULL:
// out of memory.
struct envelope *envelope_create(int keeps_moments);
void envelope_free(struct envelope *envelope); // accepts NULL
void envelope_begin_session(struct envelope *envelope);

// A message of the telemetry; other types than Nodes are left alone.
void envelope_take(struct envelope *envelope, const char *type, const void *data, size_t size,
                   uint64_t time_ns);

// JSON: {"time_s":...,"arc_length_m":[...],"tension_n":{"min":[...],"max":[...]},...}, up to the newest kept
// moment that is not after at_s; null where no node has been. NULL: out of memory. The caller frees it.
char *envelope_write(const struct envelope *envelope, double at_s);
