// Dissipative flow of the pipe with positions frozen. The nodes are then independent (lumped masses) and the
// section frames fixed.
//   - Morison drag on the velocity relative to the water (Saefstroem 2009, eq. 5.34): m v' = -k |v_p| v_p for
//     the axial and the transverse part p, solved exactly: v(h) = v(0) / (1 + (k/m) |v(0)| h). The moving
//     water supplies the energy u . m dv through an energy port; the rest of the change of kinetic energy is
//     the loss, >= 0.
//   - Rotational damping J W' = -D W by the midpoint rule, with loss h D W_mean^2.
//   - Push of accelerating water: mass of the displaced water and added mass times du, for each part. The
//     first is the pressure gradient that accelerates the water (Froude-Krylov), the second the added mass on
//     the relative acceleration. As nothing moves, the change du over the flow gives the exact impulse
//     whatever the course of u; its work is impulse . mean velocity.
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"

#include <math.h>

// The nodes of LANES neighbours: their constants, axes and velocities.
struct drag_nodes {
  lanes m, m_axial, z;
  lanes wet; // share in the water
  struct lanes3 axis, v;
};

// Sums over the nodes, as in drag_account.
struct drag_sums {
  lanes drag_loss, current_work, inertia_work, waves_work;
};

KERNEL_INLINE void load_nodes(struct drag_nodes *n, const struct pipe_mesh *p, const struct pipe_state *s,
                              int i) {
  lanes w, x, y, z, excess;
  lanes_load(&n->m, p->mass_kg + i);
  lanes_load(&excess, p->axial_excess_kg + i);
  n->m_axial = n->m + excess;
  lanes_load(&n->z, s->r_n[2] + i);
  L3_LOAD(n->v, s->v_n, i);
  pipe_wet_shares(p, s, NULL, 0, i, &n->wet);
  lanes_load(&w, s->q_nt[0] + i), lanes_load(&x, s->q_nt[1] + i);
  lanes_load(&y, s->q_nt[2] + i), lanes_load(&z, s->q_nt[3] + i);
  n->axis = (struct lanes3){1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
}

// current_at for several depths: the current of the profile, before it is scaled and turned.
KERNEL_INLINE void profile_at(struct lanes3 *u, const struct current *current, const lanes *z) {
  const lanes zero = {0}, one = zero + 1;
  const vec3 *v = current->v_n;
  struct lanes3 at = {zero + v[0].x, zero + v[0].y, zero + v[0].z};
  struct lanes3 rise = {zero + (v[1].x - v[0].x), zero + (v[1].y - v[0].y), zero + (v[1].z - v[0].z)};
  lanes from = zero + current->z_m[0], width = zero + (current->z_m[1] - current->z_m[0]);
  for (int k = 1; k < current->count - 1; k++) {
    const lane_mask below = *z > current->z_m[k];
    const struct lanes3 next = {zero + v[k].x, zero + v[k].y, zero + v[k].z};
    const struct lanes3 next_rise = {zero + (v[k + 1].x - v[k].x), zero + (v[k + 1].y - v[k].y),
                                     zero + (v[k + 1].z - v[k].z)};
    const lanes next_from = zero + current->z_m[k],
                next_width = next_from * 0 + (current->z_m[k + 1] - current->z_m[k]);
    lanes_select(&at.x, &below, &next.x, &at.x), lanes_select(&at.y, &below, &next.y, &at.y);
    lanes_select(&at.z, &below, &next.z, &at.z);
    lanes_select(&rise.x, &below, &next_rise.x, &rise.x),
        lanes_select(&rise.y, &below, &next_rise.y, &rise.y);
    lanes_select(&rise.z, &below, &next_rise.z, &rise.z);
    lanes_select(&from, &below, &next_from, &from), lanes_select(&width, &below, &next_width, &width);
  }

  lanes share = (*z - from) / width;
  lane_mask outside = share < 0;
  lanes_select(&share, &outside, &zero, &share);
  outside = share > 1;
  lanes_select(&share, &outside, &one, &share);
  *u = (struct lanes3)L3_AXPY(share, rise, at);
}

KERNEL_INLINE void turned(struct lanes3 *to, const struct current_turn *turn, const struct lanes3 *u) {
  *to = (struct lanes3){turn->along * u->x - turn->across * u->y, turn->along * u->y + turn->across * u->x,
                        turn->along * u->z};
}

// v after drag in water with the velocity of the current and, unless NULL, that of the waves.
KERNEL_INLINE void drag_nodes(const struct pipe_mesh *p, struct drag_nodes *n, const struct lanes3 *current,
                              const struct lanes3 *waves, double step_s, int i, const lane_mask *own,
                              struct drag_sums *sums) {
  const lanes zero = {0};
  lanes coefficient, along_size;
  struct lanes3 u = *current;
  if (waves)
    u = (struct lanes3)L3_ADD(*current, *waves);
  struct lanes3 relative = L3_SUB(n->v, u);
  lanes along = L3_DOT(n->axis, relative), minus = -along;
  struct lanes3 across = L3_AXPY(minus, n->axis, relative);
  lanes speed = L3_DOT(across, across);
  lanes_sqrt(&speed);
  lanes_load(&coefficient, p->drag_transverse + i);
  coefficient = coefficient * n->wet;
  lanes keep_across = 1 / (1 + coefficient / n->m * speed * step_s);
  lanes_load(&coefficient, p->drag_axial + i);
  lanes_abs(&along_size, &along);
  coefficient = coefficient * n->wet;
  lanes keep_along = 1 / (1 + coefficient / n->m_axial * along_size * step_s);
  lanes loss = 0.5 * n->m * (1 - keep_across * keep_across) * speed * speed +
               0.5 * n->m_axial * (1 - keep_along * keep_along) * along * along;
  lanes_select(&loss, own, &loss, &zero);
  sums->drag_loss += loss;

  along = keep_along * along;
  struct lanes3 after = L3_SCALE(keep_across, across);
  after = (struct lanes3)L3_AXPY(along, n->axis, after);
  after = (struct lanes3)L3_ADD(u, after);
  struct lanes3 change = L3_SUB(after, n->v);
  along = (n->m_axial - n->m) * L3_DOT(n->axis, change);
  struct lanes3 impulse = L3_SCALE(n->m, change);
  impulse = (struct lanes3)L3_AXPY(along, n->axis, impulse);
  lanes work = L3_DOT(*current, impulse);
  lanes_select(&work, own, &work, &zero);
  sums->current_work += work;
  if (waves) {
    work = L3_DOT(*waves, impulse);
    lanes_select(&work, own, &work, &zero);
    sums->waves_work += work;
  }
  n->v = after;
}

// v after the push of water whose velocity changes by du.
KERNEL_INLINE void push_nodes(const struct pipe_mesh *p, struct drag_nodes *n, const struct lanes3 *du, int i,
                              const lane_mask *own, struct drag_sums *sums) {
  const lanes zero = {0};
  lanes water_along, water_across;
  lanes_load(&water_along, p->water_kg[0] + i), lanes_load(&water_across, p->water_kg[1] + i);
  water_along = water_along * n->wet, water_across = water_across * n->wet;
  lanes along = L3_DOT(n->axis, *du), minus = -along;
  struct lanes3 across = L3_AXPY(minus, n->axis, *du);
  struct lanes3 impulse = L3_SCALE(water_across, across);
  lanes share = water_along * along;
  impulse = (struct lanes3)L3_AXPY(share, n->axis, impulse);
  share = water_across / n->m;
  struct lanes3 change = L3_SCALE(share, across);
  share = water_along / n->m_axial * along;
  change = (struct lanes3)L3_AXPY(share, n->axis, change);
  struct lanes3 mean = L3_AXPY(0.5, change, n->v);
  lanes work = L3_DOT(impulse, mean);
  lanes_select(&work, own, &work, &zero);
  sums->inertia_work += work;
  n->v = (struct lanes3)L3_ADD(n->v, change);
}

KERNEL_CLONES
static void drag_on_pipe(const struct pipe_mesh *p, struct pipe_state *s, double step_s,
                         const struct current *current, const struct current_span *span,
                         double *const waves_n[3], int reversed, struct drag_account *account) {
  struct drag_sums sums = {{0}, {0}, {0}, {0}};
  const int pushed = span->change.along != 0 || span->change.across != 0;
  const int first = p->held_position ? 1 : 0;
  const int last = p->top_attached || p->top_moved ? p->nodes - 2 : p->nodes - 1;
  for (int i = 0; i <= last; i += LANES) {
    struct drag_nodes n;
    struct lanes3 profile, u, du, before, waves;
    lane_mask own;
    load_nodes(&n, p, s, i);
    lanes_within(&own, i, first, last);
    before = n.v;
    profile_at(&profile, current, &n.z);
    turned(&u, &span->middle, &profile);
    turned(&du, &span->change, &profile);
    if (pushed && !reversed)
      push_nodes(p, &n, &du, i, &own, &sums);
    if (waves_n)
      L3_LOAD(waves, waves_n, i);
    drag_nodes(p, &n, &u, waves_n ? &waves : NULL, step_s, i, &own, &sums);
    if (pushed && reversed)
      push_nodes(p, &n, &du, i, &own, &sums);
    lanes_select(&n.v.x, &own, &n.v.x, &before.x);
    lanes_select(&n.v.y, &own, &n.v.y, &before.y);
    lanes_select(&n.v.z, &own, &n.v.z, &before.z);
    L3_STORE(s->v_n, i, n.v);
  }
  account->drag_loss_j += lanes_sum(&sums.drag_loss);
  account->current_work_j += lanes_sum(&sums.current_work);
  account->inertia_work_j += lanes_sum(&sums.inertia_work);
  account->waves_work_j += lanes_sum(&sums.waves_work);
}

KERNEL_CLONES
static double damp_rotation(const struct pipe_mesh *p, struct pipe_state *s, double step_s) {
  const lanes zero = {0};
  const int first = p->held_rotation ? 1 : 0;
  const int last = p->top_rotation_attached ? p->nodes - 2 : p->nodes - 1;
  lanes sum = zero;
  for (int i = 0; i <= last; i += LANES) {
    lane_mask own;
    lanes_within(&own, i, first, last);
    for (int c = 0; c < 3; c++) {
      lanes damping, inertia, omega;
      lanes_load(&damping, p->rotational_damping[c] + i);
      lanes_load(&inertia, p->inertia_kgm2[c] + i);
      lanes_load(&omega, s->omega_t[c] + i);
      lanes mean = omega / (1 + 0.5 * step_s * damping / inertia);
      lanes loss = step_s * damping * mean * mean, after = 2 * mean - omega;
      lanes_select(&loss, &own, &loss, &zero);
      lanes_select(&after, &own, &after, &omega);
      lanes_store(s->omega_t[c] + i, &after);
      sum += loss;
    }
  }
  return lanes_sum(&sum);
}

void pipe_drag_flow(const struct pipe_mesh *p, struct pipe_state *s, double step_s,
                    const struct current *current, const struct current_span *span, double *const waves_n[3],
                    int reversed, struct drag_account *account) {
  drag_on_pipe(p, s, step_s, current, span, waves_n, reversed, account);
  account->rotation_loss_j += damp_rotation(p, s, step_s);
}

// ------------------------------------------------------------
// With u the depth of a section's centre over its radius, the part of the section above the water is
//   d(u) = 1/2 - (asin u + u c)/pi,   c = sqrt(1 - u^2),   1 above, 0 below the surface,
// and the energy per length of that missing buoyancy, in units of (weight of the water in the section) times
// radius,
//   v(u) = integral of d from u to 1 = -u/2 + (u asin u + c - c^3/3)/pi,   -u above, 0 below.
// V of an element is the mean of v between its ends, by the integral P of v; for ends at nearly one depth, by
// quadrature. Over a step the gradient is that in the middle plus a part along the change, which makes its
// work the change of V (Gonzalez 1996); over a short way it is the mean of the gradient by quadrature, which
// is the same to rounding.

static const double LEVEL = 0x1p-6;     // difference of the ends below which the element counts as level
static const double SHORT_WAY = 0x1p-8; // change of both ends below which a step takes the mean gradient

// Gauss and Legendre, on 0 to 1.
enum { POINTS = 5 };
static const double AT[POINTS] = {0.046910077030668004, 0.23076534494715845, 0.5, 0.76923465505284155,
                                  0.95308992296933200};
static const double SHARE[POINTS] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                     0.23931433524968324, 0.11846344252809454};

