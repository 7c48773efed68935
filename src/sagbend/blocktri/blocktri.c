// Factors and solves a chain of 6x6 blocks with a tail.
#include "sagbend/blocktri/blocktri.h"
#include "sagbend/blocktri/blocktri_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

void blocktri_create(struct blocktri *b, int count, int tail, struct arena *memory) {
  b->count = count;
  b->tail = tail;
  b->diag = arena_take(memory, (size_t)count, sizeof *b->diag);
  b->lower = arena_take(memory, (size_t)count, sizeof *b->lower);
  b->upper = arena_take(memory, (size_t)count, sizeof *b->upper);
  b->border_from = -1;
  b->border_upper = b->border_lower = NULL;
}

void blocktri_create_border(struct blocktri *b, int count, struct arena *memory) {
  b->border_upper = arena_take(memory, (size_t)count, sizeof *b->border_upper);
  b->border_lower = arena_take(memory, (size_t)count, sizeof *b->border_lower);
}

// A column of a block in registers: rows 0 to 3, and rows 4 and 5.
typedef double pair __attribute__((vector_size(8 * 2)));
typedef double pair_unaligned __attribute__((vector_size(8 * 2), aligned(8), may_alias));
struct column {
  lanes upper;
  pair lower;
};

KERNEL_INLINE void load_column(struct column *c, const double *from) {
  lanes_load(&c->upper, from);
  c->lower = *(const pair_unaligned *)(from + LANES);
}

KERNEL_INLINE void store_column(double *to, const struct column *c) {
  lanes_store(to, &c->upper);
  *(pair_unaligned *)(to + LANES) = c->lower;
}

KERNEL_INLINE void load_block(struct column a[BLOCK], const double *from) {
  for (int k = 0; k < BLOCK; k++)
    load_column(&a[k], from + BLOCK * k);
}

// c = a x
KERNEL_INLINE void apply(const struct column a[BLOCK], const double *x, struct column *c) {
  *c = (struct column){{0}, {0}};
  for (int k = 0; k < BLOCK; k++) {
    c->upper += a[k].upper * x[k];
    c->lower += a[k].lower * x[k];
  }
}

// One step of Gauss-Jordan elimination with pivot k, which is element "lane" of this half of a column. The
// indices are those of __builtin_shufflevector that replace this element by one of the second vector.
#define ELIMINATE(k, half, lane, splat, ...)                                                                 \
  {                                                                                                          \
    const struct column factor = a[k];                                                                       \
    double pivot = factor.half[lane], size = fabs(pivot), inverse = 1 / pivot;                               \
    least = size >= least ? least : size;                                                                    \
    a[k] = (struct column){{0}, {0}};                                                                        \
    for (int j = 0; j < BLOCK; j++) {                                                                        \
      double share = (j == (k) ? 1 : a[j].half[lane]) * inverse;                                             \
      a[j].upper -= factor.upper * share;                                                                    \
      a[j].lower -= factor.lower * share;                                                                    \
      a[j].half = __builtin_shufflevector(a[j].half, splat(share), __VA_ARGS__);                             \
    }                                                                                                        \
  }
#define SPLAT_4(x)                                                                                           \
  (lanes) {                                                                                                  \
    x, x, x, x                                                                                               \
  }
#define SPLAT_2(x)                                                                                           \
  (pair) {                                                                                                   \
    x, x                                                                                                     \
  }

// Inverts a block by Gauss-Jordan elimination; returns the smallest |pivot|.
KERNEL_INLINE double invert_block(struct column a[BLOCK]) {
  double least = (double)INFINITY;
  ELIMINATE(0, upper, 0, SPLAT_4, 4, 1, 2, 3)
  ELIMINATE(1, upper, 1, SPLAT_4, 0, 5, 2, 3)
  ELIMINATE(2, upper, 2, SPLAT_4, 0, 1, 6, 3)
  ELIMINATE(3, upper, 3, SPLAT_4, 0, 1, 2, 7)
  ELIMINATE(4, lower, 0, SPLAT_2, 2, 1)
  ELIMINATE(5, lower, 1, SPLAT_2, 0, 3)
  return least;
}

// y -= a x
KERNEL_INLINE void subtract_product(const struct column a[BLOCK], const double *x, double *y) {
  struct column product, c;
  load_column(&c, y);
  apply(a, x, &product);
  c.upper -= product.upper;
  c.lower -= product.lower;
  store_column(y, &c);
}

// x = a x
KERNEL_INLINE void apply_in_place(const struct column a[BLOCK], double *x) {
  struct column c;
  apply(a, x, &c);
  store_column(x, &c);
}

