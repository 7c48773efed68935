// The top of the pipe where it is paid out or retrieved: the places of its elements in the plan, the elements
// that begin and end, and the top element within a step in which its length changes.
#include "sagbend/pipe/pipe.h"

#include "sagbend/pipe/pipe_internal.h"

#include <string.h>

struct pipe_top_load pipe_load_between(const struct pipe_stretch *own, const struct pipe_stretch *next,
                                       double length_m) {
  const double own_m = own->element_m, next_m = length_m - own_m;
  if (!next || next->type == own->type || next_m <= 0)
    return (struct pipe_top_load){{0.5 * length_m, 0.5 * length_m}, {0, 0}};
  const double own_up = own_m * (0.5 * own_m / length_m),
               next_up = next_m * ((own_m + 0.5 * next_m) / length_m);
  return (struct pipe_top_load){{own_m - own_up, own_up}, {next_m - next_up, next_up}};
}

struct pipe_top_load pipe_load_of(const struct pipe_mesh *p, double length_m) {
  return pipe_load_between(p->top.own, p->top.next, length_m);
}

double pipe_hanging_weight(const struct pipe_mesh *p, const struct pipe_top_load *load) {
  const double own = p->top.own->kind->metre.weight_n;
  if (load->next_m[1] == 0)
    return 0.5 * own;
  const double length = load->own_m[0] + load->own_m[1] + load->next_m[0] + load->next_m[1];
  return (own * load->own_m[1] + p->top.next->kind->metre.weight_n * load->next_m[1]) / length;
}

static void fill_element(struct pipe_mesh *p, int e, const struct pipe_stretch *of) {
  pipe_fill_element(p, e, of->type, of->element_m);
  p->rest_strain[0][e] = 0;
}

// What the top element has of two kinds.
static void set_next_kind(const struct pipe_mesh *p, struct growing_element *x) {
  const struct pipe_stretch *own = p->top.own, *next = p->top.next;
  x->has_next = 1;
  x->own_m = own->element_m;
  for (int k = 0; k < 6; k++) {
    x->stiffness[k] = x->next_stiffness[k] = own->kind->stiffness[k];
    x->rest_strain[k] = x->next_rest_strain[k] = k == 0 ? 0 : p->rest_strain[k][p->elements - 1];
  }
  x->next_stiffness[0] = next->kind->stiffness[0];
  x->boundary_n = 0.5 * p->top.steepness * own->kind->metre.weight_n * own->element_m;
  x->boundary_npm = 0.5 * p->top.steepness * next->kind->metre.weight_n;
}

// Along its axis the top element is as soft as its two kinds in series; it bends, shears and turns as its
// own.
static void set_series(struct pipe_mesh *p, double length_m) {
  const struct pipe_stretch *own = p->top.own, *next = p->top.next;
  const int top = p->elements - 1;
  const double next_m = length_m - own->element_m;
  p->stiffness[0][top] = own->kind->stiffness[0];
  p->weight_npm[top] = own->kind->metre.weight_n;
  p->rest_strain[0][top] = 0;
  if (!next || next->type == own->type || next_m <= 0)
    return;
  p->stiffness[0][top] =
      length_m / (own->element_m / own->kind->stiffness[0] + next_m / next->kind->stiffness[0]);
  p->weight_npm[top] =
      (own->element_m * own->kind->metre.weight_n + next_m * next->kind->metre.weight_n) / length_m;
  struct growing_element x = {.has_next = 0};
  set_next_kind(p, &x);
  p->rest_strain[0][top] = growing_element_boundary_stretch(&x, length_m) / length_m;
}

// What node i has of the element below it, of a stretch, and of these lengths of the top element. Its contact
// is that of whole elements, so that it stays as it is while the top element grows.
static void lump_below_top(struct pipe_mesh *p, int i, const struct pipe_stretch *below, double own_m,
                           double next_m) {
  const struct pipe_stretch *own = p->top.own, *next = p->top.next ? p->top.next : own;
  const double lower = below->element_m, upper = own->element_m;
  const int count = next_m > 0 ? 2 : 1;
  if (below->type == own->type) {
    const struct pipe_load load[] = {{&own->kind->metre, 0.5 * lower + own_m, 1},
                                     {&next->kind->metre, next_m, 0}};
    pipe_lump(p, i, load, count);
    return;
  }
  const struct pipe_load load[] = {{&below->kind->metre, 0.5 * lower, lower / (lower + upper)},
                                   {&own->kind->metre, own_m, upper / (lower + upper)},
                                   {&next->kind->metre, next_m, 0}};
  pipe_lump(p, i, load, 1 + count);
}

