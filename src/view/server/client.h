// What one client has subscribed to and what waits for it. No sockets, no clock: the caller passes the time.
#pragma once

#include "view/server/answers.h"
#include "view/server/server.h"
#include "view/server/operation.h"
#include "view/server/parcel.h"

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
  uint64_t time_ns, told_time_ns;
  int has_time, has_told_time;
  int64_t time_due_ms;
  uint64_t dropped, told_dropped; // messages out of the full queue
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

void client_say(struct client *c, enum answer_level level, const char *text);
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
