// Over a step a node's spring pushes with the mean force (V1 - V0)/(kappa1 - kappa0) along the discrete
// gradient of kappa, whose product with dr is kappa1 - kappa0: the work is the change of V exactly.
//
// The damper is a dashpot beside the spring, c dkappa/dt while kappa > 0. On the straight way from kappa0 to
// kappa1 its impulse over the step is c times the change of max(kappa, 0), whatever part of the step is spent
// in contact, so
//   F = c (max(kappa1, 0) - max(kappa0, 0))/h,    loss F (kappa1 - kappa0) >= 0.
// Ground does not pull, unless suction is asked for: F is no less than minus the spring's mean force. A force
// that is cut off so has the sign of kappa1 - kappa0 still.
//
// That is the midpoint rule, which leaves a velocity ringing where c h is large beside the mass: from v0 it
// makes v0 (1 - y)/(1 + y), y = c h/(2 m). Where in the step an impulse falls changes the velocity at its end
// by a share of w = v1 - u, u = dr/h the mean velocity, all along the gradient. So the end's velocity becomes
// u + g w with
//   1 - g = q/(1 + q),  q = 2/3 y^2,  y = F h/(2 m u):
// to third order in y the decay is the exponential, for large y it does not ring, and steady motion is left
// alone. The damper's loss and this one come to, m the mass along the gradient,
//   m [(2 y - (1 - g)/(2 (1 + g))) u^2 + (1 - g^2)/2 (w + u/(1 + g))^2] >= 0   for any y >= 0,
// with any other forces at work. (Gonzalez 1996 for the gradient; Kelvin and Voigt for the element.)
#include "core/pipe/contact.h"

#include <math.h>

void pipe_contact_begin(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    vec3 r = pipe_get3(s->r_n, i);
    int clear = surface_is_clear(&p->ground, p->contact_offset_m[i], r);
    w->penetration_m[i] = clear ? -1 : surface_penetration(&p->ground, p->contact_offset_m[i], r, NULL);
  }
}

double pipe_lower_height(const struct pipe *p, const struct pipe_def *def) {
  if (def->lower_height == HEIGHT_GIVEN)
    return def->lower_height_m;
  if (def->lower_height == HEIGHT_GROUND || p->contact_length_m[0] == 0)
    return 0;
  vec3 n;
  surface_penetration(&p->ground, 0, (vec3){def->anchor_n_m[0], def->anchor_n_m[1], p->depth_m}, &n);
  return p->contact_offset_m[0] -
         seabed_penetration(&p->seabed[0], p->weight_n[0] / p->contact_length_m[0] * n.z);
}

// A node's step into, in or out of the ground.
struct touch {
  struct surface_pass pass;
  double way_m; // kappa1 - kappa0, to the digits of dr
  double share; // of it in contact
  double spring_n, damper_n;
  double stiffness_npm; // derivative of both forces with respect to kappa1
  int any;
};

static struct touch touch_of(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                             int i, double inverse_h) {
  struct touch t = {.any = 0};
  double l = p->contact_length_m[i], derivative;
  if (l == 0)
    return t;
  vec3 dr = pipe_get3(w->dr_n, i);
  t.pass = surface_pass_of(&p->ground, p->contact_offset_m[i], w->penetration_m[i], pipe_get3(s->r_n, i), dr);
  double before = t.pass.before_m, after = t.pass.after_m;
  if (before <= 0 && after <= 0)
    return t;
  t.any = 1;
  t.way_m = vec3_dot(t.pass.gradient, dr);
  t.spring_n = l * seabed_mean_force(&p->seabed[i], before, after, &derivative);
  t.stiffness_npm = l * derivative;
  t.share = before <= 0 ? after / (after - before) : after <= 0 ? before / (before - after) : 1;
  double c = l * p->contact_damping_nspm2[i] * inverse_h;
  t.damper_n = c * t.share * t.way_m; // the share of the way is the change of max(kappa, 0)
  if (!p->contact_suction && t.damper_n < -t.spring_n) {
    t.damper_n = -t.spring_n;
    t.stiffness_npm = 0;
  } else if (after > 0) {
    t.stiffness_npm += c;
  }
  return t;
}

void pipe_contact_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                         double inverse_h) {
  for (int i = 0; i < p->nodes; i++) {
    struct touch t = touch_of(p, s, w, i, inverse_h);
    w->normal_force_n[i] = t.spring_n;
    w->damper_force_n[i] = t.damper_n;
    w->contact_share[i] = t.share;
    w->end_normal_force_n[i] = 0;
    if (!t.any)
      continue;
    w->end_normal_force_n[i] = p->contact_length_m[i] * seabed_force(&p->seabed[i], t.pass.after_m);
    pipe_set3(w->penetration_gradient, i, t.pass.gradient);
    pipe_set3(w->residual, i, vec3_axpy(t.spring_n + t.damper_n, t.pass.gradient, pipe_get3(w->residual, i)));
  }
}

