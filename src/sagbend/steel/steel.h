// The strength of the pipe: code check, hardening, fatigue.
#pragma once

#include "sagbend/base/base.h"

#include <stdint.h>

// ------------------------------------------------------------
// S-N curves with two slopes: cycles to failure N = a S^-m of a stress range S, continuous at the knee.

// DNV-RP-C203, table 2-1 (in air) and 2-2 (in sea water with cathodic protection), as read in open codes;
// check them against the edition in force. Name, in air: m1, log a1 (S in MPa); cathodic protection: m1, log
// a1; exponent of the thickness. The second slope is 5, from 1e7 cycles in air and 1e6 with protection.
#define SN_CURVE_TABLE(X)                                                                                    \
  X(SN_B1, "B1", 4, 15.117, 4, 14.917, 0)                                                                    \
  X(SN_C, "C", 3, 12.592, 3, 12.192, 0.05)                                                                   \
  X(SN_D, "D", 3, 12.164, 3, 11.764, 0.20)                                                                   \
  X(SN_F1, "F1", 3, 11.699, 3, 11.299, 0.25)                                                                 \
  X(SN_F3, "F3", 3, 11.546, 3, 11.146, 0.25)
#define X(id, name, m_air, a_air, m_sea, a_sea, exponent) id,
enum sn_curve_name { SN_CURVE_TABLE(X) SN_OWN };
#undef X
// The names, each after a blank.
#define SN_CURVE_WORD(id, name, m_air, a_air, m_sea, a_sea, exponent) " " name
#define SN_CURVE_NAMES                                                SN_CURVE_TABLE(SN_CURVE_WORD)

// The curve of the table with this name; SN_OWN: none.
enum sn_curve_name sn_curve_by_name(const char *name);

enum sn_environment { SN_AIR, SN_PROTECTED };

struct sn_curve_def {
  enum sn_curve_name name;
  enum sn_environment environment;
  double m[2], log_a, knee;     // SN_OWN: both slopes, log10 of a1 with S in MPa, cycles at the knee
  double scf;                   // factor on the stress range
  double reference_m, exponent; // of the thickness: the range grows by (t/reference)^exponent above it;
                                // exponent below 0: that of the curve
};

#define SN_REFERENCE_M 0.025 // the usual one; a macro, as the table of configuration keys needs its text

struct sn_curve {
  double m[2], per_cycle[2]; // damage of a cycle of range s, MPa: per_cycle s^m
  double knee_mpa, factor_per_pa;
};
struct sn_curve sn_curve_of(const struct sn_curve_def *def, double thickness_m);

// Damage of one cycle of this range.
double sn_damage(const struct sn_curve *curve, double range_pa) NONBLOCKING;

// ------------------------------------------------------------
// Rainflow counting while the stress goes on, of the points around one section (ASTM E1049, 5.4.4), and
// Miner's sum. docs/fatigue.md.

enum { FATIGUE_POINTS = 8, FATIGUE_RESIDUE = 16, FATIGUE_TICKS = 16 };

// What the points of an element have counted. Point k lies at the angle k pi/4 from the axis t2 of the
// section towards t3. 8-byte members only; zero: nothing counted.
struct fatigue_element {
  uint64_t number;                     // of the element in the pipe, plus 1; 0: none
  uint64_t length[FATIGUE_POINTS];     // points in the residue
  double direction[FATIGUE_POINTS];    // of the stress: 1, -1; 0 before its first turn
  double candidate_pa[FATIGUE_POINTS]; // extreme since the last turn
  double closed[FATIGUE_POINTS];       // damage of cycles that have closed
  double total[FATIGUE_POINTS];        // damage with half a cycle for each range of the residue
  double residue_pa[FATIGUE_RESIDUE][FATIGUE_POINTS]; // turns that have not closed, oldest first
  uint64_t samples, ticks;
  double tick_s[FATIGUE_TICKS], tick_total[FATIGUE_TICKS][FATIGUE_POINTS]; // ring of totals over the window
  double largest, rate_1ps, standby_s; // of its points: damage, damage by time; least time to the allowance
  uint64_t point;                      // of the largest
};

// Counts one sample of the stresses. gate: turns smaller than it are no turns. Returns by how much the totals
// of all points have grown. e->samples 0: the first sample.
double rainflow_sample(struct fatigue_element *e, const struct sn_curve *curve, double gate_pa,
                       const double stress_pa[FATIGUE_POINTS]) NONBLOCKING;

// Totals with the range since the last turn as half a cycle too: what a count that ends here gives.
void rainflow_ended(const struct fatigue_element *e, const struct sn_curve *curve,
                    double total[FATIGUE_POINTS]) NONBLOCKING;

// Rate over the window whose totals the ring holds, and standby time: until the first point has the
// allowance.
void rainflow_tick(struct fatigue_element *e, double time_s, double allowance) NONBLOCKING;

int rainflow_is_valid(const struct fatigue_element *e, struct reason *why);

// ------------------------------------------------------------
// Nominal elastic stresses around a pipe's section.

