// The file of the running program, and the programs that stand beside it.
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>

enum { PROGRAM_PATH = 4096 };

// Path of a file in the folder of the running program. STATUS_IO: the system does not tell the folder, or the
// path is longer than PROGRAM_PATH.
enum status program_beside(const char *name, char out[PROGRAM_PATH], struct reason *why);

// The build id that the linker gave a program, in hexadecimal: of the running program, or of a file.
// "unknown": it has none, or the file is no program of this machine or cannot be read.
enum { OS_BUILD_ID_SIZE = 41 };
void os_build_id(char out[OS_BUILD_ID_SIZE]);
void os_build_id_of(const char *path, char out[OS_BUILD_ID_SIZE]);
