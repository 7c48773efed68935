// Plays a log for each client by itself.
#include "view/server/server.h"
#include "view/server/server_internal.h"

#include "log/mcap/mcap.h"
#include "sagbend/base/base.h"
#include "view/scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MESSAGES_PER_TURN = 200, // to a client
  STATE_MS = 250,          // between reports of an unchanged state
  TURN_MS = 20,            // while a client plays
  IDLE_MS = 200,
  ROOM_BYTES = 512 << 10, // with less room in its queue a client waits
  KEPT_EVENTS = GATEWAY_EVENTS
};
static const double SLOWEST = 0.01, FASTEST = 1000;

struct made { // a picture on its way
  uint8_t *bytes;
  size_t size;
};

struct player_seat { // of a client
  int is_taken, playing, is_reported;
  double rate;
  uint64_t time_ns;              // everything up to it was sent
  int64_t since_ms, reported_ms; // of the clock: time_ns was due, the state was sent
  int needs_all;                 // after a seek
  unsigned fresh;                // bits of channels that were subscribed to
  struct mcap_reader *reader;    // NULL: opened when needed
  int file;                      // file that the player reads
  int has_next;
  struct mcap_message next; // read, not due yet
  struct scene *scene;
};

struct player {
  const struct log_series *series;
  uint64_t start_ns, end_ns;
  int own_count;
  struct player_seat seats[GATEWAY_CLIENTS];
  struct reason trouble;
};

struct player *player_create(const struct log_series *series) {
  struct player *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->series = series;
  p->own_count = log_series_own_count(series);
  log_series_span(series, &p->start_ns, &p->end_ns);
  return p;
}

static void stop_reading(struct player_seat *player_seat) {
  if (player_seat->reader)
    mcap_reader_close(player_seat->reader);
  player_seat->reader = NULL;
  player_seat->has_next = 0;
}

static void leave(struct player_seat *player_seat) {
  stop_reading(player_seat);
  scene_close(player_seat->scene);
  memset(player_seat, 0, sizeof *player_seat);
}

void player_free(struct player *p) {
  if (!p)
    return;
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    leave(&p->seats[i]);
  free(p);
}

const struct log_series *player_series(const struct player *p) {
  return p->series;
}

const char *player_trouble(const struct player *p) {
  return p->trouble.text;
}

// ---- hooks ----

void player_joined(void *context, int client) {
  struct player *p = context;
  leave(&p->seats[client]);
  p->seats[client] = (struct player_seat){
      .is_taken = 1, .playing = 1, .rate = 1, .time_ns = p->start_ns, .since_ms = -1, .needs_all = 1};
}

void player_left(void *context, int client) {
  struct player *p = context;
  leave(&p->seats[client]);
}

void player_subscribed(void *context, int client, int channel) {
  struct player *p = context;
  p->seats[client].fresh |= 1u << channel;
}

void player_play(void *context, int client, const struct view_playback *playback) {
  struct player *p = context;
  struct player_seat *player_seat = &p->seats[client];
  if (playback->has_rate && playback->rate > 0)
    player_seat->rate = fmin(FASTEST, fmax(SLOWEST, playback->rate));
  if (playback->has_seek) {
    const double after_ns = 1e9 * playback->seek_s - (double)p->start_ns;
    player_seat->time_ns = after_ns >= (double)(p->end_ns - p->start_ns) ? p->end_ns
                           : after_ns > 0 ? p->start_ns + (uint64_t)(after_ns + 0.5)
                                          : p->start_ns;
    player_seat->needs_all = 1;
  }
  if (playback->has_playing) {
    player_seat->playing = playback->playing != 0;
    if (player_seat->playing && player_seat->time_ns >= p->end_ns &&
        !playback->has_seek) { // from the start again
      player_seat->time_ns = p->start_ns;
      player_seat->needs_all = 1;
    }
  }
  player_seat->since_ms = -1;
  player_seat->is_reported = 0;
}

// ---- a message to a client ----

struct picture_sink {
  struct player *player;
  struct gateway *gateway;
  int client;
  struct made *made; // keeps the newest of each channel instead; NULL: sent at once
};

static void take_picture(void *context, enum scene_channel channel, uint64_t time_ns, const uint8_t *data,
                         size_t size) {
  struct picture_sink *sink = context;
  struct view_message message = {sink->player->own_count + (int)channel, data, size, time_ns};
  if (!sink->made) {
    gateway_send(sink->gateway, sink->client, &message, 1);
    return;
  }
  uint8_t *copy = realloc(sink->made[channel].bytes, size + 1);
  if (!copy)
    return;
  memcpy(copy, data, size);
  sink->made[channel] = (struct made){copy, size};
}

static int has_pictures(const struct player *p, const struct gateway *g, int client) {
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++)
    if (gateway_is_subscribed(g, client, p->own_count + i))
      return 1;
  return 0;
}

