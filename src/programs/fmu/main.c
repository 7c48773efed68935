// sagbend-fmu: an FMU as the controller. It speaks the protocol as sagbend-dp does, and has the FMU in a
// process of its own.
#include "programs/fmu/fmu_program.h"

#include "os/process/process.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  struct fmu_controller_options o = {NULL, NULL, NULL, NULL};
  const char **const words[] = {&o.endpoint, &o.fmu, &o.map};
  struct reason why = {""};
  int count = 0;
  os_survive_closed_streams();
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help")) {
      fmu_controller_describe(&(struct help){.out = stdout});
      return EXIT_DONE;
    }
    if (!strcmp(argv[i], "--name") && i + 1 < argc)
      o.name = argv[++i];
    else if (argv[i][0] == '-' || count == 3)
      return exit_with_reason(
          "sagbend-fmu",
          fail(&why, STATUS_BAD_INPUT, "unexpected argument '%.80s'; see 'sagbend-fmu --help'", argv[i]),
          &why);
    else
      *words[count++] = argv[i];
  }
  if (count < 2)
    return exit_with_reason(
        "sagbend-fmu", fail(&why, STATUS_BAD_INPUT, "ENDPOINT and X.fmu expected; see 'sagbend-fmu --help'"),
        &why);
  const enum status status = fmu_controller_run(&o, &why);
  return exit_with_reason("sagbend-fmu", status, &why);
}
