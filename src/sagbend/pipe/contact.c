// The seabed under the nodes: spring, damper, friction.
//
// Spring. Over a step it exerts the mean force (V1 - V0)/(kappa1 - kappa0) along the discrete gradient of the
// penetration kappa (Gonzalez 1996), whose product with dr is kappa1 - kappa0. Its work is therefore exactly
// the change of V.
//
// Damper, parallel to the spring (Kelvin and Voigt): c dkappa/dt while kappa > 0. On the straight way from
// kappa0 to kappa1 its impulse over the step is c times the change of max(kappa, 0), whatever part of the
// step is spent in contact:
//   F = c (max(kappa1, 0) - max(kappa0, 0))/h,    loss F (kappa1 - kappa0) >= 0.
// Without suction the ground does not pull: F is at least minus the mean force of the spring. A force limited
// in this way still has the sign of kappa1 - kappa0.
//
// Correction of velocities. The above is the midpoint rule, under which a velocity rings where c h is large
// compared with the mass: v0 becomes v0 (1 - y)/(1 + y) with y = c h/(2 m). The moment at which an impulse
// acts within the step changes the velocity at its end by a share of w = v1 - u along the gradient, u = dr/h
// the mean velocity. The velocity at the end therefore becomes u + g w with
//   1 - g = q/(1 + q),  q = 2/3 y^2,  y = F h/(2 m u).
// To third order in y the decay is then exponential; for large y nothing rings, and steady motion does not
// change. The losses of damper and correction add up to, m the mass along the gradient,
//   m [(2 y - (1 - g)/(2 (1 + g))) u^2 + (1 - g^2)/2 (w + u/(1 + g))^2] >= 0   for any y >= 0,
// whatever other forces act.
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/blocktri/blocktri.h"
#include "sagbend/ground/ground.h"
#include "sagbend/math/math.h"

#include <math.h>

// Penetrations into a plane.
KERNEL_CLONES
static void plane_penetrations(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  const vec3 normal = p->pipe->ground.normal_n, point = p->pipe->ground.point_n;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 r;
    lanes offset;
    L3_LOAD(r, s->r_n, i);
    lanes_load(&offset, p->contact_offset_m + i);
    r = (struct lanes3){r.x - point.x, r.y - point.y, r.z - (point.z - offset / normal.z)};
    lanes depth = L3_DOT(normal, r);
    lanes_store(w->penetration_m + i, &depth);
  }
}

static void grid_penetrations(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    vec3 r = pipe_get3(s->r_n, i);
    int clear = surface_is_clear(&p->pipe->ground, p->contact_offset_m[i], r);
    w->penetration_m[i] = clear ? -1 : surface_penetration(&p->pipe->ground, p->contact_offset_m[i], r, NULL);
  }
}

// What the soil below each node is at the start of a step, from w->penetration_m.
static void begin_soil(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    const double z = w->penetration_m[i];
    if (z > 0 && p->contact_length_m[i] > 0) {
      const struct soil_memory memory = ground_memory(s, i);
      w->soil[i] = soil_begin(ground_column(p, i), &memory, z);
    } else if (w->soil[i].z_m > 0) {
      w->soil[i] = (struct soil_start){.z_m = z};
    } else {
      w->soil[i].z_m = z; // the rest is 0
    }
  }
}

void pipe_contact_begin(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  if (p->pipe->ground.north_nodes == 0)
    plane_penetrations(p, s, w);
  else
    grid_penetrations(p, s, w);
  if (p->pipe->has_soil)
    begin_soil(p, s, w);
}

double pipe_contact_energy(const struct pipe_mesh *p, const struct pipe_state *s, int i,
                           double penetration_m) {
  if (!p->pipe->has_soil)
    return seabed_energy(&p->seabed[i], penetration_m);
  const struct soil_memory memory = ground_memory(s, i);
  return soil_begin(ground_column(p, i), &memory, penetration_m).energy_jpm;
}

