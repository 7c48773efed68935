// Compiler attributes of the numerical kernels. KERNEL_CLONES compiles a function also for wider registers
// (AVX2) and for more of them (AVX-512, level 4 of x86-64), chosen when the program starts. All versions give
// the same bits: the code is element-wise and the build turns contraction to fused multiply-add off.
// KERNEL_WIDE is defined where a kernel may have a source path of its own for AVX-512. Sanitizers and clang
// get the plain version only.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__clang__) && !defined(SAGBEND_NO_CLONES)
#ifdef SAGBEND_NO_AVX512
#define KERNEL_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define KERNEL_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#define KERNEL_WIDE
#endif
#else
#define KERNEL_CLONES
#endif

// A part of a kernel, inlined so that it is compiled for the same registers as its caller.
#define KERNEL_INLINE static inline __attribute__((always_inline))

// The path of a feature that most runs do not have, kept out of its caller.
#define RARE_PATH static __attribute__((noinline))
