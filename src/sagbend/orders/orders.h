// Orders of an operator: the table of what may be ordered, how an order is checked and how it reads.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/faults/faults.h"
#include "sagbend/signals/signals.h"

#include <stdint.h>

// How simulated time relates to the wall clock.

enum run_mode {
  RUN_REALTIME, // one simulated second takes one second of the wall clock
  RUN_LOCKSTEP, // each control period waits for the controller's answer to its sensors
  RUN_FAST      // as fast as the processor steps, with the controller inside the program or none
};

// ------------------------------------------------------------
// An operator's order: what it may be (ORDER_TABLE), how it is checked and how it reads. The same struct is
// asked for, sent, checked, taken by the loop, logged and replayed.

// What an order carries: identifier, how it is carried, what is checked of it, members of struct order that
// contain it. Each name stands for functions, without which a row does not compile: of the first text_NAME
// (orders.c), fill_NAME and read_NAME (net/messages/orders.c) and words_NAME
// (sagbend/engine/order_words.c); of the second check_NAME and check_session_NAME (orders.c).
#define PAYLOAD_TABLE(X)                                                                                     \
  X(NOTHING, nothing, nothing)                                                                               \
  X(NAME, name, name)         /* name */                                                                     \
  X(SNAPSHOT, name, snapshot) /* name: that of a snapshot, a part of a file name */                          \
  X(RATE, rate, rate)         /* rate */                                                                     \
  X(SETPOINT, setpoint, setpoint)                                                                            \
  X(TENSIONER, tensioner, tensioner)                                                                         \
  X(TRACK, track, track)                                                                                     \
  X(THRUSTER, name, thruster) /* name: of a thruster; fault: its emergency stop */                           \
  X(FAULT, fault, fault)      /* name, duration_s, request, fault */                                         \
  X(TEXT, text, text)         /* text; the order is an event of its own name */                              \
  X(LIST, list, nothing)      /* manager.first */                                                            \
  X(FILE, file, file)         /* manager.name */                                                             \
  X(PIECE, piece, file)       /* manager */

#define PAYLOAD_ROW(ID, carried, checked) PAYLOAD_##ID,
enum order_payload { PAYLOAD_TABLE(PAYLOAD_ROW) };
#undef PAYLOAD_ROW

// What an order acts on. The first three are logged with the step from which on they act, and replayed.
enum order_effect {
  EFFECT_LOOP,   // the steps
  EFFECT_RUN,    // when steps are made, and of which session
  EFFECT_GATE,   // changes the controller whose commands are accepted
  EFFECT_ASK,    // nothing: a question
  EFFECT_MANAGER // a session manager, to which alone it is sent
};

