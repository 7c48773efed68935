// Private to the server: modbus_server.c accepts, collects frames and closes, modbus_answer.c answers them.
#pragma once

#include "net/buses/modbus_request.h"
#include "net/buses/modbus_server.h"
#include "net/zmtp/endpoint.h"

enum { FRAME_TIMEOUT_MS = 1000 };

struct modbus_client { // a host; all its connections are one master
  uint32_t address;    // host byte order
  int connections;     // 0: this place is free
  struct bus_master master;
};

struct modbus_connection {
  int file;          // -1: this place is free
  int client;        // index of clients
  int64_t heard_ms;  // newest answered request, or the connection's begin
  int64_t begun_ms;  // of an incomplete frame
  uint64_t requests; // answered without an exception
  size_t of_before;  // bytes still to be answered that came before this session began
  uint8_t data[MODBUS_FRAME];
  size_t size;
};

struct modbus_server {
  struct modbus_def def;
  struct modbus_map map;
  struct gate *gate;
  const struct loop_target *target;
  struct bus_image image;
  double beat;
  struct listener listener;
  int events;  // epoll
  int accepts; // the listener is in the event loop
  int64_t next_accept_ms, next_check_ms;
  struct modbus_connection connection[MODBUS_CONNECTIONS];
  struct modbus_client client[MODBUS_CONNECTIONS];
};

struct modbus_inbox {
  const struct frame *frame;
  struct bus_inbox bus;
};

// Answers one complete frame. Returns 0 if the client does not take the whole answer.
int modbus_answer(struct modbus_server *server, struct modbus_connection *connection, int size,
                  const struct modbus_inbox *inbox);

// Reads once and answers what is complete; may close the connection.
void modbus_connection_serve(struct modbus_server *server, struct modbus_connection *connection,
                             const struct modbus_inbox *inbox);
void modbus_connection_close(struct modbus_server *server, struct modbus_connection *connection);
