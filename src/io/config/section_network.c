// The sections network and log.
#include "io/config/config_sections.h"
#include "io/net/endpoint.h"

#include "core/base/number_text.h"
#include "core/base/steps.h"

#include <math.h>
#include <string.h>

static const struct key_def NETWORK_KEYS[] = {
    {"network", AS_SECTION, .optional = 1, .doc = "Sockets, message periods and command checks."},
    {"network.command_endpoint", AS_TEXT, .outside_model = 1, .size = 128,
     .fallback = "tcp://127.0.0.1:47700", AT(out.net.command_endpoint),
     .doc = "ZeroMQ ROUTER endpoint to which controllers connect. Port * lets the system choose one."},
    {"network.telemetry_endpoint", AS_TEXT, .outside_model = 1, .size = 128,
     .fallback = "tcp://127.0.0.1:47701", AT(out.net.telemetry_endpoint),
     .doc = "ZeroMQ PUB endpoint of the telemetry. Port * lets the system choose one."},
    {"network.server_key", AS_TEXT, .outside_model = 1, .size = 256, .optional = 1,
     AT(out.net.server_key_file),
     .doc =
         "File of the simulator's secret key ('sagbend keygen --role server'), relative to this file's "
         "folder. With it both sockets admit only clients whose keys are in admitted_keys; without it they "
         "must be on the loopback interface or ipc."},
    {"network.admitted_keys", AS_TEXT, .outside_model = 1, .size = 256, .optional = 1,
     AT(out.net.admitted_keys_file),
     .doc = "File with the public keys of the clients that are admitted, one 'ROLE NAME KEY' in a line, "
            "relative to this file's folder."},
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
    {"network.withhold_truth", AS_FLAG, .outside_model = 1, .fallback = "false", AT(out.net.withhold_truth),
     .doc = "Withholds the truth from a controller under test. true: it cannot read the truth from a socket "
            "of the simulator: nothing is "
            "published, Welcome names no "
            "telemetry endpoint, and orders and questions are refused. Trials set it."},
    {"network.hold_release_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "30", AT(out.net.hold_release_s),
     .unit = "s",
     .doc =
         "Transition time between the hold wrench and thruster commands: the part of the hold wrench that "
         "the thrusters do not produce fades out over this time, and returns over the same time afterwards."},
};

