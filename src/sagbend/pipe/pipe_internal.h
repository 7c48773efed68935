// For the other files of this room: kernels of the element (element.c).
#pragma once

#include "sagbend/pipe/pipe.h"

#include "sagbend/base/base.h"
#include "sagbend/blocktri/blocktri.h"
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

// ------------------------------------------------------------
// For the other files of this room: inertia of the nodes (inertia.c), with a mass along the axis that differs
// from the mass across it.

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
// differs.

// Adds to the residual the excess mass along the axis times the acceleration along it.
void pipe_morison_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                          const struct pipe_step *k) NONBLOCKING;

// Adds its derivative to the diagonal blocks of LANES nodes from first on.
void pipe_morison_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int first, double *const to[LANES]) NONBLOCKING;

// ------------------------------------------------------------
// Filling of elements and nodes.

// A length of one kind that a node carries. contact_part: its share of the node's contact properties.
struct pipe_load {
  const struct pipe_metre *metre;
  double length_m, contact_part;
};

// Lets the tally know what its place in the plan means.
void pipe_find_place(struct pipe_mesh *p) NONBLOCKING;

// Gives node i what these lengths carry, and nothing else.
void pipe_lump(struct pipe_mesh *p, int i, const struct pipe_load *load, int count) NONBLOCKING;

// Makes element e, or all that node i carries, that of padding.
void pipe_clear_element(struct pipe_mesh *p, int e) NONBLOCKING;

// ------------------------------------------------------------
// For the other files of this room: normal springs and dampers of the seabed under the nodes.

// Fills w->penetration_m at the start of a step.
void pipe_contact_begin(const struct pipe_mesh *p, const struct pipe_state *s,
                        struct pipe_work *w) NONBLOCKING;

// Adds the forces of springs and, in a step, dampers to the residual; fills normal_force_n, damper_force_n,
// end_normal_force_n, contact_share and penetration_gradient of w. inverse_h: 0 in statics.
void pipe_contact_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         double inverse_h) NONBLOCKING;

// Energy of the seabed's spring or soil below a metre of pipe at node i, J.
double pipe_contact_energy(const struct pipe_mesh *p, const struct pipe_state *s, int i,
                           double penetration_m) NONBLOCKING;

// Derivatives with respect to dr of a node, for the friction.
struct contact_rates {
  vec3 share, end_force; // of w->contact_share and w->end_normal_force_n
  mat3 turn;             // of w->penetration_gradient
};

// Adds the derivative of the forces with respect to dr to the diagonal block of node i, after
// pipe_contact_forces for the same dr.
struct contact_rates pipe_contact_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                          const struct pipe_work *w, int i, double inverse_h,
                                          double block[36]) NONBLOCKING;

// End of a step, when poses and velocities are known: corrects the velocities for the moments at which the
// dampers' impulses act. Fills w->seabed_loss_j, and w->unresolved if a spring or damper is too fast for the
// step.
void pipe_contact_correct_velocities(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w,
                                     double step_s) NONBLOCKING;

// ------------------------------------------------------------
// For the other files of this room: Coulomb friction on the seabed, an elastic spring that slips at its
// bound, along and across the pipe independently.

// Adds the friction forces for the increments in w to the residual (steps only) and fills
// w->end_friction_elongation_m and w->friction_loss_j. Call after pipe_contact_forces.
void pipe_friction_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                          struct pipe_work *w) NONBLOCKING;

// Adds their derivative to the diagonal block of a node. rates: from pipe_contact_tangent.
void pipe_friction_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           int node, const struct contact_rates *rates, double block[36]) NONBLOCKING;

// ------------------------------------------------------------
// Bending beyond yield: what yielding changes in forces, tangents and between steps.

// For pipe_residual after the forces of the elements, and pipe_tangent: what yielding changes.
void pipe_plastic_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         int statics) NONBLOCKING;
void pipe_plastic_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                          int statics, struct blocktri *b, double top_diag[36], double top_upper[36],
                          double top_lower[36]) NONBLOCKING;

