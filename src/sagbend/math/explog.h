// Exponential and logarithm from + - * / and the bits of the exponent only: libm chooses its code by
// processor, so its bits must not enter a state hash. Errors are a few units in the last place; subnormal
// results of exp are rounded twice.
#pragma once

#include "sagbend/base/nonblocking.h"

double explog_exp(double x) NONBLOCKING;       // 0 below -746, infinite above 709.79
double explog_log(double x) NONBLOCKING;       // -infinite at 0, NaN below
double explog_cube_root(double x) NONBLOCKING; // by exp and log; 0 below 0
