// The mesh of a pipe of which only the number of elements is given: short elements where the pipe touches
// down and may come to touch down, growing away from there. With equal ones the touchdown makes most of the
// error of tension, moment and touchdown (docs/model-pipe.md). A function of the definition alone, by
// arithmetic and the project's own functions only, because its bits enter the equilibrium.
#pragma once

#include "sagbend/model/statics.h"

// Where the pipe touches down, by a catenary on a plane, while the top is where the statics have it, moves as
// imposed on it, heaves by half the significant height of waves, or is 3 % of its height nearer or further.
// A pipe with bending stiffness touches down about bend_m before its catenary.
struct touchdown {
  double from_m, to_m; // arc lengths
  double tension_n;    // horizontal
  double bend_m;       // sqrt(EI/T) there
};

// top_z_m: depth of the hang-off. 0: no touchdown can be foreseen, as without a seabed, on bathymetry, for a
// pipe that floats, whose upper end is free, or that is too taut to touch down.
int touchdown_foresee(const struct pipe_def *pipe, const struct env_def *env,
                      const struct statics_def *statics, double top_z_m, struct touchdown *out);

// Divides the pipe into its number of elements by that touchdown. Leaves it with equal ones where none can be
// foreseen, where the pipe is paid out, because then touchdown moves along it, and over a stinger, whose
// rollers need their own.
void graded_mesh(struct pipe_def *pipe, const struct env_def *env, const struct statics_def *statics,
                 double top_z_m);
