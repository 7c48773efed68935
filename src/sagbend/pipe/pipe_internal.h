// For the other files of this room: kernels of the element (element.c).
#pragma once

#include "sagbend/pipe/pipe.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

// Strains of all elements for the positions in s and the directors w->d0: fills slope0 and strain0.
void pipe_element_strains(const struct pipe_mesh *p, const struct pipe_state *s,
                          struct pipe_work *w) NONBLOCKING;

// Internal forces of all elements from d0, dd and dr_n: fills strain_step, stress, force_n, moment_lower and
// moment_upper. damping_over_h: eta/h.
void pipe_element_forces(const struct pipe_mesh *p, struct pipe_work *w, double damping_over_h) NONBLOCKING;

// Derivative of an element's contribution to the residual (minus the internal forces) with respect to (dr,
// phi) of its nodes; 6x6 blocks column by column. AA: rows and columns of the lower node; AB: rows of the
// lower, columns of the upper; ...
enum { AA, AB, BA, BB, ELEMENT_BLOCKS };

// Blocks of LANES elements from first on, with the stresses of the last pipe_element_forces. to[block][k]:
// where that block of element first + k goes; AA is added to what BB of the element below has stored.
void pipe_element_tangents(const struct pipe_mesh *p, const struct pipe_work *w, double damping_over_h,
                           int first, double *const (*to)[LANES]) NONBLOCKING;

// The top element of a step in which its length changes (feed.c): overwrites what pipe_element_forces has
// computed for it, and fills its blocks in place of pipe_element_tangents.
void pipe_growing_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         double damping_over_h) NONBLOCKING;
void pipe_growing_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                          double damping_over_h, double *const to[ELEMENT_BLOCKS]) NONBLOCKING;

// Wires (wire.c): overwrite what the functions above have computed for them, which take them for beams.
void pipe_wire_strains(const struct pipe_mesh *p, const struct pipe_state *s,
                       struct pipe_work *w) NONBLOCKING;
void pipe_wire_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                      double damping_over_h) NONBLOCKING;

// Blocks of LANES wires from first on, as pipe_element_tangents; of what is no wire they have no meaning.
// is_static: the nodes get some stiffness against twist, which they have not; no moment about the axis acts
// on them.
void pipe_wire_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                        double damping_over_h, int first, int is_static,
                        double *const (*to)[LANES]) NONBLOCKING;

// Gives the nodes of a wire at rest a stiffness against twist in the tangent. Nothing else may hold them, nor
// the beam that the wire meets, and no moment about their axes acts on them.
void pipe_wire_hold_twist(const struct pipe_mesh *p, int e, struct growing_element *x) NONBLOCKING;

// What a growing element of this number has of a wire.
void pipe_wire_kind(const struct pipe_mesh *p, int e, struct growing_element *x) NONBLOCKING;

// ------------------------------------------------------------
// For the tangents of beams and wires (element.c, wire.c): 3x3 blocks of LANES elements in registers,
// and where they go.

struct block_lanes {
  lanes m[3][3];
};

// b += s u v'
KERNEL_INLINE void add_outer(struct block_lanes *b, const lanes *s, const struct lanes3 *u,
                             const struct lanes3 *v) {
  lanes x = *s * u->x, y = *s * u->y, z = *s * u->z;
  b->m[0][0] += x * v->x, b->m[0][1] += x * v->y, b->m[0][2] += x * v->z;
  b->m[1][0] += y * v->x, b->m[1][1] += y * v->y, b->m[1][2] += y * v->z;
  b->m[2][0] += z * v->x, b->m[2][1] += z * v->y, b->m[2][2] += z * v->z;
}

KERNEL_INLINE void add_identity(struct block_lanes *b, const lanes *s) {
  for (int i = 0; i < 3; i++)
    b->m[i][i] += *s;
}

// b += s hat(v)
KERNEL_INLINE void add_hat(struct block_lanes *b, double s, const struct lanes3 *v) {
  b->m[0][1] -= s * v->z, b->m[0][2] += s * v->y;
  b->m[1][0] += s * v->z, b->m[1][2] -= s * v->x;
  b->m[2][0] -= s * v->y, b->m[2][1] += s * v->x;
}

struct stiffness_lanes {
  struct block_lanes rr;             // rows and columns r_a; the others by symmetry
  struct block_lanes r_a, r_b;       // rows r_a, columns phi_a, phi_b; rows r_b are the negative
  struct block_lanes a_r, b_r;       // rows phi_a, phi_b, columns r_b; columns r_a are the negative
  struct block_lanes aa, ab, ba, bb; // rows and columns phi_a, phi_b
};

// A 6x6 block of LANES elements, column by column.
struct block6_lanes {
  lanes m[BLOCK_SIZE];
};

