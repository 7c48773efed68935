#include "sagbend/signals/thruster_kind.h"

#define ROW(KIND, word, title, steering, axis, in_tunnel, meaning)                                           \
  [THRUSTER_##KIND] = {word, title, steering, axis, in_tunnel},
const struct thruster_kind_row THRUSTER_KINDS[THRUSTER_KIND_COUNT] = {THRUSTER_KIND_TABLE(ROW)};
#undef ROW

// The forces of a rudder (sagbend/vessel/thruster.c, sagbend/dp/thrust_actuator.c) are those behind thrust ahead.
#define RUDDER_IS_ASTERN(KIND, word, title, steering, axis, ...)                                             \
  _Static_assert((steering) != STEERING_RUDDER || (axis) == AXIS_AHEAD,                                      \
                 "a rudder of a thruster that thrusts ahead");
THRUSTER_KIND_TABLE(RUDDER_IS_ASTERN)
#undef RUDDER_IS_ASTERN
