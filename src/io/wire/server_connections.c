// The router's connections, as libzmq's monitor reports them: their number, why handshakes fail, and the rate
// of messages on each. libzmq limits none of them. At the largest number the listener is shut until others
// end; what libzmq has accepted beyond it by then is closed.
#include "io/net/clock.h"
#include "io/wire/server_parts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <zmq.h>

enum { EVENTS_PER_POLL = 256, CHECK_MS = 1000 };
static const int64_t THOUSAND = 1000;

// Numeric address and port of the other end; empty if the connection has gone.
static void find_address(int file, char out[PEER_ADDRESS]) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  char host[INET_ADDRSTRLEN] = "";
  out[0] = '\0';
  if (getpeername(file, (struct sockaddr *)&address, &size) != 0)
    return;
  if (address.ss_family == AF_INET) {
    struct sockaddr_in in;
    memcpy(&in, &address, sizeof in);
    inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
    snprintf(out, PEER_ADDRESS, "%s:%d", host, (int)ntohs(in.sin_port));
  } else {
    snprintf(out, PEER_ADDRESS, "this machine");
  }
}

static struct connection *find(struct guard *guard, int file) {
  for (int i = 0; i < guard->connection_count; i++)
    if (guard->connection[i].file == file)
      return &guard->connection[i];
  return NULL;
}

static void forget(struct guard *guard, struct connection *connection) {
  *connection = guard->connection[--guard->connection_count];
}

// Whether this file is a connection that the listener has accepted: by the time that an event is read, the
// number may belong to another file.
static int is_accepted(const struct listener *listener, int file) {
  union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_un un;
  } ours = {0}, its = {0};
  socklen_t size = sizeof ours, its_size = sizeof its;
  if (getsockname(listener->file, &ours.any, &size) != 0 || getsockname(file, &its.any, &its_size) != 0 ||
      ours.any.sa_family != its.any.sa_family)
    return 0;
  return ours.any.sa_family == AF_INET ? ours.in.sin_port == its.in.sin_port
                                       : size == its_size && memcmp(&ours.un, &its.un, size) == 0;
}

// libzmq accepts a burst before this program can shut the listener. libzmq closes a connection that is shut
// down.
static void close_excess(struct server *server, struct connection *connection) {
  if (server->guard.connection_count <= MAX_CONNECTIONS || !is_accepted(&server->listener, connection->file))
    return;
  shutdown(connection->file, SHUT_RDWR);
  server_deny(server, DENIED_TOO_MANY, connection->address, NULL);
}

// A connection that libzmq ends without a report leaves its number; a new one may bear it.
static void accepted(struct server *server, int file) {
  struct guard *guard = &server->guard;
  struct connection *connection = find(guard, file);
  if (!connection && guard->connection_count < TRACKED_CONNECTIONS)
    connection = &guard->connection[guard->connection_count++];
  if (!connection)
    return;
  connection->file = file;
  find_address(file, connection->address);
  close_excess(server, connection);
}

static void disconnected(struct server *server, int file) {
  struct guard *guard = &server->guard;
  struct connection *connection = find(guard, file);
  if (guard->failed >= 0)
    server_deny(server, (enum denial)guard->failed, connection ? connection->address : "", NULL);
  guard->failed = -1;
  if (connection)
    forget(guard, connection);
}

// libzmq reports why a handshake failed first, then that the connection ended, without another event between.
static enum denial denial_of(uint16_t event, uint32_t value) {
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL)
    return DENIED_UNFINISHED;
  if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
    return DENIED_MECHANISM;
  return value == ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE ||
                 value == ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE
             ? DENIED_MESSAGE
             : DENIED_HANDSHAKE;
}

static int read_event(void *monitor, uint16_t *event, uint32_t *value) {
  uint8_t frame[6], endpoint[256];
  if (zmq_recv(monitor, frame, sizeof frame, ZMQ_DONTWAIT) != (int)sizeof frame)
    return 0;
  memcpy(event, frame, sizeof *event);
  memcpy(value, frame + sizeof *event, sizeof *value);
  return zmq_recv(monitor, endpoint, sizeof endpoint, ZMQ_DONTWAIT) >= 0;
}

