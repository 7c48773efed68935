// Counts the negative eigenvalues of a symmetric matrix: by Sylvester's law of inertia an elimination without
// row exchanges has as many negative pivots. Rounding can change the count of an indefinite matrix, but the
// question here is whether the matrix is positive definite, and for that the elimination is stable.
#include "sagbend/math/blocktri.h"

// Dense matrix of one block and what follows it: the next block or the tail, or both.
struct panel {
  int rows, width;
  double a[2 * BLOCK + TAIL_MAX][2 * BLOCK + TAIL_MAX];
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

static void copy_from_panel(const struct panel *p, int row, int column, struct view to, int rows,
                            int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      to.at[i * to.row + j * to.column] = p->a[row + i][column + j];
}

// Eliminates block i, which has a border, from the next block and the tail.
static int eliminate_bordered(struct blocktri *b, int i) {
  struct panel p = {.rows = 2 * BLOCK + b->tail, .width = 2 * BLOCK + b->tail};
  const int t = 2 * BLOCK, tail = b->tail, is_next_last = i + 2 == b->count;
  const struct view upper = {b->border_upper[i][0], 1, BLOCK}, lower = {b->border_lower[i][0], BLOCK, 1},
                    next_upper = is_next_last ? (struct view){b->tail_upper[0], TAIL_MAX, 1}
                                              : (struct view){b->border_upper[i + 1][0], 1, BLOCK},
                    next_lower = is_next_last ? (struct view){b->tail_lower[0], BLOCK, 1}
                                              : (struct view){b->border_lower[i + 1][0], BLOCK, 1},
                    tail_diag = {b->tail_diag[0], TAIL_MAX, 1};
  copy_to_panel(&p, 0, 0, block_view(b->diag[i]), BLOCK, BLOCK);
  copy_to_panel(&p, 0, BLOCK, block_view(b->upper[i]), BLOCK, BLOCK);
  copy_to_panel(&p, BLOCK, 0, block_view(b->lower[i + 1]), BLOCK, BLOCK);
  copy_to_panel(&p, BLOCK, BLOCK, block_view(b->diag[i + 1]), BLOCK, BLOCK);
  copy_to_panel(&p, 0, t, upper, BLOCK, tail);
  copy_to_panel(&p, t, 0, lower, tail, BLOCK);
  copy_to_panel(&p, BLOCK, t, next_upper, BLOCK, tail);
  copy_to_panel(&p, t, BLOCK, next_lower, tail, BLOCK);
  copy_to_panel(&p, t, t, tail_diag, tail, tail);
  const int negative = eliminate(&p, BLOCK);
  copy_from_panel(&p, BLOCK, BLOCK, block_view(b->diag[i + 1]), BLOCK, BLOCK);
  copy_from_panel(&p, BLOCK, t, next_upper, BLOCK, tail);
  copy_from_panel(&p, t, BLOCK, next_lower, tail, BLOCK);
  copy_from_panel(&p, t, t, tail_diag, tail, tail);
  return negative;
}

int blocktri_negative_pivot_count(struct blocktri *b) {
  struct panel p;
  int negative = 0;
  const struct view tail_upper = {b->tail_upper[0], TAIL_MAX, 1}, tail_lower = {b->tail_lower[0], BLOCK, 1},
                    tail_diag = {b->tail_diag[0], TAIL_MAX, 1};
  for (int i = 0; i < b->count; i++) {
    if (b->border_from >= 0 && i >= b->border_from && i + 1 < b->count) {
      negative += eliminate_bordered(b, i);
      continue;
    }
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
