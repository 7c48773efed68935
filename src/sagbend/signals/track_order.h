// Orders of an operator for the route that a controller follows.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/base/base.h"

#include <stdint.h>

// Speeds that a route may have, m/s.
#define TRACK_SPEED_MIN 0.001
#define TRACK_SPEED_MAX 10.0

enum track_order_kind { TRACK_ORDER_STOP, TRACK_ORDER_GO, TRACK_ORDER_SPEED };

struct track_order {
  enum track_order_kind kind;
  double speed_mps; // TRACK_ORDER_SPEED
};

// What is in force after all orders. Zero: none has come.
struct track_orders {
  uint64_t is_stopped;
  double speed_mps; // 0: that of the DP file
};

// Takes an order over: stop and go leave the speed as it is, a speed leaves a stop as it is.
void track_orders_take(struct track_orders *orders, const struct track_order *order) NONBLOCKING;

// STATUS_BAD_INPUT: the order is refused. most_mps: largest speed that the vessel permits.
enum status track_order_check(const struct track_order *order, double most_mps, struct reason *why);

// Whether orders from a file are well formed (sagbend/base/base.h).
int track_orders_are_valid(const struct track_orders *orders, struct reason *why);