// Puts s b at this row and column.
KERNEL_INLINE void put_block(struct block6_lanes *to, int row, int column, const struct block_lanes *b,
                             double s) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      to->m[block_at(row + i, column + j)] = s * b->m[i][j];
}

// Stores the block of each element, or adds it to what is there.
KERNEL_INLINE void store_blocks(double *const to[LANES], const struct block6_lanes *b, int is_added) {
  for (int k = 0; k < BLOCK_SIZE; k += LANES) {
    lanes part[LANES] = {b->m[k], b->m[k + 1], b->m[k + 2], b->m[k + 3]}, sum;
    lanes_transpose(part);
    for (int e = 0; e < LANES; e++) {
      if (is_added) {
        lanes_load(&sum, to[e] + k);
        part[e] = sum + part[e];
      }
      lanes_store(to[e] + k, &part[e]);
    }
  }
}

// Stores the blocks of LANES elements where pipe_element_tangents wants them.
KERNEL_INLINE void store_stiffness(double *const (*to)[LANES], const struct stiffness_lanes *k) {
  struct block6_lanes block;
  put_block(&block, 0, 0, &k->rr, 1), put_block(&block, 0, 3, &k->r_b, -1);
  put_block(&block, 3, 0, &k->b_r, 1), put_block(&block, 3, 3, &k->bb, 1);
  store_blocks(to[BB], &block, 0);
  put_block(&block, 0, 0, &k->rr, 1), put_block(&block, 0, 3, &k->r_a, 1);
  put_block(&block, 3, 0, &k->a_r, -1), put_block(&block, 3, 3, &k->aa, 1);
  store_blocks(to[AA], &block, 1);
  put_block(&block, 0, 0, &k->rr, -1), put_block(&block, 0, 3, &k->r_b, 1);
  put_block(&block, 3, 0, &k->a_r, 1), put_block(&block, 3, 3, &k->ab, 1);
  store_blocks(to[AB], &block, 0);
  put_block(&block, 0, 0, &k->rr, -1), put_block(&block, 0, 3, &k->r_a, -1);
  put_block(&block, 3, 0, &k->b_r, -1), put_block(&block, 3, 3, &k->ba, 1);
  store_blocks(to[BA], &block, 0);
}

// ------------------------------------------------------------
// For the other files of this room: the soil below a node (sagbend/ground/ground.h).

// The soil below node i: that of the element above it.
static inline const struct soil_column *ground_column(const struct pipe_mesh *p, int i) {
  return &p->pipe->column[p->type[i < p->elements ? i : i - 1]];
}

static inline struct soil_memory ground_memory(const struct pipe_state *s, int i) {
  struct soil_memory memory;
  for (int j = 0; j < SOIL_LAYERS; j++)
    memory.e_m[j] = s->soil_m[j][i];
  memory.deepest_m = s->soil_m[SOIL_LAYERS][i];
  memory.remoulded = s->remoulded[0] ? s->remoulded[0][i] : 0;
  return memory;
}

static inline void ground_set_memory(struct pipe_state *s, int i, const struct soil_memory *memory) {
  for (int j = 0; j < SOIL_LAYERS; j++)
    s->soil_m[j][i] = memory->e_m[j];
  s->soil_m[SOIL_LAYERS][i] = memory->deepest_m;
  if (s->remoulded[0])
    s->remoulded[0][i] = memory->remoulded;
}

// Fills w->soil at the start of a step, from w->penetration_m.
void ground_begin(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// Takes the memory at the end of the step into the state; fills w->soil_loss_j.
void ground_commit(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w) NONBLOCKING;

// ------------------------------------------------------------
// For the other files of this room: inertia of the nodes, with a mass along the axis that differs from the
// mass across it.

// Adds the derivative of the inertia of LANES nodes from first on to their diagonal blocks. Not for statics,
// and without what Morison's form of the added mass adds.
void pipe_inertia_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int first, double *const to[LANES]) NONBLOCKING;

// Kirchhoff's form: in the residual of nodes whose mass along the axis differs, replaces the isotropic
// inertia and adds the moment.
void pipe_axial_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_step *k) NONBLOCKING;

// Sets the velocities of the state to those at the end of the step.
void pipe_commit_velocities(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                            double step_s) NONBLOCKING;

// ------------------------------------------------------------
// For the other files of this room: Morison's form of the added mass, for nodes whose mass along the axis
// differs (Kirchhoff's form: wire.c).

// Adds to the residual the excess mass along the axis times the acceleration along it.
void pipe_morison_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                          const struct pipe_step *k) NONBLOCKING;

// Adds its derivative to the diagonal blocks of LANES nodes from first on.
void pipe_morison_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int first, double *const to[LANES]) NONBLOCKING;

// ------------------------------------------------------------
// For the files of this room: the motion between the ends of the windows, for LANES nodes.

