// Trigonometry from + - * / sqrt only: libm chooses its code by processor, so its bits must not enter a state
// hash. Angles in rad. Errors are a few units in the last place for |x| < 1e6.
#pragma once

#include "sagbend/base/nonblocking.h"

double trig_sin(double x) NONBLOCKING;             // NaN for |x| >= 1e9
double trig_cos(double x) NONBLOCKING;             // the same
double trig_atan2(double y, double x) NONBLOCKING; // in (-pi, pi]; atan2(0, 0) = 0
double trig_wrap(double angle) NONBLOCKING;        // the same direction in (-pi, pi]

#define TRIG_PI 3.14159265358979323846

// Coefficients of the polynomials of sine, x + x^3 (SIN_1 + ...), and cosine, 1 - x^2/2 + x^4 (COS_1 + ...),
// in powers of x^2, for |x| <= pi/4 (trig.c, lanes_trig.h).
#define TRIG_SIN_1 -1.66666666666666324348e-01
#define TRIG_SIN_2 8.33333333332248946124e-03
#define TRIG_SIN_3 -1.98412698298579493134e-04
#define TRIG_SIN_4 2.75573137070700676789e-06
#define TRIG_SIN_5 -2.50507602534068634195e-08
#define TRIG_SIN_6 1.58969099521155010221e-10
#define TRIG_COS_1 4.16666666666666019037e-02
#define TRIG_COS_2 -1.38888888888741095749e-03
#define TRIG_COS_3 2.48015872894767294178e-05
#define TRIG_COS_4 -2.75573143513906633035e-07
#define TRIG_COS_5 2.08757232129817482790e-09
#define TRIG_COS_6 -1.13596475577881948265e-11
