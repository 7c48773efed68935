// Code check of a steel pipe during installation after DNV-ST-F101: utilisations of a cross-section from its
// steel and its loads. Pure functions without a state. docs/code-check.md states which formula could be
// compared with which edition.
//
// SI units; effective tension and strains are positive in tension; pressures are above atmospheric.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"

#include <stdint.h>

enum safety_class { SAFETY_LOW, SAFETY_MEDIUM, SAFETY_HIGH, SAFETY_CLASS_COUNT };
enum steel_grade { GRADE_NONE, GRADE_X52, GRADE_X60, GRADE_X65, GRADE_X70, STEEL_GRADE_COUNT };

struct check_steel {
  double diameter_m;          // D: outer, of the steel
  double wall_m;              // t, which is t2 before operation: the corrosion allowance is there
  double wall_tolerance_m;    // t_fab: t1 = t - t_fab decides the collapse of the whole pipe
  double yield_pa;            // SMYS
  double tensile_pa;          // SMTS
  double yield_derating_pa;   // by temperature, of SMYS
  double tensile_derating_pa; // likewise of SMTS
  double material_factor;     // alpha_U
  double fabrication_factor;  // alpha_fab
  double ovality;             // O0 = (D_max - D_min)/D, at least 0.005
  double young_pa;            // E
  double poisson;             // nu
  double yield_ratio;         // alpha_h: largest ratio of yield to tensile stress
  double girth_weld_factor;   // alpha_gw; 0: check_girth_weld_factor(D/t)
  double uniform_strain;      // at the tensile strength; 0: an estimate. For sagbend/steel/hardening.h only
  int grade;                  // enum steel_grade, for the simplified strain criterion
};

// Load effects are combined as M = functional * condition * M_F + environmental * M_E.
enum { CHECK_COMBINATIONS = 4 };
struct check_factors {
  double material;       // gamma_m
  double local_buckling; // gamma_SC,LB
  double containment;    // gamma_SC,PC
  double strain;         // gamma_SC,DC
  double condition;      // gamma_C
  struct {
    double functional, environmental; // gamma_F, gamma_E
  } combination[CHECK_COMBINATIONS];
};

// Load effect factors. DNV-ST-F101, table 4-4: a; b; b where the functional load relieves, twice. DNV-ST-F201
// (risers), table 5-2, as DNV-OS-C501, table 8-4: b; b where the functional, b where the environmental load
// relieves. In F101 an environmental load that relieves needs no factor of its own: a, with 1.2 and 0.7, is
// always worse than 1.1 and 1/1.3.
enum check_load_factors { LOAD_FACTORS_ST_F101, LOAD_FACTORS_ST_F201 };
void check_factors_use(struct check_factors *factors, enum check_load_factors of);

// Those of F101.
struct check_factors check_factors_of(enum safety_class class, double condition);

// alpha_gw: 1 up to D/t = 20, from there linear to 0.6 at D/t = 60.
double check_girth_weld_factor(double d_over_t);

// What the formulas need of a section.
struct check_capacity {
  struct check_steel steel;
  struct check_factors factors;
  double min_pressure_pa;      // p_min: internal pressure that is certain
  double d_over_t;             // D/t2
  double yield_pa, tensile_pa; // fy, fu: with derating and alpha_U
  double flow;                 // alpha_c
  double beta;
  double moment_nm, force_n;     // Mp, Sp: plastic capacities
  double burst_pa;               // pb(t2)
  double containment_pa;         // pb(t1)
  double propagation_pa;         // ppr(t2): down to it a buckle that has begun runs on
  double elastic_pa, plastic_pa; // pel, pp of t1
  double collapse_pa;            // pc(t1)
  double local_collapse_pa;      // pc(t2)
  double strain;                 // eps_c without pressure
  double area_m2, bore_m2;       // of the steel; inside it
  double outer_m2;               // within the outer diameter
  double modulus_m3;             // elastic section modulus
  // What each step multiplies by: utilisation per load.
  struct {
    double moment, force, pressure;         // g/(alpha_c Mp), g/(alpha_c Sp), g/pc(t2)
    double strain, collapse;                // gamma_SC,DC/eps_c, g/pc(t1)
    double containment, propagation;        // gamma_m gamma_SC,PC/pb(t1), g/ppr(t2)
    double stress, yield;                   // 1/(0.87 fy), 1/(SMYS - derating)
    double area, modulus;                   // 1/area_m2, 1/modulus_m3
    double functional[4], environmental[4]; // factors of the combinations; functional less environmental,
                                            // gamma_C included
  } use;
};

