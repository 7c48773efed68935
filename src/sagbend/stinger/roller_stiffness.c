// Tangent of a roller's push as a sum of outer products. The overlap has second derivatives only with p.r_a
// and n.r_a' (sagbend/stinger/roller.c), and with the length of an element that grows:
//   K = F (H/2 + dy s' + share beyond I) + F' G g1',  s = share (g1 - g - H dy/2 - 2 beyond share dy),
// H the second derivatives at the middle, g1 the gradient at the end. Friction adds the derivative of its way
// S = weight e, e the unit vector along the pipe, half of that at the middle, and of its force.
#include "sagbend/stinger/stinger_internal.h"

#include <string.h>

// A further outer product, empty.
static int add_term(struct roller_stiffness *k) {
  const int at = k->count++;
  memset(k->left[at], 0, sizeof k->left[at]);
  memset(k->right[at], 0, sizeof k->right[at]);
  return at;
}

// The weights of the axes, which are proportional to the length, over it.
static void by_length(const struct roller_touch *t, double to[4]) {
  to[0] = to[2] = 0;
  to[1] = t->weight[1] / t->length_m, to[3] = t->weight[3] / t->length_m;
}

// Adds factor times the second derivatives of the overlap.
static void add_hessian(const struct roller_step *x, const struct roller_touch *t,
                        const struct roller_turns *s, double factor, struct roller_stiffness *k) {
  const double inverse = 1 / t->eased, bend = vec3_dot(t->n, t->slope2),
               taper = t->taper2_m * inverse * inverse,
               pp = factor * (t->rho * t->rho * taper - inverse * bend),
               pw = factor * (t->rho * t->deep * taper + inverse * t->rho),
               ww = factor * (t->deep * t->deep * taper + inverse * t->deep);
  const int p = add_term(k), w = add_term(k);
  memcpy(k->left[p], s->p, sizeof s->p);
  memcpy(k->left[w], s->w, sizeof s->w);
  for (int a = 0; a < ROLLER_PLACES; a++) {
    k->right[p][a] = pp * s->p[a] + pw * s->w[a];
    k->right[w][a] = pw * s->p[a] + ww * s->w[a];
  }
  if (t->element != x->growing)
    return;
  double share[4];
  const int row = add_term(k), column = add_term(k);
  by_length(t, share);
  k->left[row][ROLLER_LENGTH] = k->right[column][ROLLER_LENGTH] = 1;
  roller_put(k->right[row], t, share, vec3_scale(-factor, t->n));
  roller_put(k->left[column], t, share, vec3_scale(-factor, t->n));
}

// Adds this factor times the derivative of S at the middle.
static void add_way(const struct roller_step *x, const struct roller_touch *t, const struct roller_turns *s,
                    vec3 e, double factor, struct roller_stiffness *k) {
  const double size = vec3_norm(t->along), bend = vec3_dot(e, t->slope2);
  const vec3 swing = vec3_scale(1 / size, vec3_axpy(-bend, e, t->slope2)); // de/dx
  const int grows = t->element == x->growing, by_x = add_term(k);
  for (int n = 0; n < 4; n++)
    vec3_to(vec3_axpy(t->weight[n], swing, vec3_scale(t->rate[n], e)),
            k->left[by_x] + 6 * t->element + 3 * n);
  if (grows)
    k->left[by_x][ROLLER_LENGTH] =
        vec3_dot(swing, t->by_length) + vec3_dot(e, t->rate_by_length) - (bend * t->x + size) / t->length_m;
  for (int a = 0; a < ROLLER_PLACES; a++)
    k->right[by_x][a] = factor * s->x[a];

  const vec3 across[2] = {t->n, vec3_cross(e, t->n)}; // n is normal to the axis
  for (int c = 0; c < 2; c++) {
    const int at = add_term(k);
    roller_put(k->left[at], t, t->weight, across[c]);
    roller_put(k->right[at], t, t->rate, vec3_scale(factor / size, across[c]));
    if (grows) {
      k->left[at][ROLLER_LENGTH] = vec3_dot(across[c], t->by_length);
      k->right[at][ROLLER_LENGTH] = factor / size * vec3_dot(across[c], t->rate_by_length);
    }
  }
  if (!grows)
    return;
  double share[4], row_share[4];
  const int row = add_term(k), column = add_term(k);
  by_length(t, share);
  for (int n = 0; n < 4; n++)
    row_share[n] = share[n] - t->x / t->length_m * t->rate[n];
  k->left[row][ROLLER_LENGTH] = k->right[column][ROLLER_LENGTH] = 1;
  roller_put(k->right[row], t, row_share, vec3_scale(factor, e));
  k->right[row][ROLLER_LENGTH] =
      factor * (size / t->length_m - vec3_dot(e, t->rate_by_length)) * t->x / t->length_m;
  roller_put(k->left[column], t, share, vec3_scale(factor, e));
}

