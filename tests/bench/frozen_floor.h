// The floor of the benchmark: a factorisation and solution of the block-tridiagonal system as they were when
// the step took 80 us at 100 elements. It stays as it is, so that steps of different versions can be compared
// on different machines: a step is told in multiples of it. Blocks lie row by row.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"

#include <math.h>

struct frozen_floor {
  int count, tail;
  double (*diag)[BLOCK_SIZE], (*lower)[BLOCK_SIZE], (*upper)[BLOCK_SIZE];
  double tail_upper[BLOCK][TAIL_MAX], tail_lower[TAIL_MAX][BLOCK], tail_diag[TAIL_MAX][TAIL_MAX];
  int tail_pivot[TAIL_MAX];
};

// Inverts a block in place by Gauss-Jordan elimination; returns the smallest |pivot|.
KERNEL_INLINE double invert_block(double *restrict a) {
  double least = (double)INFINITY;
  for (int k = 0; k < BLOCK; k++) {
    double *pivot_row = a + k * BLOCK;
    double pivot = pivot_row[k], size = fabs(pivot);
    least = size >= least ? least : size;
    double inverse = 1 / pivot;
    pivot_row[k] = 1;
    for (int j = 0; j < BLOCK; j++)
      pivot_row[j] *= inverse;
    for (int i = 0; i < BLOCK; i++) {
      if (i == k)
        continue;
      double *row = a + i * BLOCK;
      double factor = row[k];
      row[k] = 0;
      for (int j = 0; j < BLOCK; j++)
        row[j] -= factor * pivot_row[j];
    }
  }

  return least;
}

// c = a b; c may be a or b.
KERNEL_INLINE void product(const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < BLOCK; i++) {
    double row[BLOCK] = {0};
    for (int k = 0; k < BLOCK; k++)
      for (int j = 0; j < BLOCK; j++)
        row[j] += a[i * BLOCK + k] * b[k * BLOCK + j];
    for (int j = 0; j < BLOCK; j++)
      c[i * BLOCK + j] = row[j];
  }
}

// Block elimination down the chain; returns the smallest |pivot|, NaN if one is NaN.
KERNEL_CLONES
static double eliminate_chain(struct frozen_floor *b) {
  double least = (double)INFINITY, product_block[BLOCK_SIZE];
  for (int i = 0; i < b->count; i++) {
    if (i > 0) {
      product(b->lower[i], b->upper[i - 1], product_block);
      for (int k = 0; k < BLOCK_SIZE; k++)
        b->diag[i][k] -= product_block[k];
    }
    double size = invert_block(b->diag[i]);
    least = size >= least ? least : size; // also takes over a NaN
    if (i + 1 < b->count) {
      product(b->diag[i], b->upper[i], product_block);
      for (int k = 0; k < BLOCK_SIZE; k++)
        b->upper[i][k] = product_block[k];
    }
  }

  return least;
}

// Eliminates the last block of the chain from the rows of the tail.
static void couple_tail(struct frozen_floor *b) {
  const double *inverse = b->diag[b->count - 1];
  double reduced[BLOCK][TAIL_MAX] = {{0}};
  for (int i = 0; i < BLOCK; i++)
    for (int k = 0; k < BLOCK; k++)
      for (int j = 0; j < b->tail; j++)
        reduced[i][j] += inverse[i * BLOCK + k] * b->tail_upper[k][j];

  for (int i = 0; i < BLOCK; i++)
    for (int j = 0; j < b->tail; j++)
      b->tail_upper[i][j] = reduced[i][j];

  for (int i = 0; i < b->tail; i++)
    for (int j = 0; j < b->tail; j++)
      for (int k = 0; k < BLOCK; k++)
        b->tail_diag[i][j] -= b->tail_lower[i][k] * reduced[k][j];
}

