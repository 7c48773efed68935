// Opening, accepting, collecting frames without waiting, time-outs.
#define _GNU_SOURCE // accept4
#include "net/buses/buses.h"

#include "net/buses/buses_internal.h"
#include "net/networks/networks.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void modbus_connection_close(struct modbus_server *server, struct modbus_connection *connection) {
  struct modbus_client *client = &server->client[connection->client];
  close(connection->file); // leaves the event loop, too
  connection->file = -1;
  server->gate->counts.buses.modbus_connections--;
  if (--client->connections == 0) {
    bus_master_leave(&client->master, server->gate);
    modbus_forget_client(server, connection->client);
  }
}

// The same, counted and reported.
static void modbus_cut_off(struct modbus_server *server, struct modbus_connection *connection,
                           const char *why) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "%s: a connection is closed: %s",
           server->client[connection->client].master.name, why);
  server->gate->counts.buses.modbus_cut_off++;
  server->gate->on_event(server->gate->context, EVENT_NAME(modbus_cut_off), text);
  modbus_connection_close(server, connection);
}

// Answers the frames that are complete. Returns why the connection is to be cut off; NULL: it is not.
static const char *answer_all(struct modbus_server *server, struct modbus_connection *connection,
                              const struct modbus_inbox *inbox) {
  for (;;) {
    int size = modbus_frame_size(connection->data, connection->size);
    if (size < 0)
      return "what it sends is not Modbus TCP";
    if (size == 0)
      return NULL;
    if (connection->data[MODBUS_FRAME_HEADER] & MODBUS_IS_ANSWER)
      return "a function code of 128 or above is no request";
    if (modbus_passes(server, connection, 0, connection->data, (size_t)size) &&
        !modbus_response(server, connection, connection->data, size, inbox))
      return "it does not read its answers";
    connection->heard_ms = connection->begun_ms = clock_ms();
    connection->of_before -= connection->of_before < (size_t)size ? connection->of_before : (size_t)size;
    connection->size -= (size_t)size;
    memmove(connection->data, connection->data + size, connection->size);
  }
}