double pipe_lower_height(const struct pipe_mesh *p, const struct pipe_def *def) {
  if (def->lower_height == HEIGHT_GIVEN)
    return def->lower_height_m;
  if (def->lower_height == HEIGHT_GROUND || p->contact_length_m[0] == 0)
    return 0;
  vec3 n;
  surface_penetration(&p->pipe->ground, 0, (vec3){def->anchor_n_m[0], def->anchor_n_m[1], p->pipe->depth_m},
                      &n);
  const double weight = p->weight_n[0] / p->contact_length_m[0] * n.z;
  double deepest;
  return p->contact_offset_m[0] - (p->pipe->has_soil
                                       ? soil_resting(&p->pipe->column[p->type[0]], weight, 1, &deepest)
                                       : seabed_penetration(&p->seabed[0], weight));
}

// Contact of one node over a step.
struct contact {
  struct surface_pass pass;
  double way_m; // kappa1 - kappa0, without losing digits of dr
  double share; // of the way in contact
  double spring_n, damper_n;
  double stiffness_npm;            // derivative of both forces with respect to kappa1
  double end_n, end_stiffness_npm; // force of the spring at kappa1, >= 0, and its derivative; only with soil
  int touches;                     // 0: no contact, the forces are 0
};

// The soil over the step where a layer slides.
RARE_PATH struct soil_way slide_on_soil(const struct pipe_mesh *p, const struct pipe_state *s,
                                        const struct pipe_work *w, int i, double after) {
  const struct soil_memory memory = ground_memory(s, i);
  return soil_over(ground_column(p, i), &memory, &w->soil[i], after, NULL);
}

// At rest (statics), where the tangent is half the stiffness.
RARE_PATH struct soil_way rest_on_soil(const struct pipe_mesh *p, const struct pipe_state *s,
                                       const struct pipe_work *w, int i, double after) {
  const struct soil_column *column = ground_column(p, i);
  const double deepest = s->soil_m[SOIL_LAYERS][i];
  struct soil_way way = w->with_secant ? soil_at_rest_from_far(column, deepest, after)
                                       : soil_at_rest(column, deepest, after, NULL);
  way.stiffness_npm2 *= 0.5;
  return way;
}

// The soil over the step, or without one at rest. is_known: the tangent of a step, whose forces left the way
// in w. Over a step the mean force has an S-shape in kappa1, stiffest at kappa0: Newton's method may cycle
// about it, and then the secant of the step is the bound of the tangent.
KERNEL_INLINE struct soil_way press_soil(const struct pipe_mesh *p, const struct pipe_state *s,
                                         const struct pipe_work *w, int i, int is_step, int is_known,
                                         double before, double after) {
  if (!is_step)
    return rest_on_soil(p, s, w, i, after);
  if (!is_known)
    return soil_sticks(&w->soil[i], after) ? soil_stuck(&w->soil[i], after)
                                           : slide_on_soil(p, s, w, i, after);
  struct soil_way way = w->soil_way[i];
  if (w->with_secant && after != before)
    way.stiffness_npm2 = fmax(way.stiffness_npm2, (way.force_npm - w->soil[i].force_npm) / (after - before));
  return way;
}

KERNEL_INLINE struct contact contact_of(const struct pipe_mesh *p, const struct pipe_state *s,
                                        const struct pipe_work *w, int i, double inverse_h, int is_known) {
  struct contact contact = {.touches = 0};
  double l = p->contact_length_m[i], derivative;
  if (l == 0)
    return contact;

  vec3 dr = pipe_get3(w->dr_n, i);
  contact.pass = surface_pass_of(&p->pipe->ground, p->contact_offset_m[i], w->penetration_m[i],
                                 pipe_get3(s->r_n, i), dr);
  double before = contact.pass.before_m, after = contact.pass.after_m;
  if (before <= 0 && after <= 0)
    return contact;

  contact.touches = 1;
  contact.way_m = vec3_dot(contact.pass.gradient, dr);
  if (p->pipe->has_soil) {
    const struct soil_way soil = press_soil(p, s, w, i, inverse_h > 0, is_known, before, after);
    if (!is_known)
      w->soil_way[i] = soil;
    const int presses = soil.end_force_npm > 0;
    contact.spring_n = l * soil.force_npm;
    contact.stiffness_npm = l * soil.stiffness_npm2;
    contact.end_n = presses ? l * soil.end_force_npm : 0;
    contact.end_stiffness_npm = presses ? l * soil.end_stiffness_npm2 : 0;
  } else {
    contact.spring_n = l * seabed_mean_force(&p->seabed[i], before, after, &derivative);
    contact.stiffness_npm = l * derivative;
  }
  contact.share = before <= 0 ? after / (after - before) : after <= 0 ? before / (before - after) : 1;
  double c = l * p->contact_damping_nspm2[i] * inverse_h;
  contact.damper_n = c * contact.share * contact.way_m; // share of the way: the change of max(kappa, 0)
  const double least_n = contact.spring_n >= 0 ? -contact.spring_n : 0; // a soil that pulls does so itself
  if (!p->pipe->contact_suction && contact.damper_n < least_n) {
    contact.damper_n = least_n;
    contact.stiffness_npm = 0;
  } else if (after > 0) {
    contact.stiffness_npm += c;
  }

  return contact;
}

