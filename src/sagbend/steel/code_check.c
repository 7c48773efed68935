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
#include "sagbend/steel/steel.h"

#include "sagbend/math/lanes.h"

#include <math.h>

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
  static const char *const names[CODE_CHECK_COUNT] = {
      [CHECK_LOAD_CONTROLLED] = "lcc", [CHECK_DISPLACEMENT_CONTROLLED] = "dcc", [CHECK_STRAIN] = "strain",
      [CHECK_STRESS] = "stress",       [CHECK_COLLAPSE] = "collapse",           [CHECK_YIELD] = "yield",
      [CHECK_BURST] = "burst",         [CHECK_PROPAGATION] = "propagation"};
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

double check_overpressure(const struct check_capacity *c, const struct check_load *load) {
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
