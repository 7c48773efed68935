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
#include "sagbend/rig/rig_internal.h"

#include "sagbend/math/explog.h"

#include <math.h>

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
