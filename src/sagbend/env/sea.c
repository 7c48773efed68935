// The sea at nodes: a column of water at a place and time, and the limit of its waves.
//
// Component (amplitude a, frequency w, wave number k, direction c = (cos, sin) of travel, phase p = w t - k
// c.x
// + e), z down:
//   eta = sum a cos p,   u_h = sum a w C cos p c,   u_z = sum a w S sin p,
//   C = cosh k(Z' + d)/sinh kd,   S = sinh k(Z' + d)/sinh kd,   w^2 = g k tanh kd.
// Without overflow: with q = e^{kZ'} and r = e^{-2kd}/q, C = (q + r)/(1 - e^{-2kd}), S with minus. Where
// kd > 18, both are q.
//
// The derivatives are those of the stretched motion u(x, Z'(Z, eta(x, t))), so that its change over a time is
// the integral of its local acceleration exactly.
#include "sagbend/env/env.h"

#include "sagbend/math/math.h"

#include <math.h>

static const double DEEP = 18;   // kd beyond which the bed is not felt: e^-36 is below a rounding
static const double DECAYED = 8; // k times depth beyond which a component is left out
static const double LEAST_EXPONENT = -600;
static const double STILL = 1.2e-4, DEPTH_PART_M = 5; // e^-9; step of the search
static const double LEAST_DEPTH = 0.1;                // of d: least d + eta

