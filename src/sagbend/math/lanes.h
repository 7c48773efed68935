// Several elements or nodes at once: values of neighbouring indices lie side by side in one register. Every
// operation is element-wise, so the bits do not depend on the width of the machine's registers.
#pragma once

#include "sagbend/base/compiler.h"

#include <string.h>

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
