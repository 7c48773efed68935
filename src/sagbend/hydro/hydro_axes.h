// Axes and reference point of hydrodynamic data.
#pragma once

#include "sagbend/hydro/hydro_raw.h"

// Values of a table's heading for waves of the opposite side: sway, roll and yaw change sign.
void hydro_mirror(double *value, int width);

// Orders a table by increasing frequency and heading. Headings, any angle in radians, become those of
// hydro_data.h; one that is there twice with the same values (0 and 360) counts once. Where no two headings
// lie on opposite sides, the values of the port side are mirrored to starboard. STATUS_BAD_INPUT: two
// frequencies or headings are equal.
enum status hydro_table_order(struct hydro_table *table, struct reason *why);

// Largest gap between neighbouring headings, rad; that between the mirror images counts.
double hydro_table_gap(const struct hydro_table *table);

// m = X m X', the wrench transform X of a shift of the reference point by which the old one comes to lie at
// r_m of the new one.
void hydro_shift_matrix(double m[6][6], const double r_m[3]);

// Froude's scaling: lengths times scale, masses times its cube, times its root.
void hydro_scale(struct hydro_data *data, double scale);

// Refers phases, which are those of the surface at a point, to the surface at the files' origin, x, y from
// that point; a second call does nothing.
void hydro_refer_phases(struct hydro_raw *raw);

struct hydro_phase_water {
  double gravity_mps2, depth_m; // depth 0: deep
};

// Shifts a table of width 12 about a point that comes to lie at r_m of the new one, with phases that refer to
// the surface at wave_m of the new one. Afterwards both are the new reference point.
void hydro_shift_table(struct hydro_table *table, const struct hydro_phase_water *water, const double r_m[3],
                       const double wave_m[3], int is_motion);

// Shifts data by which the old reference point comes to lie at r_m of the new one, horizontal phases
// included.
void hydro_shift(struct hydro_data *data, const double r_m[3]);
