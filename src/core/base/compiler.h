// Compiler attributes of the numerical kernels. KERNEL_CLONES compiles a function a second time for wider
// registers (AVX2), chosen when the program starts. Both versions give the same bits: the code is
// element-wise and the build turns contraction to fused multiply-add off. KERNEL_WIDE is defined where a
// kernel may have a source path of its own for AVX-512. Sanitizers and clang get the plain version only.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__clang__) && !defined(SAGBEND_NO_CLONES)
#define KERNEL_CLONES __attribute__((target_clones("avx2", "default")))
#ifndef SAGBEND_NO_AVX512
#define KERNEL_WIDE
#endif
#else
#define KERNEL_CLONES
#endif

// A part of a kernel, inlined so that it is compiled for the same registers as its caller.
#define KERNEL_INLINE static inline __attribute__((always_inline))
