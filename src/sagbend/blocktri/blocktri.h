// Systems of linear equations with a chain of 6x6 blocks.
#pragma once

#include "sagbend/base/base.h"

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
