// Dense 3x3 systems. The three solvers agree to rounding error but not in their last bits, and their results
// enter state hashes: do not exchange one for another.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/math.h"

// x = a^-1 b by Cramer's rule with cofactors along the rows of a. There is no pivoting: an ill-conditioned a
// costs digits, a singular one gives infinities or NaN. x must not overlap b.
void mat3_solve_rows(const double (*a)[3], const double b[3], double x[3]) NONBLOCKING;

// The same by triple products of the columns of a.
vec3 mat3_solve_columns(const mat3 *a, vec3 b);

// x = a^-1 b by Cholesky for a symmetric positive definite a; reads the lower triangle. Squares of pivots are
// raised to at least 1e-30, so that a nearly singular a gives a large x instead of NaN. x must not overlap b.
void mat3_solve_definite(const double (*a)[3], const double b[3], double x[3]) NONBLOCKING;

// Whether a is exactly symmetric and positive definite (all leading minors positive).
int mat3_is_definite(const double (*a)[3]);
