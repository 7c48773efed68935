// A command of another program beside this one: that program takes the place of this one, with the same
// arguments, streams and terminal.
#include "programs/sagbend/sagbend_program.h"

#include "os/cli/exit_status.h"
#include "os/cli/lab_commands.h"
#include "os/process/program_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int hand_over(const char *program, int argc, char **argv) {
  char path[PROGRAM_PATH];
  struct reason why = {""};
  char **arguments = calloc((size_t)argc + 2, sizeof *arguments);
  enum status status =
      arguments ? program_beside(program, path, &why) : fail(&why, STATUS_NO_MEMORY, "out of memory");
  if (arguments && status == STATUS_OK) {
    arguments[0] = path;
    memcpy(arguments + 1, argv, (size_t)argc * sizeof *arguments);
    execv(path, arguments);
    status = fail(&why, STATUS_BAD_INPUT, "this command needs the program %s beside this one: %.160s: %s",
                  program, path, strerror(errno));
  }
  free(arguments);
  char who[64];
  snprintf(who, sizeof who, "sagbend %s", argv[0]);
  return exit_with_reason(who, status, &why);
}

int cmd_of_lab(int argc, char **argv) {
  return hand_over(LAB_PROGRAM, argc, argv);
}

int cmd_of_verify(int argc, char **argv) {
  return hand_over(VERIFY_PROGRAM, argc, argv);
}
