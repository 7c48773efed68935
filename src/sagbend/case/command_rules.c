// Rules that commands must meet, from the configuration.
#include "sagbend/case/config.h"

#include <math.h>
#include <string.h>

// About half the weight, and for moments that force times the radius of gyration: more than any thruster, tug
// or tensioner can produce.
static double default_limit(const struct config *c, int i) {
  const struct vessel_def *v = &c->sim.vessel;
  double force = DEFAULT_WRENCH_MPS2 * v->mass_kg;
  double inertia = v->inertia[i][i] - v->added_mass[i][i];
  return i < 3 || !(v->mass_kg > 0) ? force : force * sqrt(fmax(inertia, 0) / v->mass_kg);
}

static struct tensioner_rule tensioner_rule_of(const struct config *c) {
  const struct pipe_def *pipe = &c->sim.pipe;
  const struct tensioner_def *t = &pipe->tensioner;
  const enum tensioner_accept accept = c->net.tensioner_accept;
  if (t->order_count == 0)
    return (struct tensioner_rule){0};
  return (struct tensioner_rule){
      .present = 1,
      .from_controllers = accept == TENSIONER_ACCEPT_ALL || accept == TENSIONER_ACCEPT_CONTROLLER,
      .from_operators = accept == TENSIONER_ACCEPT_ALL || accept == TENSIONER_ACCEPT_OPERATOR,
      .brakes_on_silence = c->net.tensioner_silence == TENSIONER_SILENCE_BRAKE,
      .tension_min_n = tensioner_least_n(t),
      .tension_max_n = tensioner_most_n(t),
      .speed_max_mps = pipe_feed_speed_max(pipe_feed_shortest(pipe), c->sim.step_s)};
}

void config_command_rules(const struct config *c, const double hold_b[6], struct command_def *def) {
  const struct net_def *net = &c->net;
  memcpy(def->hold_wrench_b, hold_b, sizeof def->hold_wrench_b);
  for (int i = 0; i < 6; i++)
    def->wrench_limit[i] = net->wrench_limit[i] > 0
                               ? net->wrench_limit[i]
                               : fmax(default_limit(c, i), HAND_OVER_HOLD_WRENCHES * fabs(hold_b[i]));
  plant_command_rules(&c->sim.vessel.plant, c->sim.step_s, def);
  def->tensioner = tensioner_rule_of(c);
  def->thrusters_only = def->thruster_count > 0 && !net->accept_wrench;
}
