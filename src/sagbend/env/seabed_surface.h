// Surface of the seabed, z = H(x, y) in n: a plane, level or sloping, or bathymetry on a grid. Through the
// grid's nodes runs a bicubic spline, twice continuously differentiable and with natural ends, so that its
// linear continuation beyond the edges is as smooth.
//
// Penetration of a pipe whose axis passes through r, along the normal of the surface (exact for a plane, to
// first order for a grid):
//   kappa(r) = (z - H) c + offset,   c = 1 / sqrt(1 + |grad H|^2),
// where offset_m is half a diameter if the pipe's underside meets the ground and 0 if its axis does.
#pragma once

#include "sagbend/base/arena.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/env/env.h"

struct seabed_surface {
  double depth_m; // level that heights are stored relative to, so that differences keep their digits
  vec3 normal_n;  // plane: unit normal into the ground, the gradient of kappa
  vec3 point_n;   // plane: a point of it
  int north_nodes, east_nodes; // of the grid; 0: a plane
  double north_m, east_m;      // of the south-western node
  double spacing_m;
  double *coefficient_m; // of the B-splines, z relative to depth_m: [1 + north][1 + east], one more node all
                         // around
  unsigned char *is_missing; // [north][east], 1: without data; NULL: all have data
  double top_z_m;            // grid: all ground lies below this level
  double steepest;           // grid: upper bound of 1/c
};

// Takes memory and computes the spline; only measures with an arena that measures.
void surface_create(struct seabed_surface *surface, const struct env_def *env, struct arena *memory);

// H: z of the ground, m.
double surface_level(const struct seabed_surface *surface, double north_m, double east_m);

// slope = (dH/dx, dH/dy).
void surface_slope(const struct seabed_surface *surface, double north_m, double east_m, double slope[2]);

// Whether a point lies in a cell of the grid whose four nodes have data; always 1 for a plane.
int surface_is_mapped(const struct seabed_surface *surface, double north_m, double east_m);

// kappa, m, negative above the ground. normal_n: unit normal of the surface under r, into the ground; may be
// NULL.
double surface_penetration(const struct seabed_surface *surface, double offset_m, vec3 r_n,
                           vec3 *normal_n) NONBLOCKING;

// Whether r lies above all ground of the grid, so that there is no penetration; needs no evaluation of the
// spline. Always 0 for a plane.
int surface_is_clear(const struct seabed_surface *surface, double offset_m, vec3 r_n) NONBLOCKING;

// A step of a node from r to r + dr.
struct surface_pass {
  double before_m, after_m; // kappa at both ends
  vec3 gradient;            // discrete gradient of kappa (Gonzalez 1996): gradient . dr = after - before
};

// For a grid; callers use surface_pass_of.
struct surface_pass surface_pass_grid(const struct seabed_surface *surface, double offset_m, double before_m,
                                      vec3 r_n, vec3 dr_n) NONBLOCKING;

// The step's penetrations and gradient. before_m: surface_penetration at r, or any negative number where r is
// clear. Where neither end touches, after_m may equal before_m.
static inline struct surface_pass surface_pass_of(const struct seabed_surface *surface, double offset_m,
                                                  double before_m, vec3 r_n, vec3 dr_n) {
  if (surface->north_nodes > 0)
    return surface_pass_grid(surface, offset_m, before_m, r_n, dr_n);
  return (struct surface_pass){before_m, before_m + vec3_dot(surface->normal_n, dr_n), surface->normal_n};
}

// Derivatives with respect to dr. end: of after_m, the gradient of kappa at the end. rate: of the discrete
// gradient; zero for a plane.
void surface_pass_rates(const struct seabed_surface *surface, const struct surface_pass *pass, vec3 r_n,
                        vec3 dr_n, vec3 *end, mat3 *rate) NONBLOCKING;
