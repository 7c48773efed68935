// Vectors and rotations, random streams, solvers of linear equations, flows of a rigid body.
#pragma once

#include "sagbend/base/base.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ------------------------------------------------------------
// Systems of linear equations with a chain of 6x6 blocks and a tail of up to 10 unknowns coupled to the last
// block:
//   lower[i] x[i-1] + diag[i] x[i] + upper[i] x[i+1] = b[i],   i = 0 .. count - 1,
// where the tail takes the place of x[count]. The tail may also be coupled to the blocks from border_from on,
// which makes the matrix an arrow: their border. Block elimination: without pivoting between the blocks of
// the chain, which come from inertia and stiffness and are nearly symmetric positive definite, with partial
// pivoting in the tail. The work is O(count), for blocks with a border about twice as much. No memory is
// taken after blocktri_create.

enum { BLOCK = 6, BLOCK_SIZE = 36, TAIL_MAX = 10 };

// Index of an element in a block. Blocks are stored by columns, which keeps the sums of a product with a
// vector in lanes.
static inline int block_at(int row, int column) {
  return BLOCK * column + row;
}

struct blocktri {
  int count;                   // blocks in the chain, may be 0
  int tail;                    // unknowns in the tail, 0 .. TAIL_MAX
  double (*diag)[BLOCK_SIZE];  // [count], column by column; factored: inverse of the reduced block
  double (*lower)[BLOCK_SIZE]; // [count], column by column; lower[0] is not used
  double (
      *upper)[BLOCK_SIZE]; // [count], column by column; upper[count-1] is not used; factored: diag^-1 upper
  double tail_upper[BLOCK][TAIL_MAX];   // rows of the last block, columns of the tail
  double tail_lower[TAIL_MAX][BLOCK];   // rows of the tail, columns of the last block
  double tail_diag[TAIL_MAX][TAIL_MAX]; // rows and columns of the tail; factored: L and U
  // Blocks border_from .. count - 2 have a border; that of the last block is tail_upper and tail_lower.
  int border_from;                         // -1: none
  double (*border_upper)[TAIL_MAX][BLOCK]; // [count]: columns of the tail, rows of the block; NULL: no room
  double (*border_lower)[TAIL_MAX][BLOCK]; // [count]: rows of the tail, columns of the block
  int tail_pivot[TAIL_MAX]; // row exchanged with each row of the tail; written by the factorisation
};

// Takes zeroed memory for count blocks; the caller fills the matrix.
void blocktri_create(struct blocktri *b, int count, int tail, struct arena *memory);

// Takes zeroed memory for the border of count blocks.
void blocktri_create_border(struct blocktri *b, int count, struct arena *memory);

// Factors the matrix in place. STATUS_SINGULAR if a pivot is 0 or not finite; the matrix is then destroyed.
enum status blocktri_factor(struct blocktri *b) NONBLOCKING;

// Number of negative pivots in an elimination without row exchanges. For a symmetric matrix this is the
// number of its negative eigenvalues; it is 0 exactly if the matrix is positive definite. A pivot that is 0
// or not finite counts as negative. Destroys the matrix.
int blocktri_negative_pivot_count(struct blocktri *b);

// Solves with a factored matrix. x: 6 count + tail values, the right-hand side on entry and the solution on
// return.
void blocktri_solve(const struct blocktri *b, double *x) NONBLOCKING;

// Both in one pass down the chain, with the same bits. x is destroyed if the matrix is singular.
enum status blocktri_factor_and_solve(struct blocktri *b, double *x) NONBLOCKING;

// ------------------------------------------------------------
// A spring of stiffness k that slips, as friction does: its elongation s is bounded by |s| <= c. Over a step
// that moves its end by x,
//   s1 = s0 + x - slip,   force F = k (s0 + s1)/2,   F x = k (s1^2 - s0^2)/2 + F slip.
// The loss F slip is >= 0, with one exception: the bound has shrunk below |s0| and the end has turned back
// through the other bound within the step. What happens then is the caller's.

struct slip {
  double end, mean, loss; // s1, F, F slip
  double way;             // beyond the bound, >= 0
  int sign;               // 0: the spring sticks; +1 or -1: the bound at which it slips
};