// The same for the top element x in a step in which its length changes: its forces, its tangent, and the
// derivatives where the length at the end is an unknown.
void pipe_plastic_growing_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct growing_element *x, struct pipe_work *w) NONBLOCKING;
void pipe_plastic_growing_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                  const struct growing_element *x, double k[12][12]) NONBLOCKING;
void pipe_plastic_length_tangent(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct growing_element *x,
                                 struct growing_length_tangent *t) NONBLOCKING;

// What yielding adds to growing_element_grip_n of the top element at rest, N.
double pipe_plastic_grip_n(const struct pipe_mesh *p, const struct pipe_state *s,
                           const struct growing_element *top) NONBLOCKING;

// Energy that the layers hold against each other, J, >= 0.
double pipe_plastic_energy(const struct pipe_mesh *p, const struct pipe_state *s) NONBLOCKING;

// ------------------------------------------------------------
// The waterline.

// Means along an element whose ends lie lower and upper radii below the surface, for water of unit weight in
// the whole section and a unit radius.
struct waterline {
  double energy;       // V >= 0; 0: all of it is submerged
  double gradient[2];  // dV/d(lower), dV/d(upper); -1/2 each: all of it is dry
  double curvature[3]; // second derivatives: lower lower, lower upper, upper upper
};
struct waterline waterline_of(double lower, double upper) NONBLOCKING;

// Mean gradient over a step: its product with the changes of lower and upper is the change of V.
struct waterline_step {
  double gradient[2];
  double tangent[2][2]; // derivatives of gradient with respect to lower and upper at the end of the step
};
struct waterline_step waterline_over(const double start[2], const double end[2]) NONBLOCKING;

// For pipe_residual and pipe_tangent: adds the forces over the step, and their derivatives.
void pipe_waterline_forces(const struct pipe_mesh *p, const struct pipe_state *s,
                           struct pipe_work *w) NONBLOCKING;
void pipe_waterline_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                            struct blocktri *b, double top_diag[36], double top_upper[36],
                            double top_lower[36]) NONBLOCKING;

// ------------------------------------------------------------
// The arrays of doubles of the mesh in the order of their memory: member, number of arrays, whether pipe p
// has them, and what an array has a value of. Creation, copies and the clearing of elements and nodes follow
// this table.
#define PIPE_MESH(X)                                                                                         \
  X(length_m, 1, 1, PER_ELEMENT)                                                                             \
  X(stiffness, 6, 1, PER_ELEMENT)                                                                            \
  X(rest_strain, 6, 1, PER_ELEMENT)                                                                          \
  X(mass_kg, 1, 1, PER_NODE)                                                                                 \
  X(axial_excess_kg, 1, 1, PER_NODE)                                                                         \
  X(kirchhoff_kg, 1, 1, PER_NODE)                                                                            \
  X(inertia_kgm2, 3, 1, PER_NODE)                                                                            \
  X(weight_n, 1, 1, PER_NODE)                                                                                \
  X(water_kg, 2, 1, PER_NODE)                                                                                \
  X(drag_transverse, 1, 1, PER_NODE)                                                                         \
  X(drag_axial, 1, 1, PER_NODE)                                                                              \
  X(rotational_damping, 3, 1, PER_NODE)                                                                      \
  X(contact_length_m, 1, 1, PER_NODE)                                                                        \
  X(contact_offset_m, 1, 1, PER_NODE)                                                                        \
  X(contact_damping_nspm2, 1, 1, PER_NODE)                                                                   \
  X(outer_area_m2, 1, 1, PER_ELEMENT)                                                                        \
  X(inner_area_m2, 1, 1, PER_ELEMENT)                                                                        \
  X(steel_radius_m, 1, 1, PER_ELEMENT)                                                                       \
  X(arc_m, 1, 1, ALONG_NODES)                                                                                \
  X(weight_npm, 1, 1, PER_ELEMENT)                                                                           \
  X(outer_radius_m, 1, 1, PER_ELEMENT)                                                                       \
  X(displaced_n, 1, 1, PER_ELEMENT)                                                                          \
  X(flood_share, 1, 1, PER_ELEMENT)                                                                          \
  X(unbent_1pm, 2, p->has_plastic, PER_ELEMENT)
