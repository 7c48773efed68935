// The sockets and keys of the section network, and the section log: what a session needs and no step.
#include "net/case/case_internal.h"
#include "net/zmtp/endpoint.h"

#include <string.h>

static const struct key_def SOCKET_KEYS[] = {
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
    {"network.withhold_truth", AS_FLAG, .outside_model = 1, .fallback = "false", AT(out.net.withhold_truth),
     .doc = "Withholds the truth from a controller under test. true: it cannot read the truth from a socket "
            "of the simulator: nothing is "
            "published, Welcome names no "
            "telemetry endpoint, and orders and questions are refused. Trials set it."},
};

// The period of a topic of the log, with its fallback or .optional.
#define LOG_PERIOD(topic, text, ...)                                                                         \
  {"log." #topic "_period_s",                                                                                \
   AS_NUMBER | AS_WORD,                                                                                      \
   .range = NOT_NEGATIVE,                                                                                    \
   __VA_ARGS__,                                                                                              \
   .words = {"off"},                                                                                         \
   .word_first = 1,                                                                                          \
   WORD_AT(out.log.topic.off),                                                                               \
   AT(out.log.topic.period_s),                                                                               \
   .unit = "s",                                                                                              \
   .doc = text " 0: every step. off: not logged."}
static const struct key_def LOG_KEYS[] = {
    {"log", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Contents of a session log (--log). Commands and events are always logged."},
    LOG_PERIOD(sensors, "Logging period of the sensor messages. Absent: network.sensor_period_s.",
               .optional = 1),
    LOG_PERIOD(truth, "Logging period of the full vessel state.", .fallback = "0.1"),
    LOG_PERIOD(nodes, "Logging period of the pipe's node positions.", .fallback = "0.5"),
    LOG_PERIOD(ledger, "Logging period of the energy ledger.", .fallback = "1"),
    LOG_PERIOD(timing, "Logging period of the timing figures.", .fallback = "1"),
    LOG_PERIOD(state_hash, "Logging period of the state hash, which a replay compares.", .fallback = "0"),
    LOG_PERIOD(status, "Logging period of the status: offset, verdicts so far, active faults.",
               .fallback = "0.5"),
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

static void check_sockets(const struct check *c) {
  const struct net_def *net = &c->draft->out.net;

  check_endpoint(c, "network.command_endpoint", net->command_endpoint);
  check_endpoint(c, "network.telemetry_endpoint", net->telemetry_endpoint);
  if (is_same_address(net->command_endpoint, net->telemetry_endpoint))
    report(c, "network.telemetry_endpoint", "an endpoint different from command_endpoint expected");

  // Reported at the key that is there: that is what the user wrote.
  if (given(c, "network.server_key") && !given(c, "network.admitted_keys"))
    report_found(c, "network.server_key", "nothing", "network.admitted_keys beside it expected");
  if (given(c, "network.admitted_keys") && !given(c, "network.server_key"))
    report_found(c, "network.admitted_keys", "nothing", "network.server_key beside it expected");
}

// An interface that does not exist, or a file in the place of a socket, is an error before anything is
// computed.
static void check_endpoint_here(struct loading *loading, const char *key, const char *endpoint) {
  struct reason why;
  const struct node *node = tree_find(loading->tree.root, key);

  if (node && !node->bad && !loading->from_memory &&
      endpoint_check(endpoint, ENDPOINT_LISTEN, &why) == STATUS_OK &&
      endpoint_check_here(endpoint, &why) != STATUS_OK)
    error_add(&loading->errors, node->at, "%s: %s", key, why.text);
}

_Static_assert(sizeof((struct net_def *)0)->server_key_file == CONFIG_PATH &&
                   sizeof((struct net_def *)0)->admitted_keys_file == CONFIG_PATH,
               "config_take_path writes so many bytes");

static void take_references(struct loading *loading, struct config *out) {
  config_take_path(loading, "network.server_key", 0, out->net.server_key_file);
  config_take_path(loading, "network.admitted_keys", 0, out->net.admitted_keys_file);
  check_endpoint_here(loading, "network.command_endpoint", out->net.command_endpoint);
  check_endpoint_here(loading, "network.telemetry_endpoint", out->net.telemetry_endpoint);
}

static void resolve_log(const struct check *c, struct config *out) {
  if (!given(c, "log.sensors_period_s"))
    out->log.sensors.period_s = out->net.sensor_period_s;
}

static const struct key_rows SOCKET_ROWS = KEY_ROWS(SOCKET_KEYS), LOG_ROWS = KEY_ROWS(LOG_KEYS);
static const struct key_group SOCKET_GROUPS[] = {{.rows = &SOCKET_ROWS, .prefix = ""}},
                              LOG_GROUPS[] = {{.rows = &LOG_ROWS, .prefix = ""}};
const struct config_section SOCKETS_SECTION = {SOCKET_GROUPS, 1, check_sockets, NULL, take_references};
const struct config_section LOG_SECTION = {LOG_GROUPS, 1, NULL, resolve_log, NULL};
