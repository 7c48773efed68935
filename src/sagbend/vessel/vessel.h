// The vessel: hull, radiation, wave forces, thrusters and their power.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
#include "sagbend/math/math.h"
#include "sagbend/thrusters/thrusters.h"

#include <complex.h>
#include <stdint.h>

// ------------------------------------------------------------
// Hydrodynamic data of a vessel: what `sagbend hydro import` makes of the files of a diffraction code and
// `vessel.hydro_file` names. The radiation force of a motion nu about the reference point is
//   -A_inf dnu/dt - K nu,   K(s) = s G' (s^2 I + s R + W)^-1 G,   W = diag(w^2) > 0,   R = R' >= 0:
// n oscillators of unit mass that nu drives, q' = p, p' = -W q - R p + G nu, with the force -G' p. Whatever
// the numbers, K(0) = K(infinity) = 0, K is symmetric and Re K(i omega) >= 0. Added mass and damping are
//   A(omega) = A_inf + Im K(i omega)/omega,   B(omega) = Re K(i omega),   A(0) = A_inf + G' W^-1 G.
//
// Frame b of vessel.h: x forward, y to starboard, z down, about the vessel's reference point; order
// surge, sway, heave, roll, pitch, yaw. SI units, radians. Phasors: a quantity is Re(value e^(i omega t))
// where the surface at the reference point is cos(omega t), per metre of amplitude. Headings are where the
// wave travels to, clockwise from the bow: 0 following sea, pi/2 towards starboard, pi head sea.

enum { RADIATION_WIDTH = 42, MAX_OSCILLATORS = 32, MAX_HYDRO_FREQUENCIES = 400, MAX_HYDRO_HEADINGS = 73 };

// Oscillators of the radiation. Entries from count on are zero.
struct hydro_memory {
  int count;                                            // n; 0: none
  double omega_radps[MAX_OSCILLATORS];                  // w, > 0
  double damping_1ps[MAX_OSCILLATORS][MAX_OSCILLATORS]; // R
  double drive[MAX_OSCILLATORS][6];                     // G: sqrt(kg)/s, sqrt(kg) m/s
};

// A table by frequency and heading. Frequencies increase. Headings increase from 0 to pi, where the other
// side is the mirror image (sway, roll and yaw change sign), or from 0 to below 2 pi.
struct hydro_table {
  int frequencies, headings; // 0: there is no table
  int width;                 // numbers of an entry
  double *omega_radps;       // [frequencies], owned
  double *heading_rad;       // [headings], owned
  double *value;             // [frequency][heading][width], owned
};

// How far the memory is from A and B of the diffraction code, as the import found it.
struct hydro_fit {
  double error;       // largest |K - data| over sqrt(max B_ii max B_jj); NaN: unknown
  int row, column;    // where: degrees of freedom, from 0
  double omega_radps; // and frequency
  double motion[6];   // largest change of each motion by it in any wave, of the motion's peak; NaN: unknown
};

struct hydro_data {
  double water_density_kgpm3, gravity_mps2;
  double depth_m;      // of the water; 0: deep
  double displaced_kg; // mass of the displaced water
  double mass[6][6];   // rigid-body mass matrix of the file; zero: unknown
  double added_mass_inf[6][6];
  double added_mass_zero[6][6]; // A(0)
  double restoring[6][6];       // C
  struct hydro_memory memory;
  struct hydro_fit fit;
  struct hydro_table force;     // width 12: real and imaginary part of each of six, N/m, N m/m
  struct hydro_table drift;     // width 3: surge, sway N/m2, yaw N m/m2, mean force per squared amplitude
  struct hydro_table motion;    // width 12: the motions that the code computed, m/m, rad/m
  struct hydro_table radiation; // width 42, one heading: the code's own A and B, lower triangles row by row
};

// The entry of a frequency and a heading by their index: width numbers.
double *hydro_table_at(const struct hydro_table *table, int frequency, int heading);

// Interpolates linearly in frequency and heading; any angle. Below the lowest frequency its values hold;
// above the highest the result is zero. Numbers whose row is sway, roll or yaw change sign on the mirrored
// side: width 12 pairs, width 3 surge, sway, yaw. out: width numbers.
void hydro_table_interpolate(const struct hydro_table *table, double omega_radps, double heading_rad,
                             double *out);

