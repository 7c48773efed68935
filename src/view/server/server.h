// The server of the live view: WebSocket, HTTP, and the page.
#pragma once

#include "log/mcap/mcap.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "view/scene/scene.h"

#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------
// The list of alarms for the page: the operation sagbendAlarms.

// As JSON, which the caller must free; NULL: out of memory.
char *alarm_json(const struct alarm_list *list);

// ------------------------------------------------------------
// The server of the live view: clients over WebSocket with the Foxglove protocol, and the page over HTTP. One
// thread owns a gateway and calls gateway_turn in a loop. A client costs the caller nothing: what it does not
// read in time is thinned or leaves its queue.

struct seat;

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
  struct seat *seat; // seat of the client who may order; NULL: nobody. It must live as long as the gateway
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

// The time of the protocol's Time messages: to all, to one.
void gateway_set_time(struct gateway *gateway, uint64_t time_ns);
void gateway_set_client_time(struct gateway *gateway, int client, uint64_t time_ns);

// A session begins: forgets what is kept, sends all clients the new sessionId and the channels again.
void gateway_begin_session(struct gateway *gateway, const char *session);

// A JSON object of Sagbend's own: of each kind only the newest waits for a client. To all, also to those who
// join later; to one. Only to clients whose WebSocket is at "/?sagbend", since others report an unknown
// operation as an error.
void gateway_report_all(struct gateway *gateway, enum gateway_note note, const char *json);
void gateway_report(struct gateway *gateway, int client, enum gateway_note note, const char *json);

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

// ------------------------------------------------------------
// Live data for the gateway: a simulator's telemetry, checked, with the pictures that view/scene makes of it.

enum { LIVE_NO_DATA_MS = 2000 }; // silence, after which there is no data

struct live_source;

// Where the messages go. The messages are valid during the call only.
struct live_sink {
  void *context;
  void (*begin_session)(void *context, const char *session); // before the first message of a session
  void (*take)(void *context, const struct view_message *message);
};

const struct view_channel *live_channels(int *count);

// keys: as for telemetry_reader_open; they must live as long as the source. STATUS_BAD_INPUT: the endpoint is
// not valid.
enum status live_open(const char *endpoint, const struct client_keys *keys, struct live_source **out,
                      struct reason *why);
void live_close(struct live_source *source); // accepts NULL

int live_file(const struct live_source *source); // readable: call live_take

// Takes what has come and passes it on. Returns whether more waits.
int live_take(struct live_source *source, const struct live_sink *sink, int64_t now_ms);

// One message as it came: checked, then passed on with what follows from it.
void live_take_message(struct live_source *source, const struct live_sink *sink, const char *topic,
                       const void *bytes, size_t size, int64_t now_ms);

struct live_counts {
  int has_data;            // something has come within LIVE_NO_DATA_MS
  int64_t since_ms;        // for how long there is data, or since the newest of it (or the start)
  uint64_t unreadable;     // left out: malformed, not finite
  uint64_t other_protocol; // left out: of another version of the protocol
  uint64_t dropped;        // lost on the way from the simulator, by their numbers
  uint64_t taken, sessions;
  char last_error[200]; // of the newest that was left out; "": none
};
void live_count(const struct live_source *source, int64_t now_ms, struct live_counts *out);

// The operation sagbendSource, as JSON. Returns whether it contains something new apart from since_ms.
enum { LIVE_NOTE = 640 };
int live_note(struct live_source *source, int64_t now_ms, char out[LIVE_NOTE]);

// ------------------------------------------------------------
// The past of a session, which a page asks for by HTTP: /quantities,
// /history?names=offset_m,heading_deg&after=12.5 and /envelope?at=12.5.

struct past {
  struct trends *trends;
  struct envelope *envelope;
};

// is_log: of a whole log. STATUS_NO_MEMORY.
enum status past_open(struct past *past, int is_log, struct reason *why);
void past_close(struct past *past);
void past_begin_session(struct past *past);
void past_take(struct past *past, const char *type, const void *data, size_t size, uint64_t time_ns);

// As struct gateway_hooks.data.
enum status past_response(const struct past *past, const char *path, const char *query, char **out,
                          struct reason *why);

