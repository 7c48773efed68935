#include "sagbend/model/tensioner.h"

#include "sagbend/pipe/feed.h"
#include "sagbend/pipe/waterline.h"

// Of the nominal length: a step that ends below is no solution.
static const double SHORTEST_SHARE = 0.01;

int tensioner_has_element(const struct model_state *s, double grown_m) {
  return s->payout.top_m + grown_m > SHORTEST_SHARE * s->mesh.pipe.top.own->element_m;
}

double tensioner_half_mass(const struct pipe_mesh *p, const struct pipe_top_load *load) {
  const struct pipe_top *top = &p->top;
  double mass = load->own_m[1] * pipe_axial_mass(&top->own->kind->metre);
  if (load->next_m[1] > 0)
    mass += load->next_m[1] * pipe_axial_mass(&top->next->kind->metre);
  return mass;
}

double tensioner_balance(const struct model_state *s, struct model_work *w) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const struct pipe_growth *growth = &w->pipe.growth;
  const int n = p->nodes - 1;
  w->tensioner_force = tensioner_force_of(&w->tensioner, growth->grown_m);
  if (!tensioner_has_element(s, growth->grown_m))
    return (double)NAN;
  double drop =
      s->pipe.r_n[2][n - 1] - s->pipe.r_n[2][n] + 0.5 * (w->pipe.dr_n[2][n - 1] - w->pipe.dr_n[2][n]);
  const double lower = pipe_depth(p, &s->pipe, n - 1), upper = pipe_depth(p, &s->pipe, n),
               *dz = w->pipe.dr_n[2];
  double dry = 0.5 * (pipe_waterline_hanging(p, lower, upper).force_n +
                      pipe_waterline_hanging(p, lower + dz[n - 1], upper + dz[n]).force_n);
  return w->tensioner_force.force_n + growth->length_force_n - pipe_hanging_weight(p, &w->lumped) * drop -
         dry;
}

struct growing_length_tangent tensioner_tangent(const struct model_state *s, const struct model_work *w) {
  const double hanging = 0.5 * pipe_hanging_weight(&s->mesh.pipe, &w->lumped);
  struct growing_length_tangent t =
      pipe_growing_length_tangent(&s->mesh.pipe, &s->pipe, &w->pipe, w->coefficients.damping_over_h);
  t.row[2] -= hanging, t.row[8] += hanging;
  const int n = s->mesh.pipe.nodes - 1;
  const struct pipe_mesh *p = &s->mesh.pipe;
  const double *dz = w->pipe.dr_n[2];
  struct waterline_hanging dry = pipe_waterline_hanging(p, pipe_depth(p, &s->pipe, n - 1) + dz[n - 1],
                                                        pipe_depth(p, &s->pipe, n) + dz[n]);
  t.row[2] -= 0.5 * dry.rate_npm[0], t.row[8] -= 0.5 * dry.rate_npm[1];
  t.own_npm += w->tensioner_force.slope_npm;
  return t;
}