struct contact_rates pipe_contact_tangent(const struct pipe *p, const struct pipe_state *s,
                                          const struct pipe_work *w, int i, double inverse_h,
                                          double block[36]) {
  struct contact_rates rates = {{0, 0, 0}, {0, 0, 0}, {{{0}}}};
  struct touch t = touch_of(p, s, w, i, inverse_h);
  if (!t.any)
    return rates;
  vec3 end;
  surface_pass_rates(&p->ground, &t.pass, pipe_get3(s->r_n, i), pipe_get3(w->dr_n, i), &end, &rates.turn);
  double before = t.pass.before_m, after = t.pass.after_m, way = after - before;
  if (before <= 0 || after <= 0) // the share turns with the end of the way
    rates.share = vec3_scale(fabs(before) / (way * way), end);
  if (after > 0)
    rates.hold = vec3_scale(p->contact_length_m[i] * seabed_stiffness(&p->seabed[i], after), end);
  vec3 growth = vec3_scale(t.stiffness_npm, end);
  const double g[3] = {t.pass.gradient.x, t.pass.gradient.y, t.pass.gradient.z},
               d[3] = {growth.x, growth.y, growth.z};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      block[6 * r + c] += g[r] * d[c] + (t.spring_n + t.damper_n) * rates.turn.m[r][c];
  return rates;
}

struct mobility {
  vec3 given;   // M^-1 n: velocity that a unit impulse along n gives
  double along; // n' M^-1 n
};

static struct mobility mobility_of(const struct pipe *p, const struct pipe_state *s, int i, vec3 n) {
  double m = p->mass_kg[i], c = p->axial_excess_kg[i], e = -c / (m * (m + c)); // M^-1 = 1/m + e t t'
  vec3 t = pipe_axis(s, i), given = vec3_axpy(e * vec3_dot(t, n), t, vec3_scale(1 / m, n));
  return (struct mobility){given, vec3_dot(n, given)};
}

// Of one node; returns the loss.
static double settle(const struct pipe *p, struct pipe_state *s, struct pipe_work *w, int i, double step_s) {
  vec3 n = pipe_get3(w->penetration_gradient, i), v = pipe_get3(s->v_n, i);
  struct mobility m = mobility_of(p, s, i, n);
  double u = vec3_dot(n, pipe_get3(w->dr_n, i)) / step_s, extra = vec3_dot(n, v) - u;
  double y = 0.5 * w->damper_force_n[i] * step_s * m.along / u, q = 2.0 / 3 * y * y,
         less = q / (1 + q); // 1 - g
  double push = step_s * (w->normal_force_n[i] + w->damper_force_n[i]) *
                m.along; // no more is taken back: ground does not pull
  if (!p->contact_suction && extra < 0 && less * -extra > push)
    less = push / -extra;
  double keep = 1 - less;
  pipe_set3(s->v_n, i, vec3_axpy(-less * extra / m.along, m.given, v));
  double together = extra + u / (1 + keep);
  return ((2 * y - 0.5 * less / (1 + keep)) * u * u + 0.5 * less * (1 + keep) * together * together) /
         m.along;
}

void pipe_contact_correct_velocities(const struct pipe *p, struct pipe_state *s, struct pipe_work *w,
                                     double step_s) {
  int last = p->top_attached || p->top_moved ? p->nodes - 2 : p->nodes - 1;
  w->seabed_loss_j = 0;
  w->unresolved = 0;
  for (int i = 0; i < p->nodes; i++) {
    if (w->normal_force_n[i] == 0 && w->damper_force_n[i] == 0)
      continue;
    vec3 n = pipe_get3(w->penetration_gradient, i);
    if (i > last || (i == 0 && p->held_position)) { // its velocity is not the pipe's to settle
      w->seabed_loss_j += w->damper_force_n[i] * vec3_dot(n, pipe_get3(w->dr_n, i));
      continue;
    }
    double rate = p->contact_damping_nspm2[i] + step_s * p->seabed[i].slope_npm2, l = p->contact_length_m[i];
    w->unresolved |= 0.5 * rate * l * step_s > p->mass_kg[i];
    if (w->damper_force_n[i] != 0)
      w->seabed_loss_j += settle(p, s, w, i, step_s);
  }
}
