#include "session/session.h"

#include "core/base/steps.h"

#include "rt/os.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int session_load(struct session *s, const struct options *o) {
  memset(s, 0, sizeof *s);
  if (config_load(o->config_path, (const char *const *)o->overrides, o->override_count, &s->config, stderr) !=
      STATUS_OK) {
    memset(&s->config, 0, sizeof s->config); // nothing of it is valid
    return EXIT_USAGE;
  }
  if (!*s->config.dp_file)
    return -1;
  char scale[64]; // the DP's times are events too
  const char *overrides[] = {scale};
  snprintf(scale, sizeof scale, "event_time_scale=%.17g", s->config.run.time_scale_of_events);
  if (dp_config_load_beside(s->config.dp_file, overrides, 1, &s->dp, &s->dp_text, stderr) != STATUS_OK)
    return EXIT_USAGE;
  s->has_dp = 1;
  return -1;
}

static int create_rig(struct session *s) {
  const struct config *c = &s->config;
  s->sensor_suite_mem = malloc(sensor_suite_memsize(&c->suite, c->sim.step_s) + 1);
  if (!s->sensor_suite_mem) {
    fprintf(stderr, "sagbend: %s: out of memory for its instruments\n", c->name);
    return EXIT_FAILED;
  }
  sensor_suite_create(&s->suite, &c->suite, c->sim.step_s, s->sim, s->sensor_suite_mem);
  return -1;
}

struct reason session_unstable_text(const struct statics_report *r) {
  static const char *const ways[] = {"along its axis", "sideways", "up or down", "with the vessel"};
  struct reason text;
  snprintf(text.text, sizeof text.text,
           "the straight way led to an unstable equilibrium, which gave way %s at S = %.4g m (compression at "
           "most %.4g kN at S = %.4g m); "
           "this is a stable one beside it",
           ways[r->left.kind], r->left.s_m, fmax(0, -r->left.least_tension_n) / 1e3,
           r->left.least_tension_s_m);
  return text;
}

int session_create_sim(struct session *s) {
  struct reason why = {""};
  size_t size = sim_memsize(&s->config.sim, &why);
  if (!size) {
    fprintf(stderr, "sagbend: %s: %s\n", s->config.name, why.text);
    return EXIT_USAGE;
  }
  s->sim_mem = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!s->sim_mem) {
    fprintf(stderr, "sagbend: %s: the simulator needs %zu bytes of memory, which are not there\n",
            s->config.name, size);
    return EXIT_FAILED;
  }
  enum status status = sim_create(&s->config.sim, s->sim_mem, size, &s->sim, &why);
  if (status == STATUS_OK && sim_statics(s->sim)->unstable_left)
    fprintf(stderr, "sagbend: warning: %s: %s\n", s->config.name,
            session_unstable_text(sim_statics(s->sim)).text);
  if (status == STATUS_OK)
    return create_rig(s);
  s->sim = NULL;
  fprintf(stderr, "sagbend: %s: %s: %s\n", s->config.name, status_text(status), why.text);
  return status == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
}

int session_make_id(char id[17]) {
  uint64_t number;
  struct reason why;
  if (os_random(&number, sizeof number, &why) != STATUS_OK) {
    fprintf(stderr, "sagbend: %s\n", why.text);
    return EXIT_FAILED;
  }
  snprintf(id, 17, "%016" PRIx64, number);
  return -1;
}

void session_free(struct session *s) {
  free(s->sim_mem);
  s->sim_mem = NULL;
  free(s->sensor_suite_mem);
  s->sensor_suite_mem = NULL;
  s->sim = NULL;
  free(s->dp_text);
  s->dp_text = NULL;
  config_free(&s->config);
}

int session_setpoint(const struct session *s, double setpoint[3]) {
  int continuous = s->config.sim.controller == CONTROLLER_CONTINUOUS;
  if (!s->has_dp && !continuous)
    return 0;
  const struct pid_def *law = s->has_dp ? &s->dp.def.pid : &s->config.sim.pid;
  setpoint[0] = law->reference[0];
  setpoint[1] = law->reference[1];
  setpoint[2] = law->reference[5];
  return 1;
}

struct command_def session_command_def(const struct session *s) {
  const struct net_def *net = &s->config.net;
  double step_s = s->config.sim.step_s;
  struct command_def def = {
      .period_steps = steps_in_period(net->sensor_period_s, step_s),
      .timeout_steps = steps_in_period(net->command_timeout_s, step_s),
      .reaction = net->reaction,
  };
  struct sim_output start;
  sim_get_output(s->sim, &start); // before the first step: the wrench that will be held
  config_command_rules(&s->config, start.control_wrench_b, &def);
  def.hold_release_steps = steps_in_period_or_off(net->hold_release_s, step_s);
  memcpy(def.hold_setpoint, sim_hold_setpoints(s->sim), sizeof def.hold_setpoint);
  return def;
}