// Block elimination down the chain, and with x its forward sweep; returns the smallest |pivot|, NaN if one is
// NaN.
KERNEL_CLONES
static double eliminate_chain(struct blocktri *b, double *x) {
  double least = (double)INFINITY;
  for (int i = 0; i < b->count; i++) {
    struct column diag[BLOCK], other[BLOCK], c;
    load_block(diag, b->diag[i]);
    if (i > 0) {
      load_block(other, b->lower[i]);
      for (int k = 0; k < BLOCK; k++) {
        apply(other, b->upper[i - 1] + BLOCK * k, &c);
        diag[k].upper -= c.upper;
        diag[k].lower -= c.lower;
      }
      if (x)
        subtract_product(other, x + (i - 1) * BLOCK, x + i * BLOCK);
    }
    double size = invert_block(diag);
    least = size >= least ? least : size; // also takes over a NaN
    for (int k = 0; k < BLOCK; k++)
      store_column(b->diag[i] + BLOCK * k, &diag[k]);
    for (int k = 0; i + 1 < b->count && k < BLOCK; k++) {
      apply(diag, b->upper[i] + BLOCK * k, &c);
      store_column(b->upper[i] + BLOCK * k, &c);
    }
    if (x)
      apply_in_place(diag, x + i * BLOCK);
  }

  return least;
}

// Eliminates the last block of the chain from the rows of the tail.
static void couple_tail(struct blocktri *b) {
  const double *inverse = b->diag[b->count - 1];
  double reduced[BLOCK][TAIL_MAX] = {{0}};
  for (int i = 0; i < BLOCK; i++)
    for (int k = 0; k < BLOCK; k++)
      for (int j = 0; j < b->tail; j++)
        reduced[i][j] += inverse[block_at(i, k)] * b->tail_upper[k][j];

  for (int i = 0; i < BLOCK; i++)
    for (int j = 0; j < b->tail; j++)
      b->tail_upper[i][j] = reduced[i][j];

  for (int i = 0; i < b->tail; i++)
    for (int j = 0; j < b->tail; j++)
      for (int k = 0; k < BLOCK; k++)
        b->tail_diag[i][j] -= b->tail_lower[i][k] * reduced[k][j];
}

