// Complex numbers by their parts. CMPLX of C11 is missing where clang compiles with glibc's headers.
#pragma once

#include <complex.h>

static inline double complex complex_number(double re, double im) {
  const union {
    double part[2]; // as C11 6.2.5 lays a complex number out
    double complex whole;
  } number = {{re, im}};
  return number.whole;
}