// The water that the top element displaces, and of it what belongs to its upper half, per metre.
static void displace(struct pipe_mesh *p, const struct pipe_top_load *load) {
  const struct pipe_stretch *own = p->top.own, *next = p->top.next ? p->top.next : own;
  const int top = p->elements - 1;
  const double length = load->own_m[0] + load->own_m[1], more = load->next_m[0] + load->next_m[1];
  p->displaced_n[top] = p->pipe->buoyant_npm3 * own->kind->outer_area_m2 * length;
  p->top.hanging_water_npm = p->pipe->buoyant_npm3 * own->kind->outer_area_m2;
  if (more == 0)
    return;
  p->displaced_n[top] += p->pipe->buoyant_npm3 * next->kind->outer_area_m2 * more;
  p->top.hanging_water_npm *= 2 * load->own_m[1] / (length + more);
  p->top.hanging_water_npm +=
      2 * p->pipe->buoyant_npm3 * next->kind->outer_area_m2 * load->next_m[1] / (length + more);
}

void pipe_set_top_length(struct pipe_mesh *p, double element_m, const struct pipe_top_load *lumped) {
  const struct pipe_stretch *own = p->top.own, *next = p->top.next ? p->top.next : own;
  const int top = p->elements - 1;
  const struct pipe_load upper[] = {{&own->kind->metre, lumped->own_m[1], 1},
                                    {&next->kind->metre, lumped->next_m[1], 0}};
  p->length_m[top] = element_m;
  p->arc_m[top + 1] = p->arc_m[top] + element_m;
  set_series(p, element_m);
  displace(p, lumped);
  lump_below_top(p, top, pipe_stretch_of_place(p->pipe, p->top.place - 1), lumped->own_m[0],
                 lumped->next_m[0]);
  pipe_lump(p, top + 1, upper, lumped->next_m[1] > 0 ? 2 : 1);
}

// The top element becomes whole, and another one of no length follows.
static void append_element(struct pipe_mesh *p) {
  const int from = p->elements - 1;
  fill_element(p, from, p->top.own);
  lump_below_top(p, from, pipe_stretch_of_place(p->pipe, p->top.place - 1), 0.5 * p->top.own->element_m, 0);
  p->elements++, p->nodes++, p->top.place++;
  pipe_find_place(p);
  fill_element(p, from + 1, p->top.own);
}

// The top element becomes padding.
static void remove_element(struct pipe_mesh *p) {
  const int e = p->elements - 1;
  pipe_clear_element(p, e);
  pipe_lump(p, e + 1, NULL, 0);
  p->elements--, p->nodes--, p->top.place--;
  pipe_find_place(p);
  fill_element(p, e - 1, p->top.own);
}

void pipe_set_elements(struct pipe_mesh *p, int elements, double top_m) {
  while (p->elements < elements)
    append_element(p);
  while (p->elements > elements)
    remove_element(p);
  const struct pipe_top_load load = pipe_load_of(p, top_m);
  pipe_set_top_length(p, top_m, &load);
}

static void clear_from(double *const *fields, int count, int first, size_t stride) {
  for (int k = 0; k < count; k++)
    memset(fields[k] + first, 0, (stride - PIPE_LEAD - (size_t)first) * sizeof(double));
}

void pipe_work_clear_above(const struct pipe_mesh *p, struct pipe_work *w) {
  const int first = p->elements;
  double *const one[] = {w->normal_force_n, w->damper_force_n, w->contact_share, w->end_normal_force_n};
  clear_from(w->dd, 9, first, p->pipe->stride);
  clear_from(w->dr_n, 3, first, p->pipe->stride);
  clear_from(w->theta_n, 3, first, p->pipe->stride);
  clear_from(w->slope0, 3, first, p->pipe->stride);
  clear_from(w->strain0, 6, first, p->pipe->stride);
  clear_from(w->strain_step, 6, first, p->pipe->stride);
  clear_from(w->stress, 6, first, p->pipe->stride);
  clear_from(w->force_n, 3, first, p->pipe->stride);
  clear_from(w->moment_lower, 3, first, p->pipe->stride);
  clear_from(w->moment_upper, 3, first, p->pipe->stride);
  clear_from(w->residual, 6, first, p->pipe->stride);
  clear_from(w->penetration_gradient, 3, first, p->pipe->stride);
  clear_from(w->end_friction_elongation_m, 2, first, p->pipe->stride);
  clear_from(w->friction_slip_m, 2, first, p->pipe->stride);
  clear_from(one, 4, first, p->pipe->stride);
}

enum { STATE_ARRAYS = sizeof(struct pipe_state) / sizeof(double *) };

