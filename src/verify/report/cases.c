// The table of cases: the contents of the manual.
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
     "Converged: an independent planar finite-strain beam, 6000 elements, in other code; tension, moment and "
     "curvature of the same "
     "with 740. Published: " THESIS
     ", Table 5.4 (its pipe model and RIFLEX). RIFLEX's touchdown is defined otherwise and its "
     "figures are shown, not judged.",
     verify_statics_jlay},
    {"statics-catenary", "Statics without bending stiffness",
     "The same pipe with a hundred-thousandth of its bending stiffness, on a stiff seabed under its axis.",
     "Closed form of the elastic and of the inextensible catenary; " THESIS ", Table 5.3.",
     verify_statics_catenary},
    {"statics-order", "Convergence of the statics", "The statics of the J-lay on ever finer meshes.",
     "An independent planar finite-strain beam, 6000 elements, in other code, "
     "tests/reference/jlay_400kN_shape.csv; the norm is "
     "(5.109) of " THESIS ", the plot its Figure 5.3.",
     verify_statics_order},
    {"statics-span", "Free spans on uneven ground",
     "The J-lay on level ground, over a trench of 3 m and over a ridge of 2 m.",
     "The planar beam's differential equations on the same ground, by a box scheme, in other code: "
     "tests/reference/planar_statics.py.",
     verify_span},
    {"statics-buckling", "Stability of what the statics find",
     "Compressed beams: a column, and a beam on the ground with and without friction. The compression from "
     "which on the statics "
     "refuse the straight beam as unstable.",
     "Closed form: Euler's load; that of a long beam on an elastic foundation with a free end, sqrt(k EI) "
     "(M. Hetenyi, 1946); the "
     "column's first frequency.",
     verify_buckling},
    {"statics-friction", "Friction on ground that rises ahead",
     "The J-lay up a slope of 15 degrees, with more and with less friction than holds it, and with none.",
     "Closed form: the tension of a laid pipe stays that of the touchdown where mu > tan a, and falls by w "
     "(sin a - mu cos a) "
     "where it slides.",
     verify_rising},
    {"statics-current", "Statics in a current",
     "The pipe without bending stiffness between a hinge and the vessel, in a sheared current across, askew "
     "and against it.",
     "The elastic cable's differential equations by shooting, in other code: "
     "tests/reference/cable_in_current.py.",
     verify_current},
    {"two-catenaries", "Statics of a pipe of two kinds",
     "A stretchable pipe without bending stiffness, its upper part heavier and stiffer, between an anchor "
     "and the vessel.",
     "Closed form: an elastic catenary of two parts (head of src/verify/pipe/sections.c).",
     verify_two_catenaries},
    {"section-forces", "Section forces at the nodes",
     "A cantilever of two kinds under its weight and an end force, small deflections, on a graded mesh.",
     "Closed form: a beam's shear, moment and curvature.", verify_section_forces},
    {"clamped-hangoff", "Extremes at a clamped hang-off",
     "A 12.75-inch pipe from the seabed, 350 m deep, to a hang-off clamped at 65 degrees: the largest "
     "moment, curvature, shear and "
     "strain are those at the clamp. Wall tension, and the hang-off tension.",
     "The rod's ordinary differential equations as a boundary value problem, in other code: "
     "tests/reference/clamped_pipe.py.",
     verify_clamped_hangoff},
    {"stiff-joint", "Extremes at a stiff joint",
     "The same pipe, pinned, with a joint twenty times as stiff in the sagbend: the largest moment lies in "
     "the joint, the largest "
     "curvature beside it.",
     "As clamped-hangoff.", verify_stiff_joint},
    {"hangoff-tension", "Force between pipe and vessel",
     "The hang-off tension at rest, of a rod that is drawn by its top, and the pull on a heaving vessel.",
     "Closed form: the first integral of the rod in gravity; the accelerated rod. Newton's law for the "
     "vessel alone.",
     verify_hangoff_tension},
    {"roll-up", "Cantilever rolled up by an end moment",
     "A moment of 2 pi EI/L bends a cantilever into a circle.",
     "Closed form: an arc of a circle of radius EI/M.", verify_roll_up},
    {"bend-45", "The 45 degree bend",
     "A quarter of a half circle under a dead load out of its plane: bending, torsion and shear together.",
     "The rod's ordinary differential equations by shooting, in other code. Published figures with 8 "
     "elements: Simo and Vu-Quoc "
     "(1986) on the case of Bathe and Bolourchi (1979).",
     verify_bend},
    {"elastica", "The elastica", "Large deflection of a cantilever under a transverse end force.",
     "Closed form with elliptic integrals, evaluated by Simpson's rule.", verify_elastica},
    {"follower-load", "A load that follows the tip",
     "A cantilever whose tip is pushed in its own frame: across, to rest; along, beyond the load where it "
     "flutters.",
     "Across: the elastica's equation from the tip, an initial value problem. Along: M. Beck's column "
     "(1952), p = 20.05, and the roots "
     "of its determinant.",
     verify_follower},
    {"vibration-beam", "Free vibration of a beam between hinges",
     "Bending modes of a stubby beam, where shear and rotary inertia matter.",
     "Closed form, Timoshenko's beam.", verify_timoshenko},
    {"vibration-tensioned", "Free vibration under tension",
     "Bending modes of a pipe and of a string under tension.",
     "Closed form: the beam's equations linearised about the stretched state (head of "
     "src/verify/pipe/waves.c).",
     verify_tensioned},
    {"cable-modes", "Modes of a suspended cable",
     "Small oscillations of a taut cable of little sag between two points at one level, in its plane and out "
     "of it.",
     "Closed form: H. M. Irvine, Cable Structures (1981), chapter 3.", verify_cable_modes},
    {"wave-axial", "Axial waves", "The first mode along the axis of a rod held at one end.",
     "Closed form, k sqrt(EA/m).", verify_axial_wave},
    {"wave-torsional", "Torsional waves", "The first mode about the axis of a rod held at one end.",
     "Closed form, k sqrt(GJ/J1).", verify_torsional_wave},
    {"free-flight", "The flying flexible rod",
     "A soft rod is thrown by a force and a moment at its end, a triangle in time of 5 s, then flies free.",
     "The case of Simo and Vu-Quoc (1988), whose shapes are printed as drawings only. Positions: the same "
     "rod by "
     "another discretisation and integrator, tests/reference/flying_rod.py; AeroBeams.jl (10 elements, steps "
     "of 1 ms; "
     "its test data, end at 3.5 s) is shown. Then conservation of energy and of linear and angular momentum; "
     "the "
     "impulse of the load.",
     verify_free_flight},
    {"rod-multisymplectic", "The rod as a constrained Hamiltonian system",
     "The flying rod, thrown and free, by a variational integrator in quaternions, beside this project's "
     "step; what it keeps, the "
     "multi-symplectic conservation law at every node and step, and the largest step that a pipe allows.",
     "Positions: tests/reference/flying_rod.py. The law: (6.41), (6.42) of " THESIS
     ", Paper V, with exact first variations by a "
     "complex step. The step: closed form, 2 sqrt(J/GA), the shear oscillation of the sections. Paper V "
     "names no scheme: this one is ours.",
     verify_rod_multisymplectic},
    {"frame-forces", "Frame indifference of the forces",
     "A bent and twisted rod, and the same turned in space.",
     "The forces in the section must be the same, to rounding of the coordinates.", verify_frame_unit},
    {"frame-dynamics", "Frame indifference in motion",
     "A rod in free flight, and the same turned in space, after 200 steps.",
     "Every position and velocity must turn with the frame.", verify_frame_dynamics},
    {"frame-statics", "Frame indifference of the statics",
     "The J-lay towards north, and towards 130 degrees from another anchor.",
     "Forces and positions must turn with the lay azimuth.", verify_frame_statics},
    {"terminal-velocity", "A falling pipe", "A straight pipe released in still water, broadside and end-on.",
     "Closed form, V tanh(t/tau) with V = sqrt(w/k).", verify_terminal_velocity},
    {"drag-shape", "A tensioned pipe in a sheared current",
     "A weightless pipe hinged at the seabed and pulled up, in a current growing with height.",
     "Closed form for small angles, with its bending boundary layers (head of src/verify/pipe/water.c).",
     verify_drag_shape},
    {"water-inertia", "Accelerating water",
     "Pipes without drag in water that accelerates: adrift, and held at one end.",
     "Closed form: the displaced water's mass and the added mass on the water's acceleration (head of "
     "src/verify/pipe/inertia.c).",
     verify_water_inertia},
    {"seabed-sliding", "Sliding on the seabed",
     "A pipe lying on a level seabed, thrown along and across, and pushed at its end.",
     "Closed form: Coulomb's friction behind an elastic spring.", verify_sliding},
    {"seabed-slope", "The angle at which a pipe slides",
     "A pipe lying along and across a slope, less and more steep than its friction holds.",
     "Closed form: Coulomb's friction; at rest below atan(mu), above it an acceleration of w/m (sin a - mu "
     "cos a).",
     verify_slope},
    {"seabed-impact", "Impact on the seabed's damper",
     "A weightless pipe thrown at a seabed of spring and damper, from light to overdamped, with and without "
     "suction, level and on a "
     "slope; then with dampers that no step resolves.",
     "Closed form: the linear dashpot with lift-off, T. Schwager, T. Poeschel, Granular Matter 9 (2007).",
     verify_seabed_impact},
    {"touchdown-graded", "Touchdown on a graded mesh", "The J-lay with short elements where it touches down.",
     "The same independent solution as in statics-jlay (6000 elements, in other code); own solution with "
     "3000 for the touchdown.",
     verify_graded},
    {"order-in-time", "Order in time with every port on",
     "Vessel and clamped-in pipe, current, loads, drag, damping and contact, each varying in time.",
     "Own solution with a step of 0.25 ms.", verify_order_in_time},
    {"circle-peers", "The top on a circle, against two open codes",
     "The top of the J-lay moved on a circle of 2.5 m in 10 s: Morison drag 1.2, added mass 1.",
     "MoorDyn-C 2.7.1 (lumped mass) and Project Chrono 10 (isogeometric Cosserat beam), "
     "tests/reference/jlay_circle_peers.csv: the "
     "spread of their results.",
     verify_circle_peers},
    {"planar-heave", "The top in violent heave",
     "The top of the J-lay heaving by 4 and 5 m in 8 s, so that the tension snaps: Morison drag 1.2, added "
     "mass 1 in either form.",
     "Masses at the nodes and springs between them in other code, tests/reference/planar_heave.py.",
     verify_planar_heave},
    {"circle-envelopes", "The top on a circle and back: envelopes",
     "The same top, on the seabed of (5.38), ramped in and out within 60 s.",
     "Own solution with a step of 2.5 ms; plots as Figures 5.9 to 5.13 of " THESIS ", section 5.4.3.",
     verify_circle_envelopes},
    {"circle-mesh", "Convergence of the dynamics in the mesh",
     "The same on ever finer meshes, the shape at 15 s. The touchdown falls between nodes differently on "
     "each, so single ratios "
     "of errors scatter; the slope through all of them does not.",
     "Own solution with 1280 elements; the plot is Figure 5.14 of " THESIS ".", verify_circle_mesh},
    {"paper-iii-pd", "Paper III: PD controller",
     "A clamped pipe in 800 m of water; side force and current at 10 s, controller at 30 s.",
     THESIS ", Paper III, Figures 4.2 and 4.3: the PD controller leaves a bias. What the paper leaves open "
            "is in configs/paper-iii.yaml.",
     verify_paper_pd},
    {"paper-iii-pid", "Paper III: PID controller", "The same with the integrator.",
     THESIS ", Paper III, Figures 4.2 and 4.4: the integrator takes the bias away.", verify_paper_pid},
    {"osv-decay", "Free oscillation of a vessel with full inertia",
     "The 83 m supply vessel in the shape of each of its modes in heave, roll and pitch, damping off.",
     "Eigenvalues of its mass and restoring matrices (T. I. Fossen's Marine Systems Simulator), "
     "tests/reference/osv_vessel.py.",
     verify_osv_decay},
    {"osv-thrust", "A vessel under her thrusters",
     "The same vessel from rest under constant set-points of two tunnels and two azimuths: drives with lag "
     "and rate limit, "
     "thrust with losses, full inertia, damping.",
     "The same equations by Runge-Kutta of order 4 in other code, tests/reference/osv_vessel.py.",
     verify_osv_thrust},
    {"wave-spectrum", "The sea's spectrum", "Height, peak and moments of the elevation over many hours.",
     "JONSWAP's formula, integrated by Simpson's rule.", verify_wave_spectrum},
    {"wind-spectrum", "Spectra of the gusts",
     "Variance of the gusts over many hours, and its share by bands.",
     "The formulas of NORSOK N-003 and API RP 2A, integrated by Simpson's rule.", verify_wind_spectrum},
    {"wind-profile", "The wind's laws of height and frequency",
     "Mean wind and density of the gusts at heights and frequencies.",
     "The formulas of NORSOK N-003 and API RP 2A.", verify_wind_profile},
    {"regular-wave", "The vessel in a regular wave",
     "The 83 m supply vessel in small oblique waves of 6 to 18 s, all six motions.",
     "The linear equations of motion in the frequency domain; the exciting force by sums over the hull's "
     "cells.",
     verify_regular_wave},
    {"wind-and-drift", "Steady forces of wind and waves",
     "The 83 m supply vessel held by springs and adrift, in steady wind and in the mean drift force of "
     "waves.",
     "Closed form: Blendermann's coefficients; Ursell's reflection of a plate; drift where damping balances "
     "them.",
     verify_drift},
    {"free-body", "The free rigid body",
     "Random bodies to t = 10, bodies of all shapes, and the energy over 1000 steps.",
     "Taylor's series in extended precision; amplitudes of the energy: " THESIS
     ", section 2.4.1. Plots: its Figures 2.1, 2.2, 3.1, 3.3, 3.4.",
     verify_free_body},
    {"heavy-top", "The heavy top",
     "Error of the energy over 100 s, order, and nearly free bodies in a weak field.",
     THESIS
     ", Figures 2.3 to 2.6 and 3.5; the figures are those of an independent trial of the same schemes.",
     verify_heavy_top},
    {"satellite", "A satellite in a gravity gradient",
     "Error of the energy over 400 s of a fast tumbling body.",
     THESIS ", Figures 2.7, 2.8, 3.6, 3.7 and its H0; the figures are those of an independent trial of the "
            "same schemes.",
     verify_satellite},
    {"dipoles", "Soft dipolar spheres",
     "Error of the energy of 100 and 125 bodies against evaluations of their potential.",
     "Conservation; the orders of the schemes; " THESIS ", Figures 3.8 and 3.10, from a start of our own.",
     verify_dipoles},
    {"sphere-torque", "A sphere under a torque of its own",
     "Constant torque in the body, by the generalized-alpha method in spatial coordinates: order and cost "
     "with and without its damping.",
     "Closed form (head of src/verify/vessel/spatial.c), itself against other code, "
     "tests/reference/rigid_loads.py; " GIUSTI ", 7.1, Figure 3.",
     verify_sphere_torque},
    {"axisymmetric-torque", "A symmetric body under a torque of its own",
     "The same with I = (20, 20, 7), also at doubled velocity.",
     "As sphere-torque; " GIUSTI ", 7.2, Figure 4.", verify_axisymmetric_torque},
    {"oscillator", "A forced damped oscillator", "A body on a spring and a damper, by the same method.",
     "Closed form, " GIUSTI ", (44) to (46), Figure 5, with the phase in its own quadrant.",
     verify_oscillator},
    {"follower-loads", "A rigid body under loads that follow it",
     "Follower force and torque, and follower transformations of position, velocity and acceleration, from "
     "two starts, by the same method.",
     "The same equations in body coordinates in other code, tests/reference/rigid_loads.py; " GIUSTI
     ", 7.4, Figures 6 and 7.",
     verify_follower_loads},
    {"quaternion-free", "The free body in quaternions and in directors",
     "A fast body to t = 1 by QUAT_EM, QUAT_VI and DIR_EM: order, cost, what each of them keeps.",
     "The same equations in other code, tests/reference/rigid_loads.py; " BETSCH ", Figure 1.",
     verify_quaternion_free},
    {"precession", "Steady precession of a top",
     "A cone that precesses without nutation, by the same methods.",
     "Closed form: the axis moves on a circle. " BETSCH ", Figures 3 to 5.", verify_precession},
    {"vessel-splitting", "A vessel and its PID by exact splittings",
     "SP2, SP4, SP6: their orders, long steps over 200 s, energy and control at the large steps of the "
     "paper.",
     "The equations as one system by a Runge-Kutta pair of order 8 in other code, "
     "tests/reference/vessel_pid.csv; improved Euler and "
     "RK4. Plots as Figures 2 to 4 of E. Celledoni, E. H. Hoiseth, N. Ramzina (2018), whose figures are "
     "drawings only; numbers for "
     "H/H0 and the largest steps are those of an independent trial.",
     verify_vessel_splitting},
    {"vessel-day", "A day in a random sea",
     "A vessel under a random wrench that is held for each step: the gap between her attitude and the tilt "
     "that the splitting "
     "computes forces from, with the turn after each step and without it; the simulator's ledger.",
     "The identity mu = G q3 of (36) of E. Celledoni, E. H. Hoiseth, N. Ramzina (2018); the balance of "
     "energy.",
     verify_vessel_day},
    {"splitting-passivity", "Passivity of the exact splittings",
     "Random starts, wrenches and steps of 0.01 to 20 s by SP2, SP4, SP6.",
     "The inequality itself, for SP2; the bounds of (20) of E. Celledoni, E. H. Hoiseth, N. Ramzina (2018), "
     "by hand.",
     verify_splitting_passivity},
    {"order-four", "Order 4 in the loop",
     "A free vessel of full mass matrix, and a vessel under commands that change each second, with "
     "simulation.order 4 and 2.",
     "The equations of motion by RK4 at 2 and 10 ms, in other code (src/verify/rivals/explicit.c); "
     "conservation.",
     verify_order_four},
    {"passivity", "Passivity under attack",
     "Random commands, steps of 1 to 200 ms, steady and varying currents, contact on and off, with and "
     "without "
     "friction, pinned and clamped ends, also with Newton stopped early.",
     "The inequality itself: stored energy grows by no more than what the ports supply.", verify_passivity},
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
