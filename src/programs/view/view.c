#include "programs/view/view_live.h"

#include "os/files/files.h"
#include "net/zmtp/clock.h"
#include "net/zmtp/endpoint.h"
#include "os/process/process.h"
#include "programs/view/view_program_internal.h"
#include "programs/view/operate.h"
#include "view/scene/alarms.h"
#include "view/scene/metrics.h"
#include "view/server/alarm_json.h"
#include "view/server/server.h"
#include "view/server/live.h"
#include "view/server/past.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_MS = 1000, ALARMS_MS = 500, TURN_MS = 100 };

struct view {
  struct live_source *source;
  struct gateway *gateway;
  struct metrics *metrics;
  struct alarms *alarms;
  struct operate *operate; // NULL: it observes only
  struct limits *limits;
  struct past past;
  uint64_t alarms_told;
  int64_t noted_ms, alarms_ms;
};

static void begin_session(void *context, const char *session) {
  struct view *v = context;
  gateway_begin_session(v->gateway, session);
  metrics_begin_session(v->metrics, session);
  alarms_begin_session(v->alarms);
  past_begin_session(&v->past);
}

static void take_message(void *context, const struct view_message *message) {
  struct view *v = context;
  int count;
  const char *type = live_channels(&count)[message->channel].schema_name;
  gateway_publish(v->gateway, message);
  metrics_take(v->metrics, type, message->bytes, message->size);
  alarms_take(v->alarms, type, message->bytes, message->size);
  past_take(&v->past, type, message->bytes, message->size, message->time_ns);
  gateway_set_time(v->gateway, message->time_ns);
}

// Tells the clients each second, and at once when the state changes.
static void tell_state(struct view *v, int64_t now_ms) {
  char note[LIVE_NOTE];
  int is_new = live_note(v->source, now_ms, note);
  if (!is_new && now_ms - v->noted_ms < NOTE_MS)
    return;
  v->noted_ms = now_ms;
  gateway_tell_all(v->gateway, NOTE_SOURCE, note);
}

static void tell_alarms(struct view *v, int64_t now_ms) {
  const struct alarm_list *list = alarms_list(v->alarms);
  if (list->changes == v->alarms_told || now_ms - v->alarms_ms < ALARMS_MS)
    return;
  char *note = alarm_json(list);
  if (note)
    gateway_tell_all(v->gateway, NOTE_ALARMS, note);
  free(note);
  v->alarms_told = list->changes;
  v->alarms_ms = now_ms;
}

static size_t write_metrics(void *context, char *out, size_t capacity) {
  struct view *v = context;
  struct live_counts source;
  struct gateway_counts served;
  live_count(v->source, clock_ms(), &source);
  gateway_count(v->gateway, &served);
  const struct metrics_view view = {.has_data = source.has_data,
                                    .clients = served.clients,
                                    .joined = served.joined,
                                    .refused = served.refused,
                                    .sent = served.sent,
                                    .dropped = served.dropped,
                                    .unreadable = source.unreadable + source.other_protocol,
                                    .lost = source.dropped};
  return metrics_write(v->metrics, &view, out, capacity);
}

static int order(void *context, int client, char *const *words, int count) {
  struct view *v = context;
  return operate_order(v->operate, client, words, count, clock_ms());
}

