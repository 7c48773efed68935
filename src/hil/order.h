// An operator's order: what it may be (orders.inc), how it is checked and how it reads. The same struct is
// asked for, sent, checked, taken by the loop, logged and replayed.
#pragma once

#include "core/signals/tensioner_order.h"
#include "core/signals/track_order.h"
#include "hil/instruments/fault.h"
#include "hil/names.h"
#include "hil/run_mode.h"

#include <stddef.h>

// What an order carries, and the members of struct order that contain it. Every switch over payloads names
// all of them, so that the compiler finds what a new one lacks.
enum order_payload {
  PAYLOAD_NOTHING,
  PAYLOAD_NAME,      // name
  PAYLOAD_SNAPSHOT,  // name: that of a snapshot, a part of a file name
  PAYLOAD_RATE,      // rate
  PAYLOAD_SET_POINT, // setpoint
  PAYLOAD_TENSIONER, // tensioner
  PAYLOAD_TRACK,     // track
  PAYLOAD_THRUSTER,  // name: of a thruster; fault: its emergency stop
  PAYLOAD_FAULT,     // name, duration_s, request, fault
  PAYLOAD_TEXT,      // text; the order is an event of its own name
  PAYLOAD_LIST,      // manager.first
  PAYLOAD_FILE,      // manager.name
  PAYLOAD_PIECE      // manager
};

// What an order acts on. The first three are logged with the step from which on they act, and replayed.
enum order_effect {
  EFFECT_LOOP,   // the steps
  EFFECT_RUN,    // when steps are made, and of which session
  EFFECT_GATE,   // whose commands are accepted
  EFFECT_ASK,    // nothing: a question
  EFFECT_MANAGER // a session manager, to which alone it is sent
};

#define ORDER(ID, word, number, payload, effect, arguments, help) ORDER_##ID = (number),
enum order_kind { // numbered as the fields of the message Order
  ORDER_NONE,
#include "hil/orders.inc"
};
#undef ORDER

struct order_row {
  enum order_kind kind;
  const char *word;
  enum order_payload payload;
  enum order_effect effect;
  const char *arguments, *help;
};
extern const struct order_row ORDER_ROWS[];
extern const int ORDER_ROW_COUNT;
const struct order_row *order_row(enum order_kind kind); // NULL: a kind outside of the table
const struct order_row *order_called(const char *word);  // NULL: there is none
const char *order_word(enum order_kind kind);            // "" for a kind outside of the table
enum order_payload order_payload(enum order_kind kind);  // PAYLOAD_NOTHING for a kind outside of the table
int order_is_of_session(enum order_kind kind);           // 1: logged and replayed
int order_is_question(enum order_kind kind);             // 1: to be asked any number of times

// The name by which a CLEAR ends every ordered fault.
#define ALL_FAULTS "all"

enum {
  ORDER_OPERATOR = 64, // bytes of the name of an operator, with its final zero
  ORDER_FILE = 128,    // of the name of a case or of a log
  ORDER_TEXT = 161,    // of the text of a note
  ORDER_SAID = 192     // of what order_text writes
};

// Largest values of a set-point that an order gives.
#define MAX_SETPOINT_M   1e6
#define MAX_SETPOINT_RAD 7.0

struct order_setpoint { // what is not given keeps its value
  int given[3];
  double value[3]; // north, east in m, heading in rad
  int is_far;      // nonzero: it may be further from the present target than the outer watch circle
};

struct manager_order {
  char name[ORDER_FILE]; // of a case or a log
  uint32_t first;        // of the entries of a list that are asked for, from 0
  uint64_t offset;       // of the piece of the log: its bytes, or
  uint32_t size;
  int digest; // nonzero: their digest
};

struct order {
  uint64_t number; // counts a session's orders, from 1; 0: not accepted, or a question
  enum order_kind kind;
  char operator_name[ORDER_OPERATOR]; // "": unknown
  char name[SIGNAL_NAME]; // of the fault that it begins, or of the faults that it clears; of the snapshot; of
                          // the controller that takes over, or its number
  double duration_s;      // of the fault; 0: until cleared
  struct fault_request request;        // as the operator gave it
  struct fault fault;                  // what order_find_fault makes of it; its name and since_s are not used
  struct order_setpoint setpoint;      // at least one of the three is given
  double rate;                         // simulated seconds in one second of the wall clock
  struct tensioner_setpoint tensioner; // not given: it releases the tensioner
  struct track_order track;
  char text[ORDER_TEXT]; // a note
  struct manager_order manager;
};

const char *order_giver(const struct order *order); // name of the operator, for people

// Checks what an order carries by itself, whatever the session: its name, ranges. STATUS_BAD_INPUT names the
// part at fault.
enum status order_check_values(const struct order *order, struct reason *why);

// Makes the fault of a request, and the request complete; of an emergency stop both. Nothing for other
// orders. STATUS_BAD_INPUT: the session has no such fault or target.
enum status order_find_fault(struct order *order, const struct hil_names *names, struct reason *why);

// What orders of a session must meet.
struct order_rules {
  const struct hil_names *names;
  enum run_mode mode;
  int is_setpoint_fixed;   // nonzero: the set-point is part of the model
  int may_follow_route;    // nonzero: the controller follows a route, or it is not known whether it does
  uint64_t setpoint_order; // number of the set-point that has ended the route; 0: none has
  double target_n_m[2];    // present target
  double outer_circle_m;   // from there, beyond which a set-point must say that it is far; 0: none
  double track_speed_max_mps;
  struct tensioner_rule tensioner;
};

// Checks a numbered order whose values are checked, finds its fault, and names a fault without a name.
// STATUS_BAD_INPUT: why no session with these rules accepts it. What depends on orders before it (faults with
// names, pauses, controllers) is not checked.
enum status order_check(struct order *order, const struct order_rules *rules, struct reason *why);

// What was ordered, for people. names: NULL: the fault of a request is not found yet.
void order_text(const struct order *order, const struct hil_names *names, char out[ORDER_SAID]);
