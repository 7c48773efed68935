// Checks of the data of a diffraction code, in this order. Each writes what it found into the report; what
// contradicts itself is refused, unless the user accepts it by the check's name.
#pragma once

#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro_report.h"

#define HYDRO_CHECK_TABLE(X)                                                                                 \
  X(CHECK_MASS, "mass")                     /* a rigid body's, and positive definite */                      \
  X(CHECK_PASSIVITY, "passivity")           /* B positive semidefinite at most frequencies */                \
  X(CHECK_KRAMERS_KRONIG, "kramers-kronig") /* A and B belong together */                                    \
  X(CHECK_SYMMETRY, "symmetry")             /* of A and B where they are not left out */                     \
  X(CHECK_LONG_WAVES, "long-waves")         /* forces of the longest wave */                                 \
  X(CHECK_MOTIONS, "motions")               /* solved from A, B, C, F against the files' */
#define X(name, text) name,
enum hydro_check { HYDRO_CHECK_TABLE(X) HYDRO_CHECK_COUNT };
#undef X

// "symmetry", ...
const char *hydro_check_name(enum hydro_check check);

// Judges raw; symmetrises A and B and marks the frequencies that the fit leaves out. is_accepted: by check.
// STATUS_BAD_INPUT: a check that is not accepted failed; why says which and where.
enum status hydro_checks(struct hydro_raw *raw, const int is_accepted[HYDRO_CHECK_COUNT],
                         struct hydro_report *report, struct reason *why);

// Names of the six degrees of freedom.
extern const char *const HYDRO_DOF[6];
