// fast: unpaced, in one thread, without sockets.
#include "run/run.h"

void run_fast(struct run *r) {
  run_first_frame(r);
  while (run_goes_on(r))
    run_step_here(r, NULL);
}
