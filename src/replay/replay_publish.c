// The logged telemetry again on the sockets, at the pace of its simulated time: to a controller it is a
// simulator that does not heed its commands.
#include "core/base/steps.h"
#include "replay/replay.h"
#include "session/descriptors.h"

#include "io/net/endpoint.h"
#include "io/wire/server.h"
#include "rt/os.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WAIT_MS = 50 };
static const uint64_t STATUS_EVERY_NS = 250000000;

struct publish {
  struct replay *r;
  struct server *server;
  double rate;
  uint64_t start_ns, shown_ns;
  double start_time_s; // of the first message
  uint64_t sent[LOG_TOPIC_COUNT];
  uint64_t step; // newest that is out
  double time_s;
  uint64_t ignored; // commands
  int stop_signal;
  struct descriptors descriptors;
};

static void on_command(void *context, const struct command *c) {
  struct publish *p = context;
  (void)c;
  if (p->ignored++)
    return;
  console_line(&p->r->console, "t = %.3f s: command_ignored: commands come; a replay does not heed them",
               p->time_s);
  server_publish_event(p->server, p->step, p->time_s, "command_ignored",
                       "this is a replay: commands change nothing");
}

// In place of the log's. -1 to go on.
static int take_endpoint(struct replay *r, const char *option, const char *given, char out[ENDPOINT_TEXT]) {
  struct reason why;
  if (given && endpoint_check_here(given, &why) != STATUS_OK) {
    console_line(&r->console, "%s: %s", option, why.text);
    return EXIT_USAGE;
  }
  if (given)
    snprintf(out, ENDPOINT_TEXT, "%s", given);
  return -1;
}

static int open_sockets(struct publish *p) {
  struct replay *r = p->r;
  struct config *c = &r->session.config;
  const struct options *o = r->options;
  char id[17];
  struct session_info info = {.config = c, .session_id = id, .node_count = (int)r->record->node_count};
  const Sagbend__V1__BodyWrench *hold = r->record->hold_wrench;
  struct reason why = {""};
  if (take_endpoint(r, "--bind-command", o->command_endpoint, c->net.command_endpoint) >= 0 ||
      take_endpoint(r, "--bind-telemetry", o->telemetry_endpoint, c->net.telemetry_endpoint) >= 0)
    return EXIT_USAGE;
  c->run.mode = RUN_REALTIME; // it keeps a pace, whatever the session did
  if (hold)
    memcpy(
        info.hold_wrench_b,
        (double[]){hold->surge_n, hold->sway_n, hold->heave_n, hold->roll_nm, hold->pitch_nm, hold->yaw_nm},
        sizeof info.hold_wrench_b);
  const Sagbend__V1__Setpoint *s = r->record->setpoint;
  const double setpoint[3] = {s ? s->north_m : 0, s ? s->east_m : 0, s ? s->heading_rad : 0};
  info.setpoint = s ? setpoint : NULL;
  int status = session_make_id(id);
  if (status >= 0)
    return status;
  status = descriptors_ask(&r->console, DESCRIPTORS_WITH_SOCKETS);
  if (status >= 0)
    return status;
  os_block_stop_signals(); // before the sockets' threads
  enum status opened = server_open(&info, &p->server, &why);
  if (opened != STATUS_OK) {
    console_line(&r->console, "%s", why.text);
    return opened == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
  }
  console_line(&r->console, "commands at %s", server_command_endpoint(p->server));
  console_line(&r->console, "telemetry at %s", server_telemetry_endpoint(p->server));
  console_line(&r->console, "%s: session %s replays session %s at %g times its pace", c->name, id,
               r->record->session, p->rate);
  return -1;
}

static void show_progress(struct publish *p) {
  uint64_t now_ns = os_now_ns();
  if (!p->r->console.terminal || now_ns - p->shown_ns < STATUS_EVERY_NS)
    return;
  p->shown_ns = now_ns;
  console_status(&p->r->console, "t %8.2f s of %.2f s  sensors %" PRIu64 "  commands ignored %" PRIu64,
                 p->time_s, (double)p->r->last_step * p->r->session.config.sim.step_s, p->sent[LOG_SENSORS],
                 p->ignored);
}

