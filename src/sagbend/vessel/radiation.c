// Midpoint over d, m the mean of both ends:
//   q1 - q0 = d p_m,   p1 - p0 = d (-W q_m - R p_m + G nu_m),   q_m = q0 + d/2 p_m
//   p_m = S (p0 - d/2 W q0) + d/2 S G nu_m,   S = (I + d/2 R + d^2/4 W)^-1
// (p1 - p0).p_m + (q1 - q0)'W q_m = d (G' p_m).nu_m - d p_m'R p_m is the change of the energy.
#include "sagbend/vessel/radiation.h"

#include <math.h>
#include <string.h>

struct radiation radiation_of(const struct hydro_memory *memory) {
  struct radiation radiation = {.count = memory->count};
  hydro_memory_factor(memory, radiation.factor);
  for (int k = 0; k < memory->count; k++) {
    radiation.stiffness_1ps2[k] = memory->omega_radps[k] * memory->omega_radps[k];
    memcpy(radiation.drive[k], memory->drive[k], sizeof radiation.drive[k]);
  }
  return radiation;
}

// x = (L L')^-1 x
static void solve(int n, const double (*factor)[MAX_OSCILLATORS], double x[MAX_OSCILLATORS]) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      x[i] -= factor[i][k] * x[k];
    x[i] /= factor[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= factor[i][i];
    for (int k = 0; k < i; k++)
      x[k] -= factor[i][k] * x[i];
  }
}

// The lower triangle of a symmetric positive definite matrix becomes its Cholesky factor.
static void factorise(int n, double a[MAX_OSCILLATORS][MAX_OSCILLATORS]) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++)
        sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
    }
}

// The inverse of a matrix by its Cholesky factor, symmetric to the last bit.
static void invert(int n, const double (*factor)[MAX_OSCILLATORS],
                   double inverse[MAX_OSCILLATORS][MAX_OSCILLATORS]) {
  for (int j = 0; j < n; j++) {
    double column[MAX_OSCILLATORS] = {0};
    column[j] = 1;
    solve(n, factor, column);
    for (int i = j; i < n; i++)
      inverse[i][j] = inverse[j][i] = column[i];
  }
}

struct radiation_step radiation_step_of(const struct radiation *radiation, double duration_s) {
  struct radiation_step step = {.duration_s = duration_s};
  double matrix[MAX_OSCILLATORS][MAX_OSCILLATORS] = {{0}};
  const int n = radiation->count;
  const double half = 0.5 * duration_s;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double damping = 0;
      for (int k = 0; k <= j; k++)
        damping += radiation->factor[i][k] * radiation->factor[j][k];
      matrix[i][j] = half * damping + (i == j ? 1 + half * half * radiation->stiffness_1ps2[i] : 0);
    }
  factorise(n, matrix);
  invert(n, (const double (*)[MAX_OSCILLATORS])matrix, step.inverse);
  for (int j = 0; j < 6; j++) {
    double column[MAX_OSCILLATORS];
    for (int k = 0; k < n; k++)
      column[k] = half * radiation->drive[k][j];
    solve(n, (const double (*)[MAX_OSCILLATORS])matrix, column);
    for (int k = 0; k < n; k++)
      step.response[k][j] = column[k];
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      for (int k = 0; k < n; k++)
        step.impedance[i][j] += radiation->drive[k][i] * step.response[k][j];
      step.impedance[j][i] = step.impedance[i][j];
    }
  return step;
}

static void force_of(const struct radiation *radiation, struct radiation_flow *flow) NONBLOCKING {
  for (int j = 0; j < 6; j++)
    flow->force[j] = 0;
  for (int k = 0; k < radiation->count; k++)
    for (int j = 0; j < 6; j++)
      flow->force[j] += radiation->drive[k][j] * flow->p_mean[k];
}

void radiation_begin(const struct radiation *radiation, const struct radiation_step *step,
                     const struct radiation_state *state, struct radiation_flow *flow) {
  const int n = radiation->count;
  double start[MAX_OSCILLATORS];
  for (int k = 0; k < n; k++) {
    start[k] = state->p[k] - 0.5 * step->duration_s * radiation->stiffness_1ps2[k] * state->q[k];
    flow->p_mean[k] = 0;
  }
  for (int j = 0; j < n; j++) // row by row of the symmetric inverse, so that the sums stand side by side
    for (int i = 0; i < n; i++)
      flow->p_mean[i] += step->inverse[j][i] * start[j];
  force_of(radiation, flow);
}

double radiation_end(const struct radiation *radiation, const struct radiation_step *step,
                     struct radiation_state *state, struct radiation_flow *flow, const double nu_r[6]) {
  const int n = radiation->count;
  double loss = 0, along[MAX_OSCILLATORS] = {0};
  for (int k = 0; k < n; k++) {
    double *p = &flow->p_mean[k];
    for (int j = 0; j < 6; j++)
      *p += step->response[k][j] * nu_r[j];
    state->q[k] += step->duration_s * *p;
    state->p[k] = 2 * *p - state->p[k];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      along[j] += radiation->factor[i][j] * flow->p_mean[i];
  for (int j = 0; j < n; j++)
    loss += along[j] * along[j];
  force_of(radiation, flow);
  return step->duration_s * loss;
}

double radiation_energy_j(const struct radiation *radiation, const struct radiation_state *state) {
  double sum = 0;
  for (int k = 0; k < radiation->count; k++)
    sum += state->p[k] * state->p[k] + radiation->stiffness_1ps2[k] * state->q[k] * state->q[k];
  return 0.5 * sum;
}

int radiation_state_is_valid(const struct radiation *radiation, const struct radiation_state *state,
                             struct reason *why) {
  return radiation->count == 0 || (valid_finite(state->q, radiation->count, "q", why) &&
                                   valid_finite(state->p, radiation->count, "p", why));
}
