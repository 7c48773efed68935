#include "sagbend/pipe/ground.h"

#include "sagbend/base/compiler.h"

// Height above the ground, in diameters, from which a pipe does not come down where it left.
static const double FAR_DIAMETERS = 10;

void ground_begin(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    const double z = w->penetration_m[i];
    if (z > 0 && p->contact_length_m[i] > 0) {
      const struct soil_memory memory = ground_memory(s, i);
      w->soil[i] = soil_begin(ground_bed(p, i), &memory, z);
    } else if (w->soil[i].z_m > 0) {
      w->soil[i] = (struct soil_start){.z_m = z};
    } else {
      w->soil[i].z_m = z; // the rest is 0
    }
  }
}

// Takes the memory of node i over a way on which a layer slides; returns the loss per length.
RARE_PATH double commit_slide(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                              int i) {
  struct soil_memory memory = ground_memory(s, i);
  const struct soil_way way =
      soil_over(ground_bed(p, i), &memory, &w->soil[i], w->end_penetration_m[i], &memory);
  ground_set_memory(s, i, &memory);
  return way.loss_jpm;
}

void ground_commit(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w) {
  double *const deepest = s->soil_m[SOIL_LAYERS];
  w->soil_loss_j = 0;
  for (int i = 0; i < p->nodes; i++) {
    if (p->contact_length_m[i] == 0)
      continue;
    const double end = w->end_penetration_m[i], way = end - w->soil[i].z_m;
    if (w->contact_share[i] == 0) {
      if (deepest[i] > 0 && w->penetration_m[i] < -0.5 * FAR_DIAMETERS * ground_bed(p, i)->span_m)
        deepest[i] = 0;
    } else if (!soil_sticks(&w->soil[i], end)) {
      w->soil_loss_j += p->contact_length_m[i] * commit_slide(p, s, w, i);
    } else {
      for (int j = 0; j < SOIL_LAYERS; j++)
        s->soil_m[j][i] += way;
      deepest[i] = end > deepest[i] ? end : deepest[i];
    }
  }
}

void pipe_ground_settle(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes && p->pipe->has_soil; i++) {
    if (p->contact_length_m[i] == 0)
      continue;
    struct soil_memory memory;
    soil_at_rest(ground_bed(p, i), s->soil_m[SOIL_LAYERS][i], w->penetration_m[i], &memory);
    ground_set_memory(s, i, &memory);
  }
  w->is_laid_out = 0;
}