static struct scene *scene_of(struct player_seat *player_seat) {
  if (!player_seat->scene)
    player_seat->scene = scene_open(SCENE_COLOUR_NEAREST);
  return player_seat->scene;
}

static void send_message(struct player *p, struct gateway *g, int client, int channel,
                         const struct mcap_message *m) {
  struct player_seat *player_seat = &p->seats[client];
  gateway_send(g, client, &(struct view_message){channel, m->data, m->size, m->log_time_ns}, 1);
  if (!has_pictures(p, g, client) || !scene_of(player_seat))
    return;
  struct picture_sink context = {p, g, client, NULL};
  const struct scene_sink sink = {take_picture, &context};
  scene_take(player_seat->scene, m->channel->schema->name, m->data, m->size, m->log_time_ns, &sink, NULL);
}

// ---- the newest of each channel ----

typedef void use_message(void *context, int channel, const struct mcap_message *m);

// Calls use with the newest message of a channel at a time.
static void with_newest(struct player *p, int channel, uint64_t time_ns, use_message *use, void *context) {
  struct mcap_reader *reader;
  struct mcap_message m, newest = {0};
  struct bytes copy = {0}; // of several messages at that time the last one counts
  int file;
  uint64_t at_ns;
  if (!log_series_newest(p->series, channel, time_ns, &file, &at_ns))
    return;
  if (mcap_reader_open(log_series_path(p->series, file), MCAP_STRICT, &reader, &p->trouble) != STATUS_OK)
    return;
  mcap_reader_select(reader, at_ns, at_ns);
  while (mcap_reader_next(reader, &m, &p->trouble) > 0) {
    if (log_series_channel_of(p->series, m.channel) != channel)
      continue;
    copy.size = 0;
    bytes_put(&copy, m.data, m.size);
    newest = m;
  }
  if (newest.channel && !copy.failed) {
    newest.data = copy.data;
    use(context, channel, &newest);
  }
  bytes_free(&copy);
  mcap_reader_close(reader);
}

struct fill {
  struct player *player;
  struct gateway *gateway;
  int client, needs_pictures;
  unsigned wanted;
  struct made made[SCENE_CHANNEL_COUNT];
};

static void fill_in(void *context, int channel, const struct mcap_message *m) {
  struct fill *f = context;
  struct player_seat *player_seat = &f->player->seats[f->client];
  if (f->wanted & 1u << channel)
    gateway_send(f->gateway, f->client, &(struct view_message){channel, m->data, m->size, m->log_time_ns}, 0);
  if (!f->needs_pictures || !scene_of(player_seat))
    return;
  struct picture_sink keep = {f->player, f->gateway, f->client, f->made};
  const struct scene_sink sink = {take_picture, &keep};
  scene_take(player_seat->scene, m->channel->schema->name, m->data, m->size, m->log_time_ns, &sink, NULL);
}

static void send_events(const struct fill *f) {
  struct player *p = f->player;
  struct player_seat *player_seat = &p->seats[f->client];
  int log_channel = p->own_count + SCENE_LOG;
  size_t count = log_series_events_to(p->series, player_seat->time_ns),
         first = count > KEPT_EVENTS ? count - KEPT_EVENTS : 0;
  struct picture_sink direct = {p, f->gateway, f->client, NULL};
  const struct scene_sink sink = {take_picture, &direct};
  for (size_t i = first; i < count; i++) {
    const struct series_event *e = log_series_event(p->series, i);
    if (f->wanted & 1u << e->channel)
      gateway_send(f->gateway, f->client, &(struct view_message){e->channel, e->bytes, e->size, e->time_ns},
                   0);
    if (f->wanted & 1u << log_channel && scene_of(player_seat))
      scene_take(player_seat->scene, "sagbend.v1.Event", e->bytes, e->size, e->time_ns, &sink, NULL);
  }
}

// Sends what the client sees at its time, of these channels.
static void fill_client(struct player *p, struct gateway *g, int client, unsigned wanted) {
  struct player_seat *player_seat = &p->seats[client];
  struct fill f = {.player = p, .gateway = g, .client = client, .wanted = wanted};
  int count;
  const struct view_channel *channels = log_series_channels(p->series, &count);
  f.needs_pictures = has_pictures(p, g, client);
  gateway_set_client_time(g, client, player_seat->time_ns);
  for (int i = 0; i < p->own_count; i++)
    if (!channels[i].is_event && (gateway_is_subscribed(g, client, i) || f.needs_pictures))
      with_newest(p, i, player_seat->time_ns, fill_in, &f);
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++) {
    if (f.made[i].bytes && wanted & 1u << (p->own_count + i))
      gateway_send(
          g, client,
          &(struct view_message){p->own_count + i, f.made[i].bytes, f.made[i].size, player_seat->time_ns}, 0);
    free(f.made[i].bytes);
  }
  send_events(&f);
}

