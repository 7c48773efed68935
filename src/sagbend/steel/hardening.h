// Hardening of steel pipe in bending, from the strengths of its steel. The steel follows the law of Ramberg
// and Osgood (1943) through its yield stress at a strain of 0.5 % (where API 5L and ISO 3183 define it) and
// its tensile strength at the uniform strain, where a tensile specimen begins to neck:
//   eps = s/E + eps_p (s/fy)^n,  eps_p = 0.005 - fy/E,
//   n = ln((eps_u - fu/E)/eps_p)/ln(fu/fy).
// The moment of the round section whose outer fibre has the strain eps follows by integration over the wall;
// plane sections stay plane, and pressure and ovalisation are left out. The law of bending that core/pipe
// uses,
//   kappa EI/M_y = m + A m^B,  m = M/M_y,
// goes through its points at 0.5 % and at eps_u; M_y = fy W, W the elastic section modulus, and EI/M_y = E
// R/fy.
#pragma once

#include "sagbend/base/status.h"

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
