// The case of the points: what its configuration and its hydro file say, and how the vessel is held.
#pragma once

#include "sagbend/vessel/hydro_data.h"
#include "lab/sweep/rao.h"

struct config;

extern const double RAO_WAVE_AMPLITUDE_M;

// The frequencies and headings of the points.
enum { RAO_MAX_FREQUENCIES = 400, RAO_MAX_HEADINGS = 360 };

struct rao_grid {
  int frequencies, headings;
  double omega_radps[RAO_MAX_FREQUENCIES]; // > 0, increasing
  double heading_deg[RAO_MAX_HEADINGS];    // 0 to 360, increasing: where the wave travels to, from the bow
};

struct rao_case {
  struct rao_grid grid;
  struct config *config;          // owned
  const struct hydro_data *hydro; // of config
  double hold_stiffness[6];       // N/m, N m/rad; surge, sway and yaw only
  double hold_damping[6];         // N s/m, N m s/rad
  double peak[6];  // largest motion per metre: of the file, or of the linear answer without them
  double settle_s; // the amplitudes are taken after it
};

// Reads grid and case. STATUS_BAD_INPUT: one of them cannot be used. Release with rao_case_free in every
// case.
enum status rao_case_read(const struct rao_options *options, struct rao_case *out, struct reason *why);
void rao_case_free(struct rao_case *c);
