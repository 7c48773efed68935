// sagbend-lab: what sagbend hands over, so that the program beside a vessel's controller is small.
#include "lab/commands.h"

extern const char simulator_build_id[]; // made from the linked sagbend (tools/cmake/simulator_build.cmake)

int main(int argc, char **argv) {
  lab_made_with = simulator_build_id;
  return program_main(&lab_program, argc, argv);
}
