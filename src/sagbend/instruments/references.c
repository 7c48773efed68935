// References and their targets: lines of sight, sound, taut wires, the place that ranges give.
//
// Line of sight by slabs: a segment cuts a box if the intervals of its parameter between the planes of each
// of the three pairs have a common point (Kay and Kajiya 1986).
#include "sagbend/instruments/instruments.h"
#include "sagbend/instruments/instruments_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct scene_frame scene_structure(const struct structure_def *d, double time_s) NONBLOCKING {
  double c = trig_cos(d->heading_rad), s = trig_sin(d->heading_rad);
  double swing = d->swing_m > 0 ? d->swing_m * trig_sin(2 * TRIG_PI * time_s / d->swing_period_s) : 0;
  struct scene_frame frame = {.attitude = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}};
  frame.origin_n = vec3_of(d->position_n_m);
  frame.origin_n.x += d->velocity_n_mps[0] * time_s + swing * trig_cos(d->swing_direction_rad);
  frame.origin_n.y += d->velocity_n_mps[1] * time_s + swing * trig_sin(d->swing_direction_rad);
  return frame;
}

vec3 scene_target(const struct scene_def *scene, int target, double time_s) {
  const struct target_def *d = &scene->target[target];
  if (d->structure < 0)
    return vec3_of(d->position_m);
  struct scene_frame on = scene_structure(&scene->structure[d->structure], time_s);
  return vec3_add(on.origin_n, mat3_mul(&on.attitude, vec3_of(d->position_m)));
}

static int cuts(const double box_m[2][3], const double from[3], const double to[3]) {
  double first = 0, last = 1;
  for (int k = 0; k < 3; k++) {
    double way = to[k] - from[k];
    if (way == 0) {
      if (from[k] < box_m[0][k] || from[k] > box_m[1][k])
        return 0;
      continue;
    }
    double in = (box_m[0][k] - from[k]) / way, out = (box_m[1][k] - from[k]) / way;
    first = fmax(first, fmin(in, out));
    last = fmin(last, fmax(in, out));
  }
  return first <= last;
}

