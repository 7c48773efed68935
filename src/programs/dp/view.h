// What sagbend-dp says about itself (message ControllerView), for those who look on.
#pragma once

#include "programs/dp/dp_program_internal.h"

// Sends what the controller believed and wanted at its newest sample, when it is due by the wall clock and
// the simulator takes it. Never waits; nothing depends on whether it arrives.
void view_send_if_due(struct dp *d, const struct wire_sensors *sensors, const struct command *command);