double pipe_contact_rest_stiffness(const struct pipe_mesh *p, const struct pipe_state *s, int i,
                                   double penetration_m) {
  double derivative;
  if (p->pipe->has_soil)
    return 0.5 *
           soil_at_rest(ground_column(p, i), s->soil_m[SOIL_LAYERS][i], penetration_m, NULL).stiffness_npm2;
  seabed_mean_force(&p->seabed[i], penetration_m, penetration_m, &derivative);
  return derivative;
}

// Whether the nodes from i on stay above a plane; then there are no forces on them.
KERNEL_INLINE int are_clear(const struct pipe_mesh *p, struct pipe_work *w, int i) {
  const vec3 normal = p->pipe->ground.normal_n;
  const lanes none = {0};
  struct lanes3 dr;
  lanes before;
  L3_LOAD(dr, w->dr_n, i);
  lanes_load(&before, w->penetration_m + i);
  const lane_mask touches = ~((before <= 0) & (before + L3_DOT(normal, dr) <= 0));
  if (touches[0] | touches[1] | touches[2] | touches[3])
    return 0;
  lanes_store(w->normal_force_n + i, &none);
  lanes_store(w->damper_force_n + i, &none);
  lanes_store(w->contact_share + i, &none);
  lanes_store(w->end_normal_force_n + i, &none);
  return 1;
}

KERNEL_INLINE void contact_forces_on(const struct pipe_mesh *p, const struct pipe_state *s,
                                     struct pipe_work *w, int i, double inverse_h) {
  struct contact contact = contact_of(p, s, w, i, inverse_h, 0);
  w->normal_force_n[i] = contact.spring_n;
  w->damper_force_n[i] = contact.damper_n;
  w->contact_share[i] = contact.share;
  w->end_normal_force_n[i] = 0;
  if (!contact.touches)
    return;
  if (p->pipe->has_soil)
    w->end_normal_force_n[i] = contact.end_n, w->end_penetration_m[i] = contact.pass.after_m;
  else
    w->end_normal_force_n[i] = p->contact_length_m[i] * seabed_force(&p->seabed[i], contact.pass.after_m);
  pipe_set3(w->penetration_gradient, i, contact.pass.gradient);
  pipe_set3(w->residual, i,
            vec3_axpy(contact.spring_n + contact.damper_n, contact.pass.gradient, pipe_get3(w->residual, i)));
}

KERNEL_CLONES
void pipe_contact_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         double inverse_h) {
  const int is_plane = p->pipe->ground.north_nodes == 0;
  for (int first = 0; first < p->nodes; first += LANES)
    if (!is_plane || !are_clear(p, w, first))
      for (int i = first; i < p->nodes && i < first + LANES; i++)
        contact_forces_on(p, s, w, i, inverse_h);
}

struct contact_rates pipe_contact_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                          const struct pipe_work *w, int i, double inverse_h,
                                          double block[36]) {
  struct contact_rates rates = {{0, 0, 0}, {0, 0, 0}, {{{0}}}};
  struct contact contact = contact_of(p, s, w, i, inverse_h, 1);
  if (!contact.touches)
    return rates;

  vec3 end;
  surface_pass_rates(&p->pipe->ground, &contact.pass, pipe_get3(s->r_n, i), pipe_get3(w->dr_n, i), &end,
                     &rates.turn);
  double before = contact.pass.before_m, after = contact.pass.after_m, way = after - before;
  if (before <= 0 || after <= 0) // the share changes with the end of the way
    rates.share = vec3_scale(fabs(before) / (way * way), end);

  if (after > 0 && p->pipe->has_soil)
    rates.end_force = vec3_scale(contact.end_stiffness_npm, end);
  else if (after > 0)
    rates.end_force = vec3_scale(p->contact_length_m[i] * seabed_stiffness(&p->seabed[i], after), end);

  vec3 stiffness = vec3_scale(contact.stiffness_npm, end);
  const double g[3] = {contact.pass.gradient.x, contact.pass.gradient.y, contact.pass.gradient.z},
               d[3] = {stiffness.x, stiffness.y, stiffness.z};

  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      block[block_at(r, c)] += g[r] * d[c] + (contact.spring_n + contact.damper_n) * rates.turn.m[r][c];

  return rates;
}

