// Publishing and receiving. Nothing here blocks but server_poll for its time-out: what a peer does not take
// is dropped.
#include "io/wire/server.h"

#include "io/net/clock.h"
#include "io/wire/server_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

enum { MESSAGES_PER_POLL = 256 };

struct wire_header server_header(struct server *s, enum stream stream, uint64_t step, double time_s) {
  struct wire_header h = {.sequence = ++s->sequence[stream], .step = step, .time_s = time_s};
  memcpy(h.session, s->session, sizeof h.session);
  return h;
}

int server_send_to(struct server *s, const unsigned char *identity, size_t identity_size, const uint8_t *data,
                   size_t size) {
  if (size == 0)
    return 0;
  if (zmq_send(s->router, identity, identity_size, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
    return -1;
  return zmq_send(s->router, data, size, ZMQ_DONTWAIT) < 0 ? -1 : 0;
}

struct peer_text server_peer_text(const struct server *s, int peer) {
  struct peer_text out;
  snprintf(out.text, sizeof out.text, "%s (number %" PRIu64 ")", s->peers[peer].name, s->peers[peer].number);
  return out;
}

void server_forget(struct server *s, int peer) {
  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s has gone", server_peer_text(s, peer).text);
  s->peers[peer].used = 0;
  if (s->in_command == peer)
    s->in_command = -1;
  server_peer_event(s, "controller_gone", text);
}

void server_send(struct server *s, int peer, const uint8_t *data, size_t size) {
  struct peer *p = &s->peers[peer];
  if (server_send_to(s, p->identity, p->identity_size, data, size) < 0 && errno == EHOSTUNREACH)
    server_forget(s, peer);
}

void server_send_to_all(struct server *s, const uint8_t *data, size_t size) {
  for (int i = 0; i < MAX_PEERS; i++)
    if (s->peers[i].used)
      server_send(s, i, data, size);
}

void server_publish_packed(struct server *s, const char *topic, const uint8_t *data, size_t size) {
  if (size > 0)
    publisher_send(s->publisher, topic, data, size);
}

void server_publish_event(struct server *s, uint64_t step, double time_s, const char *name,
                          const char *text) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  char clean_name[WIRE_NAME], clean[WIRE_MAX_TEXT + 1];
  wire_clean_text(clean_name, sizeof clean_name, name);
  wire_clean_text(clean, sizeof clean, text);
  struct wire_header header = server_header(s, STREAM_EVENT, step, time_s);
  server_publish_packed(s, "event", bytes,
                        wire_pack_event(&header, clean_name, clean, WIRE_PLAIN, bytes, sizeof bytes));
  server_send_to_all(s, bytes,
                     wire_pack_event(&header, clean_name, clean, WIRE_ENVELOPE, bytes, sizeof bytes));
}

void server_publish_end(struct server *s, uint64_t step, double time_s, const char *why) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  char clean[WIRE_MAX_TEXT + 1];
  wire_clean_text(clean, sizeof clean, why);
  struct wire_header header = server_header(s, STREAM_END, step, time_s);
  server_publish_packed(s, "end", bytes, wire_pack_end(&header, clean, WIRE_PLAIN, bytes, sizeof bytes));
  server_send_to_all(s, bytes, wire_pack_end(&header, clean, WIRE_ENVELOPE, bytes, sizeof bytes));
  s->ended = 1;
}

void server_peer_event(struct server *s, const char *name, const char *text) {
  int64_t second = clock_ms() / 1000;
  if (second != s->event_second) {
    s->event_second = second;
    s->events_in_second = 0;
  }
  if (s->events_in_second++ >= EVENTS_PER_SECOND)
    return;
  server_publish_event(s, s->step, s->time_s, name, text);
  if (s->told)
    s->told(s->told_context, s->step, s->time_s, name, text);
}

void server_on_event(struct server *s,
                     void (*told)(void *context, uint64_t step, double time_s, const char *name,
                                  const char *text),
                     void *context) {
  s->told = told;
  s->told_context = context;
}

void server_refuse(struct server *s, const unsigned char *identity, size_t identity_size, enum refusal reason,
                   uint64_t sequence, const char *text) {
  s->counts.refused[reason]++;
  struct wire_refusal refusal = {.reason = reason, .refused_sequence = sequence};
  wire_clean_text(refusal.text, sizeof refusal.text, text ? text : refusal_help(reason));
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = server_header(s, STREAM_REFUSAL, s->step, s->time_s);
  server_send_to(s, identity, identity_size, bytes,
                 wire_pack_refusal(&header, &refusal, bytes, sizeof bytes));

  char name[WIRE_NAME];
  snprintf(name, sizeof name, "refused_%s", refusal_name(reason));
  server_peer_event(s, name, refusal.text);
}

static int is_due(struct schedule *d, uint64_t step) {
  if (d->period_steps == 0 || (d->any && step / d->period_steps == d->last))
    return 0;
  d->any = 1;
  d->last = step / d->period_steps;
  return 1;
}

static void publish_or_tell(struct server *s, const char *topic, const uint8_t *bytes, size_t size) {
  server_publish_packed(s, topic, bytes, size);
  if (size == 0) {
    char text[WIRE_MAX_TEXT + 1];
    snprintf(text, sizeof text, "%s: not sent, a number is not finite", topic);
    server_peer_event(s, "not_sent", text);
  }
}

