// The section network, as far as steps depend on it: periods, and rules of commands. Its sockets are those of
// a session (net/case/section_sockets.c).
#include "sagbend/case/config_sections.h"

#include "sagbend/base/number_text.h"
#include "sagbend/base/steps.h"

#include <math.h>
#include <string.h>

static const struct key_def NETWORK_KEYS[] = {
    {"network", AS_SECTION, .optional = 1, .doc = "Sockets, message periods and command checks."},
    {"network.sensor_period_s", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.net.sensor_period_s),
     .unit = "s",
     .doc = "Period of the sensor messages, and so of control: a whole number of steps. Absent: 0.1 s, "
            "rounded to a whole number of steps."},
    {"network.truth_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.1", AT(out.net.truth_period_s),
     .unit = "s", .doc = "Publishing period of the full vessel state."},
    {"network.nodes_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.5", AT(out.net.nodes_period_s),
     .unit = "s", .doc = "Publishing period of the pipe's node positions."},
    {"network.ledger_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.net.ledger_period_s),
     .unit = "s", .doc = "Publishing period of the energy ledger."},
    {"network.timing_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.net.timing_period_s),
     .unit = "s", .doc = "Publishing period of the timing figures."},
    {"network.command_timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     AT(out.net.command_timeout_s), .unit = "s",
     .doc = "Command timeout: after this time without a command, the reaction applies."},
    {"network.command_max_age_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.5",
     AT(out.net.command_max_age_s), .unit = "s",
     .doc = "Maximum age of the sensor message on which a command is based. An older command is rejected as "
            "stale."},
    {"network.reaction", AS_WORD, .fallback = "hold_wrench", .words = {"hold_last", "hold_wrench", "zero"},
     WORD_AT(out.net.reaction),
     .doc = "Reaction to the command timeout. hold_last: keep the last command. hold_wrench: apply "
            "hold_wrench. zero: no wrench."},
    {"network.wrench_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.net.wrench_limit), .unit = "N, N m",
     .doc = "Limit of a commanded wrench, for each component; a command beyond it is rejected. 0: the "
            "default limit, the force that accelerates the vessel by 5 m/s2 and, for moments, that force "
            "times the radius of gyration."},
    {"network.accept_wrench", AS_FLAG, .fallback = "false", AT(out.net.accept_wrench),
     .doc = "Wrench commands to a vessel with thrusters. true: accepted. false: rejected. A vessel without "
            "thrusters always accepts a wrench."},
    {"network.hold_release_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "30", AT(out.net.hold_release_s),
     .unit = "s",
     .doc =
         "Transition time between the hold wrench and thruster commands: the part of the hold wrench that "
         "the thrusters do not produce fades out over this time, and returns over the same time afterwards."},
};

// The sensor period as a whole number of steps, at least one.
static double whole_steps_s(const struct check *c) {
  const struct config *draft = &c->draft->out;
  double step_s = draft->sim.step_s;
  double period_s = given(c, "network.sensor_period_s") ? draft->net.sensor_period_s : 0.1;
  uint64_t steps = steps_nearest_to(period_s, step_s);

  return (double)(steps < 1 ? 1 : steps) * step_s;
}

static void check_network(const struct check *c) {
  const struct net_def *net = &c->draft->out.net;
  const char *period = "network.sensor_period_s";

  if (!is_readable(c, "simulation.step_s") || !is_given_well(c, period))
    return;
  double whole_s = whole_steps_s(c);
  if (fabs(net->sensor_period_s - whole_s) > 1e-9 * whole_s)
    report(c, period, "a whole number of steps of %s s expected", number_text(c->draft->out.sim.step_s).text);
}

static void resolve_network(const struct check *c, struct config *out) {
  out->net.sensor_period_s = whole_steps_s(c);
}

static const struct key_rows ROWS = KEY_ROWS(NETWORK_KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section NETWORK_SECTION = {GROUPS, 1, check_network, resolve_network, NULL};