// A and B of the table of radiation, linear between its frequencies. Returns 0 outside its range.
int hydro_radiation_at(const struct hydro_table *radiation, double omega_radps, double added_mass[6][6],
                       double damping[6][6]);

// K(s) at s = i omega: re = B, im = omega (A - A_inf). omega > 0. NaN at the frequency of an oscillator
// without damping.
void hydro_memory_at(const struct hydro_memory *memory, double omega_radps, double re[6][6], double im[6][6]);

// A_inf + G' W^-1 G.
void hydro_memory_added_mass_zero(const struct hydro_memory *memory, const double (*added_mass_inf)[6],
                                  double added_mass_zero[6][6]);

// R = L L', lower triangular L. STATUS_SINGULAR unless R is positive semidefinite.
enum status hydro_memory_factor(const struct hydro_memory *memory,
                                double factor[MAX_OSCILLATORS][MAX_OSCILLATORS]);

// ------------------------------------------------------------
// Definition of the vessel, as a configuration gives it. Body frame b: x forward, y starboard, z down, origin
// at the reference point. World frame n: x north, y east, z down. SI units, radians.

enum { MAX_ANGLE_ROWS = 73, MAX_WIND_ROWS = MAX_ANGLE_ROWS, MAX_CURRENT_ROWS = MAX_ANGLE_ROWS };
enum { MAX_FORCE_ROWS = 800, MAX_DRIFT_ROWS = 800 };

// Wind force coefficients for one direction.
struct wind_row {
  double angle_rad; // direction from which the relative wind comes, clockwise from the bow
  double c[4];      // CX, CY, CK, CN; docs/weather.md gives the signs
};

// Wind load of the hull and superstructure.
struct windage_def {
  int present;
  double frontal_area_m2, lateral_area_m2, length_m;
  double height_m;     // height above the mean sea surface of the wind speed that the coefficients refer to
  double point_b_m[3]; // the moments refer to this point; its velocity counts in the relative wind

  // Measured coefficients by increasing angle, from 0 to 180 degrees (mirrored) or from 0 to below 360.
  int row_count; // 0: closed form of Blendermann (1994) with the coefficients below
  struct wind_row rows[MAX_WIND_ROWS];

  double drag_transverse, drag_bow, drag_stern; // CD_t; CD_l,AF at 0 and at 180 degrees
  double cross_force, rolling;                  // delta, kappa
  double centroid_forward_m, centroid_height_m; // centroid of the lateral area relative to point_b_m
};

// Current force coefficients for one direction.
struct current_row {
  double angle_rad; // direction from which the flow along the hull comes, clockwise from the bow
  double c[3];      // CX, CY, CN; docs/weather.md gives the signs
};

// Drag of the water on the hull below the waterline beyond linear and quadratic damping: force coefficients
// by the angle of the flow, or the drag of its sections across the flow. Not both: each contains the drag of
// a flow from the side.
struct hull_def {
  double length_m, beam_m, draft_m; // used by either
  double centre_x_b_m;              // midships of that length

  int row_count; // 0: no coefficients; otherwise by increasing angle, as windage_def.rows
  struct current_row rows[MAX_CURRENT_ROWS];

  int cross_flow;         // 1: the sections act
  double cross_flow_drag; // drag coefficient of a section on its draught; 0: Hoerner's by beam/(2 draught)
};

// First-order wave force per metre of wave amplitude at one frequency and heading. The heading is the
// direction of wave travel from the bow, clockwise; 0 is a following sea. Where the surface at the reference
// point rises as cos(omega t), the force is amplitude cos(omega t + phase). Rows are ordered by increasing
// frequency and, within one, by increasing heading. All frequencies have the same headings: from 0 to 180
// degrees (mirrored) or from 0 to below 360.
struct force_row {
  double omega_radps, heading_rad;
  double amplitude[6], phase_rad[6]; // N/m, N m/m, b
};

// Mean drift force per square metre of wave amplitude, ordered as force_row.
struct drift_row {
  double omega_radps, heading_rad;
  double c[3]; // surge, sway N/m2, yaw N m/m2
};

