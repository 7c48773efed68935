// The gateway: the listener, HTTP connections until they become WebSockets, and the loop over all of them.
#define _GNU_SOURCE // accept4
#include "view/server/server_internal.h"

#include "net/zmtp/zmtp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { TURN_MS = 100 }; // the WebSocket library has time-outs of its own
enum { ACCEPT_PAUSE_MS = 200, IDLE_MS = 1000, SEND_BUFFER = 256 << 10 };

// ---- the listener and HTTP connections ----

// A place for a connection: a free one, or that of the connection that has stood still longest. NULL: each of
// them moves. Who comes then waits in the system's queue.
static struct http_connection *find_place(struct gateway *g) {
  struct http_connection *stillest = &g->http[0];
  for (int i = 0; i < HTTP_CONNECTIONS; i++) {
    if (g->http[i].state == HTTP_FREE)
      return &g->http[i];
    if (g->http[i].moved_ms < stillest->moved_ms)
      stillest = &g->http[i];
  }
  return g->now_ms - stillest->moved_ms >= IDLE_MS ? stillest : NULL;
}

static int is_accepting(struct gateway *g) {
  return g->now_ms >= g->accept_ms && find_place(g) != NULL;
}

// returns their number
static int front_poll_items(struct gateway *g, struct pollfd *items) {
  int count = 0;
  if (is_accepting(g))
    items[count++] = (struct pollfd){.fd = g->listener.file, .events = POLLIN};
  for (int i = 0; i < HTTP_CONNECTIONS; i++)
    if (g->http[i].state != HTTP_FREE)
      items[count++] = (struct pollfd){.fd = g->http[i].file, .events = http_events(&g->http[i])};
  return count;
}

static int64_t front_wait_ms(const struct gateway *g, int64_t limit_ms) {
  return g->accept_ms > g->now_ms && g->accept_ms - g->now_ms < limit_ms ? g->accept_ms - g->now_ms
                                                                         : limit_ms;
}

static void accept_all(struct gateway *g) {
  while (is_accepting(g)) {
    int file = accept4(g->listener.file, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (file < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED)
        g->accept_ms = g->now_ms + ACCEPT_PAUSE_MS; // no descriptors are left
      return;
    }
    const int one = 1, size = SEND_BUFFER; // a stalled client fills no more of the system's memory
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    struct http_connection *place = find_place(g);
    http_close(place);
    http_begin(place, file, g->now_ms);
  }
}

static void front_work(struct gateway *g) {
  accept_all(g);
  for (int i = 0; i < HTTP_CONNECTIONS; i++) {
    struct http_connection *c = &g->http[i];
    if (c->state == HTTP_FREE)
      continue;
    g->site.is_full = sockets_are_full(g);
    http_work(c, &g->site, g->now_ms);
    if (c->state == HTTP_UPGRADE) {
      sockets_adopt(g, c->file, &c->request);
      http_close(c);
    }
  }
  g->counts.refused = g->site.refused;
}

static void front_close(struct gateway *g) {
  for (int i = 0; i < HTTP_CONNECTIONS; i++)
    http_close(&g->http[i]);
  if (g->listener.file >= 0)
    listener_close(&g->listener);
}

// ---- opening ----

static enum status check(const struct gateway_setup *setup, struct reason *why) {
  if (setup->channel_count > GATEWAY_CHANNELS)
    return fail(why, STATUS_BAD_INPUT, "too many channels");
  for (int i = 0; i < setup->allowed_host_count; i++)
    if (!access_host_is_valid(setup->allowed_hosts[i]))
      return fail(why, STATUS_BAD_INPUT,
                  "--allow-host: a host name or an address without port expected, got '%.80s'",
                  setup->allowed_hosts[i]);
  for (int i = 0; i < setup->allowed_origin_count; i++)
    if (!access_origin_is_valid(setup->allowed_origins[i]))
      return fail(why, STATUS_BAD_INPUT, "--allow-origin: scheme://host[:port] expected, got '%.80s'",
                  setup->allowed_origins[i]);
  return STATUS_OK;
}

