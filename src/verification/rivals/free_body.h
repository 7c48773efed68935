// Methods that the exact free body is compared with. The simulator does not link them. Momentum in the body
// frame, attitude from body to world, moments about the body's own axes.
#pragma once

#include "sagbend/math/so3.h"

typedef void rival_body_flow(const double moments[3], double h, double m_b[3], quat *q_nb);

// Rotations about the axes, symmetrically: S. Reich (1996), A. Dullweber, B. Leimkuhler, R. McLachlan,
// Symplectic splitting methods for rigid body molecular dynamics (J. Chem. Phys. 107, 1997). Order 2; 4 and 6
// by H. Yoshida, Construction of higher order symplectic integrators (Phys. Lett. A 150, 1990).
rival_body_flow rival_mclachlan_reich_2, rival_mclachlan_reich_4, rival_mclachlan_reich_6;

// The discrete Moser-Veselov equations, order 2: h m/2 = e0 I e + e x I e for the turn (e0, e) of a step, by
// iteration to rounding (J. Moser, A. P. Veselov, Commun. Math. Phys. 139, 1991, in the quaternions of E.
// Hairer, G. Vilmart, J. Phys. A 39, 2006). Where the iteration finds no solution, m_b becomes NaN.
rival_body_flow rival_moser_veselov;

// The preprocessing of Hairer and Vilmart: the same step with other moments of inertia has the even order
// asked for, 2 to 10. Their inverses are (1 + s)/I + d; s and d are power series of h^2 whose coefficients
// depend on the energy and |m_b| only, so that one call serves all steps of h. The moments must differ and
// m_b lie off the axes. 0: a modified moment would not be positive, and modified is not set.
int rival_preprocessed(const double moments[3], int order, double h, const double m_b[3], double modified[3]);

// Taylor's series of order 24 in extended precision, in steps that it resolves: a reference.
rival_body_flow rival_taylor;
