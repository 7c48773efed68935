// X = (s^2 + s R + W)^-1 G and Y = L'X give K = s G'X and its derivatives
//   dK_ab/dG_kc = s (d_ac X_kb + d_bc X_ka),  dK_ab/dL_ij = -s^2 (X_ia Y_jb + Y_ja X_ib),
//   dK_ab/dlog w_k = -2 s w_k^2 X_ka X_kb,    d(K - data)_ab/dA_inf_ab = s.
#include "hydro/memory_model.h"

#include "core/vessel/complex_number.h"

#include <math.h>

int memory_model_parameters(const struct memory_model *model) {
  int n = model->n, m = model->m;
  return n + n * (n + 1) / 2 + n * m + (model->fits_added_mass_inf ? m * (m + 1) / 2 : 0);
}

int memory_model_place_of_root(int row, int column) {
  return row * (row + 1) / 2 + column;
}

typedef double complex square[MAX_GROUP_OSCILLATORS][MAX_GROUP_OSCILLATORS];
typedef double complex columns[MAX_GROUP_OSCILLATORS][6];

// x = a^-1 x. a is symmetric with a positive semidefinite imaginary part (of s R), and elimination without
// pivots is stable enough: pivots vanish only for an undamped oscillator exactly at the frequency.
static void solve(int n, int m, square a, columns x) {
  for (int k = 0; k < n; k++) {
    double complex inverse = 1 / a[k][k];
    for (int i = k + 1; i < n; i++) {
      double complex share = a[i][k] * inverse;
      for (int j = k + 1; j < n; j++)
        a[i][j] -= share * a[k][j];
      for (int j = 0; j < m; j++)
        x[i][j] -= share * x[k][j];
    }
  }
  for (int k = n - 1; k >= 0; k--)
    for (int j = 0; j < m; j++) {
      double complex sum = x[k][j];
      for (int i = k + 1; i < n; i++)
        sum -= a[k][i] * x[i][j];
      x[k][j] = sum / a[k][k];
    }
}

static void fill_derivatives(const struct memory_model *model, const double *x, double complex s,
                             columns big_x, double complex (*derivative)[6][6]) {
  int n = model->n, m = model->m, at = 0;
  const double *root = x + n;
  columns y;
  for (int j = 0; j < n; j++)
    for (int a = 0; a < m; a++) {
      double complex sum = 0;
      for (int i = j; i < n; i++)
        sum += root[memory_model_place_of_root(i, j)] * big_x[i][a];
      y[j][a] = sum;
    }
  for (int k = 0; k < n; k++, at++)
    for (int a = 0; a < m; a++)
      for (int b = 0; b <= a; b++)
        derivative[at][a][b] = -2 * s * exp(2 * x[k]) * big_x[k][a] * big_x[k][b];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++, at++)
      for (int a = 0; a < m; a++)
        for (int b = 0; b <= a; b++)
          derivative[at][a][b] = -s * s * (big_x[i][a] * y[j][b] + y[j][a] * big_x[i][b]);
  for (int k = 0; k < n; k++)
    for (int c = 0; c < m; c++, at++)
      for (int a = 0; a < m; a++)
        for (int b = 0; b <= a; b++)
          derivative[at][a][b] = s * ((a == c ? big_x[k][b] : 0) + (b == c ? big_x[k][a] : 0));
  if (!model->fits_added_mass_inf)
    return;
  for (int c = 0; c < m; c++)
    for (int d = 0; d <= c; d++, at++)
      for (int a = 0; a < m; a++)
        for (int b = 0; b <= a; b++)
          derivative[at][a][b] = a == c && b == d ? s : 0;
}

static void drop_added_mass(const struct memory_model *model, double complex residual[6][6],
                            double complex (*derivative)[6][6]) {
  int parameters = derivative ? memory_model_parameters(model) : 0;
  for (int a = 0; a < model->m; a++)
    for (int b = 0; b < model->m; b++) {
      residual[a][b] = creal(residual[a][b]);
      for (int p = 0; p < parameters && b <= a; p++)
        derivative[p][a][b] = creal(derivative[p][a][b]);
    }
}

void memory_model_residual(const struct memory_model *model, const double *x, int frequency,
                           double complex residual[6][6], double complex (*derivative)[6][6]) {
  int n = model->n, m = model->m;
  double omega = model->omega[frequency];
  double complex s = complex_number(0, omega);
  const double *root = x + n, *drive = root + n * (n + 1) / 2, *inf = drive + n * m;
  square a;
  columns big_x;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k <= j; k++)
        sum += root[memory_model_place_of_root(i, k)] * root[memory_model_place_of_root(j, k)];
      a[i][j] = a[j][i] = s * sum;
    }
    a[i][i] += exp(2 * x[i]) - omega * omega;
    for (int c = 0; c < m; c++)
      big_x[i][c] = drive[i * m + c];
  }
  solve(n, m, a, big_x);
  for (int c = 0; c < m; c++)
    for (int d = 0; d <= c; d++) {
      double complex k = 0;
      for (int i = 0; i < n; i++)
        k += drive[i * m + c] * big_x[i][d];
      double added = model->added_mass[frequency][c][d] -
                     (model->fits_added_mass_inf ? inf[memory_model_place_of_root(c, d)] : 0);
      residual[c][d] = residual[d][c] =
          s * k - complex_number(model->damping[frequency][c][d], omega * added);
    }
  if (derivative)
    fill_derivatives(model, x, s, big_x, derivative);
  if (frequency < model->slow)
    drop_added_mass(model, residual, derivative);
}
