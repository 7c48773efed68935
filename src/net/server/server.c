// Receiving, and answers to single peers. Only server_poll blocks, for its time-out: what a peer does not
// accept is dropped.
#include "net/server/server.h"

#include "net/zmtp/clock.h"
#include "net/server/server_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES_PER_POLL = 64, HOUSEKEEPING_MS = 20 };

enum router_sent server_send_to(struct server *server, uint64_t connection, const uint8_t *data,
                                size_t size) {
  if (size == 0)
    return ROUTER_TAKEN;
  enum router_sent sent = router_send(server->router, connection, data, size);
  if (sent == ROUTER_FULL)
    server_deny_without_event(server, DENIED_UNREAD);
  return sent;
}

static void send_refusal(struct server *server, uint64_t to, enum refusal reason, uint64_t sequence,
                         const char *text) {
  struct wire_refusal refusal = {.reason = reason, .refused_sequence = sequence};
  wire_clean_text(refusal.text, sizeof refusal.text, text ? text : refusal_help(reason));
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header =
      server_header(server, STREAM_REFUSAL, server->session.step, server->session.time_s);
  server_send_to(server, to, bytes, wire_pack_refusal(&header, &refusal, bytes, sizeof bytes));
}

void server_refuse_silently(struct server *server, const struct sender *from, enum refusal reason,
                            uint64_t sequence, const char *text) {
  send_refusal(server, from->connection, reason, sequence, text);
  gate_refuse_silently(&server->gate, server_peer_text(server, from).text, reason, text);
}

void server_refuse(struct server *server, const struct sender *from, enum refusal reason, uint64_t sequence,
                   const char *text) {
  send_refusal(server, from->connection, reason, sequence, text);
  gate_refuse(&server->gate, server_peer_text(server, from).text, reason, text);
}

// Whether the message is within the rate of its connection. The first one beyond is answered, all are
// counted.
static int is_within_rate(struct server *server, const struct sender *from) {
  int is_first;
  if (server_meter(server, from, &is_first))
    return 1;
  if (is_first)
    server_refuse_silently(server, from, REFUSED_RATE, 0, NULL);
  else
    gate_refuse_silently(&server->gate, server_peer_text(server, from).text, REFUSED_RATE, NULL);
  server_deny(server, DENIED_RATE, server_sender_text(from).text, NULL);
  return 0;
}

// Handles one message, if one waits. Returns whether one did.
static int receive(struct server *server, const struct inbox *inbox) {
  struct router_message message;
  if (!router_receive(server->router, &message))
    return 0;
  const struct sender from = server_sender_of(&message);
  server->message_ns = clock_ns();
  if (!is_within_rate(server, &from))
    ;
  else if (message.data)
    (server->handle ? server->handle : server_handle)(server, &from, message.data, message.size, inbox);
  else
    server_refuse(server, &from, REFUSED_MALFORMED, 0, "a single frame expected");
  server->message_ns = 0;
  return 1;
}

// Until no message waits; in lockstep until a command is accepted, because its step does not wait for the
// others. Returns whether a message has come.
static int receive_all(struct server *server, const struct inbox *inbox) {
  int any = 0;
  server->command_taken = 0;
  router_serve(server->router);
  for (int handled = 0; handled < MESSAGES_PER_POLL && receive(server, inbox); handled++) {
    any = 1;
    if (server->gate.lockstep && server->command_taken)
      break;
  }
  return any;
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
  if (is_due) {
    server->guard.counts.connections = (uint64_t)router_connection_count(server->router);
    server_report_denials(server);
    gate_report_refused(&server->gate);
    gate_forget_silent(&server->gate);
    gate_report_idle(&server->gate);
  }
  if (server->publisher && (is_due || server->publisher_waits))
    publisher_serve(server->publisher);
  server->publisher_waits = 0;
}

enum { FILE_OF_ROUTER, FILE_OF_PUBLISHER, OTHER_FILES, WAITS_FOR = OTHER_FILES + 1 + SERVER_ATTACHMENTS };

static int wait_for_files(struct server *server, int timeout_ms) {
  struct pollfd file[WAITS_FOR] = {{.fd = router_file(server->router)},
                                   {.fd = server->publisher ? publisher_file(server->publisher) : -1}};
  int count = OTHER_FILES;
  if (server->watched_file >= 0)
    file[count++].fd = server->watched_file;
  for (int i = 0; i < server->attachment_count; i++)
    file[count++].fd = server->attachment[i].file;
  for (int i = 0; i < count; i++)
    file[i].events = POLLIN;

  const int has_work = router_has_work(server->router);
  int ready = poll(file, (nfds_t)count, has_work ? 0 : timeout_ms);
  server->router_waits = has_work || (ready > 0 && file[FILE_OF_ROUTER].revents != 0);
  server->publisher_waits |= ready > 0 && file[FILE_OF_PUBLISHER].revents != 0;
  return ready;
}

enum status server_poll(struct server *server, int timeout_ms, uint64_t current_step,
                        void (*on_command)(void *context, const struct command *command), void *context,
                        struct reason *why) {
  const struct inbox inbox = {current_step, on_command, context};
  keep_house(server); // not between a command and the step that uses it
  if (!receive_all(server, &inbox)) {
    if (wait_for_files(server, timeout_ms) < 0 && errno != EINTR)
      return fail(why, STATUS_IO, "%s", strerror(errno));
    if (server->router_waits) // otherwise a step has ended, and its Sensors go first
      receive_all(server, &inbox);
  }
  serve_attachments(server, &inbox);
  return STATUS_OK;
}

const char *server_command_endpoint(const struct server *server) {
  return server->session.welcome.command_endpoint;
}

const char *server_telemetry_endpoint(const struct server *server) {
  return server->session.welcome.telemetry_endpoint;
}

const struct publisher_counts *server_telemetry_counts(const struct server *server) {
  static const struct publisher_counts none;
  return server->publisher ? publisher_counts(server->publisher) : &none;
}

const struct command_counts *server_counts(const struct server *server) {
  return &server->gate.counts;
}

const struct refused *server_newest_refused(const struct server *server, int index) {
  return refusals_newest(&server->gate.refusals, index);
}

const struct security_counts *server_security_counts(const struct server *server) {
  return &server->guard.counts;
}
