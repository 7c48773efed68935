// The table of verification cases: what each one computes and where its reference comes from.
#include "verify/report/cases.h"

#include "verify/pipe/cases.h"
#include "verify/vessel/cases.h"

#include <string.h>

#define GIUSTI "A. Giusti, Spatial formulation for the dynamics of floating rigid bodies (2016)"
#define BETSCH "P. Betsch, R. Siebert (Int. J. Numer. Meth. Engng 79, 2009)"
#define THESIS "N. Saefstroem, thesis (NTNU 2009)"
static const struct verify_case CASES[] = {
    {"statics-jlay", "Statics of a J-lay in 900 m",
     "A 30-inch pipe, clamped at the seabed and pinned at the surface, under three horizontal forces.",
     "Converged: an independent code, a planar finite-strain beam with 6000 elements; tension, moment and "
     "curvature from the same code with 740. Published: " THESIS
     ", Table 5.4 (its pipe model and RIFLEX). RIFLEX defines the touchdown differently, so its figures are "
     "shown but not judged.",
     verify_statics_jlay},
    {"statics-catenary", "Statics without bending stiffness",
     "The same pipe with 1e-5 of its bending stiffness, on a stiff seabed at the level of its axis.",
     "Closed form: the elastic and the inextensible catenary; " THESIS ", Table 5.3.",
     verify_statics_catenary},
    {"statics-order", "Convergence of the statics", "The statics of the J-lay on successively finer meshes.",
     "An independent code, a planar finite-strain beam with 6000 elements "
     "(tests/reference/jlay_400kN_shape.csv). The norm is (5.109) of " THESIS
     ", the plot corresponds to its Figure 5.3.",
     verify_statics_order},
    {"statics-span", "Free spans on an uneven seabed",
     "The J-lay on a level seabed, over a 3 m trench and over a 2 m ridge.",
     "The differential equations of the planar beam on the same seabed, solved by a box scheme in an "
     "independent code: tests/reference/planar_statics.py.",
     verify_span},
    {"statics-buckling", "Stability of the static equilibrium",
     "Compressed beams: a column, and a beam on the seabed with and without friction. The case finds the "
     "compression above which the statics reject the straight beam as unstable.",
     "Closed form: the Euler load; the buckling load sqrt(k EI) of a long beam with a free end on an elastic "
     "foundation (M. Hetenyi, 1946); the first natural frequency of the column.",
     verify_buckling},
    {"statics-friction", "Seabed friction on a rising slope",
     "The J-lay up a slope of 15 degrees: with enough friction to hold the pipe, with too little, and "
     "without friction.",
     "Closed form: where mu > tan a the laid pipe keeps the tension at the touchdown; where it slides the "
     "tension falls by w (sin a - mu cos a) per metre.",
     verify_rising},
    {"statics-current", "Statics in a current",
     "A pipe without bending stiffness between a hinge and the vessel, in a sheared current across, oblique "
     "to and against the lay direction.",
     "The differential equations of the elastic cable, solved by shooting in an independent code: "
     "tests/reference/cable_in_current.py.",
     verify_current},
    {"two-catenaries", "Statics of a pipe with two sections",
     "An extensible pipe without bending stiffness between an anchor and the vessel; its upper section is "
     "heavier and stiffer.",
     "Closed form: an elastic catenary of two sections (see the head of src/verify/pipe/sections.c).",
     verify_two_catenaries},
    {"code-collapse", "Collapse pressure of the code check",
     "The collapse of a 660 mm pipe under external pressure, and the cubic of the code from D/t = 15 to 45.",
     "Published: the example of the program qwilka/PDover2t after DNVGL-ST-F101 (2017), 5.4.4.2. The cubic "
     "also "
     "by bisection.",
     verify_code_collapse},
    {"code-moment", "Allowed moment of the code check",
     "The moment at which load-controlled local buckling of a 406.4 x 21 mm pipe is fully used, without "
     "tension "
     "and pressure.",
     "Published: sreekx007/Slay-Overbend-analysis-program after DNV-ST-F101, equations 5.21 and 5.22.",
     verify_code_moment},
    {"code-propagation", "Propagation of a buckle in the code check",
     "Propagation pressure, utilisation, the depth from which on a buckle runs and the joint that stops it, "
     "for "
     "pipes from 4 to 48 inches.",
     "Published: the notebook of qwilka/PDover2t after DNVGL-ST-F101 (2017), 5.4.5.1. By hand: "
     "tests/reference/code_check.py.",
     verify_code_propagation},
    {"code-burst", "Pressure containment in the code check",
     "Bursting pressure and utilisation of pressure containment, for pipes from 4 to 48 inches.",
     "As code-propagation, 5.4.2.", verify_code_burst},
    {"section-forces", "Section forces at the nodes",
     "A cantilever of two sections under its weight and an end force, at small deflections, on a graded "
     "mesh.",
     "Closed form: shear force, bending moment and curvature of a beam.", verify_section_forces},
    {"clamped-hangoff", "Extremes at a clamped hang-off",
     "A 12.75-inch pipe from the seabed at 350 m to a hang-off clamped at 65 degrees. The largest moment, "
     "curvature, shear force and strain occur at the clamp. The case also checks the wall tension and the "
     "hang-off tension.",
     "The boundary value problem of the rod, solved by an independent code: tests/reference/clamped_pipe.py.",
     verify_clamped_hangoff},
    {"stiff-joint", "Extremes at a stiff joint",
     "The same pipe, pinned at the hang-off, with a joint in the sagbend that is twenty times as stiff. The "
     "largest moment occurs in the joint, the largest curvature beside it.",
     "As clamped-hangoff.", verify_stiff_joint},
    {"hangoff-tension", "Force between pipe and vessel",
     "The hang-off tension at rest and of a rod pulled by its top; the force of the pipe on a heaving "
     "vessel.",
     "Closed form: the first integral of the rod under gravity; the accelerated rod. Newton's second law for "
     "the vessel.",
     verify_hangoff_tension},
    {"roll-up", "Cantilever rolled up by an end moment",
     "A moment of 2 pi EI/L bends a cantilever into a circle.", "Closed form: a circular arc of radius EI/M.",
     verify_roll_up},
    {"bend-45", "The 45 degree bend",
     "A 45 degree circular arc under a dead load out of its plane: bending, torsion and shear combined.",
     "The differential equations of the rod, solved by shooting in an independent code. Published figures "
     "with 8 elements: Simo and Vu-Quoc (1986), for the case of Bathe and Bolourchi (1979).",
     verify_bend},
    {"elastica", "The elastica", "Large deflection of a cantilever under a transverse end force.",
     "Closed form with elliptic integrals, evaluated by Simpson's rule.", verify_elastica},
    {"follower-load", "Follower load at the tip",
     "A cantilever with a follower force at its tip: transverse, until the cantilever comes to rest; axial, "
     "beyond the flutter load.",
     "Transverse: the elastica, integrated from the tip as an initial value problem. Axial: the column of M. "
     "Beck (1952), p = 20.05, and the roots of its determinant.",
     verify_follower},
    {"vibration-beam", "Free vibration of a hinged beam",
     "Bending modes of a stubby beam, where shear and rotary inertia matter.",
     "Closed form: the Timoshenko beam.", verify_timoshenko},
    {"vibration-tensioned", "Free vibration under tension",
     "Bending modes of a pipe and of a string under tension.",
     "Closed form: the equations of the beam, linearised about the tensioned state (see the head of "
     "src/verify/pipe/waves.c).",
     verify_tensioned},
    {"cable-modes", "Modes of a suspended cable",
     "Small oscillations of a taut cable with a small sag between two points at the same level, in plane and "
     "out of plane.",
     "Closed form: H. M. Irvine, Cable Structures (1981), chapter 3.", verify_cable_modes},
    {"wave-axial", "Axial waves", "The first axial mode of a rod fixed at one end.",
     "Closed form, k sqrt(EA/m).", verify_axial_wave},
    {"wave-torsional", "Torsional waves", "The first torsional mode of a rod fixed at one end.",
     "Closed form, k sqrt(GJ/J1).", verify_torsional_wave},
    {"free-flight", "The flying flexible rod",
     "A force and a moment at the end of a flexible rod, triangular in time over 5 s, throw it; then it "
     "flies free.",
     "The case of Simo and Vu-Quoc (1988), who print the shapes as drawings only. Positions: an independent "
     "code with another discretisation and integrator, tests/reference/flying_rod.py. The test data of "
     "AeroBeams.jl (10 elements, steps of 1 ms, to 3.5 s) is shown but not judged. The case also checks the "
     "conservation of energy and of linear and angular momentum, and the impulse of the load.",
     verify_free_flight},
    {"rod-multisymplectic", "The rod as a constrained Hamiltonian system",
     "The flying rod by a variational integrator in quaternions, compared with the simulator's step: the "
     "conserved quantities, the multi-symplectic conservation law at every node and step, and the largest "
     "stable step for a pipe.",
     "Positions: tests/reference/flying_rod.py. The law: (6.41), (6.42) of " THESIS
     ", Paper V, with exact first variations by a complex step. Largest step: closed form 2 sqrt(J/GA), from "
     "the shear oscillation of the sections. Paper V gives no scheme; this project derived one.",
     verify_rod_multisymplectic},
    {"frame-forces", "Frame indifference of the forces",
     "A bent and twisted rod, and the same rod rotated in space.",
     "The section forces must be equal to within the rounding of the coordinates.", verify_frame_unit},
    {"frame-dynamics", "Frame indifference in motion",
     "A rod in free flight, and the same rod rotated in space, after 200 steps.",
     "Every position and velocity must rotate with the frame.", verify_frame_dynamics},
    {"frame-statics", "Frame indifference of the statics",
     "The J-lay towards north, and towards 130 degrees from a different anchor.",
     "Forces and positions must rotate with the lay azimuth.", verify_frame_statics},
    {"terminal-velocity", "A falling pipe", "A straight pipe released in still water, broadside and end-on.",
     "Closed form, V tanh(t/tau) with V = sqrt(w/k).", verify_terminal_velocity},
    {"drag-shape", "A tensioned pipe in a sheared current",
     "A weightless pipe, hinged at the seabed and pulled upwards, in a current that increases with height.",
     "Closed form for small angles, including the bending boundary layers (see the head of "
     "src/verify/pipe/water.c).",
     verify_drag_shape},
    {"water-inertia", "Accelerating water",
     "Pipes without drag in accelerating water: one free to move, one fixed at one end.",
     "Closed form: the acceleration of the water acts on the displaced mass and the added mass (see the head "
     "of src/verify/pipe/inertia.c).",
     verify_water_inertia},
    {"seabed-sliding", "Sliding on the seabed",
     "A pipe on a level seabed with an initial axial and lateral velocity, and with a force at its end.",
     "Closed form: Coulomb friction in series with an elastic spring.", verify_sliding},
    {"seabed-slope", "The angle at which a pipe slides",
     "A pipe along and across a slope, below and above the angle at which friction holds it.",
     "Closed form: Coulomb friction. The pipe rests below atan(mu); above, it accelerates with w/m (sin a - "
     "mu cos a).",
     verify_slope},
    {"seabed-impact", "Impact on the seabed damper",
     "A weightless pipe hits a seabed with spring and damper: lightly damped to overdamped, with and without "
     "suction, level and sloping; then with dampers too stiff for the step to resolve.",
     "Closed form: the linear dashpot with lift-off, T. Schwager, T. Poeschel, Granular Matter 9 (2007).",
     verify_seabed_impact},
    {"touchdown-graded", "Touchdown on a graded mesh", "The J-lay with short elements at the touchdown.",
     "The independent solution of statics-jlay (6000 elements); for the touchdown, the simulator's own "
     "solution with 3000 elements.",
     verify_graded},
    {"order-in-time", "Order in time with all loads active",
     "Vessel and pipe clamped at both ends, with current, loads, drag, damping and contact, all varying in "
     "time.",
     "The simulator's own solution with a step of 0.25 ms.", verify_order_in_time},
    {"circle-peers", "Top motion on a circle, against two open codes",
     "The top of the J-lay moves on a circle of 2.5 m in 10 s; Morison drag coefficient 1.2, added-mass "
     "coefficient 1.",
     "MoorDyn-C 2.7.1 (lumped mass) and Project Chrono 10 (isogeometric Cosserat beam), "
     "tests/reference/jlay_circle_peers.csv. The reference is the range spanned by their results.",
     verify_circle_peers},
    {"planar-heave", "Top motion in severe heave",
     "The top of the J-lay heaves by 4 and 5 m in 8 s, which causes snap loads; Morison drag coefficient "
     "1.2, added-mass coefficient 1, both forms of the added mass.",
     "An independent lumped-mass code, tests/reference/planar_heave.py.", verify_planar_heave},
    {"payout", "Pay-out and recovery",
     "600 m of the J-lay are paid out at 0.5 m/s and 300 m recovered, from a free vessel under a constant "
     "wrench "
     "and from a top that moves ahead with the pipe.",
     "The ledger; the equilibrium of a pipe of the final length.", verify_payout},
    {"planar-payout", "Pay-out from prescribed tops",
     "40 m of the J-lay are paid out at 0.5 m/s from a top that moves ahead with the pipe, without heave and "
     "with 1.5 m of it; tension, and the place of a point.",
     "A planar program with the places of nodes that move through the material as its unknowns, and backward "
     "differences of order 2 in time.",
     verify_planar_payout},
    {"sleeve", "Strongly bent rod in a sleeve",
     "A weightless rod between a clamp and a sleeve that is turned by 1.9 rad; a metre is paid out through "
     "the "
     "sleeve.",
     "The rod's differential equations by shooting, tests/reference/sleeve.py: its first integral is the "
     "force "
     "that holds the material in the sleeve, though the rod is under compression there.",
     verify_sleeve},
    {"abandonment", "Abandonment and recovery",
     "jlay-900m-abandonment.yaml: joints, buckle arrestor, pull-head of 15 t and wire go out until the head "
     "lies on the seabed; then 300 m of the wire come back.",
     "The ledger; the equilibrium of the mesh that the pipe has at both ends.", verify_abandonment},
    {"retiring", "Laid pipe that retires",
     "The J-lay lays 3000 m and recovers 2000 m with 350 m of laid pipe in the computation; 300 m out and "
     "back beside a computation of the whole pipe.",
     "The ledger; the same lay without retiring.", verify_retiring},
    {"laid-curve", "A lay along a curve",
     "The J-lay follows a curve of 2000 m radius with a blend of 300 m at 0.5 m/s: without drag of the "
     "water, in still "
     "water and in a current of 0.3 m/s across.",
     "A catenary with bending stiffness that is towed along the curve, integrated point by point as it is "
     "laid.",
     verify_laid_curve},
    {"plasticity", "Bending beyond yield",
     "A cantilever under an end moment that is turned over once and taken away, one that is thrown about in "
     "space, and pipe that is laid over stingers.",
     "Closed form: the law of Ramberg and Osgood with Masing's rule; the ledger.", verify_plasticity},
    {"yield-mesh", "Bending beyond yield and the mesh",
     "A J-lay whose sagbend yields, with the hardening of its steel: the law of bending from SMYS and SMTS, "
     "and "
     "the largest strain as the elements become shorter; the same without hardening, which does not "
     "converge.",
     "The boundary value problem of the rod with that law, and the law by slices of the section, by an "
     "independent code: tests/reference/yielding_statics.py.",
     verify_yield_mesh},
    {"surface", "Pipe at and above the water",
     "A rod that floats, and one dropped into the water; a pipe that hangs through the surface; pay-out from "
     "above the water.",
     "Closed forms: Archimedes' principle for a circular section; an elastic catenary whose weight changes "
     "at "
     "the surface; the ledger.",
     verify_surface},
    {"flooding", "Water in the pipe",
     "A pipe without bending stiffness that hangs between two points and fills from a place up; a level pipe "
     "that "
     "sinks while it fills.",
     "Closed forms: an elastic catenary of three parts, the pressures on a wall, a body that takes on mass.",
     verify_flooding},
    {"tower", "A tower that turns",
     "The pipe of clamped-hangoff, clamped at 75 degrees, whose clamp turns to 65 degrees.",
     "The boundary value problem of the rod, solved by an independent code: tests/reference/clamped_pipe.py; "
     "moment "
     "times angle; the orders in time.",
     verify_tower},
    {"tensioner", "Tensioner on a heaving vessel",
     "The J-lay hangs from a free vessel that heaves by 1.2 m in 10 s; the tensioner brakes, holds a tension "
     "within two dead bands, or slips in its brake at 1.6 MN.",
     "A code of the same equations in the plane; Coulomb's law; the ledger.", verify_tensioner},
    {"stinger", "Pipe over the rollers of a stinger",
     "The 16-inch S-lay in 100 m of water: the curvature over rollers that hold both ways; unilateral "
     "rollers, "
     "level and V with friction, as the free vessel heaves and pitches, and as pipe is paid out.",
     "Closed form: a beam under tension on equally spaced supports; the ledger.", verify_stinger},
    {"circle-envelopes", "Top motion on a circle: envelopes",
     "The same top motion on the seabed of (5.38), ramped in and out within 60 s.",
     "The simulator's own solution with a step of 2.5 ms; Morison's formula for what drag takes. The plots "
     "correspond to Figures 5.9 to 5.13 "
     "of " THESIS ", section 5.4.3.",
     verify_circle_envelopes},
    {"circle-mesh", "Convergence of the dynamics with the mesh",
     "The same motion on successively finer meshes; the shape at 15 s. The touchdown lies at a different "
     "place between two nodes on each mesh, so single error ratios scatter; the slope through all of them "
     "does not.",
     "The simulator's own solution with 1280 elements; Morison's formula for what drag takes. The plot "
     "corresponds to Figure 5.14 of " THESIS ".",
     verify_circle_mesh},
    {"paper-iii-pd", "Paper III: PD controller",
     "A clamped pipe in 800 m of water. A side force and a current start at 10 s, the controller at 30 s.",
     THESIS ", Paper III, Figures 4.2 and 4.3: the PD controller leaves a steady-state offset. "
            "configs/paper-iii.yaml lists the values that the paper does not state.",
     verify_paper_pd},
    {"paper-iii-pid", "Paper III: PID controller", "The same case with integral action.",
     THESIS ", Paper III, Figures 4.2 and 4.4: the integral action removes the offset.", verify_paper_pid},
    {"osv-decay", "Free oscillation of a vessel with a full mass matrix",
     "The 83 m supply vessel oscillates in each of its modes in heave, roll and pitch, without damping.",
     "Eigenvalues of the mass and restoring matrices (Marine Systems Simulator, T. I. Fossen), "
     "tests/reference/osv_vessel.py.",
     verify_osv_decay},
    {"osv-thrust", "A vessel under constant thruster set-points",
     "The same vessel starts from rest under constant set-points of two tunnel and two azimuth thrusters: "
     "drives with lag and rate limit, thrust losses, full mass matrix, damping.",
     "The same equations by a Runge-Kutta method of order 4 in an independent code, "
     "tests/reference/osv_vessel.py.",
     verify_osv_thrust},
    {"wave-spectrum", "Wave spectrum",
     "Significant height, peak and moments of the elevation over many hours.",
     "The JONSWAP formula, integrated by Simpson's rule.", verify_wave_spectrum},
    {"wind-spectrum", "Wind gust spectra",
     "Variance of the gusts over many hours, in total and by frequency band.",
     "The formulas of NORSOK N-003 and API RP 2A, integrated by Simpson's rule.", verify_wind_spectrum},
    {"wind-profile", "Wind profile and gust spectrum",
     "Mean wind speed over height and spectral density of the gusts over frequency.",
     "The formulas of NORSOK N-003 and API RP 2A.", verify_wind_profile},
    {"regular-wave", "Vessel motion in regular waves",
     "The 83 m supply vessel in small oblique waves of 6 to 18 s, all six motions.",
     "The linear equations of motion in the frequency domain; the excitation force by sums over the cells of "
     "the hull.",
     verify_regular_wave},
    {"radiation-memory", "Memory of the radiation in regular waves",
     "The same vessel with a radiation of four oscillators that couple its motions.",
     "The linear equations of motion in the frequency domain, with the impedance of the oscillators.",
     verify_radiation_memory},
    {"hull-drag", "Drag of the water on the hull",
     "The 83 m vessel held in a current from four directions, and drifting under 200 kN from the side.",
     "Closed form: the level 1 coefficients of DNV-ST-0111; the speed at which linear damping and the drag "
     "of "
     "the sections balance the force.",
     verify_hull_drag},
    {"wind-and-drift", "Mean forces of wind and waves",
     "The 83 m supply vessel, held by springs and drifting, in a steady wind and under the mean wave drift "
     "force.",
     "Closed form: wind coefficients by Blendermann; the wave reflection of a plate by Ursell; the drift "
     "speed at which the damping balances these forces.",
     verify_drift},
    {"free-body", "The free rigid body",
     "Random bodies to t = 10, bodies with all kinds of inertia, and the energy over 1000 steps.",
     "Taylor series in extended precision. Amplitudes of the energy error: " THESIS
     ", section 2.4.1. The plots correspond to its Figures 2.1, 2.2, 3.1, 3.3, 3.4.",
     verify_free_body},
    {"heavy-top", "The heavy top", "Energy error over 100 s, order, and nearly free bodies in a weak field.",
     THESIS ", Figures 2.3 to 2.6 and 3.5; the numbers come from an independent implementation of the same "
            "schemes, those of "
            "the nearly free bodies from the free body by Taylor series.",
     verify_heavy_top},
    {"satellite", "A satellite in a gravity gradient", "Energy error of a fast tumbling body over 400 s.",
     THESIS ", Figures 2.7, 2.8, 3.6, 3.7 and its H0; the numbers come from an independent implementation of "
            "the same schemes.",
     verify_satellite},
    {"dipoles", "Soft dipolar spheres",
     "Energy error of 100 and 125 bodies against the number of potential evaluations.",
     "Conservation; the orders of the schemes; " THESIS
     ", Figures 3.8 and 3.10, from a different initial state.",
     verify_dipoles},
    {"sphere-torque", "A sphere under a constant torque",
     "Constant torque in the body frame, by the generalized-alpha method in spatial coordinates: order and "
     "cost with and without its numerical damping.",
     "Closed form (see the head of src/verify/vessel/spatial.c), itself checked against an independent code, "
     "tests/reference/rigid_loads.py; " GIUSTI ", 7.1, Figure 3.",
     verify_sphere_torque},
    {"axisymmetric-torque", "An axisymmetric body under a constant torque",
     "The same with I = (20, 20, 7), also at twice the velocity.",
     "As sphere-torque; " GIUSTI ", 7.2, Figure 4.", verify_axisymmetric_torque},
    {"oscillator", "A forced damped oscillator", "A body on a spring and a damper, by the same method.",
     "Closed form, " GIUSTI
     ", (44) to (46), Figure 5, with the phase in the correct quadrant; the leading error of the "
     "method from its Taylor series.",
     verify_oscillator},
    {"follower-loads", "A rigid body under follower loads",
     "Follower force and torque, and follower transformations of position, velocity and acceleration, from "
     "two initial states, by the same method.",
     "The same equations in body coordinates in an independent code, tests/reference/rigid_loads.py; " GIUSTI
     ", 7.4, Figures 6 and 7.",
     verify_follower_loads},
    {"quaternion-free", "The free body in quaternions and in directors",
     "A fast body to t = 1 by QUAT_EM, QUAT_VI and DIR_EM: order, cost and conserved quantities.",
     "The same equations in an independent code, tests/reference/rigid_loads.py; " BETSCH ", Figure 1.",
     verify_quaternion_free},
    {"precession", "Steady precession of a top",
     "A cone that precesses without nutation, by the same methods.",
     "Closed form: the axis moves on a circle. " BETSCH ", Figures 3 to 5.", verify_precession},
    {"vessel-splitting", "A vessel and its PID by exact splittings",
     "SP2, SP4 and SP6: order, long steps over 200 s, energy and control at the large steps of the paper.",
     "The complete system by a Runge-Kutta pair of order 8 in an independent code, "
     "tests/reference/vessel_pid.csv; improved Euler and RK4. The plots correspond to Figures 2 to 4 of E. "
     "Celledoni, E. H. Hoiseth, N. Ramzina (2018), which are drawings only. The numbers for H/H0 and the "
     "largest steps come from an independent implementation.",
     verify_vessel_splitting},
    {"vessel-day", "A day in random seas",
     "A vessel under a random wrench, constant over each step: the difference between the attitude and the "
     "tilt that the splitting uses for the restoring forces, with and without the correcting rotation after "
     "each step; the energy ledger of the simulator.",
     "The identity mu = G q3, (36) of E. Celledoni, E. H. Hoiseth, N. Ramzina (2018); the energy balance.",
     verify_vessel_day},
    {"splitting-passivity", "Passivity of the exact splittings",
     "Random initial states, wrenches and steps of 0.01 to 20 s by SP2, SP4 and SP6.",
     "The passivity inequality itself for SP2; the bounds (20) of E. Celledoni, E. H. Hoiseth, N. Ramzina "
     "(2018), evaluated by hand.",
     verify_splitting_passivity},
    {"order-four", "Order 4 in the simulator",
     "A free vessel with a full mass matrix, and a vessel under commands that change every second, with "
     "simulation.order 4 and 2.",
     "The equations of motion by RK4 with steps of 2 and 10 ms in a separate implementation "
     "(src/verify/rivals/explicit.c); conservation.",
     verify_order_four},
    {"passivity", "Passivity under attack",
     "Random commands, steps of 1 to 200 ms, steady and varying currents, with and without contact and "
     "friction, pinned and clamped ends, also with Newton's method stopped early.",
     "The passivity inequality itself: the stored energy grows by no more than the energy supplied through "
     "the ports.",
     verify_passivity},
};

int verify_count(void) {
  return (int)(sizeof CASES / sizeof *CASES);
}
const struct verify_case *verify_at(int index) {
  return &CASES[index];
}

const struct verify_case *verify_find(const char *name) {
  for (int i = 0; i < verify_count(); i++)
    if (strcmp(CASES[i].name, name) == 0)
      return &CASES[i];
  return NULL;
}
