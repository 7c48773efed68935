// At a node between elements of one type, the components of force and moment are interpolated linearly
// between the middles of the elements (sections.c), so no magnitude exceeds the larger of the two
// middles. Such nodes need no evaluation; only the ends and the nodes between two types are evaluated one by
// one.
#include "sagbend/pipe/extremes.h"

#include "sagbend/math/lanes.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/section_forces.h"

#include <math.h>

// In each lane the largest value so far, and where it occurred. Minima are kept with their sign changed.
struct lane_record {
  lanes value, s_m;
};

KERNEL_INLINE void keep_larger(struct lane_record *r, const lanes *value, const lanes *s_m) {
  lane_mask is_larger = *value > r->value;
  r->value = (lanes)(((lane_mask)*value & is_larger) | ((lane_mask)r->value & ~is_larger));
  r->s_m = (lanes)(((lane_mask)*s_m & is_larger) | ((lane_mask)r->s_m & ~is_larger));
}

// Quantities. Magnitudes other than strains are compared by their squares.
enum {
  TENSION,
  COMPRESSION,
  WALL,
  WALL_LEAST,
  SHEAR,
  TORSION,
  MOMENT,
  CURVATURE,
  STRAIN,
  STRAIN_LEAST,
  RECORDS
};

// Mean of a field at the two nodes of each element from e on.
KERNEL_INLINE void middle_of(lanes *mean, const double *field, int e) {
  lanes upper, lower;
  lanes_load(&lower, field + e);
  lanes_load(&upper, field + e + 1);
  *mean = 0.5 * (lower + upper);
}

// Axial force in the wall from the effective tension, at depth z.
KERNEL_INLINE void wall_tensions(lanes *wall, const struct pipe_mesh *p, const lanes *effective,
                                 const lanes *z, int e) {
  lanes area;
  lane_mask wet = *z > 0;
  lanes outside = (lanes)((lane_mask)(p->pipe->water_npm3 * *z) & wet),
        inside = p->pipe->content_pressure_pa + p->pipe->content_npm3 * *z, share;
  lanes_load(&share, p->flood_share + e);
  inside += share * (outside - inside);

  lanes_load(&area, p->outer_area_m2 + e);
  *wall = *effective - outside * area;
  lanes_load(&area, p->inner_area_m2 + e);
  *wall = *wall + inside * area;
}

// The quantities in the middles of LANES elements from e on.
KERNEL_INLINE void middle_quantities(lanes value[RECORDS], const struct pipe_mesh *p,
                                     const struct pipe_state *s, const struct pipe_work *w, int e) {
  lanes x[6], c, strain[6], rest[2], z, wall, radius, axial;
  for (int k = 0; k < 6; k++) {
    lanes_load(&c, p->stiffness[k] + e);
    lanes_load(&strain[k], w->strain0[k] + e);
    x[k] = c * strain[k];
  }
  lanes_load(&rest[0], p->rest_strain[4] + e);
  lanes_load(&rest[1], p->rest_strain[5] + e);
  middle_of(&z, s->r_n[2], e);
  wall_tensions(&wall, p, &x[0], &z, e);

  lanes bending = strain[4] * strain[4] + strain[5] * strain[5];
  if (p->pipe->has_plastic) {
    lanes unbent[2];
    lanes_load(&unbent[0], p->unbent_1pm[0] + e), lanes_load(&unbent[1], p->unbent_1pm[1] + e);
    unbent[0] = strain[4] + (rest[0] - unbent[0]), unbent[1] = strain[5] + (rest[1] - unbent[1]);
    bending = unbent[0] * unbent[0] + unbent[1] * unbent[1];
  }
  lanes_load(&radius, p->steel_radius_m + e);
  lanes_sqrt(&bending);
  bending = bending * radius;
  lanes_abs(&axial, &strain[0]);
  lanes k2 = strain[4] + rest[0], k3 = strain[5] + rest[1];

  value[TENSION] = x[0];
  value[COMPRESSION] = -x[0];
  value[WALL] = wall;
  value[WALL_LEAST] = -wall;
  value[SHEAR] = x[1] * x[1] + x[2] * x[2];
  value[TORSION] = x[3] * x[3];
  value[MOMENT] = x[4] * x[4] + x[5] * x[5];
  value[CURVATURE] = k2 * k2 + k3 * k3;
  value[STRAIN] = axial + bending;
  value[STRAIN_LEAST] = bending - strain[0];
}

