// Wave component k has the phasor e_k = a_k e^(i phi_k) at the reference point. T_jk is its transfer function
// and D_jk its drift coefficient at the vessel's heading, interpolated by a cubic through four rows of the
// table:
//   first order  F_j = Re(sum T_jk e_k),
//   slow drift   F_j = Re(sum s_jk e_k . conj(sum |s_jk| e_k)), s = sign(D) sqrt|D|:
// This is Newman's approximation (Newman 1974): sqrt(D_jk D_jl) a_k a_l cos(phi_k - phi_l) for pairs of equal
// sign and zero for others. It contains difference frequencies only and has the mean sum D a^2. Where D
// changes sign with the heading, s is smooth. Forces are computed in the level frame of the heading, then
// rotated to b.
#include "sagbend/vessel/wave_response.h"

#include "sagbend/math/lanes.h"
#include "sagbend/math/level_axes.h"
#include "sagbend/math/trig.h"

#include <string.h>

enum { DRIFT_ROW = 12 };

static double *row_of(const struct wave_response *response, const struct sea *sea, int heading, int row) {
  return response->table + ((size_t)heading * WAVE_ROWS + (size_t)row) * (size_t)sea->count;
}

void wave_response_create(struct wave_response *response, const struct vessel_def *def,
                          const struct env_def *env, const struct sea *sea, struct arena *memory) {
  *response = (struct wave_response){.first_order = def->waves.first_order, .drift = def->waves.drift};
  if (sea->count == 0 || !def->waves.present || !(response->first_order || response->drift))
    return;
  response->present = 1;
  response->table =
      arena_take(memory, (size_t)WAVE_HEADINGS * WAVE_ROWS * (size_t)sea->count, sizeof(double));
  if (!response->table)
    return;
  for (int k = 0; k < sea->count; k++) {
    if (sea->amplitude_m[k] == 0) // padding of the last SIMD lanes
      continue;
    double reflection = response->drift ? wave_reflection(def, sea->wavenumber_1pm[k]) : 0;
    for (int heading_row = 0; heading_row < WAVE_HEADINGS; heading_row++) {
      double re[6], im[6], drift[3],
          heading = sea->direction_rad[k] - 2 * TRIG_PI * heading_row / WAVE_HEADINGS;
      wave_transfer(def, env, sea->omega_radps[k], sea->wavenumber_1pm[k], heading, re, im);
      wave_drift(def, env, sea->omega_radps[k], reflection, heading, drift);
      for (int i = 0; i < 6; i++) {
        row_of(response, sea, heading_row, 2 * i)[k] = re[i];
        row_of(response, sea, heading_row, 2 * i + 1)[k] = im[i];
      }
      for (int i = 0; i < 3; i++)
        row_of(response, sea, heading_row, DRIFT_ROW + i)[k] =
            drift[i] < 0 ? -sqrt(-drift[i]) : sqrt(drift[i]);
    }
  }
}

// Four neighbouring headings of the table and their weights (cubic of Catmull and Rom 1974).
struct between {
  const double *row[4];
  double weight[4];
};

static struct between headings_about(const struct wave_response *response, const struct sea *sea,
                                     double heading) {
  double place = heading * (WAVE_HEADINGS / (2 * TRIG_PI)) + WAVE_HEADINGS;
  int first = (int)place;
  double share = place - first;
  struct between between = {
      .weight = {0.5 * share * (share * (2 - share) - 1), 0.5 * (share * share * (3 * share - 5) + 2),
                 0.5 * share * (share * (4 - 3 * share) + 1), 0.5 * share * share * (share - 1)}};
  for (int i = 0; i < 4; i++)
    between.row[i] = row_of(response, sea, (first + i - 1) % WAVE_HEADINGS, 0);
  return between;
}

// Values of LANES consecutive components at the heading; offset: of row and first component in the table.
KERNEL_INLINE void value_at(lanes *value, const struct between *at, size_t offset) {
  lanes a, b, c, d; // four variables stay in registers, an array would not
  lanes_load(&a, at->row[0] + offset);
  lanes_load(&b, at->row[1] + offset);
  lanes_load(&c, at->row[2] + offset);
  lanes_load(&d, at->row[3] + offset);
  *value = (at->weight[0] * a + at->weight[1] * b) + (at->weight[2] * c + at->weight[3] * d);
}

KERNEL_INLINE double sum_of(const lanes *v) {
  return ((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3]);
}

// Re(sum T e). The real parts of T are in this row of the table, the imaginary parts in the next.
KERNEL_CLONES
static double first_order(const struct between *at, int row, int count, const double *cosine,
                          const double *sine) {
  lanes sum = {0};
  size_t re_row = (size_t)row * (size_t)count, im_row = re_row + (size_t)count;
  for (int k = 0; k < count; k += LANES) {
    lanes re, im, c, s;
    value_at(&re, at, re_row + (size_t)k);
    value_at(&im, at, im_row + (size_t)k);
    lanes_load(&c, cosine + k);
    lanes_load(&s, sine + k);
    sum = sum + (re * c - im * s);
  }
  return sum_of(&sum);
}

// Re(sum s e . conj(sum |s| e)).
KERNEL_CLONES
static double slow_drift(const struct between *at, int row, int count, const double *cosine,
                         const double *sine) {
  lanes re = {0}, im = {0}, abs_re = {0}, abs_im = {0};
  for (int k = 0; k < count; k += LANES) {
    lanes root, size, c, s;
    value_at(&root, at, (size_t)row * (size_t)count + (size_t)k);
    lanes_abs(&size, &root);
    lanes_load(&c, cosine + k);
    lanes_load(&s, sine + k);
    re = re + root * c;
    im = im + root * s;
    abs_re = abs_re + size * c;
    abs_im = abs_im + size * s;
  }
  return sum_of(&re) * sum_of(&abs_re) + sum_of(&im) * sum_of(&abs_im);
}

void wave_response_wrench(const struct wave_response *response, const struct sea *sea, double time_s,
                          const struct vessel_state *state, double wrench_b[6]) {
  double cosine[MAX_WAVES], sine[MAX_WAVES], level[6] = {0};
  memset(wrench_b, 0, 6 * sizeof *wrench_b);
  mat3 q = quat_matrix(state->q_nb);
  struct heading heading = heading_of(&q);
  if (!response->present || !heading.present)
    return;

  sea_phasors(sea, time_s, state->x_n.x, state->x_n.y, cosine, sine);
  struct between at = headings_about(response, sea, trig_atan2(q.m[1][0], q.m[0][0]));
  for (int i = 0; response->first_order && i < 6; i++)
    level[i] = first_order(&at, 2 * i, sea->count, cosine, sine);
  for (int i = 0; response->drift && i < 3; i++)
    level[i < 2 ? i : 5] += slow_drift(&at, DRIFT_ROW + i, sea->count, cosine, sine);

  for (int i = 0; i < 6; i += 3)
    vec3_to(mat3_tmul(&q, heading_to_world(&heading, level + i)), wrench_b + i);
}
