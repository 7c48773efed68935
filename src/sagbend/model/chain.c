#include "sagbend/model/chain.h"

#include "sagbend/math/lanes.h"

// rhs = -balance of one node of the chain, with the boundary conditions of the ends; returns the larger of
// most and its unbalanced force.
static double node_rhs(const struct pipe_mesh *p, struct model_work *w, int i, double most) {
  double length = p->length_m[i < p->elements ? i : i - 1];
  for (int c = 0; c < 6; c++) {
    int held = c < 3 ? (i == 0 && p->held_position) || (i == p->nodes - 1 && p->top_moved)
                     : i == 0 && p->held_rotation;
    double balance = held ? 0 : w->pipe.residual[c][i];
    w->rhs[BLOCK * i + c] = -balance;
    most = chain_larger(most, c < 3 ? fabs(balance) : fabs(balance) / length);
  }
  return most;
}

// chain_larger for lanes.
KERNEL_INLINE void keep_larger(lanes *most, const lanes *x) {
  // NOLINTNEXTLINE(misc-redundant-expression): not a number
  const lane_mask keep = (*most >= *x) | (*most != *most);
  lanes_select(most, &keep, most, x);
}

// rhs = -balance of LANES nodes inside the chain.
KERNEL_INLINE void inner_rhs(const struct pipe_mesh *p, struct model_work *w, int i, lanes *most) {
  const lanes zero = {0};
  lanes x[6], size, length, part[LANES];
  lanes_load(&length, p->length_m + i);
  for (int c = 0; c < 6; c++) {
    lanes_load(&x[c], w->pipe.residual[c] + i);
    lanes_abs(&size, &x[c]);
    if (c >= 3)
      size = size / length;
    keep_larger(most, &size);
    x[c] = -x[c];
  }
  for (int k = 0; k < LANES; k++)
    part[k] = x[k];
  lanes_transpose(part);
  for (int k = 0; k < LANES; k++)
    lanes_store(w->rhs + BLOCK * (i + k), &part[k]);
  part[0] = x[4], part[1] = x[5], part[2] = part[3] = zero;
  lanes_transpose(part);
  for (int k = 0; k < LANES; k++) {
    w->rhs[BLOCK * (i + k) + 4] = part[k][0];
    w->rhs[BLOCK * (i + k) + 5] = part[k][1];
  }
}

// rhs = -balance of the chain; updates largest_force_n.
KERNEL_CLONES
void chain_rhs(const struct pipe_mesh *p, struct model_work *w) {
  const int count = p->nodes - p->top_attached;
  lanes most = {0};
  double largest = node_rhs(p, w, 0, w->largest_force_n);
  int i = 1;
  for (; i + LANES < count; i += LANES) // leaves out the last node
    inner_rhs(p, w, i, &most);
  for (; i < count; i++)
    largest = node_rhs(p, w, i, largest);
  for (int k = 0; k < LANES; k++)
    largest = chain_larger(largest, most[k]);
  w->largest_force_n = largest;
}

static void correct_node(struct model_work *w, int i, double scale) {
  const double *x = w->rhs + BLOCK * i;
  pipe_set3(w->pipe.dr_n, i, vec3_axpy(scale, vec3_of(x), pipe_get3(w->pipe.dr_n, i)));
  pipe_set3(w->pipe.theta_n, i,
            chain_rotated(pipe_get3(w->pipe.theta_n, i), vec3_scale(scale, vec3_of(x + 3))));
}

// correct_node for LANES nodes.
KERNEL_INLINE void correct_nodes(struct model_work *w, int i, double scale) {
  lanes a[LANES], b[LANES];
  for (int k = 0; k < LANES; k++) {
    lanes_load(&a[k], w->rhs + BLOCK * (i + k));
    lanes_load(&b[k], w->rhs + BLOCK * (i + k) + 2);
  }
  lanes_transpose(a); // the displacement and phi.x
  lanes_transpose(b); // its last component and phi
  struct lanes3 dr, theta, x = {a[0], a[1], a[2]}, phi = {scale * a[3], scale * b[2], scale * b[3]};
  L3_LOAD(dr, w->pipe.dr_n, i);
  dr = (struct lanes3)L3_AXPY(scale, x, dr);
  L3_STORE(w->pipe.dr_n, i, dr);
  L3_LOAD(theta, w->pipe.theta_n, i);
  struct lanes3 turn = L3_CROSS(theta, phi);
  turn = (struct lanes3)L3_AXPY(-0.5, turn, phi);
  lanes along = 0.25 * L3_DOT(theta, phi);
  turn = (struct lanes3)L3_AXPY(along, theta, turn);
  theta = (struct lanes3)L3_ADD(theta, turn);
  L3_STORE(w->pipe.theta_n, i, theta);
}

KERNEL_CLONES
void chain_correct(struct model_work *w, double scale) {
  int i = 0;
  for (; i + LANES <= w->matrix.count; i += LANES)
    correct_nodes(w, i, scale);
  for (; i < w->matrix.count; i++)
    correct_node(w, i, scale);
}
