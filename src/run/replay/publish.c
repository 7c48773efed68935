// replay --publish: publishes the logged telemetry on the sockets, at the pace of its simulated time. To a
// controller it looks like a simulator that ignores its commands.
#include "sagbend/base/base.h"

#include "run/replay/replay.h"
#include "run/setup/setup.h"

#include "net/messages/messages.h"
#include "net/server/server.h"
#include "net/zmtp/zmtp.h"
#include "os/files/files.h"
#include "os/process/process.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WAIT_MS = 50 };
static const uint64_t STATUS_EVERY_NS = 250000000, ABOUT_EVERY_NS = 2000000000;

struct publish {
  struct replay *replay;
  struct server *server;
  struct server_keys *keys; // NULL: peers need none
  double rate;
  uint64_t start_ns, shown_ns;
  double start_time_s; // of the first message
  uint64_t sent[LOG_TOPIC_COUNT];
  uint8_t *about; // the newest /session_info, which is published again and again; NULL: none yet
  size_t about_size;
  uint64_t about_ns; // when it was published last
  uint64_t step;     // newest that is out
  double time_s;
  uint64_t ignored; // commands
  int stop_signal;
  struct descriptors descriptors;
};

static void on_command(void *context, const struct command *command) {
  struct publish *p = context;
  (void)command;
  if (p->ignored++)
    return;
  console_line(&p->replay->console, "t = %.3f s: command_ignored: commands arrive; a replay ignores them",
               p->time_s);
  server_publish_event(p->server, p->step, p->time_s, "command_ignored",
                       "this is a replay: commands change nothing");
}

static void on_event(void *context, uint64_t step, double time_s, const char *name, const char *text) {
  struct publish *p = context;
  if (!strncmp(name, "denied", strlen("denied")))
    console_event(&p->replay->console, step, time_s, name, text);
}

