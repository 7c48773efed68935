// What the compiler may do with the kernels. Clones for wider registers give the same bits as the baseline:
// the code is element-wise and contraction to FMA is off.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__clang__) && !defined(SAGBEND_NO_CLONES)
#define KERNEL_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define KERNEL_CLONES
#endif

#define KERNEL_INLINE static inline __attribute__((always_inline))
