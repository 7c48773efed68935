// The observer, and the prediction with it or without.
#include "sagbend/navigation/navigation.h"
#include "sagbend/navigation/navigation_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

// Indices of the states of an axis: position, velocity, b / m, xi1, xi2.
enum { N = OBSERVER_STATES, P = 0, V = 1, B = 2, X1 = 3, X2 = 4 };
static const double LONGEST_STEP_S = 0.25;

void observer_start(struct observer_state *observer, const struct observer_def *def, const double eta[3],
                    double time_s) {
  memset(observer, 0, sizeof *observer);
  memcpy(observer->eta, eta, sizeof observer->eta);
  for (int i = 0; i < 3; i++) {
    double sigma = i < 2 ? def->position_sigma_m : def->heading_sigma_rad,
           w = def->wave_sigma[i] * def->wave_sigma[i];
    double b = 30 * def->bias_sigma[i] / def->mass[i][i]; // a bias that may grow in a quarter of an hour
    observer->covariance[i][P][P] = sigma * sigma + w;
    observer->covariance[i][V][V] = i < 2 ? 0.25 : 1e-4;
    observer->covariance[i][B][B] = b * b;
    observer->covariance[i][X1][X1] = w / (def->wave_frequency_radps * def->wave_frequency_radps);
    observer->covariance[i][X2][X2] = w;
  }
  observer_remember(observer, time_s);
}

// Exact transition matrix of the wave model over a step h.
static void wave_transition(const struct observer_def *def, double h, double phi[2][2]) {
  double w = def->wave_frequency_radps, z = def->wave_damping, root = w * sqrt(1 - z * z);
  double fade = explog_exp(-z * w * h), c = trig_cos(root * h), s = trig_sin(root * h);
  phi[0][0] = fade * (c + z * w / root * s);
  phi[0][1] = fade * s / root;
  phi[1][0] = -fade * w * w / root * s;
  phi[1][1] = fade * (c - z * w / root * s);
}

static double bias_fade(const struct observer_def *def, double h) {
  return def->bias_time_s > 0 ? 1 / (1 + h / def->bias_time_s) : 1;
}

static void predict_covariance(double p[N][N], const struct observer_def *def, int axis,
                               const double wave[2][2], double h) {
  double m = def->mass[axis][axis], hold = 1 / (1 + h * def->damping[axis][axis] / m);
  double f[N][N] = {{0}}, fp[N][N];
  f[V][V] = hold;
  f[V][B] = h * hold;
  f[P][P] = 1;
  f[P][V] = 0.5 * h * (1 + hold); // mean velocity
  f[P][B] = 0.5 * h * h * hold;
  f[B][B] = bias_fade(def, h);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      f[X1 + i][X1 + j] = wave[i][j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      fp[i][j] = 0;
      for (int k = 0; k < N; k++)
        fp[i][j] += f[i][k] * p[k][j];
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++)
        sum += fp[i][k] * f[j][k];
      p[i][j] = p[j][i] = sum;
    }
  double a = def->force_sigma[axis] / m, b = def->bias_sigma[axis] / m, s = def->wave_sigma[axis];
  p[V][V] += a * a * h;
  p[B][B] += b * b * h;
  // Noise that keeps the wave model stationary: the stationary variance minus its remainder after the step.
  double w = def->wave_frequency_radps;
  const double still[2] = {s * s / (w * w), s * s};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      p[X1 + i][X1 + j] +=
          (i == j ? still[i] : 0) - wave[i][0] * still[0] * wave[j][0] - wave[i][1] * still[1] * wave[j][1];
}

static void predict_step(struct observer_state *observer, const struct observer_def *def, const double tau[3],
                         double h) {
  double psi = observer->eta[2], c = trig_cos(psi), s = trig_sin(psi), left[3][3], right[3], wave[2][2];
  const double bias_b[3] = {c * observer->bias[0] + s * observer->bias[1],
                            -s * observer->bias[0] + c * observer->bias[1], observer->bias[2]};
  for (int i = 0; i < 3; i++) { // (M + h D) nu1 = M nu0 + h (tau + b)
    right[i] = h * (tau[i] + bias_b[i]);
    for (int j = 0; j < 3; j++) {
      left[i][j] = def->mass[i][j] + h * def->damping[i][j];
      right[i] += def->mass[i][j] * observer->nu[j];
    }
  }
  double before[3] = {observer->nu[0], observer->nu[1], observer->nu[2]};
  mat3_solve_rows((const double (*)[3])left, right, observer->nu);
  double mean[3];
  for (int i = 0; i < 3; i++)
    mean[i] = 0.5 * (before[i] + observer->nu[i]);
  double half = psi + 0.5 * h * mean[2], ch = trig_cos(half), sh = trig_sin(half);
  observer->eta[0] += h * (ch * mean[0] - sh * mean[1]);
  observer->eta[1] += h * (sh * mean[0] + ch * mean[1]);
  observer->eta[2] = trig_wrap(psi + h * mean[2]);
  wave_transition(def, h, wave);
  for (int i = 0; i < 3; i++) {
    double x1 = observer->xi1[i], x2 = observer->xi2[i];
    observer->xi1[i] = wave[0][0] * x1 + wave[0][1] * x2;
    observer->xi2[i] = wave[1][0] * x1 + wave[1][1] * x2;
    observer->bias[i] *= bias_fade(def, h);
    predict_covariance(observer->covariance[i], def, i, (const double (*)[2])wave, h);
  }
}

