// The function that the fit of the memory adapts, its derivatives, and its weighted least squares.
//
// X = (s^2 + s R + W)^-1 G and Y = L'X give K = s G'X and its derivatives
//   dK_ab/dG_kc = s (d_ac X_kb + d_bc X_ka),  dK_ab/dL_ij = -s^2 (X_ia Y_jb + Y_ja X_ib),
//   dK_ab/dlog w_k = -2 s w_k^2 X_ka X_kb,    d(K - data)_ab/dA_inf_ab = s.
#include "sagbend/hydro/hydro_internal.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <string.h>

static int memory_model_parameters(const struct memory_model *model) {
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
static void solve_square(int n, int m, square a, columns x) {
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

// Of one pair a, b.
static void fill_pair(const struct memory_model *model, const struct oscillators *oscillators,
                      double complex s, int a, int b, columns big_x, columns y, double complex *derivative) {
  int n = model->n, m = model->m, at = 0;
  for (int k = 0; k < n; k++, at++)
    derivative[at] = -2 * s * oscillators->w2[k] * big_x[k][a] * big_x[k][b];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++, at++)
      derivative[at] = -s * s * (big_x[i][a] * y[j][b] + y[j][a] * big_x[i][b]);
  for (int k = 0; k < n; k++)
    for (int c = 0; c < m; c++, at++)
      derivative[at] = s * ((a == c ? big_x[k][b] : 0) + (b == c ? big_x[k][a] : 0));
  if (!model->fits_added_mass_inf)
    return;
  for (int c = 0; c < m; c++)
    for (int d = 0; d <= c; d++, at++)
      derivative[at] = a == c && b == d ? s : 0;
}

static void fill_derivatives(const struct memory_model *model, const struct oscillators *oscillators,
                             const double *x, double complex s, columns big_x,
                             double complex (*derivative)[MAX_PARAMETERS]) {
  int n = model->n, m = model->m;
  const double *root = x + n;
  columns y;
  for (int j = 0; j < n; j++)
    for (int a = 0; a < m; a++) {
      double complex sum = 0;
      for (int i = j; i < n; i++)
        sum += root[memory_model_place_of_root(i, j)] * big_x[i][a];
      y[j][a] = sum;
    }
  for (int a = 0; a < m; a++)
    for (int b = 0; b <= a; b++)
      fill_pair(model, oscillators, s, a, b, big_x, y, derivative[memory_model_place_of_root(a, b)]);
}

static void drop_added_mass(const struct memory_model *model, double complex residual[6][6],
                            double complex (*derivative)[MAX_PARAMETERS]) {
  int parameters = derivative ? memory_model_parameters(model) : 0;
  for (int a = 0; a < model->m; a++)
    for (int b = 0; b < model->m; b++) {
      residual[a][b] = creal(residual[a][b]);
      for (int p = 0; p < parameters && b <= a; p++) {
        double complex *at = &derivative[memory_model_place_of_root(a, b)][p];
        *at = creal(*at);
      }
    }
}

void memory_model_oscillators(const struct memory_model *model, const double *x, struct oscillators *out) {
  const double *root = x + model->n;
  for (int i = 0; i < model->n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k <= j; k++)
        sum += root[memory_model_place_of_root(i, k)] * root[memory_model_place_of_root(j, k)];
      out->damping[i][j] = sum;
    }
    out->w2[i] = exp(2 * x[i]);
  }
}

void memory_model_residual(const struct memory_model *model, const struct oscillators *oscillators,
                           const double *x, int frequency, double complex residual[6][6],
                           double complex (*derivative)[MAX_PARAMETERS]) {
  int n = model->n, m = model->m;
  double omega = model->omega[frequency];
  double complex s = complex_number(0, omega);
  const double *drive = x + n + n * (n + 1) / 2, *inf = drive + n * m;
  square a;
  columns big_x;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      a[i][j] = a[j][i] = s * oscillators->damping[i][j];
    a[i][i] += oscillators->w2[i] - omega * omega;
    for (int c = 0; c < m; c++)
      big_x[i][c] = drive[i * m + c];
  }
  solve_square(n, m, a, big_x);
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
    fill_derivatives(model, oscillators, x, s, big_x, derivative);
  if (frequency < model->slow)
    drop_added_mass(model, residual, derivative);
}

static double square_of(double complex z) {
  return creal(z) * creal(z) + cimag(z) * cimag(z);
}

// Sum of weighted squares at x.
static double least_squares_cost(const struct least_squares *work, const double *x) {
  double sum = 0;
  struct oscillators oscillators;
  memory_model_oscillators(&work->model, x, &oscillators);
  for (int f = 0; f < work->model.frequencies; f++) {
    double complex residual[6][6];
    memory_model_residual(&work->model, &oscillators, x, f, residual, NULL);
    for (int a = 0; a < work->model.m; a++)
      for (int b = 0; b <= a; b++)
        sum += work->weight[f][a][b] * square_of(residual[a][b]);
  }
  return sum;
}

// Adds a pair of degrees of freedom at a frequency to normal matrix and gradient. Most derivatives by G and
// A_inf vanish at a pair: those add nothing.
KERNEL_CLONES
static void add_pair(int parameters, const double *re, const double *im, double weight, double error_re,
                     double error_im, double *normal, double *gradient) {
  for (int p = 0; p < parameters; p++) {
    if (re[p] == 0 && im[p] == 0)
      continue;
    gradient[p] += re[p] * error_re + im[p] * error_im;
    const double scaled_re = weight * re[p], scaled_im = weight * im[p];
    double *restrict row = normal + (size_t)p * (size_t)parameters;
    for (int q = 0; q <= p; q++)
      row[q] += scaled_re * re[q] + scaled_im * im[q];
  }
}

