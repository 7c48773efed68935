// A planar pipe that is paid out, to compare with: other unknowns, another mesh and another method in time
// than the simulator's. Unknown are the places of nodes alone, no directors. Their number stays: they lie at
// equal shares of the length and so move through the material while pipe is paid out. Backward differences of
// order 2 in time (Curtiss and Hirschfelder 1952); the bending of an inextensible rod, EI r''''; no shear, no
// rotary inertia. x ahead, z down; arc lengths from the lower end, which is clamped along x.
#pragma once

enum { PLANAR_LAY_NODES = 601 };

struct planar_lay_def {
  int elements;
  double axial_n, bending_nm2, mass_kgpm, weight_npm; // the weight is that in water
  double drag_across, drag_along;                     // force of a metre over speed squared, N s2/m3
  double slope_npm2, break_m;                         // seabed: a parabola up to break_m, then a line
  double ground_m;                                    // z of the axis of pipe that touches it
};

// The upper end at a time.
struct planar_lay_top {
  double length_m, speed_mps; // unstretched length, and its rate
  double place_m[2], velocity_mps[2];
};

typedef double planar_nodes[PLANAR_LAY_NODES][2];

struct planar_lay {
  struct planar_lay_def def;
  struct planar_lay_top top;
  planar_nodes place[2], velocity[2]; // of the nodes and of the material at them; now, and a step before
  int steps;
};

// Equilibrium, from the places in place[0] with those of both ends. Returns 0 where Newton's method fails.
int planar_lay_rest(struct planar_lay *x, const struct planar_lay_top *top);
// A step of h to this place of the top. Returns 0 where Newton's method fails.
int planar_lay_step(struct planar_lay *x, const struct planar_lay_top *top, double h);

double planar_lay_tension(const struct planar_lay *x); // at the upper end
void planar_lay_place(const struct planar_lay *x, double arc_m, double place_m[2]);
