// The header of a telemetry message, read without unpacking the rest.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct message_header {
  uint64_t sequence;
  uint64_t time_ns; // 0: not a time from 0 to 1e9 s
};

// Leaves out as it is if there is none. Whether the message is valid is not checked here.
void header_of(const void *bytes, size_t size, struct message_header *out);
