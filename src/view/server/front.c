#define _GNU_SOURCE // accept4
#include "view/server/server_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ACCEPT_PAUSE_MS = 200, IDLE_MS = 1000, SEND_BUFFER = 256 << 10 };

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

int front_poll_items(struct gateway *g, struct pollfd *items) {
  int count = 0;
  if (is_accepting(g))
    items[count++] = (struct pollfd){.fd = g->listener.file, .events = POLLIN};
  for (int i = 0; i < HTTP_CONNECTIONS; i++)
    if (g->http[i].state != HTTP_FREE)
      items[count++] = (struct pollfd){.fd = g->http[i].file, .events = http_events(&g->http[i])};
  return count;
}

int64_t front_wait_ms(const struct gateway *g, int64_t limit_ms) {
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

static void sockets_adopt(struct gateway *g, int file, const struct request_head *request);

static int sockets_are_full(const struct gateway *g);

void front_work(struct gateway *g) {
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

void front_close(struct gateway *g) {
  for (int i = 0; i < HTTP_CONNECTIONS; i++)
    http_close(&g->http[i]);
  if (g->listener.file >= 0)
    listener_close(&g->listener);
}

// ------------------------------------------------------------
#define PING_WORD "sagbend"
enum { PING_SIZE = sizeof PING_WORD - 1 };

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
  info.port = CONTEXT_PORT_NO_LISTEN; // front.c listens
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

static int sockets_are_full(const struct gateway *g) {
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

// takes the file over
static void sockets_adopt(struct gateway *g, int file, const struct request_head *request) {
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