// LU factors of the tail with partial pivoting.
static enum status factor_tail(struct blocktri *b) {
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

// First block with a border of its own, or count - 1.
static int border_begin(const struct blocktri *b) {
  return b->border_from >= 0 && b->border_from < b->count ? b->border_from : b->count - 1;
}

enum { TAIL_LANES = (TAIL_MAX + LANES - 1) / LANES, TAIL_ROOM = TAIL_LANES * LANES };

// The rows of a block as columns.
KERNEL_INLINE void load_transposed(struct column a[BLOCK], const double *from) {
  double rows[BLOCK_SIZE];
  for (int i = 0; i < BLOCK; i++)
    for (int k = 0; k < BLOCK; k++)
      rows[block_at(k, i)] = from[block_at(i, k)];
  load_block(a, rows);
}

// sum of the tail -= rows of the border times columns of it. upper: by rows of the block.
KERNEL_INLINE void subtract_border(const double lower[TAIL_MAX][BLOCK], double upper[BLOCK][TAIL_ROOM],
                                   int tail, double sum[TAIL_MAX][TAIL_ROOM]) {
  for (int t = 0; t < tail; t += LANES) {
    lanes column[BLOCK], c;
    for (int k = 0; k < BLOCK; k++)
      lanes_load(&column[k], upper[k] + t);
    for (int r = 0; r < tail; r++) {
      lanes_load(&c, sum[r] + t);
      for (int k = 0; k < BLOCK; k++)
        c -= lower[r][k] * column[k];
      lanes_store(sum[r] + t, &c);
    }
  }
}

// Eliminates the blocks with a border from the rows of the tail, and passes their border on to the last one.
KERNEL_CLONES
static void eliminate_border(struct blocktri *b) {
  const int last = b->count - 1;
  double upper[BLOCK][TAIL_ROOM] = {{0}}, sum[TAIL_MAX][TAIL_ROOM] = {{0}};
  for (int r = 0; r < b->tail; r++)
    memcpy(sum[r], b->tail_diag[r], sizeof b->tail_diag[r]);
  for (int i = border_begin(b); i < last; i++) {
    struct column a[BLOCK], c, next;
    load_block(a, b->diag[i]);
    for (int t = 0; t < b->tail; t++) {
      apply(a, b->border_upper[i][t], &c);
      store_column(b->border_upper[i][t], &c);
      for (int k = 0; k < BLOCK; k++)
        upper[k][t] = b->border_upper[i][t][k];
    }
    load_block(a, b->lower[i + 1]);
    for (int t = 0; t < b->tail; t++) {
      double passed[BLOCK];
      apply(a, b->border_upper[i][t], &c);
      store_column(passed, &c);
      for (int k = 0; k < BLOCK; k++)
        *(i + 1 < last ? &b->border_upper[i + 1][t][k] : &b->tail_upper[k][t]) -= passed[k];
    }
    subtract_border((const double (*)[BLOCK])b->border_lower[i], upper, b->tail, sum);
    load_transposed(a, b->upper[i]);
    for (int r = 0; r < b->tail; r++) {
      double *to = i + 1 < last ? b->border_lower[i + 1][r] : b->tail_lower[r];
      apply(a, b->border_lower[i][r], &c);
      load_column(&next, to);
      next.upper -= c.upper, next.lower -= c.lower;
      store_column(to, &next);
    }
  }
  for (int r = 0; r < b->tail; r++)
    memcpy(b->tail_diag[r], sum[r], sizeof b->tail_diag[r]);
}

// Factors the matrix; with x also makes the forward sweep.
static enum status factor(struct blocktri *b, double *x) {
  if (b->count > 0) {
    double least = blocktri_is_wide() ? blocktri_wide_eliminate(b, x) : eliminate_chain(b, x);
    if (!(least > 0) || !isfinite(least) || !isfinite(b->diag[b->count - 1][0]))
      return STATUS_SINGULAR;
    if (b->tail > 0) {
      eliminate_border(b);
      couple_tail(b);
    }
  }
  return factor_tail(b);
}

enum status blocktri_factor(struct blocktri *b) {
  return factor(b, NULL);
}

static void solve_tail(const struct blocktri *b, double *x) {
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

KERNEL_CLONES
static void forward_sweep(const struct blocktri *b, double *x) {
  for (int i = 0; i < b->count; i++) {
    struct column a[BLOCK];
    if (i > 0) {
      load_block(a, b->lower[i]);
      subtract_product(a, x + (i - 1) * BLOCK, x + i * BLOCK);
    }
    load_block(a, b->diag[i]);
    apply_in_place(a, x + i * BLOCK);
  }
}

KERNEL_CLONES
static void backward_sweep(const struct blocktri *b, double *x) {
  for (int i = b->count - 2; i >= 0; i--) {
    struct column a[BLOCK];
    load_block(a, b->upper[i]);
    subtract_product(a, x + (i + 1) * BLOCK, x + i * BLOCK);
  }
}

// tail -= border_lower x
static void subtract_border_rows(const struct blocktri *b, const double *x, double *tail) {
  for (int i = border_begin(b); i < b->count - 1; i++)
    for (int r = 0; r < b->tail; r++)
      for (int k = 0; k < BLOCK; k++)
        tail[r] -= b->border_lower[i][r][k] * x[BLOCK * i + k];
}

// x -= border_upper tail
static void subtract_border_columns(const struct blocktri *b, const double *tail, double *x) {
  for (int i = border_begin(b); i < b->count - 1; i++)
    for (int t = 0; t < b->tail; t++)
      for (int k = 0; k < BLOCK; k++)
        x[BLOCK * i + k] -= b->border_upper[i][t][k] * tail[t];
}

// What is left after the forward sweep.
static void finish(const struct blocktri *b, double *x) {
  double *tail = x + b->count * BLOCK;
  subtract_border_rows(b, x, tail);
  if (b->count > 0)
    for (int i = 0; i < b->tail; i++)
      for (int k = 0; k < BLOCK; k++)
        tail[i] -= b->tail_lower[i][k] * tail[k - BLOCK];

  solve_tail(b, tail);
  if (b->count > 0)
    for (int k = 0; k < BLOCK; k++)
      for (int j = 0; j < b->tail; j++)
        tail[k - BLOCK] -= b->tail_upper[k][j] * tail[j];

  subtract_border_columns(b, tail, x);
  if (blocktri_is_wide())
    blocktri_wide_backward(b, x);
  else
    backward_sweep(b, x);
}

void blocktri_solve(const struct blocktri *b, double *x) {
  if (blocktri_is_wide())
    blocktri_wide_forward(b, x);
  else
    forward_sweep(b, x);
  finish(b, x);
}

enum status blocktri_factor_and_solve(struct blocktri *b, double *x) {
  enum status status = factor(b, x);
  if (status == STATUS_OK)
    finish(b, x);
  return status;
}

// ------------------------------------------------------------
// Counts the negative eigenvalues of a symmetric matrix: by Sylvester's law of inertia an elimination without
// row exchanges has as many negative pivots. Rounding can change the count of an indefinite matrix, but the
// question here is whether the matrix is positive definite, and for that the elimination is stable.

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
