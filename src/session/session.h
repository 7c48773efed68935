// A session: configuration, DP file, simulator and instruments, as the commands run, replay, statics and
// check load them. It opens no sockets and writes no files.
#pragma once

#include "cli/options.h"
#include "core/signals/command.h"
#include "core/sim/sim.h"
#include "io/config/config.h"
#include "io/files/file_claims.h"

#include <stdio.h>

struct session {
  struct config config;
  struct dp_config dp; // valid if has_dp
  int has_dp;          // the configuration names a DP file
  char *dp_text;       // its text as parsed; owned. NULL: no DP file
  void *sim_mem;
  struct sim *sim; // NULL until session_create_sim
  void *sensor_suite_mem;
  struct sensor_suite suite; // created with sim
};

// Loads configuration and DP file. STATUS_BAD_INPUT after a line on errors for each error in them.
// Release with session_free in every case.
enum status session_load(struct session *session, const struct options *options, FILE *errors);

// Whether the mode suits the configuration. STATUS_BAD_INPUT: the run would have no controller.
enum status session_check_mode(const struct session *session, const char *path, struct reason *why);

// Creates the simulator, at its static equilibrium, and the instruments. The reason begins with the name of
// the configuration.
enum status session_create_sim(struct session *session, struct reason *why);

// Adds all files that the command reads and writes to claims: those of the command line, those that the
// configuration names.
enum status session_claim(const struct session *session, enum command_id command, const struct options *o,
                          struct file_claims *claims, struct reason *why);

void session_free(struct session *session);

// Warning for statics that left an unstable equilibrium (report->unstable_left).
struct reason session_unstable_text(const struct statics_report *report);

// A random session name: 16 hexadecimal digits.
enum status session_make_id(char id[17], struct reason *why);

// Set-point of the controller: north, east in m, heading in rad. 0: the configuration has none.
int session_setpoint(const struct session *session, double setpoint[3]);

// Rules of the command latch. Needs the simulator, at its first step: the hold wrench comes from its statics.
struct command_def session_command_def(const struct session *session);