void server_publish(struct server *s, const struct frame *f) {
  uint8_t bytes[WIRE_MAX_PLAIN];
  uint64_t step = f->output.step;
  double time_s = f->output.time_s;
  s->step = step;
  s->time_s = time_s;
  s->faults = f->faults;
  s->orders_active = f->orders_active;
  s->last_order = f->last_order;
  if (is_due(&s->due[STREAM_SENSORS], step)) {
    struct wire_header h = server_header(s, STREAM_SENSORS, step, time_s);
    publish_or_tell(s, "sensors", bytes, wire_pack_sensors(&h, f, WIRE_PLAIN, bytes, sizeof bytes));
    if (!f->sensors_lost) {
      s->sensors_step = step;
      s->sensors_size = wire_pack_sensors(&h, f, WIRE_ENVELOPE, s->sensors, sizeof s->sensors);
      server_send_to_all(s, s->sensors, s->sensors_size);
    }
  }
  if (is_due(&s->due[STREAM_TRUTH], step)) {
    struct wire_header h = server_header(s, STREAM_TRUTH, step, time_s);
    publish_or_tell(s, "truth", bytes, wire_pack_truth(&h, f, bytes, sizeof bytes));
  }
  if (is_due(&s->due[STREAM_LEDGER], step)) {
    struct wire_header h = server_header(s, STREAM_LEDGER, step, time_s);
    publish_or_tell(s, "ledger", bytes, wire_pack_ledger(&h, f, bytes, sizeof bytes));
  }
  if (is_due(&s->due[STREAM_TIMING], step)) {
    struct wire_header h = server_header(s, STREAM_TIMING, step, time_s);
    publish_or_tell(s, "timing", bytes, wire_pack_timing(&h, f, &s->counts, bytes, sizeof bytes));
  }
}

void server_publish_nodes(struct server *s, uint64_t step, double time_s, int count,
                          const struct sim_node *nodes) {
  if (count > s->node_count)
    count = s->node_count;
  struct wire_header h = server_header(s, STREAM_NODES, step, time_s);
  publish_or_tell(
      s, "nodes", s->node_bytes,
      wire_pack_nodes(&h, (size_t)count, nodes, s->node_scratch, s->node_bytes, s->node_capacity));
}

static void forget_the_silent(struct server *s) {
  if (s->welcome.mode == RUN_LOCKSTEP)
    return;
  int64_t now = clock_ms();
  for (int i = 0; i < MAX_PEERS; i++)
    if (s->peers[i].used && now - s->peers[i].heard_ms > PEER_SILENCE_MS)
      server_forget(s, i);
}

// One message: [identity, payload]. Returns 1, 0 if none is waiting, -1 on a socket error.
static int receive(struct server *s, const struct inbox *inbox) {
  unsigned char identity[MAX_IDENTITY];
  int identity_size = zmq_recv(s->router, identity, sizeof identity, ZMQ_DONTWAIT);
  if (identity_size < 0)
    return errno == EAGAIN || errno == EINTR ? 0 : -1;

  zmq_msg_t payload;
  zmq_msg_init(&payload);
  int frames = 0, more = 1;
  size_t more_size = sizeof more;
  zmq_getsockopt(s->router, ZMQ_RCVMORE, &more, &more_size);
  for (; more; frames++) { // the whole message is here once its first frame is
    zmq_msg_t part;
    zmq_msg_init(&part);
    if (zmq_msg_recv(&part, s->router, ZMQ_DONTWAIT) < 0) {
      zmq_msg_close(&part);
      break;
    }
    more = zmq_msg_more(&part);
    if (frames == 0)
      zmq_msg_move(&payload, &part);
    zmq_msg_close(&part);
  }
  if (frames == 1)
    server_handle(s, &(struct sender){identity, (size_t)identity_size, zmq_msg_get(&payload, ZMQ_SRCFD)},
                  zmq_msg_data(&payload), zmq_msg_size(&payload), inbox);
  else
    server_refuse(s, identity, (size_t)identity_size, REFUSED_MALFORMED, 0, "a single frame expected");
  zmq_msg_close(&payload);
  return 1;
}

int server_poll(struct server *s, int timeout_ms, uint64_t current_step,
                void (*on_command)(void *context, const struct command *c), void *context) {
  const struct inbox inbox = {current_step, on_command, context};
  forget_the_silent(s);
  zmq_pollitem_t items[] = {{s->router, 0, ZMQ_POLLIN, 0},
                            {NULL, publisher_file(s->publisher), ZMQ_POLLIN, 0}};
  int ready = zmq_poll(items, 2, timeout_ms);
  if (ready < 0)
    return errno == EINTR ? 0 : -1;
  publisher_serve(s->publisher);
  int handled = 0;
  while (handled < MESSAGES_PER_POLL) {
    int got = receive(s, &inbox);
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    handled++;
  }
  return handled;
}

const char *server_command_endpoint(const struct server *s) {
  return s->welcome.command_endpoint;
}
const char *server_telemetry_endpoint(const struct server *s) {
  return s->welcome.telemetry_endpoint;
}
int server_is_local(const struct server *s) {
  return s->door.local && publisher_is_local(s->publisher);
}
const struct publisher_counts *server_telemetry_counts(const struct server *s) {
  return publisher_counts(s->publisher);
}
const struct command_counts *server_counts(const struct server *s) {
  return &s->counts;
}
