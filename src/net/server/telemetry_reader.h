// A client of the telemetry: messages of a simulator's publishing socket. It connects again by itself, as
// long as messages are taken several times a second.
#pragma once

#include "sagbend/base/status.h"
#include "os/files/files.h"

#include <stddef.h>
#include <stdint.h>

struct telemetry_reader;

// topics ends with NULL. keys: as for an operator; NULL: none. Both must live as long as the reader.
enum status telemetry_reader_open(const char *endpoint, const char *const *topics,
                                  const struct client_keys *keys, struct telemetry_reader **out,
                                  struct reason *why);
void telemetry_reader_close(struct telemetry_reader *reader); // accepts NULL

// A file that becomes readable when something may have come; take then until NULL is returned, and ask for
// the file again: another connection has another one. -1: none.
int telemetry_reader_file(const struct telemetry_reader *reader);

// Messages that were left out: not two parts, a topic that no simulator has, or too long.
uint64_t telemetry_reader_skipped(const struct telemetry_reader *reader);

// Takes the next message, if one has come within timeout_ms. Returns its bytes, which stay valid until the
// next call, its topic and its size; NULL: none has come.
const void *telemetry_reader_take(struct telemetry_reader *reader, int timeout_ms, const char **topic,
                                  size_t *size);