// ------------------------------------------------------------
// A log for the player, or the parts of one: read once from end to end when it is opened, so that everything
// played has been checked. Kept of it: the times of each channel's messages, the events and the alarms.

enum {
  SERIES_FILES = 1024,
  SERIES_EVENTS = 100000
}; // at most; further events are played but not sent after a seek

struct log_series;

struct series_event {
  int channel;
  uint64_t time_ns;
  const uint8_t *bytes;
  size_t size;
};

// paths: one log, or parts of one session in any order; parts may be missing. STATUS_IO: a file cannot be
// read, is damaged or not closed (why as 'sagbend log info' states it), or the files do not belong together.
enum status log_series_open(char *const *paths, int count, struct log_series **out, struct reason *why);
void log_series_close(struct log_series *series); // accepts NULL

// Channels of the log, then those of view/scene. /session is the log's /session_info.
const struct view_channel *log_series_channels(const struct log_series *series, int *count);
int log_series_own_count(const struct log_series *series); // of the log itself
int log_series_channel_of(const struct log_series *series, const struct mcap_channel *channel); // -1: none

// Quantities and extremes over the whole log.
const struct past *log_series_past(const struct log_series *series);

const char *log_series_session(const struct log_series *series);
void log_series_span(const struct log_series *series, uint64_t *start_ns, uint64_t *end_ns);
int log_series_file_count(const struct log_series *series);
unsigned log_series_part(const struct log_series *series,
                         int file); // its number, from 1; 0: the log is one file
const char *log_series_path(const struct log_series *series, int file);
int log_series_file_at(const struct log_series *series,
                       uint64_t time_ns); // the last that begins at or before a time

// All alarms of the log, with the times of their begin and end.
const struct alarm_list *log_series_alarms(const struct log_series *series);

// The newest message of a channel at a time: returns 0 if there is none, else its file and time.
int log_series_newest(const struct log_series *series, int channel, uint64_t time_ns, int *file,
                      uint64_t *found_ns);

// Events in the order of their times: their number up to and with a time, and one of them.
size_t log_series_events_to(const struct log_series *series, uint64_t time_ns);
const struct series_event *log_series_event(const struct log_series *series, size_t index);

// ------------------------------------------------------------
// Plays a log for each client by itself: position, rate, pause. What a client sees at a time is the newest
// message of each channel at that time, and the events up to it.

struct player;

// series must live as long as the player. NULL: out of memory.
struct player *player_create(const struct log_series *series);
void player_free(struct player *player); // accepts NULL
const struct log_series *player_series(const struct player *player);

// The hooks of the gateway; context: the player. Playing begins when a client joins, at the start of the log.
void player_joined(void *context, int client);
void player_left(void *context, int client);
void player_subscribed(void *context, int client, int channel);
void player_play(void *context, int client, const struct view_playback *playback);

// Sends what is due. Returns in how many milliseconds the next call is due at the latest.
int player_work(struct player *player, struct gateway *gateway, int64_t now_ms);

// A message could not be read again: the file has changed. "": none.
const char *player_trouble(const struct player *player);

// ------------------------------------------------------------
// The operator's seat of a live view. A browser takes it once with a token that the console prints, and keeps
// it by a cookie. One browser has it at a time: who takes it with the next token ends the seat of the one
// before.

enum {
  SEAT_SECRET = 33, // 128 random bits in hexadecimal, with the final zero
  SEAT_NAME = 32
};

struct seat {
  char name[SEAT_NAME];     // of the cookie: a browser sends all cookies of a host to each of its ports
  char token[SEAT_SECRET];  // of the next who takes it
  char cookie[SEAT_SECRET]; // of who has it; "": nobody
  unsigned taken;           // how often it was taken: a WebSocket belongs to one of these times
};

enum status seat_open(struct seat *seat, struct reason *why); // STATUS_IO: no random numbers

// Names the cookie after this machine and the address that is served, so that each view has its own, also
// where several machines are reached by ports of one, and a view that starts again the same.
void seat_name(struct seat *seat, const char *address);

// Whether the token is the one that the console has printed. Then it is used up, and the seat has another
// cookie.
int seat_take(struct seat *seat, const char *token);
int seat_is_held(const struct seat *seat, const char *cookie);
