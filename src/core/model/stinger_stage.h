// Stage of the statics: the stinger is raised against the pipe.
#pragma once

#include "core/model/relax.h"

// Lets the pipe hang free of all rollers of a stinger. Call before the first shape is relaxed.
void stinger_stage_begin(const struct equilibrium *eq);

// Raises the rollers from below the pipe to their places. Does nothing without rollers.
enum status stinger_stage_raise(const struct equilibrium *eq, struct reason *why);
