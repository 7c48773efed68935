// Receives thruster commands as TRC sentences and alarms as ALF sentences by UDP and serial lines. The TRC
// sentences of one datagram make one command, on a serial line each does; a command brings the alarms that
// its sender has reported. One thread owns the inputs; no call blocks, and each does a bounded amount of
// work.
#pragma once

#include "sagbend/rig/names.h"
#include "net/buses/nmea_def.h"
#include "net/gate/bus_master.h"

struct nmea_inputs;

struct nmea_session {
  const struct nmea_def *def;
  const struct thruster_setpoint *setpoints; // that act at the start, one for each thruster
  const struct hil_names *names;             // thrusters with their full revolutions, sources of alarms
  struct gate *gate;                         // its counters and events too
};

// Opens all inputs. A missing serial device is an error here; one that disappears later is waited for.
// STATUS_BAD_INPUT: others than this machine could send, and senders is empty; STATUS_IO: the system refuses.
enum status nmea_inputs_open(const struct nmea_session *session, struct nmea_inputs **out,
                             struct reason *why);
void nmea_inputs_close(struct nmea_inputs *inputs); // accepts NULL

int nmea_inputs_file(const struct nmea_inputs *inputs); // readable when nmea_inputs_serve has work
int nmea_inputs_count(const struct nmea_inputs *inputs);
struct nmea_place nmea_inputs_place(const struct nmea_inputs *inputs, int index); // "UDP 127.0.0.1:10120"

// Takes what has come. current_step, on_command: as of server_poll (net/server/server.h).
void nmea_inputs_serve(struct nmea_inputs *inputs, uint64_t current_step,
                       void (*on_command)(void *context, const struct command *command), void *context);

// Another session begins: what waits was meant for the one before, and is refused. inputs NULL: does nothing.
void nmea_inputs_begin_session(struct nmea_inputs *inputs);

// Takes bytes as one datagram of this sender, for tests.
void nmea_inputs_take(struct nmea_inputs *inputs, struct bus_master *master, const char *data, size_t size,
                      const struct bus_inbox *inbox);
