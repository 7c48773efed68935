// The session that takes orders and makes steps (engine_step), and its checkpoints. Session, replay and
// library call it.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/link/link.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <stdarg.h>

// ------------------------------------------------------------
// Checkpoints: everything that the following steps depend on, in one piece of memory. It is bound to the
// build and the configuration that made it, and ends with a hash over all of it. log/log/log.h
// writes and reads it as a file.
//
// Layout, in native byte order (only the same build reads it): struct checkpoint_head, struct
// closed_loop_state, the simulator's snapshot, the state of the sensor suite, 64-bit FNV-1a of all that. The
// bytes before the hash are called an image.

// What a checkpoint belongs to. Names are padded with zeros: the struct is compared and written as bytes.
struct checkpoint_identity {
  uint64_t model_hash; // config.model_hash
  uint64_t dp_hash;    // dp_config.hash of the controller inside the program; 0: none
  char config_name[64];
  char version[24];
  char build[48];
  char session[24]; // session that wrote it; not compared
};

// ---- making an image ----

size_t checkpoint_size(const struct sim *sim, const struct sensor_suite *suite); // of an image, bytes

// Fills image (checkpoint_size bytes) from the present state. Neither allocates nor does I/O, so the step
// thread may call it.
void checkpoint_fill(void *image, const struct checkpoint_identity *identity,
                     const struct closed_loop *loop) NONBLOCKING;

// The same with the hash that follows the image in a file: room for both in bytes.
void checkpoint_fill_file(void *bytes, const struct checkpoint_identity *identity,
                          const struct closed_loop *loop);

// What an image contains.
uint64_t checkpoint_step(const void *image); // steps done in it
uint64_t checkpoint_state_hash(const void *image);
uint64_t checkpoint_start_utc_ns(const void *image); // as in struct frame
struct checkpoint_identity checkpoint_identity_in(const void *image);
void checkpoint_loop_state(const void *image, struct closed_loop_state *out);
uint64_t checkpoint_file_hash(const void *image, size_t size); // hash that follows the image in a file

// ---- restoring ----

// Checks the bytes of a file (8-byte aligned) and copies the state into sim, suite and state.
// STATUS_BAD_INPUT and the reason: the file is truncated, damaged or of another format; another build or
// configuration wrote it; it has no state of the controller that runs inside now; or any count, index, flag,
// number or name is one that this session cannot have reached, because the hash is a checksum and not a
// signature. Nothing is changed then. identity->dp_hash 0: no controller runs inside now, and the state of
// one in the file is ignored.
enum status checkpoint_restore(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                               const struct closed_loop_rules *rules, struct sim *sim,
                               struct sensor_suite *suite, struct closed_loop_state *state,
                               struct reason *why);
// The same into a closed loop, which goes on with it.
enum status checkpoint_resume(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                              struct sim *sim, struct sensor_suite *suite, struct closed_loop *loop,
                              struct reason *why);

// The same checks without changing anything: whether checkpoint_restore would succeed.
enum status checkpoint_check(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                             const struct closed_loop_rules *rules, const struct sim *sim,
                             const struct sensor_suite *suite, struct reason *why);

// Whether a state of theirs serves here; why says what differs.
enum status checkpoint_check_identity(const struct checkpoint_identity *theirs,
                                      const struct checkpoint_identity *ours, struct reason *why);

// ---- for tests that alter an image ----

// Puts the step and the hash of the altered state into the head, and returns the hash that belongs at the
// end of the file.
uint64_t checkpoint_seal(void *image, size_t size);

enum { CHECKPOINT_HEAD = 248 }; // bytes

struct checkpoint_parts { // where the parts of an image begin, bytes; end: its size
  size_t state, snapshot, suite, end;
};
struct checkpoint_parts checkpoint_parts_of(const struct sim *sim, const struct sensor_suite *suite);

// ------------------------------------------------------------
// What a simulation is made of: configuration and DP file (setup), simulator and instruments (plant). Nothing
// here prints, opens sockets or writes files.

struct setup {
  struct config config;
  struct dp_config dp;          // valid if has_dp
  int has_dp;                   // the configuration names a DP file
  char *dp_text;                // text of the DP file as parsed; owned. NULL: no DP file
  struct config_files dp_files; // files that the DP file extends; owned
};

// The simulator and its instruments. Several can be made of one setup.
struct plant {
  void *sim_mem;
  struct sim *sim; // NULL: not created
  void *suite_mem;
  struct sensor_suite suite; // created with sim
  struct dp_work *work;      // of the controller inside; NULL: there is none
};

// Reads configuration and DP file; a text without a pool keeps the path of its DP file. STATUS_BAD_INPUT
// after each error has gone to errors. Release with setup_free in every case.
enum status setup_read(struct setup *setup, const struct config_request *request,
                       const struct error_sink *errors);

// Whether the mode suits the configuration. STATUS_BAD_INPUT: the run would have no controller.
enum status setup_check_mode(const struct setup *setup, const char *path, struct reason *why);

// Of all on which the steps depend: configuration and DP file.
uint64_t setup_hash(const struct setup *setup);

// Creates the simulator, at its static equilibrium, and the instruments. The reason begins with the name of
// the configuration; where the equilibrium rules out the route, each error goes to errors as well (NULL:
// nowhere). Release with plant_free in every case.
enum status plant_create(struct plant *plant, const struct setup *setup, const struct error_sink *errors,
                         struct reason *why);

