// For the other files of this room: the chain of nodes in w->rhs, several nodes at once.
#pragma once

#include "sagbend/model/model.h"

#include "sagbend/base/base.h"

// The larger value; a NaN in a is kept.
static inline double chain_larger(double a, double b) {
  return a >= b || a != a ? a : b;
}

// Cayley vector theta after a further spatial rotation phi.
static inline vec3 chain_rotated(vec3 theta, vec3 phi) {
  return vec3_add(theta, cayley_derivative_inverse(theta, phi));
}

// rhs = -balance of the nodes of the chain, with the boundary conditions of the ends; updates
// largest_force_n.
void chain_rhs(const struct pipe_mesh *p, struct model_work *w) NONBLOCKING;

// Adds scale times the correction in rhs to the increments of the chain.
void chain_correct(struct model_work *w, double scale) NONBLOCKING;

// ------------------------------------------------------------
// A first shape of the pipe for the statics: a chain of straight elements of the given lengths that ends at
// the hang-off. It uses arithmetic and the project's own functions only, because its bits enter the
// equilibrium.

struct shape_guess {
  double reach_m; // horizontal distance from the lower end to the top
};

// Sets the pipe straight from its lower end along the lay azimuth, with the slope of the ground there.
void shape_straight(const struct pipe_mesh *p, const struct pipe_def *def, struct pipe_state *s);

// Sets positions and attitudes of the pipe's nodes in s for a top at the depth top_z_m. reach_m > 0 gives the
// horizontal distance of the ends; otherwise it follows from the horizontal force. scratch: two arrays with
// one number per element. STATUS_BAD_INPUT: the pipe is too short.
enum status shape_guess(const struct model *m, const struct pipe_def *pipe, double horizontal_force_n,
                        double reach_m, double top_z_m, double *const scratch[2], struct model_state *s,
                        struct shape_guess *out, struct reason *why);

// ------------------------------------------------------------
// Loads on the pipe at rest (static_loads.c).

// Adds the loads to the residual; with GROUND_FRICTION fills w->end_friction_elongation_m. Call after
// pipe_residual.
void pipe_static_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_static_loads *loads) NONBLOCKING;

// Adds half their derivative to the diagonal block of a node, as the tangent of a step contains it.
// symmetric: only the springs that stick, to judge stability: a spring that slips does not resist, and drag
// has no potential.
void pipe_static_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                         const struct pipe_static_loads *loads, int symmetric, int node,
                         double block[36]) NONBLOCKING;

// Before a correction in w is committed: elongates the friction springs by it, also beyond their bounds, so
// that the forces depend on the way since the last pipe_static_commit_slip and not on the course of the
// iteration.
void pipe_static_elongate_friction(const struct pipe_mesh *p, struct pipe_state *s,
                                   const struct pipe_work *w);

// Makes the slip up to now permanent: the elongations become those of the last pipe_static_forces.
void pipe_static_commit_slip(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w);

// Engages the friction springs: each takes the force that the ground carried, up to mu N.
void pipe_static_start_friction(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w);

// Length of pipe on the ground whose friction springs slip, m.
double pipe_static_slipping_length(const struct pipe_mesh *p, const struct pipe_state *s,
                                   const struct pipe_work *w);

// ------------------------------------------------------------
// The equilibrium (relax.c). Only for the files of the statics.

// Largest unbalanced nodal force that counts as an equilibrium, N: the rounding of the strains of a pipe of
// this size.
double relax_tolerance(const struct model *m, const struct pipe_mesh *p);

// Returns 1 if seabed friction acts in this statics.
int load_stages_have_friction(const struct equilibrium *eq, const struct statics_def *def);

// Engages the friction springs at the present state: each takes the force that the ground carried, up to
// mu N. On level ground in still water all of them stay unloaded.
void load_stages_start_friction(const struct equilibrium *eq);

// As relax (model.h), and where it fails again from the same start with more damping: friction that slips and
// a vessel that is soft in roll and pitch can keep the iteration in circles. w->saved is that start.
enum status relax_or_stiffen(const struct equilibrium *eq, double mu, const char *stage, struct reason *why);

// Checks whether the equilibrium in x is stable and fills the report: stability_checked, stable, softest,
// unstable_left, left, slipping_m. From an unstable equilibrium it continues downhill to a stable one nearby.
// Fails with STATUS_NOT_CONVERGED if there is none, or if def refuses unstable equilibria.
//
// Does nothing for a pipe that nothing holds, and for one whose free top carries a moment: a constant moment
// has no potential.
enum status stability_check(const struct equilibrium *eq, const struct statics_def *def, struct reason *why);

// ------------------------------------------------------------
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

// ------------------------------------------------------------
// Balance of the length for the increments in w, N: force of the tensioner minus tension at the grip. NaN if
// nothing is left of the top element. Call after pipe_residual.
double tensioner_balance(const struct model_state *s, struct model_work *w) NONBLOCKING;

// Its derivatives, with the column of the length; the law's derivative is in own_npm.
struct growing_length_tangent tensioner_tangent(const struct model_state *s,
                                                const struct model_work *w) NONBLOCKING;
