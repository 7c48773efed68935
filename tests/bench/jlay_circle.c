// The moved top of configs/jlay-circle.yaml, 60 s on one core: speed relative to real time, and error against
// the same run with a fine step. Two other codes ran it at 98 and 147 (lumped mass, no torsion or shear) and
// at 37 times real time (Cosserat finite elements), tests/reference/jlay_circle_peers.csv.
#include "scenes.h"

#include <math.h>
#include <time.h>

enum { REPEATS = 5 }; // the fastest counts

struct result {
  struct scene_extremes x;
  double factor; // times real time
};

static struct result run(double step_s) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-circle", 0, NULL);
  def.step_s = step_s;
  struct sim *s = shipped_create(&def);
  struct timespec a, b;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
  struct result r = {.x = scene_run_circle(s)};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
  r.factor = 60 / ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
  shipped_free(s);
  return r;
}

int main(void) {
  const double steps[] = {0.1, 0.05, 0.02, 0.01, 0.005};
  struct result fine = run(0.00125);
  printf("step_ms,real_time_factor,tension_max_kn,tension_min_kn,curvature_1pm,largest_error_percent\n");
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    struct result r = run(steps[i]);
    for (int k = 1; k < REPEATS; k++)
      r.factor = fmax(r.factor, run(steps[i]).factor);
    double error = fmax(fabs(r.x.tension_max_n / fine.x.tension_max_n - 1),
                        fabs(r.x.tension_min_n / fine.x.tension_min_n - 1));
    error = fmax(error, fabs(r.x.curvature_1pm / fine.x.curvature_1pm - 1));
    printf("%g,%.0f,%.1f,%.1f,%.5e,%.4f\n", 1e3 * steps[i], r.factor, r.x.tension_max_n / 1e3,
           r.x.tension_min_n / 1e3, r.x.curvature_1pm, 100 * error);
  }
  printf("%g,%.0f,%.1f,%.1f,%.5e,\n", 1.25, fine.factor, fine.x.tension_max_n / 1e3,
         fine.x.tension_min_n / 1e3, fine.x.curvature_1pm);
  return 0;
}
