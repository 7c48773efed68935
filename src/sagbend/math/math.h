// Vectors, rotations, lanes, elementary functions, dense systems, random streams.
#pragma once

#include "sagbend/base/base.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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
// in powers of x^2, for |x| <= pi/4 (functions.c, math.h).
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
// The reduction to an eighth of a turn is exact for |turns| < 2^50; the polynomials of functions.c on
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