// The arrays with a value for each node, and if asked those for each element; returns their number.
static int arrays_of(const struct pipe_mesh *p, const struct pipe_state *s, int with_elements,
                     double *array[STATE_ARRAYS]) {
  const struct pipe_state_rows all = pipe_state_rows(p->pipe, s);
  int n = 0;
  for (int f = 0; f < PIPE_STATE_MEMBERS; f++)
    for (int k = 0; k < all.row[f].count; k++)
      if (all.row[f].of == PER_NODE || (all.row[f].of == PER_ELEMENT && with_elements))
        array[n++] = all.row[f].array[k];
  return n;
}

void pipe_state_insert_below_top(const struct pipe_mesh *p, struct pipe_state *s) {
  double *field[STATE_ARRAYS];
  const int top = p->nodes - 1;
  const int count = arrays_of(p, s, 0, field);
  for (int k = 0; k < count; k++) {
    field[k][top + 1] = field[k][top];
    field[k][top] = 0;
  }
  pipe_plastic_split(p, s);
}

void pipe_state_remove_below_top(const struct pipe_mesh *p, struct pipe_state *s) {
  double *field[STATE_ARRAYS];
  const int top = p->nodes - 1;
  const int count = arrays_of(p, s, 0, field);
  for (int k = 0; k < count; k++) {
    field[k][top - 1] = field[k][top];
    field[k][top] = 0;
  }
  pipe_plastic_merge(p, s);
}

void pipe_state_drop_lowest(const struct pipe_mesh *p, struct pipe_state *s) {
  double *field[STATE_ARRAYS];
  const int count = arrays_of(p, s, 1, field), nodes = p->nodes;
  for (int k = 0; k < count; k++) {
    memmove(field[k], field[k] + 1, (size_t)(nodes - 1) * sizeof(double));
    field[k][nodes - 1] = 0;
  }
}

void pipe_state_add_lowest(const struct pipe_mesh *p, struct pipe_state *s) {
  double *field[STATE_ARRAYS];
  const int count = arrays_of(p, s, 1, field), nodes = p->nodes;
  for (int k = 0; k < count; k++) {
    memmove(field[k] + 1, field[k], (size_t)nodes * sizeof(double));
    field[k][0] = 0;
  }
}

void pipe_set_window(struct pipe_mesh *p, int first, double arc_m, int elements) {
  for (int e = elements; e < p->elements; e++) {
    pipe_clear_element(p, e);
    pipe_lump(p, e + 1, NULL, 0);
  }
  p->first = first;
  p->elements = elements, p->nodes = elements + 1;
  p->held_position = first > 0 || p->pipe->retiring.held_position;
  p->held_rotation = first > 0 || p->pipe->retiring.held_rotation;
  p->arc_m[0] = arc_m;
  for (int e = 0; e < elements; e++)
    fill_element(p, e, pipe_stretch_of_place(p->pipe, first + e));
  for (int i = 0; i <= elements; i++)
    pipe_fill_node(p, i);
  p->top.place = first + elements - 1;
  pipe_find_place(p);
}

// Constants of element e; the top element may be of two kinds.
static void set_kinds(const struct pipe_mesh *p, int e, struct growing_element *x) {
  const struct pipe_top *top = &p->top;
  for (int k = 0; k < 6; k++)
    x->stiffness[k] = p->stiffness[k][e], x->rest_strain[k] = p->rest_strain[k][e];
  if (e == p->elements - 1 && top->next && top->next->type != top->own->type)
    set_next_kind(p, x);
  pipe_wire_kind(p, e, x);
}

struct growing_element pipe_still_element(const struct pipe_mesh *p, const struct pipe_state *s, int e) {
  struct growing_element x = {.start_m = p->length_m[e]};
  mat3 a = quat_matrix(pipe_quat(s, e)), b = quat_matrix(pipe_quat(s, e + 1));
  x.chord = vec3_sub(pipe_get3(s->r_n, e + 1), pipe_get3(s->r_n, e));
  for (int k = 0; k < 3; k++)
    x.a[k] = mat3_column(&a, k), x.b[k] = mat3_column(&b, k);
  set_kinds(p, e, &x);
  pipe_wire_hold_twist(p, e, &x);
  // A node settles without turning about its axis, nor does a beam between a wire and a pinned top.
  for (int n = 0; n < 2; n++)
    x.held_twist_nm[n] *= 1e6;
  return x;
}

void pipe_stiffen_for_growth(struct growing_element *x, double grown_m) {
  const double ratio = grown_m / x->start_m, factor = 1 + 0.25 * ratio * ratio;
  for (int k = 0; k < 6; k++)
    x->stiffness[k] *= factor, x->next_stiffness[k] *= factor;
}

