// A soil as configured: strength of the ground below a pipe, its stiffness and suction, and friction that
// breaks out.
#pragma once

#include "sagbend/base/base.h"

enum soil_model {
  SOIL_CLAY, // undrained, DNV-RP-F114 model 2
  SOIL_SAND, // drained
  SOIL_TABLE // resistance by penetration
};
enum { SOIL_TABLE_MAX = 32 };

// Friction along one direction. The residual coefficients are friction_def.coefficient.
struct soil_friction_def {
  double peak;       // coefficient before the pipe has slipped; 0: the residual one
  double residual_m; // slip over which the peak falls to the residual, m
};

// A point of a table of resistances.
struct soil_point {
  double penetration_m, resistance_npm; // above 0
};

struct soil_def {
  enum soil_model model;
  double strength_pa, gradient_papm;       // undrained shear strength at the mudline, and by depth
  double weight_npm3;                      // submerged unit weight
  double friction_angle_rad;               // of sand
  int table_count;                         // SOIL_TABLE
  struct soil_point table[SOIL_TABLE_MAX]; // rising
  double stiffness;                        // Kmax: unloading stiffness over resistance per diameter
  double suction;                          // largest pull over the resistance
  double suction_depth;                    // share of the largest penetration over which the pull fades
  double sensitivity;    // strength over that of remoulded clay; up to 1: it does not soften
  double softening_m;    // way that clay slides until it has lost 95 % of what it loses
  double lay_factor;     // touchdown force over weight while it was laid; 0: by the statics
  double dynamic_factor; // further factor on it, of the motions while it was laid
  struct soil_friction_def axial, lateral;
  int passive; // 1: the berm of soil beside the pipe adds to the lateral peak
};

// ------------------------------------------------------------
// The normal reaction of a soil that remembers: a bed of layers in parallel below the pipe, each elastic and
// sliding, whose stiffness follows the strength of the soil. Forces and energies are per length of pipe;
// penetrations z are of the underside, positive into the ground. docs/soil.md.

enum { SOIL_LAYERS = 8, SOIL_SEGMENTS = 64 };

// Whether cycles remould a soil: its memory has one double more.
static inline int soil_softens(const struct soil_def *soil) {
  return soil->sensitivity > 1;
}

// What the ground below a metre of pipe remembers. Zero: virgin soil. Doubles only.
struct soil_memory {
  double e_m[SOIL_LAYERS]; // elastic way of each layer; 0 out of the soil
  double deepest_m;        // largest penetration so far
  double remoulded;        // share that has happened of the loss of strength by remoulding, 0 to 1
};
enum { SOIL_MEMORY = SOIL_LAYERS + 1 }; // doubles that each soil has: those before remoulded

// A soil below a pipe of one diameter.
struct soil_column {
  double k_1pm[SOIL_LAYERS], limit_m[SOIL_LAYERS]; // stiffness per strength, way up to which it is elastic
  double suction, fade;                            // largest pull; share of the depth over which it fades
  double most_lost; // share of the strength that remoulding takes in the end; 0: the soil does not soften
  double remoulding_1pm; // 3 over the way of 95 % of that
  double span_m;         // knots at span (i/segments)^2
  double knot_m[SOIL_SEGMENTS + 1];
  double s_npm[SOIL_SEGMENTS + 1], g_npm2[SOIL_SEGMENTS + 1]; // strength there, and its slope
  double half_c[SOIL_SEGMENTS + 1]; // of the square of the way from a knot; beyond the last 0
};

// Fails if the column would not be one of positive strength that grows with depth.
enum status soil_column_create(struct soil_column *column, const struct soil_def *soil, double diameter_m,
                               struct reason *why);

// Fails, naming both, if the soil carries a pipe of this weight, pressed by its lay and dynamic factor, only
// deeper than a diameter.
enum status soil_carries(const struct soil_def *soil, double diameter_m, double weight_npm,
                         struct reason *why);

