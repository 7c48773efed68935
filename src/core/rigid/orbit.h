// Within the room: an orbit of the unit momentum, in axes (a, b, c) that make all regimes one. a is the axis
// that the momentum circles, b that of the middle moment; they form a right-handed system in which the
// component along a is never negative, so m = (A dn, B sn, C cn).
#pragma once

#include "core/base/nonblocking.h"
#include "core/math/elliptic.h"
#include "core/rigid/free.h"

struct orbit {
  int axis[3];         // of the body, of a, b, c
  double sign[3];      // their directions
  double i[3];         // moments (kg m^2)
  double norm;         // |m| (kg m^2/s)
  double m[3];         // unit momentum at the start
  double g;            // 1/I_a - 1/I_c
  double beta;         // (1/I_a - 1/I_b)/g in [0, 1]
  double other;        // 1 - beta, as a quotient of its own
  double big_a, big_c; // amplitudes A, C of dn, cn; B = C/sqrt(beta)
  double kc2;          // k'^2
  double rate;         // du/dt of the unit momentum
  int steady;          // an axis of rotation, or nearly a sphere: the momentum stays
  struct elliptic_agm agm;
};

// norm = 0 (and nothing else) where there is no momentum.
struct orbit orbit_of(const struct rigid_inertia *inertia, const double m_b[3]) NONBLOCKING;
// The unit momentum in the axes of the orbit after h seconds.
void orbit_momentum(const struct orbit *o, double h, double out[3]) NONBLOCKING;
// From a, b, c to the body.
void orbit_to_body(const struct orbit *o, const double abc[3], double out[3]) NONBLOCKING;