static const struct scene_frame WORLD = {.attitude = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

int scene_is_in_sight(const struct scene_def *scene, const struct scene_frame *vessel, double time_s,
                      vec3 from_n, vec3 to_n) {
  for (int i = 0; i < scene->obstruction_count; i++) {
    const struct obstruction_def *d = &scene->obstruction[i];
    if (time_s < d->from_s || (d->to_s > 0 && time_s >= d->to_s))
      continue;
    struct scene_frame on = d->on == ON_VESSEL      ? *vessel
                            : d->on == ON_STRUCTURE ? scene_structure(&scene->structure[d->structure], time_s)
                                                    : WORLD;
    vec3 moved = vec3_scale(time_s - d->from_s, vec3_of(d->velocity_mps));
    double from[3], to[3];
    vec3_to(vec3_sub(mat3_tmul(&on.attitude, vec3_sub(from_n, on.origin_n)), moved), from);
    vec3_to(vec3_sub(mat3_tmul(&on.attitude, vec3_sub(to_n, on.origin_n)), moved), to);
    if (cuts(d->box_m, from, to))
      return 0;
  }
  return 1;
}

static int structure_named(const struct scene_def *scene, const char *name) {
  for (int i = 0; i < scene->structure_count; i++)
    if (!strcmp(scene->structure[i].name, name))
      return i;
  return -1;
}

static enum status resolve_box(struct scene_def *scene, int i, char key[64], struct reason *why) {
  struct obstruction_def *d = &scene->obstruction[i];
  d->on = !strcmp(d->on_name, "world") ? ON_WORLD : !strcmp(d->on_name, "vessel") ? ON_VESSEL : ON_STRUCTURE;
  d->structure = d->on == ON_STRUCTURE ? structure_named(scene, d->on_name) : -1;
  snprintf(key, 64, "obstructions.%d.on", i);
  if (d->on == ON_STRUCTURE && d->structure < 0)
    return fail(why, STATUS_BAD_INPUT, "world, vessel or the name of a structure expected, got '%s'",
                d->on_name);
  snprintf(key, 64, "obstructions.%d.max_m", i);
  for (int k = 0; k < 3; k++)
    if (!(d->box_m[0][k] < d->box_m[1][k]))
      return fail(why, STATUS_BAD_INPUT, "a corner beyond min_m in each axis expected, got %g after %g",
                  d->box_m[1][k], d->box_m[0][k]);
  snprintf(key, 64, "obstructions.%d.to_s", i);
  if (d->to_s > 0 && d->to_s <= d->from_s)
    return fail(why, STATUS_BAD_INPUT, "a time after from_s = %g s, or 0 for never, expected, got %g",
                d->from_s, d->to_s);
  return STATUS_OK;
}

enum status scene_resolve(struct scene_def *scene, char key[64], struct reason *why) {
  for (int i = 0; i < scene->structure_count; i++) {
    const struct structure_def *d = &scene->structure[i];
    snprintf(key, 64, "structures.%d.swing_period_s", i);
    if (d->swing_m > 0 && !(d->swing_period_s > 0))
      return fail(why, STATUS_BAD_INPUT, "a period > 0 expected, got %g: swing_m needs it",
                  d->swing_period_s);
    snprintf(key, 64, "structures.%d.name", i);
    if (!strcmp(d->name, "world") || !strcmp(d->name, "vessel"))
      return fail(why, STATUS_BAD_INPUT, "a name other than world and vessel expected, got '%s'", d->name);
  }
  for (int i = 0; i < scene->target_count; i++) {
    struct target_def *d = &scene->target[i];
    d->structure = *d->structure_name ? structure_named(scene, d->structure_name) : -1;
    snprintf(key, 64, "targets.%d.structure", i);
    if (*d->structure_name && d->structure < 0)
      return fail(why, STATUS_BAD_INPUT, "the name of a structure expected, got '%s'", d->structure_name);
  }
  for (int i = 0; i < scene->obstruction_count; i++)
    if (resolve_box(scene, i, key, why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  return STATUS_OK;
}

// ------------------------------------------------------------
// With C = c at an end, h the horizontal distance and dz the difference of depth, the tangent of the circle
// at its begin is along (2 h C1, g h^2 + dz (C1 + C2)), and the travel time is
//   t = (1/g) acosh(1 + g^2 d^2 / (2 C1 C2)) = d / sqrt(C1 C2) asinh(s) / s,  s = g d / (2 sqrt(C1 C2)).

// asinh(s) / s; the series below 0.03 leaves 2e-16.
static double asinh_over(double s) {
  double q = s * s;
  if (q < 1e-3)
    return 1 + q * (-1.0 / 6 + q * (3.0 / 40 + q * (-15.0 / 336 + q * (105.0 / 3456 - q * 945.0 / 42240))));
  s = fabs(s);
  return explog_log(s + sqrt(1 + q)) / s;
}

struct sound_ray sound_ray_of(const struct sound_profile *water, vec3 from, vec3 to) {
  double g = water->gradient_1ps, c1 = water->speed_mps + g * from.z, c2 = water->speed_mps + g * to.z;
  vec3 way = vec3_sub(to, from);
  double d = vec3_norm(way), h = sqrt(way.x * way.x + way.y * way.y), root = sqrt(c1 * c2);
  struct sound_ray ray = {.direction_n = {0, 0, 1}};
  if (!(d > 0))
    return ray;
  double level = 2 * h * c1, down = g * h * h + way.z * (c1 + c2), size = sqrt(level * level + down * down);
  ray.direction_n =
      (vec3){h > 0 ? level / size * way.x / h : 0, h > 0 ? level / size * way.y / h : 0, down / size};
  ray.travel_s = d / root * asinh_over(0.5 * g * d / root);
  ray.range_m = ray.travel_s * 0.5 * (c1 + c2);
  return ray;
}

// ------------------------------------------------------------
// The tension is t(s) = t0 - p s, the wire follows it: dr/ds = t / |t|. With e = p / P, a = t.e, T = |t| at
// begin (0) and end (1), the part w of t across e is constant, and with k = P L / (T0 + T1)
//   r = L / (T0 + T1) (e (a0 + a1) + 2 w atanh(k) / k),
// which is the usual form with asinh(a / |w|) without its cancellation, and regular at P = 0 and w = 0.
//
// Between given ends: Y = r.e and X = |r - e Y|. T0 - T1 = P Y, so that S = T0 + T1 = 2 T1 + P Y is known,
// a1 = (Y S / L - P L) / 2, and the length remains: (2 L A(k) / S)^2 (T1^2 - a1^2) = X^2, A = atanh(k) / k.
//
// Of a slack wire the length is known instead. It grows as the tension falls, down to where the wire leaves
// the clump level. A longer one lies on the seabed with the rest. With the level pull H, the part s that
// hangs over the height h, and a = H / weight: s^2 = h^2 + 2 h a, level x = a asinh(s / a), T1 = H + weight
// h.

// atanh(k) / k; the series below 0.03 leaves 2e-16.
static double atanh_over(double k) {
  double q = k * k;
  if (q < 1e-3)
    return 1 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11)))));
  return explog_log((1 + k) / (1 - k)) / (2 * k);
}