// asin u and c for u between -1 and 1.
struct arc {
  double angle, c;
};

static struct arc arc_of(double u) {
  double c = sqrt((1 - u) * (1 + u));
  return (struct arc){trig_atan2(u, c), c};
}

static double dry_share(double u) {
  if (u >= 1 || u <= -1)
    return u > 0 ? 0 : 1;
  struct arc a = arc_of(u);
  return 0.5 - (a.angle + u * a.c) / TRIG_PI;
}

static double energy_at(double u) {
  if (u >= 1 || u <= -1)
    return u > 0 ? 0 : -u;
  struct arc a = arc_of(u);
  return -0.5 * u + (u * a.angle + a.c - a.c * a.c * a.c / 3) / TRIG_PI;
}

// Integral P of v.
static double integral_to(double u) {
  if (u >= 1 || u <= -1)
    return u > 0 ? 0.0625 : -0.5 * u * u - 0.0625;
  struct arc a = arc_of(u);
  double uc = u * a.c;
  return -0.25 * u * u + (a.angle * (0.5 * u * u + 0.125) + uc * (0.625 - a.c * a.c / 12)) / TRIG_PI;
}

static double curvature_at(double u) {
  return u > -1 && u < 1 ? 2 / TRIG_PI * sqrt((1 - u) * (1 + u)) : 0;
}

