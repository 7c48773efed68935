// Within the room: small dense systems for the implicit rivals.
#pragma once

// Solves a x = b by elimination with pivots, rows of n entries; a is lost, x stands in b. 0: singular.
int rival_solve(int n, double *a, double *b);
