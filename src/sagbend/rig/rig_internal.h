// A taut wire between a clump weight and the gimbal above it: the catenary under a load per length that is
// the same along the wire, weight in water and drag of the current. Inextensible, no bending stiffness.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/math.h"

struct wire {
  vec3 pull_n; // of the wire on the clump, N: along the wire, upwards
  vec3 top_n;  // tension along the wire at the gimbal, away from the clump
  double length_m;
};

// Vector from the begin of a wire of this length to its end. The pull t0 at its begin points along the wire.
vec3 wire_span(vec3 t0_n, vec3 load_npm, double length_m) NONBLOCKING;

// The wire over this span, from clump to gimbal, whose tension at the gimbal is top_n. 1: found. 0: there is
// none, because the tension does not carry the wire.
int wire_between(vec3 span_m, vec3 load_npm, double top_n, struct wire *out) NONBLOCKING;

// The wire of this length over this span, from clump to gimbal, that hangs slack: longer than the wire whose
// tension at the gimbal is taut_n. Where it would sink below the clump it lies on the level seabed beside it,
// and the drag of the current on what is left of it is neglected; where it reaches the seabed in any case it
// hangs straight down.
void wire_hanging(vec3 span_m, vec3 load_npm, double taut_n, double length_m, struct wire *out) NONBLOCKING;

// Drag of a current on a steep wire, with its weight in water: N/m.
vec3 wire_load(const double current_n_mps[3], double diameter_m, double drag, double density_kgpm3,
               double weight_npm) NONBLOCKING;