// y = (sum of the outer products from a term on)' v, added.
static void add_transposed(const struct roller_stiffness *k, int from, const double v[ROLLER_PLACES],
                           double y[ROLLER_PLACES]) {
  for (int t = from; t < k->count; t++) {
    const double share = roller_dot(k->left[t], v);
    for (int a = 0; a < ROLLER_PLACES; a++)
      y[a] += share * k->right[t][a];
  }
}

static void add_friction(const struct roller_step *x, const struct roller_passage *p,
                         const struct roller_turns *s, struct roller_stiffness *k) {
  const struct roller_drag f = roller_drag_of(x, p);
  if (f.released)
    return;
  const int from = k->count, force = add_term(k);
  memcpy(k->left[force], f.way, sizeof f.way);
  if (f.sign) {
    add_way(x, &p->middle, s, f.axis, 0.5 * f.mean_n, k);
    for (int a = 0; a < ROLLER_PLACES; a++)
      k->right[force][a] = 0.5 * f.sign * f.bound_rate * p->end.gradient[a];
    return;
  }
  // Sticks: the way at the end follows from S and from what S itself changes by.
  double way[ROLLER_PLACES];
  memcpy(way, f.way, sizeof way);
  add_way(x, &p->middle, s, f.axis, 0.5, k);
  add_transposed(k, from + 1, x->change, way);
  for (int t = from + 1; t < k->count; t++)
    for (int a = 0; a < ROLLER_PLACES; a++)
      k->right[t][a] *= f.mean_n;
  for (int a = 0; a < ROLLER_PLACES; a++)
    k->right[force][a] = 0.5 * x->roller->friction_stiffness_npm * way[a];
}

void roller_stiffness_of(const struct roller_step *x, int with_friction, const struct roller_passage *p,
                         struct roller_stiffness *k) {
  double rate = 0;
  const double force = roller_mean_force(x->roller, p->start.overlap_m, p->end.overlap_m, &rate);
  struct roller_turns s;
  k->first = p->first, k->last = p->last, k->count = 0;
  k->alike_npm = force * p->beyond_m * p->share_1pm2;
  roller_turns_of(x, &p->middle, &s);
  add_hessian(x, &p->middle, &s, 0.5, k);

  const int hessian = k->count, correction = add_term(k), normal = add_term(k);
  double *change = k->left[correction], *share = k->right[correction], bent[ROLLER_PLACES] = {0};
  roller_touched_change(x, p, change);
  k->count = hessian; // only its terms
  add_transposed(k, 0, change, bent);
  k->count = normal + 1;
  for (int a = 0; a < ROLLER_PLACES; a++) {
    share[a] =
        force * p->share_1pm2 *
        (p->end.gradient[a] - p->middle.gradient[a] - bent[a] - 2 * p->beyond_m * p->share_1pm2 * change[a]);
    k->left[normal][a] = p->gradient[a];
    k->right[normal][a] = rate * p->end.gradient[a];
  }
  for (int t = 0; t < hessian; t++)
    for (int a = 0; a < ROLLER_PLACES; a++)
      k->right[t][a] *= force;
  if (roller_rubs(x, with_friction))
    add_friction(x, p, &s, k);
}
