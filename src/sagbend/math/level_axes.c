#include "sagbend/math/level_axes.h"

struct heading heading_of(const mat3 *q) {
  double size = sqrt(q->m[0][0] * q->m[0][0] + q->m[1][0] * q->m[1][0]);
  if (!(size > 0))
    return (struct heading){.present = 0};
  return (struct heading){.present = 1, .cosine = q->m[0][0] / size, .sine = q->m[1][0] / size};
}

mat3 level_axes_of(quat attitude) {
  mat3 q = quat_matrix(attitude);
  struct heading at = heading_of(&q);
  if (!at.present)
    return (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  mat3 level = {{{at.cosine, at.sine, 0}, {-at.sine, at.cosine, 0}, {0, 0, 1}}};
  return mat3_product(&level, &q);
}

void level_axes_from_body(const mat3 *tilt, const double in[6], double out[6]) {
  vec3_to(mat3_mul(tilt, vec3_of(in)), out);
  vec3_to(mat3_mul(tilt, vec3_of(in + 3)), out + 3);
}

void level_axes_to_body(const mat3 *tilt, const double in[6], double out[6]) {
  vec3_to(mat3_tmul(tilt, vec3_of(in)), out);
  vec3_to(mat3_tmul(tilt, vec3_of(in + 3)), out + 3);
}

void level_axes_matrix(const mat3 *tilt, const double in[6][6], double out[6][6]) {
  double half_way[6][6]; // rows: T' applied to the columns of a symmetric matrix
  for (int i = 0; i < 6; i++)
    level_axes_to_body(tilt, in[i], half_way[i]);
  for (int j = 0; j < 6; j++) {
    double column[6], turned[6];
    for (int i = 0; i < 6; i++)
      column[i] = half_way[i][j];
    level_axes_to_body(tilt, column, turned);
    for (int i = 0; i < 6; i++)
      out[i][j] = turned[i];
  }
}
