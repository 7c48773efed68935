// The chain of blocktri.c with a column of a block in one register of 512 bits, for processors with AVX-512.
// Each element goes through the same operations in the same order, so the bits are those of blocktri.c. It
// has a source path of its own, because compilers make poor code of registers that a processor lacks.
#pragma once

#include "sagbend/blocktri/blocktri.h"

#include "sagbend/base/base.h"

#ifdef KERNEL_WIDE

// 1: the processor has AVX-512 and the system saves its registers.
static inline int blocktri_is_wide(void) {
  return __builtin_cpu_supports("avx512f") != 0;
}

// As the functions of the same names in blocktri.c. x may be NULL in the first.
double blocktri_wide_eliminate(struct blocktri *b, double *x);
void blocktri_wide_forward(const struct blocktri *b, double *x);
void blocktri_wide_backward(const struct blocktri *b, double *x);

#else

static inline int blocktri_is_wide(void) {
  return 0;
}
static inline double blocktri_wide_eliminate(struct blocktri *b, double *x) {
  (void)b, (void)x;
  return 0;
}
static inline void blocktri_wide_forward(const struct blocktri *b, double *x) {
  (void)b, (void)x;
}
static inline void blocktri_wide_backward(const struct blocktri *b, double *x) {
  (void)b, (void)x;
}

#endif
