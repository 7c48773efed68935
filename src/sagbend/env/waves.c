// The sea as a sum of components; current, loads and wind over time; tables.
//
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

static double spectrum_realise(const struct spectrum *spectrum, int count, struct random_stream *stream,
                               double amplitude[], double frequency[]);

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

// Divides the spectrum into count bands and fills an amplitude and a frequency for each. amplitude[k] =
// sqrt(2 variance of the band), frequency[k] is the band's centroid, so that for any seed variance and first
// moment are those of the spectrum and higher moments are right to the square of the bands' width. Half of
// the bands follow the energy, half the logarithm of frequency. The edges are random: frequencies are then
// not multiples of one another and the realisation does not repeat. Returns the variance between low and
// high.
static double spectrum_realise(const struct spectrum *spectrum, int count, struct random_stream *stream,
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

// ------------------------------------------------------------
// Horizontal velocity of this speed, direction clockwise from north.
static vec3 towards(double direction_rad, double speed_mps) {
  return (vec3){speed_mps * trig_cos(direction_rad), speed_mps * trig_sin(direction_rad), 0};
}

struct current current_of(const struct current_def *def, double depth_m) {
  struct current current = {.count = 2, .z_m = {0, depth_m}};
  if (def->point_count < 2) {
    double speed = def->point_count == 1 ? def->points[0].speed_mps : def->surface_mps;
    double direction = def->point_count == 1 ? def->points[0].direction_rad : def->direction_rad;
    current.v_n[0] = towards(direction, speed);
    current.v_n[1] = def->point_count == 1 ? current.v_n[0] : (vec3){0, 0, 0};
    return current;
  }

  current.count = def->point_count;

  for (int i = 0; i < current.count; i++) {
    current.z_m[i] = def->points[i].depth_m;
    current.v_n[i] = towards(def->points[i].direction_rad, def->points[i].speed_mps);
  }

  return current;
}

static struct current_turn turned(double factor, double angle_rad) {
  return (struct current_turn){factor * trig_cos(angle_rad), factor * trig_sin(angle_rad)};
}

static double time_profile_clamped(const struct time_profile *profile, double time_s) NONBLOCKING;

static double time_profile_inside(const struct time_profile *profile, double time_s) NONBLOCKING;

// The turn at a time without the jumps at start and stop.
static struct current_turn turn_inside(const struct time_profile *p, double time_s) {
  double within_s = time_profile_clamped(p, time_s);
  return turned(time_profile_inside(p, within_s), time_profile_turn(p, within_s));
}

struct current_turn current_turn_at(const struct current_def *def, double time_s) {
  return turned(time_profile_at(&def->profile, time_s), time_profile_turn(&def->profile, time_s));
}

struct current_span current_over(const struct current_def *def, double middle_s, double duration_s) {
  const struct time_profile *p = &def->profile;
  struct current_turn first = turn_inside(p, middle_s - 0.5 * duration_s),
                      last = turn_inside(p, middle_s + 0.5 * duration_s);
  return (struct current_span){current_turn_at(def, middle_s),
                               {last.along - first.along, last.across - first.across}};
}

void loads_at(const struct env_def *env, double time_s, const mat3 *attitude, double wrench_b[6]) {
  for (int i = 0; i < 6; i++)
    wrench_b[i] = 0;

  for (int l = 0; l < env->load_count; l++) {
    const struct load_def *load = &env->loads[l];
    double factor = time_profile_at(&load->profile, time_s);
    if (factor == 0)
      continue;
    vec3 force = vec3_of(load->wrench), moment = vec3_of(load->wrench + 3);
    if (load->frame == LOAD_WORLD) {
      force = mat3_tmul(attitude, force);
      moment = mat3_tmul(attitude, moment);
    }
    double part[6];
    vec3_to(force, part);
    vec3_to(moment, part + 3);
    for (int i = 0; i < 6; i++)
      wrench_b[i] += factor * part[i];
  }
}

// ------------------------------------------------------------
// Smooth step from 0 to 1 over [0, 1], twice continuously differentiable.
static double smooth_step(double x) {
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  return x * x * x * (10 + x * (6 * x - 15));
}

static double from_table(const struct time_profile *profile, double time_s, int column) {
  double value[TABLE_COLUMNS];
  table_at(profile->table, profile->rows, profile->kind, time_s, value);
  return value[column];
}

double time_profile_turn(const struct time_profile *profile, double time_s) {
  return profile->rows > 0 ? from_table(profile, time_s, 1) : 0;
}

// The time nearest to time_s at which the profile is on, within [start, stop].
static double time_profile_clamped(const struct time_profile *profile, double time_s) NONBLOCKING {
  if (profile->rows > 0)
    return time_s;
  if (time_s < profile->start_s)
    return profile->start_s;
  return profile->stop_s > 0 && time_s > profile->stop_s ? profile->stop_s : time_s;
}

// The factor at such a time, without the jumps at start and stop: there it is the limit from inside.
static double time_profile_inside(const struct time_profile *profile, double time_s) NONBLOCKING {
  if (profile->rows > 0)
    return from_table(profile, time_s, 0);

  double since_s = time_s - profile->start_s;
  double factor = profile->ramp_s > 0 ? smooth_step(since_s / profile->ramp_s) : 1;
  if (profile->ramp_s > 0 && profile->stop_s > 0)
    factor *= smooth_step((profile->stop_s - time_s) / profile->ramp_s);

  if (profile->period_s > 0)
    factor *= 1 + profile->variation * trig_sin(2 * TRIG_PI / profile->period_s * since_s);

  return factor;
}

double time_profile_at(const struct time_profile *profile, double time_s) {
  int is_off = profile->rows == 0 &&
               (time_s - profile->start_s < 0 || (profile->stop_s > 0 && time_s >= profile->stop_s));
  return is_off ? 0 : time_profile_inside(profile, time_s);
}

double time_profile_largest(const struct time_profile *profile) {
  if (profile->rows == 0)
    return profile->period_s > 0 ? 1 + fabs(profile->variation) : 1;
  double largest = 0; // of the rows; a spline between two of them may be a little larger
  for (int i = 0; i < profile->rows; i++)
    largest = fabs(profile->table[i].value[0]) > largest ? fabs(profile->table[i].value[0]) : largest;
  return largest;
}

// ------------------------------------------------------------
// The second derivative is continuous at row i, with widths a before and b after it, if the slopes m obey
//   m_-/a + 2 (1/a + 1/b) m + m_+/b = 3 (d_-/a + d_+/b),   d the slopes of the chords.
// Tridiagonal elimination between the zero slopes at both ends; the matrix is diagonally dominant.
void table_prepare(struct table_row *rows, int count) {
  double above[TABLE_ROWS_MAX] = {0};
  for (int c = 0; c < TABLE_COLUMNS && count > 0; c++)
    rows[0].slope[c] = rows[count - 1].slope[c] = 0;

  for (int i = 1; i < count - 1; i++) {
    double a = rows[i].time_s - rows[i - 1].time_s, b = rows[i + 1].time_s - rows[i].time_s;
    double pivot = 2 * (1 / a + 1 / b) - above[i - 1] / a;
    above[i] = 1 / b / pivot;
    for (int c = 0; c < TABLE_COLUMNS; c++) {
      double before = (rows[i].value[c] - rows[i - 1].value[c]) / a,
             after = (rows[i + 1].value[c] - rows[i].value[c]) / b;
      rows[i].slope[c] = (3 * (before / a + after / b) - rows[i - 1].slope[c] / a) / pivot;
    }
  }

  for (int i = count - 2; i > 0; i--)
    for (int c = 0; c < TABLE_COLUMNS; c++)
      rows[i].slope[c] -= above[i] * rows[i + 1].slope[c];
}

// The last row with a time <= time_s, at most the last but one.
static int row_before(const struct table_row *rows, int count, double time_s) {
  int low = 0, high = count - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (rows[middle].time_s <= time_s)
      low = middle;
    else
      high = middle;
  }

  return low;
}

