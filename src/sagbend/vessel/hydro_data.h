// Hydrodynamic data of a vessel: what `sagbend hydro import` makes of the files of a diffraction code and
// `vessel.hydro_file` names. The radiation force of a motion nu about the reference point is
//   -A_inf dnu/dt - K nu,   K(s) = s G' (s^2 I + s R + W)^-1 G,   W = diag(w^2) > 0,   R = R' >= 0:
// n oscillators of unit mass that nu drives, q' = p, p' = -W q - R p + G nu, with the force -G' p. Whatever
// the numbers, K(0) = K(infinity) = 0, K is symmetric and Re K(i omega) >= 0. Added mass and damping are
//   A(omega) = A_inf + Im K(i omega)/omega,   B(omega) = Re K(i omega),   A(0) = A_inf + G' W^-1 G.
//
// Frame b of vessel.h: x forward, y to starboard, z down, about the vessel's reference point; order
// surge, sway, heave, roll, pitch, yaw. SI units, radians. Phasors: a quantity is Re(value e^(i omega t))
// where the surface at the reference point is cos(omega t), per metre of amplitude. Headings are where the
// wave travels to, clockwise from the bow: 0 following sea, pi/2 towards starboard, pi head sea.
#pragma once

#include "sagbend/base/status.h"

enum { RADIATION_WIDTH = 42, MAX_OSCILLATORS = 32, MAX_HYDRO_FREQUENCIES = 400, MAX_HYDRO_HEADINGS = 73 };

// Oscillators of the radiation. Entries from count on are zero.
struct hydro_memory {
  int count;                                            // n; 0: none
  double omega_radps[MAX_OSCILLATORS];                  // w, > 0
  double damping_1ps[MAX_OSCILLATORS][MAX_OSCILLATORS]; // R
  double drive[MAX_OSCILLATORS][6];                     // G: sqrt(kg)/s, sqrt(kg) m/s
};

// A table by frequency and heading. Frequencies increase. Headings increase from 0 to pi, where the other
// side is the mirror image (sway, roll and yaw change sign), or from 0 to below 2 pi.
struct hydro_table {
  int frequencies, headings; // 0: there is no table
  int width;                 // numbers of an entry
  double *omega_radps;       // [frequencies], owned
  double *heading_rad;       // [headings], owned
  double *value;             // [frequency][heading][width], owned
};

// How far the memory is from A and B of the diffraction code, as the import found it.
struct hydro_fit {
  double error;       // largest |K - data| over sqrt(max B_ii max B_jj); NaN: unknown
  int row, column;    // where: degrees of freedom, from 0
  double omega_radps; // and frequency
  double motion[6];   // largest change of each motion by it in any wave, of the motion's peak; NaN: unknown
};

struct hydro_data {
  double water_density_kgpm3, gravity_mps2;
  double depth_m;      // of the water; 0: deep
  double displaced_kg; // mass of the displaced water
  double mass[6][6];   // rigid-body mass matrix of the file; zero: unknown
  double added_mass_inf[6][6];
  double added_mass_zero[6][6]; // A(0)
  double restoring[6][6];       // C
  struct hydro_memory memory;
  struct hydro_fit fit;
  struct hydro_table force;     // width 12: real and imaginary part of each of six, N/m, N m/m
  struct hydro_table drift;     // width 3: surge, sway N/m2, yaw N m/m2, mean force per squared amplitude
  struct hydro_table motion;    // width 12: the motions that the code computed, m/m, rad/m
  struct hydro_table radiation; // width 42, one heading: the code's own A and B, lower triangles row by row
};

// The entry of a frequency and a heading by their index: width numbers.
double *hydro_table_at(const struct hydro_table *table, int frequency, int heading);

// Interpolates linearly in frequency and heading; any angle. Below the lowest frequency its values hold;
// above the highest the result is zero. Numbers whose row is sway, roll or yaw change sign on the mirrored
// side: width 12 pairs, width 3 surge, sway, yaw. out: width numbers.
void hydro_table_interpolate(const struct hydro_table *table, double omega_radps, double heading_rad,
                             double *out);

// A and B of the table of radiation, linear between its frequencies. Returns 0 outside its range.
int hydro_radiation_at(const struct hydro_table *radiation, double omega_radps, double added_mass[6][6],
                       double damping[6][6]);

// K(s) at s = i omega: re = B, im = omega (A - A_inf). omega > 0. NaN at the frequency of an oscillator
// without damping.
void hydro_memory_at(const struct hydro_memory *memory, double omega_radps, double re[6][6], double im[6][6]);

// A_inf + G' W^-1 G.
void hydro_memory_added_mass_zero(const struct hydro_memory *memory, const double (*added_mass_inf)[6],
                                  double added_mass_zero[6][6]);

// R = L L', lower triangular L. STATUS_SINGULAR unless R is positive semidefinite.
enum status hydro_memory_factor(const struct hydro_memory *memory,
                                double factor[MAX_OSCILLATORS][MAX_OSCILLATORS]);
