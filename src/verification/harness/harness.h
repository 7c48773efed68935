// Verification cases: named, each against a reference that does not come from this code. A case runs the core
// in this process, deterministically, and fills a result: rows to judge, series to plot, meshes and steps.
#pragma once

#include "sagbend/sim/sim.h"

#include <stddef.h>
#include <stdint.h>

enum verify_error { VERIFY_ABSOLUTE, VERIFY_RELATIVE };

// A row: one quantity. The reference is a number (low = high) or a range; the error is the distance to it, in
// the unit or relative to its larger magnitude. A limit of INFINITY: the row is shown beside the reference
// and not judged.
struct verify_row {
  char quantity[112];
  char unit[16];
  double value, low, high;
  enum verify_error kind;
  double error, limit;
  int ok; // error <= limit; not finite: 0
};

enum verify_style { VERIFY_LINE, VERIFY_POINTS, VERIFY_DASHED };
struct verify_series {
  char label[80];
  enum verify_style style;
  int count, room;
  double *x, *y; // y NaN: a gap
};

enum { VERIFY_SERIES = 24, VERIFY_PLOTS = 8 };
struct verify_plot {
  char title[112], x_label[64], y_label[64];
  int log_axes;
  int flip_y; // depths: down is down
  int series_count;
  struct verify_series series[VERIFY_SERIES];
};

struct verify_result {
  int row_count, row_room;
  struct verify_row *rows;
  int plot_count;
  struct verify_plot plots[VERIFY_PLOTS];
  char run_with[256]; // meshes and step sizes
  char failure[320];  // why the case could not run to its end; empty: it did
  double wall_s;      // wall-clock time, filled by the caller
};

struct verify_setup {
  const char *configs;      // folder of the shipped configurations
  int attacks;              // number of random cases of passivity; 0: the short version
  int extended;             // nonzero: the long versions of the cases that have one
  uint64_t (*now_ns)(void); // clock for plots of cost, which are not judged; NULL: none
};

typedef void verify_case_run(const struct verify_setup *setup, struct verify_result *r);

struct verify_case {
  const char *name, *title;
  const char *text;   // what is computed
  const char *source; // where the reference comes from
  void (*run)(const struct verify_setup *setup, struct verify_result *result);
};

void verify_run(const struct verify_case *c, const struct verify_setup *setup, struct verify_result *result);
int verify_ok(
    const struct verify_result *r); // the case ran to its end, judged at least one row, and all rows hold
void verify_free(struct verify_result *r);

// Fills error and ok of a row from its other members.
void verify_judge(struct verify_row *row);

// ------------------------------------------------------------
// The functions of the verification cases, one for each row of cases.inc. They stand in verify/pipe,
// verify/lay, verify/ground, verify/fatigue, verify/sea, verify/tables, verify/rigid and verify/vessel.

#define SUBJECT(id, title)
#define CASE(function, name, title, setup, reference) verify_case_run function;
#include "verification/harness/cases.inc"
#undef CASE
#undef SUBJECT

// ------------------------------------------------------------
// What verification cases, tests and benchmarks measure on a simulator.

// Gives a definition a current and loads in both frames that vary smoothly in time, so that these energy
// ports act; structural damping and contact stay as configured.
void scene_all_ports(struct sim_def *def);

// Removes everything from a definition that dissipates or supplies energy: current, wind, waves, loads,
// vessel damping, drag, structural damping, controller. Seabed damping and friction stay.
void scene_conservative(struct sim_def *def);

// Linear momentum of the pipe (kg m/s) and its angular momentum about the origin (kg m2/s), world frame.
void scene_momenta(const struct sim *s, vec3 *linear, vec3 *angular);

// Power that Morison's formula takes from the pipe, W: rho/2 D (Cd |across|^3 + Cd_axial |along|^3) per
// length, of the velocities in the state relative to a current that falls from this one at the surface to
// zero at the depth. From the definition of the pipe, not from the constants of the nodes; a moved top counts
// nothing.
double scene_drag_power_w(const struct sim *s, vec3 surface_n_mps);

