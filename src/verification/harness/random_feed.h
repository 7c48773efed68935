// Pay-out and recovery at random, for attacks on passivity in tests and in the verification.
#pragma once

#include "sagbend/sim/sim_parts.h"

// A tensioner for the 30-inch pipe in 900 m of water, with one order: the brake, from the start.
struct tensioner_def scene_tensioner(void);

// Lets a pipe of at least 12 equal elements that hangs from the vessel be paid out and recovered: a third of
// the seeds by a programme, a third by a tensioner with random orders and limits, the rest not at all. The
// uppermost 120 m get elements of 10 m. After the step has been set.
void scene_random_feed(struct sim_def *def, uint64_t seed);
