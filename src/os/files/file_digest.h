// The digest of a piece of a file.
#pragma once

#include "sagbend/base/status.h"

#include <stdint.h>

enum { FILE_DIGEST = 32 }; // bytes: BLAKE2b

// Digests at most size bytes from offset on. *covered: how many there are. STATUS_IO: the file cannot be
// read.
enum status file_digest(int file, uint64_t offset, uint64_t size, uint8_t digest[FILE_DIGEST],
                        uint64_t *covered, struct reason *why);
