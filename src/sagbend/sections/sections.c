// Forces in the sections of the pipe from the stresses of its elements.
//
// The stress C (strain - rest) of an element is that in its middle, to order 2. Its components n, m in the
// section frame obey
//   n' = -kappa x n - f,   m' = -kappa x m - (e1 + Gamma) x n,
// f the load per length. Where the pipe is of one type they are continuous with their derivatives: at an
// inner node they are interpolated linearly between the middles of its elements. Where the type changes, or
// the water in the pipe ends, kappa, Gamma and the weight jump, and the slopes with them by J, the difference
// of the right-hand sides. Linear interpolation is then wrong by J l_a l_b / (2 (l_a + l_b)), a term of order
// 1, which is subtracted. (The jumps of inertia and drag are neglected.)
//
// The curvature that bending beyond yield has left, kappa_p, belongs to the middles as well. At an inner node
// of one type it is interpolated as the moment is; at an end, and on each side of a node where the type
// changes, it is continued from the two elements there, at most to zero or to twice the nearer one. Curvature
// is by definition m/EI + kappa_p + that of the unstressed pipe, so that the three agree at every node.
//
// At the lower end the balance of the node gives the reaction: the force of the end element minus the load on
// its lower half, which is the weight plus, per length, whatever else acts on the next node. A free end has
// no reaction. At the upper end the force is w->top_force_n (sagbend/model/assembly.c), with inertia and drag
// of the half element. The moment at an end is the one that the element exerts on the node.
#include "sagbend/sections/sections.h"

#include "sagbend/math/math.h"

#include <math.h>

// In a section frame: force (N) and moment (N m).
struct stress {
  vec3 n, m;
};

static struct stress element_stress(const struct pipe_mesh *p, const struct pipe_work *w, int e) {
  double x[6];
  for (int k = 0; k < 6; k++)
    x[k] = p->stiffness[k][e] * w->strain0[k][e];
  return (struct stress){vec3_of(x), vec3_of(x + 3)};
}

// Pressure outside p_o = rho g z below the surface; inside that of the column of content, whether open or
// closed, or of the water that has come in.
static double wall_tension(const struct pipe_mesh *p, int e, double effective_n, double z_m) {
  double outside = z_m > 0 ? p->pipe->water_npm3 * z_m : 0,
         inside = p->pipe->content_pressure_pa + p->pipe->content_npm3 * z_m;
  inside += p->flood_share[e] * (outside - inside);
  return effective_n - outside * p->outer_area_m2[e] + inside * p->inner_area_m2[e];
}

// Longitudinal strain of the outer fibre from the axial strain and the curvatures by bending b2, b3 about t2,
// t3.
static void outer_strain(const struct pipe_mesh *p, int e, double axial, double b2, double b3,
                         struct section_forces *f) {
  double bending = sqrt(b2 * b2 + b3 * b3) * p->steel_radius_m[e];
  f->max_strain = fabs(axial) + bending;
  f->min_strain = axial - bending;
}

static struct section_forces result_of(const struct stress *x) {
  return (struct section_forces){.effective_tension_n = x->n.x,
                                 .shear_n = {x->n.y, x->n.z},
                                 .torsion_nm = x->m.x,
                                 .bending_nm = {x->m.y, x->m.z}};
}

struct section_forces pipe_element_section_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                                  const struct pipe_work *w, int e) {
  struct stress x = element_stress(p, w, e);
  struct section_forces f = result_of(&x);
  f.wall_tension_n = wall_tension(p, e, f.effective_tension_n, 0.5 * (s->r_n[2][e] + s->r_n[2][e + 1]));
  for (int k = 0; k < 2; k++) {
    f.residual_1pm[k] = pipe_plastic_curvature(p, k, e);
    f.curvature_1pm[k] = w->strain0[4 + k][e] + p->rest_strain[4 + k][e];
  }
  outer_strain(p, e, w->strain0[0][e], w->strain0[4][e] + f.residual_1pm[0],
               w->strain0[5][e] + f.residual_1pm[1], &f);
  return f;
}

