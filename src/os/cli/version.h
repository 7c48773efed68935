// Identity of the program: the version, and the build for bit-exact replay and checkpoints.
#pragma once

#include "os/process/program_file.h"

const char *program_version(void); // "0.1.0"

// Build id. Programs with the same build id have the same machine code and therefore compute the same bits.
struct build_id {
  char text[OS_BUILD_ID_SIZE];
};
struct build_id program_build(void);
struct build_id program_build_beside(const char *name); // of the program of this name beside the running one
