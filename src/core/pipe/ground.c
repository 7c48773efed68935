#include "core/pipe/ground.h"

// Height above the ground, in diameters, from which a pipe does not come down where it left.
static const double FAR_DIAMETERS = 10;

void ground_begin(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    w->soil[i] = (struct soil_start){.z_m = w->penetration_m[i]};
    if (!(w->penetration_m[i] > 0) || p->contact_length_m[i] == 0)
      continue;
    const struct soil_memory memory = ground_memory(s, i);
    w->soil[i] = soil_begin(ground_bed(p, i), &memory, w->penetration_m[i]);
  }
}

void ground_commit(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w) {
  w->soil_loss_j = 0;
  for (int i = 0; i < p->nodes; i++) {
    if (p->contact_length_m[i] == 0)
      continue;
    const struct soil_bed *bed = ground_bed(p, i);
    if (w->contact_share[i] == 0) {
      if (s->soil_m[SOIL_LAYERS][i] > 0 && w->penetration_m[i] < -0.5 * FAR_DIAMETERS * bed->span_m)
        s->soil_m[SOIL_LAYERS][i] = 0;
      continue;
    }
    struct soil_memory memory = ground_memory(s, i);
    const struct soil_way way = soil_over(bed, &memory, &w->soil[i], w->end_penetration_m[i], &memory);
    w->soil_loss_j += p->contact_length_m[i] * way.loss_jpm;
    ground_set_memory(s, i, &memory);
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
