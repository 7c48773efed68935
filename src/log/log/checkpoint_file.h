// Checkpoints (sagbend/engine/engine.h) as files. A file is written whole or not at all. In all three functions
// why names the path.
#pragma once

#include "sagbend/engine/engine.h"

// Writes an image and its hash to path.partial, syncs it, renames it to path and syncs the folder. Whatever
// fails, the file that was at path before stays whole.
enum status checkpoint_write(const char *path, const void *image, size_t size, struct reason *why);
// Checks that path can be written, before there is an image.
enum status checkpoint_try_path(const char *path, struct reason *why);
// Reads a whole file; the caller frees *bytes.
enum status checkpoint_read(const char *path, void **bytes, size_t *size, struct reason *why);
