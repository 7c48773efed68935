// The seabed's surface z = H(x, y) in n: a plane, level or sloping, or bathymetry on a grid of nodes, through
// which a bicubic spline runs: C2, and natural at the grid's edges, so that its linear continuation beyond
// them is C2 as well. Penetration of a pipe whose axis passes through r, along the surface's normal (on a
// plane exactly, else to first order):
//   kappa(r) = (z - H) c + offset,   c = 1 / sqrt(1 + |grad H|^2),
// offset_m half a diameter where the pipe's underside meets the ground, 0 where its axis does.
#pragma once

#include "core/base/arena.h"
#include "core/base/nonblocking.h"
#include "core/env/env.h"

struct seabed_surface {
  double depth_m;              // the level that heights are kept from, so that differences keep their digits
  vec3 normal_n;               // plane: unit, into the ground; the gradient of kappa
  vec3 point_n;                // plane: a point of it
  int north_nodes, east_nodes; // grid; 0: a plane
  double north_m, east_m;      // of its south-western node
  double spacing_m;
  double *coefficient_m; // of the B-splines, z below depth_m: [1 + north][1 + east], with one more node all
                         // around
  double top_z_m, steepest; // grid: it lies below this level, and nowhere is 1/c more
};

// A null arena block only measures.
void surface_create(struct seabed_surface *g, const struct env_def *env, struct arena *memory);

double surface_level(const struct seabed_surface *g, double north_m, double east_m); // H, z in n
void surface_slope(const struct seabed_surface *g, double north_m, double east_m,
                   double slope[2]); // dH/dx, dH/dy
int surface_covers(const struct seabed_surface *g, double north_m,
                   double east_m); // within the grid; a plane has no end

// kappa, and if wanted the surface's unit normal under r, into the ground.
double surface_penetration(const struct seabed_surface *g, double offset_m, vec3 r_n,
                           vec3 *normal_n) NONBLOCKING;

// High above all ground of the grid: no penetration, known without looking at the spline.
int surface_is_clear(const struct seabed_surface *g, double offset_m, vec3 r_n) NONBLOCKING;

// A step from r to r + dr. gradient is a discrete gradient of kappa (Gonzalez 1996): gradient . dr = after -
// before.
struct surface_pass {
  double before_m, after_m; // kappa
  vec3 gradient;
};
// before_m as surface_penetration gave it for r, or anything negative where r is clear. A pass that touches
// at neither end may leave after_m at before_m.
struct surface_pass surface_pass_grid(const struct seabed_surface *g, double offset_m, double before_m,
                                      vec3 r_n, vec3 dr_n) NONBLOCKING;

static inline struct surface_pass surface_pass_of(const struct seabed_surface *g, double offset_m,
                                                  double before_m, vec3 r_n, vec3 dr_n) {
  if (g->north_nodes > 0)
    return surface_pass_grid(g, offset_m, before_m, r_n, dr_n);
  return (struct surface_pass){before_m, before_m + vec3_dot(g->normal_n, dr_n), g->normal_n};
}

// Derivatives with respect to dr: of after_m (the gradient of kappa at the end), and of the discrete gradient
// (zero on a plane).
void surface_pass_rates(const struct seabed_surface *g, const struct surface_pass *pass, vec3 r_n, vec3 dr_n,
                        vec3 *end, mat3 *rate) NONBLOCKING;
