// Inside of view/server. gateway.c: public functions and the loop; server_front.c: listener and HTTP connections;
// front.c: the WebSocket library; received.c: what clients ask.
#pragma once

#include "net/zmtp/endpoint.h"
#include "view/server/client.h"
#include "view/server/history.h"
#include "view/server/http_connection.h"

#include <libwebsockets.h>
#include <poll.h>

enum {
  HTTP_CONNECTIONS = 32,
  PING_MS = 3000,    // since the last sign of life, then a ping
  SILENCE_MS = 10000 // since then without a pong: closed
};

// A client's socket. It belongs to the WebSocket library, which closes it.
struct socket {
  int is_used;
  int is_open;     // the handshake is complete
  int wants_notes; // as request_head.wants_notes
  unsigned seat;   // seat.taken when it came with the cookie of the seat; 0: it is an observer
  int file;        // -1: not known
  struct lws *wsi; // NULL: not known yet
  int wants_write; // asked to be called when writable
  int is_ping_due;
  int is_blocked;     // the library holds bytes that the system does not take: it must not read
  int is_ended;       // closed for silence, or to make way
  uint64_t number;    // in the order in which they came
  int64_t silence_ms; // since the last pong; a pause of this process counts little
  int64_t pinged_ms;  // silence at which the last ping was due
  char *text;         // of a message that arrives in pieces; GATEWAY_MAX_RECEIVED bytes
  size_t text_size;
};

struct gateway {
  struct access access;
  struct http_site site;
  struct gateway_hooks hooks;
  const struct view_channel *channels;
  int channel_count, is_log;
  char name[128], session[128];
  struct listener listener;
  int64_t accept_ms; // no accepting before
  struct http_connection http[HTTP_CONNECTIONS];

  struct lws_context *context;
  struct lws_vhost *vhost;
  struct socket socket[GATEWAY_CLIENTS];
  struct client client[GATEWAY_CLIENTS];
  uint64_t adopted;
  uint8_t *frame; // to write, with room before it
  size_t frame_capacity;
  int64_t now_ms, turned_ms;

  struct history history;
  struct parcel *info, *advertise, *note[NOTE_COUNT];
  uint64_t time_ns;
  int has_time;
  struct gateway_counts counts;
};

// ---- server_front.c ----
int front_poll_items(struct gateway *g, struct pollfd *items); // returns their number
int64_t front_wait_ms(const struct gateway *g, int64_t limit_ms);
void front_work(struct gateway *g);
void front_close(struct gateway *g);

// ---- front.c ----
enum status sockets_open(struct gateway *g, struct reason *why);
void sockets_close(struct gateway *g);
int sockets_are_full(const struct gateway *g);
void sockets_adopt(struct gateway *g, int file, const struct request_head *request); // takes the file over
int sockets_poll_items(struct gateway *g, struct pollfd *items);
int64_t sockets_wait_ms(struct gateway *g, int64_t limit_ms);
void sockets_work(struct gateway *g, int64_t elapsed_ms);

// ---- received.c ----
void received_join(struct gateway *g, int client);
void received_leave(struct gateway *g, int client);
void received_text(struct gateway *g, int client, const char *text, size_t size);
