#include "os/cli/version.h"

#include "os/process/program_file.h"

const char *program_version(void) {
  return SAGBEND_VERSION;
}

struct build_id program_build(void) {
  struct build_id id;
  os_build_id(id.text);
  return id;
}

struct build_id program_build_beside(const char *name) {
  struct build_id id = {"unknown"};
  struct reason why;
  char path[PROGRAM_PATH];
  if (program_beside(name, path, &why) == STATUS_OK)
    os_build_id_of(path, id.text);
  return id;
}