void observer_predict(struct observer_state *observer, const struct observer_def *def, const double tau[3],
                      double time_s) {
  double dt_s = time_s - observer->now_s;
  if (!(dt_s > 0))
    return;
  observer->now_s = time_s;
  double left = dt_s < OBSERVER_LONGEST_GAP_S ? dt_s : OBSERVER_LONGEST_GAP_S;
  int steps = 1 + (int)(left / LONGEST_STEP_S - 1e-9);
  for (int i = 0; i < steps; i++)
    predict_step(observer, def, tau, left / steps);
}

void observer_measured_at(const struct observer_state *observer, double time_s, double y[3]) {
  uint64_t newest = observer->history_count - 1, oldest = observer->history_count > OBSERVER_HISTORY
                                                              ? observer->history_count - OBSERVER_HISTORY
                                                              : 0;
  uint64_t k = newest;
  while (k > oldest && observer->history_s[k % OBSERVER_HISTORY] > time_s)
    k--;
  int at = (int)(k % OBSERVER_HISTORY), after = (int)((k + 1) % OBSERVER_HISTORY);
  double from = observer->history_s[at], to, now[3];
  for (int i = 0; i < 3; i++)
    now[i] = observer->eta[i] + observer->xi2[i]; // predicted, not in the history yet
  const double *end = now;
  if (k < newest) {
    end = observer->history_y[after];
    to = observer->history_s[after];
  } else {
    to = observer->now_s;
  }
  double share = to > from ? (time_s - from) / (to - from) : 1;
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  for (int i = 0; i < 3; i++) {
    double distance = end[i] - observer->history_y[at][i];
    y[i] = observer->history_y[at][i] + share * (i == 2 ? trig_wrap(distance) : distance);
  }
}

// Gains of one axis for a measurement with this standard deviation, and the covariance after it.
static void correct_axis(double p[N][N], double sigma, double gain[N]) {
  double row[N], s = sigma * sigma;
  for (int j = 0; j < N; j++)
    row[j] = p[P][j] + p[X2][j];
  s += row[P] + row[X2];
  for (int i = 0; i < N; i++)
    gain[i] = s > 0 ? row[i] / s : 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      p[i][j] = p[j][i] = p[i][j] - gain[i] * gain[j] * s;
}

// Adds a correction in the vessel's axes to the state: gain times innovation of each state and axis.
static void add_correction(struct observer_state *observer, const struct observer_def *def, double by[N][2]) {
  double psi = observer->eta[2], c = trig_cos(psi), s = trig_sin(psi);
  for (int i = 0; i < 2; i++) {
    by[B][i] *= def->mass[i][i];
    observer->nu[i] += by[V][i];
  }
  double *const turned[N] = {
      [P] = observer->eta, [B] = observer->bias, [X1] = observer->xi1, [X2] = observer->xi2};
  for (int j = 0; j < N; j++)
    if (turned[j]) {
      turned[j][0] += c * by[j][0] - s * by[j][1];
      turned[j][1] += s * by[j][0] + c * by[j][1];
    }
}

void observer_correct_position(struct observer_state *observer, const struct observer_def *def,
                               const double off_n_m[2], double sigma_m) {
  double psi = observer->eta[2], c = trig_cos(psi), s = trig_sin(psi), k[2][N];
  const double off_b[2] = {c * off_n_m[0] + s * off_n_m[1], -s * off_n_m[0] + c * off_n_m[1]};
  double by[N][2];
  for (int i = 0; i < 2; i++) {
    correct_axis(observer->covariance[i], sigma_m, k[i]);
    for (int j = 0; j < N; j++)
      by[j][i] = k[i][j] * off_b[i];
  }
  add_correction(observer, def, by);
}

