// Inside of the library: handles, errors, the table of variables.
#pragma once

#include "sagbend/engine/engine.h"
#include "sagbend/journal/journal.h"
#include "sagbend/sagbend.h"

#include <stdatomic.h>

// ---- Errors ----

sagbend_status sagbend_status_of(enum status status);
sagbend_status sagbend_fail(sagbend_error *out, sagbend_status status, const char *text);
void sagbend_error_of(const struct error_report *report, sagbend_error *out); // fills all of *out
// Copies as much as the caller's struct has room for. 0: its size is not one.
int sagbend_copy_out(void *out, const void *full, size_t full_size);

// ---- Variables ----

// Where a value comes from, or goes.
enum source_kind {
  FROM_TIME,
  FROM_QUANTITY,
  FROM_READING,
  FROM_READING_VALID,
  FROM_READING_TIME,
  FROM_READING_NUMBER,
  FROM_FEEDBACK,
  FROM_POWER,
  FROM_BUS,
  FROM_GENERATOR,
  FROM_TIE,
  FROM_LINK,
  FROM_WORK,
  FROM_LOSS,
  FROM_INITIAL_ENERGY,
  FROM_RESIDUAL,
  TO_ENGAGED,
  TO_WRENCH,
  TO_THRUSTER,
  TO_TENSIONER,
  TO_LINK // of a controller alone
};
// Channels of FROM_FEEDBACK, FROM_BUS and FROM_GENERATOR.
enum {
#define FEEDBACK(id, ...) FEEDBACK_##id,
#include "sagbend/signals/feedback.inc"
  FEEDBACK_COUNT
};
enum {
#define BUS(id, ...) BUS_##id,
#include "sagbend/signals/feedback.inc"
  BUS_COUNT
};
enum {
#define GENERATOR(id, ...) GENERATOR_##id,
#include "sagbend/signals/feedback.inc"
  GENERATOR_COUNT
};
enum {
  LINK_STEP,
  LINK_TIME,
  LINK_LOST,
  LINK_ANSWERED,
  LINK_AZIMUTH,
  LINK_SETPOINT_ORDER,
  LINK_SETPOINT_NORTH,
  LINK_SETPOINT_EAST,
  LINK_SETPOINT_HEADING,
  LINK_TRACK_ORDER,
  LINK_TRACK_STOPPED,
  LINK_TRACK_SPEED,
  LINK_VALUES
};

struct variable {
  uint32_t id;
  int kind, type, flags;
  enum source_kind source;
  int index, channel;
  char name[80];
  const char *unit, *meaning;
  double least, most;
};

// All of a case, sorted by number.
struct variables {
  size_t count;
  struct variable *row;
};

// Inputs, as they were last set. Part of a snapshot. Of a controller alone the command that it gives, and
// what it was told by link.
enum { INPUT_COMMANDED, INPUT_ENABLE, INPUT_RPM, INPUT_PITCH, INPUT_AZIMUTH, THRUSTER_INPUTS };
enum { INPUT_TENSIONER_MODE, INPUT_TENSION, INPUT_SPEED, TENSIONER_INPUTS };
struct inputs {
  uint64_t active; // 1: it has been engaged
  uint64_t sequence, refused;
  double engaged, wrench_b[6];
  double thruster[MAX_THRUSTERS][THRUSTER_INPUTS];
  double tensioner[TENSIONER_INPUTS]; // mode -1: no order
  double link[LINK_VALUES];
};

// The variables of a case, made when its first simulation is opened. STATUS_BAD_INPUT: two have the same
// number. *out is NULL after an error.
enum status variables_make(const struct engine *engine, int controller, struct variables **out,
                           struct reason *why);
void variables_free(struct variables *v);
const struct variable *variable_of(const struct variables *v, uint32_t id);
// The member of the exact state that a controller reads as this variable; 0: none. With instruments it reads
// the wrench alone.
size_t exact_value_of(const struct variable *v, int has_instruments);
double variable_value(const struct variable *v, const struct engine *engine, const struct inputs *inputs,
                      const struct loop_view *view);

void inputs_clear(struct inputs *inputs);
void inputs_set(struct inputs *inputs, const struct variable *v, double value);
// The command that the inputs are at present, and the other way round.
void inputs_command(const struct inputs *inputs, const struct engine *engine, struct command *out);
void inputs_take(struct inputs *inputs, const struct engine *engine, const struct command *command);

// ---- Handles ----

struct sagbend_case {
  struct setup setup;
  int controller;
  sagbend_error *error;
  size_t error_count;
  char **file_path; // of the files that the DP file extends, from the case's folder
  char *path;       // as given
  char **override;  // as given, without the mode
  size_t override_count;
  _Atomic(struct variables *) variables;
};

struct sagbend_sim {
  sagbend_case *c;
  struct sagbend_sim *first; // whose constant parts and start this one shares; NULL: it has its own
  atomic_size_t users;       // of its own ones: this simulation, until it is closed, and those beside it
  struct engine engine;
  struct event_finder finder;
  struct run_event *event;
  size_t event_count, event_room;
  size_t start_events; // those of step 0, which come first
  int has_lost_event;  // out of memory for one
  struct inputs inputs;
  struct reason refused; // why the newest command was
  struct checkpoint_identity identity;
  void *start; // snapshot of step 0; that of first, if there is one
  size_t start_bytes;
  int is_used; // a step has been made, or an order or a state taken, since the start
  struct journal journal;
  struct controller_alone *alone; // NULL: a simulation
};

// ---- Variables of a simulation (values.c) ----

// Whether this is an input and takes this value; error says what was expected.
sagbend_status sim_check_input(const struct variables *all, uint32_t id, double value, sagbend_error *error);
const struct variables *sim_variables(const sagbend_sim *s);
// Whether all of these are numbers of variables, or of inputs.
int sim_are_variables(const sagbend_sim *s, const uint32_t *ids, size_t count, int only_inputs);

// ---- The controller alone (controller.c) ----

// Its frame has the measurements that the host gives; nothing of the vessel is simulated.
enum status alone_begin(struct sagbend_sim *s, struct reason *why);
sagbend_status alone_set(struct sagbend_sim *s, const uint32_t *ids, size_t count, const double *values,
                         sagbend_error *error);
void alone_step(struct sagbend_sim *s);
uint64_t alone_hash(const struct sagbend_sim *s);
size_t alone_snapshot_size(const struct sagbend_sim *s);
void alone_snapshot(const struct sagbend_sim *s, void *bytes);
enum status alone_restore(struct sagbend_sim *s, const void *bytes, size_t size, struct reason *why);

// ---- The journal (journal.c): nothing is done without one ----

void sim_journal_step(struct sagbend_sim *s); // a step has been made
// A state has been saved under this name, or has become the present one.
void sim_journal_state(struct sagbend_sim *s, enum journal_kind kind, uint64_t name);
int sim_journal_fails(struct sagbend_sim *s); // 1, once: it could not be written
void sim_journal_end(struct sagbend_sim *s);
