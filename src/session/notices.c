#include "session/notices.h"

#include "core/hydro/hydro_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Linear damping beside a hydro file is what radiation lacks. More than the largest radiation damping of a
// motion is mostly the damping of a configuration without a hydro file, which contains it.
static void notice_damping(const struct config *c, void (*say)(void *context, const char *text),
                           void *context) {
  static const char *const names[6] = {"surge", "sway", "heave", "roll", "pitch", "yaw"};
  const struct hydro_data *hydro = c->hydro;
  double peak[6] = {0};
  char line[256] = "";
  for (int f = 0; hydro && f < hydro->force.frequencies; f++) {
    double re[6][6], im[6][6];
    hydro_memory_at(&hydro->memory, hydro->force.omega_radps[f], re, im);
    for (int i = 0; i < 6; i++)
      peak[i] = fmax(peak[i], re[i][i]);
  }
  for (int i = 0; i < 6; i++)
    if (peak[i] > 0 && c->sim.vessel.damping_linear[i][i] > peak[i])
      snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s (%.3g, %.3g)", *line ? ", " : "",
               names[i], c->sim.vessel.damping_linear[i][i], peak[i]);
  if (!*line)
    return;
  char text[512];
  snprintf(text, sizeof text,
           "damping counted twice? vessel.damping.linear exceeds the largest radiation damping of "
           "vessel.hydro_file in %s; it should contain only what comes on top",
           line);
  say(context, text);
}

// A tensioner that holds less than the horizontal force cannot hold the pipe: mostly a force in kN.
static void notice_tensioner(const struct config *c, void (*say)(void *context, const char *text),
                             void *context) {
  const struct tensioner_def *t = &c->sim.pipe.tensioner;
  const double force = c->sim.statics.horizontal_force_n, held = fmin(t->brake_n, t->grip_n);
  char line[256];
  if (t->order_count == 0 || c->sim.statics.kind != STATICS_HORIZONTAL_FORCE)
    return;
  if (held < force) {
    snprintf(line, sizeof line,
             "pipe.tensioner: brake and grip hold %g N, less than statics.horizontal_force_n, %g N: the pipe "
             "slips",
             held, force);
    say(context, line);
  }
  for (int i = 0; i < t->order_count; i++)
    if (t->order[i].mode == TENSIONER_TENSION && t->order[i].tension_n < force) {
      snprintf(
          line, sizeof line,
          "pipe.tensioner.orders.%d: a tension of %g N is less than statics.horizontal_force_n, %g N: the "
          "pipe runs out until the vessel has come nearer",
          i, t->order[i].tension_n, force);
      say(context, line);
    }
}

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
  notice_damping(c, say, context);
  notice_tensioner(c, say, context);
}