static const struct key_def LOG_KEYS[] = {
    {"log", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Contents of a session log (--log). Commands and events are always logged."},
    {"log.sensors_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .optional = 1, .words = {"off"},
     .word_first = 1, WORD_AT(out.log.sensors.off), AT(out.log.sensors.period_s), .unit = "s",
     .doc = "Logging period of the sensor messages. Absent: network.sensor_period_s. 0: every step. off: not "
            "logged."},
    {"log.truth_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "0.1", .words = {"off"},
     .word_first = 1, WORD_AT(out.log.truth.off), AT(out.log.truth.period_s), .unit = "s",
     .doc = "Logging period of the full vessel state. 0: every step. off: not logged."},
    {"log.nodes_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "0.5", .words = {"off"},
     .word_first = 1, WORD_AT(out.log.nodes.off), AT(out.log.nodes.period_s), .unit = "s",
     .doc = "Logging period of the pipe's node positions. 0: every step. off: not logged."},
    {"log.ledger_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "1", .words = {"off"},
     .word_first = 1, WORD_AT(out.log.ledger.off), AT(out.log.ledger.period_s), .unit = "s",
     .doc = "Logging period of the energy ledger. 0: every step. off: not logged."},
    {"log.timing_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "1", .words = {"off"},
     .word_first = 1, WORD_AT(out.log.timing.off), AT(out.log.timing.period_s), .unit = "s",
     .doc = "Logging period of the timing figures. 0: every step. off: not logged."},
    {"log.state_hash_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "0", .words = {"off"},
     .word_first = 1, WORD_AT(out.log.state_hash.off), AT(out.log.state_hash.period_s), .unit = "s",
     .doc = "Logging period of the state hash, which a replay compares. 0: every step. off: not logged."},
    {"log.status_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "0.5", .words = {"off"},
     .word_first = 1, WORD_AT(out.log.status.off), AT(out.log.status.period_s), .unit = "s",
     .doc = "Logging period of the status: offset, verdicts so far, active faults. 0: every step. off: not "
            "logged."},
    {"log.buffer_mib", AS_INTEGER, .range = LIMITED, .low = 1, .high = 1024, .fallback = "16",
     AT(out.log.buffer_mib), .unit = "MiB",
     .doc = "Buffer between the step and the disk. A slow disk must fill it before messages are dropped."},
    {"log.part_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.log.part_s), .unit = "s",
     .doc = "Simulated time after which a log in a folder (--log-dir) continues in a new part. 0: never."},
    {"log.part_mib", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1e9, .fallback = "0",
     AT(out.log.part_mib), .unit = "MiB",
     .doc = "Size at which a log in a folder (--log-dir) continues in a new part. 0: any size."},
    {"log.keep_parts", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999, .fallback = "0",
     AT(out.log.keep_parts),
     .doc =
         "Number of parts that the folder keeps, the one that is being written and those of earlier sessions "
         "included: older ones are deleted when a part begins. 0: all."},
    {"log.keep_mib", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1e9, .fallback = "0",
     AT(out.log.keep_mib), .unit = "MiB",
     .doc = "Size of all parts in the folder, the one that is being written and those of earlier sessions "
            "included, beyond which the oldest are deleted. 0: any size."},
};

static void check_endpoint(const struct check *c, const char *path, const char *endpoint) {
  struct reason why;
  if (is_readable(c, path) && endpoint_check(endpoint, ENDPOINT_LISTEN, &why) != STATUS_OK)
    report_text(c, path, why.text);
}

// Two sockets cannot share an address. Ports that the system chooses differ.
static int is_same_address(const char *a, const char *b) {
  const char *port = strrchr(a, ':');
  return strcmp(a, b) == 0 && (strncmp(a, "tcp:", 4) != 0 || endpoint_port(port + 1) > 0);
}

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

  check_endpoint(c, "network.command_endpoint", net->command_endpoint);
  check_endpoint(c, "network.telemetry_endpoint", net->telemetry_endpoint);
  if (is_same_address(net->command_endpoint, net->telemetry_endpoint))
    report(c, "network.telemetry_endpoint", "an endpoint different from command_endpoint expected");

  // Reported at the key that is there: that is what the user wrote.
  if (given(c, "network.server_key") && !given(c, "network.admitted_keys"))
    report_found(c, "network.server_key", "nothing", "network.admitted_keys beside it expected");
  if (given(c, "network.admitted_keys") && !given(c, "network.server_key"))
    report_found(c, "network.admitted_keys", "nothing", "network.server_key beside it expected");

  if (!is_readable(c, "simulation.step_s") || !is_given_well(c, period))
    return;
  double whole_s = whole_steps_s(c);
  if (fabs(net->sensor_period_s - whole_s) > 1e-9 * whole_s)
    report(c, period, "a whole number of steps of %s s expected", number_text(c->draft->out.sim.step_s).text);
}

static void resolve_network(const struct check *c, struct config *out) {
  out->net.sensor_period_s = whole_steps_s(c);
  if (!given(c, "log.sensors_period_s"))
    out->log.sensors.period_s = out->net.sensor_period_s;
}

static const struct key_rows NETWORK_ROWS = KEY_ROWS(NETWORK_KEYS), LOG_ROWS = KEY_ROWS(LOG_KEYS);
static const struct key_group GROUPS[] = {{.rows = &NETWORK_ROWS, .prefix = ""},
                                          {.rows = &LOG_ROWS, .prefix = ""}};
const struct config_section NETWORK_SECTION = {GROUPS, 2, check_network, resolve_network};
