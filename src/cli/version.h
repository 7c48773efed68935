// Which program this is: the version for people, the build for bit-exact replay and checkpoints.
#pragma once

#include "rt/os.h"

const char *program_version(void); // "0.1.0"

// Programs with the same build have the same machine code, and so compute the same bits.
struct build_id {
  char text[OS_BUILD_ID_SIZE];
};
struct build_id program_build(void);
