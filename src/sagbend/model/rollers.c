// Pipe on the rollers of a stinger: which nodes lie over each, forces, tangent, energy.
#include "sagbend/model/model.h"
#include "sagbend/model/model_internal.h"

#include <math.h>
#include <string.h>

// A roller's line in the world.
struct line {
  vec3 at_n, axis_n;
};

static struct line line_of(const struct vessel_state *vessel, const struct roller *roller) {
  const mat3 q = quat_matrix(vessel->q_nb);
  return (struct line){vec3_add(vessel->x_n, mat3_mul(&q, roller->at_b_m)), mat3_mul(&q, roller->axis_b)};
}

// phi of sagbend/stinger/roller.c, over a positive factor, at a node.
static double lead(const struct pipe_state *s, int i, const struct line *line) {
  vec3 d = vec3_sub(pipe_get3(s->r_n, i), line->at_n);
  return vec3_dot(vec3_axpy(-vec3_dot(line->axis_n, d), line->axis_n, d), pipe_axis(s, i));
}

// The element with the point closest to a roller, nearest to the top; -1: none.
static int element_over(const struct model_state *s, const struct roller *roller) {
  const struct line line = line_of(&s->vessel, roller);
  double above = lead(&s->pipe, s->mesh.pipe.nodes - 1, &line);
  for (int e = s->mesh.pipe.elements - 1; e >= 0; e--) {
    double below = lead(&s->pipe, e, &line);
    if (below <= 0 && above > 0)
      return e;
    above = below;
  }
  return -1;
}

static struct roller lowered(const struct roller *roller, double by_m) {
  struct roller to = *roller;
  to.at_b_m.z += by_m;
  to.holds = roller->holds && by_m == 0; // it does not pull the pipe down
  return to;
}

// Radius at a node, that of the wider of its elements, less that of the line pipe.
static double wider_at(const struct pipe_mesh *p, int node) {
  const double below = node > 0 ? p->outer_radius_m[node - 1] : 0,
               above = node < p->elements ? p->outer_radius_m[node] : 0;
  return fmax(below, above) - p->pipe->kind[0].outer_radius_m;
}

// Nodes, lengths, radii and poses at the start around an element.
static void open_window(const struct model_state *s, struct roller_window *x, int element) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int last = element + 2 < p->nodes ? element + 2 : p->nodes - 1;
  x->first = element > 0 ? element - 1 : 0;
  x->step.roller = &x->roller;
  x->step.nodes = last - x->first + 1;
  x->step.growing = -1;
  memset(x->step.start, 0, sizeof x->step.start);
  memset(x->step.change, 0, sizeof x->step.change);
  memset(&x->poses, 0, sizeof x->poses);
  x->poses.vessel_n = s->vessel.x_n;
  x->poses.q = quat_matrix(s->vessel.q_nb);
  for (int i = 0; i < x->step.nodes; i++) {
    x->poses.r[i] = pipe_get3(s->pipe.r_n, x->first + i);
    x->poses.axis[i] = pipe_axis(&s->pipe, x->first + i);
    x->step.wider_m[i] = wider_at(p, x->first + i);
    if (i + 1 < x->step.nodes)
      x->step.length_m[i] = p->length_m[x->first + i];
  }
  roller_take_start(&x->step, &x->poses);
}

void rollers_begin(const struct model *m, const struct model_state *s, struct model_work *w) {
  for (int k = 0; k < m->roller_count; k++) {
    struct roller_window *x = &w->roller[k];
    x->roller = lowered(&m->roller[k], w->rollers_lowered_m);
    const int element = isfinite(w->rollers_lowered_m) ? element_over(s, &x->roller) : -1;
    x->is_open = element >= 0;
    x->step.elongation_m = s->roller_elongation_m[k];
    if (x->is_open) {
      open_window(s, x, element);
      roller_begin(&x->step, &x->passage);
    }
  }
}

// The increments in w.
static void take_increments(const struct pipe_mesh *p, const struct model_work *w, struct roller_window *x) {
  const int top = p->elements - 1 - x->first;
  x->poses.vessel_change_n = w->vessel.dx_n;
  x->poses.turn = w->vessel.theta_n;
  for (int i = 0; i < x->step.nodes; i++) {
    x->poses.dr[i] = pipe_get3(w->pipe.dr_n, x->first + i);
    x->poses.axis_change[i] = pipe_get3(w->pipe.dd, x->first + i);
  }
  if (w->pipe.growth.is_active && top < x->step.nodes - 1) {
    x->step.growing = top;
    x->step.start[ROLLER_LENGTH] = x->step.length_m[top];
    x->step.change[ROLLER_LENGTH] = w->pipe.growth.grown_m;
  }
  roller_take_changes(&x->step, &x->poses);
}

