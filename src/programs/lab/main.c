// sagbend-lab: what sagbend hands over, so that the program beside a vessel's controller is small.
#include "programs/lab/lab_program.h"

int main(int argc, char **argv) {
  return program_main(&lab_program, argc, argv);
}
