// JONSWAP spectrum (Hasselmann et al. 1973):
//   S(w) = A w^-5 exp(-5/4 (wp/w)^4) gamma^exp(-(w - wp)^2/(2 sigma^2 wp^2)),
// sigma = 0.07 up to the peak frequency wp and 0.09 above; A follows from the significant height. Dispersion:
// w^2 = g k tanh(k h). Each component has one frequency and one direction; the directions are the quantiles
// of the spreading function cos^2s, assigned to the components at random.
#include "sagbend/env/waves.h"

#include "sagbend/env/env_internal.h"
#include "sagbend/math/explog.h"
#include "sagbend/math/lanes_trig.h"

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
