// UTC of simulated time 0: as the configuration states it, or by the clock at the session's first step.
#include "run/session/session.h"

#include "os/process/process.h"
#include "run/setup/setup.h"
#include "sagbend/engine/engine.h"

#include <math.h>
#include <string.h>

// In mode realtime between the opening of the log, which records the moment of the first step, and that step:
// the step thread starts meanwhile.
static const uint64_t LEAD_NS = 500000000;

// UTC of the next whole multiple of a step on the clock that the steps follow, for which everything is ready
// by then.
static uint64_t first_moment_ns(const struct config *config, uint64_t step_ns) {
  const int is_realtime = config->run.mode == RUN_REALTIME;
  const struct clock_look utc = os_clock_look(OS_CLOCK_UTC);
  struct clock_look followed = utc;
  if (is_realtime && config->run.clock == RIG_CLOCK_TAI) { // which is whole seconds ahead of UTC
    struct kernel_clock kernel;
    kernel_clock_read(&kernel);
    followed.ahead_ns += (int64_t)kernel.tai_offset_s * 1000000000;
  }
  const uint64_t moment_ns =
      clock_whole_step(os_now_ns() + (is_realtime ? LEAD_NS : 0), followed.ahead_ns, step_ns);
  return moment_ns + (uint64_t)utc.ahead_ns;
}

static uint64_t resumed_start_ns(const struct session *session) {
  return session->checkpoint && !strcmp(session->origin.how, "resume")
             ? checkpoint_start_utc_ns(session->checkpoint)
             : 0;
}

void session_take_start(struct session *session) {
  const struct config *config = &session->setup->config;
  const struct start_utc configured = setup_start_utc(session->setup);
  uint64_t start_ns = configured.ns;
  if (configured.is_now && !(start_ns = resumed_start_ns(session))) {
    const double step_s = config->sim.step_s;
    const uint64_t step_ns = (uint64_t)(1e9 * step_s + 0.5), first_ns = first_moment_ns(config, step_ns);
    start_ns = first_ns - (uint64_t)llround(1e9 * (double)session->first_step * step_s);
    session->first_due_utc_ns = config->run.mode == RUN_REALTIME ? first_ns + step_ns : 0;
  }
  session->clock_start_utc_ns = configured.is_now ? start_ns : 0;
  session->engine.loop.frame.start_utc_ns = start_ns;
}
