#include "sagbend/math/phi.h"

#include <math.h>

// Largest |A| h of a part: term 19 of the series is then below 1e-17 of the largest term.
static const double PART_NORM = 1.0;
// The series ends at a term below this share of the start.
static const double RESOLVED = 0x1p-62;
enum { MOST_PARTS = 100000 };

int phi_part_count(int n, const double a[][PHI_MAX], double h) {
  double norm = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += fabs(a[i][j]);
    norm = sum > norm ? sum : norm;
  }

  double parts = ceil(norm * fabs(h) / PART_NORM);
  if (!(parts <= MOST_PARTS))
    return 0;

  return parts < 1 ? 1 : (int)parts;
}

void phi_path_of(int n, const double a[][PHI_MAX], double h, const double x[], struct phi_path *path) {
  double size = 0;
  path->n = n;
  path->h = h;

  for (int i = 0; i < n; i++) {
    path->term[0][i] = x[i];
    size += fabs(x[i]);
  }

  for (path->terms = 1; path->terms < PHI_TERMS; path->terms++) {
    const double *last = path->term[path->terms - 1];
    double *next = path->term[path->terms], next_size = 0;
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++)
        sum += a[i][j] * last[j];
      next[i] = h / path->terms * sum;
      next_size += fabs(next[i]);
    }
    if (next_size <= RESOLVED * size)
      return;
  }
}

void phi_end(const struct phi_path *path, double x[]) {
  for (int i = 0; i < path->n; i++) {
    double sum = 0;
    for (int k = path->terms - 1; k >= 0; k--) // small terms first
      sum += path->term[k][i];
    x[i] = sum;
  }
}

void phi_row(const struct phi_path *path, const double row[], double out[PHI_TERMS]) {
  for (int k = 0; k < path->terms; k++) {
    out[k] = 0;
    for (int j = 0; j < path->n; j++)
      out[k] += row[j] * path->term[k][j];
  }
}

double phi_product(const struct phi_path *path, const double left[PHI_TERMS], const double right[PHI_TERMS]) {
  double sum = 0;
  for (int power = 2 * path->terms - 2; power >= 0; power--) {
    double coefficient = 0;
    int first = power < path->terms ? 0 : power - path->terms + 1,
        last = power < path->terms ? power : path->terms - 1;
    for (int i = first; i <= last; i++)
      coefficient += left[i] * right[power - i];
    sum += coefficient / (power + 1);
  }

  return path->h * sum;
}