// ---- playing ----

// Reads the next message of the log that a client can see; 0: the end.
static int read_next(struct player *p, struct player_seat *player_seat) {
  while (!player_seat->has_next) {
    if (!player_seat->reader) {
      if (mcap_reader_open(log_series_path(p->series, player_seat->file), MCAP_STRICT, &player_seat->reader,
                           &p->trouble) != STATUS_OK)
        return 0;
      mcap_reader_select(player_seat->reader, player_seat->time_ns + 1, UINT64_MAX);
    }
    if (mcap_reader_next(player_seat->reader, &player_seat->next, &p->trouble) > 0) {
      player_seat->has_next = log_series_channel_of(p->series, player_seat->next.channel) >= 0;
      continue;
    }
    if (player_seat->file + 1 >= log_series_file_count(p->series))
      return 0;
    stop_reading(player_seat);
    player_seat->file++;
  }
  return 1;
}

// Sends what is due up to a time. Returns whether it was everything.
static int play_to(struct player *p, struct gateway *g, int client, uint64_t to_ns) {
  struct player_seat *player_seat = &p->seats[client];
  for (int i = 0; i < MESSAGES_PER_TURN; i++) {
    if (!read_next(p, player_seat) || player_seat->next.log_time_ns > to_ns)
      return 1;
    if (gateway_room(g, client) < ROOM_BYTES)
      return 0;
    send_message(p, g, client, log_series_channel_of(p->series, player_seat->next.channel),
                 &player_seat->next);
    player_seat->time_ns = player_seat->next.log_time_ns > player_seat->time_ns
                               ? player_seat->next.log_time_ns
                               : player_seat->time_ns;
    player_seat->has_next = 0;
  }
  return 0;
}

static void play(struct player *p, struct gateway *g, int client, int64_t now_ms) {
  struct player_seat *player_seat = &p->seats[client];
  double left_ns = (double)(p->end_ns - player_seat->time_ns),
         due_ns = 1e6 * player_seat->rate * (double)(now_ms - player_seat->since_ms);
  uint64_t to_ns = due_ns >= left_ns ? p->end_ns : player_seat->time_ns + (uint64_t)due_ns;
  if (play_to(p, g, client, to_ns))
    player_seat->time_ns = to_ns;
  player_seat->since_ms = now_ms; // who cannot keep up plays more slowly
  gateway_set_client_time(g, client, player_seat->time_ns);
  if (player_seat->time_ns >= p->end_ns || *p->trouble.text) { // what follows cannot be read
    player_seat->playing = 0;
    player_seat->is_reported = 0;
  }
}

static void report_state(struct player *p, struct gateway *g, int client, int64_t now_ms) {
  struct player_seat *player_seat = &p->seats[client];
  char text[256];
  if (player_seat->is_reported && now_ms - player_seat->reported_ms < STATE_MS)
    return;
  player_seat->is_reported = 1;
  player_seat->reported_ms = now_ms;
  snprintf(text, sizeof text,
           "{\"op\":\"sagbendPlaybackState\",\"playing\":%s,\"rate\":%.9g,\"time_s\":%.9f,\"start_s\":%.9f,"
           "\"end_s\":%.9f}",
           player_seat->playing ? "true" : "false", player_seat->rate, 1e-9 * (double)player_seat->time_ns,
           1e-9 * (double)p->start_ns, 1e-9 * (double)p->end_ns);
  gateway_report(g, client, NOTE_PLAYBACK, text);
}

static void serve(struct player *p, struct gateway *g, int client, int64_t now_ms) {
  struct player_seat *player_seat = &p->seats[client];
  if (player_seat->since_ms < 0)
    player_seat->since_ms = now_ms;
  if (player_seat->needs_all) {
    stop_reading(player_seat);
    scene_close(player_seat->scene);
    player_seat->scene = NULL;
    player_seat->file = log_series_file_at(p->series, player_seat->time_ns);
    gateway_flush(g, client);
    fill_client(p, g, client, ~0u);
    player_seat->since_ms = now_ms;
  } else if (player_seat->fresh) {
    fill_client(p, g, client, player_seat->fresh);
  }
  player_seat->needs_all = 0;
  player_seat->fresh = 0;
  if (player_seat->playing)
    play(p, g, client, now_ms);
  report_state(p, g, client, now_ms);
}

int player_work(struct player *p, struct gateway *g, int64_t now_ms) {
  int is_playing = 0;
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (p->seats[i].is_taken) {
      serve(p, g, i, now_ms);
      is_playing |= p->seats[i].playing;
    }
  return is_playing ? TURN_MS : IDLE_MS;
}

// ------------------------------------------------------------
