// The points as the plan of a sweep.
#pragma once

#include "sweep/rao_case.h"

// Makes the plan: axis 1 the frequencies, axis 2 the headings. Each point records the motions. Release with
// plan_free in every case.
enum status rao_plan_make(const struct rao_options *options, const struct rao_case *c, struct plan *out,
                          struct reason *why);

// Number of periods over which the amplitudes are taken, after the settling.
enum { RAO_PERIODS = 10 };
