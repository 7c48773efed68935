// The rollers of a stinger.
#pragma once

#include "sagbend/stinger/stinger.h"
#include "sagbend/stinger/stinger_def.h"

enum { MAX_ROLLERS = 2 * MAX_STINGER_SUPPORTS };

// A support: where the axis of the pipe lies that just touches it, and the directions of the axis, towards
// the hang-off, and of the support; b.
struct stinger_support {
  vec3 at_b_m, along_b, up_b;
};

static inline int stinger_supports(const struct stinger_def *def) {
  return def->support_count > 0 ? def->support_count : def->ramp_supports + def->arc_supports;
}

// Least distance of neighbouring supports, m; INFINITY for one support.
double stinger_spacing(const struct stinger_def *def);

// Rollers of a support: 2 for a V.
static inline int stinger_rollers_each(const struct stinger_def *def) {
  return def->v_angle_rad > 0 ? 2 : 1;
}

// Support k, from the hang-off towards the tip: those of the list, or those of the ramp, then those of the
// arc. On listed supports the pipe has the direction between their neighbours, at both ends that of an arc.
struct stinger_support stinger_support_of(const struct stinger_def *def, int k);

// Fills the rollers, support by support, for a pipe of this radius; returns their number.
int stinger_rollers(const struct stinger_def *def, double pipe_radius_m, struct roller to[MAX_ROLLERS]);
