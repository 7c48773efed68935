// What damping and wave force of one motion tell of the waves (Newman 1962, The exciting forces on fixed
// bodies in waves; the relation of Haskind): B_jj = k / (8 pi rho g c_g) times the integral of |X_j|^2 over
// all headings, with the wavenumber k and the group velocity c_g. From the files' B and X follows k g /
// (omega c_g) for each frequency: 2 omega^2 / g in deep water, 1 / depth in waves much longer than the depth.
// A wrong length unit changes all by the same factor, a wrong depth those of the long waves, a wrong first
// column their course.
#pragma once

#include "sagbend/hydro/first_column.h"
#include "sagbend/hydro/hydro_raw.h"

// How well water and units explain the waves: mean of |log(measured / computed)|, each at most 0.5.
struct hydro_waves {
  int frequencies; // that tell something; below 4 the rest is not set
  double given;    // with unit and depth as they were read
  double depth_m;  // that explains best with the unit as it was read, 0: deep; how well
  double depth_miss;
  double unit; // and depth that explain best together: the true length unit over the one that was read
  double unit_depth_m, unit_miss;
};

void hydro_waves_judge(const struct hydro_raw *raw, struct hydro_waves *out);

// A miss up to this explains the data.
static const double HYDRO_WAVES_AGREE = 0.1;

// The kind of the first column, which was read as column: column itself if that agrees or nothing does
// better.
enum first_column hydro_waves_column(const struct hydro_raw *raw, enum first_column column,
                                     const struct first_column_water *water);
