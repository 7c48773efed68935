#include "sagbend/pipe/flood.h"

// Of element e in a flood.
static double share_of(const struct pipe_mesh *p, struct pipe_flood flood, int e) {
  const int number = p->first + e;
  return number >= flood.first && number < flood.end && e < p->elements - PIPE_DRY_ELEMENTS ? flood.share : 0;
}

// Mass that a metre of element e gains where it is full of water.
static double full_kgpm(const struct pipe_mesh *p, int e) {
  return p->pipe->flood_kgpm3 * p->inner_area_m2[e];
}

static void fill(struct pipe_mesh *p) {
  for (int e = 0; e < p->elements - PIPE_DRY_ELEMENTS; e++) {
    const double added_kgpm = p->flood_share[e] * full_kgpm(p, e);
    p->weight_npm[e] = p->pipe->kind[p->type[e]].weight_npm + p->pipe->gravity_mps2 * added_kgpm;
  }
  for (int i = 0; i <= p->elements - PIPE_DRY_ELEMENTS; i++) {
    const double below = i > 0 ? 0.5 * p->length_m[i - 1] * p->flood_share[i - 1] * full_kgpm(p, i - 1) : 0,
                 above = 0.5 * p->length_m[i] * p->flood_share[i] * full_kgpm(p, i);
    pipe_fill_node(p, i);
    p->mass_kg[i] += below + above;
    p->weight_n[i] += p->pipe->gravity_mps2 * (below + above);
  }
}

// Energy of a kilogram that moves with node i.
static double energy_per_kg(const struct pipe_mesh *p, const struct pipe_state *s, int i) {
  const vec3 v = pipe_get3(s->v_n, i);
  return 0.5 * vec3_dot(v, v) + p->pipe->gravity_mps2 * (p->pipe->depth_m - s->r_n[2][i]);
}

double pipe_set_flood(struct pipe_mesh *p, const struct pipe_state *s, struct pipe_flood flood) {
  double energy_j = 0;
  if (flood.share == p->flood.share && flood.first == p->flood.first && flood.end == p->flood.end)
    return 0;
  for (int e = 0; e < p->elements; e++) {
    const double share = share_of(p, flood, e),
                 half_kg = 0.5 * p->length_m[e] * (share - p->flood_share[e]) * full_kgpm(p, e);
    p->flood_share[e] = share;
    if (half_kg != 0)
      energy_j += half_kg * (energy_per_kg(p, s, e) + energy_per_kg(p, s, e + 1));
  }
  p->flood = flood;
  fill(p);
  return energy_j;
}

void pipe_refill_flood(struct pipe_mesh *p) {
  if (!(p->flood.share > 0))
    return;
  for (int e = 0; e < p->elements; e++)
    p->flood_share[e] = share_of(p, p->flood, e);
  fill(p);
}

double pipe_flood_mass(const struct pipe_mesh *p) {
  double sum = 0;
  for (int e = 0; e < p->elements && p->flood.share > 0; e++)
    sum += p->length_m[e] * p->flood_share[e] * full_kgpm(p, e);
  return sum;
}