struct wave_response_def {
  int present;
  int first_order, drift;           // 1: this part acts
  double length_m, beam_m, draft_m; // box that replaces missing rows
  double centre_x_b_m;              // centre of that box
  int force_count, drift_count;
  struct force_row force[MAX_FORCE_ROWS];
  struct drift_row drift_rows[MAX_DRIFT_ROWS];
};

// The axes of the linear damping. In level axes with the vessel's heading it has no mean force in waves; in
// body axes heave velocity times pitch pushes the vessel against the sea, by d <w theta>.
enum damping_axes { DAMPING_BODY, DAMPING_LEVEL };

// 6 x 6 matrices are about the reference point in b, in the order surge, sway, heave, roll, pitch, yaw.
struct vessel_def {
  double mass_kg;              // displacement m, for the restoring moments m g GM
  double inertia[6][6];        // M = M_RB + M_A, symmetric positive definite
  double added_mass[6][6];     // M_A, part of inertia
  double damping_linear[6][6]; // symmetric positive semidefinite
  enum damping_axes damping_axes;
  double damping_quadratic[6];   // diagonal: force -d |nu_i| nu_i
  double waterplane_area_m2;     // A_wp
  double gm_transverse_m;        // GM_T
  double gm_longitudinal_m;      // GM_L
  double flotation_b_m[3];       // r_F, centre of flotation
  double equilibrium_z_m;        // z of the centre of flotation at equilibrium
  double position_n_m[3];        // initial position; with a pipe the statics replace x and y
  double euler_rad[3];           // initial roll, pitch, yaw
  double velocity_b[6];          // initial nu, m/s and rad/s
  double hangoff_b_m[3];         // r_h, position of the hang-off
  struct hydro_memory radiation; // memory of the radiation; with it added_mass is that at infinite frequency
  int current_acts;              // 1: damping and added mass are relative to the current at the surface
  struct hull_def hull;
  struct windage_def windage;
  struct wave_response_def waves;
  const struct hydro_data *hydro; // data of a diffraction code, borrowed; NULL: none
  struct plant_def plant;         // thrusters and power supply; thruster_count 0: none
};

// ------------------------------------------------------------
// Coefficients by the angle of a flow around the hull, for wind and current: periodic, with a continuous
// derivative. A cubic joins the rows, whose slopes there are those of parabolas through three rows.

enum { ANGLE_COLUMNS = 4, ANGLE_ROWS = 2 * MAX_ANGLE_ROWS + 1 }; // both sides, and the first row once more

// Constant during a run.
struct angle_table {
  int count; // rows; the last one repeats the first one, 2 pi later
  double angle_rad[ANGLE_ROWS], c[ANGLE_ROWS][ANGLE_COLUMNS], slope[ANGLE_ROWS][ANGLE_COLUMNS];
};

// ------------------------------------------------------------
// Complex numbers by their parts. CMPLX of C11 is missing where clang compiles with glibc's headers.

static inline double complex complex_number(double re, double im) {
  const union {
    double part[2]; // as C11 6.2.5 lays a complex number out
    double complex whole;
  } number = {{re, im}};
  return number.whole;
}

// ------------------------------------------------------------
// Linear equations in complex numbers, for the few unknowns of a vessel's motions or memory.

static inline void complex_swap(double complex *a, double complex *b, int count) {
  for (int j = 0; j < count; j++) {
    double complex kept = a[j];
    a[j] = b[j];
    b[j] = kept;
  }
}

// Solves a x = b by elimination with pivots. a: n rows of stride numbers, of which n count; destroyed.
// x: n rows of one number for each of the right sides b; the solutions on return. STATUS_SINGULAR: x is
// undefined. Inline, so that each room multiplies by its own rules for infinities.
static inline enum status complex_solve(int n, int stride, double complex *a, int sides, double complex *x) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (cabs(a[i * stride + k]) > cabs(a[pivot * stride + k]))
        pivot = i;
    if (!(cabs(a[pivot * stride + k]) > 0))
      return STATUS_SINGULAR;
    complex_swap(&a[k * stride], &a[pivot * stride], n);
    complex_swap(&x[k * sides], &x[pivot * sides], sides);
    for (int i = k + 1; i < n; i++) {
      double complex share = a[i * stride + k] / a[k * stride + k];
      for (int j = k; j < n; j++)
        a[i * stride + j] -= share * a[k * stride + j];
      for (int j = 0; j < sides; j++)
        x[i * sides + j] -= share * x[k * sides + j];
    }
  }
  for (int k = n - 1; k >= 0; k--)
    for (int j = 0; j < sides; j++) {
      for (int i = k + 1; i < n; i++)
        x[k * sides + j] -= a[k * stride + i] * x[i * sides + j];
      x[k * sides + j] /= a[k * stride + k];
    }
  return STATUS_OK;
}

