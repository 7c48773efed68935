// What an operator may order, and an order as the loop takes it.
#pragma once

#include "core/signals/tensioner_order.h"
#include "core/signals/track_order.h"
#include "hil/fault.h"

// What an operator may order: enumerator, number of its field in the messages Order and OrderUsed, what it
// carries. Codec, log and replay follow the table; a new order takes the next free number. Orders of a
// session: logged with the step from which on they act, and replayed.
#define SESSION_ORDERS(X)                                                                                    \
  X(FAULT, 3, FAULT)                                                                                         \
  X(CLEAR, 4, NAME) /* of a fault; "all": of every ordered fault */                                          \
  X(STOP, 6, NOTHING)                                                                                        \
  X(PAUSE, 7, NOTHING)                                                                                       \
  X(RESUME, 8, NOTHING)                                                                                      \
  X(RESET, 9, NOTHING)                                                                                       \
  X(SET_POINT, 10, SET_POINT)                                                                                \
  X(SNAPSHOT, 11, SNAPSHOT)                                                                                  \
  X(RESTORE, 12, SNAPSHOT)                                                                                   \
  X(RATE, 13, RATE)                                                                                          \
  X(TAKE_OVER, 15, NAME) /* of a controller; changes which commands are accepted, not the loop */            \
  X(TENSIONER, 16, TENSIONER)                                                                                \
  X(TRACK, 17, TRACK)
// Questions: answered, not logged.
#define QUESTION_ORDERS(X)                                                                                   \
  X(LIST, 5, NOTHING)                                                                                        \
  X(STATUS, 14, NOTHING)
// To a session manager only.
#define MANAGER_ORDERS(X)                                                                                    \
  X(CASES, 20, MANAGER)                                                                                      \
  X(LOAD, 21, MANAGER)                                                                                       \
  X(START, 22, MANAGER)                                                                                      \
  X(LOGS, 23, MANAGER)                                                                                       \
  X(FETCH, 24, MANAGER)
#define X(ID, number, carries) ORDER_##ID = (number),
enum order_kind { ORDER_NONE, SESSION_ORDERS(X) QUESTION_ORDERS(X) MANAGER_ORDERS(X) };
#undef X

enum order_carries {
  CARRIES_NOTHING,
  CARRIES_NAME,
  CARRIES_SNAPSHOT, // the name of a snapshot, a part of a file name
  CARRIES_RATE,
  CARRIES_SET_POINT,
  CARRIES_TENSIONER,
  CARRIES_TRACK,
  CARRIES_FAULT,
  CARRIES_MANAGER
};
enum order_carries order_carries(enum order_kind kind); // CARRIES_NOTHING for a kind outside of the table
int order_is_of_session(enum order_kind kind);          // 1: one of SESSION_ORDERS

// The name by which a CLEAR ends every ordered fault.
#define ALL_FAULTS "all"

enum { ORDER_OPERATOR = 64 }; // bytes of the name of an operator, with its final zero

// Largest values of a set-point that an order gives.
#define MAX_SETPOINT_M   1e6
#define MAX_SETPOINT_RAD 7.0

// An order, checked on arrival (hil/names.h).
struct order {
  uint64_t number; // counts a session's orders, from 1
  enum order_kind kind;
  char name[SIGNAL_NAME]; // name of the fault that it begins, or of the faults that it clears; of the
                          // snapshot; of the controller that takes over
  double duration_s;      // 0: until cleared
  struct fault fault;     // its name and since_s are not used
  int setpoint_given[3];  // ORDER_SET_POINT: which of the three change
  double setpoint[3];     // north, east in m, heading in rad
  double rate;            // ORDER_RATE: simulated seconds in one second of the wall clock
  struct tensioner_setpoint tensioner; // ORDER_TENSIONER; not given: it releases the tensioner
  struct track_order track;            // ORDER_TRACK
  char operator_name[ORDER_OPERATOR];
};
