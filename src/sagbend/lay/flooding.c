#include "sagbend/lay/flooding.h"

#include "sagbend/pipe/flood.h"

// Number of the first element above `from_m`, or of the highest one that can fill. Where the place is below
// node 0, laid pipe that has retired and returns is full as well.
static int first_of(const struct pipe_mesh *p, int end, double from_m) {
  int e = 0;
  if (from_m <= p->arc_m[0])
    return 0;
  while (e < end - p->first - 1 && 0.5 * (p->arc_m[e] + p->arc_m[e + 1]) < from_m)
    e++;
  return p->first + e;
}

// The number above the highest element that is in the water.
static int end_of(const struct pipe_mesh *p, const struct pipe_state *s) {
  int end = p->elements - PIPE_DRY_ELEMENTS;
  while (end > 0 && s->r_n[2][end] <= 0)
    end--;
  return p->first + (end > 0 ? end : 0);
}

void flooding_latch(struct model_state *s, const struct flooding_input *input) {
  struct flooding_state *f = &s->flooding;
  f->rate_per_s = input->flows && s->mesh.pipe.nodes > 0 ? 1 / input->fill_s : 0;
  if (f->begun || !(f->rate_per_s > 0))
    return;
  const int end = end_of(&s->mesh.pipe, &s->pipe);
  f->begun = 1;
  f->end = (uint64_t)end;
  f->first = (uint64_t)first_of(&s->mesh.pipe, end, input->from_m);
}

static struct pipe_flood flood_of(const struct flooding_state *f) {
  return (struct pipe_flood){(int)f->first, (int)f->end, f->applied};
}

double flooding_advance(struct model_state *s, double step_s) {
  struct flooding_state *f = &s->flooding;
  if (!f->begun)
    return 0;
  const int highest = s->mesh.pipe.first + s->mesh.pipe.elements - PIPE_DRY_ELEMENTS,
            most = highest > 0 ? highest : 0;
  f->end = f->end > (uint64_t)most ? (uint64_t)most : f->end;
  const double before = f->share, after = fmin(1, before + f->rate_per_s * step_s);
  f->share = after;
  f->applied = 0.5 * (before + after);
  return pipe_set_flood(&s->mesh.pipe, &s->pipe, flood_of(f));
}

void flooding_follow(struct model_state *s) {
  if (s->mesh.pipe.nodes == 0)
    return;
  pipe_set_flood(&s->mesh.pipe, &s->pipe, flood_of(&s->flooding));
  pipe_refill_flood(&s->mesh.pipe);
}

int flooding_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  const struct flooding_state *f = &s->flooding;
  (void)m;
  return valid_whole(f->begun, 0, 1, "begun", why) && valid_whole(f->first, 0, INT32_MAX, "first", why) &&
         valid_whole(f->end, 0, INT32_MAX, "end", why) && valid_range(f->share, 0, 1, "share", why) &&
         valid_range(f->applied, 0, 1, "applied", why) && valid_finite(&f->rate_per_s, 1, "rate_per_s", why);
}
