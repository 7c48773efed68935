// Utilisations (DNV-ST-F101, 5.4 and 13.4.7; DNV-OS-F101, section 5 D and section 13 H), with the design load
// effects M = gF gC M_F + gE M_E, likewise S and eps, and g = gm gSC,LB:
//   load-controlled, pe >= pi:  { g |M|/(ac Mp) + [g S/(ac Sp)]^2 }^2 + [g (pe - pmin)/pc]^2
//                    pi > pe:   { g |M|/(ac Mp) + [g S/(ac Sp)]^2 }^2 + [ap (pi - pe)/(ac pb)]^2
//   displacement-controlled, pe >= pmin:  (eps gSC,DC/eps_c)^0.8 + g (pe - pmin)/pc
//                            pmin > pe:    eps gSC,DC/(eps_c (1 + 5.75 (pmin - pe)/pb))
//   strain:    the larger of static strain/criterion I and total strain/criterion II, without load factors
//   stress:    equivalent stress/(0.87 fy), without load factors
//   collapse:  g (pe - pmin)/pc(t1)
#include "core/codecheck/code_check.h"

#include <math.h>

static const double LARGEST_TENSION = 0.4, LEAST_D_OVER_T = 15, LARGEST_D_OVER_T = 45;

const char *check_limit_text(int bit) {
  static const char *const texts[CHECK_LIMIT_COUNT] = {
#define X(name, bit, text) text,
      CHECK_LIMIT_TABLE(X)
#undef X
  };
  return (unsigned)bit < CHECK_LIMIT_COUNT ? texts[bit] : "unknown limit";
}

const char *code_check_name(int check) {
  static const char *const names[CODE_CHECK_COUNT] = {
      [CHECK_LOAD_CONTROLLED] = "lcc", [CHECK_DISPLACEMENT_CONTROLLED] = "dcc", [CHECK_STRAIN] = "strain",
      [CHECK_STRESS] = "stress",       [CHECK_COLLAPSE] = "collapse",           [CHECK_YIELD] = "yield"};
  return (unsigned)check < CODE_CHECK_COUNT ? names[check] : "unknown";
}

// The fifth root of x^4, by Newton's method for y^5 = x after scaling x into (1/32, 1].
double check_power_08(double x) {
  double scale = 1, y = 1;
  if (!(x > 1e-200))
    return x != x ? x : 0;
  if (isinf(x))
    return x;

  for (; x > 1; x /= 32)
    scale *= 2;
  for (; x <= 1.0 / 32; x *= 32)
    scale *= 0.5;
  for (int i = 0; i < 8; i++) {
    double y2 = y * y;
    y = 0.2 * (4 * y + x / (y2 * y2));
  }
  y *= scale;
  return y * y * (y * y);
}

static double length(const double v[2]) {
  return sqrt(v[0] * v[0] + v[1] * v[1]);
}

static double largest_strain(const struct check_section *s) {
  return fabs(s->axial_strain) + length(s->bending_strain);
}