static struct waterline level_element(double lower, double upper) {
  struct waterline x = {.energy = 0};
  for (int k = 0; k < POINTS; k++) {
    double b = AT[k], a = 1 - b, u = lower + b * (upper - lower);
    double slope = -SHARE[k] * dry_share(u), curvature = SHARE[k] * curvature_at(u);
    x.energy += SHARE[k] * energy_at(u);
    x.gradient[0] += a * slope, x.gradient[1] += b * slope;
    x.curvature[0] += a * a * curvature, x.curvature[1] += a * b * curvature;
    x.curvature[2] += b * b * curvature;
  }
  return x;
}

struct waterline waterline_of(double lower, double upper) {
  if (lower >= 1 && upper >= 1)
    return (struct waterline){.energy = 0};
  if (lower <= -1 && upper <= -1)
    return (struct waterline){.energy = -0.5 * (lower + upper), .gradient = {-0.5, -0.5}};
  double rise = upper - lower;
  if (fabs(rise) < LEVEL)
    return level_element(lower, upper);

  struct waterline x = {.energy = (integral_to(upper) - integral_to(lower)) / rise};
  x.gradient[0] = (x.energy - energy_at(lower)) / rise;
  x.gradient[1] = (energy_at(upper) - x.energy) / rise;
  x.curvature[0] = (2 * x.gradient[0] + dry_share(lower)) / rise;
  x.curvature[1] = (x.gradient[1] - x.gradient[0]) / rise;
  x.curvature[2] = (-dry_share(upper) - 2 * x.gradient[1]) / rise;
  return x;
}

