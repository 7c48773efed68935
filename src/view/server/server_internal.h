// Which requests a server on this machine answers: a page of another site must not read it through the
// visitor's browser, neither by a name that resolves to this machine nor by a WebSocket of its own.
#pragma once

#include "view/server/server.h"

#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <libwebsockets.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>

struct access {
  const char *const *hosts, *const *origins; // of --allow-host, --allow-origin
  int host_count, origin_count;
};

// Whether the value of a Host field names this machine: localhost, 127.0.0.1, [::1] or an allowed host, with
// any port or none.
int access_is_host_known(const struct access *access, const char *host);

// Whether a page of this origin may connect: one that this server served at host (http, or https behind a
// proxy), or an allowed one.
int access_is_origin_known(const struct access *access, const char *origin, const char *host);

// Whether it is the page of this server itself.
int access_is_own_origin(const char *origin, const char *host);

// Whether text can be the value of --allow-host (a name or an address, without a port) or of --allow-origin
// (scheme://host[:port]).
int access_host_is_valid(const char *text);
int access_origin_is_valid(const char *text);

// ------------------------------------------------------------
// Bytes that several queues share, and such a queue.

struct parcel {
  int users;
  int channel; // -1: text
  uint64_t time_ns;
  size_t size;
  uint8_t bytes[];
};

// A copy of the bytes for one user; NULL: out of memory.
struct parcel *parcel_create(int channel, uint64_t time_ns, const void *bytes, size_t size);
// The same of a text, which is JSON. A byte of it that is not UTF-8 becomes \ufffd.
struct parcel *parcel_create_json(const char *json);
struct parcel *parcel_share(struct parcel *parcel); // one user more; accepts and returns NULL
void parcel_drop(struct parcel *parcel);            // one user less; accepts NULL

// Puts parcel (which the caller gives away; may be NULL) in the place of *slot.
void parcel_replace(struct parcel **slot, struct parcel *parcel);

// A queue of parcels with bounds: what comes into a full one pushes the oldest out.
struct parcel_queue {
  struct parcel **ring;
  size_t first, count, capacity; // messages
  size_t bytes, max_bytes;
  size_t allocated; // entries of ring; it grows up to capacity
};

// The caller gives the parcel away (NULL: nothing happens, 0). Returns how many were lost: pushed out, or
// this one for lack of memory. A parcel above max_bytes stays alone in the queue.
size_t parcel_queue_push(struct parcel_queue *queue, struct parcel *parcel);

// ------------------------------------------------------------
// The server's messages of the Foxglove protocol. The texts are parcels; NULL: out of memory.

struct parcel *answer_server_info(const char *name, const char *session, int is_log);
struct parcel *answer_advertise(const struct view_channel *channels, int count);

enum answer_level { LEVEL_INFO, LEVEL_WARNING, LEVEL_ERROR };
// id: a later status with the same one replaces it; NULL: none.
struct parcel *answer_status(enum answer_level level, const char *text, const char *id);

enum { ANSWER_MESSAGE_HEAD = 13, ANSWER_TIME = 9 }; // bytes
void answer_pack_message_head(uint8_t out[ANSWER_MESSAGE_HEAD], uint32_t subscription, uint64_t time_ns);
void answer_pack_time(uint8_t out[ANSWER_TIME], uint64_t time_ns);

// ------------------------------------------------------------
// What a client asks in a text message. No sockets, no state.

enum operation_kind {
  OPERATION_BAD, // why states what is wrong
  OPERATION_SUBSCRIBE,
  OPERATION_UNSUBSCRIBE,
  OPERATION_PLAY,
  OPERATION_ORDER
};

enum { OPERATION_ENTRIES = 2 * GATEWAY_CHANNELS };

struct page_operation {
  enum operation_kind kind;
  int count; // subscriptions
  struct {
    uint32_t id, channel; // id: chosen by the client; channel: as advertised (unsubscribe: not given)
  } entry[OPERATION_ENTRIES];
  struct view_playback play;
  char word[ORDER_WORDS][ORDER_WORD]; // count: their number
};