static vec3 along(vec3 load, double size) {
  return size > 0 ? vec3_scale(1 / size, load) : (vec3){0, 0, 1};
}

vec3 wire_span(vec3 t0, vec3 load, double length_m) {
  double p = vec3_norm(load);
  vec3 e = along(load, p), t1 = vec3_axpy(-length_m, load, t0);
  double a0 = vec3_dot(t0, e), s = vec3_norm(t0) + vec3_norm(t1);
  vec3 across = vec3_axpy(-a0, e, t0);
  vec3 sum = vec3_axpy(2 * atanh_over(p * length_m / s), across, vec3_scale(2 * a0 - p * length_m, e));
  return vec3_scale(length_m / s, sum);
}

int wire_between(vec3 span, vec3 load, double top_n, struct wire *out) {
  double p = vec3_norm(load), chord = vec3_norm(span), length = chord;
  vec3 e = along(load, p);
  double y = vec3_dot(span, e), s = 2 * top_n + p * y;
  vec3 across = vec3_axpy(-y, e, span);
  double x = vec3_norm(across), a1 = 0;
  if (!(chord > 0) || !(top_n + p * y > 0) || !(p * chord < s))
    return 0;
  for (int i = 0; i < 30; i++) {
    double k = p * length / s, q = 2 * length * atanh_over(k) / s, slope = 2 / (s * (1 - k * k));
    a1 = 0.5 * (y * s / length - p * length);
    double a1_slope = -0.5 * (y * s / (length * length) + p), left = top_n * top_n - a1 * a1;
    double change = (q * q * left - x * x) / (2 * q * slope * left - 2 * q * q * a1 * a1_slope);
    length -= change;
    if (!(length > 0) || !(p * length < s))
      return 0;
    if (fabs(change) <= 1e-15 * length)
      break;
  }
  a1 = 0.5 * (y * s / length - p * length);
  out->length_m = length;
  out->top_n = vec3_axpy(s / (2 * length * atanh_over(p * length / s)), across, vec3_scale(a1, e));
  out->pull_n = vec3_axpy(length, load, out->top_n);
  return 1;
}

// s - x of what hangs over a height.
static double left_over(double height_m, double a) {
  const double s = sqrt(height_m * height_m + 2 * height_m * a);
  return a > 0 ? s - a * explog_log((s + sqrt(s * s + a * a)) / a) : s;
}

static void lie_down(vec3 span, double weight_npm, double length_m, struct wire *out) {
  enum { STEPS = 60 };
  const double h = -span.z, level = sqrt(span.x * span.x + span.y * span.y), wanted = length_m - level;
  double low = 0, high = h; // of a
  for (int i = 0; i < STEPS && left_over(h, high) > wanted; i++)
    high *= 2;
  for (int i = 0; i < STEPS && wanted < h; i++) {
    const double middle = 0.5 * (low + high);
    *(left_over(h, middle) > wanted ? &low : &high) = middle;
  }
  const double share = level > 0 ? low * weight_npm / level : 0;
  out->length_m = length_m;
  out->pull_n = (vec3){share * span.x, share * span.y, 0};
  out->top_n = (vec3){share * span.x, share * span.y, -weight_npm * sqrt(h * h + 2 * h * low)};
}

