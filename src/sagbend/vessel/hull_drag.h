// Drag of the water on the hull in surge, sway and yaw beyond linear and quadratic damping: current force
// coefficients by the angle of the flow, or the drag of the hull's sections across the flow. docs/weather.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/vessel/angle_table.h"

enum { CROSS_FLOW_STRIPS = 20 };

// Constant during a run.
struct hull_drag {
  int acts;                 // 1: at least one of the two parts is there
  struct angle_table table; // N/(m/s)^2, N m/(m/s)^2: surge, sway, yaw without Munk's moment; count 0: none
  int strips;               // 0: no cross-flow drag
  double strip_x_b_m[CROSS_FLOW_STRIPS];
  double strip_drag; // N/(m/s)^2 of each strip
};

// added_mass: M_A about the reference point. Its Munk's moment is part of measured coefficients and acts by
// itself (vessel_current_wrench), so the table holds the rest.
struct hull_drag hull_drag_of(const struct hull_def *def, const double (*added_mass)[6],
                              double water_density_kgpm3);

// The drag as a positive semidefinite matrix: force = -d (u, v, r), surge N, sway N and yaw N m, for the
// velocity through the water (u, v, r) = through[0], through[1], through[5] itself.
void hull_drag_matrix(const struct hull_drag *drag, const double through[6], double d[3][3]) NONBLOCKING;

// Whether given coefficients resist every flow: at each angle the power of the force is negative, by at least
// a thousandth of force (and moment over length) times speed. If not, *angle_rad is the first angle.
int hull_rows_resist(const struct hull_def *def, double *angle_rad);

// Hoerner's drag coefficient of a section across the flow, by beam/(2 draught).
double hoerner_drag(double beam_m, double draft_m);