// What a step from penetration z0 needs of the memory at its start.
struct soil_start {
  double z_m, force_npm, energy_jpm;
  double strength_npm, slope_npm2, half_c; // at z
  double sum[3];                           // of k, k e, k e^2
  double down_m, up_m;                     // ways within which no layer slides and the slope bends once
};
struct soil_start soil_begin(const struct soil_column *column, const struct soil_memory *memory,
                             double z_m) NONBLOCKING;

// A straight way from the start to z1. The work force_npm (z1 - z0) is the change of the energy plus the
// loss.
struct soil_way {
  double force_npm;                          // mean
  double end_force_npm;                      // at z1; below 0 the soil pulls
  double loss_jpm;                           // >= 0; with a memory, that of the remoulding too
  double stiffness_npm2, end_stiffness_npm2; // derivatives of the mean force and of that at z1 for z1
};
// memory: NULL, or where the memory at the end goes; it may be that of the start.
struct soil_way soil_over(const struct soil_column *column, const struct soil_memory *before,
                          const struct soil_start *start, double z1_m,
                          struct soil_memory *memory) NONBLOCKING;

// Whether all layers stick on the way to z1, within one segment. Then soil_stuck is the way, without a loss,
// and each e moves by z1 - z0.
static inline int soil_sticks(const struct soil_start *start, double z1_m) {
  const double d = z1_m - start->z_m;
  return start->z_m > 0 && z1_m > 0 && (d > 0 ? d <= start->down_m : d == 0 || -d <= start->up_m);
}
static inline struct soil_way soil_stuck(const struct soil_start *start, double z1_m) {
  const double d = z1_m - start->z_m, s0 = start->strength_npm, g0 = start->slope_npm2, c = start->half_c;
  const double k = start->sum[0], ke = start->sum[1], kee = start->sum[2];
  const double chord = g0 + c * d, strength = s0 + d * chord, slope = chord + c * d;
  const double end_ke = ke + k * d, more = d * (ke + end_ke), end_kee = kee + more;
  const double pair = ke + end_ke, both = kee + end_kee;
  return (struct soil_way){
      .force_npm = 0.25 * ((s0 + strength) * pair + chord * both),
      .end_force_npm = strength * end_ke + 0.5 * slope * end_kee,
      .stiffness_npm2 = 0.25 * ((s0 + strength) * k + slope * pair + 2 * chord * end_ke + c * both),
      .end_stiffness_npm2 = strength * k + 2 * slope * end_ke + c * end_kee,
  };
}

// The reaction at z after a slow way from the mudline to the largest penetration and from there to z (or to z
// alone where that is deeper), with its derivative.
struct soil_way soil_slow(const struct soil_column *column, double deepest_m, double z_m) NONBLOCKING;

// The same of a pipe that lies: it has moved a little about z, so that no layer slides at once, up or down.
// memory as above.
struct soil_way soil_at_rest(const struct soil_column *column, double deepest_m, double z_m,
                             struct soil_memory *memory) NONBLOCKING;

// The same with a stiffness that an iteration from far off can follow: at least the secant to the mudline, or
// to the largest penetration where z is above it.
struct soil_way soil_at_rest_from_far(const struct soil_column *column, double deepest_m,
                                      double z_m) NONBLOCKING;

// Penetration of a pipe that rests with this force after the soil has carried factor times it, m; the largest
// one goes to deepest_m.
double soil_resting(const struct soil_column *column, double force_npm, double factor, double *deepest_m);

// Whether a memory from a file is one that this column can have.
int soil_memory_is_valid(const struct soil_column *column, const struct soil_memory *memory, double z_m,
                         struct reason *why);

// ------------------------------------------------------------
// Friction that breaks out: a spring of stiffness k and elongation e, bounded by
//   c(N, p) = [mu_res N + ((mu_peak - mu_res) N + F) max(0, 1 - p/L)]/k,
// N the normal force, p the slip since the pipe was laid, F the passive resistance of the soil beside it. N
// and p change during the step: the bound goes linearly from its value at the start to that at the end. e
// follows the way until it meets a bound and then follows the bound:
//   force times way = change of k e^2/2 + loss,   loss = k times mean bound times slip >= 0.

struct breakout {
  double stiffness_npm;
  double peak, residual; // coefficients
  double passive_n;      // F
  double residual_m;     // L; 0: no peak
  double slipped_m;      // p at the start
  double start_normal_n, end_normal_n;
};