// STATUS_BAD_INPUT: a number is not finite or outside its range; why names it.
enum status check_prepare(const struct check_steel *steel, const struct check_factors *factors,
                          double min_pressure_pa, struct check_capacity *out, struct reason *why);

// Smallest positive root of (p - pel)(p^2 - pp^2) = p pel pp O0 D/t, Pa.
double check_collapse_pressure(double elastic_pa, double plastic_pa, double ovality, double d_over_t);

// Section forces and the strains that belong to them.
struct check_section {
  double tension_n;     // effective
  double bending_nm[2]; // about two transverse axes
  double torsion_nm;
  double axial_strain;
  double bending_strain[2]; // at the outer fibre of the steel: curvature times outer radius
};

struct check_load {
  struct check_section functional; // gravity and tension: the static equilibrium
  struct check_section total;      // with everything else; the difference is the environmental part
  double external_pa, internal_pa; // at this depth
};

enum code_check {
  CHECK_LOAD_CONTROLLED,         // local buckling under combined loading
  CHECK_DISPLACEMENT_CONTROLLED, // the same for imposed bending
  CHECK_STRAIN,                  // simplified criterion of the overbend
  CHECK_STRESS,                  // simplified criterion of the sagbend: equivalent stress against 0.87 fy
  CHECK_COLLAPSE,                // of the pipe under external pressure alone
  CHECK_YIELD,       // equivalent stress against the yield stress: above 1 the elastic model fails
  CHECK_BURST,       // pressure containment
  CHECK_PROPAGATION, // of a buckle: not a failure by itself, but how far one would run
  CODE_CHECK_COUNT
};

const char *code_check_name(int check); // "lcc", "dcc", "strain", ...; "unknown"

// Range of D/t of local buckling and propagation.
#define CHECK_LEAST_D_OVER_T   15.0
#define CHECK_LARGEST_D_OVER_T 45.0

// Why a check does not apply. Bits.
#define CHECK_LIMIT_TABLE(X)                                                                                 \
  X(CHECK_LIMIT_THICK, 0, "D/t is below 15")                                                                 \
  X(CHECK_LIMIT_THIN, 1, "D/t is above 45")                                                                  \
  X(CHECK_LIMIT_TENSION, 2, "the effective tension is 0.4 of the plastic capacity or more")                  \
  X(CHECK_LIMIT_NO_GRADE, 3, "the steel has no grade")                                                       \
  X(CHECK_LIMIT_BURST, 4, "the internal overpressure reaches the burst pressure")                            \
  X(CHECK_LIMIT_NOT_FINITE, 5, "a load is not finite")
enum check_limit {
#define X(name, bit, text) name = 1 << (bit),
  CHECK_LIMIT_TABLE(X)
#undef X
};
enum { CHECK_LIMIT_COUNT = 6 };
const char *check_limit_text(int bit); // "unknown limit" for a number that is none

struct utilisation {
  double value[CODE_CHECK_COUNT];    // up to 1: the check is passed; NaN: it does not apply
  uint32_t limits[CODE_CHECK_COUNT]; // why it does not apply; 0: it applies
};

// Largest internal overpressure of a load, Pa: of the content, or the pressure that is certain.
double check_overpressure(const struct check_capacity *c, const struct check_load *load) NONBLOCKING;

// Wall thickness of a buckle arrestor of this length, of the same outer diameter and steel, that stops a
// buckle at an external pressure. NaN: D/t would be below 15.
double check_arrestor_wall_m(const struct check_capacity *c, double external_pa, double length_m);

void check_section_loads(const struct check_capacity *c, const struct check_load *load,
                         struct utilisation *out) NONBLOCKING;

// x^0.8 from + - * / only, so that its bits do not depend on the processor; 0 for x <= 0.
double check_power_08(double x) NONBLOCKING;
