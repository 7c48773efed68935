// Symmetric compositions of two flows. A step of h is a(a1 h) b(b1 h) a(a2 h) ..., read the same from both
// ends. Source: S. Blanes, P. C. Moan, Practical symplectic partitioned Runge-Kutta and Runge-Kutta-Nystroem
// methods (J. Comput. Appl. Math. 142, 2002), as (3.38) to (3.42) of Saefstroem's thesis (2009), with a sign
// and a digit mended.
#pragma once

#include "core/base/nonblocking.h"

typedef void compose_flow(void *system, double h);

struct scheme {
  const char *name;
  int order;  // of the error of a run
  int stages; // flows of the other kind than the one that begins and ends
  int a_first;
  const double *a, *b;  // from the end of the step to its middle: half of what is there, by symmetry
  int a_count, b_count; // in a whole step
};

extern const struct scheme scheme_v2, scheme_s4_6, scheme_s6_10; // for any two flows
// Only where [b, [b, [b, a]]] = 0: a the drift (or a free body), b the kick of a potential.
extern const struct scheme scheme_rkn4b_6, scheme_rkn6a_14;

// The coefficient of the i-th flow a (or b) of a step, i from 0.
double scheme_a(const struct scheme *s, int i) NONBLOCKING;
double scheme_b(const struct scheme *s, int i) NONBLOCKING;

void compose(const struct scheme *s, compose_flow *a, compose_flow *b, void *system, double h) NONBLOCKING;
// The same steps one after the other; the last flow of each and the first of the next are one.
void compose_steps(const struct scheme *s, compose_flow *a, compose_flow *b, void *system, double h,
                   long steps) NONBLOCKING;

// Where one of the flows dissipates, with rates between sigma_min and sigma_max, the composition is proved to
// dissipate up to this sigma_max/sigma_min; infinite where the scheme takes no negative part of that flow.
// (20) in E. Celledoni, E. H. Hoiseth, N. Ramzina, Passivity-preserving splitting methods for rigid body
// systems (Multibody Syst. Dyn. 44, 2018).
enum scheme_flow { SCHEME_A, SCHEME_B };
double scheme_dissipation_bound(const struct scheme *s, enum scheme_flow dissipative);