struct directors {
  vec3 t[3];
};

static struct directors node_directors(const struct pipe_work *w, int i) {
  struct directors d;
  for (int k = 0; k < 3; k++)
    d.t[k] = pipe_get3(w->d0 + 3 * k, i);
  return d;
}

static vec3 to_section(const struct directors *d, vec3 v) {
  return (vec3){vec3_dot(d->t[0], v), vec3_dot(d->t[1], v), vec3_dot(d->t[2], v)};
}

// Right-hand sides of n' and m' with stiffness, unstressed shape and weight of element e.
static struct stress slopes(const struct pipe_mesh *p, int e, double z_m, const struct stress *x,
                            const struct directors *d) {
  const double n[3] = {x->n.x, x->n.y, x->n.z}, m[3] = {x->m.x, x->m.y, x->m.z};
  double gamma[3] = {0, 0, 0}, kappa[3] = {0, 0, 0}; // of a wire: straight
  for (int k = 0; k < 3 && !pipe_is_wire(p, e); k++) {
    gamma[k] = n[k] / p->stiffness[k][e] + p->rest_strain[k][e];
    kappa[k] = m[k] / p->stiffness[3 + k][e] + p->rest_strain[3 + k][e];
  }

  gamma[0] += 1;
  vec3 weight = to_section(d, (vec3){0, 0, p->weight_npm[e] + pipe_waterline_load_npm(p, e, z_m)});
  vec3 turn = vec3_of(kappa);

  return (struct stress){vec3_scale(-1, vec3_add(vec3_cross(turn, x->n), weight)),
                         vec3_scale(-1, vec3_add(vec3_cross(turn, x->m), vec3_cross(vec3_of(gamma), x->n)))};
}

static vec3 mean_director(const struct pipe_work *w, int e, int k) {
  double *const *d = w->d0 + 3 * k;
  return vec3_mean(pipe_get3(d, e), pipe_get3(d, e + 1));
}

// Force of a wire on its lower node, without increments.
static vec3 wire_force(const struct pipe_mesh *p, const struct pipe_work *w, int e) {
  const vec3 slope = pipe_get3(w->slope0, e);
  const double size = vec3_norm(slope), bend = 2 * p->stiffness[4][e] / (p->length_m[e] * p->length_m[e]);
  vec3 force = vec3_scale(p->stiffness[0][e] * w->strain0[0][e] / size, slope);
  for (int n = 0; n < 2; n++)
    if (!pipe_wire_is_hinged(p, e, n))
      force = vec3_axpy(bend / size, vec3_axpy(-size, pipe_get3(w->d0, e + n), slope), force);
  return force;
}

struct vec3 pipe_element_force(const struct pipe_mesh *p, const struct pipe_work *w, int e) {
  vec3 force = {0, 0, 0};
  if (pipe_is_wire(p, e))
    return wire_force(p, w, e);
  for (int k = 0; k < 3; k++)
    force = vec3_axpy(p->stiffness[k][e] * w->strain0[k][e], mean_director(w, e, k), force);
  return force;
}

// Moment of an element on its upper or lower node, N m in n; as in element.c without increments.
static vec3 element_moment(const struct pipe_mesh *p, const struct pipe_work *w, int e, int upper) {
  struct directors a = node_directors(w, e), b = node_directors(w, e + 1), *own = upper ? &b : &a;
  double stress[6], l = p->length_m[e], side = upper ? 1 : -1;
  vec3 slope = pipe_get3(w->slope0, e), moment = {0, 0, 0};

  if (pipe_is_wire(p, e))
    return pipe_wire_is_hinged(p, e, upper)
               ? moment
               : vec3_scale(2 * p->stiffness[4][e] / l, vec3_cross(own->t[0], slope));
  for (int k = 0; k < 6; k++)
    stress[k] = p->stiffness[k][e] * w->strain0[k][e];

  for (int k = 0; k < 3; k++) {
    int m = (k + 1) % 3, n = (k + 2) % 3;
    vec3 both = vec3_sub(vec3_cross(a.t[n], b.t[m]), vec3_cross(a.t[m], b.t[n]));
    moment = vec3_axpy(-0.5 * l * stress[k], vec3_cross(own->t[k], slope), moment);
    moment = vec3_axpy(side * 0.5 * stress[3 + k], both, moment);
  }

  return vec3_axpy(-side * l * stress[0] / 3, vec3_cross(a.t[0], b.t[0]), moment);
}