// LU factors of the tail with partial pivoting.
static enum status factor_tail(struct frozen_floor *b) {
  for (int k = 0; k < b->tail; k++) {
    int best = k;
    for (int i = k + 1; i < b->tail; i++)
      if (fabs(b->tail_diag[i][k]) > fabs(b->tail_diag[best][k]))
        best = i;
    b->tail_pivot[k] = best;
    for (int j = 0; best != k && j < b->tail; j++) {
      double swap = b->tail_diag[k][j];
      b->tail_diag[k][j] = b->tail_diag[best][j];
      b->tail_diag[best][j] = swap;
    }
    double pivot = b->tail_diag[k][k];
    if (!(fabs(pivot) > 0) || !isfinite(pivot))
      return STATUS_SINGULAR;
    for (int i = k + 1; i < b->tail; i++) {
      double factor = b->tail_diag[i][k] /= pivot;
      for (int j = k + 1; j < b->tail; j++)
        b->tail_diag[i][j] -= factor * b->tail_diag[k][j];
    }
  }

  return STATUS_OK;
}

static enum status frozen_factor(struct frozen_floor *b) {
  if (b->count > 0) {
    double least = eliminate_chain(b);
    if (!(least > 0) || !isfinite(least) || !isfinite(b->diag[b->count - 1][0]))
      return STATUS_SINGULAR;
    if (b->tail > 0)
      couple_tail(b);
  }
  return factor_tail(b);
}

static void solve_tail(const struct frozen_floor *b, double *x) {
  for (int k = 0; k < b->tail; k++) {
    double swap = x[k];
    x[k] = x[b->tail_pivot[k]];
    x[b->tail_pivot[k]] = swap;
  }

  for (int k = 0; k < b->tail; k++)
    for (int i = k + 1; i < b->tail; i++)
      x[i] -= b->tail_diag[i][k] * x[k];

  for (int i = b->tail - 1; i >= 0; i--) {
    for (int j = i + 1; j < b->tail; j++)
      x[i] -= b->tail_diag[i][j] * x[j];
    x[i] /= b->tail_diag[i][i];
  }
}

// y -= a x
KERNEL_INLINE void subtract_product(const double *restrict a, const double *restrict x, double *restrict y) {
  double sum[BLOCK];
  for (int i = 0; i < BLOCK; i++) {
    sum[i] = 0;
    for (int k = 0; k < BLOCK; k++)
      sum[i] += a[i * BLOCK + k] * x[k];
  }
  for (int i = 0; i < BLOCK; i++)
    y[i] -= sum[i];
}

KERNEL_CLONES
static void forward_sweep(const struct frozen_floor *b, double *x) {
  for (int i = 0; i < b->count; i++) {
    double *mine = x + i * BLOCK, right[BLOCK];
    if (i > 0)
      subtract_product(b->lower[i], mine - BLOCK, mine);
    for (int k = 0; k < BLOCK; k++)
      right[k] = mine[k];
    for (int k = 0; k < BLOCK; k++) {
      double sum = 0;
      for (int j = 0; j < BLOCK; j++)
        sum += b->diag[i][k * BLOCK + j] * right[j];
      mine[k] = sum;
    }
  }
}

KERNEL_CLONES
static void backward_sweep(const struct frozen_floor *b, double *x) {
  for (int i = b->count - 2; i >= 0; i--)
    subtract_product(b->upper[i], x + (i + 1) * BLOCK, x + i * BLOCK);
}

static void frozen_solve(const struct frozen_floor *b, double *x) {
  double *tail = x + b->count * BLOCK;
  forward_sweep(b, x);
  if (b->count > 0)
    for (int i = 0; i < b->tail; i++)
      for (int k = 0; k < BLOCK; k++)
        tail[i] -= b->tail_lower[i][k] * tail[k - BLOCK];

  solve_tail(b, tail);
  if (b->count > 0)
    for (int k = 0; k < BLOCK; k++)
      for (int j = 0; j < b->tail; j++)
        tail[k - BLOCK] -= b->tail_upper[k][j] * tail[j];

  backward_sweep(b, x);
}
