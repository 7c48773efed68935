// WebSocket connections: what the library reports, frames out, and what a client asks in a text message.
#include "view/server/server_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PING_WORD "sagbend"
enum { PING_SIZE = sizeof PING_WORD - 1 };

// ---- what a client asks ----

int gateway_is_operator(const struct gateway *g, int client) {
  const struct socket *s = &g->socket[client];
  return g->site.seat && s->is_open && s->seat && s->seat == g->site.seat->taken;
}

static void received_join(struct gateway *g, int client) {
  struct client *c = &g->client[client];
  client_clear(c);
  client_greet(c, g->info, g->advertise);
  if (g->socket[client].wants_notes)
    for (int i = 0; i < NOTE_COUNT; i++)
      parcel_replace(&c->note[i], parcel_share(g->note[i]));
  c->has_time = g->has_time;
  c->time_ns = g->time_ns;
  g->counts.joined++;
  g->counts.clients++;
  if (g->hooks.joined)
    g->hooks.joined(g->hooks.context, client);
}

static void received_leave(struct gateway *g, int client) {
  g->counts.dropped += g->client[client].dropped;
  g->counts.clients--;
  if (g->hooks.left)
    g->hooks.left(g->hooks.context, client);
  client_clear(&g->client[client]);
}

static void blame(struct gateway *g, int client, const char *text) {
  g->counts.received_bad++;
  client_blame(&g->client[client], text);
}

static void subscribe(struct gateway *g, int client, const struct page_operation *o) {
  struct client *c = &g->client[client];
  for (int i = 0; i < o->count; i++) {
    struct reason why = {""};
    if (client_subscribe(c, o->entry[i].id, o->entry[i].channel, g->channel_count, &why) != STATUS_OK) {
      blame(g, client, why.text);
      continue;
    }
    int channel = (int)o->entry[i].channel - 1;
    history_offer(&g->history, channel, c, g->now_ms);
    if (g->hooks.subscribed)
      g->hooks.subscribed(g->hooks.context, client, channel);
  }
}

static void unsubscribe(struct client *c, const struct page_operation *o) {
  for (int i = 0; i < o->count; i++) // one of the session before may have been replaced since
    if (!client_unsubscribe(c, o->entry[i].id))
      parcel_queue_push(&c->statuses,
                        answer_status(LEVEL_WARNING, "unsubscribe: there is no such subscription", NULL));
}

static void order(struct gateway *g, int client, struct page_operation *o) {
  char *words[ORDER_WORDS];
  if (!g->hooks.order || !gateway_is_operator(g, client)) {
    blame(g, client, "sagbendOrder: this client observes only");
    return;
  }
  for (int i = 0; i < o->count; i++)
    words[i] = o->word[i];
  if (!g->hooks.order(g->hooks.context, client, words, o->count))
    blame(g, client, "sagbendOrder: not sent, the order before has no answer yet");
}

static void received_text(struct gateway *g, int client, const char *text, size_t size) {
  struct page_operation operation;
  struct reason why = {""};
  if (g->client[client].is_closing)
    return;
  operation_parse(text, size, &operation, &why);
  if (operation.kind == OPERATION_SUBSCRIBE)
    subscribe(g, client, &operation);
  else if (operation.kind == OPERATION_UNSUBSCRIBE)
    unsubscribe(&g->client[client], &operation);
  else if (operation.kind == OPERATION_BAD)
    blame(g, client, why.text);
  else if (operation.kind == OPERATION_ORDER)
    order(g, client, &operation);
  else if (!g->hooks.play)
    blame(g, client, "sagbendPlayback: this is not a log");
  else
    g->hooks.play(g->hooks.context, client, &operation.play);
}

// ---- a connection ----

// The library knows its sockets by wsi; until it has handed one out, by its file.
static int find_socket(struct gateway *g, struct lws *wsi) {
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_used && g->socket[i].wsi == wsi)
      return i;
  int file = lws_get_socket_fd(wsi);
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_used && !g->socket[i].wsi && g->socket[i].file == file) {
      g->socket[i].wsi = wsi;
      return i;
    }
  return -1;
}

