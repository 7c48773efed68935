// Linear systems with a chain of 6x6 blocks and a tail of up to 9 unknowns coupled to the last block:
//   lower[i] x[i-1] + diag[i] x[i] + upper[i] x[i+1] = b[i],   the tail takes the place of x[count].
// Block elimination without pivoting inside the chain (the blocks come from inertia and stiffness: near
// symmetric positive definite), with partial pivoting in the tail. O(count), no allocation after
// blocktri_create.
#pragma once

#include "core/base/arena.h"
#include "core/base/status.h"

enum { BLOCK = 6, BLOCK_SIZE = 36, TAIL_MAX = 9 };

struct blocktri {
  int count;                          // blocks in the chain, may be 0
  int tail;                           // unknowns in the tail, 0..9
  double (*diag)[BLOCK_SIZE];         // row by row; after the factorisation the inverse of the reduced block
  double (*lower)[BLOCK_SIZE];        // lower[0] unused
  double (*upper)[BLOCK_SIZE];        // upper[count-1] unused; after the factorisation diag^-1 upper
  double tail_upper[BLOCK][TAIL_MAX]; // last chain row, tail columns
  double tail_lower[TAIL_MAX][BLOCK]; // tail rows, last chain column
  double tail_diag[TAIL_MAX][TAIL_MAX];
  int tail_pivot[TAIL_MAX];
};

void blocktri_create(struct blocktri *b, int count, int tail, struct arena *memory);

// In place. STATUS_SINGULAR if a pivot vanishes or is not finite; the matrix is then spoilt.
enum status blocktri_factor(struct blocktri *b);

// Pivots below zero of an elimination without any exchange: of a symmetric matrix as many as it has negative
// eigenvalues, and none exactly where it is positive definite. One that is zero or not finite counts as
// negative. Spoils the matrix.
int blocktri_negative_pivots(struct blocktri *b);

// x: 6 count + tail values, right-hand side in, solution out.
void blocktri_solve(const struct blocktri *b, double *x);