// Forgets connections that libzmq has ended without a report (a routing id that moved to another connection).
static void check_connections(struct guard *guard) {
  int64_t now = clock_ms();
  if (now < guard->next_check_ms)
    return;
  guard->next_check_ms = now + CHECK_MS;
  for (int i = guard->connection_count - 1; i >= 0; i--) {
    char address[PEER_ADDRESS];
    find_address(guard->connection[i].file, address);
    if (!address[0] || strcmp(address, guard->connection[i].address) != 0)
      forget(guard, &guard->connection[i]);
  }
}

static void report_dropped(struct server *server) {
  struct guard *guard = &server->guard;
  uint64_t dropped = listener_dropped(&server->listener) - guard->dropped_before;
  char text[128];
  if (dropped <= guard->dropped)
    return;
  snprintf(text, sizeof text, "%d are open: no further ones until some end", guard->connection_count);
  guard->counts.denied[DENIED_TOO_MANY] += dropped - guard->dropped - 1;
  guard->dropped = dropped;
  server_deny(server, DENIED_TOO_MANY, "connections", text);
}

// libzmq ends its connections when it stops listening, so the listener itself is shut, which libzmq does not
// notice.
static void limit_connections(struct server *server) {
  struct guard *guard = &server->guard;
  if (server->closed)
    return;
  if (guard->is_full)
    report_dropped(server);
  if (guard->is_full && guard->connection_count <= CONNECTIONS_AGAIN) {
    guard->is_full = !listener_shut(&server->listener, 0);
  } else if (!guard->is_full && guard->connection_count >= MAX_CONNECTIONS) {
    guard->dropped_before = listener_dropped(&server->listener);
    guard->dropped = 0;
    guard->is_full = listener_shut(&server->listener, 1);
  }
}

void server_follow_connections(struct server *server) {
  struct guard *guard = &server->guard;
  uint16_t event;
  uint32_t value;
  for (int i = 0; i < EVENTS_PER_POLL && read_event(guard->monitor, &event, &value); i++) {
    if (event == ZMQ_EVENT_ACCEPTED)
      accepted(server, (int)value);
    else if (event == ZMQ_EVENT_DISCONNECTED)
      disconnected(server, (int)value);
    else
      guard->failed = (int)denial_of(event, value);
  }
  check_connections(guard);
  limit_connections(server);
  guard->counts.connections = (uint64_t)guard->connection_count;
}

// The meter of a connection: its own, a free one, or that which was idle longest.
static struct meter *find_meter(struct guard *guard, int connection, int64_t now) {
  struct meter *oldest = &guard->meter[0];
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    struct meter *meter = &guard->meter[i];
    if (meter->connection == connection)
      return meter;
    if (meter->connection < 0 || (oldest->connection >= 0 && meter->at_ms < oldest->at_ms))
      oldest = meter;
  }
  *oldest = (struct meter){.connection = connection, .at_ms = now, .budget = THOUSAND * MESSAGES_PER_S};
  return oldest;
}

int server_meter(struct server *server, int connection, int *is_first) {
  int64_t now = clock_ms(), most = THOUSAND * MESSAGES_PER_S;
  struct meter *meter = find_meter(&server->guard, connection, now);
  meter->budget += (now - meter->at_ms) * MESSAGES_PER_S; // a thousandth of a message per millisecond and 1/s
  meter->budget = meter->budget > most ? most : meter->budget;
  meter->at_ms = now;
  *is_first = 0;
  if (meter->budget >= THOUSAND) {
    meter->budget -= THOUSAND;
    meter->is_over &= meter->budget < most / 2;
    return 1;
  }
  *is_first = !meter->is_over;
  meter->is_over = 1;
  return 0;
}

void server_meter_return(struct server *server, int connection) {
  find_meter(&server->guard, connection, clock_ms())->budget += THOUSAND;
}
