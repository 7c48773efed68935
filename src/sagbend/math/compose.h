// Symmetric compositions of two flows a and b: one step of h is a(a1 h) b(b1 h) a(a2 h) ..., the same read
// from either end. Sources: Blanes and Moan 2002, Practical symplectic partitioned Runge-Kutta and
// Runge-Kutta-Nystroem methods (J. Comput. Appl. Math. 142), as eqs. 3.38 to 3.42 of Saefstroem 2009, with
// one sign and one digit corrected (docs/rigid-bodies.md).
#pragma once

#include "sagbend/base/nonblocking.h"

// Advances a system by h, of either sign.
typedef void compose_flow(void *system, double h);

struct scheme {
  const char *name;
  int order;            // of the error at a fixed time
  int stages;           // per step: flows of the kind that does not begin and end it
  int a_first;          // 1: a begins and ends the step; 0: b
  const double *a, *b;  // coefficients from the end of the step to its middle; the others follow by symmetry
  int a_count, b_count; // coefficients in a whole step
};

// For any two flows.
extern const struct scheme scheme_v2, scheme_s4_6, scheme_s6_10;

// Runge-Kutta-Nystroem schemes, only where [b, [b, [b, a]]] = 0: a is the drift (or a free body), b the kick
// of a potential.
extern const struct scheme scheme_rkn4b_6, scheme_rkn6a_14;

// Coefficient of the i-th flow a (or b) of a step, i from 0.
double scheme_a(const struct scheme *scheme, int i) NONBLOCKING;
double scheme_b(const struct scheme *scheme, int i) NONBLOCKING;

// One step of h.
void compose(const struct scheme *scheme, compose_flow *a, compose_flow *b, void *system,
             double h) NONBLOCKING;

// A number of steps of h. The last flow of each step and the first of the next are joined into one.
void compose_steps(const struct scheme *scheme, compose_flow *a, compose_flow *b, void *system, double h,
                   long steps) NONBLOCKING;

// Suppose one of the flows dissipates with rates between sigma_min and sigma_max. The composition is proved
// to dissipate up to the returned ratio sigma_max/sigma_min; infinite where the scheme has no negative
// coefficient of that flow. Source: Celledoni, Hoiseth and Ramzina 2018, Passivity-preserving splitting
// methods for rigid body systems (Multibody Syst. Dyn. 44), eq. 20.
enum scheme_flow { SCHEME_A, SCHEME_B };
double scheme_dissipation_bound(const struct scheme *scheme, enum scheme_flow dissipative);
