// S-N curves with two slopes: cycles to failure N = a S^-m of a stress range S, continuous at the knee.
#pragma once

#include "sagbend/base/nonblocking.h"

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
