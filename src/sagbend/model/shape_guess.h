// A first shape of the pipe for the statics: a chain of straight elements of the given lengths that ends at
// the hang-off. It uses arithmetic and the project's own functions only, because its bits enter the
// equilibrium.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/model/statics.h"

struct shape_guess {
  double reach_m; // horizontal distance from the lower end to the top
};

// Sets the pipe straight from its lower end along the lay azimuth, with the slope of the ground there.
void shape_straight(const struct pipe_mesh *p, const struct pipe_def *def, struct pipe_state *s);

// Sets positions and attitudes of the pipe's nodes in s for a top at the depth top_z_m. reach_m > 0 gives the
// horizontal distance of the ends; otherwise it follows from the horizontal force. scratch: two arrays with
// one number per element. STATUS_BAD_INPUT: the pipe is too short.
enum status shape_guess(const struct model *m, const struct pipe_def *pipe, double horizontal_force_n,
                        double reach_m, double top_z_m, double *const scratch[2], struct model_state *s,
                        struct shape_guess *out, struct reason *why);
