// What a command works on: configuration, DP file and simulator, loaded with every complaint on stderr.
#pragma once

#include "cli/options.h"
#include "core/signals/command.h"
#include "core/sim/sim.h"
#include "io/config/config.h"

struct session {
  struct config config;
  struct dp_config dp;
  int has_dp;    // the configuration names a DP file, and it is in dp
  char *dp_text; // its text as parsed; owned. NULL: no DP file
  void *sim_mem;
  struct sim *sim; // NULL until session_create_sim
  void *sensor_suite_mem;
  struct sensor_suite suite; // beside sim
};

// Both return -1 to go on, otherwise the exit status. Release with session_free in either case.
int session_load(struct session *s, const struct options *o);
int session_create_sim(struct session *s);
struct reason
session_unstable_text(const struct statics_report *r); // of one that left an unstable equilibrium
int session_make_id(char id[17]);                      // a random name, never used before
void session_free(struct session *s);

// Where the controller is to hold the vessel: north, east in m, heading in rad. 0: the configuration does not
// tell.
int session_setpoint(const struct session *s, double setpoint[3]);

// The rules of the command latch; needs the simulator for its hold wrench.
struct command_def session_command_def(const struct session *s);