void modbus_connection_serve(struct modbus_server *server, struct modbus_connection *connection,
                             const struct modbus_inbox *inbox) {
  ssize_t got = recv(connection->file, connection->data + connection->size,
                     sizeof connection->data - connection->size, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (got <= 0) {
    modbus_connection_close(server, connection);
    return;
  }
  if (connection->size == 0)
    connection->begun_ms = clock_ms();
  connection->size += (size_t)got;
  const char *why = answer_all(server, connection, inbox);
  if (why)
    modbus_cut_off(server, connection, why);
}

enum {
  ACCEPTS_PER_SERVE = 8,
  CHECK_MS = 100,
  NO_FILES_MS = 1000,         // pause in accepting when the process has no free file descriptor
  ANSWERS_WAITING = 16 << 10, // bytes; a client that lets more of its answers wait is cut off
  LISTENER_SLOT = MODBUS_CONNECTIONS
};

static void watch(const struct modbus_server *server, int operation, int file, int slot, unsigned events) {
  struct epoll_event event = {.events = events, .data.u32 = (uint32_t)slot};
  epoll_ctl(server->events, operation, file, &event);
}

static enum status start_listening(struct modbus_server *server, struct reason *why) {
  const char *const endpoints[NETWORKS] = {server->def.endpoint, server->def.endpoint_b};
  server->events = epoll_create1(EPOLL_CLOEXEC);
  if (server->events < 0)
    return fail(why, STATUS_IO, "Modbus: %s", strerror(errno));
  for (int i = 0; i < NETWORKS && *endpoints[i]; i++) {
    enum status status = listener_open(endpoints[i], &server->listener[i], why);
    if (status != STATUS_OK)
      return status;
    if (!server->listener[i].local && !*server->def.clients)
      return fail(
          why, STATUS_BAD_INPUT,
          "the endpoint %s needs modbus.clients, the addresses that may connect, or any: Modbus has no "
          "security",
          server->listener[i].endpoint);
    watch(server, EPOLL_CTL_ADD, server->listener[i].file, LISTENER_SLOT + i, EPOLLIN);
  }
  if (modbus_networks(server) > server->gate->counts.buses.networks)
    server->gate->counts.buses.networks = modbus_networks(server);
  server->accepts = 1;
  return STATUS_OK;
}

enum status modbus_server_open(const struct modbus_session *session, struct modbus_server **out,
                               struct reason *why) {
  struct modbus_server *server = calloc(1, sizeof *server);
  *out = NULL;
  if (!server)
    return fail(why, STATUS_NO_MEMORY, "out of memory for Modbus");
  server->def = *session->def;
  server->gate = session->gate;
  server->target = session->target;
  server->networks = session->networks;
  server->events = server->listener[0].file = server->listener[1].file = -1;
  for (int i = 0; i < MODBUS_CONNECTIONS; i++)
    server->connection[i].file = -1;
  server->image.thruster_count = session->names->thruster_count;
  for (int i = 0; i < server->image.thruster_count; i++)
    server->image.setpoint[i] = session->setpoints[i];
  modbus_map_init(&server->map, session->def, session->names);

  enum status status = start_listening(server, why);
  if (status == STATUS_OK)
    *out = server;
  else
    modbus_server_close(server);
  return status;
}

void modbus_server_close(struct modbus_server *server) {
  if (!server)
    return;
  for (int i = 0; i < MODBUS_CONNECTIONS; i++)
    if (server->connection[i].file >= 0)
      close(server->connection[i].file);
  networks_forget(server->networks, server);
  for (int i = 0; i < NETWORKS; i++)
    if (server->listener[i].file >= 0)
      listener_close(&server->listener[i]);
  if (server->events >= 0)
    close(server->events);
  free(server);
}

const char *modbus_server_endpoint(const struct modbus_server *server, int network) {
  return server->listener[network].file >= 0 ? server->listener[network].endpoint : "";
}

int modbus_networks(const struct modbus_server *server) {
  return server->listener[1].file >= 0 ? NETWORKS : 1;
}

int modbus_server_file(const struct modbus_server *server) {
  return server->events;
}

// The host of this address among the clients; a new one if it has no connection yet. There are as many places
// as connections.
static int find_client(struct modbus_server *server, uint32_t address) {
  int free_place = 0;
  for (int i = 0; i < MODBUS_CONNECTIONS; i++) {
    struct modbus_client *client = &server->client[i];
    if (client->connections > 0 && client->address == address)
      return i;
    if (client->connections == 0)
      free_place = i;
  }
  struct modbus_client *client = &server->client[free_place];
  struct in_addr network = {htonl(address)};
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &network, text, sizeof text);
  *client = (struct modbus_client){.address = address};
  snprintf(client->master.name, sizeof client->master.name, "modbus:%s", text);
  return free_place;
}

static int is_in_command(const struct modbus_server *server, const struct modbus_connection *connection) {
  int place = bus_master_place(&server->client[connection->client].master, server->gate);
  return place >= 0 && place == server->gate->in_command;
}

// A free place; if there is none, that of the connection without a request, or silent for longest. The master
// in command keeps its connections.
static struct modbus_connection *make_place(struct modbus_server *server) {
  struct modbus_connection *idlest = NULL;
  for (int i = 0; i < server->def.connections; i++) {
    struct modbus_connection *connection = &server->connection[i];
    if (connection->file < 0)
      return connection;
    if (is_in_command(server, connection))
      continue;
    int is_idler = !idlest || !connection->requests > !idlest->requests ||
                   (!connection->requests == !idlest->requests && connection->heard_ms < idlest->heard_ms);
    if (is_idler)
      idlest = connection;
  }
  if (idlest)
    modbus_cut_off(server, idlest, "it makes way for a new one");
  return idlest;
}

static void refuse(struct modbus_server *server, int file, uint32_t address, const char *why) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "modbus:%u.%u.%u.%u: a connection is not admitted: %s", address >> 24,
           address >> 16 & 255, address >> 8 & 255, address & 255, why);
  close(file);
  server->gate->counts.buses.modbus_cut_off++;
  server->gate->on_event(server->gate->context, EVENT_NAME(modbus_not_admitted), text);
}

