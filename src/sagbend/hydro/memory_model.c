// X = (s^2 + s R + W)^-1 G and Y = L'X give K = s G'X and its derivatives
//   dK_ab/dG_kc = s (d_ac X_kb + d_bc X_ka),  dK_ab/dL_ij = -s^2 (X_ia Y_jb + Y_ja X_ib),
//   dK_ab/dlog w_k = -2 s w_k^2 X_ka X_kb,    d(K - data)_ab/dA_inf_ab = s.
#include "sagbend/hydro/hydro_internal.h"

#include "sagbend/vessel/complex_number.h"

#include <math.h>
#include <string.h>

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

static double square_of(double complex z) {
  return creal(z) * creal(z) + cimag(z) * cimag(z);
}

double least_squares_cost(const struct least_squares *work, const double *x) {
  double sum = 0;
  for (int f = 0; f < work->model.frequencies; f++) {
    double complex residual[6][6];
    memory_model_residual(&work->model, x, f, residual, NULL);
    for (int a = 0; a < work->model.m; a++)
      for (int b = 0; b <= a; b++)
        sum += work->weight[f][a][b] * square_of(residual[a][b]);
  }
  return sum;
}

// Normal matrix (lower triangle) and gradient.
static void assemble(struct least_squares *work, const double *x, double *gradient) {
  int parameters = memory_model_parameters(&work->model), m = work->model.m;
  memset(work->normal, 0, sizeof(double) * (size_t)parameters * (size_t)parameters);
  memset(gradient, 0, sizeof(double) * (size_t)parameters);
  for (int f = 0; f < work->model.frequencies; f++) {
    double complex residual[6][6];
    memory_model_residual(&work->model, x, f, residual, work->derivative);
    for (int a = 0; a < m; a++)
      for (int b = 0; b <= a; b++) {
        double weight = work->weight[f][a][b], re[MAX_PARAMETERS], im[MAX_PARAMETERS];
        double error_re = weight * creal(residual[a][b]), error_im = weight * cimag(residual[a][b]);
        for (int p = 0; p < parameters; p++) {
          re[p] = creal(work->derivative[p][a][b]);
          im[p] = cimag(work->derivative[p][a][b]);
        }
        for (int p = 0; p < parameters; p++) {
          gradient[p] += re[p] * error_re + im[p] * error_im;
          double scaled_re = weight * re[p], scaled_im = weight * im[p];
          double *row = work->normal + (size_t)p * (size_t)parameters;
          for (int q = 0; q <= p; q++)
            row[q] += scaled_re * re[q] + scaled_im * im[q];
        }
      }
  }
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
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= i; j++) {
      double sum = l[i * count + j];
      for (int k = 0; k < j; k++)
        sum -= l[i * count + k] * l[j * count + k];
      if (i == j && !(sum > 0))
        return 0;
      l[i * count + j] = i == j ? sqrt(sum) : sum / l[j * count + j];
    }
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
