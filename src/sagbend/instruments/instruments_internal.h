// A taut wire between a clump weight and the gimbal above it: the catenary under a load per length that is
// the same along the wire, weight in water and drag of the current. Inextensible, no bending stiffness.
#pragma once

#include "sagbend/instruments/instruments.h"

#include "sagbend/base/base.h"
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

// ------------------------------------------------------------
// The place at three distances from three points, above their plane: what a long-baseline acoustic system
// computes. n, m.

// 1: found. 0: the points stand in a line, or the distances do not meet.
int place_at_ranges(const vec3 points[3], const double ranges[3], vec3 *out) NONBLOCKING;

// Root mean square of the horizontal standard deviations, for a unit standard deviation of each range.
// INFINITY: the place is in the plane of two directions.
double place_dilution(const vec3 points[3], vec3 place) NONBLOCKING;

// ------------------------------------------------------------
// Shared by the files of the instruments.

// Value that an instrument without errors measures at this place. 0: there is nothing to measure (no
// contact).
int instrument_true_value(const struct instrument_def *d, const double place_b_m[3], double level_m,
                          const struct sim *sim, const struct sim_output *truth,
                          double value[READING_CHANNELS]) NONBLOCKING;

void instrument_switch_on(const struct instrument_def *d, uint64_t seed, struct instrument_state *s);
// Adds the errors, and advances the random processes by one measurement.
void instrument_add_errors(const struct instrument_def *d, const struct instrument_plan *plan,
                           struct instrument_state *s, double value[READING_CHANNELS]) NONBLOCKING;
// Cuts the value off at the range and rounds it to the resolution; 0: it was out of range.
int instrument_limit(const struct instrument_def *d, double value[READING_CHANNELS]) NONBLOCKING;

// Applies the active faults to the value and its validity.
void instrument_add_faults(const struct instruments *all, int i, const struct fault_set *faults,
                           double time_s, struct measurement *t) NONBLOCKING;
// False if a fault suppresses the measurement; otherwise *delay_steps is its delay in addition to the
// latency.
int instrument_transmits(const struct instruments *all, int i, const struct fault_set *faults,
                         const struct measurement *t, uint64_t *delay_steps) NONBLOCKING;
