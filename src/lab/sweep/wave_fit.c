#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/wave_fit.h"

#include "sagbend/vessel/complex_number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { TERMS = 5, SERIES = 7, FEWEST_ROWS = 50 }; // series: six motions and the wave

static const char *const COLUMNS[SERIES + 1] = {"north_m",   "east_m",      "down_m",           "roll_rad",
                                                "pitch_rad", "heading_rad", "wave_elevation_m", "time_s"};

struct fit {
  int column[SERIES + 1]; // of the record
  double normal[TERMS][TERMS], right[TERMS][SERIES];
  int rows;
  double last_s; // time of the last one
};

int record_column(const char *header, const char *name) {
  size_t length = strlen(name);
  int column = 0;
  for (const char *c = header; *c; column++) {
    size_t size = strcspn(c, ",\r\n");
    if (size == length && !memcmp(c, name, size))
      return column;
    c += size;
    if (*c != ',')
      break;
    c++;
  }
  return -1;
}

// Takes the numbers of a row. Returns their number.
static int read_row(const struct fit *fit, const char *line, double value[SERIES + 1]) {
  int found = 0, column = 0;
  for (const char *c = line; c; column++) {
    for (int i = 0; i <= SERIES; i++)
      if (fit->column[i] == column) {
        char *end;
        value[i] = strtod(c, &end);
        found += end != c && isfinite(value[i]);
      }
    c = strchr(c, ',');
    c = c ? c + 1 : NULL;
  }
  return found;
}

static void add_row(struct fit *fit, double omega, double middle, double half, const double *value) {
  double t = value[SERIES], x = (t - middle) / half,
         term[TERMS] = {cos(omega * t), -sin(omega * t), 1, x, x * x};
  for (int i = 0; i < TERMS; i++) {
    for (int j = 0; j < TERMS; j++)
      fit->normal[i][j] += term[i] * term[j];
    for (int j = 0; j < SERIES; j++)
      fit->right[i][j] += term[i] * value[j];
  }
  fit->rows++;
  fit->last_s = t;
}

// Elimination without pivots: the normal equations are positive definite.
static int solve(struct fit *fit) {
  for (int k = 0; k < TERMS; k++) {
    if (!(fit->normal[k][k] > 1e-9 * fit->rows))
      return 0;
    for (int i = 0; i < TERMS; i++) {
      double share = i == k ? 0 : fit->normal[i][k] / fit->normal[k][k];
      for (int j = k; j < TERMS; j++)
        fit->normal[i][j] -= share * fit->normal[k][j];
      for (int j = 0; j < SERIES; j++)
        fit->right[i][j] -= share * fit->right[k][j];
    }
  }
  return 1;
}

static int take_header(struct fit *fit, const char *line) {
  int all = 1;
  for (int i = 0; i <= SERIES; i++) {
    fit->column[i] = record_column(line, COLUMNS[i]);
    all = all && fit->column[i] >= 0;
  }
  return all;
}

enum status wave_fit(const char *record, double omega, double from_s, double to_s, double motion[12],
                     struct reason *why) {
  struct fit fit = {.rows = 0};
  char *line = NULL;
  size_t size = 0;
  double value[SERIES + 1];
  int has_header = 0;
  FILE *file = fopen(record, "r");
  if (!file)
    return fail(why, STATUS_IO, "%s: %s", record, strerror(errno));
  while (getline(&line, &size, file) > 0)
    if (!has_header && *line != '#')
      has_header = take_header(&fit, line) ? 1 : -1;
    else if (has_header > 0 && read_row(&fit, line, value) == SERIES + 1 && value[SERIES] >= from_s &&
             value[SERIES] <= to_s)
      add_row(&fit, omega, 0.5 * (from_s + to_s), 0.5 * (to_s - from_s), value);
  free(line);
  fclose(file);
  if (fit.rows < FEWEST_ROWS || fit.last_s < to_s - 0.01 * (to_s - from_s) || !solve(&fit))
    return fail(why, STATUS_IO, "%s: at least %d rows from %g to %g s expected, got %d up to %g s", record,
                FEWEST_ROWS, from_s, to_s, fit.rows, fit.last_s);

  double complex z[SERIES];
  for (int i = 0; i < SERIES; i++)
    z[i] = complex_number(fit.right[0][i] / fit.normal[0][0], fit.right[1][i] / fit.normal[1][1]);
  for (int i = 0; i < 6; i++) {
    motion[2 * i] = creal(z[i] / z[6]);
    motion[2 * i + 1] = cimag(z[i] / z[6]);
  }
  return STATUS_OK;
}
