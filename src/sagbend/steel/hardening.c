// The Ramberg-Osgood law: moments and strains of a section that hardens.
#include "sagbend/steel/steel.h"

#include "sagbend/math/math.h"

#include <math.h>

static const double YIELD_STRAIN = 0.005, LEAST_UNIFORM_STRAIN = 0.02;

double hardening_uniform_strain(double yield_pa, double tensile_pa) {
  return fmax(0.3 * (1 - yield_pa / tensile_pa), LEAST_UNIFORM_STRAIN);
}

static double uniform_strain(const struct pipe_steel *s) {
  return s->uniform_strain > 0 ? s->uniform_strain : hardening_uniform_strain(s->yield_pa, s->tensile_pa);
}

// x^y, x > 0.
static double power(double x, double y) {
  return explog_exp(y * explog_log(x));
}

struct steel_law {
  double young_pa, yield_pa, plastic_strain, exponent;
};

static struct steel_law law_of(const struct pipe_steel *s) {
  const double first = YIELD_STRAIN - s->yield_pa / s->young_pa,
               last = uniform_strain(s) - s->tensile_pa / s->young_pa;
  return (struct steel_law){s->young_pa, s->yield_pa, first,
                            explog_log(last / first) / explog_log(s->tensile_pa / s->yield_pa)};
}

// Stress at a strain > 0: Newton's method, which falls from above, where the strain of the law is too large.
static double stress_at(const struct steel_law *law, double strain) {
  double s =
      fmin(law->young_pa * strain, law->yield_pa * power(strain / law->plastic_strain, 1 / law->exponent));
  for (int i = 0; i < 50; i++) {
    const double plastic = law->plastic_strain * power(s / law->yield_pa, law->exponent);
    const double less =
        (s / law->young_pa + plastic - strain) / (1 / law->young_pa + law->exponent * plastic / s);
    s -= less;
    if (!(less > 1e-14 * s))
      break;
  }
  return s;
}

static double fourth(double x) {
  return x * x * (x * x);
}

double hardening_yield_moment(const struct pipe_steel *s) {
  const double inner = s->diameter_m - 2 * s->wall_m;
  return s->yield_pa * TRIG_PI / 32 * (fourth(s->diameter_m) - fourth(inner)) / s->diameter_m;
}

// A quarter of the section by the midpoint rule, in polar coordinates.
double hardening_moment(const struct pipe_steel *s, double strain) {
  enum { RINGS = 8, SECTORS = 64 };
  const struct steel_law law = law_of(s);
  const double outer = 0.5 * s->diameter_m, ring = s->wall_m / RINGS, sector = TRIG_PI / 2 / SECTORS;
  double sum = 0;
  for (int i = 0; i < RINGS; i++)
    for (int j = 0; j < SECTORS; j++) {
      const double r = outer - (i + 0.5) * ring, y = r * trig_sin((j + 0.5) * sector);
      sum += 4 * stress_at(&law, strain * y / outer) * y * (r * ring * sector);
    }
  return sum / hardening_yield_moment(s);
}

enum status hardening_of(const struct pipe_steel *s, double ramberg_osgood[2], struct reason *why) {
  const double most = 0.9 * YIELD_STRAIN * s->young_pa, last = uniform_strain(s);
  const double first = YIELD_STRAIN - s->yield_pa / s->young_pa;
  if (!(s->yield_pa > 0 && s->yield_pa <= most))
    return fail(why, STATUS_BAD_INPUT, "yield stress: at most 0.0045 E = %g Pa expected, got %g", most,
                s->yield_pa);
  if (!(s->tensile_pa >= 1.01 * s->yield_pa))
    return fail(why, STATUS_BAD_INPUT,
                "tensile strength: at least 1.01 times the yield stress of %g Pa expected, got %g",
                s->yield_pa, s->tensile_pa);
  if (!(last - s->tensile_pa / s->young_pa > 2 * first))
    return fail(why, STATUS_BAD_INPUT, "uniform strain: more than %g expected, got %g",
                2 * first + s->tensile_pa / s->young_pa, last);
  if (!(s->wall_m > 0 && s->wall_m < 0.5 * s->diameter_m))
    return fail(why, STATUS_BAD_INPUT,
                "wall thickness: less than half of the diameter of %g m expected, got %g", s->diameter_m,
                s->wall_m);

  const double unit = s->young_pa / s->yield_pa; // strain of the outer fibre to curvature over M_y/EI
  const double m1 = hardening_moment(s, YIELD_STRAIN), m2 = hardening_moment(s, last);
  const double excess1 = unit * YIELD_STRAIN - m1, excess2 = unit * last - m2;
  ramberg_osgood[1] = explog_log(excess2 / excess1) / explog_log(m2 / m1);
  ramberg_osgood[0] = excess1 / power(m1, ramberg_osgood[1]);
  return STATUS_OK;
}