static void add_to(double *const field[3], int i, vec3 v) {
  pipe_set3(field, i, vec3_add(pipe_get3(field, i), v));
}

void rollers_balance(const struct model *m, const struct model_state *s, struct model_work *w) {
  const int in_step = w->coefficients.inverse_h > 0;
  w->roller_force_n = w->roller_moment_nm = (vec3){0, 0, 0};
  for (int k = 0; k < m->roller_count; k++) {
    struct roller_window *x = &w->roller[k];
    const struct roller_grip none = {0};
    x->grip = none;
    if (!x->is_open) { // an elongation that is left lets go
      x->grip.loss_j = in_step ? roller_elastic(&x->roller, s->roller_elongation_m[k]) : 0;
      continue;
    }
    take_increments(&s->mesh.pipe, w, x);
    x->grip = roller_grip_of(&x->step, in_step, &x->passage);
    if (x->grip.is_lost)
      w->roller_force_n.x = (double)NAN;
    if (!x->grip.is_near)
      continue;
    const struct roller_balance b = roller_balance_of(&x->step, &x->poses, x->grip.push);
    for (int i = 0; i < x->step.nodes; i++) {
      add_to(w->pipe.residual, x->first + i, b.force_n[i]);
      add_to(w->pipe.residual + 3, x->first + i, b.moment_nm[i]);
    }
    w->roller_force_n = vec3_add(w->roller_force_n, b.vessel_force_n);
    w->roller_moment_nm = vec3_add(w->roller_moment_nm, b.vessel_moment_nm);
    if (x->step.growing >= 0)
      w->pipe.growth.length_force_n += x->grip.push[ROLLER_LENGTH];
  }
}

// Adds a 6x6 part of a roller's tangent to a block.
static void add_block(double block[BLOCK_SIZE], const struct roller_tangent *tangent, int i, int j) {
  for (int c = 0; c < BLOCK; c++)
    for (int r = 0; r < BLOCK; r++)
      block[block_at(r, c)] += tangent->to[6 * j + c][6 * i + r];
}

// The block of rows of node i and columns of node j, at most one apart.
static double *block_of(struct model_work *w, int top, int i, int j) {
  struct blocktri *b = &w->matrix;
  if (i == top)
    return j == top ? w->top_diag : w->top_lower;
  if (j == top)
    return w->top_upper;
  return i == j ? b->diag[i] : j > i ? b->upper[i] : b->lower[i];
}

// The last node of its tangent.
static int last_of(const struct roller_window *x) {
  return x->tangent.last < x->step.nodes ? x->tangent.last : x->step.nodes - 1;
}

void rollers_nodes_tangent(const struct model *m, const struct model_state *s, struct model_work *w) {
  struct blocktri *b = &w->matrix;
  b->border_from = -1;
  for (int k = 0; k < m->roller_count; k++) {
    struct roller_window *x = &w->roller[k];
    if (!x->grip.is_near)
      continue;
    struct roller_stiffness stiffness;
    roller_stiffness_of(&x->step, w->coefficients.inverse_h > 0, &x->passage, &stiffness);
    roller_balance_tangent(&x->step, &x->poses, x->grip.push, &stiffness, &x->tangent);
    const int first = x->tangent.first, last = last_of(x);
    for (int i = first; i <= last; i++)
      for (int j = i > first ? i - 1 : first; j <= i + 1 && j <= last; j++)
        add_block(block_of(w, s->mesh.pipe.nodes - 1, x->first + i, x->first + j), &x->tangent, i, j);
    if (b->border_from < 0 || x->first + first < b->border_from)
      b->border_from = x->first + first;
  }
  for (int i = b->border_from; i >= 0 && i < b->count - 1; i++) {
    memset(b->border_upper[i], 0, sizeof b->border_upper[i]);
    memset(b->border_lower[i], 0, sizeof b->border_lower[i]);
  }
}

