#include "session/notices.h"

#include <stdio.h>

void session_notices(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  static const char *const modes[] = {
      [RUN_REALTIME] = "realtime", [RUN_LOCKSTEP] = "lockstep", [RUN_FAST] = "fast"};
  char line[256];
  if (c->run.mode == RUN_FAST && c->sim.controller == CONTROLLER_EXTERNAL) {
    snprintf(line, sizeof line, "in fast mode the controller of %.150s runs in this process", c->dp_file);
    say(context, line);
  }
  if (c->run.mode != RUN_LOCKSTEP && c->run.lockstep_timeout_s > 0)
    say(context, "simulation.lockstep_timeout_s has an effect in mode lockstep only");
  if (c->run.mode != RUN_REALTIME && c->run.overrun == OVERRUN_HALT) {
    snprintf(line, sizeof line,
             "simulation.overrun: halt has an effect in mode realtime only; in mode %s no step is late",
             modes[c->run.mode]);
    say(context, line);
  }
  if ((c->log.keep_parts > 0 || c->log.keep_mib > 0) && !(c->log.part_s > 0 || c->log.part_mib > 0))
    say(context, "log.keep_parts and log.keep_mib delete nothing: they need a log in parts (log.part_s, "
                 "log.part_mib)");
}