struct mobility {
  vec3 velocity; // M^-1 n: change of velocity by a unit impulse along n
  double along;  // n' M^-1 n
};

static struct mobility mobility_of(const struct pipe_mesh *p, const struct pipe_state *s, int i, vec3 n) {
  double m = p->mass_kg[i], c = p->axial_excess_kg[i], e = -c / (m * (m + c)); // M^-1 = 1/m + e t t'
  vec3 t = pipe_axis(s, i), velocity = vec3_axpy(e * vec3_dot(t, n), t, vec3_scale(1 / m, n));
  return (struct mobility){velocity, vec3_dot(n, velocity)};
}

// Corrects the velocity of one node; returns the loss of damper and correction.
static double correct_velocity(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w, int i,
                               double step_s) {
  vec3 n = pipe_get3(w->penetration_gradient, i), v = pipe_get3(s->v_n, i);
  struct mobility m = mobility_of(p, s, i, n);
  double u = vec3_dot(n, pipe_get3(w->dr_n, i)) / step_s, excess = vec3_dot(n, v) - u;
  double y = 0.5 * w->damper_force_n[i] * step_s * m.along / u, q = 2.0 / 3 * y * y,
         less = q / (1 + q); // 1 - g
  // Without suction the correction takes back no more than the impulse of the ground.
  double push = step_s * (w->normal_force_n[i] + w->damper_force_n[i]) * m.along;
  if (!p->pipe->contact_suction && excess < 0 && less * -excess > push)
    less = push > 0 ? push / -excess : 0;

  double keep = 1 - less;
  pipe_set3(s->v_n, i, vec3_axpy(-less * excess / m.along, m.velocity, v));
  double together = excess + u / (1 + keep);

  return ((2 * y - 0.5 * less / (1 + keep)) * u * u + 0.5 * less * (1 + keep) * together * together) /
         m.along;
}

// Stiffness of the spring for the resolution of a step. A soil counts where the node passes its stiffest
// layer.
static double spring_rate(const struct pipe_mesh *p, const struct pipe_work *w, int i) {
  if (!p->pipe->has_soil)
    return p->seabed[i].slope_npm2;
  const struct soil_start *soil = &w->soil[i];
  return fabs(w->end_penetration_m[i] - soil->z_m) > ground_column(p, i)->limit_m[0]
             ? soil->strength_npm * soil->sum[0]
             : 0;
}

void pipe_contact_correct_velocities(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w,
                                     double step_s) {
  int last = p->top_attached || p->top_moved ? p->nodes - 2 : p->nodes - 1;
  w->seabed_loss_j = 0;
  w->unresolved = 0;

  for (int i = 0; i < p->nodes; i++) {
    if (w->normal_force_n[i] == 0 && w->damper_force_n[i] == 0)
      continue;
    vec3 n = pipe_get3(w->penetration_gradient, i);
    if (i > last || (i == 0 && p->held_position)) { // its velocity is prescribed
      w->seabed_loss_j += w->damper_force_n[i] * vec3_dot(n, pipe_get3(w->dr_n, i));
      continue;
    }
    double rate = p->contact_damping_nspm2[i] + step_s * spring_rate(p, w, i), l = p->contact_length_m[i];
    w->unresolved |= 0.5 * rate * l * step_s > p->mass_kg[i];
    if (w->damper_force_n[i] != 0)
      w->seabed_loss_j += correct_velocity(p, s, w, i, step_s);
  }
}

