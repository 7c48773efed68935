// What keeps a pipe where it rests, for the statics only: friction, the current, and stability.
#pragma once

#include "core/model/relax.h"

// Before the pipe is laid: on ground that is not level, what friction there is carries it.
void rest_begin(const struct relaxation *x, const struct statics_def *def);

// The laid pipe: friction takes over from the ground that carried it, and then the current comes up, with the
// vessel held where she is.
enum status rest_load(const struct relaxation *x, const struct statics_def *def, struct reason *why);

// Judges the equilibrium, and goes on from an unstable one to a stable one. Fails if there is none near, or
// if def wants it.
enum status rest_judge(const struct relaxation *x, const struct statics_def *def, struct reason *why);

void rest_end(const struct relaxation *x);
