// sagbend: the simulator and its tools.
#include "app/commands.h"

int main(int argc, char **argv) {
  return program_main(&sagbend_program, argc, argv);
}
