// With u the depth of a section's centre over its radius, the part of the section above the water is
//   d(u) = 1/2 - (asin u + u c)/pi,   c = sqrt(1 - u^2),   1 above, 0 below the surface,
// and the energy per length of that missing buoyancy, in units of (weight of the water in the section) times
// radius,
//   v(u) = integral of d from u to 1 = -u/2 + (u asin u + c - c^3/3)/pi,   -u above, 0 below.
// V of an element is the mean of v between its ends, by the integral P of v; for ends at nearly one depth, by
// quadrature. Over a step the gradient is that in the middle plus a part along the change, which makes its
// work the change of V (Gonzalez 1996); over a short way it is the mean of the gradient by quadrature, which
// is the same to rounding.
#include "sagbend/pipe/waterline.h"

#include "sagbend/math/trig.h"

#include <math.h>

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

// ---- The feed ----

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
