// For the other files of this room: the orbit of the unit momentum of a free body, in axes (a, b, c) in which
// all regimes are one. a is the axis that the momentum circles, b that of the middle moment; the axes are
// right-handed and the component along a is never negative, so that m = (A dn, B sn, C cn). Saefstroem 2009,
// Proposition 3.2.1.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/math_internal.h"
#include "sagbend/math/free.h"

struct orbit {
  int axis[3];           // body axes of a, b, c
  double sign[3];        // their directions, +1 or -1
  double i[3];           // moments about a, b, c, kg m^2
  double norm;           // |m|, kg m^2/s
  double m[3];           // unit momentum at the start, in a, b, c
  double g;              // 1/I_a - 1/I_c
  double beta;           // (1/I_a - 1/I_b)/g, in [0, 1]
  double one_minus_beta; // as a quotient of its own, so that it keeps its digits
  double big_a, big_c;   // amplitudes A of dn and C of cn; B = C/sqrt(beta)
  double kc2;            // complementary modulus k'^2
  double rate;           // du/dt of the argument of sn, cn, dn for a unit momentum
  int steady;            // 1: rotation about a principal axis, or nearly a sphere: the momentum stays
  struct elliptic_agm agm;
};

// The orbit of m_b (kg m^2/s). Without momentum norm is 0 and nothing else is set.
struct orbit orbit_of(const struct rigid_inertia *inertia, const double m_b[3]) NONBLOCKING;

// Unit momentum in a, b, c after h seconds.
void orbit_momentum(const struct orbit *orbit, double h, double out[3]) NONBLOCKING;

// From the axes a, b, c to the body frame.
void orbit_to_body(const struct orbit *orbit, const double abc[3], double out[3]) NONBLOCKING;
