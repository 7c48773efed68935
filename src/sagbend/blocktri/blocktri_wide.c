// The factorisation of blocktri.c with wide vectors.
#include "sagbend/blocktri/blocktri_internal.h"

#ifdef KERNEL_WIDE

#include <immintrin.h>
#include <math.h>

#define WIDE        __attribute__((target("avx512f")))
#define WIDE_INLINE static inline __attribute__((always_inline, target("avx512f")))

enum { ROWS = (1 << BLOCK) - 1 }; // mask: the rows of a block, without the two lanes beyond them

WIDE_INLINE __m512d load_column(const double *from) {
  return _mm512_maskz_loadu_pd(ROWS, from);
}

// Two stores: one under a mask is slow on some processors.
WIDE_INLINE void store_column(double *to, __m512d column) {
  _mm256_storeu_pd(to, _mm512_castpd512_pd256(column));
  _mm_storeu_pd(to + 4, _mm256_castpd256_pd128(_mm512_extractf64x4_pd(column, 1)));
}

WIDE_INLINE void load_block(__m512d a[BLOCK], const double *from) {
  for (int k = 0; k < BLOCK; k++)
    a[k] = load_column(from + BLOCK * k);
}

// Row k of a column in all lanes.
WIDE_INLINE __m512d row_of(__m512d column, int k) {
  return _mm512_permutexvar_pd(_mm512_set1_epi64(k), column);
}

// a x, with x in memory
WIDE_INLINE __m512d apply(const __m512d a[BLOCK], const double *x) {
  __m512d c = _mm512_setzero_pd();
  for (int k = 0; k < BLOCK; k++)
    c = _mm512_add_pd(c, _mm512_mul_pd(a[k], _mm512_set1_pd(x[k])));
  return c;
}

// a x, with x in a register
WIDE_INLINE __m512d apply_column(const __m512d a[BLOCK], __m512d x) {
  __m512d c = _mm512_setzero_pd();
  for (int k = 0; k < BLOCK; k++)
    c = _mm512_add_pd(c, _mm512_mul_pd(a[k], row_of(x, k)));
  return c;
}

// Inverts a block by Gauss-Jordan elimination; returns the smallest |pivot|.
WIDE_INLINE double invert_block(__m512d a[BLOCK]) {
  double least = (double)INFINITY;
#pragma GCC unroll 6
  for (int k = 0; k < BLOCK; k++) {
    const __m512d factor = a[k];
    double pivot = _mm512_cvtsd_f64(row_of(factor, k)), size = fabs(pivot);
    const __m512d inverse = _mm512_set1_pd(1 / pivot);
    least = size >= least ? least : size;
#pragma GCC unroll 6
    for (int j = 0; j < BLOCK; j++) {
      __m512d share = j == k ? inverse : _mm512_mul_pd(row_of(a[j], k), inverse);
      __m512d before = j == k ? _mm512_setzero_pd() : a[j];
      a[j] =
          _mm512_mask_mov_pd(_mm512_sub_pd(before, _mm512_mul_pd(factor, share)), (__mmask8)(1 << k), share);
    }
  }
  return least;
}

WIDE double blocktri_wide_eliminate(struct blocktri *b, double *x) {
  double least = (double)INFINITY;
  __m512d before = _mm512_setzero_pd(); // x of the block before
  for (int i = 0; i < b->count; i++) {
    __m512d diag[BLOCK], other[BLOCK], mine = before;
    load_block(diag, b->diag[i]);
    if (x)
      mine = load_column(x + i * BLOCK);
    if (i > 0) {
      load_block(other, b->lower[i]);
      for (int k = 0; k < BLOCK; k++)
        diag[k] = _mm512_sub_pd(diag[k], apply(other, b->upper[i - 1] + BLOCK * k));
      if (x)
        mine = _mm512_sub_pd(mine, apply_column(other, before));
    }
    double size = invert_block(diag);
    least = size >= least ? least : size; // also takes over a NaN
    for (int k = 0; k < BLOCK; k++)
      store_column(b->diag[i] + BLOCK * k, diag[k]);
    for (int k = 0; i + 1 < b->count && k < BLOCK; k++)
      store_column(b->upper[i] + BLOCK * k, apply(diag, b->upper[i] + BLOCK * k));
    if (x)
      store_column(x + i * BLOCK, before = apply_column(diag, mine));
  }
  return least;
}

WIDE void blocktri_wide_forward(const struct blocktri *b, double *x) {
  __m512d before = _mm512_setzero_pd(), a[BLOCK];
  for (int i = 0; i < b->count; i++) {
    __m512d mine = load_column(x + i * BLOCK);
    if (i > 0) {
      load_block(a, b->lower[i]);
      mine = _mm512_sub_pd(mine, apply_column(a, before));
    }
    load_block(a, b->diag[i]);
    store_column(x + i * BLOCK, before = apply_column(a, mine));
  }
}

WIDE void blocktri_wide_backward(const struct blocktri *b, double *x) {
  __m512d a[BLOCK], after;
  if (b->count < 2)
    return;
  after = load_column(x + (b->count - 1) * BLOCK);
  for (int i = b->count - 2; i >= 0; i--) {
    load_block(a, b->upper[i]);
    after = _mm512_sub_pd(load_column(x + i * BLOCK), apply_column(a, after));
    store_column(x + i * BLOCK, after);
  }
}

#endif