// Stations of the nodes from i on, at a time.
struct station_lanes {
  lanes length_s;     // of the window, 1 without
  lanes share;        // of it that has passed
  struct lanes3 way;  // of the station over it
  struct lanes3 away; // way from the station to the node
  lane_mask is_set;   // nodes that have a station
};

// at: the places of the nodes.
KERNEL_INLINE void station_lanes_of(struct station_lanes *x, const struct pipe_state *s, int i, double time_s,
                                    const struct lanes3 *at) {
  const lanes one = (lanes){0} + 1;
  lanes begin, end;
  struct lanes3 from;
  lanes_load(&begin, s->station_s[0] + i), lanes_load(&end, s->station_s[1] + i);
  L3_LOAD(from, s->station_n, i);
  L3_LOAD(x->way, s->station_n + 3, i);
  x->is_set = end > begin;
  x->length_s = end - begin;
  lanes_select(&x->length_s, &x->is_set, &x->length_s, &one);
  x->share = (time_s - begin) / x->length_s;
  x->way = (struct lanes3)L3_SUB(x->way, from);
  from = (struct lanes3)L3_AXPY(x->share, x->way, from);
  x->away = (struct lanes3)L3_SUB(*at, from);
}

// Velocity of the water without the factor in time; 0 without a station, whose sums are 0.
KERNEL_INLINE void station_water(struct lanes3 *u, const struct stations *c, const struct station_lanes *x,
                                 int i) {
  lanes *const to[3] = {&u->x, &u->y, &u->z};
  for (int k = 0; k < 3; k++) {
    lanes c0, c1, c2, c3;
    lanes_load(&c0, c->velocity[0][k] + i), lanes_load(&c1, c->velocity[1][k] + i);
    lanes_load(&c2, c->velocity[2][k] + i), lanes_load(&c3, c->velocity[3][k] + i);
    lanes sum = ((c3 * x->share + c2) * x->share + c1) * x->share + c0;
    const lanes *const away[3] = {&x->away.x, &x->away.y, &x->away.z};
    for (int j = 0; j < 3; j++) {
      lanes_load(&c0, c->gradient[0][3 * k + j] + i), lanes_load(&c1, c->gradient[1][3 * k + j] + i);
      sum += (c0 + x->share * c1) * *away[j];
    }
    *to[k] = sum;
  }
}

// Its change at one place over a step.
KERNEL_INLINE void station_water_change(struct lanes3 *change, const struct stations *c,
                                        const struct station_lanes *x, double step_s, int i) {
  lanes *const to[3] = {&change->x, &change->y, &change->z};
  const lanes way = step_s / x->length_s, share = x->share + way, one = x->share + share,
              two = x->share * one + share * share;
  const struct lanes3 back = L3_SCALE(-way, x->way), before = L3_SCALE(way, x->away),
                      turn = L3_AXPY(share, back, before);
  const lanes *const by[3] = {&back.x, &back.y, &back.z}, *const and_by[3] = {&turn.x, &turn.y, &turn.z};
  for (int k = 0; k < 3; k++) {
    lanes c1, c2, c3;
    lanes_load(&c1, c->velocity[1][k] + i), lanes_load(&c2, c->velocity[2][k] + i);
    lanes_load(&c3, c->velocity[3][k] + i);
    lanes sum = way * (c1 + one * c2 + two * c3);
    for (int j = 0; j < 3; j++) {
      lanes_load(&c1, c->gradient[0][3 * k + j] + i), lanes_load(&c2, c->gradient[1][3 * k + j] + i);
      sum += c1 * *by[j] + c2 * *and_by[j];
    }
    *to[k] = sum;
  }
}

// ------------------------------------------------------------
// For the files of this room: what the two kinds of the growing element share.

// What takes the place of the length in one of the six energies, and of the length times rho.
struct span {
  double start, end;        // s at the start and the end of the step
  double slope, rest_slope; // mean over the growth of ds/dl, and of d(integral of rho)/dl
  double rest;              // integral of rho at the start
  // Derivatives with respect to grown_m: of s and of the integral at the end, of the mean slopes.
  double end_slope, end_rest_slope, slope_rate, rest_rate;
};

// The stress of one of the six g over the step and what follows from it. start, change: g at the start, and
// its change.
struct growing_stress {
  double stress;       // mean over the step, with structural damping
  double elastic;      // change of the force without damping
  double loss_j;       // by damping
  double length_force; // of the energies, without the strains of the unstressed pipe
};

// What belongs to one of the six g in the derivatives with respect to the length at the end.
struct length_rates {
  double stress, stress_by_length; // sigma, and its derivative with respect to grown_m
  double stress_by_g;              // with respect to g at the end
  double energy_by_g, own;         // of the terms of P without the strains of the unstressed pipe
};