// Derivatives of the mean gradient where it is that in the middle, or close to it.
static void set_middle_tangent(struct waterline_step *step, const struct waterline *middle) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      step->tangent[i][j] = 0.5 * middle->curvature[i + j];
}

static struct waterline_step short_way(const double start[2], const double way[2],
                                       const struct waterline *middle) {
  struct waterline_step step = {.gradient = {0, 0}};
  for (int k = 0; k < POINTS; k++) {
    struct waterline x =
        k == POINTS / 2 ? *middle : waterline_of(start[0] + AT[k] * way[0], start[1] + AT[k] * way[1]);
    for (int i = 0; i < 2; i++)
      step.gradient[i] += SHARE[k] * x.gradient[i];
  }
  set_middle_tangent(&step, middle);
  return step;
}

struct waterline_step waterline_over(const double start[2], const double end[2]) {
  const double way[2] = {end[0] - start[0], end[1] - start[1]};
  struct waterline middle = waterline_of(start[0] + 0.5 * way[0], start[1] + 0.5 * way[1]);
  if (fabs(way[0]) < SHORT_WAY && fabs(way[1]) < SHORT_WAY)
    return short_way(start, way, &middle);

  const struct waterline first = waterline_of(start[0], start[1]), last = waterline_of(end[0], end[1]);
  const double square = way[0] * way[0] + way[1] * way[1];
  const double missing =
      last.energy - first.energy - (middle.gradient[0] * way[0] + middle.gradient[1] * way[1]);
  struct waterline_step step;
  set_middle_tangent(&step, &middle);
  double turned[2]; // of the middle's gradient along the way, halved as the tangent is
  for (int i = 0; i < 2; i++)
    turned[i] = step.tangent[i][0] * way[0] + step.tangent[i][1] * way[1];
  for (int i = 0; i < 2; i++) {
    step.gradient[i] = middle.gradient[i] + missing / square * way[i];
    step.tangent[i][i] += missing / square;
    for (int j = 0; j < 2; j++)
      step.tangent[i][j] +=
          way[i] / square *
          (last.gradient[j] - middle.gradient[j] - turned[j] - 2 * missing / square * way[j]);
  }
  return step;
}

