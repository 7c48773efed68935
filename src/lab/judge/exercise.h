// How much of its static capability the vessel needs in the mean weather of each condition
// (lab/capability/present.h), intact and after each declared worst-case failure: whether the condition exercises
// them at all.
#pragma once

#include "lab/judge/judge.h"

// The configuration of a condition: that of the base with the overrides of plan and condition. NULL: it
// cannot be read. Release with config_free and free.
struct config *exercise_config(const struct trial_plan *plan, int condition);

// Fills j->exercise. A condition whose shares cannot be found says why. Takes a second or two for each with a
// pipe.
void exercise_find(struct judgement *j);
