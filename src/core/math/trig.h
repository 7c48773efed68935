// Trigonometry from + - * / sqrt only: libm chooses its code by processor, so its bits may not enter a state
// hash. Errors are a few units in the last place for |x| < 1e6.
#pragma once

double trig_sin(double x);
double trig_cos(double x);
double trig_atan2(double y, double x); // (-pi, pi]; atan2(0, 0) = 0
double trig_wrap(double angle);        // to (-pi, pi]

#define TRIG_PI 3.14159265358979323846
