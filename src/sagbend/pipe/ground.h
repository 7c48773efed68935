// For the other files of this room: the soil below a node (sagbend/ground/ground.h).
#pragma once

#include "sagbend/pipe/pipe.h"

// The soil below node i: that of the element above it.
static inline const struct soil_bed *ground_bed(const struct pipe_mesh *p, int i) {
  return &p->pipe->bed[p->type[i < p->elements ? i : i - 1]];
}

static inline struct soil_memory ground_memory(const struct pipe_state *s, int i) {
  struct soil_memory memory;
  for (int j = 0; j < SOIL_LAYERS; j++)
    memory.e_m[j] = s->soil_m[j][i];
  memory.deepest_m = s->soil_m[SOIL_LAYERS][i];
  return memory;
}

static inline void ground_set_memory(struct pipe_state *s, int i, const struct soil_memory *memory) {
  for (int j = 0; j < SOIL_LAYERS; j++)
    s->soil_m[j][i] = memory->e_m[j];
  s->soil_m[SOIL_LAYERS][i] = memory->deepest_m;
}

// Fills w->soil at the start of a step, from w->penetration_m.
void ground_begin(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// Takes the memory at the end of the step into the state; fills w->soil_loss_j.
void ground_commit(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w) NONBLOCKING;
