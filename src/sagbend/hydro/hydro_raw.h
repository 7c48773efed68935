// What a diffraction code computed for a vessel, before the memory is fitted: axes, phases and units of
// sagbend/vessel/hydro_data.h, about the origin of the files. Readers (hydro) fill it, hydro_checks.h judges
// it.
#pragma once

#include "sagbend/vessel/hydro_data.h"

// Frequencies that a file may have; those that remain after --frequencies are at most MAX_HYDRO_FREQUENCIES.
enum { MAX_RAW_FREQUENCIES = 4096 };

struct hydro_raw {
  const char *code;                                  // "VERES", "WAMIT"
  double water_density_kgpm3, gravity_mps2, depth_m; // depth 0: deep
  double length_unit_m;                              // in which the files are written; 0: they have units
  double displaced_kg;                               // 0: unknown
  double wave_point_m[2]; // where the phases refer to the surface: x, y of the files' origin from there
  double body_height_m;   // of the files' origin above the water
  int is_mass_estimated;  // 1: from the forces of the longest waves
  int has_mass;           // the mass matrix is known
  double mass[6][6];      // rigid body
  double restoring[6][6];
  double external_damping[6][6], external_restoring[6][6]; // that the files' motions contain

  int frequencies;
  double omega_radps[MAX_RAW_FREQUENCIES]; // increasing
  double added_mass[MAX_RAW_FREQUENCIES][6][6], damping[MAX_RAW_FREQUENCIES][6][6];
  int is_left_out[MAX_RAW_FREQUENCIES]; // 1: not used by the fit; set by the checks

  // What the files' motions contain beyond radiation: tanks.
  int has_additional; // tanks
  double additional_mass[MAX_RAW_FREQUENCIES][6][6], additional_damping[MAX_RAW_FREQUENCIES][6][6];
  double additional_restoring[6][6];

  int has_inf, has_zero; // limits of the added mass that the files give
  double added_mass_inf[6][6], added_mass_zero[6][6];

  struct hydro_table force, motion; // width 12
  struct hydro_table drift;         // width 3
  struct hydro_table roll_damping;  // width 1: viscous, N m s/rad, in the motions of the files
};

// Solves the motions of the files at a frequency and heading by their index in the table of forces, which has
// the frequencies of the radiation. with_additional: as the files' motions contain them. STATUS_SINGULAR if
// the equations are. motion: pairs of real and imaginary part.
enum status hydro_raw_solve(const struct hydro_raw *raw, int frequency, int heading, int with_additional,
                            double motion[12]);

// How much an error of K changes the motions: sensitivity_ab is the largest change of a motion, as a share of
// its peak over all frequencies and headings, per error of K_ab of the size sqrt(peak_a peak_b). peak: of the
// damping. For roll at least 5 % of critical damping is assumed. sensitivity: [frequency], zero without mass
// matrix.
void hydro_raw_sensitivity(const struct hydro_raw *raw, const double peak[6], double (*sensitivity)[6][6]);

// Wavenumber of a wave in water of that depth; depth 0: deep.
double hydro_wavenumber(double omega_radps, double gravity_mps2, double depth_m);