static enum status listen_at(struct gateway *g, const struct gateway_setup *setup, struct reason *why) {
  char endpoint[ENDPOINT_TEXT];
  struct reason cause = {""};
  if (strstr(setup->listen, "://") ||
      snprintf(endpoint, sizeof endpoint, "tcp://%s", setup->listen) >= ENDPOINT_TEXT)
    return fail(why, STATUS_BAD_INPUT, "--listen: HOST:PORT expected, got '%.80s'", setup->listen);
  if (endpoint_check(endpoint, ENDPOINT_LISTEN, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--listen: %s", cause.text);
  if (!endpoint_is_local(endpoint) && setup->allowed_host_count == 0)
    return fail(why, STATUS_BAD_INPUT,
                "--listen %.80s: beyond this machine --allow-host NAME is needed, the name by which browsers "
                "reach it",
                setup->listen);
  if (listener_open(endpoint, &g->listener, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--listen: %s", cause.text);
  return STATUS_OK;
}

static enum status greet_anew(struct gateway *g, const char *session) {
  snprintf(g->session, sizeof g->session, "%s", session);
  parcel_replace(&g->info, answer_server_info(g->name, g->session, g->is_log));
  return g->info && g->advertise ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status gateway_open(const struct gateway_setup *setup, struct gateway **out, struct reason *why) {
  struct gateway *g = calloc(1, sizeof *g);
  *out = NULL;
  if (!g)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  g->listener.file = -1;
  g->access = (struct access){setup->allowed_hosts, setup->allowed_origins, setup->allowed_host_count,
                              setup->allowed_origin_count};
  g->site = (struct http_site){.access = g->access,
                               .metrics = setup->hooks.metrics,
                               .data = setup->hooks.data,
                               .data_context = setup->hooks.data_context ? setup->hooks.data_context
                                                                         : setup->hooks.context,
                               .context = setup->hooks.context};
  g->site.seat = setup->seat;
  g->hooks = setup->hooks;
  g->channels = setup->channels;
  g->channel_count = setup->channel_count;
  g->is_log = setup->is_log;
  snprintf(g->name, sizeof g->name, "%s", setup->name);
  g->now_ms = g->turned_ms = clock_ms();
  enum status status = check(setup, why);
  history_init(&g->history, setup->channels, status == STATUS_OK ? setup->channel_count : 0);
  if (status == STATUS_OK) {
    g->advertise = answer_advertise(g->channels, g->channel_count);
    if (greet_anew(g, "no session yet") != STATUS_OK)
      status = fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  if (status == STATUS_OK)
    status = listen_at(g, setup, why);
  if (status == STATUS_OK && setup->seat)
    seat_name(setup->seat, gateway_address(g));
  if (status == STATUS_OK)
    status = sockets_open(g, why);
  if (status != STATUS_OK) {
    gateway_close(g);
    return status;
  }
  *out = g;
  return STATUS_OK;
}

void gateway_close(struct gateway *g) {
  if (!g)
    return;
  memset(&g->hooks, 0, sizeof g->hooks); // whoever set them may have gone
  front_close(g);
  sockets_close(g);
  history_clear(&g->history);
  parcel_drop(g->info);
  parcel_drop(g->advertise);
  for (int i = 0; i < NOTE_COUNT; i++)
    parcel_drop(g->note[i]);
  free(g);
}

const char *gateway_address(const struct gateway *g) {
  return g->listener.endpoint + strlen("tcp://");
}

int gateway_is_local(const struct gateway *g) {
  return g->listener.local;
}

// ---- the loop ----

void gateway_turn(struct gateway *g, int file, int limit_ms) {
  struct pollfd items[2 + HTTP_CONNECTIONS + GATEWAY_CLIENTS];
  int count = 0;
  g->now_ms = clock_ms();
  if (file >= 0)
    items[count++] = (struct pollfd){.fd = file, .events = POLLIN};
  count += front_poll_items(g, items + count);
  count += sockets_poll_items(g, items + count);
  int64_t wait_ms = limit_ms < TURN_MS ? limit_ms : TURN_MS;
  wait_ms = sockets_wait_ms(g, front_wait_ms(g, wait_ms));
  poll(items, (nfds_t)count, (int)wait_ms);
  g->now_ms = clock_ms();
  front_work(g);
  sockets_work(g, g->now_ms - g->turned_ms);
  g->turned_ms = g->now_ms;
}

// ---- messages ----

void gateway_publish(struct gateway *g, const struct view_message *m) {
  struct parcel *parcel = parcel_create(m->channel, m->time_ns, m->bytes, m->size);
  if (!parcel)
    return;
  history_keep(&g->history, parcel);
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_open)
      client_offer(&g->client[i], parcel, !g->channels[m->channel].is_event, g->now_ms);
  parcel_drop(parcel);
}

void gateway_send(struct gateway *g, int client, const struct view_message *m, int is_paced) {
  if (!gateway_is_subscribed(g, client, m->channel))
    return;
  struct parcel *parcel = parcel_create(m->channel, m->time_ns, m->bytes, m->size);
  if (!parcel)
    return;
  client_offer(&g->client[client], parcel, is_paced && !g->channels[m->channel].is_event, g->now_ms);
  parcel_drop(parcel);
}

int gateway_is_subscribed(const struct gateway *g, int client, int channel) {
  return g->socket[client].is_open && g->client[client].subscription[channel].is_active;
}

size_t gateway_room(const struct gateway *g, int client) {
  const struct parcel_queue *queue = &g->client[client].queue;
  return queue->count < queue->capacity && queue->bytes < queue->max_bytes ? queue->max_bytes - queue->bytes
                                                                           : 0;
}

void gateway_flush(struct gateway *g, int client) {
  if (g->socket[client].is_open)
    client_forget_messages(&g->client[client]);
}

void gateway_set_client_time(struct gateway *g, int client, uint64_t time_ns) {
  g->client[client].time_ns = time_ns;
  g->client[client].has_time = g->socket[client].is_open;
}

void gateway_set_time(struct gateway *g, uint64_t time_ns) {
  g->time_ns = time_ns;
  g->has_time = 1;
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_open)
      gateway_set_client_time(g, i, time_ns);
}

void gateway_begin_session(struct gateway *g, const char *session) {
  history_clear(&g->history);
  g->has_time = 0;
  greet_anew(g, session);
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_open) {
      client_forget_messages(&g->client[i]);
      g->client[i].has_time = g->client[i].has_reported_time = 0;
      client_greet(&g->client[i], g->info, g->advertise);
    }
}

void gateway_report_all(struct gateway *g, enum gateway_note note, const char *json) {
  parcel_replace(&g->note[note], parcel_create_json(json));
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_open && g->socket[i].wants_notes)
      parcel_replace(&g->client[i].note[note], parcel_share(g->note[note]));
}

void gateway_report(struct gateway *g, int client, enum gateway_note note, const char *json) {
  if (g->socket[client].is_open && g->socket[client].wants_notes)
    parcel_replace(&g->client[client].note[note], parcel_create_json(json));
}

void gateway_count(const struct gateway *g, struct gateway_counts *out) {
  *out = g->counts;
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_open)
      out->dropped += g->client[i].dropped;
}