static void forget(struct gateway *g, int i) {
  struct socket *s = &g->socket[i];
  if (s->is_open)
    received_leave(g, i);
  free(s->text);
  memset(s, 0, sizeof *s);
}

static void want_write(struct socket *s) {
  if (!s->wants_write && s->wsi) {
    s->wants_write = 1;
    lws_callback_on_writable(s->wsi);
  }
}

// While the library holds bytes that the system does not take, it must not read: at the end of what it reads
// it would wait for them to go and read again without end (4.1.6), and nobody else would be served. A peer
// that has gone altogether is noticed nevertheless.
static void block_reading(struct socket *s) {
  int is_blocked = lws_partial_buffered(s->wsi) != 0;
  if (is_blocked != s->is_blocked)
    lws_rx_flow_control(s->wsi, !is_blocked);
  s->is_blocked = is_blocked;
}

// Ends a connection with a code and a text; what the callback must return.
static int refuse(struct gateway *g, struct lws *wsi, int code, const char *text) {
  char bytes[124];
  int size = snprintf(bytes, sizeof bytes, "%s", text);
  g->counts.closed++;
  lws_close_reason(wsi, (enum lws_close_status)code, (unsigned char *)bytes, (size_t)size);
  return -1;
}

// ---- receiving ----

static int on_receive(struct gateway *g, int i, struct lws *wsi, const void *in, size_t size) {
  struct socket *s = &g->socket[i];
  if (lws_frame_is_binary(wsi))
    return refuse(g, wsi, 1003, "this server takes text only");
  if (lws_is_first_fragment(wsi))
    s->text_size = 0;
  if (s->text_size + size + lws_remaining_packet_payload(wsi) > GATEWAY_MAX_RECEIVED)
    return refuse(g, wsi, 1009, "a message has at most 65536 bytes");
  if (!s->text)
    s->text = malloc(GATEWAY_MAX_RECEIVED);
  if (!s->text)
    return refuse(g, wsi, 1011, "out of memory");
  if (size > 0)
    memcpy(s->text + s->text_size, in, size);
  s->text_size += size;
  if (lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0) {
    received_text(g, i, s->text, s->text_size);
    free(s->text);
    s->text = NULL;
    s->text_size = 0;
  }
  return 0;
}

// ---- sending ----

static uint8_t *room_for(struct gateway *g, size_t size) {
  if (LWS_PRE + size > g->frame_capacity) {
    uint8_t *frame = realloc(g->frame, LWS_PRE + size + size / 2);
    if (!frame)
      return NULL;
    g->frame = frame;
    g->frame_capacity = LWS_PRE + size + size / 2;
  }
  return g->frame + LWS_PRE;
}

// Writes a frame into the buffer and returns its size; 0: out of memory.
static size_t pack_frame(struct gateway *g, const struct frame_out *f) {
  size_t head = f->kind == FRAME_MESSAGE ? ANSWER_MESSAGE_HEAD : f->kind == FRAME_TIME ? ANSWER_TIME : 0;
  size_t size = head + (f->parcel ? f->parcel->size : 0);
  uint8_t *out = room_for(g, size);
  if (!out)
    return 0;
  if (f->kind == FRAME_MESSAGE)
    answer_pack_message_head(out, f->subscription, f->time_ns);
  else if (f->kind == FRAME_TIME)
    answer_pack_time(out, f->time_ns);
  if (f->parcel)
    memcpy(out + head, f->parcel->bytes, f->parcel->size);
  return size;
}

