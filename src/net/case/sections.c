// Loads a case with the sections that belong to a session and not to its steps, and has those of sockets and
// log; those of the field buses are section_nmea.c and section_modbus.c.
#include "net/case/case.h"
#include "net/case/case_internal.h"

#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct config_section *const SECTIONS[] = {&SOCKETS_SECTION, &LOG_SECTION, &NMEA_SECTION,
                                                        &MODBUS_SECTION};
const struct config_sections RUN_SECTIONS = {.section = SECTIONS,
                                             .count = sizeof SECTIONS / sizeof *SECTIONS,
                                             .draft_bytes = sizeof(struct run_draft),
                                             .record_bytes = sizeof(struct config_run)};

const struct config_run *config_run(const struct config *c) {
  return c->more;
}

static enum status load(struct config_request request, struct config *out, FILE *errors) {
  const struct error_sink sink = error_to(errors);
  request.more = &RUN_SECTIONS;
  return config_read(&request, out, &sink);
}

enum status config_load(const char *path, const char *const *overrides, int override_count,
                        struct config *out, FILE *errors) {
  return config_load_placed(path, overrides, NULL, override_count, out, errors);
}

enum status config_load_placed(const char *path, const char *const *overrides, const char *const *places,
                               int override_count, struct config *out, FILE *errors) {
  return load(
      (struct config_request){
          .path = path, .overrides = overrides, .override_places = places, .override_count = override_count},
      out, errors);
}

enum status config_load_text(const char *name, const char *text, size_t size,
                             const struct config_files *files, const char *const *overrides,
                             int override_count, struct config *out, FILE *errors) {
  return load((struct config_request){.path = name,
                                      .text = text,
                                      .text_size = size,
                                      .files = files,
                                      .overrides = overrides,
                                      .override_count = override_count},
              out, errors);
}

enum status dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                                  struct dp_config *out, char **text, struct config_files *files,
                                  FILE *errors) {
  const struct error_sink sink = error_to(errors);
  const struct config_request request = {
      .path = path, .overrides = overrides, .override_count = override_count};
  return dp_config_read(&request, 1, out, text, files, &sink);
}

enum status dp_config_load(const char *path, const char *const *overrides, int override_count,
                           struct dp_config *out, FILE *errors) {
  const struct error_sink sink = error_to(errors);
  const struct config_request request = {
      .path = path, .overrides = overrides, .override_count = override_count};
  return dp_config_read(&request, 0, out, NULL, NULL, &sink);
}

static enum status write_schema(struct schema schema, FILE *out, struct reason *why) {
  const enum status status = schema_write_json(&schema, out, why);
  schema_free(&schema);
  return status;
}

enum status config_write_schema(FILE *out, struct reason *why) {
  return write_schema(config_schema(&RUN_SECTIONS), out, why);
}

enum status dp_config_write_schema(FILE *out, struct reason *why) {
  return write_schema(dp_schema(), out, why);
}

// ------------------------------------------------------------
// The sockets and keys of the section network, and the section log: what a session needs and no step.

static const struct key_def SOCKET_KEYS[] = {
    {"network.command_endpoint", AS_TEXT, .outside_model = 1, .size = 128,
     .fallback = "tcp://127.0.0.1:47700", AT(out.net.command_endpoint),
     .doc = "ZeroMQ ROUTER endpoint to which controllers connect. Port * lets the system choose one."},
    {"network.telemetry_endpoint", AS_TEXT, .outside_model = 1, .size = 128,
     .fallback = "tcp://127.0.0.1:47701", AT(out.net.telemetry_endpoint),
     .doc = "ZeroMQ PUB endpoint of the telemetry. Port * lets the system choose one."},
    {"network.command_endpoint_b", AS_TEXT, .outside_model = 1, .size = 128, .optional = 1,
     AT(out.net.command_endpoint_b),
     .doc = "ZeroMQ ROUTER endpoint on network B: a controller connects to both, and a command acts once "
            "(docs/ship-network.md). Absent: there is no network B."},
    {"network.telemetry_endpoint_b", AS_TEXT, .outside_model = 1, .size = 128, .optional = 1,
     AT(out.net.telemetry_endpoint_b),
     .doc = "ZeroMQ PUB endpoint of the same telemetry on network B. Absent: there is none."},
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

// The endpoints, each with the key that must have another one.
static const struct {
  const char *key;
  size_t offset; // in struct net_def
} SOCKETS[] = {{"network.command_endpoint", offsetof(struct net_def, command_endpoint)},
               {"network.telemetry_endpoint", offsetof(struct net_def, telemetry_endpoint)},
               {"network.command_endpoint_b", offsetof(struct net_def, command_endpoint_b)},
               {"network.telemetry_endpoint_b", offsetof(struct net_def, telemetry_endpoint_b)}};
enum { SOCKET_COUNT = sizeof SOCKETS / sizeof *SOCKETS };

static const char *socket_at(const struct net_def *net, int i) {
  return (const char *)net + SOCKETS[i].offset;
}

// Two sockets cannot share an address. Ports that the system chooses differ.
static int is_same_address(const char *a, const char *b) {
  static const char named[] = "tcp://localhost:", numeric[] = "tcp://127.0.0.1:";
  const size_t length = strlen(named); // of both
  const int is_own[] = {!strncmp(a, named, length) || !strncmp(a, numeric, length),
                        !strncmp(b, named, length) || !strncmp(b, numeric, length)};
  const char *port = strrchr(a, ':');
  const int is_same = !strcmp(a, b) || (is_own[0] && is_own[1] && !strcmp(a + length, b + length));
  return is_same && (strncmp(a, "tcp:", 4) != 0 || endpoint_port(port + 1) > 0);
}

static void check_sockets(const struct check *c) {
  const struct net_def *net = &c->draft->out.net;

  for (int i = 0; i < SOCKET_COUNT; i++) {
    if (!*socket_at(net, i))
      continue;
    check_endpoint(c, SOCKETS[i].key, socket_at(net, i));
    for (int k = 0; k < i; k++)
      if (is_same_address(socket_at(net, k), socket_at(net, i)))
        report(c, SOCKETS[i].key, "an endpoint different from %s expected",
               SOCKETS[k].key + strlen("network."));
  }

  // Reported at the key that is there: that is what the user wrote.
  if (given(c, "network.server_key") && !given(c, "network.admitted_keys"))
    report_found(c, "network.server_key", "nothing", "needs network.admitted_keys");
  if (given(c, "network.admitted_keys") && !given(c, "network.server_key"))
    report_found(c, "network.admitted_keys", "nothing", "needs network.server_key");
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
  for (int i = 0; i < SOCKET_COUNT; i++)
    if (*socket_at(&out->net, i))
      check_endpoint_here(loading, SOCKETS[i].key, socket_at(&out->net, i));
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
