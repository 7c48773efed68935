// Marks for the functions that the real-time thread runs: the step, the instruments, the hand-over to other
// threads.
#pragma once

// At the end of a declaration: the function allocates nothing, takes no lock and never waits. clang 20 and
// later checks this at compile time through every call (-Wfunction-effects; tools/check effects) and at run
// time with -fsanitize=realtime (tools/check realtime). A function that is called only within its file needs
// no mark. Other compilers ignore it.
//
// NONBLOCKING_EXEMPT(call); takes one call out of both checks. All exemptions and their reasons:
//   - clock_gettime in os_now_ns (os/process/threads.c): Linux reads the monotonic clock without entering the kernel.
//   - The flows in sagbend/math/flows.c: those of the step carry the mark themselves (vessel_splitting.c);
//     those used in comparisons need not.
//   - vsnprintf in fail (sagbend/base/status.c) and snprintf in number_text.c: glibc neither allocates nor locks
//     when it writes numbers and names into an array. The step formats text only when it refuses a command or
//     an order.
//   - write in wake_ring (os/process/wake.c): the file is a counter in memory, opened so that writing never waits.
#ifdef __clang__
#if __has_feature(realtime_sanitizer)
#include <sanitizer/rtsan_interface.h>
#define NONBLOCKING_UNWATCHED(call)                                                                          \
  __rtsan_disable();                                                                                         \
  call;                                                                                                      \
  __rtsan_enable()
#else
#define NONBLOCKING_UNWATCHED(call) call
#endif
#endif

#if defined(__clang__) && __has_attribute(nonblocking)
#define NONBLOCKING __attribute__((nonblocking))
#define NONBLOCKING_EXEMPT(call)                                                                             \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wfunction-effects\"")                \
      NONBLOCKING_UNWATCHED(call);                                                                           \
  _Pragma("clang diagnostic pop")
#else
#define NONBLOCKING
#define NONBLOCKING_EXEMPT(call) call
#endif