// Newton's method may miss the wire where the tension hardly carries it.
static int joins(const struct wire *wire, vec3 load, vec3 span) {
  const vec3 off = vec3_sub(wire_span(wire->pull_n, load, wire->length_m), span);
  return vec3_norm(off) < 1e-10 * wire->length_m;
}

void wire_hanging(vec3 span, vec3 load, double taut_n, double length_m, struct wire *out) {
  enum { HALVINGS = 60 };
  const double p = vec3_norm(load), level = sqrt(span.x * span.x + span.y * span.y);
  // A wire has more than this tension: half of its load along the chord and along itself.
  double low = 0.5 * (p * vec3_norm(span) - vec3_dot(span, load)), high = taut_n;
  struct wire tried, found = {{0, 0, 1}, {0, 0, 0}, 0};
  for (int i = 0; i < HALVINGS && high - low > 1e-15 * high && length_m < level - span.z; i++) {
    const double middle = 0.5 * (low + high);
    if (wire_between(span, load, middle, &tried) && tried.length_m < length_m && joins(&tried, load, span)) {
      high = middle;
      found = tried;
    } else {
      low = middle;
    }
    if (found.pull_n.z > 0 && found.length_m > 0) // it sinks, and a longer one sinks more
      break;
  }
  if (length_m - found.length_m < 1e-6 * length_m && found.pull_n.z <= 0)
    *out = found;
  else
    lie_down(span, load.z, length_m, out);
}

vec3 wire_load(const double current[3], double diameter_m, double drag, double density, double weight_npm) {
  double speed = sqrt(current[0] * current[0] + current[1] * current[1]);
  double share = 0.5 * density * diameter_m * drag * speed;
  return (vec3){share * current[0], share * current[1], weight_npm};
}

// ------------------------------------------------------------
// In axes with the first point at 0, the second on x and the third in the plane x, y, the differences of the
// squared ranges are linear in x and y; z follows from the first range (Fang 1986).

int place_at_ranges(const vec3 p[3], const double r[3], vec3 *out) {
  vec3 base = vec3_sub(p[1], p[0]), other = vec3_sub(p[2], p[0]);
  double d = vec3_norm(base);
  if (!(d > 0))
    return 0;
  vec3 ex = vec3_scale(1 / d, base);
  double i = vec3_dot(ex, other);
  vec3 rest = vec3_axpy(-i, ex, other);
  double j = vec3_norm(rest);
  if (!(j > 1e-6 * d))
    return 0;
  vec3 ey = vec3_scale(1 / j, rest), ez = vec3_cross(ex, ey);
  if (ez.z > 0) // upwards
    ez = vec3_scale(-1, ez);
  double x = (r[0] * r[0] - r[1] * r[1] + d * d) / (2 * d);
  double y = (r[0] * r[0] - r[2] * r[2] + i * i + j * j - 2 * i * x) / (2 * j);
  double square = r[0] * r[0] - x * x - y * y;
  if (!(square >= 0))
    return 0;
  *out = vec3_axpy(sqrt(square), ez, vec3_axpy(y, ey, vec3_axpy(x, ex, p[0])));
  return 1;
}

double place_dilution(const vec3 p[3], vec3 place) {
  double normal[3][3] = {{0}}, variance = 0;
  for (int i = 0; i < 3; i++) {
    vec3 way = vec3_sub(place, p[i]);
    double u[3], size = vec3_norm(way);
    vec3_to(vec3_scale(size > 0 ? 1 / size : 0, way), u);
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        normal[j][k] += u[j] * u[k];
  }
  for (int axis = 0; axis < 2; axis++) {
    double unit[3] = {axis == 0, axis == 1, 0}, column[3];
    mat3_solve_rows((const double (*)[3])normal, unit, column);
    variance += 0.5 * column[axis];
  }
  return isfinite(variance) && variance > 0 ? sqrt(variance) : (double)INFINITY;
}