// ------------------------------------------------------------
// For each node and direction a spring that slips (sagbend/math/math.h), of bound c = mu N/k and moved
// by x = f du, du the displacement over the step and f the share of it in contact; the force on the node is f
// F. N is the force of the seabed's spring at the end of the step, because elongations belong to the ends of
// steps. A node that slips is thus braked by the mean of mu N at both ends, and the step is of second order.
//
// Where the bound has shrunk below |s0| and the node has turned back through the other bound within the step,
// as where it leaves the ground, the spring gives back what it has lost,
//   F = k (s0^2 - s1^2)/2/(s0 - (s0 + x)),
// without loss. That continues the force: with one that jumps, a step may have no solution.
//
// Directions: e0 is the mean axis of the pipe over the step, projected on the plane across the ground's
// normal n in the middle of the step; e1 = n x e0.
//
// That is the law coulomb. With breakout, on soil, the bound falls from a peak, and N may be large at one end
// of a step and 0 at the other: there the elongation meets the bound and follows it
// (sagbend/ground/ground.h), and the loss is >= 0 always.

struct friction_springs {
  double k, bound[2]; // k, c
  double share;       // f
  vec3 normal, axis;  // n, mean of t_1
  vec3 along[2];      // e0, e1
  double level;       // e0 . axis; 0: the pipe is upright
  double slant;       // n . axis over |gradient of penetration|
};

// Whether contact or a remaining elongation makes friction act on node i.
static int is_gripped(const struct pipe_state *s, const struct pipe_work *w, int i) {
  return w->normal_force_n[i] != 0 || s->friction_elongation_m[0][i] != 0 ||
         s->friction_elongation_m[1][i] != 0;
}

static struct friction_springs springs_of(const struct pipe_mesh *p, const struct pipe_work *w, int i) {
  struct friction_springs springs = {.k = p->pipe->friction.stiffness_npm2 * p->contact_length_m[i],
                                     .share = w->contact_share[i]};
  vec3 n = w->normal_force_n[i] != 0 ? pipe_get3(w->penetration_gradient, i) : (vec3){0, 0, 1};
  double steep = 1 / vec3_norm(n);
  springs.normal = vec3_scale(steep, n);
  springs.axis = vec3_axpy(0.5, pipe_get3(w->dd, i), pipe_get3(w->d0, i));
  double up = vec3_dot(springs.axis, springs.normal);
  vec3 a = vec3_axpy(-up, springs.normal, springs.axis);
  springs.level = vec3_norm(a);
  springs.slant = up * steep;
  if (!(springs.level > 0)) // upright
    a = (vec3){springs.normal.z, 0, -springs.normal.x};

  double size = vec3_norm(a);
  springs.along[0] = (vec3){a.x / size, a.y / size, a.z / size};
  springs.along[1] = vec3_cross(springs.normal, springs.along[0]);

  for (int d = 0; d < 2; d++)
    springs.bound[d] = p->pipe->friction.coefficient[d] * w->end_normal_force_n[i] / springs.k;
  return springs;
}

struct node_slip {
  struct slip is;
  int is_given; // 1: by_way and by_normal are the derivatives of the force; 0: those of the spring hold
  double by_way, by_normal; // of is.mean
};

// The slip of node i beyond the residual bound.
RARE_PATH struct node_slip break_out(const struct pipe_mesh *p, const struct pipe_state *s,
                                     const struct pipe_work *w, int i, int d, double du) {
  const struct soil_friction *f = &p->pipe->soil_friction;
  const double l = p->contact_length_m[i], z = fmax(w->penetration_m[i], 0);
  const struct breakout spring = {.stiffness_npm = p->pipe->friction.stiffness_npm2 * l,
                                  .peak = fmax(f->peak[d], p->pipe->friction.coefficient[d]),
                                  .residual = p->pipe->friction.coefficient[d],
                                  .residual_m = f->residual_m[d],
                                  .passive_n = d == 1 ? l * z * (f->passive[0] + z * f->passive[1]) : 0,
                                  .slipped_m = s->slip_m[d][i],
                                  .start_normal_n = l * fmax(w->soil[i].force_npm, 0),
                                  .end_normal_n = w->end_normal_force_n[i]};
  const struct breakout_slip x =
      breakout_over(&spring, s->friction_elongation_m[d][i], w->contact_share[i] * du);
  return (struct node_slip){.is = {.end = x.end_m, .mean = x.force_n, .loss = x.loss_j, .way = x.slip_m},
                            .is_given = 1,
                            .by_way = x.by_way_npm,
                            .by_normal = x.by_normal};
}

