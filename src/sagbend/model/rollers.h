// The rollers of a stinger in the model: which nodes lie over each roller, its share of the balance, of the
// tangent, of the energy and of the state. sagbend/stinger/stinger.h contains the contact itself.
//
// The rollers couple the vessel with all nodes over them: the border of the matrix (sagbend/math/blocktri.h)
// begins with the lowest one. The coupling of nodes two apart, which exists only while a node passes a
// roller, is left out of the tangent.
#pragma once

#include "sagbend/model/model.h"

// Finds the nodes over each roller at the start of a step or iteration. Call when the directors are laid out.
void rollers_begin(const struct model *m, const struct model_state *s, struct model_work *w) NONBLOCKING;

// Adds the forces to the balance of the nodes and to the length force, and fills w->roller_force_n and
// w->roller_moment_nm, on the vessel. Call after pipe_residual.
void rollers_balance(const struct model *m, const struct model_state *s, struct model_work *w) NONBLOCKING;

// Adds to the blocks of the nodes; rows and columns (sagbend/model/assembly.c) map the top node to the tail.
// First the blocks of pipe and top node, before the top is coupled to the tail; then border and tail. The
// first sets where the border begins, and the border to zero.
void rollers_nodes_tangent(const struct model *m, const struct model_state *s,
                           struct model_work *w) NONBLOCKING;
void rollers_tail_tangent(const struct model *m, const struct model_state *s, struct model_work *w,
                          const double rows[TAIL_MAX][6], const double columns[TAIL_MAX][6]) NONBLOCKING;

// Takes the elongations of the friction springs into the state.
void rollers_commit(const struct model *m, struct model_state *s, const struct model_work *w) NONBLOCKING;

// Energy of the state, J, and loss by friction over the step of the last balance, J.
double rollers_energy(const struct model *m, const struct model_state *s) NONBLOCKING;
double rollers_loss(const struct model *m, const struct model_work *w) NONBLOCKING;

// Overlap of the pipe with a roller that is lowered by this length along the vessel's z axis. is_near: 0 if
// no point of the pipe lies over it; the overlap is then that of the nearest node.
struct roller_place {
  int is_near;
  double overlap_m, arc_m;
  int element;
  double x; // share of the element
};
struct roller_place rollers_place(const struct model *m, const struct model_state *s, int roller,
                                  double lowered_m) NONBLOCKING;