static void join(struct modbus_server *server, int file, int network, uint32_t address) {
  if (!clients_admit(server->def.clients, address)) {
    refuse(server, file, address, "modbus.clients does not contain its address");
    return;
  }
  struct modbus_connection *place = make_place(server);
  if (!place) {
    refuse(server, file, address, "all connections belong to the master in command");
    return;
  }
  int yes = 1, waiting = ANSWERS_WAITING;
  setsockopt(file, SOL_SOCKET, SO_SNDBUF, &waiting, sizeof waiting);
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  *place =
      (struct modbus_connection){.file = file,
                                 .network = network,
                                 .number = ++server->connections,
                                 .client = find_client(server, modbus_master_of(server, network, address))};
  place->heard_ms = place->begun_ms = clock_ms();
  server->client[place->client].connections++;
  server->gate->counts.buses.modbus_connections++;
  watch(server, EPOLL_CTL_ADD, file, (int)(place - server->connection), EPOLLIN);
}

static void watch_listeners(struct modbus_server *server, int accepts) {
  server->accepts = accepts;
  for (int i = 0; i < modbus_networks(server); i++)
    watch(server, EPOLL_CTL_MOD, server->listener[i].file, LISTENER_SLOT + i, accepts ? EPOLLIN : 0);
}

// Without a free file descriptor a connection stays in the system's queue and would wake the event loop
// forever, so the listener leaves the loop for a while.
static void accept_connections(struct modbus_server *server, int network) {
  for (int i = 0; i < ACCEPTS_PER_SERVE; i++) {
    struct sockaddr_in from = {0};
    socklen_t size = sizeof from;
    int file = accept4(server->listener[network].file, (struct sockaddr *)&from, &size,
                       SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (file >= 0) {
      join(server, file, network, ntohl(from.sin_addr.s_addr));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      watch_listeners(server, 0);
      server->next_accept_ms = clock_ms() + NO_FILES_MS;
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

static void check_times(struct modbus_server *server) {
  int64_t now = clock_ms();
  if (now < server->next_check_ms)
    return;
  server->next_check_ms = now + CHECK_MS;
  if (!server->accepts && now >= server->next_accept_ms) {
    watch_listeners(server, 1);
  }
  for (int i = 0; i < MODBUS_CONNECTIONS; i++) {
    struct modbus_connection *connection = &server->connection[i];
    if (connection->file < 0)
      continue;
    if (connection->size > 0 && now - connection->begun_ms > FRAME_TIMEOUT_MS)
      modbus_cut_off(server, connection, "a request is not complete after a second");
    else if ((double)(now - connection->heard_ms) > 1000 * server->def.idle_timeout_s)
      modbus_cut_off(server, connection, "it has been silent for modbus.idle_timeout_s");
  }
}

void modbus_server_serve(struct modbus_server *server, const struct frame *frame,
                         void (*on_command)(void *context, const struct command *command), void *context) {
  const struct modbus_inbox inbox = {frame, {server->gate, frame->output.step, on_command, context}};
  struct epoll_event events[MODBUS_CONNECTIONS + NETWORKS];
  server->delivering = &inbox;
  networks_deliver(server->networks, server);
  server->delivering = NULL;
  int count = epoll_wait(server->events, events, MODBUS_CONNECTIONS + NETWORKS, 0),
      connections_wait[NETWORKS] = {0};
  for (int i = 0; i < count; i++) {
    uint32_t slot = events[i].data.u32;
    if (slot >= LISTENER_SLOT)
      connections_wait[slot - LISTENER_SLOT] = 1;
    else if (server->connection[slot].file >= 0)
      modbus_connection_serve(server, &server->connection[slot], &inbox);
  }
  for (int i = 0; i < NETWORKS; i++)
    if (connections_wait[i]) // last, because a new connection may replace one of those above
      accept_connections(server, i);
  check_times(server);
}

void modbus_server_begin_session(struct modbus_server *server, const struct loop_target *target) {
  if (!server)
    return;
  server->target = target;
  networks_forget(server->networks, server); // what a fault delays belongs to the session before
  for (int i = 0; i < MODBUS_CONNECTIONS; i++) {
    struct modbus_connection *connection = &server->connection[i];
    int waiting = 0;
    if (connection->file >= 0 && ioctl(connection->file, FIONREAD, &waiting) == 0)
      connection->of_before = connection->size + (size_t)waiting;
  }
}
