// The kinds of thrusters, once. Plant, controller, capability, both configurations, messages, trials and
// views read the properties of a kind here; none of them asks for a kind by its name. Body frame b: x
// forward, y starboard. docs/thrusters.md.
#pragma once

#include "sagbend/math/trig.h"

// What directs the thrust.
enum thruster_steering {
  STEERING_NONE,  // nothing: the thrust acts along the axis, either way
  STEERING_TURNS, // the unit turns without end stops; its azimuth is the direction of the thrust
  STEERING_RUDDER // a rudder in the slipstream of thrust ahead; its angle takes the place of the azimuth
};

// Axis of the thrust that nothing turns. The number is the index of its component in a force {x, y}.
enum thruster_axis { AXIS_AHEAD, AXIS_ACROSS };

// X(KIND, word, title, steering, axis, in_tunnel, meaning)
//   KIND       THRUSTER_<KIND> in the source, THRUSTER_KIND_<KIND> in session.proto, in the same order
//   word       in configurations and results
//   title      in sentences
//   steering   enum thruster_steering
//   axis       enum thruster_axis; of one that turns: where it points at rest
//   in_tunnel  1: in a tunnel through the hull, whose inlets and whose loss at speed it has
//   meaning    in the descriptions of the keys
#define THRUSTER_KIND_TABLE(X)                                                                               \
  X(TUNNEL, "tunnel", "tunnel thruster", STEERING_NONE, AXIS_ACROSS, 1, "transverse, positive to starboard") \
  X(AZIMUTH, "azimuth", "azimuth thruster", STEERING_TURNS, AXIS_AHEAD, 0, "steerable without end stops")    \
  X(MAIN, "main", "main propeller", STEERING_RUDDER, AXIS_AHEAD, 0,                                          \
    "propeller ahead and astern, with an optional rudder")

#define THRUSTER_KIND_ENUMERATOR(KIND, ...) THRUSTER_##KIND,
enum thruster_kind { THRUSTER_KIND_TABLE(THRUSTER_KIND_ENUMERATOR) THRUSTER_KIND_COUNT };
#undef THRUSTER_KIND_ENUMERATOR

// For the rows of keys: the words, and a sentence about each.
#define THRUSTER_KIND_WORD(KIND, word, ...)                                      word,
#define THRUSTER_KIND_DOC(KIND, word, title, steering, axis, in_tunnel, meaning) " " word ": " meaning "."

// The kinds that turn, one bit each, as a constant.
#define THRUSTER_KIND_TURNS_BIT(KIND, word, title, steering, ...)                                            \
  | (unsigned)((steering) == STEERING_TURNS) << THRUSTER_##KIND
#define THRUSTER_KINDS_THAT_TURN (0u THRUSTER_KIND_TABLE(THRUSTER_KIND_TURNS_BIT))

struct thruster_kind_row {
  const char *word, *title;
  enum thruster_steering steering;
  enum thruster_axis axis;
  int in_tunnel;
};
extern const struct thruster_kind_row THRUSTER_KINDS[THRUSTER_KIND_COUNT];

static inline enum thruster_steering thruster_steering(enum thruster_kind kind) {
  return THRUSTER_KINDS[kind].steering;
}

static inline enum thruster_axis thruster_axis(enum thruster_kind kind) {
  return THRUSTER_KINDS[kind].axis;
}

// Direction of the axis, clockwise from the bow, rad.
static inline double thruster_axis_rad(enum thruster_kind kind) {
  return THRUSTER_KINDS[kind].axis == AXIS_ACROSS ? TRIG_PI / 2 : 0;
}