// The same beside a plant of the same setup, whose equilibrium serves while it has made no step.
enum status plant_create_beside(const struct plant *first, struct plant *plant, const struct setup *setup,
                                struct reason *why);

// The same, sharing all that no step changes with first, which has made no step and must outlive it.
void plant_free(struct plant *plant);

void setup_free(struct setup *setup);

// Warning for statics that left an unstable equilibrium (report->unstable_left).
struct reason plant_unstable_text(const struct statics_report *report);

// Set-point of the controller: north, east in m, heading in rad. 0: the configuration has none.
int setup_setpoint(const struct setup *setup, double setpoint[3]);

// Rules of the command latch. Needs the simulator, at its first step: the initial holding force comes from
// its statics.
struct command_def setup_command_def(const struct setup *setup, const struct sim *sim);

// ------------------------------------------------------------
// The engine: everything from a setup to a step. A session, a replay and the library make their steps here
// and nowhere else. It opens nothing, prints nothing, asks no clock of its own and keeps no state outside its
// struct.

struct engine {
  const struct setup *setup;
  struct plant plant;
  struct closed_loop loop;
};

// Takes the plant over (*plant is empty afterwards) and closes the loop around it, with the controller and
// the set-point of the setup, which must outlive the engine. Release with engine_free.
void engine_begin(struct engine *engine, const struct setup *setup, struct plant *plant);

// The same for a replay: no controller runs inside, because its commands are in the log. setpoint: north and
// east in m, heading in rad; NULL: the initial pose is the target.
void engine_begin_replay(struct engine *engine, const struct setup *setup, struct plant *plant,
                         const double setpoint[3]);

// Creates the plant and begins; first: an engine of the same setup that has made no step, whose equilibrium
// serves and whose constant parts are shared, so that it must outlive this one; *engine contains zeros then
// (NULL: none). errors: of a
// route that the equilibrium rules out; NULL: nowhere.
enum status engine_create(struct engine *engine, const struct setup *setup, const struct engine *first,
                          const struct error_sink *errors, struct reason *why);
void engine_free(struct engine *engine); // accepts one of zeros

// One step, with the newest command that has arrived since the last call and the alarms that came with it
// (NULL: none). With a controller inside, both are ignored. A simulator that has latched a fault stays.
void engine_step(struct engine *engine, const struct command *newest,
                 const struct dp_alarm_list *alarms) NONBLOCKING;

// Applies an operator's order; it is in effect from the next step on.
void engine_order(struct engine *engine, const struct order *order) NONBLOCKING;

// Goes on from the bytes of a checkpoint (checkpoint_restore). Nothing has changed after an error.
enum status engine_restore(struct engine *engine, const void *bytes, size_t size,
                           const struct checkpoint_identity *identity, struct reason *why);

// ------------------------------------------------------------
// Which orders a session accepts: by its configuration, and by the orders before.

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

// ------------------------------------------------------------
// Events that follow from the steps: found by comparing each frame with the one before. A session publishes
// them, a replay finds them again with the same texts, the library keeps them.

enum { EVENT_TEXT = 256 };

struct run_event {
  uint64_t step;
  double time_s;
  char name[32];
  char text[EVENT_TEXT];
};

struct event_finder {
  const struct scenario_def *scenario;
  void (*take)(void *context, const struct run_event *event); // receives the events
  void *context;

  // From the newest frame.
  struct fault_set faults;
  uint64_t faults_started, orders_refused;
  uint64_t inside_accepted, inside_refused, refused_before; // before: when one was last accepted
  uint32_t verdicts_violated;
  uint32_t sim_events;
  enum command_state command_state;
  struct changeover_view changeover;
  struct changeover_flood { // of events of changeovers
    double from_s;
    int lines;     // since then
    uint64_t left; // without a line since then
  } flood;
  uint64_t notices_seen[NOTICE_COUNT]; // times raised
  struct operation_output operation;   // newest operation that has been reported; number 0: none
  int has_tensioner_order;             // of which has been reported
  enum tensioner_mode tensioner_ordered;
  enum tensioner_source tensioner_source;
};

void event_finder_init(struct event_finder *finder, const struct scenario_def *scenario,
                       void (*take)(void *context, const struct run_event *event), void *context);

// Takes the frame as already reported.
void event_finder_skip_to(struct event_finder *finder, const struct frame *frame);

// Finds and passes on the events of a frame: faults, verdicts, commands, events of the simulator.
void event_find(struct event_finder *finder, const struct frame *frame);

struct run_event run_event_of(uint64_t step, double time_s, const char *name, const char *format,
                              va_list args);

// ------------------------------------------------------------
// Orders in the words of `sagbend ctl`: "fault no_output --target gnss_1 --for 20".

// Reads an order; argv[0] is its word. STATUS_BAD_INPUT: what was expected.
enum status order_read_words(struct order *order, int argc, char **argv, struct reason *why);

// The order of a caller in one text: read, numbered after the newest, and checked against what is in effect.
// STATUS_BAD_INPUT: it is none, one to a run, or this simulation does not accept it now.
enum status engine_read_order(const struct engine *engine, const char *words, struct order *order,
                              struct reason *why);

enum status order_words_error(struct reason *why, const char *what, const char *found);