// ---- The pipe ----

// A node that is not deeper than any radius or, with the steps dz of the nodes, not at the end of them; all
// before it are, but perhaps up to LANES of them.
KERNEL_CLONES
static int first_shallow(const struct pipe_mesh *p, const struct pipe_state *s, const double *dz) {
  const double radius = p->pipe->widest_m;
  for (int i = 0; i < p->nodes; i += LANES) {
    lanes depth, step = {0};
    lanes_load(&depth, s->r_n[2] + i);
    if (p->pipe->in_sea) {
      lanes surface;
      lanes_load(&surface, s->surface_m[0] + i);
      depth = depth + surface;
    }
    if (dz)
      lanes_load(&step, dz + i);
    const lane_mask shallow = (depth < radius) | (depth + step < radius);
    if (lanes_any(&shallow))
      return i;
  }
  return p->nodes;
}

static int element_before(int node) {
  return node > 0 ? node - 1 : 0;
}

// Whether all of element e is submerged.
static int is_submerged(const struct pipe_mesh *p, const struct pipe_state *s, int e) {
  return pipe_depth(p, s, e) >= p->outer_radius_m[e] && pipe_depth(p, s, e + 1) >= p->outer_radius_m[e];
}

// Of element e with its ends at these depths.
static struct waterline waterline_at(const struct pipe_mesh *p, int e, double lower_m, double upper_m) {
  const double radius = p->outer_radius_m[e];
  return waterline_of(lower_m / radius, upper_m / radius);
}

static struct waterline element_waterline(const struct pipe_mesh *p, const struct pipe_state *s, int e) {
  return waterline_at(p, e, pipe_depth(p, s, e), pipe_depth(p, s, e + 1));
}

double pipe_waterline_energy(const struct pipe_mesh *p, const struct pipe_state *s) {
  double sum = 0;
  for (int e = element_before(first_shallow(p, s, NULL)); e < p->elements; e++)
    if (!is_submerged(p, s, e))
      sum += p->displaced_n[e] * p->outer_radius_m[e] * element_waterline(p, s, e).energy;
  return sum;
}

double pipe_dry_length(const struct pipe_mesh *p, const struct pipe_state *s) {
  double sum = 0;
  for (int e = element_before(first_shallow(p, s, NULL)); e < p->elements; e++) {
    struct waterline x = element_waterline(p, s, e);
    sum -= p->length_m[e] * (x.gradient[0] + x.gradient[1]);
  }
  return sum;
}

// Of element e over the step; 0 where it stays submerged.
static int crossing(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w, int e,
                    struct waterline_step *step) {
  const double z[2] = {pipe_depth(p, s, e), pipe_depth(p, s, e + 1)}, *dz = w->dr_n[2] + e,
               radius = p->outer_radius_m[e];
  if (p->displaced_n[e] == 0 || (is_submerged(p, s, e) && z[0] + dz[0] >= radius && z[1] + dz[1] >= radius))
    return 0;
  const double start[2] = {z[0] / radius, z[1] / radius},
               end[2] = {(z[0] + dz[0]) / radius, (z[1] + dz[1]) / radius};
  *step = waterline_over(start, end);
  return 1;
}

void pipe_waterline_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  struct waterline_step step;
  for (int e = element_before(first_shallow(p, s, w->dr_n[2])); e < p->elements; e++) {
    if (!crossing(p, s, w, e, &step))
      continue;
    w->residual[2][e] += p->displaced_n[e] * step.gradient[0];
    w->residual[2][e + 1] += p->displaced_n[e] * step.gradient[1];
  }
}

