// Locale, rounding and flush-to-zero of the calling thread.
#include "sagbend/base/base.h"

#include <fenv.h>
#include <locale.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
enum { MXCSR_AT_START = 0x1f80, MXCSR_MODES = 0xffc0 }; // without the flags of past exceptions
#endif

// fesetround sets the x87 unit too, by which strtod asks for the mode; it does not know flush-to-zero.
struct host_settings host_settings_begin(void) {
  struct host_settings was = {.rounding = fegetround()};
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

void host_settings_end(const struct host_settings *was) {
  uselocale((locale_t)was->locale);
  if (was->rounding != FE_TONEAREST)
    fesetround(was->rounding);
#if defined(__SSE2__)
  if ((was->control & MXCSR_MODES) != MXCSR_AT_START)
    _mm_setcsr(was->control);
#endif
}