static int on_writable(struct gateway *g, int i, struct lws *wsi) {
  struct socket *s = &g->socket[i];
  s->wants_write = 0;
  if (s->is_ping_due) { // one write each time
    s->is_ping_due = 0;
    want_write(s);
    uint8_t *word = room_for(g, PING_SIZE); // without a payload the library does not report the pong
    if (!word)
      return 0;
    memcpy(word, PING_WORD, PING_SIZE);
    int is_lost = lws_write(wsi, word, PING_SIZE, LWS_WRITE_PING) < 0;
    block_reading(s);
    return is_lost ? -1 : 0;
  }
  struct frame_out f = client_next(&g->client[i], g->now_ms);
  if (f.kind == FRAME_NONE)
    return g->client[i].is_closing ? refuse(g, wsi, CLIENT_CLOSE_CODE, "too many errors") : 0;
  size_t size = pack_frame(g, &f);
  parcel_drop(f.parcel);
  if (size > 0 &&
      lws_write(wsi, g->frame + LWS_PRE, size, f.kind == FRAME_TEXT ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) < 0)
    return -1;
  block_reading(s);
  g->counts.sent += f.kind == FRAME_MESSAGE;
  g->counts.sent_bytes += size;
  if (client_wait_ms(&g->client[i], g->now_ms, 1) == 0)
    want_write(s);
  return 0;
}

// ---- the library ----

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
  (void)user; // NULL in some callbacks
  struct lws_context *context = wsi ? lws_get_context(wsi) : NULL;
  struct gateway *g = context ? lws_context_user(context) : NULL;
  int i = g && wsi ? find_socket(g, wsi) : -1;
  if (i < 0)
    return reason == LWS_CALLBACK_ESTABLISHED || reason == LWS_CALLBACK_RECEIVE ||
           reason == LWS_CALLBACK_HTTP; // nobody's: it is closed
  switch (reason) {
  case LWS_CALLBACK_HTTP:
    return -1; // only the handshake comes here
  case LWS_CALLBACK_ESTABLISHED:
    g->socket[i].is_open = 1;
    received_join(g, i);
    want_write(&g->socket[i]);
    return 0;
  case LWS_CALLBACK_RECEIVE:
    return on_receive(g, i, wsi, in, size);
  case LWS_CALLBACK_RECEIVE_PONG:
    g->socket[i].silence_ms = g->socket[i].pinged_ms = 0;
    return 0;
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return on_writable(g, i, wsi);
  case LWS_CALLBACK_CLOSED:
  case LWS_CALLBACK_WSI_DESTROY:
    forget(g, i);
    return 0;
  default:
    return 0;
  }
}

static const struct lws_protocols PROTOCOLS[] = {
    {.name = "none", .callback = on_event},
    {.name = "foxglove.sdk.v1", .callback = on_event, .rx_buffer_size = 4096},
    {.name = "foxglove.websocket.v1", .callback = on_event, .rx_buffer_size = 4096},
    {.name = NULL}};

enum status sockets_open(struct gateway *g, struct reason *why) {
  struct lws_context_creation_info info;
  memset(&info, 0, sizeof info);
  info.port = CONTEXT_PORT_NO_LISTEN; // gateway.c listens
  info.protocols = PROTOCOLS;
  info.options = LWS_SERVER_OPTION_VALIDATE_UTF8;
  info.fd_limit_per_thread = 2 * GATEWAY_CLIENTS + 8;
  info.timeout_secs = 10; // of the handshake
  info.user = g;
  info.vhost_name = "view";
  info.uid = (uid_t)-1;
  info.gid = (gid_t)-1;
  lws_set_log_level(0, NULL);
  g->context = lws_create_context(&info);
  g->vhost = g->context ? lws_get_vhost_by_name(g->context, "view") : NULL;
  return g->vhost ? STATUS_OK : fail(why, STATUS_IO, "the WebSocket library does not start");
}

void sockets_close(struct gateway *g) {
  if (g->context)
    lws_context_destroy(g->context);
  g->context = NULL;
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_used)
      forget(g, i);
  free(g->frame);
}

int sockets_are_full(const struct gateway *g) {
  int here = 0, used = 0;
  for (int i = 0; i < GATEWAY_CLIENTS; i++) {
    used += g->socket[i].is_used;
    here += g->socket[i].is_used && !g->socket[i].is_ended;
  }
  return here >= GATEWAY_OBSERVERS || used == GATEWAY_CLIENTS;
}