// Mean distance between the node poses of a coarse and a fine mesh at the same arc lengths (N. Saefstroem,
// thesis, NTNU 2009, eq. 5.109): metres and radians in one norm. The fine mesh has a whole multiple of the
// coarse mesh's elements.
double scene_distance(const struct sim *coarse, const struct sim *fine);

// ------------------------------------------------------------
// A planar pipe that is paid out, to compare with: other unknowns, another mesh and another method in time
// than the simulator's. Unknown are the places of nodes alone, no directors. Their number stays: they lie at
// equal shares of the length and so move through the material while pipe is paid out. Backward differences of
// order 2 in time (Curtiss and Hirschfelder 1952); the bending of an inextensible rod, EI r''''; no shear, no
// rotary inertia. x ahead, z down; arc lengths from the lower end, which is clamped along x.

enum { PLANAR_LAY_NODES = 601 };

struct planar_lay_def {
  int elements;
  double axial_n, bending_nm2, mass_kgpm, weight_npm; // the weight is that in water
  double drag_across, drag_along;                     // force of a metre over speed squared, N s2/m3
  double slope_npm2, break_m;                         // seabed: a parabola up to break_m, then a line
  double ground_m;                                    // z of the axis of pipe that touches it
};

// The upper end at a time.
struct planar_lay_top {
  double length_m, speed_mps; // unstretched length, and its rate
  double place_m[2], velocity_mps[2];
};

typedef double planar_nodes[PLANAR_LAY_NODES][2];

struct planar_lay {
  struct planar_lay_def def;
  struct planar_lay_top top;
  planar_nodes place[2], velocity[2]; // of the nodes and of the material at them; now, and a step before
  int steps;
};

// Equilibrium, from the places in place[0] with those of both ends. Returns 0 where Newton's method fails.
int planar_lay_rest(struct planar_lay *x, const struct planar_lay_top *top);
// A step of h to this place of the top. Returns 0 where Newton's method fails.
int planar_lay_step(struct planar_lay *x, const struct planar_lay_top *top, double h);

double planar_lay_tension(const struct planar_lay *x); // at the upper end
void planar_lay_place(const struct planar_lay *x, double arc_m, double place_m[2]);

// ------------------------------------------------------------
// Pay-out and recovery at random, for attacks on passivity in tests and in the verification.

// A tensioner for the 30-inch pipe in 900 m of water, with one order: the brake, from the start.
struct tensioner_def scene_tensioner(void);

// Lets a pipe of at least 12 equal elements that hangs from the vessel be paid out and recovered: a third of
// the seeds by a programme, a third by a tensioner with random orders and limits, the rest not at all. The
// uppermost 120 m get elements of 10 m. After the step has been set.
void scene_random_tally(struct sim_def *def, uint64_t seed);

// ------------------------------------------------------------
// Functions with which a case fills its result. A result that runs out of memory fails.

#if defined(__GNUC__)
#define VERIFY_FORMAT(a, b) __attribute__((format(printf, a, b)))
#else
#define VERIFY_FORMAT(a, b)
#endif

// Adds a row that is judged against a number.
VERIFY_FORMAT(7, 8)
void verify_add(struct verify_result *r, enum verify_error kind, const char *unit, double value,
                double reference, double limit, const char *quantity, ...);
// Adds a row that is judged against a range, with a slack relative to the larger end.
VERIFY_FORMAT(7, 8)
void verify_add_range(struct verify_result *r, const char *unit, double value, double low, double high,
                      double slack, const char *quantity, ...);
// Adds a row that is shown beside a number and not judged.
VERIFY_FORMAT(5, 6)
void verify_show(struct verify_result *r, const char *unit, double value, double reference,
                 const char *quantity, ...);

struct verify_plot *verify_plot(struct verify_result *r, const char *title, const char *x_label,
                                const char *y_label);
// Returns NULL when the result has failed; verify_point then does nothing.
VERIFY_FORMAT(4, 5)
struct verify_series *verify_series(struct verify_result *r, struct verify_plot *plot,
                                    enum verify_style style, const char *label, ...);
