#include "programs/view/view_log.h"

#include "sagbend/base/shown_text.h"

#include "net/zmtp/clock.h"
#include "os/process/process.h"
#include "programs/view/view_program_internal.h"
#include "view/server/alarm_json.h"
#include "view/server/player.h"

#include <stdio.h>
#include <stdlib.h>

struct log_view {
  struct player *player;
  struct limits *limits;
};

static void serve(struct gateway *gateway, struct log_view *view) {
  struct player *player = view->player;
  int wait_ms = 0, is_told = 0;
  while (!os_stop_requested()) {
    gateway_turn(gateway, -1, wait_ms);
    wait_ms = player_work(player, gateway, clock_ms());
    limits_turn(view->limits);
    if (*player_trouble(player) && !is_told)
      fprintf(stderr, "sagbend-view: the log has changed while it was played: %s\n",
              shown(player_trouble(player)).text);
    is_told = *player_trouble(player) != 0;
  }
}

static void print_address(const struct gateway *gateway, const struct log_series *series) {
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

static enum status answer(void *context, const char *path, const char *query, char **out,
                          struct reason *why) {
  const struct log_view *v = context;
  enum status status = limits_answer(v->limits, path, query, out, why);
  return status != STATUS_OK || *out
             ? status
             : past_answer(log_series_past(player_series(v->player)), path, query, out, why);
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
                                          .data = answer}};
  setup.channels = log_series_channels(series, &setup.channel_count);
  enum status status = gateway_open(&setup, &gateway, why);
  if (status != STATUS_OK)
    return status;
  gateway_begin_session(gateway, log_series_session(series));
  char *alarms = alarm_json(log_series_alarms(series));
  if (alarms)
    gateway_tell_all(gateway, NOTE_ALARMS, alarms);
  free(alarms);
  print_address(gateway, series);
  serve(gateway, view);
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
