#include "hydro/least_squares.h"

#include <math.h>
#include <string.h>

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
