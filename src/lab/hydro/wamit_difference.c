// .12d: two periods, two headings, degree of freedom, amplitude, phase, real and imaginary part of the
// quadratic transfer function of difference frequencies, D(w1, w2) in rho g L^k. Its diagonal is the mean
// drift. The simulator takes D(w1, w2) as the mean of D(w1, w1) and D(w2, w2) (Newman 1974); the report says
// how far the file differs from that.
#include "lab/hydro/hydro_internal.h"
#include "lab/hydro/wamit_rows.h"

#include <math.h>
#include <stdlib.h>

enum { DRIFTS = 3, OF_FREEDOM = 4, REAL = 7, IMAGINARY = 8 };
static const int DRIFT_ROW[6] = {0, 1, -1, -1, -1, 2};
static const char *const NAMES[DRIFTS] = {"surge", "sway", "yaw"};

// The rows of the diagonal.
struct diagonal {
  const double **row; // owned
  int count;
};

static enum status find_diagonal(const struct wamit_rows *rows, struct diagonal *out) {
  out->row = calloc(rows->count > 0 ? (size_t)rows->count : 1, sizeof *out->row);
  if (!out->row)
    return STATUS_NO_MEMORY;
  for (int at = 0; at < rows->count; at++) {
    const double *number = rows->row[at].number;
    if (number[0] == number[1] && number[2] == number[3])
      out->row[out->count++] = number;
  }
  return STATUS_OK;
}

// The value of the diagonal at a period and heading; NULL: there is none.
static const double *diagonal_at(const struct diagonal *diagonal, double period, double heading, double dof) {
  for (int at = 0; at < diagonal->count; at++) {
    const double *number = diagonal->row[at];
    if (number[0] == period && number[2] == heading && number[OF_FREEDOM] == dof)
      return number;
  }
  return NULL;
}

struct comparison {
  double peak[DRIFTS], largest[DRIFTS], first_s[DRIFTS], second_s[DRIFTS];
  int diagonal, pairs;
};

static void compare_with_newman(const struct wamit_rows *rows, const struct diagonal *diagonal,
                                struct comparison *out) {
  for (int at = 0; at < rows->count; at++) {
    const double *number = rows->row[at].number;
    int d = DRIFT_ROW[(int)number[OF_FREEDOM] - 1];
    if (number[2] != number[3] || d < 0)
      continue;
    out->peak[d] = fmax(out->peak[d], hypot(number[REAL], number[IMAGINARY]));
    if (number[0] == number[1]) {
      out->diagonal++;
      continue;
    }
    const double *a = diagonal_at(diagonal, number[0], number[2], number[OF_FREEDOM]);
    const double *b = diagonal_at(diagonal, number[1], number[2], number[OF_FREEDOM]);
    if (!a || !b)
      continue;
    double miss = hypot(number[REAL] - 0.5 * (a[REAL] + b[REAL]), number[IMAGINARY]);
    out->pairs++;
    if (miss > out->largest[d])
      out->largest[d] = miss, out->first_s[d] = number[0], out->second_s[d] = number[1];
  }
}

static enum status check_rows(const struct wamit_rows *rows, struct reason *why) {
  for (int at = 0; at < rows->count; at++) {
    const double *number = rows->row[at].number;
    enum status status = wamit_check_index(rows, at, OF_FREEDOM, why);
    if (status != STATUS_OK)
      return status;
    if (!(number[0] > 0 && number[1] > 0))
      return wamit_fail(rows, at, why, "two periods above 0 expected, got %g and %g", number[0], number[1]);
    double size = hypot(number[REAL], number[IMAGINARY]);
    if (!(fabs(size - fabs(number[5])) <= 2e-3 * fmax(size, fabs(number[5])) + 1e-12))
      return wamit_fail(rows, at, why, "the amplitude of real and imaginary part (%.6g) expected, got %.6g",
                        size, number[5]);
  }
  return STATUS_OK;
}

enum status wamit_read_difference(const char *path, struct hydro_report *report, struct reason *why) {
  struct wamit_rows rows;
  struct comparison found = {.pairs = 0};
  struct diagonal diagonal = {.count = 0};
  enum status status = wamit_rows_read(
      &rows, path, 9, 9, "two periods, two headings, degree of freedom, amplitude, phase, two parts", why);
  if (status == STATUS_OK)
    status = check_rows(&rows, why);
  if (status == STATUS_OK && find_diagonal(&rows, &diagonal) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for %.100s", path);
  if (status == STATUS_OK) {
    compare_with_newman(&rows, &diagonal, &found);
    report_line(report, "%s: difference frequencies, %d values on the diagonal, %d pairs beside it", path,
                found.diagonal, found.pairs);
    for (int d = 0; d < DRIFTS; d++)
      if (found.peak[d] > 0 && found.pairs > 0)
        report_line(report,
                    "  %s: Newman's approximation, which the simulator uses, differs by up to %.3g %% of the "
                    "peak, at %.4g and %.4g s",
                    NAMES[d], 100 * found.largest[d] / found.peak[d], found.first_s[d], found.second_s[d]);
  }
  free(diagonal.row);
  wamit_rows_free(&rows, report);
  return status;
}