// With the errors of the two axes together, S = H P H' + R: x += P H' S^-1 y. The covariance of an axis
// shrinks by its own measurement, row row' / S_ii: the state has no covariance between the axes,
// so that a narrow ellipse across both would otherwise count again in each measurement, also in the direction
// that it does not see.
void observer_correct_fix(struct observer_state *observer, const struct observer_def *def,
                          const double off_n_m[2], const double covariance[3]) {
  double psi = observer->eta[2], c = trig_cos(psi), s = trig_sin(psi), row[2][N], by[N][2];
  const double off_b[2] = {c * off_n_m[0] + s * off_n_m[1], -s * off_n_m[0] + c * off_n_m[1]};
  double nn = covariance[0], ne = covariance[1], ee = covariance[2];
  double own[2] = {c * c * nn + 2 * c * s * ne + s * s * ee, s * s * nn - 2 * c * s * ne + c * c * ee};
  double joint = (c * c - s * s) * ne + c * s * (ee - nn);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < N; j++)
      row[i][j] = observer->covariance[i][P][j] + observer->covariance[i][X2][j];
    own[i] += row[i][P] + row[i][X2];
  }
  double size = own[0] * own[1] - joint * joint;
  if (!(size > 0))
    return;
  const double z[2] = {(own[1] * off_b[0] - joint * off_b[1]) / size,
                       (own[0] * off_b[1] - joint * off_b[0]) / size};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < N; j++)
      by[j][i] = row[i][j] * z[i];
    for (int j = 0; j < N; j++)
      for (int m = 0; m <= j; m++)
        observer->covariance[i][j][m] = observer->covariance[i][m][j] =
            observer->covariance[i][j][m] - row[i][j] * row[i][m] / own[i];
  }
  add_correction(observer, def, by);
}

void observer_correct_heading(struct observer_state *observer, const struct observer_def *def, double off_rad,
                              double sigma_rad) {
  double k[N];
  correct_axis(observer->covariance[2], sigma_rad, k);
  observer->eta[2] = trig_wrap(observer->eta[2] + k[P] * off_rad);
  observer->nu[2] += k[V] * off_rad;
  observer->bias[2] += def->mass[2][2] * k[B] * off_rad;
  observer->xi1[2] += k[X1] * off_rad;
  observer->xi2[2] += k[X2] * off_rad;
}

void observer_remember(struct observer_state *observer, double time_s) {
  int at = (int)(observer->history_count++ % OBSERVER_HISTORY);
  observer->history_s[at] = observer->now_s = time_s;
  for (int i = 0; i < 3; i++)
    observer->history_y[at][i] = observer->eta[i] + observer->xi2[i];
}

int observer_state_is_valid(const struct observer_state *o, int started, struct reason *why) {
  return valid_finite(o->eta, 3, "eta", why) && valid_finite(o->nu, 3, "nu", why) &&
         valid_finite(o->bias, 3, "bias", why) && valid_finite(o->xi1, 3, "xi1", why) &&
         valid_finite(o->xi2, 3, "xi2", why) &&
         valid_finite(&o->covariance[0][0][0], sizeof o->covariance / sizeof(double), "covariance", why) &&
         valid_finite(&o->now_s, 1, "now_s", why) &&
         valid_whole(o->history_count, started != 0, VALID_MOST_STEPS, "history_count",
                     why) && // observer_measured_at reads the latest
         valid_finite(o->history_s, OBSERVER_HISTORY, "history_s", why) &&
         valid_finite(&o->history_y[0][0], sizeof o->history_y / sizeof(double), "history_y", why);
}

// ------------------------------------------------------------
// The prediction.

double heading_now(const struct navigation_sampling *nav) {
  return nav->observer->present && nav->state->ready
             ? trig_wrap(nav->state->observer.eta[2] + nav->state->observer.xi2[2])
             : nav->state->eta[2];
}

void predicted_at(const struct navigation_sampling *nav, double time_s, double y[3]) {
  const struct navigation_state *state = nav->state;
  if (nav->observer->present) {
    observer_measured_at(&state->observer, time_s, y);
    return;
  }
  double back = time_s - nav->time_s;
  y[0] = state->eta[0] + back * state->velocity_n[0];
  y[1] = state->eta[1] + back * state->velocity_n[1];
  y[2] = state->eta[2] + back * state->heading_rate;
}

int prediction_is_overdue(const struct navigation_sampling *nav) {
  return nav->state->is_blind ||
         (nav->def->reaccept_s > 0 && nav->time_s - nav->state->position_s > nav->def->reaccept_s);
}
