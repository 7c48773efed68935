#include "sim_state_test.c" // the same tests on kernels without clones
