// Loads on the pipe at rest that the statics applies in stages: seabed friction and the current. Only for the
// files of the statics.
#pragma once

#include "sagbend/model/relax.h"

// Before the pipe is laid: on sloping or uneven ground the seabed carries the pipe's weight vertically, as
// friction would.
void load_stages_begin(const struct equilibrium *eq, const struct statics_def *def);

// Loads the laid pipe: friction takes over from the ground that carried it, then the current of time 0 is
// increased in steps while the vessel keeps its position. Fails with the status of the iteration.
enum status load_stages_apply(const struct equilibrium *eq, const struct statics_def *def,
                              struct reason *why);

// Returns 1 if seabed friction acts in this statics.
int load_stages_have_friction(const struct equilibrium *eq, const struct statics_def *def);

// Engages the friction springs at the present state: each takes the force that the ground carried, up to
// mu N. On level ground in still water all of them stay unloaded.
void load_stages_start_friction(const struct equilibrium *eq);

// Removes all static loads from the workspace.
void load_stages_end(const struct equilibrium *eq);
