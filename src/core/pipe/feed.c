#include "core/pipe/feed.h"

#include "core/pipe/element.h"

#include <string.h>

void pipe_set_top_length(struct pipe *p, double element_m, double lumped_m) {
  const int top = p->elements - 1;
  p->length_m[top] = element_m;
  p->arc_m[top + 1] = p->arc_m[top] + element_m;
  p->displaced_n[top] = p->buoyant_npm3 * p->outer_area_m2[top] * lumped_m;
  pipe_lump(p, top, 0.5 * p->length_m[top - 1] + 0.5 * lumped_m);
  pipe_lump(p, top + 1, 0.5 * lumped_m);
}

// Element e becomes like the one below, which is of the feed.
static void append_element(struct pipe *p) {
  const int e = p->elements, from = e - 1;
  for (int k = 0; k < 6; k++) {
    p->stiffness[k][e] = p->stiffness[k][from];
    p->rest_strain[k][e] = p->rest_strain[k][from];
  }
  p->type[e] = p->type[from];
  p->outer_area_m2[e] = p->outer_area_m2[from];
  p->inner_area_m2[e] = p->inner_area_m2[from];
  p->steel_radius_m[e] = p->steel_radius_m[from];
  p->weight_npm[e] = p->weight_npm[from];
  p->outer_radius_m[e] = p->outer_radius_m[from];
  p->length_m[from] = p->feed.nominal_m;
  p->displaced_n[from] = p->buoyant_npm3 * p->outer_area_m2[from] * p->feed.nominal_m;
  p->arc_m[e] = p->arc_m[from] + p->feed.nominal_m;
  p->elements++, p->nodes++;
  pipe_lump(p, from, 0.5 * p->length_m[from - 1] + 0.5 * p->length_m[from]);
}

static void clear_element(struct pipe *p, int e) {
  for (int k = 0; k < 6; k++)
    p->stiffness[k][e] = p->rest_strain[k][e] = 0;
  p->type[e] = 0;
  p->outer_area_m2[e] = p->inner_area_m2[e] = p->steel_radius_m[e] = p->weight_npm[e] = 0;
  p->outer_radius_m[e] = p->displaced_n[e] = 0;
  p->length_m[e] = 1;
  p->arc_m[e + 1] = 0;
}

// The top element becomes padding.
static void remove_element(struct pipe *p) {
  const int e = p->elements - 1;
  clear_element(p, e);
  pipe_lump(p, e + 1, 0);
  p->elements--, p->nodes--;
}

void pipe_set_elements(struct pipe *p, int elements, double top_m) {
  while (p->elements < elements)
    append_element(p);
  while (p->elements > elements)
    remove_element(p);
  pipe_set_top_length(p, top_m, top_m);
}

static void clear_from(double *const *fields, int count, int first, size_t stride) {
  for (int k = 0; k < count; k++)
    memset(fields[k] + first, 0, (stride - PIPE_LEAD - (size_t)first) * sizeof(double));
}

void pipe_work_clear_above(const struct pipe *p, struct pipe_work *w) {
  const int first = p->elements;
  double *const one[] = {w->normal_force_n, w->damper_force_n, w->contact_share, w->end_normal_force_n};
  clear_from(w->dd, 9, first, p->stride);
  clear_from(w->dr_n, 3, first, p->stride);
  clear_from(w->theta_n, 3, first, p->stride);
  clear_from(w->slope0, 3, first, p->stride);
  clear_from(w->strain0, 6, first, p->stride);
  clear_from(w->strain_step, 6, first, p->stride);
  clear_from(w->stress, 6, first, p->stride);
  clear_from(w->force_n, 3, first, p->stride);
  clear_from(w->moment_lower, 3, first, p->stride);
  clear_from(w->moment_upper, 3, first, p->stride);
  clear_from(w->residual, 6, first, p->stride);
  clear_from(w->penetration_gradient, 3, first, p->stride);
  clear_from(w->end_friction_elongation_m, 2, first, p->stride);
  clear_from(w->friction_slip_m, 2, first, p->stride);
  clear_from(one, 4, first, p->stride);
}

enum { STATE_FIELDS = 29 };

