// The frequencies and headings of the points.
#pragma once

#include "core/base/status.h"

enum { RAO_MAX_FREQUENCIES = 400, RAO_MAX_HEADINGS = 360 };

struct rao_grid {
  int frequencies, headings;
  double omega_radps[RAO_MAX_FREQUENCIES]; // > 0, increasing
  double heading_deg[RAO_MAX_HEADINGS];    // 0 to 360, increasing: where the wave travels to, from the bow
};

// Reads two ranges FIRST:LAST:STEP, or single numbers. STATUS_BAD_INPUT: why names the option.
enum status rao_grid_read(const char *frequencies, const char *headings, struct rao_grid *out,
                          struct reason *why);