// What an operator may order. One row is all that codec, log, replay, server and `sagbend ctl` need to know
// of an order. Help and man page list the rows in this order, that of use.
//
//   X(id, word, number, payload, effect, present, arguments, help)
//
// number: of its field in the message Order; a new order takes the next free one. effect: what it acts on,
// with what does it, without which the row does not compile: LOOP, a function of closed_loop.c; RUN, a row of
// run/host/step_thread.c; GATE and ASK, functions of net/server/server_orders.c; MANAGER, one of
// run/serve/serve.c. present: ALWAYS; IF with the function of sagbend/engine/engine.c that checks what
// depends on orders before it; AT_GATE with the one of server_orders.c that checks what depends on who is
// connected. arguments: behind the word, as `sagbend ctl` reads them. help: a sentence without its full stop.
#define ORDER_TABLE(X)                                                                                       \
  X(STATUS, "status", 14, NOTHING, ASK(answer_status), ALWAYS, "", "Print the state of the session")         \
  X(FAULT, "fault", 3, FAULT, LOOP(begin_fault), IF(check_fault),                                            \
    "KIND [--target NAME|all] [--for S] [--name NAME] [--PARAMETER VALUE ...]", "Begin a fault")             \
  X(CLEAR, "clear", 4, NAME, LOOP(clear_faults), IF(check_clear), "NAME|all",                                \
    "End a fault; the name overrun ends a halt")                                                             \
  X(LIST, "list", 5, NOTHING, ASK(answer_faults), ALWAYS, "", "List the active faults")                      \
  X(SETPOINT, "set-point", 10, SETPOINT, LOOP(take_setpoint), ALWAYS,                                        \
    "[--north M] [--east M] [--heading-deg DEG] [--far]",                                                    \
    "Set the target that the controller holds; what is not given keeps its value. --far: also "              \
    "beyond the outer watch circle around the present target")                                               \
  X(PAUSE, "pause", 7, NOTHING, RUN(PAUSE), IF(check_hold), "",                                              \
    "Stop the steps; simulated time stands still")                                                           \
  X(RESUME, "resume", 8, NOTHING, RUN(RESUME), IF(check_hold), "", "Continue after a pause or a halt")       \
  X(RATE, "rate", 13, RATE, RUN(RATE), ALWAYS, "RATE",                                                       \
    "Set the pace of mode realtime: simulated seconds in one second, 0.05 to 20")                            \
  X(MARK, "mark", 18, TEXT, RUN(MARK), ALWAYS, "TEXT",                                                       \
    "Leave a note of 1 to 160 characters: an event, in the log too")                                         \
  X(STOP, "stop", 6, NOTHING, RUN(STOP), ALWAYS, "", "End the session properly")                             \
  X(TAKE_OVER, "take-over", 15, NAME, GATE(take_over), AT_GATE(check_take_over), "NAME|NUMBER",              \
    "Give the command to a connected controller at once")                                                    \
  X(EMERGENCY_STOP, "emergency-stop", 19, THRUSTER, LOOP(stop_thruster), IF(check_stop), "THRUSTER",         \
    "Stop a thruster at once, whatever it does; clear THRUSTER resets it")                                   \
  X(TENSIONER, "tensioner", 16, TENSIONER, LOOP(take_tensioner), ALWAYS,                                     \
    "brake|tension N|speed MPS|release",                                                                     \
    "Order the tensioner to hold the pipe, a tension in N or a speed in m/s; controllers' orders "           \
    "are not followed until release")                                                                        \
  X(TRACK, "track", 17, TRACK, LOOP(take_track), ALWAYS, "stop|go|speed MPS",                                \
    "Order a controller on a route to come to rest on it, to continue, or to keep another speed in "         \
    "m/s")                                                                                                   \
  X(SNAPSHOT, "snapshot", 11, SNAPSHOT, RUN(SNAPSHOT), ALWAYS, "NAME", "Save the state under a name")        \
  X(RESTORE, "restore", 12, SNAPSHOT, RUN(RESTORE), ALWAYS, "NAME",                                          \
    "Begin a new session at the state of a snapshot")                                                        \
  X(RESET, "reset", 9, NOTHING, RUN(RESET), ALWAYS, "", "Begin a new session at the initial state")          \
  X(CASES, "cases", 20, LIST, MANAGER(list_cases), ALWAYS, "",                                               \
    "Session manager: list the cases, with the first error of each")                                         \
  X(LOAD, "load", 21, FILE, MANAGER(load), ALWAYS, "NAME", "Session manager: choose a case")                 \
  X(START, "start", 22, NOTHING, MANAGER(start), ALWAYS, "", "Session manager: start a session of the case") \
  X(LOGS, "logs", 23, LIST, MANAGER(list_logs), ALWAYS, "",                                                  \
    "Session manager: list the logs, the newest first")                                                      \
  X(FETCH, "fetch", 24, PIECE, MANAGER(fetch_log), ALWAYS, "LOG FILE",                                       \
    "Session manager: copy a log into a file; an interrupted transfer is resumed")

#define ORDER_ROW(ID, word, number, ...) ORDER_##ID = (number),
enum order_kind { ORDER_NONE, ORDER_TABLE(ORDER_ROW) }; // numbered as the fields of the message Order
#undef ORDER_ROW

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
  double outer_circle_m;   // from there, beyond which a set-point must be marked as far; 0: none
  double track_speed_max_mps;
  struct tensioner_rule tensioner;
};

// Checks a numbered order whose values are checked, finds its fault, and names a fault without a name.
// STATUS_BAD_INPUT: why no session with these rules accepts it. What depends on orders before it (faults with
// names, pauses, controllers) is not checked.
enum status order_check(struct order *order, const struct order_rules *rules, struct reason *why);

// What was ordered, for people. names: NULL: the fault of a request is not found yet.
void order_text(const struct order *order, const struct hil_names *names, char out[ORDER_SAID]);
