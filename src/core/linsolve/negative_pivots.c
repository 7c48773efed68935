// Counts the negative eigenvalues of a symmetric matrix: by Sylvester's law of inertia an elimination without
// row exchanges has as many negative pivots. Rounding can change the count of an indefinite matrix, but the
// question here is whether the matrix is positive definite, and for that the elimination is stable.
#include "core/linsolve/blocktri.h"

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

// A matrix in memory: distance of neighbouring rows and of neighbouring columns.
struct view {
  double *at;
  int row, column;
};

static void copy_to_panel(struct panel *p, int row, int column, struct view from, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      p->a[row + i][column + j] = from.at[i * from.row + j * from.column];
}

static struct view block_view(double *block) {
  return (struct view){block, 1, BLOCK};
}

int blocktri_negative_pivot_count(struct blocktri *b) {
  struct panel p;
  int negative = 0;
  const struct view tail_upper = {b->tail_upper[0], TAIL_MAX, 1}, tail_lower = {b->tail_lower[0], BLOCK, 1},
                    tail_diag = {b->tail_diag[0], TAIL_MAX, 1};
  for (int i = 0; i < b->count; i++) {
    int is_last = i + 1 == b->count, next = is_last ? b->tail : BLOCK;
    struct view diag = is_last ? tail_diag : block_view(b->diag[i + 1]);
    p.rows = p.width = BLOCK + next;
    copy_to_panel(&p, 0, 0, block_view(b->diag[i]), BLOCK, BLOCK);
    copy_to_panel(&p, 0, BLOCK, is_last ? tail_upper : block_view(b->upper[i]), BLOCK, next);
    copy_to_panel(&p, BLOCK, 0, is_last ? tail_lower : block_view(b->lower[i + 1]), next, BLOCK);
    copy_to_panel(&p, BLOCK, BLOCK, diag, next, next);
    negative += eliminate(&p, BLOCK);
    for (int r = 0; r < next; r++)
      for (int c = 0; c < next; c++)
        diag.at[r * diag.row + c * diag.column] = p.a[BLOCK + r][BLOCK + c];
  }

  p.rows = p.width = b->tail;
  copy_to_panel(&p, 0, 0, tail_diag, b->tail, b->tail);

  return negative + eliminate(&p, b->tail);
}
