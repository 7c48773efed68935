// Operations of a lay: a list, one after the other. Each gives the tensioner an order, may turn the tower,
// and ends where its condition holds (sagbend/lay/operations.h).
#pragma once

#include "sagbend/signals/tensioner_order.h"

enum { MAX_OPERATIONS = 64, OPERATION_NAME = 32 };

enum operation_order {
  OPERATION_BRAKE, // the tracks come to rest, then the brake engages
  OPERATION_TENSION,
  OPERATION_SPEED,
  OPERATION_MOVE, // the tracks move a length and come to rest at its end, then the brake engages; as often as
                  // the operation has moves
  OPERATION_ORDER_COUNT
};

enum operation_end {
  OPERATION_STAYS,    // it has no end but that of its moves and of its turn; without both it goes on
  OPERATION_TIME,     // since it began, s
  OPERATION_PAID_OUT, // length paid out since the start, m: passed from the side on which it was
  OPERATION_SECTION,  // pipe of this type comes through the hang-off
  OPERATION_FORCE,    // force of the tensioner, N: passed from the side on which it was
  OPERATION_WAY,      // way of the hang-off along the route, m
  OPERATION_END_COUNT
};

struct operation {
  char name[OPERATION_NAME];
  enum operation_order order;
  double tension_n; // OPERATION_TENSION
  double speed_mps; // OPERATION_SPEED, negative: back; OPERATION_MOVE: > 0
  double length_m;  // OPERATION_MOVE: of each, negative: back
  int moves;        // OPERATION_MOVE: how many
  double pause_s;   // OPERATION_MOVE: at rest after each
  int turns;        // 1: the tower turns
  double turn_rad;  // since the statics, upwards, at the end of the turn
  double turn_s;    // time of the turn, from the beginning of the operation
  enum operation_end end;
  double end_value; // s, m or N
  int end_type;     // OPERATION_SECTION: 0 the line pipe, k > 0: types[k - 1]
  double limit_s;   // time after which it is overdue; 0: none
};

struct operations_def {
  int count; // 0: none
  struct operation operation[MAX_OPERATIONS];
};