static void copy_values(const struct table_row *row, double value[TABLE_COLUMNS]) {
  for (int c = 0; c < TABLE_COLUMNS; c++)
    value[c] = row->value[c];
}

void table_at(const struct table_row *rows, int count, enum table_kind kind, double time_s,
              double value[TABLE_COLUMNS]) {
  if (time_s <= rows[0].time_s || time_s >= rows[count - 1].time_s) {
    copy_values(&rows[time_s <= rows[0].time_s ? 0 : count - 1], value);
    return;
  }

  const struct table_row *p = &rows[row_before(rows, count, time_s)], *q = p + 1;
  double width = q->time_s - p->time_s, x = (time_s - p->time_s) / width, y = 1 - x;

  for (int c = 0; c < TABLE_COLUMNS; c++) {
    double chord = q->value[c] - p->value[c];
    value[c] = p->value[c] + x * chord;
    if (kind == TABLE_SPLINE) // what the Hermite cubic adds to the chord
      value[c] += x * y * (y * (width * p->slope[c] - chord) - x * (width * q->slope[c] - chord));
  }
}

// ------------------------------------------------------------
// Mean profile and gusts of NORSOK N-003 (Froya spectrum), U0 the mean over an hour at 10 m, z the height:
//   U(z) = U0 (1 + C ln(z/10)),  C = 0.0573 sqrt(1 + 0.15 U0),
//   S(f) = 320 (U0/10)^2 (z/10)^0.45 / (1 + x^n)^(5/(3n)),
//   x = 172 f (z/10)^(2/3) (U0/10)^(-3/4),  n = 0.468.
// Of API RP 2A (20th edition):
//   U(z) = U0 (z/10)^0.125,  f S(f)/sigma^2 = (f/fp) / (1 + 1.5 f/fp)^(5/3),  fp = 0.025 U(z)/z,
//   sigma = 0.15 U(z) (z/20)^-0.125 up to 20 m, 0.15 U(z) (z/20)^-0.275 above.

