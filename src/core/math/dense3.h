// Dense 3x3 systems. The three solvers agree to rounding but not in their last bits, and their results enter
// state hashes: keep each caller with its own.
#pragma once

#include "core/math/vec3.h"

// x = a^-1 b by Cramer's rule, cofactors along the first row. No pivoting: an ill-conditioned a costs digits,
// a singular one gives infinities or NaN.
void mat3_solve_rows(const double (*a)[3], const double b[3], double x[3]);

// The same by triple products of the columns of a.
vec3 mat3_solve_columns(const mat3 *a, vec3 b);

// x = a^-1 b for a symmetric positive definite a, by Cholesky; reads the lower triangle. Squares of pivots
// are at least 1e-30, so that a nearly singular a gives a large x and never NaN.
void mat3_solve_definite(const double (*a)[3], const double b[3], double x[3]);

// Whether a is exactly symmetric and positive definite (all leading minors positive).
int mat3_is_definite(const double (*a)[3]);