static inline struct slip bounded_spring(double k, double bound, double start, double free) { // free: s0 + x
  struct slip slip = {.end = free};
  if (slip.end > bound)
    slip = (struct slip){.end = bound, .sign = 1};
  else if (slip.end < -bound)
    slip = (struct slip){.end = -bound, .sign = -1};
  slip.way = fabs(free - slip.end);
  slip.mean = 0.5 * k * (start + slip.end);
  slip.loss = slip.sign ? slip.mean * (free - slip.end) : 0;
  return slip;
}

// ------------------------------------------------------------
// Symmetric compositions of two flows a and b: one step of h is a(a1 h) b(b1 h) a(a2 h) ..., the same read
// from either end. Sources: Blanes and Moan 2002, Practical symplectic partitioned Runge-Kutta and
// Runge-Kutta-Nystroem methods (J. Comput. Appl. Math. 142), as eqs. 3.38 to 3.42 of Saefstroem 2009, with
// one sign and one digit corrected (docs/rigid-bodies.md).

// Advances a system by h, of either sign.
typedef void compose_flow(void *system, double h);

struct scheme {
  const char *name;
  int order;            // of the error at a fixed time
  int stages;           // per step: flows of the kind that does not begin and end it
  int a_first;          // 1: a begins and ends the step; 0: b
  const double *a, *b;  // coefficients from the end of the step to its middle; the others follow by symmetry
  int a_count, b_count; // coefficients in a whole step
};

// For any two flows.
extern const struct scheme scheme_v2, scheme_s4_6, scheme_s6_10;

// Runge-Kutta-Nystroem schemes, only where [b, [b, [b, a]]] = 0: a is the drift (or a free body), b the kick
// of a potential.
extern const struct scheme scheme_rkn4b_6, scheme_rkn6a_14;

// One step of h.
void compose(const struct scheme *scheme, compose_flow *a, compose_flow *b, void *system,
             double h) NONBLOCKING;

// A number of steps of h. The last flow of each step and the first of the next are joined into one.
void compose_steps(const struct scheme *scheme, compose_flow *a, compose_flow *b, void *system, double h,
                   long steps) NONBLOCKING;

// Suppose one of the flows dissipates with rates between sigma_min and sigma_max. The composition is proved
// to dissipate up to the returned ratio sigma_max/sigma_min; infinite where the scheme has no negative
// coefficient of that flow. Source: Celledoni, Hoiseth and Ramzina 2018, Passivity-preserving splitting
// methods for rigid body systems (Multibody Syst. Dyn. 44), eq. 20.
enum scheme_flow { SCHEME_A, SCHEME_B };
double scheme_dissipation_bound(const struct scheme *scheme, enum scheme_flow dissipative);

// ------------------------------------------------------------
// Vectors and 3x3 matrices by value.

typedef struct vec3 {
  double x, y, z;
} vec3;

typedef struct mat3 {
  double m[3][3]; // row by row
} mat3;

static inline vec3 vec3_of(const double a[3]) {
  return (vec3){a[0], a[1], a[2]};
}

static inline void vec3_to(vec3 v, double a[3]) {
  a[0] = v.x;
  a[1] = v.y;
  a[2] = v.z;
}