// Adds a row and a column of the tail, those of unknown u of the roller, to the border of a node.
static void add_border(struct blocktri *b, const struct roller_window *x, int i, int tail, int u) {
  const int node = x->first + i;
  for (int c = 0; c < BLOCK; c++) {
    const double column = x->tangent.to[u][6 * i + c], row = x->tangent.to[6 * i + c][u];
    if (node == b->count - 1) {
      b->tail_upper[c][tail] += column;
      b->tail_lower[tail][c] += row;
    } else {
      b->border_upper[node][tail][c] += column;
      b->border_lower[node][tail][c] += row;
    }
  }
}

// The same for the top node, whose unknowns are functions of the tail.
static void add_top(struct blocktri *b, const struct roller_window *x, int i, int tail, int u,
                    const double rows[TAIL_MAX][6], const double columns[TAIL_MAX][6]) {
  for (int a = 0; a < b->tail; a++)
    for (int c = 0; c < BLOCK; c++) {
      b->tail_diag[a][tail] += rows[a][c] * x->tangent.to[u][6 * i + c];
      b->tail_diag[tail][a] += x->tangent.to[6 * i + c][u] * columns[a][c];
    }
}

void rollers_tail_tangent(const struct model *m, const struct model_state *s, struct model_work *w,
                          const double rows[TAIL_MAX][6], const double columns[TAIL_MAX][6]) {
  struct blocktri *b = &w->matrix;
  for (int k = 0; k < m->roller_count; k++) {
    const struct roller_window *x = &w->roller[k];
    const int has_length = x->step.growing >= 0 && w->pipe.growth.is_unknown;
    if (!x->grip.is_near)
      continue;
    for (int v = 0; v < BLOCK + has_length; v++) {
      const int u = ROLLER_VESSEL + v, at = v < BLOCK ? v : b->tail - 1;
      for (int i = x->tangent.first; i <= last_of(x); i++) {
        if (x->first + i == s->mesh.pipe.nodes - 1)
          add_top(b, x, i, at, u, rows, columns);
        else
          add_border(b, x, i, at, u);
      }
      for (int n = 0; n < BLOCK + has_length; n++)
        b->tail_diag[n < BLOCK ? n : b->tail - 1][at] += x->tangent.to[u][ROLLER_VESSEL + n];
    }
  }
}

void rollers_commit(const struct model *m, struct model_state *s, const struct model_work *w) {
  for (int k = 0; k < m->roller_count; k++)
    s->roller_elongation_m[k] = w->roller[k].grip.elongation_m;
}

double rollers_loss(const struct model *m, const struct model_work *w) {
  double sum = 0;
  for (int k = 0; k < m->roller_count; k++)
    sum += w->roller[k].grip.loss_j;
  return sum;
}

// A roller that no point of the pipe lies over: the overlap of the node nearest to it.
static struct roller_place nowhere(const struct model_state *s, const struct roller *roller) {
  const struct line line = line_of(&s->vessel, roller);
  double most = -(double)INFINITY;
  for (int i = 0; i < s->mesh.pipe.nodes; i++) {
    const vec3 beside = vec3_cross(line.axis_n, vec3_sub(pipe_get3(s->pipe.r_n, i), line.at_n));
    most = fmax(most, roller->reach_m + wider_at(&s->mesh.pipe, i) - vec3_norm(beside));
  }
  return (struct roller_place){.overlap_m = most};
}

struct roller_place rollers_place(const struct model *m, const struct model_state *s, int roller,
                                  double lowered_m) {
  struct roller_window x;
  struct roller_touch touch;
  x.roller = lowered(&m->roller[roller], lowered_m);
  const int element = element_over(s, &x.roller);
  if (element < 0)
    return nowhere(s, &x.roller);
  open_window(s, &x, element);
  if (!roller_touch_of(&x.step, x.step.start, NULL, &touch))
    return nowhere(s, &x.roller);
  struct roller_place place = {
      .is_near = 1, .overlap_m = touch.overlap_m, .element = x.first + touch.element, .x = touch.x};
  place.arc_m = s->mesh.pipe.arc_m[place.element] + touch.x * s->mesh.pipe.length_m[place.element];
  return place;
}

double rollers_energy(const struct model *m, const struct model_state *s) {
  double sum = 0;
  for (int k = 0; k < m->roller_count; k++) {
    const struct roller_place place = rollers_place(m, s, k, 0);
    if (place.is_near)
      sum += roller_energy(&m->roller[k], place.overlap_m);
    sum += roller_elastic(&m->roller[k], s->roller_elongation_m[k]);
  }
  return sum;
}
