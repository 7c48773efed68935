// Mode fast: as fast as the processor steps, in one thread, without sockets.
#include "run/run.h"

void run_fast(struct host *host) {
  run_publish_first(host);
  while (run_may_step(host))
    run_step(host, NULL, 0);
}
