// The energy V is a polynomial on each branch (none, parabola, line), so its divided difference has a closed
// form within a branch. For a step across a break it is the mean of the branches, weighted by their shares of
// the way.
#include "sagbend/env/seabed.h"

#include <math.h>

struct seabed_spring seabed_spring_of(double submerged_weight_npm, double outer_diameter_m) {
  return (struct seabed_spring){fabs(submerged_weight_npm) / (outer_diameter_m / 10), outer_diameter_m / 20};
}

struct seabed_spring seabed_linear(double stiffness_npm2) {
  return (struct seabed_spring){stiffness_npm2, 0};
}

// Parabola: slope k^2 / (2 break). Line: slope (k - break / 2).
double seabed_force(const struct seabed_spring *spring, double k) {
  if (k <= 0)
    return 0;
  return k <= spring->break_m ? spring->slope_npm2 * k * k / (2 * spring->break_m)
                              : spring->slope_npm2 * (k - 0.5 * spring->break_m);
}

double seabed_energy(const struct seabed_spring *spring, double k) {
  double b = spring->break_m;
  if (k <= 0)
    return 0;
  if (k <= b)
    return spring->slope_npm2 * k * k * k / (6 * b);
  return spring->slope_npm2 * (b * b / 6 + 0.5 * k * (k - b));
}

double seabed_stiffness(const struct seabed_spring *spring, double k) {
  if (k <= 0)
    return 0;
  return k <= spring->break_m ? spring->slope_npm2 * k / spring->break_m : spring->slope_npm2;
}

double seabed_penetration(const struct seabed_spring *spring, double force_npm) {
  double b = spring->break_m;
  if (!(force_npm > 0))
    return 0;
  return force_npm <= 0.5 * spring->slope_npm2 * b ? sqrt(2 * b * force_npm / spring->slope_npm2)
                                                   : force_npm / spring->slope_npm2 + 0.5 * b;
}

// 0: no contact, 1: parabola, 2: line.
static int branch(const struct seabed_spring *spring, double k) {
  return k <= 0 ? 0 : k <= spring->break_m ? 1 : 2;
}

// Divided difference of V within one branch.
static double within_branch(const struct seabed_spring *spring, int which, double a, double b) {
  if (which == 1)
    return spring->slope_npm2 * (a * a + a * b + b * b) / (6 * spring->break_m);
  return which == 2 ? spring->slope_npm2 * (0.5 * (a + b) - 0.5 * spring->break_m) : 0;
}

double seabed_mean_force(const struct seabed_spring *spring, double k0, double k1, double *derivative) {
  int first = branch(spring, k0), last = branch(spring, k1);
  if (first == last) {
    *derivative = first == 1   ? spring->slope_npm2 * (k0 + 2 * k1) / (6 * spring->break_m)
                  : first == 2 ? 0.5 * spring->slope_npm2
                               : 0;
    return within_branch(spring, first, k0, k1);
  }

  const double breaks[2] = {0, spring->break_m}; // between branches 0|1 and 1|2
  int way = last > first ? 1 : -1;
  double mean = 0, at = k0;

  for (int which = first; which != last; which += way) {
    double next = breaks[way > 0 ? which : which - 1];
    if (next != at) // the parabola of a linear seabed has no length
      mean += within_branch(spring, which, at, next) * ((next - at) / (k1 - k0));
    at = next;
  }

  mean += within_branch(spring, last, at, k1) * ((k1 - at) / (k1 - k0));
  double width = k1 - k0;
  *derivative =
      fabs(width) > 1e-9 ? (seabed_force(spring, k1) - mean) / width : 0.5 * seabed_stiffness(spring, k1);

  return mean;
}
