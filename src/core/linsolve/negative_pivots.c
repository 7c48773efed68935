// How many eigenvalues of a symmetric matrix lie below zero (Sylvester's law of inertia): an elimination
// without exchanges has as many negative pivots. It is exact for a positive definite matrix, and that is what
// is asked for.
#include "core/linsolve/blocktri.h"

#include <string.h>

// Eliminates the n unknowns of a, a row of width values each, from the rows of below, and counts negative
// pivots.
struct panel {
  int rows, width;
  double a[BLOCK + TAIL_MAX][BLOCK + TAIL_MAX];
};

static int eliminate(struct panel *p, int first) {
  int negative = 0;
  for (int k = 0; k < first; k++) {
    double pivot = p->a[k][k];
    negative += !(pivot > 0);
    for (int i = k + 1; i < p->rows; i++) {
      double factor = p->a[i][k] / pivot;
      for (int j = k + 1; j < p->width && factor != 0; j++)
        p->a[i][j] -= factor * p->a[k][j];
    }
  }
  return negative;
}

static void put(struct panel *p, int row, int column, const double *from, int rows, int columns, int stride) {
  for (int i = 0; i < rows; i++)
    memcpy(p->a[row + i] + column, from + i * stride, (size_t)columns * sizeof(double));
}

int blocktri_negative_pivots(struct blocktri *b) {
  struct panel p;
  int negative = 0;
  for (int i = 0; i < b->count; i++) { // a block with the next one, or with the tail
    int last = i + 1 == b->count, next = last ? b->tail : BLOCK;
    p.rows = p.width = BLOCK + next;
    put(&p, 0, 0, b->diag[i], BLOCK, BLOCK, BLOCK);
    put(&p, 0, BLOCK, last ? b->tail_upper[0] : b->upper[i], BLOCK, next, last ? TAIL_MAX : BLOCK);
    put(&p, BLOCK, 0, last ? b->tail_lower[0] : b->lower[i + 1], next, BLOCK, BLOCK);
    put(&p, BLOCK, BLOCK, last ? b->tail_diag[0] : b->diag[i + 1], next, next, last ? TAIL_MAX : BLOCK);
    negative += eliminate(&p, BLOCK);
    for (int r = 0; r < next; r++)
      memcpy(last ? b->tail_diag[r] : b->diag[i + 1] + BLOCK * r, p.a[BLOCK + r] + BLOCK,
             (size_t)next * sizeof(double));
  }
  p.rows = p.width = b->tail;
  put(&p, 0, 0, b->tail_diag[0], b->tail, b->tail, TAIL_MAX);
  return negative + eliminate(&p, b->tail);
}
