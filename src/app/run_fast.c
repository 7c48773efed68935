// fast: unpaced, in one thread, without sockets.
#include "run.h"

int run_fast(struct run *r) {
  run_first_frame(r);
  while (run_goes_on(r))
    run_step_here(r, NULL);
  return EXIT_DONE;
}
