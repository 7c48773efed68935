// A first shape of the pipe for the statics, from arithmetic alone (its bits enter the equilibrium): a chain
// of straight elements of the right length that ends at the hang-off.
#pragma once

#include "core/base/status.h"
#include "core/model/statics.h"

struct shape_guess {
  double reach_m; // horizontal distance from the lower end to the top
};

// The pipe straight ahead from its lower end along the lay azimuth, with the ground's slope there.
void shape_straight(const struct pipe *p, const struct pipe_def *def, struct pipe_state *s);

// Fills positions and attitudes of the pipe's nodes in s for a top at top_z_m; reach_m > 0: given, otherwise
// found from the horizontal force. scratch: two arrays of a number per element.
enum status shape_guess(const struct model *m, const struct pipe_def *pipe, double horizontal_force_n,
                        double reach_m, double top_z_m, double *const scratch[2], struct model_state *s,
                        struct shape_guess *out, struct reason *why);