// ------------------------------------------------------------
// Drag of the water on the hull in surge, sway and yaw beyond linear and quadratic damping: current force
// coefficients by the angle of the flow, or the drag of the hull's sections across the flow. docs/weather.md.

enum { CROSS_FLOW_STRIPS = 20 };

// Constant during a run.
struct hull_drag {
  int acts;                 // 1: at least one of the two parts is there
  struct angle_table table; // N/(m/s)^2, N m/(m/s)^2: surge, sway, yaw without Munk's moment; count 0: none
  int strips;               // 0: no cross-flow drag
  double strip_x_b_m[CROSS_FLOW_STRIPS];
  double strip_drag; // N/(m/s)^2 of each strip
};

// added_mass: M_A about the reference point. Its Munk's moment is part of measured coefficients and acts by
// itself (vessel_current_wrench), so the table holds the rest.
struct hull_drag hull_drag_of(const struct hull_def *def, const double (*added_mass)[6],
                              double water_density_kgpm3);

// The drag as a positive semidefinite matrix: force = -d (u, v, r), surge N, sway N and yaw N m, for the
// velocity through the water (u, v, r) = through[0], through[1], through[5] itself.
void hull_drag_matrix(const struct hull_drag *drag, const double through[6], double d[3][3]) NONBLOCKING;

// Whether given coefficients resist every flow: at each angle the power of the force is negative, by at least
// a thousandth of force (and moment over length) times speed. If not, *angle_rad is the first angle.
int hull_rows_resist(const struct hull_def *def, double *angle_rad);

// Hoerner's drag coefficient of a section across the flow, by beam/(2 draught).
double hoerner_drag(double beam_m, double draft_m);

// ------------------------------------------------------------
// Memory of the radiation: n oscillators of unit mass that the velocity through the water drives
//, q' = p, p' = -W q - R p + G nu_r, with the force -G' p on the vessel. Energy
// p'p/2 + q'W q/2. Solved with the vessel by the midpoint rule of the dissipative flow; docs/model.md.

// Constant during a run.
struct radiation {
  int count;                                       // n; 0: no memory
  double stiffness_1ps2[MAX_OSCILLATORS];          // W
  double factor[MAX_OSCILLATORS][MAX_OSCILLATORS]; // L, lower triangular: R = L L'
  double drive[MAX_OSCILLATORS][6];                // G
};

// memory: with R positive semidefinite (hydro_memory_factor).
struct radiation radiation_of(const struct hydro_memory *memory);

// What the midpoint rule over one length d needs.
struct radiation_step {
  double duration_s;                                // d
  double inverse[MAX_OSCILLATORS][MAX_OSCILLATORS]; // S = (I + d/2 R + d^2/4 W)^-1, symmetric
  double response[MAX_OSCILLATORS][6];              // d/2 S G
  double impedance[6][6];                           // d/2 G' S G = K(2/d), symmetric, >= 0
};
struct radiation_step radiation_step_of(const struct radiation *radiation, double duration_s);

// Arrays of n; hashed and part of snapshots, as part of the model's state.
struct radiation_state {
  double *q, *p;
};

// One midpoint step in progress.
struct radiation_flow {
  double p_mean[MAX_OSCILLATORS]; // of p for nu_r = 0, after radiation_end the mean of p
  double force[6];                // G' p_mean: the force on the vessel is -force - impedance nu_r
};

// Begins a midpoint step from a state.
void radiation_begin(const struct radiation *radiation, const struct radiation_step *step,
                     const struct radiation_state *state, struct radiation_flow *flow) NONBLOCKING;

