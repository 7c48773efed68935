// What the error of a fitted memory does, from the hydrodynamic data themselves.
#pragma once

#include "sagbend/vessel/hydro_data.h"

#include <stddef.h>

// Fills data->fit.motion: the motions of the free vessel solved with the memory against those with the code's
// A and B, at all their frequencies and headings of the wave forces. Roll is damped with at least 5 % of
// critical. NaN without mass matrix, wave forces or A and B.
void hydro_fit_judge_motions(struct hydro_data *data);

// Fills the rest of data->fit where only A and B tell it, as in hydro files of version 2: the largest error
// up to the last frequency at which the damping of some motion is above 2 % of its peak. NaN without A and B.
void hydro_fit_judge_memory(struct hydro_data *data);

// A sentence about an error beyond 2 %, or one that is unknown. Returns 0 if there is nothing to say.
int hydro_fit_notice(const struct hydro_data *data, char *text, size_t size);
