// The two files of a pair of keys: the secret one, and the public one beside it.
#pragma once

#include "sagbend/base/status.h"

#include <sys/types.h>

enum { KEY_PATH = 4096 };

// Before a pair is made: sets the path of its public part, "PATH.pub". STATUS_BAD_INPUT: a key is there.
enum status key_pair_begin(const char *path, char public_path[KEY_PATH], struct reason *why);

// Writes a file that does not exist yet; STATUS_BAD_INPUT: it does.
enum status key_write_new(const char *path, mode_t mode, const char *text, struct reason *why);