// Ends it with the mean velocity through the water nu_r: advances the state, sets flow->force to minus the
// mean force on the vessel, and returns the loss, J. Exact: energy rises by d force.nu_r minus the loss.
double radiation_end(const struct radiation *radiation, const struct radiation_step *step,
                     struct radiation_state *state, struct radiation_flow *flow,
                     const double nu_r[6]) NONBLOCKING;

// Stored energy, J.
double radiation_energy_j(const struct radiation *radiation, const struct radiation_state *state) NONBLOCKING;

// Returns 1 if a state read from a file is a valid one. Otherwise returns 0 and fills why.
int radiation_state_is_valid(const struct radiation *radiation, const struct radiation_state *state,
                             struct reason *why);

// ------------------------------------------------------------
// The vessel: a rigid body with a full 6 x 6 mass matrix (Kirchhoff) and nonlinear hydrostatics, stepped by
// an energy-momentum scheme. docs/model.md, sections 2 and 5. Frames as in vessel.h.

// Constant during a run.
struct vessel {
  double bare_inertia[6][6];        // M of the vessel alone, about the reference point, b
  double damping_linear[6][6];      // in the axes below
  int damping_is_level;             // 1: level axes with the vessel's heading; 0: b
  struct mat6_squares damping_loss; // of the linear damping, in its axes
  double damping_quadratic[6];
  struct hull_drag hull;
  int current_acts;             // 1: damping and added mass are relative to the current at the surface
  double added_mass[6][6];      // M_A; with memory of the radiation A(infinity)
  double added_mass_slow[6][6]; // of slow motion; with memory A(0), otherwise M_A
  struct radiation radiation;
  double heave_stiffness_npm; // rho g A_wp
  double pitch_stiffness_nm;  // m g GM_L
  double roll_stiffness_nm;   // m g GM_T
  vec3 flotation_b_m;         // r_F
  double equilibrium_z_m;     // z of the centre of flotation at equilibrium, n
};

// Hashed and part of snapshots.
struct vessel_state {
  vec3 x_n;     // position of the reference point, n, m
  quat q_nb;    // attitude, unit quaternion from b to n
  double nu[6]; // velocity v and angular velocity omega, b, m/s and rad/s
};

struct vessel vessel_of(const struct vessel_def *def, const struct env_def *env);
struct vessel_state vessel_initial_state(const struct vessel_def *def);

// Returns 1 if a state read from a file is a valid one. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int vessel_state_is_valid(const struct vessel_state *state, struct reason *why);

// Adds a mass at a point of b to an inertia. The mass is a matrix in b, because added mass depends on the
// direction.
void vessel_attach_mass(double inertia[6][6], const mat3 *mass_b_kg, vec3 at_b_m) NONBLOCKING;

// Adds a moment of inertia, given in b, to an inertia.
void vessel_attach_inertia(double inertia[6][6], const mat3 *inertia_b_kgm2) NONBLOCKING;

// Kirchhoff's terms of the added mass that the memory adds at low frequency, A(0) - A(infinity), in surge,
// sway and yaw. Heave, roll and pitch are not slow: at the frequencies of the waves A(0) would push the
// vessel sideways by a mean force many times the mean drift. They do no work. wrench_b about the reference
// point, N, N m.
void vessel_slow_wrench(const struct vessel *vessel, const double nu[6], double wrench_b[6]) NONBLOCKING;

// Change of the added-mass force by a uniform, steady current water_b (b, m/s): the velocity in Kirchhoff's
// terms is the velocity through the water (Munk's moment; added mass of slow motion), and the water does not
// turn with the vessel.
// wrench_b about the reference point, N, N m.
void vessel_current_wrench(const struct vessel *vessel, const double nu[6], vec3 water_b,
                           double wrench_b[6]) NONBLOCKING;

// Kinetic and hydrostatic energy, J. inertia here and below: M with everything that is rigidly attached.
double vessel_kinetic(const double (*inertia)[6], const double nu[6]) NONBLOCKING;
double vessel_potential(const struct vessel *vessel, const struct vessel_state *state) NONBLOCKING;

