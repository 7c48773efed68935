// Code check of a section.
//
// Capacities of a section (DNV-ST-F101, 5.4; DNV-OS-F101, section 5 D and section 13 E):
//   fy = (SMYS - derating) alpha_U, fu likewise
//   Mp = fy (D - t)^2 t,  Sp = fy pi (D - t) t
//   beta = (60 - D/t)/90, within 0 and 0.5;  alpha_c = 1 - beta + beta fu/fy
//   pb = 2t/(D - t) min(fy, fu/1.15) 2/sqrt(3),  ppr = 35 fy alpha_fab (t/D)^2.5
//   pel = 2E (t/D)^3/(1 - nu^2),  pp = fy alpha_fab 2t/D,  (pc - pel)(pc^2 - pp^2) = pc pel pp O0 D/t
//   eps_c = 0.78 (t/D - 0.01) alpha_h^-1.5 alpha_gw
#include "sagbend/steel/steel.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>

static const double PI = 3.14159265358979323846;

struct check_factors check_factors_of(enum safety_class class, double condition) {
  static const double local_buckling[SAFETY_CLASS_COUNT] = {1.04, 1.14, 1.26};
  static const double containment[SAFETY_CLASS_COUNT] = {1.046, 1.138, 1.308};
  static const double strain[SAFETY_CLASS_COUNT] = {2.0, 2.5, 3.3};
  return (struct check_factors){.material = 1.15,
                                .local_buckling = local_buckling[class],
                                .containment = containment[class],
                                .strain = strain[class],
                                .condition = condition,
                                .combination = {{1.2, 0.7}, {1.1, 1.3}, {1 / 1.1, 1.3}, {1 / 1.1, 1.3}}};
}

void check_factors_use(struct check_factors *factors, enum check_load_factors of) {
  if (of == LOAD_FACTORS_ST_F201) {
    factors->combination[0] = factors->combination[1];
    factors->combination[3].functional = factors->combination[1].functional;
    factors->combination[3].environmental = 1 / factors->combination[1].environmental;
  }
}

double check_girth_weld_factor(double d_over_t) {
  return d_over_t <= 20 ? 1 : d_over_t >= 60 ? 0.6 : 1 - 0.4 * (d_over_t - 20) / 40;
}

// On (0, min(pel, pp)) the difference of both sides falls monotonically from pel pp^2 to below 0: Newton's
// method, kept within the bracket.
double check_collapse_pressure(double elastic_pa, double plastic_pa, double ovality, double d_over_t) {
  double imperfection = elastic_pa * plastic_pa * ovality * d_over_t;
  double low = 0, high = fmin(elastic_pa, plastic_pa), p = 0.5 * high;

  for (int i = 0; i < 200; i++) {
    double value = (p - elastic_pa) * (p * p - plastic_pa * plastic_pa) - p * imperfection;
    double slope = p * p - plastic_pa * plastic_pa + 2 * p * (p - elastic_pa) - imperfection;
    if (value > 0)
      low = p;
    else
      high = p;
    double next = p - value / slope;
    if (!(next > low && next < high))
      next = 0.5 * (low + high);
    if (fabs(next - p) <= 1e-15 * p)
      return next;
    p = next;
  }
  return p;
}

struct bound {
  const char *name;
  double value, low, high; // low < value, or low <= value where low is 0 and zero is allowed
  int zero;                // 1: low itself is allowed
};

static enum status check_bounds(const struct bound *bound, size_t count, struct reason *why) {
  for (size_t i = 0; i < count; i++) {
    const struct bound *b = &bound[i];
    if (!isfinite(b->value) || !(b->value > b->low || (b->zero && b->value >= b->low)) || b->value > b->high)
      return fail(why, STATUS_BAD_INPUT, "%s: a number %s %g and at most %g expected, got %g", b->name,
                  b->zero ? "of at least" : "above", b->low, b->high, b->value);
  }
  return STATUS_OK;
}

