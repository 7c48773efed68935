// What each position reference says beside the estimate, for operators: residual and weight. Nothing here
// acts on the estimate.
#include "sagbend/dp/dp_internal.h"

#include "sagbend/math/trig.h"

void references_note(struct navigation_sampling *nav, const struct fixes *fixes) {
  struct navigation_state *state = nav->state;
  const double heading = heading_now(nav), c = trig_cos(heading), s = trig_sin(heading);
  double weights = 0;
  for (int i = 0; i < nav->def->count; i++)
    weights += fixes->used[i] ? 1 / (fixes->sigma[i] * fixes->sigma[i]) : 0;
  for (int i = 0; i < nav->def->count; i++) {
    struct reference_note *note = &state->note[i];
    const int is_read = state->use[i] == USE_IN_USE || state->use[i] == USE_REJECTED;
    note->weight = fixes->used[i] ? 1 / (fixes->sigma[i] * fixes->sigma[i]) / weights : 0;
    note->known &= is_read;
    if (!fixes->found[i] || !state->ready || (note->known && !state->fresh[i]))
      continue;
    double predicted[3];
    predicted_at(nav, nav->reading[i]->time_s, predicted);
    const double north = fixes->position[i][0] - predicted[0], east = fixes->position[i][1] - predicted[1];
    note->residual_b_m[0] = c * north + s * east;
    note->residual_b_m[1] = c * east - s * north;
    note->known = 1;
  }
}

int reference_note_is_valid(const struct reference_note *note, struct reason *why) {
  return valid_finite(note->residual_b_m, 2, "residual_b_m", why) &&
         valid_range(note->weight, 0, 1, "weight", why) && valid_index(note->known, 0, 1, "known", why);
}
