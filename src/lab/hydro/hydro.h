// The import of a diffraction code's files: reads, checks, fits.
#pragma once

#include "sagbend/hydro/hydro.h"

struct hydro_import_options {
  double tolerance;           // of the fit, of the peaks
  double length_unit_m;       // WAMIT; 0: that of the .gdf, or 1 m if the mass agrees with it
  double water_density_kgpm3; // not VERES; 0: that of the files, or 1025
  double gravity_mps2;        // not VERES; 0: that of the .gdf, or 9.80665
  double depth_m;             // of the water; 0: deep
  int has_column;             // column is given; otherwise periods (WAMIT), frequencies in rad/s (Nemoh)
  enum first_column column;   // of the files of WAMIT and Nemoh
  double scale;               // Froude's, from the files' vessel to the user's; 0: 1
  double first_radps;         // of the range of frequencies that is used
  double last_radps;          // end of the range; 0: all frequencies of the files
  double origin_m[3];         // of the files' axes, scaled, in the vessel's
  const char *vessel_type;    // OrcaFlex; NULL: the only one
  const char *draught;        // OrcaFlex; NULL: the only one
  int without_additional;     // leave out the second matrices of VERES
  int is_accepted[HYDRO_CHECK_COUNT];
};

// Reads the files, which belong to one vessel and one code; the extensions decide which. Fills report in
// every case. STATUS_BAD_INPUT: why names file, line and what was expected, or which check failed. Release
// out with hydro_data_free in every case.
enum status hydro_import(char *const *paths, int count, const struct hydro_import_options *options,
                         struct hydro_data *out, struct hydro_report *report, struct reason *why);