// One conservative step from a state: the unknown increments, the displacement dx (m) and the rotation vector
// theta (rad; the rotation is cay(theta)), both in n.
struct vessel_step {
  vec3 dx_n, theta_n;
  double inverse_h; // 1 / step, 1/s; 0: statics; negative in a part of a step that runs backwards
};

// Balance of the step in n: inertia minus hydrostatics minus the given force (N) and moment (N m, about the
// reference point with mean arms). Rows: force, moment. The work of the balance is dx . force + theta .
// moment.
void vessel_residual(const struct vessel *vessel, const double (*inertia)[6],
                     const struct vessel_state *state, const struct vessel_step *step, vec3 force_n,
                     vec3 moment_n, double residual[6]) NONBLOCKING;

// Derivative of vessel_residual with respect to (dx, phi) with the force and moment held constant. phi is the
// spatial variation of the rotation at the end of the step.
void vessel_tangent(const struct vessel *vessel, const double (*inertia)[6], const struct vessel_state *state,
                    const struct vessel_step *step, double tangent[6][6]) NONBLOCKING;

// Applies the increments to the state; nu1 = 2 nu_m - nu0, or unchanged in statics.
void vessel_commit(struct vessel_state *state, const struct vessel_step *step) NONBLOCKING;

// ------------------------------------------------------------
// Wave force on the vessel: the first-order force, linear in the surface elevation, and the slow drift force
// after Newman (1974). Forces only; none prescribes motion. They come from a table by wave component and
// heading, computed at the start from given rows or from a box of the hull's size. docs/weather.md.

enum {
  WAVE_HEADINGS = 72, // every 5 degrees
  WAVE_ROWS = 15      // real and imaginary parts of six first-order components, three drift components
};

// Constant during a run.
struct wave_response {
  int present;
  int first_order, drift; // 1: this part acts
  double *table;          // [heading of the vessel][row][wave component]
};

// Computes the table. It lies in memory; a memory without a block only measures.
void wave_response_create(struct wave_response *response, const struct vessel_def *def,
                          const struct env_def *env, const struct sea *sea, struct arena *memory);

// Wrench of the waves about the reference point at time_s, b, N and N m. Zero without waves, and for a vessel
// standing on end, which has no heading.
void wave_response_wrench(const struct wave_response *response, const struct sea *sea, double time_s,
                          const struct vessel_state *state, double wrench_b[6]) NONBLOCKING;

// First-order transfer function of a wave component that travels at heading_rad off the bow: the force per
// metre of amplitude is Re((re + i im) e^(i phase)), b, N/m and N m/m.
void wave_transfer(const struct vessel_def *def, const struct env_def *env, double omega_radps,
                   double wavenumber_1pm, double heading_rad, double re[6], double im[6]);

// Share of the energy of a component that the box of a vessel without drift rows reflects, 0 to 1. It does
// not depend on the heading.
double wave_reflection(const struct vessel_def *def, double wavenumber_1pm);

// Mean drift force of such a component per square metre of amplitude: surge, sway N/m2, yaw N m/m2.
// reflection: wave_reflection of its wavenumber.
void wave_drift(const struct vessel_def *def, const struct env_def *env, double omega_radps,
                double reflection, double heading_rad, double drift[3]);

// ------------------------------------------------------------
// Wind force on the vessel from coefficients by the direction of the relative wind. docs/weather.md.

// Constant during a run.
struct windage {
  int present;
  double scale[4]; // areas and lengths by which c rho V^2 / 2 is multiplied, m2 and m3
  double air_density_kgpm3;
  double height_m; // height of the wind speed that the coefficients refer to, above the mean sea surface
  vec3 point_b_m;  // the moments refer to this point
  struct angle_table table;
};
struct windage windage_of(const struct windage_def *def, double air_density_kgpm3);

// CX, CY, CK, CN for a relative wind from angle_rad, clockwise from the bow, in (-2 pi, 2 pi]. Periodic, with
// a continuous derivative.
void windage_coefficients(const struct windage *windage, double angle_rad, double c[4]);

// Wrench about the reference point, b, N and N m. air_b_mps: velocity of the air at height_m, b; nu: velocity
// of the vessel.
void windage_wrench(const struct windage *windage, vec3 air_b_mps, const double nu[6],
                    double wrench_b[6]) NONBLOCKING;
