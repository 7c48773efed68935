// sagbend: the simulator and its tools.
#include "programs/sagbend/sagbend_program.h"

int main(int argc, char **argv) {
  return program_main(&sagbend_program, argc, argv);
}