// ---- The laws of sagbend/ground/ground.h: the slip of node i that moves by du along direction d ----

static inline struct node_slip friction_coulomb(const struct friction_springs *springs,
                                                const struct pipe_mesh *p, const struct pipe_state *s,
                                                const struct pipe_work *w, int i, int d, double du) {
  (void)w;
  const double start = s->friction_elongation_m[d][i], free = start + springs->share * du;
  struct node_slip slip = {.is = bounded_spring(springs->k, springs->bound[d], start, free)};
  if (slip.is.loss < 0) {
    const double back = start - free; // not 0: both bounds lie between
    slip.is.sign = 0;
    slip.is.loss = 0;
    slip.is.mean = 0.5 * springs->k * ((start * start - slip.is.end * slip.is.end) / back);
    slip.is_given = 1;
    slip.by_way = slip.is.mean / back;
    slip.by_normal = -p->pipe->friction.coefficient[d] * springs->bound[d] / back;
  }
  return slip;
}

// Within the residual bound it is a spring too.
static inline struct node_slip friction_breakout(const struct friction_springs *springs,
                                                 const struct pipe_mesh *p, const struct pipe_state *s,
                                                 const struct pipe_work *w, int i, int d, double du) {
  const double start = s->friction_elongation_m[d][i], end = start + springs->share * du;
  if (fabs(end) <= springs->bound[d])
    return (struct node_slip){.is = {.end = end, .mean = 0.5 * springs->k * (start + end)},
                              .is_given = 1,
                              .by_way = 0.5 * springs->k};
  return break_out(p, s, w, i, d, du);
}

static inline struct node_slip node_slip_of(const struct friction_springs *springs, const struct pipe_mesh *p,
                                            const struct pipe_state *s, const struct pipe_work *w, int i,
                                            int d, double du) {
  switch (p->pipe->friction.law) {
#define CASE(LAW, word, ...)                                                                                 \
  case FRICTION_##LAW:                                                                                       \
    return friction_##word(springs, p, s, w, i, d, du);
    FRICTION_LAW_TABLE(CASE)
#undef CASE
  case FRICTION_OF_SEABED:
  case FRICTION_LAW_COUNT:
    break;
  }
  return (struct node_slip){.is = {.end = 0}}; // no pipe has one of these two
}

void pipe_friction_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  w->friction_loss_j = 0;
  for (int i = 0; i < p->nodes; i++) {
    w->end_friction_elongation_m[0][i] = w->end_friction_elongation_m[1][i] = 0;
    w->friction_slip_m[0][i] = w->friction_slip_m[1][i] = 0;
    if (p->contact_length_m[i] == 0 || !is_gripped(s, w, i))
      continue;
    struct friction_springs springs = springs_of(p, w, i);
    vec3 dr = pipe_get3(w->dr_n, i);
    for (int d = 0; d < 2; d++) {
      const double du = vec3_dot(springs.along[d], dr);
      const struct slip slip = node_slip_of(&springs, p, s, w, i, d, du).is;
      w->end_friction_elongation_m[d][i] = slip.end;
      w->friction_slip_m[d][i] = slip.way;
      w->friction_loss_j += slip.loss;
      pipe_set3(w->residual, i,
                vec3_axpy(springs.share * slip.mean, springs.along[d], pipe_get3(w->residual, i)));
    }
  }
}

// Derivative with respect to dr (shift) and the rotation at the end (turn).
struct variation {
  vec3 shift, turn;
};

static struct variation scaled(double a, struct variation x) {
  return (struct variation){vec3_scale(a, x.shift), vec3_scale(a, x.turn)};
}

static struct variation sum(struct variation x, struct variation y) {
  return (struct variation){vec3_add(x.shift, y.shift), vec3_add(x.turn, y.turn)};
}

// Derivatives of the directions: de0 = e1 turn - n dip[0], de1 = -e0 turn - n dip[1].
struct triad_rates {
  struct variation turn, dip[2];
};