struct breakout_slip {
  double end_m, force_n, loss_j; // elongation at the end; mean force; energy lost
  double slip_m;                 // >= 0
  double by_way_npm, by_normal;  // derivatives of the force
};

struct breakout_slip breakout_over(const struct breakout *b, double start_m, double way_m) NONBLOCKING;

// ------------------------------------------------------------
// The laws of friction between pipe and seabed, once. All are springs whose elongation is bounded; a law
// states by what. A row without its function friction_<word> in sagbend/pipe/contact.c does not compile.

// X(LAW, word, needs_soil, remembers, meaning)
//   needs_soil  1: only on a seabed that is a soil
//   remembers   1: the state keeps how far each node has slipped since it touched down
//   meaning     in the description of environment.seabed_friction_law

#define FRICTION_LAW_TABLE(X)                                                                                \
  X(COULOMB, coulomb, 0, 0, "at most the coefficient times the normal force")                                \
  X(BREAKOUT, breakout, 1, 1, "of a soil: a peak that falls to the coefficient as the pipe slips")

// FRICTION_OF_SEABED: breakout on a soil, coulomb on another seabed. A created pipe has one of
// the others (set_friction in sagbend/pipe/pipe.c).
#define FRICTION_LAW_ENUMERATOR(LAW, ...) FRICTION_##LAW,
enum friction_law { FRICTION_OF_SEABED, FRICTION_LAW_TABLE(FRICTION_LAW_ENUMERATOR) FRICTION_LAW_COUNT };
#undef FRICTION_LAW_ENUMERATOR

// Friction as configured, and of a pipe. A law that has parameters adds its own.
struct friction_def {
  enum friction_law law;
  double coefficient[2]; // along and across the pipe; both 0: no friction
  double stiffness_npm2; // of the elastic part, per length of pipe
};

// For the row of the key: the words, and a sentence about each.
#define FRICTION_LAW_WORD(LAW, word, ...)                           #word,
#define FRICTION_LAW_DOC(LAW, word, needs_soil, remembers, meaning) " " #word ": " meaning "."

#define FRICTION_LAW_NEEDS_SOIL(LAW, word, needs_soil, remembers, ...) | (needs_soil) << FRICTION_##LAW
static inline int friction_needs_soil(enum friction_law law) {
  return ((0 FRICTION_LAW_TABLE(FRICTION_LAW_NEEDS_SOIL)) >> law) & 1;
}

#define FRICTION_LAW_REMEMBERS(LAW, word, needs_soil, remembers, ...) | (remembers) << FRICTION_##LAW
static inline int friction_remembers(enum friction_law law) {
  return ((0 FRICTION_LAW_TABLE(FRICTION_LAW_REMEMBERS)) >> law) & 1;
}

// ------------------------------------------------------------
// What a soil resists a pipe with, per length of pipe, before any history: bearing resistance, and the
// passive resistance beside a pipe.

// Resistance to a pipe of this outer diameter at a penetration, N/m; 0 at or above the mudline.
double soil_resistance(const struct soil_def *soil, double diameter_m, double penetration_m);

// Friction that breaks out, along and across the pipe.
struct soil_friction {
  double peak[2], residual_m[2]; // as in soil_friction_def
  double passive[2]; // resistance of the soil beside the pipe at z: passive[0] z + passive[1] z^2, N/m
};
// Passive resistance: z (2 su + gamma z/2) of clay, Kp gamma z^2/2 of sand, none of a table.
struct soil_friction soil_friction_of(const struct soil_def *soil);

// Force with which the touchdown pressed a pipe into the ground over its weight, at least 1 (lay factor):
// .6 + .4 (EI Q/(z T^2))^(1/4), Q = factor weight at z. tension: at the touchdown.
double soil_lay_factor(const struct soil_def *soil, double diameter_m, double weight_npm,
                       double bending_stiffness_nm2, double tension_n);

// Penetration at which the soil resists with a force, m; INFINITY where it does not within two diameters.
double soil_penetration(const struct soil_def *soil, double diameter_m, double force_npm);