// Replaces an endpoint of the log by the given one, if any.
static enum status take_endpoint(const char *option, const char *given, char out[ENDPOINT_TEXT],
                                 struct reason *why) {
  struct reason cause;
  if (!given)
    return STATUS_OK;
  if (endpoint_check_here(given, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", option, cause.text);
  snprintf(out, ENDPOINT_TEXT, "%s", given);
  return STATUS_OK;
}

static enum status take_endpoints(struct replay *replay, struct reason *why) {
  const struct replay_options *o = replay->options;
  struct net_def *net = &replay->setup.config.net;
  enum status status = take_endpoint("--bind-command", o->command_endpoint, net->command_endpoint, why);
  if (status == STATUS_OK)
    status = take_endpoint("--bind-telemetry", o->telemetry_endpoint, net->telemetry_endpoint, why);
  return status;
}

// The keys of the options, never those that the log names: they belong to the session's machine.
static enum status take_keys(struct publish *p, struct reason *why) {
  const struct replay_options *o = p->replay->options;
  struct net_def *net = &p->replay->setup.config.net;
  if (!o->server_key != !o->admitted_keys)
    return fail(why, STATUS_BAD_INPUT, "--server-key FILE and --admitted-keys FILE need each other");
  snprintf(net->server_key_file, sizeof net->server_key_file, "%s", o->server_key ? o->server_key : "");
  snprintf(net->admitted_keys_file, sizeof net->admitted_keys_file, "%s",
           o->admitted_keys ? o->admitted_keys : "");
  return network_keys_read("replay", net, &p->keys, why);
}

static enum status open_server(struct publish *p, const char *id, struct reason *why) {
  const Sagbend__V1__SessionRecord *record = p->replay->record;
  const Sagbend__V1__BodyWrench *hold = record->initial_holding_force;
  const Sagbend__V1__Setpoint *logged = record->setpoint;
  const double setpoint[3] = {logged ? logged->north_m : 0, logged ? logged->east_m : 0,
                              logged ? logged->heading_rad : 0};
  struct session_info info = {.config = &p->replay->setup.config,
                              .session_id = id,
                              .node_count = (int)record->node_count,
                              .keys = p->keys,
                              .setpoint = logged ? setpoint : NULL};
  if (hold) {
    const double wrench[6] = {hold->surge_n, hold->sway_n,   hold->heave_n,
                              hold->roll_nm, hold->pitch_nm, hold->yaw_nm};
    memcpy(info.initial_holding_force_b, wrench, sizeof info.initial_holding_force_b);
  }
  return server_open(&info, &p->server, why);
}

static enum status open_sockets(struct publish *p, struct reason *why) {
  struct replay *replay = p->replay;
  struct config *config = &replay->setup.config;
  char id[17];
  enum status status = take_endpoints(replay, why);
  if (status == STATUS_OK)
    status = take_keys(p, why);
  if (status == STATUS_OK)
    status = session_make_id(id, why);
  if (status == STATUS_OK)
    status = descriptors_require(DESCRIPTORS_WITH_SOCKETS, why);
  if (status != STATUS_OK)
    return status;

  config->run.mode = RUN_REALTIME; // publishing keeps a pace, whatever the mode of the session
  os_block_stop_signals();         // before the sockets' threads start
  status = open_server(p, id, why);
  if (status != STATUS_OK)
    return status;
  server_on_event(p->server, on_event, p);
  console_line(&replay->console, "commands at %s", server_command_endpoint(p->server));
  console_line(&replay->console, "telemetry at %s", server_telemetry_endpoint(p->server));
  console_line(&replay->console, "%s: session %s replays session %s at %g times its pace", config->name, id,
               replay->record->session, p->rate);
  return STATUS_OK;
}

static void show_progress(struct publish *p) {
  uint64_t now_ns = os_now_ns();
  if (!p->replay->console.terminal || now_ns - p->shown_ns < STATUS_EVERY_NS)
    return;
  p->shown_ns = now_ns;
  console_status(&p->replay->console, "t %8.2f s of %.2f s  sensors %" PRIu64 "  commands ignored %" PRIu64,
                 p->time_s, (double)p->replay->last_step * p->replay->setup.config.sim.step_s,
                 p->sent[LOG_SENSORS], p->ignored);
}

static void check_descriptors(struct publish *p) {
  if (!descriptors_check(&p->descriptors, p->server))
    return;
  const char *text = descriptors_text(&p->descriptors);
  console_line(&p->replay->console, "%s", text);
  server_publish_event(p->server, p->step, p->time_s, descriptors_event(&p->descriptors), text);
}

// Whoever connects late learns what is constant.
static void repeat_about(struct publish *p) {
  uint64_t now_ns = os_now_ns();
  if (!p->about || now_ns - p->about_ns < ABOUT_EVERY_NS)
    return;
  p->about_ns = now_ns;
  server_republish(p->server, "session", p->about, p->about_size, NULL);
}

// Serves controllers until a message of this simulated time is due, or a signal stops the replay.
static enum status wait_until(struct publish *p, double time_s, struct reason *why) {
  double after_s = (time_s - p->start_time_s) / p->rate;
  uint64_t due_ns = p->start_ns + (after_s > 0 ? (uint64_t)(1e9 * fmin(after_s, 1e9)) : 0);
  struct reason cause = {""};
  while (!p->stop_signal) {
    uint64_t now_ns = os_now_ns();
    uint64_t left_ms = now_ns < due_ns ? (due_ns - now_ns) / 1000000 : 0;
    int wait_ms = left_ms > MAX_WAIT_MS ? MAX_WAIT_MS : (int)left_ms;
    if (server_poll(p->server, wait_ms, p->step, on_command, p, &cause) != STATUS_OK)
      return fail(why, STATUS_IO, "the sockets failed: %s", cause.text);

    show_progress(p);
    repeat_about(p);
    check_descriptors(p);
    p->stop_signal = os_stop_requested();
    if (p->stop_signal || now_ns >= due_ns)
      break;
    if (left_ms == 0)
      os_sleep_until_ns(due_ns);
  }
  return STATUS_OK;
}

static void keep_about(struct publish *p, const struct mcap_message *m) {
  uint8_t *copy = realloc(p->about, m->size + 1);
  if (!copy)
    return;
  p->about = memcpy(copy, m->data, m->size);
  p->about_size = m->size;
  p->about_ns = os_now_ns();
}

static enum status publish_message(struct publish *p, const struct mcap_message *m, struct reason *why) {
  enum log_topic topic = log_topic_of(m->channel);
  double time_s = 1e-9 * (double)m->log_time_ns;
  struct reason cause = {""};
  if (topic == LOG_TOPIC_COUNT || !wire_has_header(log_descriptor(topic)))
    return STATUS_OK;
  enum status status = wait_until(p, time_s, why);
  if (status != STATUS_OK || p->stop_signal)
    return status;

  if (time_s > p->time_s) {
    p->time_s = time_s;
    p->step = steps_nearest_to(time_s, p->replay->setup.config.sim.step_s);
  }
  const char *name = topic == LOG_SESSION_INFO ? "session" : log_topic_name(topic) + 1;
  if (topic == LOG_SESSION_INFO)
    keep_about(p, m);
  status = server_republish(p->server, name, m->data, m->size, &cause);
  if (status != STATUS_OK)
    return replay_unusable(p->replay, why, status, cause.text);
  p->sent[topic]++;
  return STATUS_OK;
}

static enum status publish_log(struct publish *p, struct reason *why) {
  struct replay *replay = p->replay;
  struct reason cause = {""};
  struct mcap_reader *reader;
  struct mcap_message message;
  enum status status = mcap_reader_open(replay->path, MCAP_STRICT, &reader, &cause);
  if (status != STATUS_OK)
    return replay_unusable(replay, why, status, cause.text);

  int got = MCAP_MESSAGE_READ; // damage: the first reading has told it
  p->start_ns = os_now_ns();
  p->start_time_s = p->time_s = (double)replay->record->first_step * replay->setup.config.sim.step_s;
  while (status == STATUS_OK && !p->stop_signal && (got = mcap_reader_next(reader, &message, &cause)) > 0)
    status = publish_message(p, &message, why);
  mcap_reader_close(reader);
  return got == MCAP_NO_MEMORY ? replay_unusable(replay, why, STATUS_NO_MEMORY, cause.text) : status;
}

static enum status report_published(const struct publish *p, double wall_s, struct reason *why) {
  const struct command_counts *counts = server_counts(p->server);
  double time_s = p->time_s - p->start_time_s, refused = (double)refused_in_all(counts);
  if (!p->replay->options->json) {
    printf("%-20s %.3f s of session %s in %.3f s\n", "published", time_s,
           shown(p->replay->record->session).text, wall_s);
    for (int t = 0; t < LOG_TOPIC_COUNT; t++)
      if (p->sent[t])
        printf("%-20s %" PRIu64 "\n", log_topic_name((enum log_topic)t) + 1, p->sent[t]);
    printf("%-20s %" PRIu64 " ignored, %.0f refused\n", "commands", p->ignored, refused);
    return STATUS_OK;
  }
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "log", p->replay->path);
  cJSON_AddNumberToObject(root, "sim_time_s", time_s);
  cJSON_AddNumberToObject(root, "wall_time_s", wall_s);
  cJSON_AddNumberToObject(root, "rate", p->rate);
  cJSON *published = cJSON_AddObjectToObject(root, "published");
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    if (p->sent[t])
      cJSON_AddNumberToObject(published, log_topic_name((enum log_topic)t) + 1, (double)p->sent[t]);
  cJSON_AddNumberToObject(root, "commands_ignored", (double)p->ignored);
  cJSON_AddNumberToObject(root, "commands_refused", refused);
  return json_put(root, why);
}

enum status replay_publish(struct replay *replay, struct reason *why) {
  struct publish p = {.replay = replay, .rate = replay->options->rate > 0 ? replay->options->rate : 1};
  enum status status = open_sockets(&p, why);
  if (status == STATUS_OK) {
    status = publish_log(&p, why);
    server_publish_end(p.server, p.step, p.time_s, p.stop_signal ? "stopped" : "end of the log", "");
    console_end(&replay->console);
    const enum status told = report_published(&p, 1e-9 * (double)(os_now_ns() - p.start_ns), why);
    if (status == STATUS_OK)
      status = told;
  }
  server_close(p.server);
  free(p.about);
  network_keys_free(p.keys);
  return status;
}
