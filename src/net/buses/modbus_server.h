// A Modbus TCP server: the registers of the map, read from the newest frame, and written set-points, which
// become commands at the gate. Frames are collected without blocking, and checked whole before anything is
// answered. One thread owns a server; no call blocks, and each does a bounded amount of work.
#pragma once

#include "net/buses/modbus_map.h"
#include "net/gate/bus_master.h"

struct modbus_server;

struct modbus_session { // borrowed until modbus_server_close
  const struct modbus_def *def;
  const struct hil_names *names;
  const struct loop_target *target;          // for quantities
  const struct thruster_setpoint *setpoints; // that act at the start, one for each thruster
  struct gate *gate;                         // its counters and events too
};

// Listens at the endpoint. STATUS_BAD_INPUT: the endpoint is not valid here, or others than this machine
// could connect and def->clients is empty; STATUS_IO: it is in use, or the system refuses.
enum status modbus_server_open(const struct modbus_session *session, struct modbus_server **out,
                               struct reason *why);
void modbus_server_close(struct modbus_server *server); // accepts NULL
// Another session begins, with this target. Set-points that have come before are refused, with the exception
// server busy. server NULL: does nothing.
void modbus_server_begin_session(struct modbus_server *server, const struct loop_target *target);

const char *modbus_server_endpoint(const struct modbus_server *server); // as bound, with the port chosen
int modbus_server_file(const struct modbus_server *server); // readable when modbus_server_serve has work

// Accepts connections and answers requests with the values of this frame. on_command: as of server_poll
// (net/server/server.h).
void modbus_server_serve(struct modbus_server *server, const struct frame *frame,
                         void (*on_command)(void *context, const struct command *command), void *context);
