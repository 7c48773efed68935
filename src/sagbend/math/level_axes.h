// Level axes with the vessel's heading, in which linear theory knows the forces of small motions: of waves,
// of radiation and of linear damping. In axes that roll and pitch these forces would have a mean of the order
// of the mean drift. The turn T from body axes b to them is constant while positions are frozen: nu_l = T nu,
// force_b = T' force_l.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/so3.h"

// The heading of the attitude with the matrix q. present: 0 for a vessel that stands on end, which has none.
struct heading {
  int present;
  double cosine, sine;
};
struct heading heading_of(const mat3 *q) NONBLOCKING;

// A vector of level axes in the world frame.
static inline vec3 heading_to_world(const struct heading *at, const double level[3]) {
  return (vec3){at->cosine * level[0] - at->sine * level[1], at->sine * level[0] + at->cosine * level[1],
                level[2]};
}

// T; the identity for a vessel that stands on end.
mat3 level_axes_of(quat attitude) NONBLOCKING;
void level_axes_from_body(const mat3 *tilt, const double in[6], double out[6]) NONBLOCKING;
void level_axes_to_body(const mat3 *tilt, const double in[6], double out[6]) NONBLOCKING;

// out = T' in T, symmetric in.
void level_axes_matrix(const mat3 *tilt, const double in[6][6], double out[6][6]) NONBLOCKING;