static enum status check_steel(const struct check_steel *s, struct reason *why) {
  const struct bound bounds[] = {
      {"diameter_m", s->diameter_m, 0, 1e3, 0},
      {"wall_m", s->wall_m, 0, 0.499 * s->diameter_m, 0},
      {"wall_tolerance_m", s->wall_tolerance_m, 0, 0.99 * s->wall_m, 1},
      {"yield_pa", s->yield_pa, 0, 1e11, 0},
      {"tensile_pa", s->tensile_pa, 0, 1e11, 0},
      {"yield_derating_pa", s->yield_derating_pa, 0, 0.99 * s->yield_pa, 1},
      {"tensile_derating_pa", s->tensile_derating_pa, 0, 0.99 * s->tensile_pa, 1},
      {"material_factor", s->material_factor, 0, 1, 0},
      {"fabrication_factor", s->fabrication_factor, 0, 1, 0},
      {"ovality", s->ovality, 0.005, 0.5, 1},
      {"young_pa", s->young_pa, 0, 1e13, 0},
      {"poisson", s->poisson, 0, 0.5, 1},
      {"yield_ratio", s->yield_ratio, 0, 1, 0},
      {"girth_weld_factor", s->girth_weld_factor, 0, 1, 1},
      {"grade", s->grade, 0, STEEL_GRADE_COUNT - 1, 1},
  };
  return check_bounds(bounds, sizeof bounds / sizeof *bounds, why);
}

static enum status check_factors(const struct check_factors *f, struct reason *why) {
  const struct bound bounds[] = {
      {"material", f->material, 0, 100, 0},       {"local_buckling", f->local_buckling, 0, 100, 0},
      {"containment", f->containment, 0, 100, 0}, {"strain", f->strain, 0, 100, 0},
      {"condition", f->condition, 0, 100, 0},
  };
  return check_bounds(bounds, sizeof bounds / sizeof *bounds, why);
}

static double elastic_collapse(const struct check_steel *s, double wall_m) {
  double x = wall_m / s->diameter_m;
  return 2 * s->young_pa * x * x * x / (1 - s->poisson * s->poisson);
}

static double plastic_collapse(const struct check_steel *s, double wall_m, double yield_pa) {
  return yield_pa * s->fabrication_factor * 2 * wall_m / s->diameter_m;
}

static double burst(const struct check_capacity *c, double wall_m) {
  return 2 * wall_m / (c->steel.diameter_m - wall_m) * fmin(c->yield_pa, c->tensile_pa / 1.15) * 2 / sqrt(3);
}

static double propagation(const struct check_capacity *c, double wall_m) {
  const double x = wall_m / c->steel.diameter_m;
  return 35 * c->yield_pa * c->steel.fabrication_factor * x * x * sqrt(x);
}

// The crossover pressure px = ppr + (pprA - ppr)(1 - exp(-20 t L/D^2)) is at least 1.1 g pe (5.4.5.2); t and
// pprA are the arrestor's.
double check_arrestor_wall_m(const struct check_capacity *c, double external_pa, double length_m) {
  const double d = c->steel.diameter_m, own = c->propagation_pa;
  const double needed = 1.1 * c->factors.material * c->factors.local_buckling * external_pa;
  double low = 0, high = d / 15;
  for (int i = 0; i < 60; i++) {
    const double wall = i ? 0.5 * (low + high) : high; // the thickest first
    const double reached = own + (propagation(c, wall) - own) * (1 - exp(-20 * wall * length_m / (d * d)));
    if (!i && reached < needed)
      return (double)NAN;
    if (reached < needed)
      low = wall;
    else
      high = wall;
  }
  return high;
}

static double collapse_of(const struct check_steel *s, double wall_m, double yield_pa) {
  return check_collapse_pressure(elastic_collapse(s, wall_m), plastic_collapse(s, wall_m, yield_pa),
                                 s->ovality, s->diameter_m / wall_m);
}

