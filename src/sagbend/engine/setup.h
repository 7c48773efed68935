// What a simulation is made of: configuration and DP file (setup), simulator and instruments (plant). Nothing
// here prints, opens sockets or writes files.
#pragma once

#include "sagbend/sim/sim.h"
#include "sagbend/case/config.h"

struct setup {
  struct config config;
  struct dp_config dp;          // valid if has_dp
  int has_dp;                   // the configuration names a DP file
  char *dp_text;                // its text as parsed; owned. NULL: no DP file
  struct config_files dp_files; // that it extends; owned
};

// The simulator and its instruments. Several can be made of one setup.
struct plant {
  void *sim_mem;
  struct sim *sim; // NULL: not created
  void *suite_mem;
  struct sensor_suite suite; // created with sim
};

// Reads configuration and DP file; a text without a pool keeps the path of its DP file. STATUS_BAD_INPUT
// after each error has gone to errors. Release with setup_free in every case.
enum status setup_read(struct setup *setup, const struct config_request *request,
                       const struct error_sink *errors);

// Whether the mode suits the configuration. STATUS_BAD_INPUT: the run would have no controller.
enum status setup_check_mode(const struct setup *setup, const char *path, struct reason *why);

// Creates the simulator, at its static equilibrium, and the instruments. The reason begins with the name of
// the configuration; where the equilibrium rules out the route, each error goes to errors as well (NULL:
// nowhere). Release with plant_free in every case.
enum status plant_create(struct plant *plant, const struct setup *setup, const struct error_sink *errors,
                         struct reason *why);

// The same beside a plant of the same setup, whose equilibrium serves while it has made no step.
enum status plant_create_beside(const struct plant *first, struct plant *plant, const struct setup *setup,
                                struct reason *why);
void plant_free(struct plant *plant);

void setup_free(struct setup *setup);

// Warning for statics that left an unstable equilibrium (report->unstable_left).
struct reason plant_unstable_text(const struct statics_report *report);

// Set-point of the controller: north, east in m, heading in rad. 0: the configuration has none.
int setup_setpoint(const struct setup *setup, double setpoint[3]);

// Rules of the command latch. Needs the simulator, at its first step: the hold wrench comes from its statics.
struct command_def setup_command_def(const struct setup *setup, const struct sim *sim);