static enum status answer(void *context, const char *path, const char *query, char **out,
                          struct reason *why) {
  const struct view *v = context;
  enum status status = limits_answer(v->limits, path, query, out, why);
  if (status != STATUS_OK || *out)
    return status;
  if (v->operate && !strcmp(path, "orders")) {
    *out = operate_menu();
    return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  return past_answer(&v->past, path, query, out, why);
}

static void serve(struct view *v) {
  const struct live_sink sink = {v, begin_session, take_message};
  int more = 0;
  while (!os_stop_requested()) {
    gateway_turn(v->gateway, live_file(v->source), more ? 0 : TURN_MS);
    more = live_take(v->source, &sink, clock_ms());
    tell_state(v, clock_ms());
    tell_alarms(v, clock_ms());
    limits_turn(v->limits);
    if (v->operate)
      operate_turn(v->operate, v->gateway, clock_ms());
  }
}

static void print_address(const struct gateway *gateway, const char *endpoint) {
  fprintf(stderr, "sagbend-view: http://%s/ shows the telemetry of %s\n", gateway_address(gateway), endpoint);
  if (!gateway_is_local(gateway))
    fprintf(stderr, "sagbend-view: there is no authentication: whoever reaches %s sees the data\n",
            gateway_address(gateway));
}

static enum status open_source(struct view *v, const struct view_options *o, struct client_keys *keys,
                               struct reason *why) {
  if (!o->key)
    return live_open(o->connect, NULL, &v->source, why);
  enum status status = client_keys_read(o->key, o->server_key, keys, why);
  return status == STATUS_OK ? live_open(o->connect, keys, &v->source, why) : status;
}

static enum status open_operate(struct view *v, const struct view_options *o, const struct client_keys *keys,
                                struct gateway_setup *setup, struct reason *why) {
  struct reason cause = {""};
  if (!o->operate)
    return STATUS_OK;
  if (endpoint_check(o->operate, ENDPOINT_CONNECT, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--operate: %s", cause.text);
  if (o->key && keys->own.key.role != ROLE_OPERATOR)
    return fail(why, STATUS_BAD_INPUT, "%.120s: the key of an operator expected with --operate", o->key);
  enum status status = operate_open(o->operate, o->key ? keys : NULL, &v->operate, why);
  setup->seat = status == STATUS_OK ? operate_seat(v->operate) : NULL;
  setup->hooks.order = order;
  return status;
}

// The cookie goes over the network as plain text.
static enum status check_place(const struct view *v, struct reason *why) {
  if (!v->operate || gateway_is_local(v->gateway))
    return STATUS_OK;
  return fail(
      why, STATUS_BAD_INPUT,
      "--operate: an address of this machine expected for --listen, not %.60s: reach it from another one "
      "by 'ssh -L 8765:127.0.0.1:8765 MACHINE'",
      gateway_address(v->gateway));
}

enum status view_live(const struct view_options *o, struct reason *why) {
  struct view v = {0};
  struct client_keys keys;
  struct gateway_setup setup = {.listen = o->listen,
                                .allowed_hosts = o->hosts,
                                .allowed_origins = o->origins,
                                .allowed_host_count = o->host_count,
                                .allowed_origin_count = o->origin_count,
                                .name = "Sagbend",
                                .hooks = {.context = &v, .metrics = write_metrics, .data = answer}};
  setup.channels = live_channels(&setup.channel_count);
  os_block_stop_signals();
  v.metrics = metrics_create();
  v.alarms = alarms_create();
  enum status status =
      v.metrics && v.alarms ? past_open(&v.past, 0, why) : fail(why, STATUS_NO_MEMORY, "out of memory");
  const struct limits_case of = {
      .config = o->config, .overrides = o->overrides, .override_count = o->override_count};
  if (status == STATUS_OK)
    status = limits_open(&of, &v.limits, why);
  if (status == STATUS_OK)
    status = open_source(&v, o, &keys, why);
  if (status == STATUS_OK)
    status = open_operate(&v, o, &keys, &setup, why);
  if (status == STATUS_OK)
    status = gateway_open(&setup, &v.gateway, why);
  if (status == STATUS_OK)
    status = check_place(&v, why);
  if (status == STATUS_OK) {
    print_address(v.gateway, o->connect);
    v.noted_ms = -NOTE_MS;
    v.alarms_ms = -ALARMS_MS;
    serve(&v);
  }
  gateway_close(v.gateway);
  live_close(v.source);
  metrics_free(v.metrics);
  alarms_free(v.alarms);
  past_close(&v.past);
  limits_close(v.limits);
  operate_close(v.operate);
  if (o->key)
    peer_secret_forget(&keys.own);
  return status;
}