// All fields of the state; returns their number.
static int state_fields(const struct pipe *p, const struct pipe_state *s, double *field[STATE_FIELDS]) {
  double *const *const all[] = {
      s->r_n,         s->q_nt,        s->v_n,   s->omega_t, s->friction_elongation_m,
      s->beyond_n[0], s->beyond_n[1], s->slip_m};
  const int counts[] = {3, 4, 3, 3, 2, 6, 6, p->retiring.anchor_m > 0 ? 2 : 0};
  int n = 0;
  for (size_t f = 0; f < sizeof all / sizeof *all; f++)
    for (int k = 0; k < counts[f]; k++)
      field[n++] = all[f][k];
  return n;
}

void pipe_state_insert_below_top(const struct pipe *p, struct pipe_state *s) {
  double *field[STATE_FIELDS];
  const int top = p->nodes - 1;
  const int count = state_fields(p, s, field);
  for (int k = 0; k < count; k++) {
    field[k][top + 1] = field[k][top];
    field[k][top] = 0;
  }
}

void pipe_state_remove_below_top(const struct pipe *p, struct pipe_state *s) {
  double *field[STATE_FIELDS];
  const int top = p->nodes - 1;
  const int count = state_fields(p, s, field);
  for (int k = 0; k < count; k++) {
    field[k][top - 1] = field[k][top];
    field[k][top] = 0;
  }
}

void pipe_state_drop_lowest(const struct pipe *p, struct pipe_state *s) {
  double *field[STATE_FIELDS];
  const int count = state_fields(p, s, field), nodes = p->nodes;
  for (int k = 0; k < count; k++) {
    memmove(field[k], field[k] + 1, (size_t)(nodes - 1) * sizeof(double));
    field[k][nodes - 1] = 0;
  }
}

void pipe_state_add_lowest(const struct pipe *p, struct pipe_state *s) {
  double *field[STATE_FIELDS];
  const int count = state_fields(p, s, field), nodes = p->nodes;
  for (int k = 0; k < count; k++) {
    memmove(field[k] + 1, field[k], (size_t)nodes * sizeof(double));
    field[k][0] = 0;
  }
}

// Type and length of an element, counted from the lower end at the start. Above the mesh of the start all are
// like its uppermost.
static int material_type(const struct pipe *p, int number, double *length_m) {
  const struct pipe_retiring *retiring = &p->retiring;
  const int last = retiring->initial_elements - 1;
  *length_m = number < last ? retiring->initial_length_m[number] : p->feed.nominal_m;
  return retiring->initial_type[number < last ? number : last];
}

void pipe_set_window(struct pipe *p, int first, double arc_m, int elements) {
  for (int e = elements; e < p->elements; e++) {
    clear_element(p, e);
    pipe_lump(p, e + 1, 0);
  }
  p->first = first;
  p->elements = elements, p->nodes = elements + 1;
  p->held_position = first > 0 || p->retiring.held_position;
  p->held_rotation = first > 0 || p->retiring.held_rotation;
  p->arc_m[0] = arc_m;
  for (int e = 0; e < elements; e++) {
    double length;
    const int type = material_type(p, first + e, &length);
    pipe_fill_element(p, e, type, length);
  }
  for (int i = 0; i <= elements; i++)
    pipe_fill_node(p, i);
}

struct growing_element pipe_still_element(const struct pipe *p, const struct pipe_state *s, int i, int j,
                                          double length_m) {
  const int top = p->elements - 1;
  struct growing_element x = {.start_m = length_m, .end_m = length_m};
  mat3 a = quat_matrix(pipe_quat(s, i)), b = quat_matrix(pipe_quat(s, j));
  x.chord = vec3_sub(pipe_get3(s->r_n, j), pipe_get3(s->r_n, i));
  for (int k = 0; k < 3; k++)
    x.a[k] = mat3_column(&a, k), x.b[k] = mat3_column(&b, k);
  for (int k = 0; k < 6; k++)
    x.stiffness[k] = p->stiffness[k][top], x.rest_strain[k] = p->rest_strain[k][top];
  return x;
}

void pipe_stiffen_for_growth(struct growing_element *x, double grown_m) {
  const double ratio = grown_m / x->start_m, factor = 1 + 0.25 * ratio * ratio;
  for (int k = 0; k < 6; k++)
    x->stiffness[k] *= factor;
}

