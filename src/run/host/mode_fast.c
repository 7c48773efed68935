// Mode fast: as fast as the processor steps, in one thread, without sockets.
#include "run/host/host.h"

void host_run_fast(struct host *host) {
  host_publish_first(host);
  while (host_may_step(host))
    session_step(host->session, NULL, 0);
}