static inline vec3 vec3_add(vec3 a, vec3 b) {
  return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_sub(vec3 a, vec3 b) {
  return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(double s, vec3 a) {
  return (vec3){s * a.x, s * a.y, s * a.z};
}

// s a + b
static inline vec3 vec3_axpy(double s, vec3 a, vec3 b) {
  return (vec3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static inline double vec3_dot(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_norm(vec3 a) {
  return sqrt(vec3_dot(a, a));
}

static inline vec3 vec3_mean(vec3 a, vec3 b) {
  return (vec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

static inline vec3 mat3_mul(const mat3 *a, vec3 v) {
  return (vec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

// Transpose of a times v.
static inline vec3 mat3_tmul(const mat3 *a, vec3 v) {
  return (vec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}

static inline vec3 mat3_column(const mat3 *a, int k) {
  return (vec3){a->m[0][k], a->m[1][k], a->m[2][k]};
}

// hat(w) v = w x v
static inline mat3 mat3_hat(vec3 w) {
  return (mat3){{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
}

static inline mat3 mat3_product(const mat3 *a, const mat3 *b) {
  mat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
  return c;
}

static inline mat3 mat3_transpose(const mat3 *a) {
  mat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a->m[j][i];
  return c;
}

// ------------------------------------------------------------
// Dense 3x3 systems. The three solvers agree to rounding error but not in their last bits, and their results
// enter state hashes: do not exchange one for another.

// x = a^-1 b by Cramer's rule with cofactors along the rows of a. There is no pivoting: an ill-conditioned a
// costs digits, a singular one gives infinities or NaN. x must not overlap b.
void mat3_solve_rows(const double (*a)[3], const double b[3], double x[3]) NONBLOCKING;

// The same by triple products of the columns of a.
vec3 mat3_solve_columns(const mat3 *a, vec3 b);

// x = a^-1 b by Cholesky for a symmetric positive definite a; reads the lower triangle. Squares of pivots are
// raised to at least 1e-30, so that a nearly singular a gives a large x instead of NaN. x must not overlap b.
void mat3_solve_definite(const double (*a)[3], const double b[3], double x[3]) NONBLOCKING;

// Whether a is exactly symmetric and positive definite (all leading minors positive).
int mat3_is_definite(const double (*a)[3]);

// ------------------------------------------------------------
// Dense symmetric 6x6 systems. C11 does not convert double (*)[6] to const double (*)[6] by itself, hence the
// casts where callers pass a matrix that is not const.

// y = a x. y must not overlap x.
static inline void mat6_mul(const double (*a)[6], const double x[6], double y[6]) {
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int j = 0; j < 6; j++)
      sum += a[i][j] * x[j];
    y[i] = sum;
  }
}

// Replaces the lower triangle of a by the factors of a = L D L': L has a unit diagonal, in whose place stands
// the inverse of D. Reads the lower triangle only. STATUS_SINGULAR if a is not positive definite or contains
// NaN; part of the triangle is then overwritten.
enum status mat6_cholesky(double a[6][6]) NONBLOCKING;

// Solves a x = b in place with the factor from mat6_cholesky: x holds b on entry and the solution on return.
void mat6_cholesky_solve(const double (*factor)[6], double x[6]) NONBLOCKING;

// A symmetric positive semidefinite matrix as a = L diag(d) L' with a unit diagonal of L, so that x' a x is a
// sum of squares times d >= 0 and no rounding makes it negative. A pivot within rounding of 0 counts as 0.
struct mat6_squares {
  double l[6][6], d[6];
};
struct mat6_squares mat6_squares_of(const double (*a)[6]);
double mat6_squares_at(const struct mat6_squares *of, const double x[6]) NONBLOCKING;

// Whether a symmetric matrix, scaled to a unit diagonal, is positive definite after shift is added to that
// diagonal. A small negative shift demands a distance from singular; a small positive one admits semidefinite
// matrices that rounding has made slightly indefinite.
int mat6_is_definite(const double (*a)[6], double shift);

// ------------------------------------------------------------
// Exponential and logarithm from + - * / and the bits of the exponent only: libm chooses its code by
// processor, so its bits must not enter a state hash. Errors are a few units in the last place; subnormal
// results of exp are rounded twice.

double explog_exp(double x) NONBLOCKING;       // 0 below -746, infinite above 709.79
double explog_log(double x) NONBLOCKING;       // -infinite at 0, NaN below
double explog_cube_root(double x) NONBLOCKING; // by exp and log; 0 below 0

// ------------------------------------------------------------
// Rotations. An attitude is a unit quaternion (Hamilton convention, scalar first) that takes vectors of the
// body frame to the world frame. The Cayley map needs no transcendental functions, so attitudes have the same
// bits on every processor.

typedef struct quat {
  double w, x, y, z;
} quat;

// R(q), body to world: its columns are the body axes in the world frame.
static inline mat3 quat_matrix(quat q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (mat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                 {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                 {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

// Hamilton product: the rotation b followed by a.
static inline quat quat_mul(quat a, quat b) {
  return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// q divided by its norm, which must not be 0.
static inline quat quat_unit(quat q) {
  double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

// Cayley map: cay(t) = I + (hat t + hat(t)^2 / 2) / (1 + |t|^2 / 4), as the unit quaternion (1, t/2) / norm.
static inline quat quat_cayley(vec3 t) {
  return quat_unit((quat){1, 0.5 * t.x, 0.5 * t.y, 0.5 * t.z});
}

// The attitude q after the rotation cay(t) about world axes: cay(t) q.
static inline quat quat_rotated(quat q, vec3 t) {
  return quat_unit(quat_mul(quat_cayley(t), q));
}

// (cay(t) - I) v without cancellation for small t.
static inline vec3 cayley_increment(vec3 t, vec3 v) {
  double s = 1 / (1 + 0.25 * vec3_dot(t, t));
  vec3 tv = vec3_cross(t, v);
  return vec3_scale(s, vec3_axpy(0.5, vec3_cross(t, tv), tv));
}

// Trivialised derivative: d(cay(t)) cay(t)' = hat(dcay(t) dt), dcay = (I + hat(t)/2) / (1 + |t|^2/4).
static inline vec3 cayley_derivative(vec3 t, vec3 dt) {
  double s = 1 / (1 + 0.25 * vec3_dot(t, t));
  return vec3_scale(s, vec3_axpy(0.5, vec3_cross(t, dt), dt));
}

// Inverse of cayley_derivative: I - hat(t)/2 + t t'/4.
static inline vec3 cayley_derivative_inverse(vec3 t, vec3 phi) {
  vec3 a = vec3_axpy(-0.5, vec3_cross(t, phi), phi);
  return vec3_axpy(0.25 * vec3_dot(t, phi), t, a);
}

// Cayley vector of half the rotation of cay(t): cay(half)^2 = cay(t).
static inline vec3 cayley_half(vec3 t) {
  double n = sqrt(1 + 0.25 * vec3_dot(t, t));
  return vec3_scale(1 / (1 + n), t);
}

// zyx Euler angles: euler_rad = (roll, pitch, yaw). For people, messages and the PID law only.
quat quat_of_euler(const double euler_rad[3]) NONBLOCKING;
void euler_of_quat(quat q, double euler_rad[3]) NONBLOCKING; // pitch in [-pi/2, pi/2]

// T in d(euler)/dt = T(euler) omega_b. It is singular at a pitch of +-90 degrees; within 1e-6 rad of that
// pitch the cosine of the pitch is held at 1e-6 so that the entries stay finite.
mat3 euler_rate_matrix(const double euler_rad[3]) NONBLOCKING;

// ------------------------------------------------------------
// Exact motion of the free rigid body: the momentum by Jacobi's elliptic functions, the attitude by the
// elliptic integral of the third kind, or by a quadrature or a Magnus series on the exact momentum. Source:
// Celledoni, Fasso, Saefstroem and Zanna 2008, The exact computation of the free rigid body motion and its
// use in splitting methods (SIAM J. Sci. Comput. 30), with the errata of docs/rigid-bodies.md; equations are
// numbered as in Saefstroem 2009, chapter 3.
//
// Momentum m in the body frame b (kg m^2/s), attitude q_nb from body to world; dm/dt = m x m/I, dQ/dt = Q
// hat(m/I). The functions keep no state, take no memory, and use + - * / sqrt, math.h only.

// Principal moments in ascending order, and the body axis of each.
struct rigid_inertia {
  double moment_kgm2[3];
  int axis[3]; // of the body: 0 x, 1 y, 2 z
  int odd;     // 1: the order is an odd permutation, so that one of the sorted axes points backwards
};

// From the moments about x, y, z of the body, all positive, in any order.
struct rigid_inertia rigid_inertia_of(const double moments_kgm2[3]);

// Bound of the two exact ways. A component of the attitude quaternion errs after a flow of h by at most 60
// times 2^-53 (1 + |h| |m|/I_1), I_1 the smallest moment. Where the unit momentum lies 0.1 to 1e-11 from the
// middle axis, about which the motion is unstable and elliptic integrals that grow cancel each other, it is
// 400 times. The largest found: 27 and 195, among 50,000 bodies with moments from 0.2 to 5 against series in
// higher precision (sagbend_math_attitude_test).

// How the attitude is computed. The order in the step size is 2, 4, 6 for Magnus; for Gauss it is 6, 8, 10,
// from the quadrature alone.
enum rigid_attitude {
  RIGID_MAGNUS_2,
  RIGID_MAGNUS_4,
  RIGID_MAGNUS_6,
  RIGID_GAUSS_6, // Proposition 3.2.5: the angle by Gauss quadrature with 3, 4, 5 nodes
  RIGID_GAUSS_8,
  RIGID_GAUSS_10,
  RIGID_EXACT_FRAME,      // Corollary 3.2.3: through the frame of the momentum and its derivative
  RIGID_EXACT_QUATERNION, // Corollary 3.2.7: through the shortest rotation to the axis that the momentum
                          // circles
  RIGID_ATTITUDES
};

// Advances momentum and attitude by h seconds, of either sign.
void rigid_free_flow(const struct rigid_inertia *inertia, enum rigid_attitude how, double h, double m_b[3],
                     quat *q_nb) NONBLOCKING;

// Momenta at the times h[0 .. count-1] after m_b (s); one arithmetic-geometric mean serves all.
void rigid_free_momenta(const struct rigid_inertia *inertia, const double m_b[3], const double *h, int count,
                        double out[][3]);

// Kinetic energy, J.
double rigid_free_energy_j(const struct rigid_inertia *inertia, const double m_b[3]);

// ------------------------------------------------------------
// Several elements or nodes at once: values of neighbouring indices lie side by side in one register. Every
// operation is element-wise, so the bits do not depend on the width of the machine's registers.

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(8 * 4)));

struct lanes3 {
  lanes x, y, z;
};

// The same in memory, where doubles begin. A memcpy would move 16 bytes at a time.
typedef double lanes_unaligned __attribute__((vector_size(8 * 4), aligned(8), may_alias));

// v = p[0 .. LANES-1]; p need not be aligned.
KERNEL_INLINE void lanes_load(lanes *v, const double *p) {
  *v = *(const lanes_unaligned *)p;
}

// Absolute values: clears the sign bits.
KERNEL_INLINE void lanes_abs(lanes *to, const lanes *from) {
  typedef long long bits __attribute__((vector_size(8 * 4)));
  bits b;
  memcpy(&b, from, sizeof b);
  b &= 0x7fffffffffffffffLL;
  memcpy(to, &b, sizeof b);
}

// p[0 .. LANES-1] = v.
KERNEL_INLINE void lanes_store(double *p, const lanes *v) {
  *(lanes_unaligned *)p = *v;
}

// Masks: all bits of a lane, from comparisons of lanes.
typedef long long lane_mask __attribute__((vector_size(8 * 4)));

// to = mask ? a : b
KERNEL_INLINE void lanes_select(lanes *to, const lane_mask *mask, const lanes *a, const lanes *b) {
  *to = (lanes)(((lane_mask)*a & *mask) | ((lane_mask)*b & ~*mask));
}

// Lanes low to high of those that hold the indices from first on.
KERNEL_INLINE void lanes_within(lane_mask *mask, int first, int low, int high) {
  const lanes index = (lanes){0, 1, 2, 3} + (double)first;
  *mask = (index >= (double)low) & (index <= (double)high);
}

KERNEL_INLINE int lanes_any(const lane_mask *mask) {
  return ((*mask)[0] | (*mask)[1] | (*mask)[2] | (*mask)[3]) != 0;
}

KERNEL_INLINE void lanes_sqrt(lanes *v) {
  for (int k = 0; k < LANES; k++)
    (*v)[k] = __builtin_sqrt((*v)[k]);
}

KERNEL_INLINE double lanes_sum(const lanes *v) {
  return ((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3]);
}

// Exchanges rows and columns of a square of lanes.
KERNEL_INLINE void lanes_transpose(lanes r[LANES]) {
  const lanes a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
  const lanes b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const lanes c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
  const lanes d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// Three-vectors of lanes. They are macros because a function that takes vector registers by value would have
// another calling convention in each clone of a kernel. fields: one array per component; i: index of the
// first lane.
#define L3_LOAD(u, fields, i)                                                                                \
  (lanes_load(&(u).x, (fields)[0] + (i)), lanes_load(&(u).y, (fields)[1] + (i)),                             \
   lanes_load(&(u).z, (fields)[2] + (i)))
#define L3_STORE(fields, i, u)                                                                               \
  (lanes_store((fields)[0] + (i), &(u).x), lanes_store((fields)[1] + (i), &(u).y),                           \
   lanes_store((fields)[2] + (i), &(u).z))
#define L3_DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)
#define L3_CROSS(a, b)                                                                                       \
  {(a).y * (b).z - (a).z * (b).y, (a).z * (b).x - (a).x * (b).z, (a).x * (b).y - (a).y * (b).x}
#define L3_ADD(a, b)     {(a).x + (b).x, (a).y + (b).y, (a).z + (b).z}
#define L3_SUB(a, b)     {(a).x - (b).x, (a).y - (b).y, (a).z - (b).z}
#define L3_SCALE(s, a)   {(s) * (a).x, (s) * (a).y, (s) * (a).z}
#define L3_AXPY(s, a, b) {(s) * (a).x + (b).x, (s) * (a).y + (b).y, (s) * (a).z + (b).z}

// ------------------------------------------------------------
// Trigonometry from + - * / sqrt only: libm chooses its code by processor, so its bits must not enter a state
// hash. Angles in rad. Errors are a few units in the last place for |x| < 1e6.

double trig_sin(double x) NONBLOCKING;             // NaN for |x| >= 1e9
double trig_cos(double x) NONBLOCKING;             // cosine, as trig_sin
double trig_atan2(double y, double x) NONBLOCKING; // in (-pi, pi]; atan2(0, 0) = 0
double trig_wrap(double angle) NONBLOCKING;        // the same direction in (-pi, pi]

#define TRIG_PI 3.14159265358979323846

// Coefficients of the polynomials of sine, x + x^3 (SIN_1 + ...), and cosine, 1 - x^2/2 + x^4 (COS_1 + ...),
// in powers of x^2, for |x| <= pi/4 (orbit.c, math.h).
#define TRIG_SIN_1 -1.66666666666666324348e-01
#define TRIG_SIN_2 8.33333333332248946124e-03
#define TRIG_SIN_3 -1.98412698298579493134e-04
#define TRIG_SIN_4 2.75573137070700676789e-06
#define TRIG_SIN_5 -2.50507602534068634195e-08
#define TRIG_SIN_6 1.58969099521155010221e-10
#define TRIG_COS_1 4.16666666666666019037e-02
#define TRIG_COS_2 -1.38888888888741095749e-03
#define TRIG_COS_3 2.48015872894767294178e-05
#define TRIG_COS_4 -2.75573143513906633035e-07
#define TRIG_COS_5 2.08757232129817482790e-09
#define TRIG_COS_6 -1.13596475577881948265e-11

// ------------------------------------------------------------
// Sine and cosine of several angles at once, given in turns, from + - * only: the same bits on every machine.
// The reduction to an eighth of a turn is exact for |turns| < 2^50; the polynomials of orbit.c on
// [-pi/4, pi/4] follow. Sine and cosine of q quarter turns, q = -2..2, are polynomials in q that are exact
// there.

// Rounds to the nearest whole numbers, |x| < 2^51.
KERNEL_INLINE void lanes_nearest(lanes *x) {
  const double big = 6755399441055744.0;
  *x = (*x + big) - big;
}

// sine and cosine of 2 pi turns.
KERNEL_INLINE void lanes_sincos_turns(const lanes *turns, lanes *sine, lanes *cosine) {
  lanes u = *turns, q = u;
  lanes_nearest(&q);
  u = u - q;
  q = 4 * u;
  lanes_nearest(&q);
  lanes x = (2 * TRIG_PI) * (u - 0.25 * q), z = x * x, w = z * z;
  lanes s = (TRIG_SIN_2 + z * TRIG_SIN_3) + w * ((TRIG_SIN_4 + z * TRIG_SIN_5) + w * TRIG_SIN_6);
  lanes c =
      (TRIG_COS_1 + z * TRIG_COS_2) + w * ((TRIG_COS_3 + z * TRIG_COS_4) + w * (TRIG_COS_5 + z * TRIG_COS_6));
  s = x + x * z * (TRIG_SIN_1 + z * s);
  c = 1 - (0.5 * z - w * c);
  lanes qq = q * q;
  lanes quarter_sine = q * (4 - qq) * (1.0 / 3), quarter_cosine = 1 - qq * (7 - qq) * (1.0 / 6);
  *sine = quarter_sine * c + quarter_cosine * s;
  *cosine = quarter_cosine * c - quarter_sine * s;
}

// ------------------------------------------------------------
// Exponential of several numbers at once, -600 <= x <= 600, from + - * and the bits of the exponent only: the
// same bits on every machine. Relative error below 1e-12.

KERNEL_INLINE void lanes_exp(lanes *to, const lanes *x) {
  const double magic = 6755399441055744.0 + 1023; // its last bits hold n + 1023
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  lanes n = *x * 1.4426950408889634;
  lanes_nearest(&n);
  const lanes r = (*x - n * ln2_high) - n * ln2_low;
  lanes y = 1.0 / 3628800 * r + 1.0 / 362880;
  y = y * r + 1.0 / 40320;
  y = y * r + 1.0 / 5040;
  y = y * r + 1.0 / 720;
  y = y * r + 1.0 / 120;
  y = y * r + 1.0 / 24;
  y = y * r + 1.0 / 6;
  y = y * r + 0.5;
  y = y * r + 1;
  y = y * r + 1;
  n = n + magic;
  const lane_mask exponent = (lane_mask)n << 52;
  *to = y * (lanes)exponent;
}

// ------------------------------------------------------------
// Level axes with the vessel's heading, in which linear theory knows the forces of small motions: of waves,
// of radiation and of linear damping. In axes that roll and pitch these forces would have a mean of the order
// of the mean drift. The turn T from body axes b to them is constant while positions are frozen: nu_l = T nu,
// force_b = T' force_l.

// The heading of the attitude with the matrix q. present: 0 for a vessel that stands on end, which has none.
struct heading {
  int present;
  double cosine, sine;
};
struct heading heading_of(const mat3 *q) NONBLOCKING;

// A vector of level axes in the world frame.
static inline vec3 heading_to_world(const struct heading *at, const double level[3]) {
  return (vec3){at->cosine * level[0] - at->sine * level[1], at->sine * level[0] + at->cosine * level[1],
                level[2]};
}

// T; the identity for a vessel that stands on end.
mat3 level_axes_of(quat attitude) NONBLOCKING;
void level_axes_from_body(const mat3 *tilt, const double in[6], double out[6]) NONBLOCKING;
void level_axes_to_body(const mat3 *tilt, const double in[6], double out[6]) NONBLOCKING;

// out = T' in T, symmetric in.
void level_axes_matrix(const mat3 *tilt, const double in[6][6], double out[6][6]) NONBLOCKING;

// ------------------------------------------------------------
// Seeded random streams: the same seed and name give the same bits on every processor. The state is plain
// bytes without padding; it is part of the snapshot and hash of whatever uses it. Generator: xoshiro256**,
// its state filled by splitmix64. Source: Blackman and Vigna 2021, Scrambled linear pseudorandom number
// generators (ACM Trans. Math. Softw. 47:36).

struct random_stream {
  uint64_t state[4];  // not all zero
  double spare;       // second of the last pair of normal numbers
  uint64_t has_spare; // 1: spare has not been used yet
};

// Seed of the stream of this name. One stream per name: adding an instrument changes no number of the others.
uint64_t random_seed(uint64_t seed, const char *name);
// A stream at its start.
struct random_stream random_stream_of(uint64_t seed);

// The next number of a stream.
uint64_t random_bits(struct random_stream *s);
double random_uniform(struct random_stream *s) NONBLOCKING; // in [0, 1), a multiple of 2^-53
double random_normal(struct random_stream *s) NONBLOCKING;  // mean 0, variance 1

// Whether a state from a file is one that a stream can have (conventions: sagbend/base/base.h).
int random_stream_is_valid(const struct random_stream *s, struct reason *why);

// ------------------------------------------------------------
// A vessel with mass matrix (m I, T) and constant diagonal damping, integrated as a composition of two flows
// that are both exact: S1, the free rigid body, and S2, damping, hydrostatics, controller and held wrenches
// at a frozen attitude. Source: Celledoni, Hoiseth and Ramzina 2018, Passivity-preserving splitting methods
// for rigid body systems (Multibody Syst. Dyn. 44), eqs. 40 and 41, with the errata of docs/rigid-bodies.md.
//
// The restoring moment is a function of the tilt, the world's vertical as seen from the body. S2 moves the
// tilt as a variable of its own; S1 moves the attitude and leaves the tilt. Energies are those of the tilt.
// After each step the vessel is turned by the smallest rotation that makes the attitude agree with the tilt.
// This costs no energy, and the tilt need not be kept from step to step.
//
// V2 dissipates for any step size. S4_6 and S6_10 run S2 backwards in parts and are not passive: with steps
// of 10 s and more they have produced energy, visible in split_account.loss_j.

struct split_vessel {
  double mass_kg;
  struct rigid_inertia inertia;
  double moment_kgm2[3];  // about x, y, z of b
  double damping[6];      // diagonal in b, N s/m and N m s
  double heave_npm;       // heave stiffness rho g A_wp
  double tilt_nm[2];      // moments m g GM_L (pitch) and m g GM_T (roll) per unit of tilt
  double equilibrium_z_m; // z of the reference point in equilibrium, n
};

// tau = -J' (Kp e + Kd de/dt + Ki integral e) with e = eta - eta_ref, eta = (x, y, z, roll, pitch, yaw): eqs.
// 29 to 34 of the source. Diagonals of the gains, SI; reference in m and rad.
struct split_pid {
  double kp[6], kd[6], ki[6], reference[6];
};

struct split_state {
  vec3 x_n;           // reference point, m
  quat q_nb;          // attitude, body to world
  double nu[6];       // velocity and angular velocity in b, m/s and rad/s
  double integral[6]; // of e
};

// External load held through a step: wrench_b about the reference point in b at this attitude, N and N m.
typedef void split_wrench(const void *load_of, const mat3 *q_nb, double wrench_b[6]) NONBLOCKING;

// Account of one step.
struct split_account {
  double control_j, load_j; // work of controller and load
  double loss_j;            // of the damping; may be negative where the scheme runs S2 backwards
  double control_b[6];      // the controller's wrench at the end of the last S2, N and N m
  double correction_rad;    // rotation that made the attitude agree with the tilt
  int solved; // 0: not finite, or a tilt beyond the horizontal; the state is unchanged and the rest 0
};

struct split_step {
  const struct split_vessel *vessel;
  const struct scheme *scheme; // V2 (SP2), S4_6 (SP4) or S6_10 (SP6); flow a is S2, b is S1
  enum rigid_attitude how;     // attitude in S1
  int keep_tilt; // 1: no correction after the step, to show its effect; the caller keeps the tilt
  const struct split_pid *pid; // NULL: no controller
  const double *control_b;     // held wrench of a command, 6 components; NULL: none
  split_wrench *load;          // NULL: no load
  const void *load_of;         // passed to load
};

// The tilt of an attitude: the first two components of the world's vertical in b.
void split_tilt_of(quat q_nb, double tilt[2]);

// Advances the state by h seconds. tilt: with keep_tilt the tilt before and after the step, else NULL.
struct split_account split_vessel_step(const struct split_step *step, struct split_state *state,
                                       double tilt[2], double h) NONBLOCKING;

// Kinetic and hydrostatic energy, J.
double split_energy_j(const struct split_vessel *vessel, const struct split_state *state,
                      const double tilt[2]);