double pipe_metre_potential(const struct pipe *p, const struct pipe_state *s, int i) {
  const struct pipe_metre *metre = &p->feed.metre;
  vec3 r = pipe_get3(s->r_n, i);
  double energy = metre->weight_n * (p->depth_m - r.z);
  if (!metre->contact_m)
    return energy;
  if (!surface_is_clear(&p->ground, metre->contact_offset_m, r))
    energy +=
        seabed_energy(&metre->spring, surface_penetration(&p->ground, metre->contact_offset_m, r, NULL));
  for (int d = 0; d < 2 && p->has_friction; d++)
    energy +=
        0.5 * p->friction_stiffness_npm2 * s->friction_elongation_m[d][i] * s->friction_elongation_m[d][i];
  return energy;
}

double pipe_metre_rotary(const struct pipe *p, const struct pipe_state *s, int i) {
  double sum = 0;
  for (int k = 0; k < 3; k++)
    sum += p->feed.metre.inertia_kgm2[k] * s->omega_t[k][i] * s->omega_t[k][i];
  return 0.5 * sum;
}

double pipe_metre_kinetic(const struct pipe *p, vec3 axis, vec3 velocity) {
  const struct pipe_metre *metre = &p->feed.metre;
  double along = vec3_dot(axis, velocity);
  return 0.5 * ((metre->mass_kg + metre->added_transverse * metre->water_kg) * vec3_dot(velocity, velocity) +
                (metre->added_axial - metre->added_transverse) * metre->water_kg * along * along);
}

// ---- The top element within a step ----

// The top element with the increments in w.
static struct growing_element stepping_element(const struct pipe *p, const struct pipe_state *s,
                                               const struct pipe_work *w, double damping_over_h) {
  const int e = p->elements - 1;
  struct growing_element x = {
      .start_m = p->length_m[e], .end_m = w->growth.end_m, .damping_over_h = damping_over_h};
  x.chord = vec3_sub(pipe_get3(s->r_n, e + 1), pipe_get3(s->r_n, e));
  x.chord_change = vec3_sub(pipe_get3(w->dr_n, e + 1), pipe_get3(w->dr_n, e));
  for (int k = 0; k < 3; k++) {
    x.a[k] = pipe_get3(w->d0 + 3 * k, e), x.b[k] = pipe_get3(w->d0 + 3 * k, e + 1);
    x.a_change[k] = pipe_get3(w->dd + 3 * k, e), x.b_change[k] = pipe_get3(w->dd + 3 * k, e + 1);
  }
  for (int k = 0; k < 6; k++)
    x.stiffness[k] = p->stiffness[k][e], x.rest_strain[k] = p->rest_strain[k][e];
  return x;
}

void pipe_growing_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                         double damping_over_h) {
  const int e = p->elements - 1;
  struct growing_element x = stepping_element(p, s, w, damping_over_h);
  struct growing_forces f = growing_element_forces(&x);
  pipe_set3(w->force_n, e, f.force_n);
  pipe_set3(w->moment_lower, e, f.moment_lower);
  pipe_set3(w->moment_upper, e, f.moment_upper);
  for (int k = 0; k < 6; k++) {
    w->stress[k][e] = f.stress[k];
    w->strain_step[k][e] = 0; // its loss is that of growth
  }
  w->growth.length_force_n = f.length_force_n;
  w->growth.loss_j = f.loss_j;
}

void pipe_growing_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                          double damping_over_h, double *const to[ELEMENT_BLOCKS]) {
  struct growing_element x = stepping_element(p, s, w, damping_over_h);
  struct growing_forces f = growing_element_forces(&x);
  double k[12][12];
  growing_element_tangent(&x, &f, k);
  for (int i = 0; i < BLOCK; i++)
    for (int j = 0; j < BLOCK; j++) {
      to[AA][block_at(i, j)] += k[i][j]; // beside that of the element below
      to[AB][block_at(i, j)] = k[i][6 + j];
      to[BA][block_at(i, j)] = k[6 + i][j];
      to[BB][block_at(i, j)] = k[6 + i][6 + j];
    }
}

struct growing_length_tangent pipe_growing_length_tangent(const struct pipe *p, const struct pipe_state *s,
                                                          const struct pipe_work *w, double damping_over_h) {
  struct growing_element x = stepping_element(p, s, w, damping_over_h);
  return growing_element_length_tangent(&x);
}