double pipe_still_grip_n(const struct pipe_mesh *p, const struct pipe_state *s, double grown_m) {
  const int n = p->nodes - 1;
  const double *z = s->r_n[2];
  const struct pipe_top_load load = pipe_load_of(p, p->length_m[n - 1]);
  struct growing_element top = pipe_still_element(p, s, n - 1);
  const double yielded = pipe_plastic_grip_n(p, s, &top);
  pipe_stiffen_for_growth(&top, grown_m);
  return growing_element_grip_n(&top) + yielded + pipe_hanging_weight(p, &load) * (z[n - 1] - z[n]) +
         pipe_waterline_hanging(p, pipe_depth(p, s, n - 1), pipe_depth(p, s, n)).force_n;
}

double pipe_metre_potential(const struct pipe_mesh *p, const struct pipe_metre *metre,
                            const struct pipe_state *s, int i) {
  vec3 r = pipe_get3(s->r_n, i);
  double energy = metre->weight_n * (p->pipe->depth_m - r.z);
  if (!metre->contact_m)
    return energy;
  if (!surface_is_clear(&p->pipe->ground, p->contact_offset_m[i], r))
    energy +=
        pipe_contact_energy(p, s, i, surface_penetration(&p->pipe->ground, p->contact_offset_m[i], r, NULL));
  for (int d = 0; d < 2 && p->pipe->has_friction; d++)
    energy += 0.5 * p->pipe->friction.stiffness_npm2 * s->friction_elongation_m[d][i] *
              s->friction_elongation_m[d][i];
  return energy;
}

double pipe_metre_rotary(const struct pipe_metre *metre, const struct pipe_state *s, int i) {
  double sum = 0;
  for (int k = 0; k < 3; k++)
    sum += metre->inertia_kgm2[k] * s->omega_t[k][i] * s->omega_t[k][i];
  return 0.5 * sum;
}

double pipe_metre_kinetic(const struct pipe_metre *metre, vec3 axis, vec3 velocity) {
  double along = vec3_dot(axis, velocity);
  return 0.5 * ((metre->mass_kg + metre->added_transverse * metre->water_kg) * vec3_dot(velocity, velocity) +
                (metre->added_axial - metre->added_transverse) * metre->water_kg * along * along);
}

// ---- The top element within a step ----

// The top element with the increments in w.
static struct growing_element stepping_element(const struct pipe_mesh *p, const struct pipe_state *s,
                                               const struct pipe_work *w, double damping_over_h) {
  const int e = p->elements - 1;
  struct growing_element x = {
      .start_m = p->length_m[e], .grown_m = w->growth.grown_m, .damping_over_h = damping_over_h};
  x.chord = vec3_sub(pipe_get3(s->r_n, e + 1), pipe_get3(s->r_n, e));
  x.chord_change = vec3_sub(pipe_get3(w->dr_n, e + 1), pipe_get3(w->dr_n, e));
  for (int k = 0; k < 3; k++) {
    x.a[k] = pipe_get3(w->d0 + 3 * k, e), x.b[k] = pipe_get3(w->d0 + 3 * k, e + 1);
    x.a_change[k] = pipe_get3(w->dd + 3 * k, e), x.b_change[k] = pipe_get3(w->dd + 3 * k, e + 1);
  }
  set_kinds(p, e, &x);
  return x;
}

void pipe_growing_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
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
  w->growth.axial_change_n = f.axial_change_n;
  w->growth.length_force_n = f.length_force_n;
  w->growth.loss_j = f.loss_j;
  if (p->pipe->has_plastic)
    pipe_plastic_growing_forces(p, s, &x, w);
}

void pipe_growing_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                          double damping_over_h, double *const to[ELEMENT_BLOCKS]) {
  struct growing_element x = stepping_element(p, s, w, damping_over_h);
  struct growing_forces f = growing_element_forces(&x);
  double k[12][12];
  growing_element_tangent(&x, &f, k);
  if (p->pipe->has_plastic)
    pipe_plastic_growing_tangent(p, s, &x, k);
  for (int i = 0; i < BLOCK; i++)
    for (int j = 0; j < BLOCK; j++) {
      to[AA][block_at(i, j)] += k[i][j]; // beside that of the element below
      to[AB][block_at(i, j)] = k[i][6 + j];
      to[BA][block_at(i, j)] = k[6 + i][j];
      to[BB][block_at(i, j)] = k[6 + i][6 + j];
    }
}

struct growing_length_tangent pipe_growing_length_tangent(const struct pipe_mesh *p,
                                                          const struct pipe_state *s,
                                                          const struct pipe_work *w, double damping_over_h) {
  struct growing_element x = stepping_element(p, s, w, damping_over_h);
  struct growing_length_tangent t = growing_element_length_tangent(&x);
  if (p->pipe->has_plastic)
    pipe_plastic_length_tangent(p, s, &x, &t);
  return t;
}
