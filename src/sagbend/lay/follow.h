// What follows from the state: the mesh and, with the number of elements, the sizes of the workspace.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/model/model.h"

// Makes the mesh anew for a state that was set otherwise than by a step, which ended at time_s. The statics
// has set how the ends are held.
void mesh_follow(const struct model *m, struct model_state *s, struct model_work *w,
                 double time_s) NONBLOCKING;
