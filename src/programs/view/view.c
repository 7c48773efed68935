// sagbend-view: the options, a live session, a log.
#include "programs/view/view_program.h"
#include "programs/view/view_program_internal.h"

#include "net/zmtp/zmtp.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "view/scene/scene.h"
#include "view/server/server.h"

#include <getopt.h>
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
  uint64_t alarms_reported;
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
static void report_state(struct view *v, int64_t now_ms) {
  char note[LIVE_NOTE];
  int is_new = live_note(v->source, now_ms, note);
  if (!is_new && now_ms - v->noted_ms < NOTE_MS)
    return;
  v->noted_ms = now_ms;
  gateway_report_all(v->gateway, NOTE_SOURCE, note);
}

static void tell_alarms(struct view *v, int64_t now_ms) {
  const struct alarm_list *list = alarms_list(v->alarms);
  if (list->changes == v->alarms_reported || now_ms - v->alarms_ms < ALARMS_MS)
    return;
  char *note = alarm_json(list);
  if (note)
    gateway_report_all(v->gateway, NOTE_ALARMS, note);
  free(note);
  v->alarms_reported = list->changes;
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
  enum status status = limits_response(v->limits, path, query, out, why);
  if (status != STATUS_OK || *out)
    return status;
  if (v->operate && !strcmp(path, "orders")) {
    *out = operate_menu();
    return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  return past_response(&v->past, path, query, out, why);
}

static void serve(struct view *v) {
  const struct live_sink sink = {v, begin_session, take_message};
  int more = 0;
  while (!os_stop_requested()) {
    gateway_turn(v->gateway, live_file(v->source), more ? 0 : TURN_MS);
    more = live_take(v->source, &sink, clock_ms());
    report_state(v, clock_ms());
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
    return fail(why, STATUS_BAD_INPUT, "%.120s: --operate needs the key of an operator", o->key);
  enum status status = operate_open(o->operate, o->key ? keys : NULL, &v->operate, why);
  setup->seat = status == STATUS_OK ? operate_seat(v->operate) : NULL;
  setup->hooks.order = order;
  return status;
}

// The cookie goes over the network as plain text.
static enum status check_place(const struct view *v, struct reason *why) {
  if (!v->operate || gateway_is_local(v->gateway))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "--operate: an address of this machine expected for --listen, got %.60s: reach it from another "
              "one by 'ssh -L 8765:127.0.0.1:8765 MACHINE'",
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

// ------------------------------------------------------------
struct log_view {
  struct player *player;
  struct limits *limits;
};

static void serve_of_log(struct gateway *gateway, struct log_view *view) {
  struct player *player = view->player;
  int wait_ms = 0, is_reported = 0;
  while (!os_stop_requested()) {
    gateway_turn(gateway, -1, wait_ms);
    wait_ms = player_work(player, gateway, clock_ms());
    limits_turn(view->limits);
    if (*player_trouble(player) && !is_reported)
      fprintf(stderr, "sagbend-view: the log has changed while it was played: %s\n",
              shown(player_trouble(player)).text);
    is_reported = *player_trouble(player) != 0;
  }
}

static void print_address_of_log(const struct gateway *gateway, const struct log_series *series) {
  uint64_t start_ns, end_ns;
  log_series_span(series, &start_ns, &end_ns);
  fprintf(stderr, "sagbend-view: http://%s/ plays %s%s, t = %.9g s to %.9g s\n", gateway_address(gateway),
          shown(log_series_path(series, 0)).text,
          log_series_file_count(series) > 1 ? " and its other parts" : "", 1e-9 * (double)start_ns,
          1e-9 * (double)end_ns);
  for (int i = 1; i < log_series_file_count(series); i++) {
    unsigned before = log_series_part(series, i - 1), part = log_series_part(series, i);
    if (part == before + 2)
      fprintf(stderr, "sagbend-view: part %u is missing\n", part - 1);
    else if (part > before + 2)
      fprintf(stderr, "sagbend-view: parts %u to %u are missing\n", before + 1, part - 1);
  }
  if (!gateway_is_local(gateway))
    fprintf(stderr, "sagbend-view: there is no authentication: whoever reaches %s sees the data\n",
            gateway_address(gateway));
}

static enum status answer_of_log(void *context, const char *path, const char *query, char **out,
                                 struct reason *why) {
  const struct log_view *v = context;
  enum status status = limits_response(v->limits, path, query, out, why);
  return status != STATUS_OK || *out
             ? status
             : past_response(log_series_past(player_series(v->player)), path, query, out, why);
}

static enum status serve_series(const struct view_options *o, const struct log_series *series,
                                struct log_view *view, struct reason *why) {
  struct gateway *gateway;
  struct gateway_setup setup = {.listen = o->listen,
                                .allowed_hosts = o->hosts,
                                .allowed_origins = o->origins,
                                .allowed_host_count = o->host_count,
                                .allowed_origin_count = o->origin_count,
                                .name = "Sagbend",
                                .is_log = 1,
                                .hooks = {.context = view->player,
                                          .data_context = view,
                                          .joined = player_joined,
                                          .left = player_left,
                                          .subscribed = player_subscribed,
                                          .play = player_play,
                                          .data = answer_of_log}};
  setup.channels = log_series_channels(series, &setup.channel_count);
  enum status status = gateway_open(&setup, &gateway, why);
  if (status != STATUS_OK)
    return status;
  gateway_begin_session(gateway, log_series_session(series));
  char *alarms = alarm_json(log_series_alarms(series));
  if (alarms)
    gateway_report_all(gateway, NOTE_ALARMS, alarms);
  free(alarms);
  print_address_of_log(gateway, series);
  serve_of_log(gateway, view);
  gateway_close(gateway);
  return STATUS_OK;
}

enum status view_log(const struct view_options *o, struct reason *why) {
  struct log_series *series;
  os_block_stop_signals();
  enum status status = log_series_open(o->logs, o->log_count, &series, why);
  if (status != STATUS_OK)
    return status;
  struct log_view view = {.player = player_create(series)};
  const struct limits_case of = {
      .config = o->config, .overrides = o->overrides, .override_count = o->override_count};
  status = view.player ? limits_open(&of, &view.limits, why) : fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK)
    status = serve_series(o, series, &view, why);
  limits_close(view.limits);
  player_free(view.player);
  log_series_close(series);
  return status;
}

// ------------------------------------------------------------
#define DEFAULT_LISTEN "127.0.0.1:8765"

// One row for each option: what getopt_long reads, and what the help states.
static const struct {
  char letter;
  const char *name, *value, *help; // value NULL: none
} OPTIONS[] = {
    {'c', "connect", "ENDPOINT", "Telemetry endpoint of the simulator, such as tcp://127.0.0.1:47701."},
    {'l', "listen", "HOST:PORT",
     "Where browsers and other clients connect. Default: " DEFAULT_LISTEN
     ", which only this machine reaches. "
     "Port 0: the system chooses one."},
    {'H', "allow-host", "NAME",
     "Name or address by which browsers may reach this program, besides localhost, 127.0.0.1 and [::1]; may "
     "be "
     "repeated. Beyond this machine it is needed."},
    {'o', "allow-origin", "ORIGIN",
     "Origin of other pages that may connect, such as http://localhost:8080 of your own Lichtblick; may "
     "be "
     "repeated."},
    {'k', "key", "FILE",
     "Secret key of an observer ('sagbend keygen --role observer FILE'), with --operate of an operator, for "
     "a "
     "simulator that requires keys."},
    {'K', "server-key", "KEY", "Public key of the simulator, or the file .pub that contains it."},
    {'O', "operate", "ENDPOINT",
     "Endpoint of the simulator's commands. A browser that enters with the token that is printed can give "
     "orders. "
     "Only this machine may reach the page then."},
    {'C', "config", "CONFIG",
     "Configuration of the session: the page shows the weather in which its vessel holds position in the "
     "present "
     "current."},
    {'S', "set", "KEY=VALUE", "With --config: override a key, as for the session; may be repeated."},
    {'V', "version", NULL, "Print the version."},
    {'h', "help", NULL, "Print this help."},
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

void view_describe(struct help *h) {
  static const char *const usages[] = {"--connect ENDPOINT [options]", "LOG.mcap... [options]", NULL};
  static const char *const examples[] = {
      "sagbend-view --connect tcp://127.0.0.1:47701", "sagbend-view run.mcap",
      "sagbend-view --connect tcp://127.0.0.1:47701 --config configs/osv-83m.yaml",
      "sagbend-view -c tcp://127.0.0.1:47701 -l 0.0.0.0:8765 -H lab.example", NULL};
  help_begin(
      h, "sagbend-view",
      "Live view of a session: a page for any browser, and the data for Lichtblick, Foxglove and other "
      "clients of the Foxglove WebSocket protocol. Without --operate it only observes: it receives telemetry "
      "and "
      "sends the simulator nothing. It may start before or after the simulator and serves one session after "
      "the other. "
      "It also plays a session log, or the parts of one: each client plays, pauses and seeks independently.",
      usages);
  help_text(h, "There is no authentication: whoever reaches the address sees the data. By default only this "
               "machine does.");
  help_heading(h, "options", HELP_OPTION_COLUMN);
  for (int i = 0; i < OPTION_COUNT; i++)
    help_option(h, OPTIONS[i].letter, OPTIONS[i].name, OPTIONS[i].value, OPTIONS[i].help);
  help_statuses(h, "0 a signal stopped the program; 1 failure, or a log that is damaged; 2 wrong usage, or "
                   "the address is in use");
  help_examples(h, examples);
}

void view_print_help(void) {
  struct help h = {.out = stdout};
  view_describe(&h);
}

void view_print_version(void) {
  printf("sagbend-view %s\n", program_version());
}

static enum status usage_error(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s%.120s; see 'sagbend-view --help'", what, found);
}

static enum status add(const char **list, int *count, const char *value, struct reason *why) {
  if (*count == VIEW_MAX_ALLOWED)
    return usage_error(why, "too many of one option, the last is ", value);
  list[(*count)++] = value;
  return STATUS_OK;
}

static enum status take_option(int letter, struct view_options *o, struct reason *why) {
  switch (letter) {
  case 'c':
    o->connect = optarg;
    return STATUS_OK;
  case 'l':
    o->listen = optarg;
    return STATUS_OK;
  case 'H':
    return add(o->hosts, &o->host_count, optarg, why);
  case 'o':
    return add(o->origins, &o->origin_count, optarg, why);
  case 'k':
    o->key = optarg;
    return STATUS_OK;
  case 'C':
    o->config = optarg;
    return STATUS_OK;
  case 'S':
    if (o->override_count == VIEW_MAX_OVERRIDES)
      return usage_error(why, "too many of one option, the last is ", optarg);
    o->overrides[o->override_count++] = optarg;
    return STATUS_OK;
  case 'O':
    o->operate = optarg;
    return STATUS_OK;
  default:
    o->server_key = optarg;
    return STATUS_OK;
  }
}

static enum status check(const struct view_options *o, int argc, char **argv, struct reason *why) {
  if (!o->key != !o->server_key)
    return usage_error(why, "--key FILE and --server-key KEY need each other", "");
  if (o->connect && optind < argc)
    return usage_error(why, "not allowed with --connect: ", argv[optind]);
  if (!o->connect && !o->logs)
    return usage_error(why, "--connect ENDPOINT or a log expected", "");
  if (o->override_count && !o->config)
    return usage_error(why, "--set is for --config", "");
  if (o->logs && o->operate)
    return usage_error(why, "--operate is for --connect", "");
  if (o->logs && o->key)
    return usage_error(why, "--key is for --connect", "");
  return STATUS_OK;
}

enum status view_options_read(int argc, char **argv, struct view_options *o, struct reason *why) {
  struct option long_options[OPTION_COUNT + 1] = {{0}};
  char letters[2 * OPTION_COUNT + 2] = ":";
  int letter;
  for (int i = 0; i < OPTION_COUNT; i++) {
    long_options[i] = (struct option){OPTIONS[i].name, OPTIONS[i].value ? required_argument : no_argument,
                                      NULL, OPTIONS[i].letter};
    snprintf(letters + strlen(letters), 3, "%c%s", OPTIONS[i].letter, OPTIONS[i].value ? ":" : "");
  }
  memset(o, 0, sizeof *o);
  o->listen = DEFAULT_LISTEN;
  opterr = 0;
  while ((letter = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
    if (letter == 'h' || letter == 'V') {
      *(letter == 'h' ? &o->help : &o->version) = 1;
      return STATUS_OK;
    }
    if (letter == ':')
      return usage_error(why, "a value is missing after ", argv[optind - 1]);
    if (letter == '?')
      return fail(why, STATUS_BAD_INPUT, "unknown option %.120s%s; see 'sagbend-view --help'",
                  argv[optind - 1], option_hint(long_options, argv[optind - 1]).text);
    enum status status = take_option(letter, o, why);
    if (status != STATUS_OK)
      return status;
  }
  if (!o->connect && optind < argc) {
    o->logs = argv + optind;
    o->log_count = argc - optind;
  }
  return check(o, argc, argv, why);
}
