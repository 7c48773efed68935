// Live data for the gateway: a simulator's telemetry, checked, with the pictures that view/scene makes of it.
#pragma once

#include "os/files/files.h"
#include "view/server/server.h"

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

// The operation sagbendSource, as JSON. Returns whether it tells something new apart from since_ms.
enum { LIVE_NOTE = 640 };
int live_note(struct live_source *source, int64_t now_ms, char out[LIVE_NOTE]);
