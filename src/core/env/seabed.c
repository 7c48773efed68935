// On each branch V is a polynomial, so its divided difference has a closed form; a step that crosses a break
// is the mean of the branches weighted by their shares of the way.
#include "core/env/seabed.h"

#include <math.h>

struct seabed_spring seabed_spring_of(double submerged_weight_npm, double outer_diameter_m) {
  return (struct seabed_spring){fabs(submerged_weight_npm) / (outer_diameter_m / 10), outer_diameter_m / 20};
}

struct seabed_spring seabed_linear(double stiffness_npm2) {
  return (struct seabed_spring){stiffness_npm2, 0};
}

// Parabolic branch: force slope k^2 / (2 break); linear branch: slope (k - break / 2).
double seabed_force(const struct seabed_spring *s, double k) {
  if (k <= 0)
    return 0;
  return k <= s->break_m ? s->slope_npm2 * k * k / (2 * s->break_m) : s->slope_npm2 * (k - 0.5 * s->break_m);
}

double seabed_penetration(const struct seabed_spring *s, double f) {
  double b = s->break_m;
  if (!(f > 0))
    return 0;
  return f <= 0.5 * s->slope_npm2 * b ? sqrt(2 * b * f / s->slope_npm2) : f / s->slope_npm2 + 0.5 * b;
}

double seabed_energy(const struct seabed_spring *s, double k) {
  double b = s->break_m;
  if (k <= 0)
    return 0;
  if (k <= b)
    return s->slope_npm2 * k * k * k / (6 * b);
  return s->slope_npm2 * (b * b / 6 + 0.5 * k * (k - b));
}

double seabed_stiffness(const struct seabed_spring *s, double k) {
  if (k <= 0)
    return 0;
  return k <= s->break_m ? s->slope_npm2 * k / s->break_m : s->slope_npm2;
}

static int branch(const struct seabed_spring *s, double k) {
  return k <= 0 ? 0 : k <= s->break_m ? 1 : 2;
}

// Divided difference of V within one branch.
static double within(const struct seabed_spring *s, int which, double a, double b) {
  if (which == 1)
    return s->slope_npm2 * (a * a + a * b + b * b) / (6 * s->break_m);
  return which == 2 ? s->slope_npm2 * (0.5 * (a + b) - 0.5 * s->break_m) : 0;
}

double seabed_mean_force(const struct seabed_spring *s, double k0, double k1, double *derivative) {
  int first = branch(s, k0), last = branch(s, k1);
  if (first == last) {
    *derivative = first == 1   ? s->slope_npm2 * (k0 + 2 * k1) / (6 * s->break_m)
                  : first == 2 ? 0.5 * s->slope_npm2
                               : 0;
    return within(s, first, k0, k1);
  }
  const double breaks[2] = {0, s->break_m}; // between branches 0|1 and 1|2
  int way = last > first ? 1 : -1;
  double mean = 0, at = k0;
  for (int which = first; which != last; which += way) {
    double next = breaks[way > 0 ? which : which - 1];
    if (next != at) // a linear seabed has no parabola
      mean += within(s, which, at, next) * ((next - at) / (k1 - k0));
    at = next;
  }
  mean += within(s, last, at, k1) * ((k1 - at) / (k1 - k0));
  double width = k1 - k0;
  *derivative = fabs(width) > 1e-9 ? (seabed_force(s, k1) - mean) / width : 0.5 * seabed_stiffness(s, k1);
  return mean;
}