// Design load effects of a combination.
static struct check_section design(const struct check_capacity *c, const struct check_load *load, int k) {
  const struct check_section *f = &load->functional, *t = &load->total;
  double e = c->factors.combination[k].environmental,
         rest = c->factors.combination[k].functional * c->factors.condition - e;
  return (struct check_section){
      .tension_n = rest * f->tension_n + e * t->tension_n,
      .bending_nm = {rest * f->bending_nm[0] + e * t->bending_nm[0],
                     rest * f->bending_nm[1] + e * t->bending_nm[1]},
      .axial_strain = rest * f->axial_strain + e * t->axial_strain,
      .bending_strain = {rest * f->bending_strain[0] + e * t->bending_strain[0],
                         rest * f->bending_strain[1] + e * t->bending_strain[1]},
  };
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double factor_of(const struct check_capacity *c) {
  return c->factors.material * c->factors.local_buckling;
}

// Share of the pressure in the load-controlled criterion, before it is squared.
static double pressure_share(const struct check_capacity *c, const struct check_load *load,
                             uint32_t *limits) {
  double over = load->internal_pa - load->external_pa;
  if (!(over > 0))
    return factor_of(c) * larger(0, load->external_pa - c->min_pressure_pa) / c->local_collapse_pa;

  double ratio = over / c->burst_pa;
  if (!(ratio < 1))
    *limits |= CHECK_LIMIT_BURST;
  double alpha_p = ratio < 2.0 / 3 ? 1 - c->beta : 1 - 3 * c->beta * (1 - ratio);
  return alpha_p * ratio / c->flow;
}

static double load_controlled(const struct check_capacity *c, const struct check_load *load,
                              uint32_t *limits) {
  double g = factor_of(c), pressure = pressure_share(c, load, limits), worst = 0;

  *limits |= (c->d_over_t < LEAST_D_OVER_T ? CHECK_LIMIT_THICK : 0) |
             (c->d_over_t > LARGEST_D_OVER_T ? CHECK_LIMIT_THIN : 0);
  for (int k = 0; k < CHECK_COMBINATIONS; k++) {
    struct check_section d = design(c, load, k);
    double s = g * d.tension_n / (c->flow * c->force_n),
           bending = g * length(d.bending_nm) / (c->flow * c->moment_nm) + s * s;
    if (!(fabs(d.tension_n) < LARGEST_TENSION * c->force_n))
      *limits |= CHECK_LIMIT_TENSION;
    worst = larger(worst, bending * bending + pressure * pressure);
  }
  return worst;
}

static double displacement_controlled(const struct check_capacity *c, const struct check_load *load,
                                      uint32_t *limits) {
  double over = load->external_pa - c->min_pressure_pa, strain = 0;

  *limits |= c->d_over_t > LARGEST_D_OVER_T ? CHECK_LIMIT_THIN : 0;
  for (int k = 0; k < CHECK_COMBINATIONS; k++) {
    struct check_section d = design(c, load, k);
    strain = larger(strain, largest_strain(&d));
  }
  strain *= c->factors.strain / c->strain;
  if (over < 0)
    return strain / (1 - 5.75 * over / c->burst_pa);
  return check_power_08(strain) + factor_of(c) * over / c->local_collapse_pa;
}

// Strain of the overbend: criterion I for the static strain, criterion II for the total one.
static const double STRAIN_LIMITS[STEEL_GRADE_COUNT][2] = {[GRADE_X52] = {0.00205, 0.00260},
                                                           [GRADE_X60] = {0.00230, 0.00290},
                                                           [GRADE_X65] = {0.00250, 0.00305},
                                                           [GRADE_X70] = {0.00270, 0.00325}};

static double simplified_strain(const struct check_capacity *c, const struct check_load *load,
                                uint32_t *limits) {
  const double *allowed = STRAIN_LIMITS[c->steel.grade];
  if (c->steel.grade == GRADE_NONE) {
    *limits |= CHECK_LIMIT_NO_GRADE;
    return 0;
  }
  return larger(largest_strain(&load->functional) / allowed[0], largest_strain(&load->total) / allowed[1]);
}

// Largest equivalent stress (von Mises) at the outer fibre, from the force in the wall, the bending moment,
// the hoop stress and the torsion.
static double equivalent_stress(const struct check_capacity *c, const struct check_load *load) {
  const struct check_section *s = &load->total;
  double wall = s->tension_n - load->external_pa * c->outer_m2 + load->internal_pa * c->bore_m2,
         axial = wall / c->area_m2, bending = length(s->bending_nm) / c->modulus_m3,
         hoop = (load->internal_pa - load->external_pa) * 0.5 * (c->d_over_t - 1),
         shear = 0.5 * s->torsion_nm / c->modulus_m3, worst = 0;

  for (int side = -1; side <= 1; side += 2) {
    double along = axial + side * bending;
    worst = larger(worst, along * along + hoop * hoop - along * hoop + 3 * shear * shear);
  }
  return sqrt(worst);
}

static int section_is_finite(const struct check_section *s) {
  return isfinite(s->tension_n + s->bending_nm[0] + s->bending_nm[1] + s->torsion_nm + s->axial_strain +
                  s->bending_strain[0] + s->bending_strain[1]);
}

void check_section_loads(const struct check_capacity *c, const struct check_load *load,
                         struct utilisation *out) {
  double stress = equivalent_stress(c, load);
  uint32_t not_finite = section_is_finite(&load->functional) && section_is_finite(&load->total) &&
                                isfinite(load->external_pa) && isfinite(load->internal_pa)
                            ? 0
                            : CHECK_LIMIT_NOT_FINITE;
  *out = (struct utilisation){0};
  double *value = out->value;
  value[CHECK_LOAD_CONTROLLED] = load_controlled(c, load, &out->limits[CHECK_LOAD_CONTROLLED]);
  value[CHECK_DISPLACEMENT_CONTROLLED] =
      displacement_controlled(c, load, &out->limits[CHECK_DISPLACEMENT_CONTROLLED]);
  value[CHECK_STRAIN] = simplified_strain(c, load, &out->limits[CHECK_STRAIN]);
  value[CHECK_STRESS] = stress / (0.87 * c->yield_pa);
  value[CHECK_COLLAPSE] = factor_of(c) * larger(0, load->external_pa - c->min_pressure_pa) / c->collapse_pa;
  value[CHECK_YIELD] = stress / (c->steel.yield_pa - c->steel.yield_derating_pa);
  for (int k = 0; k < CODE_CHECK_COUNT; k++) {
    out->limits[k] |= not_finite;
    if (out->limits[k])
      value[k] = (double)NAN;
  }
}
