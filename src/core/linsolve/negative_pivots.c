// Counts the negative eigenvalues of a symmetric matrix: by Sylvester's law of inertia an elimination without
// row exchanges has as many negative pivots. Rounding can change the count of an indefinite matrix, but the
// question here is whether the matrix is positive definite, and for that the elimination is stable.
#include "core/linsolve/blocktri.h"

#include <string.h>

// Dense matrix of one block and what follows it: the next block or the tail.
struct panel {
  int rows, width;
  double a[BLOCK + TAIL_MAX][BLOCK + TAIL_MAX];
};

// Eliminates the first unknowns from the rows below them; returns the number of negative pivots.
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

// Copies a matrix with this stride to a place in the panel.
static void copy_to_panel(struct panel *p, int row, int column, const double *from, int rows, int columns,
                          int stride) {
  for (int i = 0; i < rows; i++)
    memcpy(p->a[row + i] + column, from + i * stride, (size_t)columns * sizeof(double));
}

int blocktri_negative_pivot_count(struct blocktri *b) {
  struct panel p;
  int negative = 0;
  for (int i = 0; i < b->count; i++) {
    int is_last = i + 1 == b->count, next = is_last ? b->tail : BLOCK;
    p.rows = p.width = BLOCK + next;
    copy_to_panel(&p, 0, 0, b->diag[i], BLOCK, BLOCK, BLOCK);
    copy_to_panel(&p, 0, BLOCK, is_last ? b->tail_upper[0] : b->upper[i], BLOCK, next,
                  is_last ? TAIL_MAX : BLOCK);
    copy_to_panel(&p, BLOCK, 0, is_last ? b->tail_lower[0] : b->lower[i + 1], next, BLOCK, BLOCK);
    copy_to_panel(&p, BLOCK, BLOCK, is_last ? b->tail_diag[0] : b->diag[i + 1], next, next,
                  is_last ? TAIL_MAX : BLOCK);
    negative += eliminate(&p, BLOCK);
    for (int r = 0; r < next; r++)
      memcpy(is_last ? b->tail_diag[r] : b->diag[i + 1] + BLOCK * r, p.a[BLOCK + r] + BLOCK,
             (size_t)next * sizeof(double));
  }

  p.rows = p.width = b->tail;
  copy_to_panel(&p, 0, 0, b->tail_diag[0], b->tail, b->tail, TAIL_MAX);

  return negative + eliminate(&p, b->tail);
}
