// Wires: elements whose stretch is that of their chord, so that they cannot get longer without force however
// they bend or twist. With r' = (r_j - r_i)/l, the energy of an element is
//   l EA (|r'| - 1)^2/2 + (2 EI/l) sum over both nodes of (|r'| - t_1 . r').
// The tension is a straight line of the chord, T = EA (|r'| - 1); in compression as in tension. The second
// term bends the chord against the axes of its nodes. The node between two wires has no other stiffness: its
// axis settles between both chords, which leaves EI phi^2/(l_a + l_b) of the angle phi between them, the
// bending of a wire with a curvature of 2 phi/(l_a + l_b). Where the wire meets a beam or a clamp, the axis
// is theirs: the wire is rigid there and carries at most 2 EI/l, or hinged without the term. Nodes keep no
// twist: a wire has no torsion.
//
// The axes of the nodes, in which drag, added mass and friction act, follow the chords with the rate
// sqrt(4 EI/(J l^2)), J the rotary inertia per length; pipe_wire_bending keeps it above PIPE_WIRE_TURN_RATE.
//
// The forces are those of core/top/growing_wire.c, of an element that does not grow.
#include "core/pipe/element.h"

#include <string.h>

// A node where the axis is not the wire's own: of another kind of element, or of what holds an end.
static int meets_a_beam(const struct pipe_mesh *p, int e, int upper) {
  const int neighbour = upper ? e + 1 : e - 1;
  if (neighbour < 0)
    return p->held_rotation;
  if (neighbour == p->elements)
    return p->top_rotation_attached;
  return !pipe_is_wire(p, neighbour);
}

int pipe_wire_is_hinged(const struct pipe_mesh *p, int e, int n) {
  return p->pipe->kind[p->type[e]].is_hinged && meets_a_beam(p, e, n);
}

void pipe_wire_kind(const struct pipe_mesh *p, int e, struct growing_element *x) {
  x->is_wire = pipe_is_wire(p, e);
  for (int n = 0; n < 2; n++)
    x->hinged[n] = x->is_wire && pipe_wire_is_hinged(p, e, n);
  if (x->is_wire)
    x->stiffness[4] = x->stiffness[5] = p->stiffness[4][e];
}

void pipe_wire_hold_twist(const struct pipe_mesh *p, int e, struct growing_element *x) {
  for (int n = 0; n < 2; n++)
    x->held_twist_nm[n] = x->is_wire ? p->stiffness[3][e] / p->length_m[e] : 0;
}

// The wire with the increments in w.
static struct growing_element stepping_wire(const struct pipe_mesh *p, const struct pipe_state *s,
                                            const struct pipe_work *w, int e, double damping_over_h) {
  struct growing_element x = {.start_m = p->length_m[e], .damping_over_h = damping_over_h};
  x.chord = vec3_sub(pipe_get3(s->r_n, e + 1), pipe_get3(s->r_n, e));
  x.chord_change = vec3_sub(pipe_get3(w->dr_n, e + 1), pipe_get3(w->dr_n, e));
  for (int k = 0; k < 3; k++) {
    x.a[k] = pipe_get3(w->d0 + 3 * k, e), x.b[k] = pipe_get3(w->d0 + 3 * k, e + 1);
    x.a_change[k] = pipe_get3(w->dd + 3 * k, e), x.b_change[k] = pipe_get3(w->dd + 3 * k, e + 1);
  }
  x.stiffness[0] = p->stiffness[0][e];
  x.rest_strain[0] = p->rest_strain[0][e];
  pipe_wire_kind(p, e, &x);
  return x;
}

// The strains are such that C strain is the tension, and that the energy is l sum C strain^2/2: those of
// bending, one for each node, have no sign.
void pipe_wire_strains(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  w->wire_first = p->elements;
  w->wire_end = 0;
  for (int e = 0; e < p->elements; e++) {
    if (!pipe_is_wire(p, e))
      continue;
    w->wire_first = w->wire_end == 0 ? e : w->wire_first;
    w->wire_end = e + 1;
    struct growing_element x = {.start_m = p->length_m[e]};
    const double l = x.start_m;
    const vec3 slope = vec3_scale(1 / l, vec3_sub(pipe_get3(s->r_n, e + 1), pipe_get3(s->r_n, e)));
    const double stretch = vec3_norm(slope);
    pipe_wire_kind(p, e, &x);
    w->strain0[0][e] = stretch - 1 - p->rest_strain[0][e];
    for (int k = 1; k < 4; k++)
      w->strain0[k][e] = 0;
    for (int n = 0; n < 2; n++) {
      const vec3 off = vec3_axpy(-stretch, pipe_get3(w->d0, e + n), slope);
      w->strain0[4 + n][e] = x.hinged[n] ? 0 : sqrt(2 * vec3_dot(off, off) / stretch) / l;
    }
  }
}

void pipe_wire_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                      double damping_over_h) {
  w->wire_loss_j = 0;
  const int still = p->elements - w->growth.is_active, end = w->wire_end < still ? w->wire_end : still;
  for (int e = w->wire_first; e < end; e++) {
    if (!pipe_is_wire(p, e))
      continue;
    const struct growing_element x = stepping_wire(p, s, w, e, damping_over_h);
    const struct growing_forces f = growing_element_forces(&x);
    pipe_set3(w->force_n, e, f.force_n);
    pipe_set3(w->moment_lower, e, f.moment_lower);
    pipe_set3(w->moment_upper, e, f.moment_upper);
    for (int k = 0; k < 6; k++) {
      w->stress[k][e] = f.stress[k];
      w->strain_step[k][e] = 0;
    }
    w->wire_loss_j += f.loss_j;
  }
}

void pipe_wire_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                       double damping_over_h, int e, int is_static, double *const to[ELEMENT_BLOCKS]) {
  struct growing_element x = stepping_wire(p, s, w, e, damping_over_h);
  const struct growing_forces f = {.stress = {w->stress[0][e]}};
  double k[12][12];
  if (is_static)
    pipe_wire_hold_twist(p, e, &x);
  growing_element_tangent(&x, &f, k);
  for (int i = 0; i < BLOCK; i++)
    for (int j = 0; j < BLOCK; j++) {
      to[AA][block_at(i, j)] += k[i][j];
      to[AB][block_at(i, j)] += k[i][6 + j];
      to[BA][block_at(i, j)] += k[6 + i][j];
      to[BB][block_at(i, j)] += k[6 + i][6 + j];
    }
}
