// Locale, rounding and flush-to-zero of the calling thread.
#include "sagbend/sagbend_parts.h"

#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
enum { MXCSR_AT_START = 0x1f80, MXCSR_MODES = 0xffc0 }; // without the flags of past exceptions
#endif

// fesetround sets the x87 unit too, by which strtod asks for the mode; it does not know flush-to-zero.
struct guard guard_begin(void) {
  struct guard was = {.rounding = fegetround()};
#if defined(__SSE2__)
  was.control = _mm_getcsr();
#endif
  if (was.rounding != FE_TONEAREST)
    fesetround(FE_TONEAREST);
#if defined(__SSE2__)
  if ((was.control & MXCSR_MODES) != MXCSR_AT_START)
    _mm_setcsr(MXCSR_AT_START);
#endif
  was.locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); // of that name it is the library's own
  return was;
}

void guard_end(const struct guard *guard) {
  uselocale(guard->locale);
  if (guard->rounding != FE_TONEAREST)
    fesetround(guard->rounding);
#if defined(__SSE2__)
  if ((guard->control & MXCSR_MODES) != MXCSR_AT_START)
    _mm_setcsr(guard->control);
#endif
}
