// The results of the points: table, CSV, JSON and plot.
#pragma once

#include "lab/sweep/rao_case.h"

extern const char *const RAO_MOTION[6], *const RAO_UNIT[6];

// Motions per metre of wave amplitude as real and imaginary parts, in the order of hydro_data.h.
struct rao_row {
  int is_there; // 0: the point has not run, or has failed
  double simulated[12], linear[12];
  double file[12]; // if the hydro file has motions
};

struct rao_results {
  const struct rao_case *c;
  const char *folder;
  struct rao_row *row; // [frequency][heading]
  int rows, missing;
  struct rao_worst {
    double difference; // from the linear answer, of the peak
    int row;           // of the largest
  } worst[6];
};

double rao_amplitude(const double motion[12], int i);
double rao_phase_deg(const double motion[12], int i);
double rao_difference(const struct rao_results *r, const double a[12], const double b[12],
                      int i);                     // of the peak
int rao_has_motions(const struct rao_results *r); // of the file, in the range

enum status rao_write_csv(const struct rao_results *r, struct reason *why);
// print: on stdout as well.
enum status rao_write_json(const struct rao_results *r, int print, struct reason *why);
// NAME.gp and, with gnuplot, NAME.png and NAME.svg.
enum status rao_write_plot(const struct rao_results *r, struct reason *why);
void rao_print(const struct rao_results *r);