static void fill_geometry(const struct check_steel *s, struct check_capacity *out) {
  double inner = s->diameter_m - 2 * s->wall_m, d2 = s->diameter_m * s->diameter_m, i2 = inner * inner;
  out->outer_m2 = PI / 4 * d2;
  out->bore_m2 = PI / 4 * i2;
  out->area_m2 = out->outer_m2 - out->bore_m2;
  out->modulus_m3 = PI / 32 * (d2 * d2 - i2 * i2) / s->diameter_m;
}

static void fill_collapse(const struct check_steel *s, struct check_capacity *out) {
  double thin = s->wall_m - s->wall_tolerance_m;
  out->elastic_pa = elastic_collapse(s, thin);
  out->plastic_pa = plastic_collapse(s, thin, out->yield_pa);
  out->collapse_pa = collapse_of(s, thin, out->yield_pa);
  out->local_collapse_pa = collapse_of(s, s->wall_m, out->yield_pa);
}

static void fill_use(struct check_capacity *out) {
  const struct check_factors *f = &out->factors;
  double g = f->material * f->local_buckling;
  out->use.moment = g / (out->flow * out->moment_nm);
  out->use.force = g / (out->flow * out->force_n);
  out->use.pressure = g / out->local_collapse_pa;
  out->use.strain = f->strain / out->strain;
  out->use.collapse = g / out->collapse_pa;
  out->use.containment = f->material * f->containment / out->containment_pa;
  out->use.propagation = g / out->propagation_pa;
  out->use.stress = 1 / (0.87 * out->yield_pa);
  out->use.yield = 1 / (out->steel.yield_pa - out->steel.yield_derating_pa);
  out->use.area = 1 / out->area_m2;
  out->use.modulus = 1 / out->modulus_m3;
  for (int k = 0; k < CHECK_COMBINATIONS; k++) {
    out->use.environmental[k] = f->combination[k].environmental;
    out->use.functional[k] = f->combination[k].functional * f->condition - out->use.environmental[k];
  }
}