// text needs no final zero. why is written if the kind is OPERATION_BAD.
void operation_parse(const char *text, size_t size, struct page_operation *out, struct reason *why);

// ------------------------------------------------------------
// What one client has subscribed to and what waits for it. No sockets, no clock: the caller passes the time.

enum { CLIENT_ERRORS = 10, CLIENT_STATUSES = 32, CLIENT_CLOSE_CODE = 1008 };

struct subscription {
  int is_active;
  uint32_t id;            // chosen by the client
  int64_t due_ms;         // when the next message may go
  struct parcel *waiting; // the newest until then; NULL: none
};

struct client {
  struct subscription subscription[GATEWAY_CHANNELS];
  struct parcel_queue queue;                          // messages that are due
  struct parcel_queue statuses;                       // texts
  struct parcel *info, *advertise, *note[NOTE_COUNT]; // texts to send; NULL: none
  uint64_t time_ns, reported_time_ns;
  int has_time, has_reported_time;
  int64_t time_due_ms;
  uint64_t dropped, reported_dropped; // messages out of the full queue
  int64_t dropped_due_ms;
  int errors, is_closing; // closing: after the texts that wait
};

void client_init(struct client *c);
void client_clear(struct client *c);

// serverInfo and advertise, at the beginning and at a new session. The parcels are shared.
void client_greet(struct client *c, struct parcel *info, struct parcel *advertise);

// A subscription to a channel replaces an earlier one to it. STATUS_BAD_INPUT: the channel does not exist, or
// another one has this id.
enum status client_subscribe(struct client *c, uint32_t id, uint32_t channel, int channel_count,
                             struct reason *why);
int client_unsubscribe(struct client *c, uint32_t id); // 0: there is none with this id

// A message for the client if it has subscribed to its channel. is_paced: thinned to one in
// GATEWAY_SPACING_MS, the newest wins; otherwise it comes into the queue. parcel is shared.
void client_offer(struct client *c, struct parcel *parcel, int is_paced, int64_t now_ms);
void client_forget_messages(struct client *c); // all that wait

void client_blame(struct client *c, const char *text); // an error; the tenth closes

enum frame_kind { FRAME_NONE, FRAME_TEXT, FRAME_MESSAGE, FRAME_TIME };
struct frame_out {
  enum frame_kind kind;
  struct parcel *parcel; // of FRAME_TEXT and FRAME_MESSAGE; the caller must drop it
  uint32_t subscription;
  uint64_t time_ns;
};

// The next frame to send now. FRAME_NONE: there is none.
struct frame_out client_next(struct client *c, int64_t now_ms);

// How long until client_next has one, at most limit_ms; 0: it has one now.
int64_t client_wait_ms(const struct client *c, int64_t now_ms, int64_t limit_ms);

// ------------------------------------------------------------
// What a client gets that subscribes late: the newest message of a channel, of events the newest 500.

struct history {
  const struct view_channel *channels;
  int count;
  struct parcel *newest[GATEWAY_CHANNELS];
  struct parcel_queue events[GATEWAY_CHANNELS];
};

void history_init(struct history *h, const struct view_channel *channels, int count);
void history_clear(struct history *h);
void history_keep(struct history *h, struct parcel *parcel); // shared
void history_offer(const struct history *h, int channel, struct client *c, int64_t now_ms);

// ------------------------------------------------------------
// The head of an HTTP/1 request, parsed strictly. No sockets, no state.

enum { HEAD_MAX = 8192, HEAD_NAME = 256, HEAD_QUERY = 512, HEAD_KEY = 24 };

enum head_result {
  HEAD_INCOMPLETE, // the empty line has not come yet
  HEAD_OK,
  HEAD_MALFORMED
};

enum head_method { HEAD_GET, HEAD_HEAD, HEAD_OTHER };

