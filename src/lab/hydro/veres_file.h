// The heads that VERES's files share. Within the reader of VERES only.
#pragma once

#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro.h"

struct veres_head {
  double water_density_kgpm3, gravity_mps2, length_m, breadth_m, draught_m;
  int version; // 1 or 2
  int headings, frequencies;
};

static const double VERES_SIGN[6] = {-1, 1, -1, -1, 1, -1}; // of our axes in VERES's

// Reads titles, water, dimensions and counts. has_gravity_centre: the file has a line with the centre of
// gravity; counts: numbers in the line of counts, which begin with speeds, headings, frequencies.
enum status veres_read_head(struct text_file *file, int has_gravity_centre, int counts,
                            struct veres_head *head, struct reason *why);

// Fails unless speed is 0.
enum status veres_check_speed(const struct text_file *file, double speed_mps, struct reason *why);

// Reads a heading (degrees, VERES's) as ours (radians).
enum status veres_read_heading(struct text_file *file, double *heading_rad, struct reason *why);
double veres_heading(double degrees);