void verify_point(struct verify_result *r, struct verify_series *s, double x, double y);

// Plots of an error against the cost of a run. Nothing is judged by cost. Without a clock in the setup there
// is no such plot: the plot and its series are NULL, the clock stands at 0, and verify_point does nothing.
double verify_clock_s(const struct verify_setup *setup);
struct verify_plot *verify_cost_plot(const struct verify_setup *setup, struct verify_result *r,
                                     const char *title, const char *x_label, const char *y_label);
VERIFY_FORMAT(4, 5)
struct verify_series *verify_cost_series(struct verify_result *r, struct verify_plot *cost,
                                         enum verify_style style, const char *label, ...);

VERIFY_FORMAT(2, 3)
void verify_fail(struct verify_result *r, const char *format, ...); // keeps the first reason
VERIFY_FORMAT(2, 3) void verify_run_with(struct verify_result *r, const char *format, ...);

// Plots errors against mesh width or step on logarithmic axes with the slope of the expected order, and adds
// a row that judges the order fitted by least squares.
void verify_order(struct verify_result *r, const char *title, const char *x_label, const char *what,
                  const double *width, const double *error, int count, double order, double slack);
// The same in an existing plot. The first call draws the slope.
void verify_order_in(struct verify_result *r, struct verify_plot *p, const char *what, const double *width,
                     const double *error, int count, double order, double slack);

// ------------------------------------------------------------
// The scenes that cases share: shipped configurations, and a bare beam. All return NULL or 0 after
// verify_fail.

int scene_load(const struct verify_setup *setup, const char *name, int count, const char *const *sets,
               struct sim_def *def, struct verify_result *r);

// In memory of its own; release with scene_free. scene_try: NULL without a failure of the case.
struct sim *scene_try(const struct sim_def *def, struct reason *why);
struct sim *scene_create(const struct sim_def *def, struct verify_result *r);
void scene_free(struct sim *s);
// 1 until time_s; 0 also for a simulator that has latched a fault, whose time stands still.
int scene_is_before(const struct sim *s, double time_s);
// The same, advanced to end_s without a command.
struct sim *scene_run(struct sim_def def, double end_s, int steps, struct verify_result *r);

// Section of a beam: stiffnesses and what it weighs.
struct scene_section {
  double ea, ga, gj, ei; // N, N m2
  double mass_kgpm, j_axial_kgm, j_transverse_kgm;
};
// Weightless and in nothing: length along +x from (0, 0, length), clamped there, free at the other end.
struct sim_def scene_beam(int elements, double length_m, const struct scene_section *section);

// The vessel of configs/vessel-only.yaml as the exact splitting and its rivals take it: Appendix D of
// Celledoni, Hoiseth, Ramzina (2018).
struct scene_vessel {
  struct split_vessel vessel;
  struct split_pid pid;
  struct split_state start;
};
int scene_vessel(const struct verify_setup *setup, struct scene_vessel *v, struct verify_result *r);
double scene_vessel_energy(const struct split_vessel *v, const struct split_state *s); // that of the attitude
double scene_turn(quat a, quat b); // rad between two attitudes

// Starts the ledger from the state, after a case has changed it by hand.
void scene_restart(struct sim *s);
// Lower end of a beam let go: position, rotation.
void scene_release_lower(struct sim *s, int position, int rotation);
// Free top of a beam held where it is, free to turn.
void scene_hold_top(struct sim *s);

// Of the state after the last step or scene_restart: forces and moments of an element in its section frame;
// curvature.
void scene_stress(const struct sim *s, int element, double stress[6]);
double scene_curvature(const struct sim *s, int element);

// A pipe beside the equilibrium of a definition with its mesh and with the hang-off where its top is. Returns
// 0 with a failed result where there is no equilibrium.
struct scene_rest {
  struct sim_output now, rest;
  double farthest_m; // largest distance of a node from its place in the equilibrium
};
int scene_beside_rest(const struct sim *s, struct sim_def def, struct scene_rest *out,
                      struct verify_result *r);
