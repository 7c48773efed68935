// Mode fast: as fast as the processor steps, in one thread, without sockets.
#include "run/run.h"

void run_fast(struct run *run) {
  run_publish_first(run);
  while (run_may_step(run))
    run_step(run, NULL, 0);
}
