// The source paths of the block-tridiagonal solver give the same bits: plain, for AVX2, and for AVX-512 where
// the processor has it. A factorisation with a solution in one pass gives those of the two calls.
#include "sagbend/blocktri/blocktri_internal.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// blocktri.c, compiled once more under other names (CMakeLists.txt).
#define DECLARE(path)                                                                                        \
  enum status path##_factor(struct blocktri *b);                                                             \
  void path##_solve(const struct blocktri *b, double *x);                                                    \
  enum status path##_factor_and_solve(struct blocktri *b, double *x);
DECLARE(plain)
DECLARE(avx2)

struct path {
  const char *name;
  enum status (*factor)(struct blocktri *b);
  void (*solve)(const struct blocktri *b, double *x);
  enum status (*factor_and_solve)(struct blocktri *b, double *x);
};
static const struct path PATHS[] = {
    {"plain", plain_factor, plain_solve, plain_factor_and_solve},
    {"AVX2", avx2_factor, avx2_solve, avx2_factor_and_solve},
    {"as shipped", blocktri_factor, blocktri_solve, blocktri_factor_and_solve}};
enum { PATH_COUNT = 3, LARGEST = 40, TAIL = TAIL_MAX, UNKNOWNS = BLOCK * LARGEST + TAIL };

static uint64_t stream = 7;
static double noise(void) { // in (-1, 1)
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)stream / 9223372036854775808.0;
}

// Fills the matrix from the stream, with the sizes of stiffness and inertia far apart.
static void fill(struct blocktri *b, int singular) {
  for (int i = 0; i < b->count; i++)
    for (int k = 0; k < BLOCK_SIZE; k++) {
      b->diag[i][k] = 1e6 * (noise() + (k % (BLOCK + 1) ? 0 : 8));
      b->lower[i][k] = 1e6 * noise();
      b->upper[i][k] = 1e6 * noise();
    }
  for (int r = 0; r < b->tail; r++) {
    for (int c = 0; c < b->tail; c++)
      b->tail_diag[r][c] = noise() * (r < 3 ? 1e9 : 1e4);
    for (int c = 0; c < BLOCK; c++) {
      b->tail_lower[r][c] = noise();
      b->tail_upper[c][r] = noise();
      for (int i = 0; i < b->count; i++) {
        b->border_lower[i][r][c] = noise();
        b->border_upper[i][r][c] = noise();
      }
    }
  }
  if (singular)
    memset(b->diag[0], 0, sizeof b->diag[0]);
}

// Solves the same system by one path. Returns its status; block: memory of the matrix.
static enum status solve(const struct path *path, int count, int tail, int border, int one_pass, int singular,
                         double *x) {
  struct arena memory;
  struct blocktri b;
  arena_init(&memory, NULL, 0);
  blocktri_create(&b, count, tail, &memory);
  blocktri_create_border(&b, count, &memory);
  size_t size = (memory.used + 127) / 64 * 64;
  void *block = aligned_alloc(64, size);
  arena_init(&memory, block, size);
  blocktri_create(&b, count, tail, &memory);
  blocktri_create_border(&b, count, &memory);
  b.border_from = border;
  stream = (uint64_t)(100 * count + 10 * tail + border + 3);
  fill(&b, singular);
  for (int i = 0; i < BLOCK * count + tail; i++)
    x[i] = noise();
  enum status status = one_pass ? path->factor_and_solve(&b, x) : path->factor(&b);
  if (status == STATUS_OK && !one_pass)
    path->solve(&b, x);
  free(block);
  return status;
}

START_TEST(all_paths_give_the_same_bits) {
  const int counts[] = {0, 1, 2, 7, LARGEST}, tails[] = {0, 6, TAIL};
  for (int c = 0; c < 5; c++)
    for (int t = 0; t < 3; t++)
      for (int border = -1; border < counts[c] && counts[c] + tails[t] > 0;
           border += counts[c] > 7 ? 13 : 1) {
        double first[UNKNOWNS], x[UNKNOWNS];
        size_t bytes = sizeof *x * (size_t)(BLOCK * counts[c] + tails[t]);
        ck_assert_int_eq(solve(&PATHS[0], counts[c], tails[t], border, 0, 0, first), STATUS_OK);
        for (int p = 0; p < PATH_COUNT; p++)
          for (int one_pass = 0; one_pass < 2; one_pass++) {
            ck_assert_int_eq(solve(&PATHS[p], counts[c], tails[t], border, one_pass, 0, x), STATUS_OK);
            ck_assert_msg(!memcmp(x, first, bytes), "%s, %d blocks, tail %d, border from %d, one pass %d",
                          PATHS[p].name, counts[c], tails[t], border, one_pass);
          }
      }
  printf("the path as shipped: %s\n", blocktri_is_wide() ? "AVX-512" : "that of AVX2 or plain");
}
END_TEST

START_TEST(all_paths_refuse_a_singular_block) {
  double x[UNKNOWNS];
  for (int p = 0; p < PATH_COUNT; p++)
    for (int one_pass = 0; one_pass < 2; one_pass++)
      ck_assert_int_eq(solve(&PATHS[p], 7, 6, -1, one_pass, 1, x), STATUS_SINGULAR);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("paths");
  TCase *t = add_case(suite, "paths", 20);
  tcase_add_test(t, all_paths_give_the_same_bits);
  tcase_add_test(t, all_paths_refuse_a_singular_block);
  return run_suite(suite);
}
