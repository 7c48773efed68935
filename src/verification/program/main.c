// sagbend-verify: the verification, over libsagbend.a. sagbend hands it over.
#include "verification/program/program.h"

extern const char simulator_build_id[]; // made from the linked sagbend (tools/cmake/simulator_build.cmake)

int main(int argc, char **argv) {
  verify_made_with = simulator_build_id;
  return program_main(&verify_program, argc, argv);
}
