#include "sagbend/sim/tension_watch.h"

#include <math.h>

static const double SHARE = 1e-3; // of the mean tension
static const double DECAY = 0.5;  // within TENSION_ALTERNATIONS steps, of what decays

static void begin_row(struct tension_watch *w, double deviation_n) {
  w->alternations = 1;
  w->largest_n = fabs(deviation_n);
}

static void count(struct tension_watch *w, double deviation_n, double limit_n) {
  const int is_opposite = deviation_n * w->deviation_n < 0;
  w->deviation_n = deviation_n;
  if (!(fabs(deviation_n) > limit_n)) {
    w->alternations = 0;
    w->largest_n = 0;
  } else if (w->alternations == 0 || !is_opposite) {
    begin_row(w, deviation_n);
  } else {
    w->alternations++;
    w->largest_n = fmax(w->largest_n, fabs(deviation_n));
  }
}

int tension_watch_step(struct tension_watch *w, double tension_n, double least_n) {
  const double before = w->tension_n[1], middle = w->tension_n[0];
  w->tension_n[1] = middle, w->tension_n[0] = tension_n;
  if (w->steps < TENSION_START) {
    w->steps++;
    return 0;
  }
  const double mean = 0.25 * (fabs(before) + 2 * fabs(middle) + fabs(tension_n));
  count(w, middle - 0.5 * (before + tension_n), SHARE * fmax(mean, least_n));
  if (w->alternations < TENSION_ALTERNATIONS)
    return 0;
  const int lasts = fabs(w->deviation_n) > DECAY * w->largest_n;
  begin_row(w, w->deviation_n);
  return lasts;
}
