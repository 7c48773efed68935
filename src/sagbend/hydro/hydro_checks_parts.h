// The single checks. Within the checks and radiated_waves.c only. Each returns 0 if the data fail it, after
// writing why.
#pragma once

#include "sagbend/hydro/hydro_checks.h"

int check_symmetry(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);
int check_mass(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);
int check_passivity(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);
int check_kramers_kronig(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);
int check_long_waves(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);
int check_motions(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);

// A and B at a frequency below the range, from the frequencies that are not left out (at least two).
void kramers_kronig_below(const struct hydro_raw *raw, double omega_radps, double added_mass[6][6],
                          double damping[6][6]);

// Of at most MAX_HYDRO_FREQUENCIES values, at least one; the upper one of both in the middle.
double median_of(const double *values, int count);

// Largest B_ii over the frequencies that are not left out.
void damping_peaks(const struct hydro_raw *raw, double peak[6]);
