// Eigenvalues of a symmetric 6x6 matrix, increasing, by Jacobi's rotations.
#pragma once

void eigenvalues6(double a[6][6], double values[6]); // overwrites a
