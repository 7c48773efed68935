// For the tangents of beams and wires (element.c, wire.c): 3x3 blocks of LANES elements in registers,
// and where they go.
#pragma once

#include "sagbend/pipe/element.h"

#include "sagbend/math/lanes.h"

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