// Moment at an inner node beside a wire, n: the mean of those that the wires there exert on it.
static vec3 wire_moment(const struct pipe_mesh *p, const struct pipe_work *w, int i) {
  const int below = pipe_is_wire(p, i - 1), above = pipe_is_wire(p, i);
  vec3 moment = {0, 0, 0};
  if (below)
    moment = vec3_axpy(-1.0 / (below + above), element_moment(p, w, i - 1, 1), moment);
  return above ? vec3_axpy(1.0 / (below + above), element_moment(p, w, i, 0), moment) : moment;
}

// At an inner node.
static struct stress inner_stress(const struct pipe_mesh *p, const struct pipe_state *s,
                                  const struct pipe_work *w, int i) {
  struct stress below = element_stress(p, w, i - 1), above = element_stress(p, w, i);
  double a = p->length_m[i - 1], b = p->length_m[i], share = a / (a + b);
  struct stress x = {vec3_axpy(share, vec3_sub(above.n, below.n), below.n),
                     vec3_axpy(share, vec3_sub(above.m, below.m), below.m)};
  const int has_wire = pipe_is_wire(p, i - 1) || pipe_is_wire(p, i);
  struct directors d = node_directors(w, i);
  if (has_wire)
    x.m = to_section(&d, wire_moment(p, w, i));
  if (p->type[i - 1] == p->type[i] && p->flood_share[i - 1] == p->flood_share[i])
    return x;

  const double z = s->r_n[2][i];
  struct stress left = slopes(p, i - 1, z, &x, &d), right = slopes(p, i, z, &x, &d);
  double kink = -0.5 * share * b;

  return (struct stress){vec3_axpy(kink, vec3_sub(right.n, left.n), x.n),
                         has_wire ? x.m : vec3_axpy(kink, vec3_sub(right.m, left.m), x.m)};
}

static struct stress lower_end_stress(const struct pipe_mesh *p, const struct pipe_state *s,
                                      const struct pipe_work *w) {
  struct directors d = node_directors(w, 0);
  vec3 moment = element_moment(p, w, 0, 0);
  if (!p->held_position) // a free end has no reaction
    return (struct stress){{0, 0, 0}, to_section(&d, moment)};

  vec3 force = pipe_element_force(p, w, 0),
       jump = vec3_sub(force, pipe_element_force(p, w, 1)); // whole load on node 1
  vec3 rest = {jump.x, jump.y, jump.z - p->weight_n[1] - pipe_waterline_load(p, s, 1)};
  force.z += p->weight_n[0] + pipe_waterline_load(p, s, 0);
  force = vec3_axpy(p->length_m[0] / (p->length_m[0] + p->length_m[1]), rest, force);

  return (struct stress){to_section(&d, force), to_section(&d, moment)};
}

static struct stress upper_end_stress(const struct pipe_mesh *p, const struct pipe_work *w) {
  struct directors d = node_directors(w, p->elements);
  vec3 moment = vec3_scale(-1, element_moment(p, w, p->elements - 1, 1));
  return (struct stress){to_section(&d, w->top_force_n), to_section(&d, moment)};
}

static struct stress node_stress(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct pipe_work *w, int i) {
  if (i == 0)
    return lower_end_stress(p, s, w);
  return i == p->elements ? upper_end_stress(p, w) : inner_stress(p, s, w, i);
}

