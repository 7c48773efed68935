// Receiving, and answers to single peers. Only server_poll blocks, for its time-out: what a peer does not
// accept is dropped.
#include "io/wire/server.h"

#include "io/net/clock.h"
#include "io/wire/server_parts.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

enum { MESSAGES_PER_POLL = 64, HOUSEKEEPING_MS = 20 };

int server_send_to(struct server *server, const unsigned char *identity, size_t identity_size,
                   const uint8_t *data, size_t size) {
  if (size == 0 || (zmq_send(server->router, identity, identity_size, ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0 &&
                    zmq_send(server->router, data, size, ZMQ_DONTWAIT) >= 0))
    return 1;
  if (errno == EAGAIN) {
    server_deny_without_event(server, DENIED_UNREAD);
    errno = EAGAIN;
  }
  return 0;
}

static void send_refusal(struct server *server, const unsigned char *identity, size_t identity_size,
                         enum refusal reason, uint64_t sequence, const char *text) {
  struct wire_refusal refusal = {.reason = reason, .refused_sequence = sequence};
  wire_clean_text(refusal.text, sizeof refusal.text, text ? text : refusal_help(reason));
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = server_header(server, STREAM_REFUSAL, server->step, server->time_s);
  server_send_to(server, identity, identity_size, bytes,
                 wire_pack_refusal(&header, &refusal, bytes, sizeof bytes));
}

void server_refuse_silently(struct server *server, const unsigned char *identity, size_t identity_size,
                            enum refusal reason, uint64_t sequence, const char *text) {
  server->gate.counts.refused[reason]++;
  send_refusal(server, identity, identity_size, reason, sequence, text);
}

void server_refuse(struct server *server, const unsigned char *identity, size_t identity_size,
                   enum refusal reason, uint64_t sequence, const char *text) {
  send_refusal(server, identity, identity_size, reason, sequence, text);
  gate_refuse(&server->gate, reason, text);
}

static enum status socket_error(struct reason *why) {
  return fail(why, STATUS_IO, "%s", zmq_strerror(errno));
}

// Who sent a message: the key that the handler of keys has reported, and the address.
static struct sender sender_of(const unsigned char *identity, size_t identity_size, zmq_msg_t *message) {
  struct sender from = {identity, identity_size, zmq_msg_get(message, ZMQ_SRCFD), -1, "", ""};
  const char *address = zmq_msg_gets(message, "Peer-Address"), *user = zmq_msg_gets(message, "User-Id");
  char role[16];
  strncpy(from.address, address ? address : "", sizeof from.address - 1);
  if (user && sscanf(user, "%15s %23s", role, from.key) == 2) // server_admission.c writes it
    from.role = peer_role_find(role);
  return from;
}

// Whether the message is within the rate of its connection. The first one beyond is answered, all are
// counted.
static int is_within_rate(struct server *server, const struct sender *from) {
  int is_first;
  if (server_meter(server, from->connection, &is_first))
    return 1;
  if (is_first)
    server_refuse_silently(server, from->identity, from->identity_size, REFUSED_RATE, 0, NULL);
  else
    server->gate.counts.refused[REFUSED_RATE]++;
  server_deny(server, DENIED_RATE, server_sender_text(from).text, NULL);
  return 0;
}

// Receives and handles one message [identity, payload], if one waits. *received: whether one did.
static enum status receive(struct server *server, const struct inbox *inbox, int *received,
                           struct reason *why) {
  unsigned char identity[MAX_IDENTITY];
  int identity_size = zmq_recv(server->router, identity, sizeof identity, ZMQ_DONTWAIT);
  *received = identity_size >= 0;
  if (identity_size < 0)
    return errno == EAGAIN || errno == EINTR ? STATUS_OK : socket_error(why);

  server->message_ns = clock_ns();
  zmq_msg_t payload;
  zmq_msg_init(&payload);
  int frames = 0, more = 1;
  size_t more_size = sizeof more;
  zmq_getsockopt(server->router, ZMQ_RCVMORE, &more, &more_size);
  for (; more; frames++) { // once the first frame is here, the whole message is
    zmq_msg_t part;
    zmq_msg_init(&part);
    if (zmq_msg_recv(&part, server->router, ZMQ_DONTWAIT) < 0) {
      zmq_msg_close(&part);
      break;
    }
    more = zmq_msg_more(&part);
    if (frames == 0)
      zmq_msg_move(&payload, &part);
    zmq_msg_close(&part);
  }
  const struct sender from = sender_of(identity, (size_t)identity_size, &payload);
  if (!is_within_rate(server, &from))
    ;
  else if (frames == 1)
    (server->handle ? server->handle : server_handle)(server, &from, zmq_msg_data(&payload),
                                                      zmq_msg_size(&payload), inbox);
  else
    server_refuse(server, identity, (size_t)identity_size, REFUSED_MALFORMED, 0, "a single frame expected");
  zmq_msg_close(&payload);
  server->message_ns = 0;
  return STATUS_OK;
}

// Until no message waits, which also arms the file of the router for the next wait; in lockstep until a
// command is accepted, because its step does not wait for the others. *any: a message has come.
static enum status receive_all(struct server *server, const struct inbox *inbox, int *any,
                               struct reason *why) {
  int received = 1;
  enum status status = STATUS_OK;
  server->command_taken = 0;
  for (int handled = 0; handled < MESSAGES_PER_POLL && received && status == STATUS_OK; handled++) {
    status = receive(server, inbox, &received, why);
    *any |= received;
    if (server->gate.lockstep && server->command_taken)
      break;
  }
  return status;
}

uint64_t server_message_ns(const struct server *server) {
  return server->message_ns;
}

void server_watch(struct server *server, int file) {
  server->watched_file = file;
}

void server_attach(struct server *server, int file,
                   void (*serve)(void *bus, void (*on_command)(void *context, const struct command *command),
                                 void *context),
                   void *bus) {
  if (server->attachment_count < SERVER_ATTACHMENTS)
    server->attachment[server->attachment_count++] = (struct attachment){file, serve, bus};
}

struct gate *server_gate(struct server *server) {
  return &server->gate;
}

static void serve_attachments(struct server *server, const struct inbox *inbox) {
  for (int i = 0; i < server->attachment_count; i++)
    server->attachment[i].serve(server->attachment[i].bus, inbox->on_command, inbox->context);
}

// Everything but commands: what the last wait has reported, and now and then what depends on the clock.
static void keep_house(struct server *server) {
  int64_t now_ms = clock_ms();
  int is_due = now_ms >= server->next_housekeeping_ms;
  if (is_due)
    server->next_housekeeping_ms = now_ms + HOUSEKEEPING_MS;
  if (is_due || server->guard_waits)
    server_guard_serve(server);
  if (is_due)
    gate_forget_silent(&server->gate);
  if (server->publisher && (is_due || server->publisher_waits))
    publisher_serve(server->publisher);
  server->guard_waits = server->publisher_waits = 0;
}

enum {
  FILE_OF_ROUTER,
  FILE_OF_PUBLISHER,
  FILES_OF_GUARD,
  WAITS_FOR = FILES_OF_GUARD + GUARD_ITEMS + 1 + SERVER_ATTACHMENTS
};

int server_file_of(void *socket) {
  int file = -1;
  size_t size = sizeof file;
  zmq_getsockopt(socket, ZMQ_FD, &file, &size);
  return file;
}

// Waits for the files directly: zmq_poll would ask each socket for its events twice more. A socket's file
// reports only what comes after the socket has been drained: receive_all and server_guard_serve do that.
static int wait_for_files(struct server *server, int timeout_ms) {
  struct pollfd file[WAITS_FOR] = {{.fd = server_file_of(server->router)},
                                   {.fd = server->publisher ? publisher_file(server->publisher) : -1}};
  int guard_end = FILES_OF_GUARD + server_guard_files(server, file + FILES_OF_GUARD), count = guard_end;
  if (server->watched_file >= 0)
    file[count++].fd = server->watched_file;
  for (int i = 0; i < server->attachment_count; i++)
    file[count++].fd = server->attachment[i].file;
  for (int i = 0; i < count; i++)
    file[i].events = POLLIN;

  int ready = poll(file, (nfds_t)count, timeout_ms);
  if (ready <= 0)
    return ready;
  server->publisher_waits |= file[FILE_OF_PUBLISHER].revents != 0;
  for (int i = FILES_OF_GUARD; i < guard_end; i++)
    server->guard_waits |= file[i].revents != 0;
  return ready;
}

enum status server_poll(struct server *server, int timeout_ms, uint64_t current_step,
                        void (*on_command)(void *context, const struct command *command), void *context,
                        struct reason *why) {
  const struct inbox inbox = {current_step, on_command, context};
  int any = 0;
  keep_house(server); // not between a command and the step that uses it
  enum status status = receive_all(server, &inbox, &any, why);
  if (status == STATUS_OK && !any) {
    if (wait_for_files(server, timeout_ms) < 0 && errno != EINTR)
      return socket_error(why);
    status = receive_all(server, &inbox, &any, why);
  }
  serve_attachments(server, &inbox);
  return status;
}

const char *server_command_endpoint(const struct server *server) {
  return server->welcome.command_endpoint;
}

const char *server_telemetry_endpoint(const struct server *server) {
  return server->welcome.telemetry_endpoint;
}

int server_is_local(const struct server *server) {
  return server->listener.local && publisher_is_local(server->publisher);
}

const struct publisher_counts *server_telemetry_counts(const struct server *server) {
  return publisher_counts(server->publisher);
}

const struct command_counts *server_counts(const struct server *server) {
  return &server->gate.counts;
}

const struct security_counts *server_security_counts(const struct server *server) {
  return &server->guard.counts;
}