static struct triad_rates triad_rates_of(const struct friction_springs *springs, const struct pipe_work *w,
                                         int i, const mat3 *turn) {
  struct triad_rates x = {{{0, 0, 0}, {0, 0, 0}}, {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}}};
  double steep = 1 / vec3_norm(pipe_get3(w->penetration_gradient, i));
  vec3 lean[2];

  for (int d = 0; d < 2; d++) {
    lean[d] = mat3_tmul(turn, springs->along[d]); // times 1/|gradient|: dn . e_d
    x.dip[d].shift = vec3_scale(steep, lean[d]);
  }

  if (springs->level > 0) {
    vec3 end = vec3_add(pipe_get3(w->d0, i), pipe_get3(w->dd, i));
    x.turn.turn = vec3_scale(0.5 / springs->level, vec3_cross(end, springs->along[1]));
    x.turn.shift = vec3_scale(-springs->slant / springs->level, lean[1]);
  }

  return x;
}

static void add_variation(double block[36], vec3 e, const struct variation *f) {
  const double row[3] = {e.x, e.y, e.z}, shift[3] = {f->shift.x, f->shift.y, f->shift.z},
               turn[3] = {f->turn.x, f->turn.y, f->turn.z};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      block[block_at(r, c)] += row[r] * shift[c];
      block[block_at(r, 3 + c)] += row[r] * turn[c];
    }
}

void pipe_friction_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           int i, const struct contact_rates *rates, double block[36]) {
  if (p->contact_length_m[i] == 0 || w->normal_force_n[i] == 0) // not in contact
    return;

  struct friction_springs springs = springs_of(p, w, i);
  struct triad_rates triad = triad_rates_of(&springs, w, i, &rates->turn);
  vec3 dr = pipe_get3(w->dr_n, i);
  const double du[2] = {vec3_dot(springs.along[0], dr), vec3_dot(springs.along[1], dr)},
               rise = vec3_dot(springs.normal, dr);

  for (int d = 0; d < 2; d++) {
    const struct node_slip node = node_slip_of(&springs, p, s, w, i, d, du[d]);
    const struct slip slip = node.is;
    // F = f k (s0 + s1)/2 with s1 = s0 + f du or +- mu N/k. side: sign of the other direction as this one
    // turns.
    const double side = d ? -1 : 1, force = springs.share * slip.mean;
    const double by_share = node.is_given ? slip.mean + springs.share * node.by_way * du[d]
                            : slip.sign   ? slip.mean
                                          : springs.k * slip.end;
    const double by_way = node.is_given ? node.by_way : 0.5 * springs.k;
    struct variation change = {vec3_scale(by_share, rates->share), {0, 0, 0}};
    if (node.is_given)
      change.shift = vec3_axpy(springs.share * node.by_normal, rates->end_force, change.shift);
    if (slip.sign) {
      change.shift = vec3_axpy(0.5 * springs.share * slip.sign * p->pipe->friction.coefficient[d],
                               rates->end_force, change.shift);
      if (w->with_secant && slip.way > 0) { // from one bound to the other Newton's method may cycle
        const double free_m = springs.share * du[d];
        const double secant = 0.5 * springs.k * (1 - slip.way / fabs(free_m));
        change.shift =
            vec3_axpy(fmax(0, secant) * springs.share * springs.share, springs.along[d], change.shift);
      }
    } else {
      struct variation way = sum(scaled(side * du[1 - d], triad.turn), scaled(-rise, triad.dip[d]));
      way.shift = vec3_add(way.shift, springs.along[d]);
      change = sum(change, scaled(by_way * springs.share * springs.share, way));
    }
    struct variation across = scaled(side * force, triad.turn), down = scaled(-force, triad.dip[d]);
    add_variation(block, springs.along[d], &change);
    add_variation(block, springs.along[1 - d], &across);
    add_variation(block, springs.normal, &down);
  }
}

void pipe_friction_commit(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w) {
  for (int d = 0; d < 2; d++)
    for (int i = 0; i < p->nodes; i++)
      s->friction_elongation_m[d][i] = w->end_friction_elongation_m[d][i];
  if (!s->slip_m[0])
    return;
  for (int i = 0; i < p->nodes; i++) {
    const int lies = w->end_normal_force_n[i] != 0 ||
                     (p->pipe->has_soil && w->contact_share[i] != 0 && w->end_penetration_m[i] > 0);
    for (int d = 0; d < 2; d++)
      s->slip_m[d][i] = lies ? s->slip_m[d][i] + w->friction_slip_m[d][i] : 0;
  }
}
