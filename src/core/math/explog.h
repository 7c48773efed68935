// exp and log from + - * / and the exponent's bits only, for the same reason as trig.h. Errors are a few
// units in the last place; subnormal results of exp are rounded twice.
#pragma once

double explog_exp(double x); // 0 below -746, infinite above 709.79
double explog_log(double x); // -infinite at 0, NaN below
