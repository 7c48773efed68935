// The single checks. Within the checks and physics.c only. Each returns 0 if the data fail it, after
// writing why.
#pragma once

#include "sagbend/hydro/hydro.h"

#include <complex.h>

int check_mass(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);
int check_passivity(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);
int check_symmetry(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);
int check_kramers_kronig(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);

// A and B at a frequency below the range, from the frequencies that are not left out (at least two).
void kramers_kronig_below(const struct hydro_raw *raw, double omega_radps, double added_mass[6][6],
                          double damping[6][6]);

// Largest B_ii over the frequencies that are not left out.
void damping_peaks(const struct hydro_raw *raw, double peak[6]);

// ------------------------------------------------------------
// Fits oscillators (sagbend/vessel/vessel.h) to added mass and damping by frequency: least squares by
// Levenberg and Marquardt with derivatives in closed form, then with weights that lower the largest error
// (Lawson 1961). The order grows one by one from the last solution. No random numbers: the same data give the
// same fit. For offline use; it takes seconds and allocates.

enum { MAX_GROUP_OSCILLATORS = 16 };

// Added mass and damping of some degrees of freedom that are coupled with each other and with no other.
struct fit_data {
  int count;  // degrees of freedom, 1 to 6
  int dof[6]; // which they are, 0 to 5
  int frequencies;
  int anchors; // the first of them, which guide the fit below the range and do not count in its error
  int slow;    // the first of these: only their damping counts
  double slow_weight, anchor_weight;
  const double *omega_radps;         // increasing
  const double (*added_mass)[6][6];  // [frequency], symmetric
  const double (*damping)[6][6];     // [frequency], symmetric
  const double (*added_mass_inf)[6]; // NULL: fitted too
  const double (*weight)[6][6];      // [frequency], of errors, >= 1; NULL: 1
  double first_radps, last_radps;    // range of the data, for the bounds of the oscillators
};

struct fit_result {
  int count;                                                        // oscillators
  double omega_radps[MAX_GROUP_OSCILLATORS];                        // w
  double damping_1ps[MAX_GROUP_OSCILLATORS][MAX_GROUP_OSCILLATORS]; // R
  double drive[MAX_GROUP_OSCILLATORS][6];                           // G; zero outside the group
  double added_mass_inf[6][6];                                      // zero outside the group
  double weighted_error;                                            // largest error times its weight
  double error;                                 // largest |K - data| / sqrt(max B_ii max B_jj)
  int error_row, error_column, error_frequency; // where: degrees of freedom, index
};

// Grows the order from 2 until the weighted error is within the tolerance or the order is most.
// STATUS_NO_MEMORY is the only failure.
enum status memory_fit(const struct fit_data *data, double tolerance, int most, struct fit_result *out);

// B_ii of the fit at a frequency over the peak of the data, by degree of freedom of the group.
void memory_fit_damping(const struct fit_data *data, const struct fit_result *fit, double omega_radps,
                        double ratio[6]);

// |K - data| / sqrt(max B_ii max B_jj) of a frequency, the largest of the group.
double memory_fit_error_at(const struct fit_data *data, const struct fit_result *fit, int frequency);

// ------------------------------------------------------------
// The function that the fit of the memory adapts, its derivatives, and its weighted least squares. Within
// memory_fit and memory_model only.
//
// Scaled: frequencies by a typical one, degree of freedom a by sqrt of the peak of B_aa, so that K and its
// parameters are about one. Parameters: log w (n), L (n rows of a lower triangle, R = L L'), G (n rows of m),
// then A_inf (rows of a lower triangle of m) if it is fitted.

enum {
  MAX_PARAMETERS = MAX_GROUP_OSCILLATORS + MAX_GROUP_OSCILLATORS * (MAX_GROUP_OSCILLATORS + 1) / 2 +
                   6 * MAX_GROUP_OSCILLATORS + 21
};

struct memory_model {
  int n, m; // oscillators, degrees of freedom
  int fits_added_mass_inf;
  int frequencies;
  int slow;            // of the first so many frequencies the damping counts, the added mass does not
  const double *omega; // [frequency]
  const double (*damping)[6][6];    // [frequency]
  const double (*added_mass)[6][6]; // [frequency], minus A_inf unless that is fitted
  double lowest_log_w, highest_log_w;
};

static const double MOST_ROOT_OF_DAMPING = 4; // bound of |L_ij|

// Scratch memory of one fit.
struct least_squares {
  struct memory_model model;
  double (*weight)[6][6];                       // [frequency], of squared residuals, b <= a
  double *normal;                               // [MAX_PARAMETERS * MAX_PARAMETERS]
  double *factor;                               // factor of the same size
  double complex (*derivative)[MAX_PARAMETERS]; // [pair of degrees of freedom]
};

// Place of L_row,column after log w, and of a pair of degrees of freedom; column <= row.
int memory_model_place_of_root(int row, int column);

// What does not depend on the frequency: R = L L' and the squares of the oscillators' frequencies.
struct oscillators {
  double damping[MAX_GROUP_OSCILLATORS][MAX_GROUP_OSCILLATORS]; // j <= i
  double w2[MAX_GROUP_OSCILLATORS];
};
void memory_model_oscillators(const struct memory_model *model, const double *x, struct oscillators *out);

// K - data at a frequency. derivative: [pair a, b, b <= a, of a lower triangle][parameter]; NULL: not wanted.
void memory_model_residual(const struct memory_model *model, const struct oscillators *oscillators,
                           const double *x, int frequency, double complex residual[6][6],
                           double complex (*derivative)[MAX_PARAMETERS]);

// Improves x by at most so many iterations. Returns the cost: the sum of weighted squares.
double least_squares_solve(struct least_squares *work, double *x, int iterations);
