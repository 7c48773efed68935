// Closed form of an elastic catenary of several parts.
#pragma once

enum { CATENARY_PARTS = 3 };

// A part, from the lower end up: unstretched length, weight per unstretched length, axial stiffness.
struct catenary_part {
  double length_m, weight_npm, ea_n;
};

struct catenary {
  double height_m, reach_m, elongation_m;
  double horizontal_n, lower_n;         // force: horizontal, and vertical at the lower end
  double tension_n[CATENARY_PARTS + 1]; // lower end, junctions, top
};

// With the horizontal force h and the vertical force v at its lower end.
struct catenary catenary_of(const struct catenary_part *parts, int count, double h_n, double v_n);

// v_n at which it has this height.
double catenary_lower_force(const struct catenary_part *parts, int count, double h_n, double height_m);

// The catenary between two points.
struct catenary catenary_between(const struct catenary_part *parts, int count, double height_m,
                                 double reach_m);
