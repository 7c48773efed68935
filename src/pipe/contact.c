// Over a step a node's spring pushes with the mean force (V1 - V0)/(kappa1 - kappa0) along the discrete gradient of
// kappa, whose product with dr is kappa1 - kappa0: the work is the change of V exactly.
#include "pipe/contact.h"

void pipe_contact_begin(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    vec3 r = pipe_get3(s->r_n, i);
    int clear = surface_is_clear(&p->ground, p->contact_offset_m[i], r);
    w->sunk_m[i] = clear ? -1 : surface_penetration(&p->ground, p->contact_offset_m[i], r, NULL);
  }
}

double pipe_lower_height(const struct pipe *p, const struct pipe_def *def) {
  if (def->lower_height == HEIGHT_GIVEN)
    return def->lower_height_m;
  if (def->lower_height == HEIGHT_GROUND || p->contact_length_m[0] == 0)
    return 0;
  vec3 n;
  surface_penetration(&p->ground, 0, (vec3){def->anchor_n_m[0], def->anchor_n_m[1], p->depth_m}, &n);
  return p->contact_offset_m[0] - seabed_sunk(&p->seabed[0], p->weight_n[0] / p->contact_length_m[0] * n.z);
}

static struct surface_pass pass_of(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i) {
  return surface_pass_of(&p->ground, p->contact_offset_m[i], w->sunk_m[i], pipe_get3(s->r_n, i),
                         pipe_get3(w->dr_n, i));
}

void pipe_contact_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    w->press_n[i] = 0;
    if (p->contact_length_m[i] == 0)
      continue;
    double derivative;
    struct surface_pass pass = pass_of(p, s, w, i);
    if (pass.before_m <= 0 && pass.after_m <= 0)
      continue;
    w->press_n[i] = p->contact_length_m[i] * seabed_mean_force(&p->seabed[i], pass.before_m, pass.after_m, &derivative);
    pipe_set3(w->residual, i, vec3_axpy(w->press_n[i], pass.gradient, pipe_get3(w->residual, i)));
  }
}

vec3 pipe_contact_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i,
                          double block[36]) {
  struct surface_pass pass = pass_of(p, s, w, i);
  if (p->contact_length_m[i] == 0 || (pass.before_m <= 0 && pass.after_m <= 0))
    return (vec3){0, 0, 0};
  double derivative;
  vec3 end;
  mat3 turn; // of the direction
  seabed_mean_force(&p->seabed[i], pass.before_m, pass.after_m, &derivative);
  surface_pass_rates(&p->ground, &pass, pipe_get3(s->r_n, i), pipe_get3(w->dr_n, i), &end, &turn);
  vec3 growth = vec3_scale(p->contact_length_m[i] * derivative, end);
  const double g[3] = {pass.gradient.x, pass.gradient.y, pass.gradient.z}, d[3] = {growth.x, growth.y, growth.z};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      block[6 * r + c] += g[r] * d[c] + w->press_n[i] * turn.m[r][c];
  return growth;
}