static const double LOWEST_HEIGHT_M = 1; // the profiles are not valid below

static double power(double x, double exponent) {
  return explog_exp(exponent * explog_log(x));
}

double wind_mean(const struct wind *wind, double height_m) {
  double z = height_m > LOWEST_HEIGHT_M ? height_m : LOWEST_HEIGHT_M, u0 = wind->def.speed_mps;
  if (wind->def.gusts == GUSTS_API)
    return u0 * power(z / 10, 0.125);
  return u0 * (1 + 0.0573 * sqrt(1 + 0.15 * u0) * explog_log(z / 10));
}

// A spectrum of gusts: what its density has of wind and height.
struct gust_law {
  enum wind_gusts gusts;
  double scale;    // of the density
  double place[2]; // of f
};

static struct gust_law gust_law_of(const struct wind_def *def) {
  struct gust_law law = {.gusts = def->speed_mps > 0 ? def->gusts : GUSTS_NONE};
  if (law.gusts == GUSTS_API) {
    double z = def->gust_height_m, u = def->speed_mps * power(z / 10, 0.125);
    double sigma = 0.15 * u * power(z / 20, z <= 20 ? -0.125 : -0.275), peak = 0.025 * u / z;
    law.scale = sigma * sigma / peak;
    law.place[0] = peak;
  } else if (law.gusts != GUSTS_NONE) {
    double u = def->speed_mps / 10, z = def->gust_height_m / 10;
    law.scale = 320 * u * u * power(z, 0.45);
    law.place[0] = power(z, 2.0 / 3);
    law.place[1] = power(u, -0.75);
  }
  return law;
}

static double density_at(const void *gust_law, double f) {
  const struct gust_law *law = gust_law;
  const double n = 0.468;
  if (law->gusts == GUSTS_NONE)
    return 0;
  if (law->gusts == GUSTS_API)
    return law->scale * power(1 + 1.5 * f / law->place[0], -5.0 / 3);
  double x = 172 * f * law->place[0] * law->place[1];
  return law->scale * power(1 + power(x, n), -5 / (3 * n));
}

double wind_density(const struct wind_def *def, double frequency_hz) {
  struct gust_law law = gust_law_of(def);
  return density_at(&law, frequency_hz);
}

struct wind wind_of(const struct wind_def *def) {
  struct wind wind = {.def = *def};
  if (!def->present || def->gusts == GUSTS_NONE || !(def->speed_mps > 0))
    return wind;

  struct gust_law law = gust_law_of(def);
  struct spectrum spectrum = {density_at, &law, WIND_LOWEST_HZ, WIND_HIGHEST_HZ};
  struct random_stream stream = random_stream_of(random_seed((uint64_t)def->seed, "environment.wind"));
  spectrum_realise(&spectrum, WIND_GUSTS, &stream, wind.amplitude_mps, wind.frequency_hz);

  for (int k = 0; k < WIND_GUSTS; k++)
    wind.phase[k] = random_uniform(&stream);

  return wind;
}

KERNEL_CLONES
static double gust_at(const struct wind *wind, double time_s) {
  lanes sum = {0};
  for (int k = 0; k < WIND_GUSTS; k += LANES) {
    lanes amplitude, frequency, phase, sine, cosine;
    lanes_load(&amplitude, wind->amplitude_mps + k);
    lanes_load(&frequency, wind->frequency_hz + k);
    lanes_load(&phase, wind->phase + k);
    phase = phase + time_s * frequency;
    lanes_sincos_turns(&phase, &sine, &cosine);
    sum = sum + amplitude * cosine;
  }

  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

struct wind_sample wind_at(const struct wind *wind, double time_s) {
  struct wind_sample sample = {.factor = time_profile_at(&wind->def.profile, time_s),
                               .direction_rad = wind->def.direction_rad};
  if (wind->def.turn_rad != 0)
    sample.direction_rad += wind->def.turn_rad * trig_sin(2 * TRIG_PI / wind->def.turn_period_s * time_s);
  sample.towards_n = (vec3){-trig_cos(sample.direction_rad), -trig_sin(sample.direction_rad), 0};
  if (wind->def.gusts != GUSTS_NONE && sample.factor != 0)
    sample.gust_mps = sample.factor * gust_at(wind, time_s);
  return sample;
}

vec3 wind_velocity(const struct wind *wind, const struct wind_sample *sample, double height_m) {
  return vec3_scale(sample->factor * wind_mean(wind, height_m) + sample->gust_mps, sample->towards_n);
}