// Serves controllers until the message's moment. -1 to go on.
static int wait_until(struct publish *p, double time_s) {
  double after_s = (time_s - p->start_time_s) / p->rate;
  uint64_t due_ns = p->start_ns + (after_s > 0 ? (uint64_t)(1e9 * after_s) : 0);
  for (;;) {
    uint64_t now_ns = os_now_ns();
    uint64_t left_ms = now_ns < due_ns ? (due_ns - now_ns) / 1000000 : 0;
    struct reason why;
    int wait_ms = left_ms > MAX_WAIT_MS ? MAX_WAIT_MS : (int)left_ms;
    if (server_poll(p->server, wait_ms, p->step, on_command, p, &why) != STATUS_OK) {
      console_line(&p->r->console, "the sockets failed: %s", why.text);
      return EXIT_FAILED;
    }
    show_progress(p);
    if (descriptors_look(&p->descriptors, p->server)) {
      console_line(&p->r->console, "%s", descriptors_text(&p->descriptors));
      server_publish_event(p->server, p->step, p->time_s, descriptors_event(&p->descriptors),
                           descriptors_text(&p->descriptors));
    }
    if ((p->stop_signal = os_stop_requested()))
      return EXIT_DONE;
    if (now_ns >= due_ns)
      return -1;
    if (left_ms == 0)
      os_sleep_until_ns(due_ns);
  }
}

static int is_published(enum log_topic t) {
  return t == LOG_SENSORS || t == LOG_TRUTH || t == LOG_NODES || t == LOG_LEDGER || t == LOG_TIMING ||
         t == LOG_EVENT;
}

static int play(struct publish *p) {
  struct replay *r = p->r;
  struct reason why = {""};
  struct mcap_reader *reader;
  struct mcap_message m;
  if (mcap_reader_open(r->path, MCAP_STRICT, &reader, &why) != STATUS_OK)
    return replay_unusable(r, why.text);
  int status = -1;
  double step_s = r->session.config.sim.step_s;
  p->start_ns = os_now_ns();
  p->start_time_s = p->time_s = (double)r->record->first_step * step_s;
  while (status < 0 && mcap_reader_next(reader, &m, &why) > 0) {
    enum log_topic topic = log_topic_of(m.channel);
    double time_s = 1e-9 * (double)m.log_time_ns;
    if (!is_published(topic))
      continue;
    status = wait_until(p, time_s);
    if (status >= 0)
      break;
    if (time_s > p->time_s) {
      p->time_s = time_s;
      p->step = steps_nearest_to(time_s, step_s);
    }
    if (server_republish(p->server, log_topic_name(topic) + 1, m.data, m.size, &why) != STATUS_OK)
      status = replay_unusable(r, why.text);
    else
      p->sent[topic]++;
  }
  mcap_reader_close(reader);
  return status;
}

static void report(const struct publish *p, double wall_s) {
  const struct command_counts *counts = server_counts(p->server);
  double time_s = p->time_s - p->start_time_s, refused = 0;
  for (int i = 0; i < REFUSAL_COUNT; i++)
    refused += (double)counts->refused[i];
  if (!p->r->options->json) {
    printf("%-20s %.3f s of session %s in %.3f s\n", "published", time_s, p->r->record->session, wall_s);
    for (int t = 0; t < LOG_TOPIC_COUNT; t++)
      if (p->sent[t])
        printf("%-20s %" PRIu64 "\n", log_topic_name((enum log_topic)t) + 1, p->sent[t]);
    printf("%-20s %" PRIu64 " ignored, %.0f refused\n", "commands", p->ignored, refused);
    return;
  }
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "log", p->r->path);
  cJSON_AddNumberToObject(root, "sim_time_s", time_s);
  cJSON_AddNumberToObject(root, "wall_time_s", wall_s);
  cJSON_AddNumberToObject(root, "rate", p->rate);
  cJSON *published = cJSON_AddObjectToObject(root, "published");
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    if (p->sent[t])
      cJSON_AddNumberToObject(published, log_topic_name((enum log_topic)t) + 1, (double)p->sent[t]);
  cJSON_AddNumberToObject(root, "commands_ignored", (double)p->ignored);
  cJSON_AddNumberToObject(root, "commands_refused", refused);
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  puts(text ? text : "null");
  cJSON_free(text);
}

int replay_publish(struct replay *r) {
  struct publish p = {.r = r, .rate = r->options->rate > 0 ? r->options->rate : 1};
  int status = open_sockets(&p);
  if (status < 0)
    status = play(&p);
  console_end(&r->console);
  if (status < 0)
    status = EXIT_DONE;
  if (p.server) {
    server_publish_end(p.server, p.step, p.time_s, p.stop_signal ? "stopped" : "end of the log");
    report(&p, 1e-9 * (double)(os_now_ns() - p.start_ns));
    status = console_finish_stdout("sagbend replay", status);
  }
  server_close(p.server);
  return status;
}
