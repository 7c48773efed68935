// Trigonometry from + - * / sqrt only: libm chooses its code by processor, so its bits must not enter a state
// hash. Angles in rad. Errors are a few units in the last place for |x| < 1e6.
#pragma once

double trig_sin(double x);             // NaN for |x| >= 1e9
double trig_cos(double x);             // the same
double trig_atan2(double y, double x); // in (-pi, pi]; atan2(0, 0) = 0
double trig_wrap(double angle);        // the same direction in (-pi, pi]

#define TRIG_PI 3.14159265358979323846
