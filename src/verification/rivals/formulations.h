// The generalized-alpha method in the three formulations that A. Giusti (2016) compares in section 7.4:
// spatial (2.2), mixed (2.3: the rotation in the body's axes) and local (2.4: all in the body's axes, on
// SE(3)). The equations of motion are those of spatial.h, turned to the axes of the formulation; Newton's
// matrix is by differences.
#pragma once

#include "verification/rivals/spatial.h"

enum rival_formulation { RIVAL_SPATIAL, RIVAL_MIXED, RIVAL_LOCAL, RIVAL_FORMULATIONS };

// From and to a motion whose v and vdot are spatial; a is set to vdot in the axes of the formulation.
struct rival_motion rival_motion_to(enum rival_formulation f, const struct rival_motion *spatial);
struct rival_motion rival_motion_from(enum rival_formulation f, const struct rival_motion *s);

// Algorithm 1 from t_s to t_s + h; the motion is in the axes of the formulation. 0: no solution, the motion
// is as it was.
int rival_generalized_alpha_in(enum rival_formulation f, const struct rival_loads *l, double rho, double t_s,
                               double h, struct rival_motion *s);
