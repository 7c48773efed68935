// The server of the live view: clients over WebSocket with the Foxglove protocol, and the page over HTTP. One
// thread owns a gateway and calls gateway_turn in a loop. A client costs the caller nothing: what it does not
// read in time is thinned or leaves its queue.
#pragma once

#include "sagbend/base/status.h"

struct seat;

#include <stddef.h>
#include <stdint.h>

enum {
  GATEWAY_OBSERVERS = 16,         // at the same time, at most; the operator makes one of them go
  GATEWAY_CLIENTS = 20,           // with those that are going
  GATEWAY_CHANNELS = 32,          // at most
  GATEWAY_EVENTS = 500,           // newest of each channel of events, for who subscribes later
  GATEWAY_SPACING_MS = 40,        // between messages of a channel to a client: at most 25 a second
  GATEWAY_QUEUE_BYTES = 2 << 20,  // of a client's queue
  GATEWAY_QUEUE_MESSAGES = 4096,  // of a client's queue
  GATEWAY_MAX_RECEIVED = 64 << 10 // bytes of a message from a client
};

enum gateway_note { NOTE_SOURCE, NOTE_PLAYBACK, NOTE_ALARMS, NOTE_OPERATOR, NOTE_COUNT };

struct view_channel {
  const char *topic;       // "/truth"
  const char *schema_name; // "sagbend.v1.Truth"
  const void *schema;      // FileDescriptorSet
  size_t schema_size;
  int is_event; // each message counts: never thinned, the newest GATEWAY_EVENTS are kept
};

struct view_message {
  int channel; // index
  const void *bytes;
  size_t size;
  uint64_t time_ns; // simulated time, as in a log
};

// What a client asks of the player of a log; a part that is not given stays as it is.
struct view_playback {
  int has_playing, playing;
  int has_rate, has_seek;
  double rate;   // simulated seconds in a second
  double seek_s; // simulated time
};

enum { ORDER_WORDS = 16, ORDER_WORD = 192 }; // words of an order at most, bytes of one with its final zero

// Called by gateway_turn; each may be NULL. client: 0 to GATEWAY_CLIENTS - 1, free for another after left.
struct gateway_hooks {
  void *context;
  void (*joined)(void *context, int client);
  void (*left)(void *context, int client);
  void (*subscribed)(void *context, int client, int channel);
  void (*play)(void *context, int client, const struct view_playback *playback);
  // Writes the text of /metrics and returns its size, at most capacity. NULL: there is none.
  size_t (*metrics)(void *context, char *out, size_t capacity);
  // An order of the operator: words as of sagbend ctl, each a text. Returns 0 if it is not taken, because the
  // one before still waits for its answer. NULL: nobody operates.
  int (*order)(void *context, int client, char *const *words, int count);
  // JSON for a page. path: without its slash. query: what follows the question mark. *out stays NULL where
  // there is nothing at this path; the gateway frees it. STATUS_BAD_INPUT: the query is not valid.
  enum status (*data)(void *context, const char *path, const char *query, char **out, struct reason *why);
  void *data_context; // of data; NULL: context
};

struct gateway_setup {
  const char *listen; // "HOST:PORT"
  const char *const *allowed_hosts, *const *allowed_origins;
  int allowed_host_count, allowed_origin_count;
  const char *name; // of the server, for people
  int is_log;
  const struct view_channel *channels; // must live as long as the gateway
  int channel_count;
  struct gateway_hooks hooks;
  struct seat *seat; // who may order; NULL: nobody. It must live as long as the gateway
};

struct gateway;

// STATUS_BAD_INPUT: the setup is not valid; STATUS_IO: the address is in use or refused.
enum status gateway_open(const struct gateway_setup *setup, struct gateway **out, struct reason *why);
void gateway_close(struct gateway *gateway); // accepts NULL

// As bound: "127.0.0.1:8765". Whether only this machine can connect.
const char *gateway_address(const struct gateway *gateway);
int gateway_is_local(const struct gateway *gateway);

// Waits until there is something to do, file is readable (-1: none) or limit_ms are over, and serves clients.
void gateway_turn(struct gateway *gateway, int file, int limit_ms);

// To all that have subscribed to its channel, and kept for those who do later. The bytes are copied.
void gateway_publish(struct gateway *gateway, const struct view_message *message);

// To one client that has subscribed; kept for nobody. is_paced: as published messages, at most 25 a second
// and the newest wins; otherwise it comes into the queue at once.
void gateway_send(struct gateway *gateway, int client, const struct view_message *message, int is_paced);
int gateway_is_subscribed(const struct gateway *gateway, int client, int channel);
size_t gateway_room(const struct gateway *gateway, int client); // bytes that the client's queue still takes
void gateway_flush(struct gateway *gateway, int client);        // forgets what waits for the client

// The time that the protocol's Time messages tell: to all, to one.
void gateway_set_time(struct gateway *gateway, uint64_t time_ns);
void gateway_set_client_time(struct gateway *gateway, int client, uint64_t time_ns);

// A session begins: forgets what is kept, tells all clients the new sessionId and the channels again.
void gateway_begin_session(struct gateway *gateway, const char *session);

// A JSON object of Sagbend's own: of each kind only the newest waits for a client. To all, also to those who
// join later; to one. Only to clients whose WebSocket is at "/?sagbend", since others report an unknown
// operation as an error.
void gateway_tell_all(struct gateway *gateway, enum gateway_note note, const char *json);
void gateway_tell(struct gateway *gateway, int client, enum gateway_note note, const char *json);

// Whether the client has the operator's seat now.
int gateway_is_operator(const struct gateway *gateway, int client);

struct gateway_counts {
  int clients;
  uint64_t joined, refused; // connections since the start; refused: answered with a status from 400 on
  uint64_t sent, dropped;   // messages to clients; dropped: out of a full queue
  uint64_t received_bad;    // operations that were answered with an error
  uint64_t closed;          // connections that the gateway closed for an error or for silence
  uint64_t sent_bytes;
};
void gateway_count(const struct gateway *gateway, struct gateway_counts *out);
