// Whether a sea can exist: its steepness and its height against the depth.
//
// Irregular seas, DNV-RP-C205 (2019), 3.5.4: the significant steepness Sp = 2 pi Hs / (g Tp^2) of sea states
// is at most 1/15 up to Tp = 8 s and 1/25 from 15 s on, linear between. Beyond it a sea is named; beyond
// 1/10, or with Hs beyond 0.6 of the depth, all of its waves would break: it is refused. Regular waves, Miche
// (1944), as in DNV-RP-C205, 3.4.6: they break at H = 0.142 L tanh(k d). From 0.8 of that on a linear wave is
// named; beyond it is refused.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/env/waves.h"

enum sea_limit { SEA_EXISTS, SEA_IS_STEEP, SEA_BREAKS };

// Judges the sea at the largest factor of its profile. why: the reason, unless it exists. No waves exist.
enum sea_limit sea_limit_of(const struct waves_def *def, double gravity_mps2, double depth_m,
                            struct reason *why);

// Largest steepness of irregular seas with this peak period.
double sea_steepness_limit(double peak_period_s);

// Height at which a regular wave breaks, m.
double sea_breaking_height(double period_s, double gravity_mps2, double depth_m);
