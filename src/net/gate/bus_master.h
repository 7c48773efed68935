// A master on a field bus: a controller without messages of the protocol. It writes values, and each accepted
// write becomes one command that names every thruster which this master has written since it joined, and
// contains the tensioner's order if it has written that. A
// command replaces the one before it in the same step, so it must be complete. A repeated value and a
// heartbeat make a command too: they show that the master is alive.
#pragma once

#include "net/gate/gate.h"

// Bit of a set of thrusters that stands for the tensioner.
#define BUS_TENSIONER (UINT32_C(1) << 31)

// Of a set-point that came before the session began.
#define BUS_OF_BEFORE "it came before this session began, and was meant for the one before"

// What a bus last accepted; it keeps the values that a write leaves out.
struct bus_image {
  int thruster_count;
  struct thruster_setpoint setpoint[MAX_THRUSTERS];
  struct tensioner_setpoint tensioner; // mode, and the set-points of all modes
  int standby;                         // 1: commands ask for nothing
};

struct bus_master {
  char name[GATE_NAME];        // of the controller, such as "modbus:10.0.0.5"
  uint64_t number;             // of the controller at the gate; 0: it has not joined
  struct dp_alarm_list alarms; // that it has reported as in force: each of its commands brings them
  uint32_t written;            // thrusters that it has written, one bit each, and BUS_TENSIONER
};

// Where a write goes.
struct bus_inbox {
  struct gate *gate;
  uint64_t current_step; // the newest step published
  void (*on_command)(void *context, const struct command *command);
  void *context;
};

// Place of the master at the gate; -1: it has not joined, or has been forgotten.
int bus_master_place(const struct bus_master *master, const struct gate *gate);
// It has sent something. Of one that the gate has forgotten meanwhile nothing is kept.
void bus_master_heard(struct bus_master *master, struct gate *gate);
void bus_master_leave(struct bus_master *master, struct gate *gate); // its connection has gone

// A write that leads from *image to *next and writes these thrusters. The master joins if necessary. Returns
// REFUSAL_COUNT: accepted; *image is *next, and on_command has been called. Otherwise the reason, which has
// been counted and reported with why.
enum refusal bus_master_write(struct bus_master *master, struct bus_image *image,
                              const struct bus_image *next, uint32_t thrusters, uint64_t based_on_step,
                              const struct bus_inbox *inbox, struct reason *why);

// A write with a value that cannot be used: counts and reports it. The master joins if necessary.
enum refusal bus_master_refuse(struct bus_master *master, enum refusal reason, const struct bus_inbox *inbox,
                               const struct reason *why);