enum status check_prepare(const struct check_steel *s, const struct check_factors *factors,
                          double min_pressure_pa, struct check_capacity *out, struct reason *why) {
  if (check_steel(s, why) != STATUS_OK || check_factors(factors, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (!isfinite(min_pressure_pa))
    return fail(why, STATUS_BAD_INPUT, "min_pressure_pa: a finite number expected, got %g", min_pressure_pa);

  double d = s->diameter_m, t = s->wall_m;
  *out = (struct check_capacity){
      .steel = *s, .factors = *factors, .min_pressure_pa = min_pressure_pa, .d_over_t = d / t};
  out->yield_pa = (s->yield_pa - s->yield_derating_pa) * s->material_factor;
  out->tensile_pa = (s->tensile_pa - s->tensile_derating_pa) * s->material_factor;
  out->beta = fmin(fmax((60 - d / t) / 90, 0), 0.5);
  out->flow = 1 - out->beta + out->beta * out->tensile_pa / out->yield_pa;
  out->moment_nm = out->yield_pa * (d - t) * (d - t) * t;
  out->force_n = out->yield_pa * PI * (d - t) * t;
  out->burst_pa = burst(out, t);
  out->containment_pa = burst(out, t - s->wall_tolerance_m);
  out->propagation_pa = propagation(out, t);
  fill_collapse(s, out);
  double weld = s->girth_weld_factor > 0 ? s->girth_weld_factor : check_girth_weld_factor(d / t);
  out->strain = 0.78 * (t / d - 0.01) / (s->yield_ratio * sqrt(s->yield_ratio)) * weld;
  fill_geometry(s, out);
  fill_use(out);
  return STATUS_OK;
}

// ------------------------------------------------------------
// Utilisations (DNV-ST-F101, 5.4 and 13.4.7; DNV-OS-F101, section 5 D and section 13 H), with the design load
// effects M = gF gC M_F + gE M_E, likewise S and eps, and g = gm gSC,LB:
//   load-controlled, pe >= pi:  { g |M|/(ac Mp) + [g S/(ac Sp)]^2 }^2 + [g (pe - pmin)/pc]^2
//                    pi > pe:   { g |M|/(ac Mp) + [g S/(ac Sp)]^2 }^2 + [ap (pi - pe)/(ac pb)]^2
//   displacement-controlled, pe >= pmin:  (eps gSC,DC/eps_c)^0.8 + g (pe - pmin)/pc
//                            pmin > pe:    eps gSC,DC/(eps_c (1 + 5.75 (pmin - pe)/pb))
//   strain:    the larger of static strain/criterion I and total strain/criterion II, without load factors
//   stress:    equivalent stress/(0.87 fy), without load factors
//   collapse:  g (pe - pmin)/pc(t1)
//   burst:     gm gSC,PC (pi - pe)/pb(t1), pi at least pmin
//   propagation: g (pe - pmin)/ppr(t2)

static const double LARGEST_TENSION = 0.4;

const char *check_limit_text(int bit) {
  static const char *const texts[CHECK_LIMIT_COUNT] = {
#define X(name, bit, text) text,
      CHECK_LIMIT_TABLE(X)
#undef X
  };
  return (unsigned)bit < CHECK_LIMIT_COUNT ? texts[bit] : "unknown limit";
}

const char *code_check_name(int check) {
  static const char *const names[CODE_CHECK_COUNT] = {[CHECK_LOAD_CONTROLLED] = "load_controlled",
                                                      [CHECK_DISPLACEMENT_CONTROLLED] =
                                                          "displacement_controlled",
                                                      [CHECK_STRAIN] = "strain",
                                                      [CHECK_STRESS] = "stress",
                                                      [CHECK_COLLAPSE] = "collapse",
                                                      [CHECK_YIELD] = "yield",
                                                      [CHECK_BURST] = "burst",
                                                      [CHECK_PROPAGATION] = "propagation"};
  return (unsigned)check < CODE_CHECK_COUNT ? names[check] : "unknown";
}

// The fifth root y of x by Newton's method, then y^4. x is scaled into (1/2, 1] by powers of 2; the start is
// a cubic with an error below 1e-4.
double check_power_08(double x) {
  double scale = 1;
  if (!(x > 1e-200))
    return x != x ? x : 0;
  if (isinf(x))
    return x;

  for (; x > 1; x *= 1.0 / 32)
    scale *= 2;
  for (; x <= 1.0 / 32; x *= 32)
    scale *= 0.5;
  for (; x <= 0.5; x *= 2)
    scale *= 0.87055056329612413914; // 2^(-1/5)
  double y = 0.62791 + x * (0.65583 + x * (-0.3979 + x * 0.11421));
  for (int i = 0; i < 2; i++) {
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

static double larger(double a, double b) {
  return a > b ? a : b;
}

// Design load effects of all combinations, one in each lane.
struct design {
  lanes functional, environmental; // factors; functional less environmental, on the functional load
};

KERNEL_INLINE void design_effect(lanes *effect, const struct design *d, double functional, double total) {
  *effect = d->functional * functional + d->environmental * total;
}

// Length of a vector with two components.
KERNEL_INLINE void design_length(lanes *length, const struct design *d, const double functional[2],
                                 const double total[2]) {
  lanes x, y;
  design_effect(&x, d, functional[0], total[0]);
  design_effect(&y, d, functional[1], total[1]);
  *length = x * x + y * y;
  lanes_sqrt(length);
}

KERNEL_INLINE double largest_of(const lanes *v) {
  return larger(larger((*v)[0], (*v)[1]), larger((*v)[2], (*v)[3]));
}

// Largest internal overpressure of a load, Pa: of the content, or the pressure that is certain.
static double check_overpressure(const struct check_capacity *c, const struct check_load *load) NONBLOCKING {
  return larger(load->internal_pa, c->min_pressure_pa) - load->external_pa;
}

// Share of the pressure in the load-controlled criterion, before it is squared.
static double pressure_share(const struct check_capacity *c, const struct check_load *load,
                             uint32_t *limits) {
  double over = load->internal_pa - load->external_pa;
  *limits |= check_overpressure(c, load) < c->burst_pa ? 0 : CHECK_LIMIT_BURST;
  if (!(over > 0))
    return larger(0, load->external_pa - c->min_pressure_pa) * c->use.pressure;

  double ratio = over / c->burst_pa;
  double alpha_p = ratio < 2.0 / 3 ? 1 - c->beta : 1 - 3 * c->beta * (1 - ratio);
  return alpha_p * ratio / c->flow;
}

static double load_controlled(const struct check_capacity *c, const struct check_load *load,
                              const struct design *d, uint32_t *limits) {
  const struct check_section *f = &load->functional, *t = &load->total;
  double pressure = pressure_share(c, load, limits);
  lanes force, bending, size;

  design_effect(&force, d, f->tension_n, t->tension_n);
  design_length(&bending, d, f->bending_nm, t->bending_nm);
  lanes_abs(&size, &force);
  force = force * c->use.force;
  bending = bending * c->use.moment + force * force;
  *limits |= (c->d_over_t < CHECK_LEAST_D_OVER_T ? CHECK_LIMIT_THICK : 0) |
             (c->d_over_t > CHECK_LARGEST_D_OVER_T ? CHECK_LIMIT_THIN : 0) |
             (largest_of(&size) < LARGEST_TENSION * c->force_n ? 0 : CHECK_LIMIT_TENSION);
  double worst = largest_of(&bending);
  return worst * worst + pressure * pressure;
}

static double displacement_controlled(const struct check_capacity *c, const struct check_load *load,
                                      const struct design *d, uint32_t *limits) {
  const struct check_section *f = &load->functional, *t = &load->total;
  double over = load->external_pa - c->min_pressure_pa;
  lanes axial, strain;

  design_effect(&axial, d, f->axial_strain, t->axial_strain);
  lanes_abs(&axial, &axial);
  design_length(&strain, d, f->bending_strain, t->bending_strain);
  strain = strain + axial;
  double used = largest_of(&strain) * c->use.strain;
  *limits |= (c->d_over_t > CHECK_LARGEST_D_OVER_T ? CHECK_LIMIT_THIN : 0) |
             (check_overpressure(c, load) < c->burst_pa ? 0 : CHECK_LIMIT_BURST);
  if (over < 0)
    return used / (1 - 5.75 * over / c->burst_pa);
  return check_power_08(used) + over * c->use.pressure;
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
         axial = wall * c->use.area, bending = length(s->bending_nm) * c->use.modulus,
         hoop = (load->internal_pa - load->external_pa) * 0.5 * (c->d_over_t - 1),
         shear = 0.5 * s->torsion_nm * c->use.modulus, worst = 0;

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
  struct design d;
  lanes_load(&d.environmental, c->use.environmental);
  lanes_load(&d.functional, c->use.functional);
  value[CHECK_LOAD_CONTROLLED] = load_controlled(c, load, &d, &out->limits[CHECK_LOAD_CONTROLLED]);
  value[CHECK_DISPLACEMENT_CONTROLLED] =
      displacement_controlled(c, load, &d, &out->limits[CHECK_DISPLACEMENT_CONTROLLED]);
  value[CHECK_STRAIN] = simplified_strain(c, load, &out->limits[CHECK_STRAIN]);
  value[CHECK_STRESS] = stress * c->use.stress;
  value[CHECK_COLLAPSE] = larger(0, load->external_pa - c->min_pressure_pa) * c->use.collapse;
  value[CHECK_YIELD] = stress * c->use.yield;
  value[CHECK_BURST] = larger(0, check_overpressure(c, load)) * c->use.containment;
  value[CHECK_PROPAGATION] = larger(0, load->external_pa - c->min_pressure_pa) * c->use.propagation;
  out->limits[CHECK_PROPAGATION] = (c->d_over_t < CHECK_LEAST_D_OVER_T ? CHECK_LIMIT_THICK : 0) |
                                   (c->d_over_t > CHECK_LARGEST_D_OVER_T ? CHECK_LIMIT_THIN : 0);
  for (int k = 0; k < CODE_CHECK_COUNT; k++) {
    out->limits[k] |= not_finite;
    if (out->limits[k])
      value[k] = (double)NAN;
  }
}