static void end_now(struct gateway *g, int i) {
  struct socket *s = &g->socket[i];
  s->is_ended = 1;
  g->counts.closed++;
  if (s->is_blocked)
    shutdown(s->file, SHUT_RDWR); // the library would wait for its bytes to go
  else
    lws_set_timeout(s->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_SYNC); // calls forget
}

// Ends the observer that came last: those who have been there stay. Its place is free when its socket is
// closed; until then the operator has one of the places that observers do not get.
static void make_way(struct gateway *g) {
  int newest = -1;
  for (int i = 0; i < GATEWAY_CLIENTS; i++) {
    const struct socket *s = &g->socket[i];
    if (s->wsi && !s->is_ended && !gateway_is_operator(g, i) &&
        (newest < 0 || s->number > g->socket[newest].number))
      newest = i;
  }
  if (newest >= 0)
    end_now(g, newest);
}

void sockets_adopt(struct gateway *g, int file, const struct request_head *request) {
  char head[UPGRADE_HEAD];
  size_t size = http_upgrade_head(request, head);
  int i = 0;
  while (i < GATEWAY_CLIENTS && g->socket[i].is_used)
    i++;
  const int is_operator = http_is_operator(&g->site, request);
  if (is_operator && sockets_are_full(g))
    make_way(g);
  if (i == GATEWAY_CLIENTS) {
    close(file);
    return;
  }
  g->socket[i] = (struct socket){
      .is_used = 1, .file = file, .wants_notes = request->wants_notes, .number = ++g->adopted};
  if (is_operator)
    g->socket[i].seat = g->site.seat->taken;
  struct lws *wsi = lws_adopt_socket_vhost_readbuf(g->vhost, file, head, size);
  if (!wsi) { // it has closed the file
    if (g->socket[i].is_used)
      forget(g, i);
  } else if (g->socket[i].is_used) {
    g->socket[i].wsi = wsi;
  }
}

int sockets_poll_items(struct gateway *g, struct pollfd *items) {
  int count = 0;
  for (int i = 0; i < GATEWAY_CLIENTS; i++) {
    struct socket *s = &g->socket[i];
    if (!s->is_used || !s->wsi)
      continue;
    if (s->is_open && client_wait_ms(&g->client[i], g->now_ms, 1) == 0)
      want_write(s);
    block_reading(s);
    int events = s->is_blocked ? POLLOUT : s->wants_write ? POLLIN | POLLOUT : POLLIN;
    items[count++] = (struct pollfd){.fd = s->file, .events = (short)events};
  }
  return count;
}

int64_t sockets_wait_ms(struct gateway *g, int64_t limit_ms) {
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_open && !g->socket[i].wants_write)
      limit_ms = client_wait_ms(&g->client[i], g->now_ms, limit_ms);
  return lws_service_adjust_timeout(g->context, (int)limit_ms,
                                    0); // 0: something received waits in the library
}

// A pause of this process, as by SIGSTOP, is not a silence of its clients.
static void look_for_silence(struct gateway *g, int i, int64_t elapsed_ms) {
  struct socket *s = &g->socket[i];
  s->silence_ms += elapsed_ms < 500 ? elapsed_ms : 500;
  if (s->is_ended)
    return;
  if (s->silence_ms >= SILENCE_MS + PING_MS) {
    end_now(g, i);
  } else if (s->silence_ms - s->pinged_ms >= PING_MS) {
    s->pinged_ms = s->silence_ms;
    s->is_ping_due = 1;
    want_write(s);
  }
}

void sockets_work(struct gateway *g, int64_t elapsed_ms) {
  lws_service(g->context, -1); // does not wait
  for (int i = 0; i < GATEWAY_CLIENTS; i++)
    if (g->socket[i].is_open && g->socket[i].wsi)
      look_for_silence(g, i, elapsed_ms);
}
