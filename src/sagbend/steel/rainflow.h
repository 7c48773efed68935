// Rainflow counting while the stress goes on, of the points around one section (ASTM E1049, 5.4.4), and
// Miner's sum. docs/fatigue.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/steel/sn_curve.h"

#include <stdint.h>

enum { FATIGUE_POINTS = 8, FATIGUE_RESIDUE = 16, FATIGUE_TICKS = 16 };

// What the points of an element have counted. Point k lies at the angle k pi/4 from the axis t2 of the
// section towards t3. 8-byte members only; zero: nothing counted.
struct fatigue_element {
  uint64_t number;                     // of the element in the pipe, plus 1; 0: none
  uint64_t length[FATIGUE_POINTS];     // points in the residue
  double direction[FATIGUE_POINTS];    // of the stress: 1, -1; 0 before its first turn
  double candidate_pa[FATIGUE_POINTS]; // extreme since the last turn
  double closed[FATIGUE_POINTS];       // damage of cycles that have closed
  double total[FATIGUE_POINTS];        // the same with half a cycle for each range of the residue
  double residue_pa[FATIGUE_RESIDUE][FATIGUE_POINTS]; // turns that have not closed, oldest first
  uint64_t samples, ticks;
  double tick_s[FATIGUE_TICKS], tick_total[FATIGUE_TICKS][FATIGUE_POINTS]; // ring of totals over the window
  double largest, rate_1ps, standby_s; // of its points: damage, damage by time; least time to the allowance
  uint64_t point;                      // of the largest
};

// Counts one sample of the stresses. gate: turns smaller than it are no turns. Returns by how much the totals
// of all points have grown. e->samples 0: the first sample.
double rainflow_sample(struct fatigue_element *e, const struct sn_curve *curve, double gate_pa,
                       const double stress_pa[FATIGUE_POINTS]) NONBLOCKING;

// Totals with the range since the last turn as half a cycle too: what a count that ends here gives.
void rainflow_ended(const struct fatigue_element *e, const struct sn_curve *curve,
                    double total[FATIGUE_POINTS]) NONBLOCKING;

// Rate over the window whose totals the ring holds, and standby time: until the first point has the
// allowance.
void rainflow_tick(struct fatigue_element *e, double time_s, double allowance) NONBLOCKING;

int rainflow_is_valid(const struct fatigue_element *e, struct reason *why);