struct fatigue_section {
  struct sn_curve curve;
  double area_m2, per_moment_1pm3; // of the steel; stress by moment at its outer fibre
  double cosine[FATIGUE_POINTS], sine[FATIGUE_POINTS];
};
struct fatigue_section fatigue_section_of(const struct sn_curve_def *curve, double outer_diameter_m,
                                          double wall_m);

// s_q = N/A + (M2 sin q - M3 cos q) r/I at the points, Pa, from the wall tension (N) and the bending moments
// (N m).
void fatigue_stresses(const struct fatigue_section *s, double wall_tension_n, const double moment_nm[2],
                      double stress_pa[FATIGUE_POINTS]) NONBLOCKING;

// ------------------------------------------------------------
// Code check of a steel pipe during installation after DNV-ST-F101: utilisations of a cross-section from its
// steel and its loads. Pure functions without a state. docs/code-check.md states which formula could be
// compared with which edition.
//
// SI units; effective tension and strains are positive in tension; pressures are above atmospheric.

enum safety_class { SAFETY_LOW, SAFETY_MEDIUM, SAFETY_HIGH, SAFETY_CLASS_COUNT };
enum steel_grade { GRADE_NONE, GRADE_X52, GRADE_X60, GRADE_X65, GRADE_X70, STEEL_GRADE_COUNT };

struct check_steel {
  double diameter_m;          // D: outer, of the steel
  double wall_m;              // t, which is t2 before operation: the corrosion allowance is there
  double wall_tolerance_m;    // t_fab: t1 = t - t_fab decides the collapse of the whole pipe
  double yield_pa;            // SMYS
  double tensile_pa;          // SMTS
  double yield_derating_pa;   // by temperature, of SMYS
  double tensile_derating_pa; // derating of SMTS
  double material_factor;     // alpha_U
  double fabrication_factor;  // alpha_fab
  double ovality;             // O0 = (D_max - D_min)/D, at least 0.005
  double young_pa;            // E
  double poisson;             // nu
  double yield_ratio;         // alpha_h: largest ratio of yield to tensile stress
  double girth_weld_factor;   // alpha_gw; 0: check_girth_weld_factor(D/t)
  double uniform_strain;      // at the tensile strength; 0: an estimate. For the law of hardening only
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
  CHECK_DISPLACEMENT_CONTROLLED, // local buckling under imposed bending
  CHECK_STRAIN,                  // simplified criterion of the overbend
  CHECK_STRESS,                  // simplified criterion of the sagbend: equivalent stress against 0.87 fy
  CHECK_COLLAPSE,                // of the pipe under external pressure alone
  CHECK_YIELD,       // equivalent stress against the yield stress: above 1 the elastic model fails
  CHECK_BURST,       // pressure containment
  CHECK_PROPAGATION, // of a buckle: not a failure by itself, but how far one would run
  CODE_CHECK_COUNT
};

const char *
code_check_name(int check); // "load_controlled", "displacement_controlled", "strain", ...; "unknown"

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

// Wall thickness of a buckle arrestor of this length, of the same outer diameter and steel, that stops a
// buckle at an external pressure. NaN: D/t would be below 15.
double check_arrestor_wall_m(const struct check_capacity *c, double external_pa, double length_m);

void check_section_loads(const struct check_capacity *c, const struct check_load *load,
                         struct utilisation *out) NONBLOCKING;

// x^0.8 from + - * / only, so that its bits do not depend on the processor; 0 for x <= 0.
double check_power_08(double x) NONBLOCKING;

// ------------------------------------------------------------
// Hardening of steel pipe in bending, from the strengths of its steel. The steel follows the law of Ramberg
// and Osgood (1943) through its yield stress at a strain of 0.5 % (where API 5L and ISO 3183 define it) and
// its tensile strength at the uniform strain, where a tensile specimen begins to neck:
//   eps = s/E + eps_p (s/fy)^n,  eps_p = 0.005 - fy/E,
//   n = ln((eps_u - fu/E)/eps_p)/ln(fu/fy).
// The moment of the round section whose outer fibre has the strain eps follows by integration over the wall;
// plane sections stay plane, and pressure and ovalisation are left out. The law of bending that sagbend/pipe
// uses,
//   kappa EI/M_y = m + A m^B,  m = M/M_y,
// goes through its points at 0.5 % and at eps_u; M_y = fy W, W the elastic section modulus, and EI/M_y = E
// R/fy.

struct pipe_steel {
  double yield_pa, tensile_pa; // fy, fu: with derating
  double young_pa;
  double uniform_strain;     // eps_u; 0: hardening_uniform_strain
  double diameter_m, wall_m; // outer diameter; wall thickness
};

// 0.3 (1 - fy/fu), the strain hardening exponent that SINTAP (1999) and BS 7910 (2013) estimate from the two
// strengths, which by Considere (1885) is the uniform strain of steel that follows a power law; at least
// 0.02.
double hardening_uniform_strain(double yield_pa, double tensile_pa);

// A and B. STATUS_BAD_INPUT: why names the value that permits no such law.
enum status hardening_of(const struct pipe_steel *steel, double ramberg_osgood[2], struct reason *why);

// fy W, N m.
double hardening_yield_moment(const struct pipe_steel *steel);

// Moment over fy W where the outer fibre has a strain > 0, by the law of the steel.
double hardening_moment(const struct pipe_steel *steel, double strain);
