// The tension is t(s) = t0 - p s, the wire follows it: dr/ds = t / |t|. With e = p / P, a = t.e, T = |t| at
// begin (0) and end (1), the part w of t across e is constant, and with k = P L / (T0 + T1)
//   r = L / (T0 + T1) (e (a0 + a1) + 2 w atanh(k) / k),
// which is the usual form with asinh(a / |w|) without its cancellation, and regular at P = 0 and w = 0.
//
// Between given ends: Y = r.e and X = |r - e Y|. T0 - T1 = P Y, so that S = T0 + T1 = 2 T1 + P Y is known,
// a1 = (Y S / L - P L) / 2, and the length remains: (2 L A(k) / S)^2 (T1^2 - a1^2) = X^2, A = atanh(k) / k.
#include "core/references/taut_wire.h"

#include "core/math/explog.h"

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

vec3 wire_load(const double current[3], double diameter_m, double drag, double density, double weight_npm) {
  double speed = sqrt(current[0] * current[0] + current[1] * current[1]);
  double share = 0.5 * density * diameter_m * drag * speed;
  return (vec3){share * current[0], share * current[1], weight_npm};
}
