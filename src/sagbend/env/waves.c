// JONSWAP spectrum (Hasselmann et al. 1973):
//   S(w) = A w^-5 exp(-5/4 (wp/w)^4) gamma^exp(-(w - wp)^2/(2 sigma^2 wp^2)),
// sigma = 0.07 up to the peak frequency wp and 0.09 above; A follows from the significant height. Dispersion:
// w^2 = g k tanh(k h). Each component has one frequency and one direction; the directions are the quantiles
// of the spreading function cos^2s, assigned to the components at random.
#include "sagbend/env/env.h"
#include "sagbend/env/env_internal.h"

#include "sagbend/math/math.h"

#include <math.h>

struct jonswap {
  double peak, log_gamma;
};

static double shape_at(const void *def, double omega) {
  const struct jonswap *shape = def;
  double peak = shape->peak, r = peak / omega, r4 = r * r * r * r;
  double away = (omega - peak) / ((omega <= peak ? 0.07 : 0.09) * peak);
  return r4 * r / peak * explog_exp(-1.25 * r4 + shape->log_gamma * explog_exp(-0.5 * away * away));
}

double waves_wavenumber(double omega, double gravity, double depth) {
  double deep = omega * omega / gravity, k = deep > 1 / depth ? deep : omega / sqrt(gravity * depth);
  // Newton's method for k tanh(k h) = w^2/g; from a start below the root, or from k h = 1, it rises to the
  // root.
  for (int i = 0; i < 50; i++) {
    double e = explog_exp(-2 * k * depth), t = (1 - e) / (1 + e);
    double next = k - (k * t - deep) / (t + k * depth * (1 - t * t));
    if (fabs(next - k) <= 1e-15 * k)
      break;
    k = next;
  }

  return k;
}

// Angle from the mean direction below which this share of the energy lies: quantile of cos^2s(angle/2),
// integrated by the midpoint rule.
static double spread_quantile(double exponent, double share) {
  enum { CELLS = 720 };
  double sum = 0, total = 0, cell[CELLS];
  for (int i = 0; i < CELLS; i++) {
    double half = 0.5 * TRIG_PI * ((i + 0.5) / CELLS * 2 - 1); // half the angle at the middle of the cell
    cell[i] = explog_exp(2 * exponent * explog_log(trig_cos(half)));
    total += cell[i];
  }

  int i = 0;

  while (i < CELLS - 1 && sum + cell[i] < share * total)
    sum += cell[i++];

  return TRIG_PI * ((i + (share * total - sum) / cell[i]) / CELLS * 2 - 1);
}

// Gives each component the next quantile of a shuffled list.
static void assign_directions(struct sea *sea, const struct waves_def *def, struct random_stream *stream) {
  int shuffled[MAX_WAVES];
  for (int i = 0; i < def->components; i++)
    shuffled[i] = i;

  for (int i = def->components - 1; i > 0; i--) {
    int other = (int)(random_uniform(stream) * (i + 1)), swap = shuffled[i];
    shuffled[i] = shuffled[other];
    shuffled[other] = swap;
  }

  for (int i = 0; i < def->components; i++)
    sea->direction_rad[i] += spread_quantile(def->spreading, (shuffled[i] + 0.5) / def->components);
}

static void take_arrays(struct sea *sea, int count, struct arena *memory) {
  double **const arrays[] = {&sea->amplitude_m,    &sea->frequency_hz, &sea->phase,
                             &sea->k_north,        &sea->k_east,       &sea->omega_radps,
                             &sea->wavenumber_1pm, &sea->direction_rad};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = arena_take(memory, (size_t)count, sizeof(double));
}

void sea_create(struct sea *sea, const struct waves_def *def, double gravity_mps2, double depth_m,
                struct arena *memory) {
  *sea = (struct sea){.profile = def->profile};
  if (!def->present)
    return;

  int used = def->spectrum == WAVES_REGULAR ? 1 : def->components;
  sea->count = (used + LANES - 1) / LANES * LANES;
  take_arrays(sea, sea->count, memory);
  if (!memory->block || arena_is_overflowed(memory))
    return;

  struct random_stream stream = random_stream_of(random_seed((uint64_t)def->seed, "environment.waves"));
  if (def->spectrum == WAVES_REGULAR) {
    sea->amplitude_m[0] = 0.5 * def->height_m;
    sea->omega_radps[0] = 2 * TRIG_PI / def->period_s;
  } else {
    struct jonswap shape = {2 * TRIG_PI / def->period_s, explog_log(def->gamma)};
    struct spectrum spectrum = {shape_at, &shape, WAVES_LOWEST * shape.peak, WAVES_HIGHEST * shape.peak};
    double variance = spectrum_realise(&spectrum, used, &stream, sea->amplitude_m, sea->omega_radps);
    double scale = def->height_m / (4 * sqrt(variance));
    for (int i = 0; i < used; i++) {
      sea->amplitude_m[i] *= scale;
      sea->phase[i] = random_uniform(&stream);
    }
  }

  for (int i = 0; i < used; i++)
    sea->direction_rad[i] = def->direction_rad + TRIG_PI;

  if (def->spectrum == WAVES_JONSWAP && def->spreading > 0)
    assign_directions(sea, def, &stream);

  for (int i = 0; i < used; i++) {
    double k = sea->wavenumber_1pm[i] = waves_wavenumber(sea->omega_radps[i], gravity_mps2, depth_m);
    sea->frequency_hz[i] = sea->omega_radps[i] / (2 * TRIG_PI);
    sea->k_north[i] = k / (2 * TRIG_PI) * trig_cos(sea->direction_rad[i]);
    sea->k_east[i] = k / (2 * TRIG_PI) * trig_sin(sea->direction_rad[i]);
  }
}

KERNEL_CLONES
void sea_some_phasors(const struct sea *sea, int components, double factor, double time_s, double x_n_m,
                      double y_n_m, double cosine[], double sine[]) {
  for (int i = 0; i < components; i += LANES) {
    lanes amplitude, frequency, phase, north, east, si, co;
    lanes_load(&amplitude, sea->amplitude_m + i);
    lanes_load(&frequency, sea->frequency_hz + i);
    lanes_load(&phase, sea->phase + i);
    lanes_load(&north, sea->k_north + i);
    lanes_load(&east, sea->k_east + i);
    phase = phase + time_s * frequency - x_n_m * north - y_n_m * east;
    lanes_sincos_turns(&phase, &si, &co);
    amplitude = factor * amplitude;
    co = amplitude * co;
    si = amplitude * si;
    lanes_store(cosine + i, &co);
    lanes_store(sine + i, &si);
  }
}

void sea_phasors(const struct sea *sea, double time_s, double x_n_m, double y_n_m, double cosine[],
                 double sine[]) {
  sea_some_phasors(sea, sea->count, time_profile_at(&sea->profile, time_s), time_s, x_n_m, y_n_m, cosine,
                   sine);
}

double sea_elevation(const struct sea *sea, double time_s, double x_n_m, double y_n_m) {
  double cosine[MAX_WAVES], sine[MAX_WAVES], sum = 0;
  sea_phasors(sea, time_s, x_n_m, y_n_m, cosine, sine);
  for (int i = 0; i < sea->count; i++)
    sum += cosine[i];
  return sum;
}

// ------------------------------------------------------------
// Integrals by the trapezoidal rule on a grid that is even in the logarithm of frequency, df = f d(log f);
// quadratic within a cell. The upper edge of band k lies where
//   SHARE (variance below / all) + (1 - SHARE) (log f above low / range of log f) = (k + jitter)/count.

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