enum subprotocol { SUBPROTOCOL_NONE, SUBPROTOCOL_SDK, SUBPROTOCOL_WEBSOCKET, SUBPROTOCOL_COUNT };

struct request_head {
  size_t size; // bytes, with the empty line
  enum head_method method;
  char path[HEAD_NAME];   // without the query; "": longer than any that exists
  char cookie[HEAD_NAME]; // value of the cookie asked for; "": none, or more than one
  int cookies;
  char query[HEAD_QUERY];                  // behind the question mark; "?": longer than any that is known
  int wants_notes;                         // the query is "sagbend": operations of Sagbend's own as well
  char host[HEAD_NAME], origin[HEAD_NAME]; // "": none
  int has_host, has_origin;
  int is_of_page;         // 1: the request has the field X-Sagbend, which a page of another site cannot send
  int takes_gzip;         // as the encoding of an answer
  int is_upgrade;         // to WebSocket
  int is_version_known;   // version 13
  char key[HEAD_KEY + 1]; // Sec-WebSocket-Key; "": none that is valid
  enum subprotocol subprotocol; // first of the client's list that is known
};

// cookie: name of the one whose value is wanted; NULL: none.
enum head_result request_head_parse(const char *bytes, size_t size, const char *cookie,
                                    struct request_head *out);

// ------------------------------------------------------------
// One HTTP connection: reads one request, answers it, closes; or it becomes a WebSocket. The socket does not
// block.

enum http_state { HTTP_FREE, HTTP_READING, HTTP_WRITING, HTTP_ENDING, HTTP_UPGRADE };

struct http_connection {
  enum http_state state;
  int file;
  int64_t until_ms; // it is closed then
  int64_t moved_ms; // when something was read or written
  char head[HEAD_MAX + 1];
  size_t head_size;
  char answer[2048]; // its head, and its body if that is short
  size_t answer_size;
  const void *body;
  size_t body_size, sent;
  char *owned; // a body to free; NULL: none
  struct request_head request;
};

// What the server can answer.
struct http_site {
  struct access access;
  int is_full; // no client more
  uint64_t refused;
  size_t (*metrics)(void *context, char *out, size_t capacity); // as of struct gateway_hooks; so is the next
  enum status (*data)(void *context, const char *path, const char *query, char **out, struct reason *why);
  void *context, *data_context;
  struct seat *seat; // NULL: nobody operates
};

void http_begin(struct http_connection *c, int file, int64_t now_ms);
void http_close(struct http_connection *c);

short http_events(const struct http_connection *c); // to poll for

// Goes on as far as possible without waiting. In state HTTP_UPGRADE the caller takes the file over.
void http_work(struct http_connection *c, struct http_site *site, int64_t now_ms);

// A head with nothing in it but what the WebSocket library needs of the request. Returns its size.
enum { UPGRADE_HEAD = 768 };
size_t http_upgrade_head(const struct request_head *request, char out[UPGRADE_HEAD]);

// Whether a request comes from the page itself, with the cookie of the seat.
int http_is_operator(const struct http_site *site, const struct request_head *request);

// The answer to a request, as far as it needs no socket: fills answer, body and state.
void http_response(struct http_connection *c, struct http_site *site);

// ------------------------------------------------------------
// Inside of view/server. gateway.c: public functions, listener, HTTP connections and the loop; sockets.c: the
// WebSocket library and what clients ask; client.c: what a client gets.

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

// ---- sockets.c ----
enum status sockets_open(struct gateway *g, struct reason *why);
void sockets_close(struct gateway *g);
int sockets_poll_items(struct gateway *g, struct pollfd *items);
int64_t sockets_wait_ms(struct gateway *g, int64_t limit_ms);
int sockets_are_full(const struct gateway *g); // no place for an observer
// A connection that becomes a WebSocket; takes the file over.
void sockets_adopt(struct gateway *g, int file, const struct request_head *request);
void sockets_work(struct gateway *g, int64_t elapsed_ms);