// Normal matrix (lower triangle) and gradient.
static void assemble(struct least_squares *work, const double *x, double *gradient) {
  int parameters = memory_model_parameters(&work->model), m = work->model.m;
  memset(work->normal, 0, sizeof(double) * (size_t)parameters * (size_t)parameters);
  memset(gradient, 0, sizeof(double) * (size_t)parameters);
  struct oscillators oscillators;
  memory_model_oscillators(&work->model, x, &oscillators);
  for (int f = 0; f < work->model.frequencies; f++) {
    double complex residual[6][6];
    memory_model_residual(&work->model, &oscillators, x, f, residual, work->derivative);
    for (int a = 0; a < m; a++)
      for (int b = 0; b <= a; b++) {
        double weight = work->weight[f][a][b], re[MAX_PARAMETERS], im[MAX_PARAMETERS];
        for (int p = 0; p < parameters; p++) {
          re[p] = creal(work->derivative[memory_model_place_of_root(a, b)][p]);
          im[p] = cimag(work->derivative[memory_model_place_of_root(a, b)][p]);
        }
        add_pair(parameters, re, im, weight, weight * creal(residual[a][b]), weight * cimag(residual[a][b]),
                 work->normal, gradient);
      }
  }
}

// Factors a symmetric matrix in its lower triangle. Returns 0 if it is not positive definite. Column by
// column, so that what is left of a row is updated side by side.
KERNEL_CLONES
static int cholesky(int count, double *l) {
  double column[MAX_PARAMETERS];
  for (int k = 0; k < count; k++) {
    const double pivot = l[k * count + k];
    if (!(pivot > 0))
      return 0;
    const double root = sqrt(pivot);
    l[k * count + k] = root;
    for (int i = k + 1; i < count; i++) {
      double *restrict row = l + i * count;
      const double share = row[k] / root;
      row[k] = column[i] = share;
      for (int j = k + 1; j <= i; j++)
        row[j] -= share * column[j];
    }
  }
  return 1;
}

// Solves (normal + damping diag(normal)) step = -gradient with fixed parameters held. Returns 0 if the matrix
// is not positive definite.
static int step_of(struct least_squares *work, double damping, const double *gradient, const int *is_fixed,
                   double *step) {
  int count = memory_model_parameters(&work->model);
  double *l = work->factor;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j <= i; j++)
      l[i * count + j] = is_fixed[i] || is_fixed[j] ? 0 : work->normal[i * count + j];
    l[i * count + i] = is_fixed[i] ? 1 : l[i * count + i] * (1 + damping) + 1e-12;
    step[i] = is_fixed[i] ? 0 : -gradient[i];
  }
  if (!cholesky(count, l))
    return 0;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < i; k++)
      step[i] -= l[i * count + k] * step[k];
    step[i] /= l[i * count + i];
  }
  for (int i = count - 1; i >= 0; i--) {
    for (int k = i + 1; k < count; k++)
      step[i] -= l[k * count + i] * step[k];
    step[i] /= l[i * count + i];
  }
  return 1;
}

// Bounds of a parameter; infinite for G and A_inf.
static void bounds_of(const struct memory_model *model, int parameter, double *low, double *high) {
  int n = model->n;
  *low = -HUGE_VAL, *high = HUGE_VAL;
  if (parameter < n)
    *low = model->lowest_log_w, *high = model->highest_log_w;
  else if (parameter < n + n * (n + 1) / 2)
    *low = -MOST_ROOT_OF_DAMPING, *high = MOST_ROOT_OF_DAMPING;
}

double least_squares_solve(struct least_squares *work, double *x, int iterations) {
  int count = memory_model_parameters(&work->model), is_fixed[MAX_PARAMETERS] = {0}, stalled = 0;
  double gradient[MAX_PARAMETERS], step[MAX_PARAMETERS], next[MAX_PARAMETERS], damping = 1e-3;
  double cost = least_squares_cost(work, x);
  for (int round = 0; round < iterations && stalled < 3; round++) {
    assemble(work, x, gradient);
    for (int p = 0; p < count; p++) {
      double low, high;
      bounds_of(&work->model, p, &low, &high);
      is_fixed[p] = (x[p] <= low && gradient[p] > 0) || (x[p] >= high && gradient[p] < 0);
    }
    double new_cost = HUGE_VAL;
    for (int attempt = 0; attempt < 12; attempt++) {
      if (step_of(work, damping, gradient, is_fixed, step)) {
        for (int p = 0; p < count; p++) {
          double low, high;
          bounds_of(&work->model, p, &low, &high);
          next[p] = fmin(fmax(x[p] + step[p], low), high);
        }
        new_cost = least_squares_cost(work, next);
        if (new_cost < cost)
          break;
      }
      damping = fmin(damping * 4, 1e8);
    }
    if (!(new_cost < cost))
      break;
    stalled = cost - new_cost < 1e-4 * cost ? stalled + 1 : 0;
    cost = new_cost;
    memcpy(x, next, sizeof(double) * (size_t)count);
    damping = fmax(damping / 5, 1e-10);
  }
  return cost;
}
