#include "cli/version.h"

const char *program_version(void) {
  return SAGBEND_VERSION;
}

struct build_id program_build(void) {
  struct build_id id;
  os_build_id(id.text);
  return id;
}