KERNEL_CLONES
static void search_middles(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           struct pipe_extreme found[RECORDS]) {
  struct lane_record record[RECORDS];
  const lanes counting = {0, 1, 2, 3};
  lanes lowest = counting * 0 - INFINITY;

  for (int k = 0; k < RECORDS; k++)
    record[k] = (struct lane_record){lowest, counting * 0};

  for (int e = 0; e < p->elements; e += LANES) {
    lanes value[RECORDS], at;
    lane_mask within = counting + (double)e < (double)p->elements;
    middle_of(&at, p->arc_m, e);
    middle_quantities(value, p, s, w, e);
    for (int k = 0; k < RECORDS; k++) { // leave out the padding
      lanes valid = (lanes)(((lane_mask)value[k] & within) | ((lane_mask)lowest & ~within));
      keep_larger(&record[k], &valid, &at);
    }
  }

  for (int k = 0; k < RECORDS; k++) {
    found[k] = (struct pipe_extreme){record[k].value[0], record[k].s_m[0]};
    for (int lane = 1; lane < LANES; lane++)
      if (record[k].value[lane] > found[k].value)
        found[k] = (struct pipe_extreme){record[k].value[lane], record[k].s_m[lane]};
  }
}

static void keep_if_larger(struct pipe_extreme *x, double value, double s_m) {
  if (value > x->value)
    *x = (struct pipe_extreme){value, s_m};
}

static void keep_section(const struct section_forces *f, double s_m, struct pipe_extreme found[RECORDS]) {
  keep_if_larger(&found[TENSION], f->effective_tension_n, s_m);
  keep_if_larger(&found[COMPRESSION], -f->effective_tension_n, s_m);
  keep_if_larger(&found[WALL], f->wall_tension_n, s_m);
  keep_if_larger(&found[WALL_LEAST], -f->wall_tension_n, s_m);
  keep_if_larger(&found[SHEAR], f->shear_n[0] * f->shear_n[0] + f->shear_n[1] * f->shear_n[1], s_m);
  keep_if_larger(&found[TORSION], f->torsion_nm * f->torsion_nm, s_m);
  keep_if_larger(&found[MOMENT], f->bending_nm[0] * f->bending_nm[0] + f->bending_nm[1] * f->bending_nm[1],
                 s_m);
  keep_if_larger(&found[CURVATURE],
                 f->curvature_1pm[0] * f->curvature_1pm[0] + f->curvature_1pm[1] * f->curvature_1pm[1], s_m);
  keep_if_larger(&found[STRAIN], f->max_strain, s_m);
  keep_if_larger(&found[STRAIN_LEAST], -f->min_strain, s_m);
}

static struct pipe_extreme negative(struct pipe_extreme x) {
  return (struct pipe_extreme){-x.value, x.s_m};
}
static struct pipe_extreme root(struct pipe_extreme x) {
  return (struct pipe_extreme){sqrt(x.value), x.s_m};
}

void pipe_extremes_of(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                      struct pipe_extremes *extremes) {
  struct pipe_extreme found[RECORDS];
  search_middles(p, s, w, found);
  for (int i = 0; i < p->nodes; i++) {
    int end = i == 0 || i == p->elements;
    if (!end && p->type[i - 1] == p->type[i])
      continue;
    for (int upper = 0; upper < (end ? 1 : 2); upper++) {
      struct section_forces f = pipe_node_side_forces(p, s, w, i, upper);
      keep_section(&f, p->arc_m[i], found);
    }
  }

  *extremes = (struct pipe_extremes){.max_tension_n = found[TENSION],
                                     .min_tension_n = negative(found[COMPRESSION]),
                                     .max_wall_tension_n = found[WALL],
                                     .min_wall_tension_n = negative(found[WALL_LEAST]),
                                     .max_shear_n = root(found[SHEAR]),
                                     .max_torsion_nm = root(found[TORSION]),
                                     .max_moment_nm = root(found[MOMENT]),
                                     .max_curvature_1pm = root(found[CURVATURE]),
                                     .max_strain = found[STRAIN],
                                     .min_strain = negative(found[STRAIN_LEAST])};
}