// The indices of the components by increasing wave number; padding is left out.
static int sort_components(const struct sea *sea, int order[MAX_WAVES]) {
  int count = 0;
  for (int i = 0; i < sea->count; i++) {
    if (!(sea->wavenumber_1pm[i] > 0))
      continue;
    int at = count++;
    for (; at > 0 && sea->wavenumber_1pm[order[at - 1]] > sea->wavenumber_1pm[i]; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return count;
}

// One array of the sea, in that order.
static void take_sorted(double **to, const double *from, const int order[MAX_WAVES], int used, int count,
                        struct arena *memory) {
  *to = arena_take(memory, (size_t)count, sizeof(double));
  for (int i = 0; i < count && *to && used > 0; i++)
    (*to)[i] = from[order[i < used ? i : used - 1]];
}

static void take_components(struct sea_field *field, const struct sea *sea, struct arena *memory) {
  const int is_known = sea->wavenumber_1pm != NULL && memory->block && !arena_is_overflowed(memory);
  const int count = sea->count;
  int order[MAX_WAVES], used = is_known ? sort_components(sea, order) : 0;
  struct sea *to = &field->sea;
  *to = (struct sea){.count = count, .profile = sea->profile};
  take_sorted(&to->amplitude_m, sea->amplitude_m, order, used, count, memory);
  take_sorted(&to->frequency_hz, sea->frequency_hz, order, used, count, memory);
  take_sorted(&to->phase, sea->phase, order, used, count, memory);
  take_sorted(&to->k_north, sea->k_north, order, used, count, memory);
  take_sorted(&to->k_east, sea->k_east, order, used, count, memory);
  take_sorted(&to->omega_radps, sea->omega_radps, order, used, count, memory);
  take_sorted(&to->wavenumber_1pm, sea->wavenumber_1pm, order, used, count, memory);
  take_sorted(&to->direction_rad, sea->direction_rad, order, used, count, memory);
  field->north = arena_take(memory, (size_t)count, sizeof(double));
  field->east = arena_take(memory, (size_t)count, sizeof(double));
  field->decay = arena_take(memory, (size_t)count, sizeof(double));
  field->norm = arena_take(memory, (size_t)count, sizeof(double));
  for (int i = used; i < count && used > 0; i++)
    to->amplitude_m[i] = 0;
}

// Depth at which the velocity has fallen to STILL of that at the surface, in the mean square.
static double depth_limit(const struct sea_field *field) {
  const struct sea *sea = &field->sea;
  double limit = 0, share = 1;
  while (limit < field->depth_m && share > STILL * STILL) {
    double sum = 0, above = 0;
    limit += DEPTH_PART_M;
    for (int i = 0; i < sea->count; i++) {
      const double k = sea->wavenumber_1pm[i], speed = sea->amplitude_m[i] * sea->omega_radps[i],
                   q = k * limit < -LEAST_EXPONENT ? explog_exp(-k * limit) : 0,
                   c = field->norm[i] * (q + (field->decay[i] > 0 ? field->decay[i] / q : 0));
      sum += speed * speed * c * c, above += speed * speed;
    }
    share = above > 0 ? sum / above : 0;
  }
  return limit;
}

void sea_field_create(struct sea_field *field, const struct waves_def *def, const struct sea *sea,
                      double depth_m, struct arena *memory) {
  *field = (struct sea_field){.stretching = def->stretching, .depth_m = depth_m};
  if (!def->on_pipe || sea->count == 0)
    return;
  take_components(field, sea, memory);
  if (!field->norm || arena_is_overflowed(memory) || !sea->wavenumber_1pm)
    return;

  const struct sea *to = &field->sea;
  for (int i = 0; i < to->count; i++) {
    const double k = to->wavenumber_1pm[i];
    field->north[i] = 2 * TRIG_PI * to->k_north[i] / k;
    field->east[i] = 2 * TRIG_PI * to->k_east[i] / k;
    field->decay[i] = k * depth_m < DEEP ? explog_exp(-2 * k * depth_m) : 0;
    field->norm[i] = 1 / (1 - field->decay[i]);
    if (field->decay[i] > 0)
      field->shallow = i + 1;
  }
  field->height_m = def->height_m * time_profile_largest(&def->profile);
  field->depth_limit_m = depth_limit(field) + field->height_m;
}

double sea_field_factor(const struct sea_field *field, double time_s) {
  return time_profile_at(&field->sea.profile, time_s);
}

// Z' and its derivatives.
struct stretch {
  double height, by_height, by_surface;
};

static struct stretch stretch_of(const struct sea_field *field, double height, double surface) {
  const double d = field->depth_m;
  struct stretch s = {height, 1, 0};
  if (field->stretching == STRETCH_WHEELER) {
    const double whole = d + surface > LEAST_DEPTH * d ? d + surface : LEAST_DEPTH * d;
    s.height = (height - surface) * d / whole;
    s.by_height = d / whole;
    s.by_surface = whole > LEAST_DEPTH * d ? -d * (d + height) / (whole * whole) : -s.by_height;
  }
  if (s.height > 0)
    return (struct stretch){0, 0, 0};
  return s.height < -d ? (struct stretch){-d, 0, 0} : s;
}

// Components that count at this height above the mean surface, a multiple of LANES.
static int components_at(const struct sea_field *field, double height) {
  const double depth = -height - field->height_m, *k = field->sea.wavenumber_1pm;
  int count = 0;
  if (depth <= 0)
    return field->sea.count;
  while (count < field->sea.count && k[count] * depth <= DECAYED)
    count += LANES;
  return count;
}

// Sums of the first pass: the surface.
KERNEL_CLONES
static void sum_surface(const struct sea_field *field, int count, const double cosine[], const double sine[],
                        struct sea_column *column) {
  lanes eta = {0}, rate = {0}, north = {0}, east = {0};
  for (int i = 0; i < count; i += LANES) {
    lanes co, si, omega, k, n, e;
    lanes_load(&co, cosine + i), lanes_load(&si, sine + i);
    lanes_load(&omega, field->sea.omega_radps + i), lanes_load(&k, field->sea.wavenumber_1pm + i);
    lanes_load(&n, field->north + i), lanes_load(&e, field->east + i);
    eta += co, rate -= omega * si;
    si = k * si;
    north += n * si, east += e * si;
  }
  column->surface = lanes_sum(&eta), column->surface_rate = lanes_sum(&rate);
  column->slope[0] = lanes_sum(&north), column->slope[1] = lanes_sum(&east);
}

// Sums of the second pass at the height Z', with the phasors of the first one.
struct motion_sums {
  double velocity[3], rate[3];
  double horizontal[3]; // d u_n/dn, d u_n/de = d u_e/dn, d u_e/de
  double vertical[2];   // -d u_n/dZ' = d u_z/dn, and east
};

KERNEL_CLONES
static void sum_motion(const struct sea_field *field, int count, double height, const double cosine[],
                       const double sine[], struct motion_sums *sums) {
  const lanes zero = {0};
  lanes sum[11] = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
  for (int i = 0; i < count; i += LANES) {
    lanes co, si, omega, k, n, e, q, cosh, sinh;
    lanes_load(&co, cosine + i), lanes_load(&si, sine + i);
    lanes_load(&omega, field->sea.omega_radps + i), lanes_load(&k, field->sea.wavenumber_1pm + i);
    lanes_load(&n, field->north + i), lanes_load(&e, field->east + i);
    q = k * height;
    const lane_mask is_least = q < LEAST_EXPONENT;
    const lanes least = zero + LEAST_EXPONENT;
    lanes_select(&q, &is_least, &least, &q);
    lanes_exp(&q, &q);
    cosh = sinh = q;
    if (i < field->shallow) {
      lanes decay, norm;
      lanes_load(&decay, field->decay + i), lanes_load(&norm, field->norm + i);
      decay = decay / q;
      cosh = norm * (q + decay), sinh = norm * (q - decay);
    }
    co = omega * co, si = omega * si;
    const lanes cc = cosh * co, cs = cosh * si, sc = sinh * co, ss = sinh * si;
    const lanes horizontal_rate = -omega * cs, grows = k * cs, falls = -k * sc;
    sum[0] += cc * n, sum[1] += cc * e, sum[2] += ss;
    sum[3] += horizontal_rate * n, sum[4] += horizontal_rate * e, sum[5] += omega * sc;
    sum[6] += grows * n * n, sum[7] += grows * n * e, sum[8] += grows * e * e;
    sum[9] += falls * n, sum[10] += falls * e;
  }
  for (int c = 0; c < 3; c++) {
    sums->velocity[c] = lanes_sum(&sum[c]), sums->rate[c] = lanes_sum(&sum[3 + c]);
    sums->horizontal[c] = lanes_sum(&sum[6 + c]);
  }
  sums->vertical[0] = lanes_sum(&sum[9]), sums->vertical[1] = lanes_sum(&sum[10]);
}

struct sea_column sea_column_at(const struct sea_field *field, double time_s, vec3 r_n) {
  double cosine[MAX_WAVES], sine[MAX_WAVES];
  struct sea_column column;
  struct motion_sums at;
  const int count = components_at(field, -r_n.z), all = field->sea.count;
  const int raising =
      field->stretching == STRETCH_WHEELER ? all : count; // whose elevation the motion follows
  const double factor = sea_field_factor(field, time_s);
  sea_some_phasors(&field->sea, raising, 1, time_s, r_n.x, r_n.y, cosine, sine);
  sum_surface(field, raising, cosine, sine, &column);
  const struct stretch s = stretch_of(field, -r_n.z, factor * column.surface);
  sum_motion(field, count, s.height, cosine, sine, &at);

  const double g[3][2] = {{at.horizontal[0], at.horizontal[1]},
                          {at.horizontal[1], at.horizontal[2]},
                          {at.vertical[0], at.vertical[1]}};
  const double by_height[3] = {-at.vertical[0], -at.vertical[1], at.horizontal[0] + at.horizontal[2]};
  const double lift = factor * s.by_surface;
  for (int c = 0; c < 3; c++) {
    column.velocity[c] = at.velocity[c];
    column.rate[c] = at.rate[c] + lift * column.surface_rate * by_height[c];
    for (int j = 0; j < 2; j++)
      column.gradient[c][j] = g[c][j] + lift * column.slope[j] * by_height[c];
    column.gradient[c][2] = -s.by_height * by_height[c];
  }
  return column;
}

// ------------------------------------------------------------
static const double SHORT_S = 8, LONG_S = 15, SHORT_LIMIT = 1.0 / 15, LONG_LIMIT = 1.0 / 25;
static const double BREAKING_STEEPNESS = 0.1, BREAKING_DEPTH_SHARE = 0.6;
static const double MICHE = 0.142, STEEP_SHARE = 0.8;
static const double ROUNDING = 1 + 1e-12; // a value on a limit is within it

double sea_steepness_limit(double peak_period_s) {
  double share = (peak_period_s - SHORT_S) / (LONG_S - SHORT_S);
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  return SHORT_LIMIT + share * (LONG_LIMIT - SHORT_LIMIT);
}

double sea_breaking_height(double period_s, double gravity_mps2, double depth_m) {
  double k = waves_wavenumber(2 * TRIG_PI / period_s, gravity_mps2, depth_m);
  double e = explog_exp(-2 * k * depth_m);
  return MICHE * 2 * TRIG_PI / k * (1 - e) / (1 + e);
}

static enum sea_limit regular_limit(const struct waves_def *def, double height_m, double gravity_mps2,
                                    double depth_m, struct reason *why) {
  double breaking = sea_breaking_height(def->period_s, gravity_mps2, depth_m);
  if (height_m > breaking * ROUNDING) {
    fail(why, STATUS_BAD_INPUT,
         "a wave that does not break expected: at most %.4g m high at %g s in %g m of water (Miche)",
         breaking, def->period_s, depth_m);
    return SEA_BREAKS;
  }
  if (height_m <= STEEP_SHARE * breaking * ROUNDING)
    return SEA_EXISTS;
  fail(why, STATUS_BAD_INPUT,
       "a regular wave of %g m has %.0f %% of the height at which it breaks (Miche): the waves of the model "
       "are linear",
       height_m, 100 * height_m / breaking);
  return SEA_IS_STEEP;
}

static enum sea_limit irregular_limit(const struct waves_def *def, double height_m, double gravity_mps2,
                                      double depth_m, struct reason *why) {
  double per_steepness = gravity_mps2 * def->period_s * def->period_s / (2 * TRIG_PI);
  double limit = sea_steepness_limit(def->period_s);
  if (height_m > BREAKING_DEPTH_SHARE * depth_m * ROUNDING) {
    fail(why, STATUS_BAD_INPUT, "a significant height of at most 0.6 of the depth, %.4g m, expected",
         BREAKING_DEPTH_SHARE * depth_m);
    return SEA_BREAKS;
  }
  if (height_m > BREAKING_STEEPNESS * per_steepness * ROUNDING) {
    fail(why, STATUS_BAD_INPUT,
         "a sea that does not break expected: a steepness 2 pi Hs/(g Tp^2) of at most 1/10, at %g s a height "
         "of at most %.4g m",
         def->period_s, BREAKING_STEEPNESS * per_steepness);
    return SEA_BREAKS;
  }
  if (height_m <= limit * per_steepness * ROUNDING)
    return SEA_EXISTS;
  fail(why, STATUS_BAD_INPUT,
       "Hs %g m at Tp %g s is steeper than sea states are (DNV-RP-C205): 2 pi Hs/(g Tp^2) is 1/%.1f, the "
       "limit 1/%.1f",
       height_m, def->period_s, per_steepness / height_m, 1 / limit);
  return SEA_IS_STEEP;
}

enum sea_limit sea_limit_of(const struct waves_def *def, double gravity_mps2, double depth_m,
                            struct reason *why) {
  double height = def->height_m * time_profile_largest(&def->profile);
  if (!def->present || !(height > 0) || !(def->period_s > 0) || !(gravity_mps2 > 0))
    return SEA_EXISTS;
  return def->spectrum == WAVES_REGULAR ? regular_limit(def, height, gravity_mps2, depth_m, why)
                                        : irregular_limit(def, height, gravity_mps2, depth_m, why);
}
