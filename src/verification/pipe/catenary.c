// With V' = w, V the vertical force and T = sqrt(H^2 + V^2), a part has
//   z = [T]/w + [V^2]/(2 w EA),  x = (H/w) [asinh(V/H)] + H s/EA,  elongation = int T/EA ds.
#include "verification/pipe/catenary.h"

#include <math.h>

enum { HALVINGS = 200 };

struct catenary catenary_of(const struct catenary_part *parts, int count, double h_n, double v_n) {
  struct catenary c = {.horizontal_n = h_n, .lower_n = v_n, .tension_n = {hypot(h_n, v_n)}};
  double v = v_n;
  for (int k = 0; k < count; k++) {
    const struct catenary_part *p = &parts[k];
    double up = v + p->weight_npm * p->length_m, t0 = hypot(h_n, v), t1 = hypot(h_n, up);
    double angle = asinh(up / h_n) - asinh(v / h_n);
    c.height_m += (t1 - t0) / p->weight_npm + (up * up - v * v) / (2 * p->weight_npm * p->ea_n);
    c.reach_m += h_n / p->weight_npm * angle + h_n * p->length_m / p->ea_n;
    c.elongation_m += (0.5 * (up * t1 - v * t0) + 0.5 * h_n * h_n * angle) / (p->weight_npm * p->ea_n);
    c.tension_n[k + 1] = t1;
    v = up;
  }
  return c;
}

double catenary_lower_force(const struct catenary_part *parts, int count, double h_n, double height_m) {
  double low = -1e8, high = 1e8;
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high);
    *(catenary_of(parts, count, h_n, middle).height_m < height_m ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

struct catenary catenary_between(const struct catenary_part *parts, int count, double height_m,
                                 double reach_m) {
  double low = 1, high = 1e8; // the reach grows with the horizontal force
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high), v = catenary_lower_force(parts, count, middle, height_m);
    *(catenary_of(parts, count, middle, v).reach_m < reach_m ? &low : &high) = middle;
  }
  return catenary_of(parts, count, low, catenary_lower_force(parts, count, low, height_m));
}
