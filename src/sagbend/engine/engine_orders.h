// Which orders a session accepts: by its configuration, and by the orders before.
#pragma once

#include "sagbend/engine/setup.h"
#include "sagbend/rig/rig.h"

// What the configuration allows. hold_b: the wrench held at the start (config_command_rules). Order number of
// the set-point and present target are the caller's to fill in.
struct order_rules engine_order_rules(const struct config *config, const double hold_b[6]);

// What is in effect, and what has been accepted and is not in effect yet.
struct orders_present {
  const struct fault_set *faults;
  int orders_active; // ordered faults in effect
  int is_held;       // no steps are made
  int is_halted;     // because the run has halted by itself (simulation.overrun)
  const struct order *pending;
  int pending_count;
};

// Whether the order fits them. To clear the name of a halt becomes the order to resume.
enum status order_check_present(const struct orders_present *present, struct order *order,
                                struct reason *why);
