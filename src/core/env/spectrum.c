// Integrals by the trapezoidal rule on a grid even in the logarithm of frequency, df = f d(log f), quadratic
// within a cell. Band edges are where  SHARE (energy so far / all) + (1 - SHARE) (log f so far / all) = (k +
// jitter)/count.
#include "core/env/spectrum.h"

#include "core/math/explog.h"

#include <math.h>

enum { GRID = 4096 };
static const double SHARE = 0.5, JITTER = 0.4;

// At each grid point: f S, f f S, and their integrals from low.
struct grid {
  double width; // of a cell in log f
  double slope0[GRID + 1], slope1[GRID + 1], m0[GRID + 1], m1[GRID + 1];
};

static void tabulate(const struct spectrum *s, struct grid *g) {
  double log_low = explog_log(s->low);
  g->width = (explog_log(s->high) - log_low) / GRID;
  for (int i = 0; i <= GRID; i++) {
    double f = explog_exp(log_low + i * g->width);
    g->slope0[i] = f * s->density(s->def, f);
    g->slope1[i] = f * g->slope0[i];
    g->m0[i] = i ? g->m0[i - 1] + 0.5 * g->width * (g->slope0[i - 1] + g->slope0[i]) : 0;
    g->m1[i] = i ? g->m1[i - 1] + 0.5 * g->width * (g->slope1[i - 1] + g->slope1[i]) : 0;
  }
}

double spectrum_variance(const struct spectrum *s) {
  struct grid g;
  tabulate(s, &g);
  return g.m0[GRID];
}

// The measure that bands share evenly, at the lower end of a cell.
static double measure(const struct grid *g, int cell) {
  return SHARE * g->m0[cell] / g->m0[GRID] + (1 - SHARE) * cell / GRID;
}

static double within(double start, double end, double share,
                     double width) { // a line's integral over a share of a cell
  return share * width * (start + 0.5 * share * (end - start));
}

void spectrum_realise(const struct spectrum *s, int count, struct random_stream *stream, double amplitude[],
                      double frequency[]) {
  struct grid g;
  tabulate(s, &g);
  double last_m0 = 0, last_m1 = 0;
  for (int k = 1, cell = 0; k <= count; k++) {
    double m0 = g.m0[GRID], m1 = g.m1[GRID];
    if (k < count) {
      double edge = (k + JITTER * (2 * random_uniform(stream) - 1)) / count;
      while (cell < GRID - 1 && measure(&g, cell + 1) < edge)
        cell++;
      double low = measure(&g, cell), high = measure(&g, cell + 1), share = (edge - low) / (high - low);
      m0 = g.m0[cell] + within(g.slope0[cell], g.slope0[cell + 1], share, g.width);
      m1 = g.m1[cell] + within(g.slope1[cell], g.slope1[cell + 1], share, g.width);
    }
    double variance = m0 - last_m0;
    amplitude[k - 1] = variance > 0 ? sqrt(2 * variance) : 0;
    frequency[k - 1] = variance > 0 ? (m1 - last_m1) / variance : s->low;
    last_m0 = m0, last_m1 = m1;
  }
}
