// Orders for a tensioner: of the configuration's programme, of a controller, of an operator.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/base/base.h"

enum tensioner_mode { TENSIONER_BRAKE, TENSIONER_TENSION, TENSIONER_SPEED, TENSIONER_MODE_COUNT };
const char *tensioner_mode_name(int mode); // "brake", "tension", "speed"; "unknown" otherwise

// Who gave the order in force. An order of a later one goes before those of the earlier ones.
enum tensioner_source {
  TENSIONER_BY_PROGRAMME,
  TENSIONER_BY_CONTROLLER,
  TENSIONER_BY_OPERATOR,
  TENSIONER_SOURCE_COUNT
};
const char *tensioner_source_name(int source); // "programme", "controller", "operator"

struct tensioner_setpoint {
  int given; // 0: no order
  enum tensioner_mode mode;
  double tension_n; // TENSIONER_TENSION, > 0
  double speed_mps; // TENSIONER_SPEED: of the tracks, negative: recovery
};

// What orders must meet.
struct tensioner_rule {
  int present;           // 0: the vessel has no tensioner that follows orders
  int from_controllers;  // 1: controllers may give orders
  int from_operators;    // 1: operators may
  int brakes_on_silence; // 1: it brakes while a controller whose order is in force is silent
  double tension_min_n;  // smallest set-point, above 0: half of the dead band
  double tension_max_n;  // largest set-point
  double speed_max_mps;  // out and back
};

// STATUS_BAD_INPUT: the order is refused, for the reason in why. An order that is not given is good.
enum status tensioner_setpoint_check(const struct tensioner_rule *rule, enum tensioner_source source,
                                     const struct tensioner_setpoint *order, struct reason *why) NONBLOCKING;

// Whether an order from a file is well formed (sagbend/base/base.h).
int tensioner_setpoint_is_valid(const struct tensioner_setpoint *order, struct reason *why);

// Faults of a tensioner in a step. Zero: none.
struct tensioner_switches {
  double brake_lost, grip_lost; // shares of what brake and grip hold that are missing, 0 to 1
  int runs_away;                // 1: the tracks move at runaway_mps, whatever is ordered
  double runaway_mps;           // positive: pays out
};

// What comes to a tensioner for a step. Zero: nothing, no failures.
struct tensioner_input {
  struct tensioner_setpoint by_operator;
  int is_released; // 1: after that, the operator gives it back to the others
  struct tensioner_setpoint by_controller;
  struct tensioner_switches switches;
};
