// Trigonometry from + - * / sqrt only: libm chooses its code by processor, so its bits must not enter a state
// hash. Angles in rad. Errors are a few units in the last place for |x| < 1e6.
#pragma once

#include "core/base/nonblocking.h"

double trig_sin(double x) NONBLOCKING;             // NaN for |x| >= 1e9
double trig_cos(double x) NONBLOCKING;             // the same
double trig_atan2(double y, double x) NONBLOCKING; // in (-pi, pi]; atan2(0, 0) = 0
double trig_wrap(double angle) NONBLOCKING;        // the same direction in (-pi, pi]

#define TRIG_PI 3.14159265358979323846