static int is_of_type(const struct pipe_mesh *p, int e, int type) {
  return e >= 0 && e < p->elements && p->type[e] == type;
}

// kappa_p at node i on the side of element e.
static void node_residual(const struct pipe_mesh *p, int i, int e, double residual_1pm[2]) {
  const int across = e == i ? i - 1 : i, behind = e == i ? i + 1 : i - 2;
  const int is_inner = is_of_type(p, across, p->type[e]), other = is_inner ? across : behind;
  double own[2], change[2] = {0, 0}; // from the middle of e towards that of the other element
  for (int k = 0; k < 2; k++)
    own[k] = pipe_plastic_curvature(p, k, e);
  if (is_of_type(p, other, p->type[e])) {
    const double share = p->length_m[e] / (p->length_m[e] + p->length_m[other]);
    for (int k = 0; k < 2; k++)
      change[k] = share * (pipe_plastic_curvature(p, k, other) - own[k]);
  }

  const double size = sqrt(change[0] * change[0] + change[1] * change[1]),
               most = sqrt(own[0] * own[0] + own[1] * own[1]);
  const double part = is_inner ? 1 : size > most ? -most / size : -1;
  for (int k = 0; k < 2; k++)
    residual_1pm[k] = own[k] + part * change[k];
}

// Fills what depends on the type, for element e beside node i.
static void fill_side(const struct pipe_mesh *p, int i, int e, double z_m, struct section_forces *f) {
  double bend[2];
  f->wall_tension_n = wall_tension(p, e, f->effective_tension_n, z_m);
  if (p->pipe->has_plastic)
    node_residual(p, i, e, f->residual_1pm);
  for (int k = 0; k < 2; k++) {
    const double unbent = p->pipe->has_plastic ? p->unbent_1pm[k][e] : p->rest_strain[4 + k][e];
    bend[k] = f->bending_nm[k] / p->stiffness[4 + k][e] + f->residual_1pm[k];
    f->curvature_1pm[k] = bend[k] + unbent;
  }
  outer_strain(p, e, f->effective_tension_n / p->stiffness[0][e], bend[0], bend[1], f);
}

struct section_forces pipe_node_side_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                            const struct pipe_work *w, int i, int upper) {
  struct stress x = node_stress(p, s, w, i);
  struct section_forces f = result_of(&x);
  fill_side(p, i, (upper && i < p->elements) || i == 0 ? i : i - 1, s->r_n[2][i], &f);
  return f;
}

static double square_curvature(const struct section_forces *f) {
  return f->curvature_1pm[0] * f->curvature_1pm[0] + f->curvature_1pm[1] * f->curvature_1pm[1];
}

struct section_forces pipe_node_section_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                               const struct pipe_work *w, int i) {
  struct section_forces f = pipe_node_side_forces(p, s, w, i, 1);
  if (i == 0 || i == p->elements || p->type[i - 1] == p->type[i])
    return f; // one type: both sides are equal

  struct section_forces below = f;
  fill_side(p, i, i - 1, s->r_n[2][i], &below);
  f.wall_tension_n = 0.5 * (f.wall_tension_n + below.wall_tension_n);
  for (int k = 0, is_below = !(square_curvature(&f) > square_curvature(&below)); k < 2 && is_below; k++)
    f.curvature_1pm[k] = below.curvature_1pm[k], f.residual_1pm[k] = below.residual_1pm[k];

  f.max_strain = below.max_strain > f.max_strain ? below.max_strain : f.max_strain;
  f.min_strain = below.min_strain < f.min_strain ? below.min_strain : f.min_strain;

  return f;
}

// ------------------------------------------------------------
// At a node between elements of one type, the components of force and moment are interpolated linearly
// between the middles of the elements (sections.c), so no magnitude exceeds the larger of the two
// middles. Such nodes need no evaluation; only the ends and the nodes between two types are evaluated one by
// one.

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
