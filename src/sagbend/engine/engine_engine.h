// The engine: everything from a setup to a step. A session, a replay and the library make their steps here
// and nowhere else. It opens nothing, prints nothing, asks no clock of its own and keeps no state outside its
// struct.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/engine/engine.h"
#include "sagbend/engine/setup.h"
#include "sagbend/rig/closed_loop.h"

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
// serves (NULL: none). errors: of a route that the equilibrium rules out; NULL: nowhere.
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