void pipe_waterline_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                            struct blocktri *b, double top_diag[36], double top_upper[36],
                            double top_lower[36]) {
  const int at = block_at(2, 2);
  struct waterline_step step;
  for (int e = element_before(first_shallow(p, s, w->dr_n[2])); e < p->elements; e++) {
    if (!crossing(p, s, w, e, &step))
      continue;
    const double stiffness = p->displaced_n[e] / p->outer_radius_m[e];
    const int is_last = e + 1 == p->elements;
    b->diag[e][at] += stiffness * step.tangent[0][0];
    (is_last ? top_upper : b->upper[e])[at] += stiffness * step.tangent[0][1];
    (is_last ? top_lower : b->lower[e + 1])[at] += stiffness * step.tangent[1][0];
    (is_last ? top_diag : b->diag[e + 1])[at] += stiffness * step.tangent[1][1];
  }
}

// Load around node i with it and its neighbours at these depths. An element that is submerged has none.
static double load_at(const struct pipe_mesh *p, int i, double before_m, double at_m, double after_m) {
  double load = 0;
  if (i > 0)
    load -= p->displaced_n[i - 1] * waterline_at(p, i - 1, before_m, at_m).gradient[1];
  if (i < p->elements)
    load -= p->displaced_n[i] * waterline_at(p, i, at_m, after_m).gradient[0];
  return load;
}

double pipe_waterline_load(const struct pipe_mesh *p, const struct pipe_state *s, int i) {
  return load_at(p, i, pipe_depth(p, s, i - 1), pipe_depth(p, s, i), pipe_depth(p, s, i + 1));
}

double pipe_waterline_load_npm(const struct pipe_mesh *p, int e, double z_m) {
  return p->pipe->buoyant_npm3 * p->outer_area_m2[e] * dry_share(z_m / p->outer_radius_m[e]);
}

static double wet_share_at(const struct pipe_mesh *p, int i, double before_m, double at_m, double after_m) {
  double whole = (i > 0 ? p->displaced_n[i - 1] : 0) + (i < p->elements ? p->displaced_n[i] : 0);
  double dry = load_at(p, i, before_m, at_m, after_m);
  return whole > 0 && dry > 0 ? fmax(0, 1 - 2 * dry / whole) : 1;
}

double pipe_wet_share(const struct pipe_mesh *p, const struct pipe_state *s, int i) {
  return wet_share_at(p, i, pipe_depth(p, s, i - 1), pipe_depth(p, s, i), pipe_depth(p, s, i + 1));
}

KERNEL_CLONES
void pipe_wet_shares(const struct pipe_mesh *p, const struct pipe_state *s, const double *more, double share,
                     int first, lanes *wet) {
  const double radius = p->pipe->widest_m;
  lanes depth[3]; // of the nodes before, of the nodes, and of those after them
  for (int k = 0; k < 3; k++) {
    lanes add;
    lanes_load(&depth[k], s->r_n[2] + first + k - 1);
    if (p->pipe->in_sea) {
      lanes_load(&add, s->surface_m[0] + first + k - 1);
      depth[k] = depth[k] + add;
    }
    if (more) {
      lanes_load(&add, more + first + k - 1);
      depth[k] = depth[k] + share * add;
    }
  }
  const lane_mask shallow = (depth[0] < radius) | (depth[1] < radius) | (depth[2] < radius);
  *wet = (lanes){1, 1, 1, 1};
  if (lanes_any(&shallow))
    for (int k = 0; k < LANES && first + k < p->nodes; k++)
      (*wet)[k] = wet_share_at(p, first + k, depth[0][k], depth[1][k], depth[2][k]);
}

// ---- The tally ----

double pipe_waterline_feed(const struct pipe_mesh *p, const struct pipe_stretch *kind, double lower_z_m,
                           double upper_z_m) {
  const double radius = p->outer_radius_m[p->elements - 1]; // that of its own kind
  return p->pipe->buoyant_npm3 * kind->kind->outer_area_m2 * radius *
         waterline_of(lower_z_m / radius, upper_z_m / radius).energy;
}

struct waterline_hanging pipe_waterline_hanging(const struct pipe_mesh *p, double lower_z_m,
                                                double upper_z_m) {
  const double radius = p->outer_radius_m[p->elements - 1], water = p->top.hanging_water_npm,
               at = upper_z_m / radius;
  const struct waterline x = waterline_of(lower_z_m / radius, at);
  return (struct waterline_hanging){water * radius * (energy_at(at) - x.energy),
                                    {-water * x.gradient[0], -water * (dry_share(at) + x.gradient[1])}};
}
