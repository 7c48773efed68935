// One connection: collects frames without waiting.
#include "io/bus/modbus_parts.h"

#include "io/net/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void modbus_connection_close(struct modbus_server *server, struct modbus_connection *connection) {
  struct modbus_client *client = &server->client[connection->client];
  close(connection->file); // leaves the event loop, too
  connection->file = -1;
  server->gate->counts.buses.modbus_connections--;
  if (--client->connections == 0)
    bus_master_leave(&client->master, server->gate);
}

void modbus_cut_off(struct modbus_server *server, struct modbus_connection *connection, const char *why) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text, "%s: a connection is closed: %s",
           server->client[connection->client].master.name, why);
  server->gate->counts.buses.modbus_cut_off++;
  server->gate->on_event(server->gate->context, "modbus_cut_off", text);
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
    if (!modbus_answer(server, connection, size, inbox))
      return "it does not read its answers";
    connection->heard_ms = connection->begun_ms = clock_ms();
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
