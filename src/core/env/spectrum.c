// Integrals by the trapezoidal rule on a grid that is even in the logarithm of frequency, df = f d(log f);
// quadratic within a cell. The upper edge of band k lies where
//   SHARE (variance below / all) + (1 - SHARE) (log f above low / range of log f) = (k + jitter)/count.
#include "core/env/spectrum.h"

#include "core/math/explog.h"

#include <math.h>

enum { GRID = 4096 };
static const double SHARE = 0.5, JITTER = 0.4;

// At each grid point: f S (slope0), f f S (slope1), and their integrals from low (m0, m1).
struct grid {
  double width; // of a cell in log f
  double slope0[GRID + 1], slope1[GRID + 1], m0[GRID + 1], m1[GRID + 1];
};

static void tabulate(const struct spectrum *spectrum, struct grid *grid) {
  double log_low = explog_log(spectrum->low);
  grid->width = (explog_log(spectrum->high) - log_low) / GRID;
  for (int i = 0; i <= GRID; i++) {
    double f = explog_exp(log_low + i * grid->width);
    grid->slope0[i] = f * spectrum->density(spectrum->def, f);
    grid->slope1[i] = f * grid->slope0[i];
    grid->m0[i] = i ? grid->m0[i - 1] + 0.5 * grid->width * (grid->slope0[i - 1] + grid->slope0[i]) : 0;
    grid->m1[i] = i ? grid->m1[i - 1] + 0.5 * grid->width * (grid->slope1[i - 1] + grid->slope1[i]) : 0;
  }
}

// What the bands divide evenly, at the lower end of a cell.
static double measure(const struct grid *grid, int cell) {
  return SHARE * grid->m0[cell] / grid->m0[GRID] + (1 - SHARE) * cell / GRID;
}

// Integral of a straight line over a share of a cell.
static double integral_within(double start, double end, double share, double width) {
  return share * width * (start + 0.5 * share * (end - start));
}

double spectrum_realise(const struct spectrum *spectrum, int count, struct random_stream *stream,
                        double amplitude[], double frequency[]) {
  struct grid grid;
  tabulate(spectrum, &grid);
  double last_m0 = 0, last_m1 = 0;

  for (int k = 1, cell = 0; k <= count; k++) {
    double m0 = grid.m0[GRID], m1 = grid.m1[GRID];
    if (k < count) {
      double edge = (k + JITTER * (2 * random_uniform(stream) - 1)) / count;
      while (cell < GRID - 1 && measure(&grid, cell + 1) < edge)
        cell++;
      double low = measure(&grid, cell), high = measure(&grid, cell + 1), share = (edge - low) / (high - low);
      m0 = grid.m0[cell] + integral_within(grid.slope0[cell], grid.slope0[cell + 1], share, grid.width);
      m1 = grid.m1[cell] + integral_within(grid.slope1[cell], grid.slope1[cell + 1], share, grid.width);
    }
    double variance = m0 - last_m0;
    amplitude[k - 1] = variance > 0 ? sqrt(2 * variance) : 0;
    frequency[k - 1] = variance > 0 ? (m1 - last_m1) / variance : spectrum->low;
    last_m0 = m0, last_m1 = m1;
  }
  return grid.m0[GRID];
}
