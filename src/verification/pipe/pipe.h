// Closed form of an elastic catenary of several parts.
#pragma once

#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

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

// ------------------------------------------------------------
// The flying flexible rod of Simo and Vu-Quoc (1988), which several cases throw: length 10, EA = GA = 1e4, EI
// = GJ = 500, unit mass per length, J = (20, 10, 10), straight from (0, 8) to (6, 0) in its plane, thrown at
// the lower end (our "top") by the force (T/10, 0, 0) and the moment (0, T, T/2), T a triangle of 0, 200, 0
// at 0, 2.5 and 5 s. Its x, y, z are our north, west, up.

#define FLYING_LENGTH_M 10.0
#define FLYING_THROW_S  5.0
extern const struct scene_section flying_section;

enum { FLYING_SHOWN = 3, FLYING_ENDS = 2 }; // ends: the loaded one, the other one
extern const double flying_shown_s[FLYING_SHOWN];
// Displacements of the ends in the paper's axes, by tests/reference/flying_rod.py 80 160 320 (limit).
extern const double flying_flown_m[FLYING_SHOWN][FLYING_ENDS][3];

// The project's own rod, at rest before the throw.
struct sim *flying_rod(int elements, double step_s, struct verify_result *r);
void flying_displacements(const struct sim *s, vec3 end_m[FLYING_ENDS]); // there

// The same as a Hamiltonian system, in the paper's axes; the last node is the loaded end. A step starts at
// time_s.
void flying_rival(struct hamiltonian_rod *rod, int elements);
void flying_rival_step(struct hamiltonian_rod *rod, double time_s, double h);

// ------------------------------------------------------------
// The multi-symplectic conservation law of the rod, as rows of the case rod-multisymplectic.

// ------------------------------------------------------------
// The pipe of tests/reference/clamped_pipe.py, which the cases of a clamped hang-off share: 12.75 inch, 800
// m, in 350 m of water, seabed 1e5 Pa/m under the axis, H = 50 kN, on a vessel that does not pitch.

int small_pipe(const struct verify_setup *setup, struct sim_def *def, struct verify_result *r);

// A quantity of an equilibrium; before: the value of build 8ad29a5 on the same mesh, or NAN.
struct small_pipe_row {
  const char *quantity, *unit;
  double reference, before, limit; // relative
};

enum {
  SMALL_PIPE_MOMENT = 0,
  SMALL_PIPE_SHEAR = 2,
  SMALL_PIPE_TENSION = 5,
  SMALL_PIPE_REACH = 8,
  SMALL_PIPE_ROWS
};

// Clamped at 65 degrees; the limits are for 100 equal elements.
extern const struct small_pipe_row SMALL_PIPE_CLAMPED[SMALL_PIPE_ROWS];
void small_pipe_values(const struct sim *s, double values[SMALL_PIPE_ROWS]);
