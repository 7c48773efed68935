// Integrals by the trapezoidal rule on a grid that is even in the logarithm of frequency, df = f d(log f);
// quadratic within a cell. The upper edge of band k lies where
//   SHARE (variance below / all) + (1 - SHARE) (log f above low / range of log f) = (k + jitter)/count.
#include "sagbend/env/env_internal.h"

#include "sagbend/math/explog.h"

#include <math.h>

enum { GRID = 4096 };
static const double SHARE = 0.5, JITTER = 0.4;

struct grid {
  const struct spectrum *spectrum;
  double log_low, width; // of a cell in log f
  double m0, m1;         // integrals over the whole grid
};

// At a grid point: f S (slope0), f f S (slope1), and their integrals from low (m0, m1).
struct place {
  double slope0, slope1, m0, m1;
};

// The points are computed twice, once for the whole, once on the way along the bands: a table of them would
// be larger than the stack of a small host.
static struct place first_place(const struct grid *grid) {
  double f = explog_exp(grid->log_low), slope0 = f * grid->spectrum->density(grid->spectrum->def, f);
  return (struct place){.slope0 = slope0, .slope1 = f * slope0};
}

static struct place place_after(const struct grid *grid, const struct place *before, int i) {
  double f = explog_exp(grid->log_low + i * grid->width);
  struct place p = {.slope0 = f * grid->spectrum->density(grid->spectrum->def, f)};
  p.slope1 = f * p.slope0;
  p.m0 = before->m0 + 0.5 * grid->width * (before->slope0 + p.slope0);
  p.m1 = before->m1 + 0.5 * grid->width * (before->slope1 + p.slope1);
  return p;
}

static struct grid grid_of(const struct spectrum *spectrum) {
  struct grid grid = {.spectrum = spectrum, .log_low = explog_log(spectrum->low)};
  grid.width = (explog_log(spectrum->high) - grid.log_low) / GRID;
  struct place p = first_place(&grid);
  for (int i = 1; i <= GRID; i++)
    p = place_after(&grid, &p, i);
  grid.m0 = p.m0;
  grid.m1 = p.m1;
  return grid;
}

// What the bands divide evenly, at the lower end of a cell.
static double measure(const struct grid *grid, const struct place *p, int cell) {
  return SHARE * p->m0 / grid->m0 + (1 - SHARE) * cell / GRID;
}

// Integral of a straight line over a share of a cell.
static double integral_within(double start, double end, double share, double width) {
  return share * width * (start + 0.5 * share * (end - start));
}

double spectrum_realise(const struct spectrum *spectrum, int count, struct random_stream *stream,
                        double amplitude[], double frequency[]) {
  const struct grid grid = grid_of(spectrum);
  struct place at = first_place(&grid), end = place_after(&grid, &at, 1); // of the cell
  double last_m0 = 0, last_m1 = 0;

  for (int k = 1, cell = 0; k <= count; k++) {
    double m0 = grid.m0, m1 = grid.m1;
    if (k < count) {
      double edge = (k + JITTER * (2 * random_uniform(stream) - 1)) / count;
      while (cell < GRID - 1 && measure(&grid, &end, cell + 1) < edge) {
        cell++;
        at = end;
        end = place_after(&grid, &at, cell + 1);
      }
      double low = measure(&grid, &at, cell), high = measure(&grid, &end, cell + 1),
             share = (edge - low) / (high - low);
      m0 = at.m0 + integral_within(at.slope0, end.slope0, share, grid.width);
      m1 = at.m1 + integral_within(at.slope1, end.slope1, share, grid.width);
    }
    double variance = m0 - last_m0;
    amplitude[k - 1] = variance > 0 ? sqrt(2 * variance) : 0;
    frequency[k - 1] = variance > 0 ? (m1 - last_m1) / variance : spectrum->low;
    last_m0 = m0, last_m1 = m1;
  }
  return grid.m0;
}
