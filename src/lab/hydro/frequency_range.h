// Leaves out what lies outside a range of frequencies.
#pragma once

#include "sagbend/hydro/hydro_raw.h"
#include "sagbend/hydro/hydro_report.h"

// Turns the order of frequencies, A and B, of a file that begins with the shortest wave.
void hydro_raw_reverse(struct hydro_raw *raw);

// Keeps of A, B, wave force, motions and drift the frequencies from first to last, rad/s, as compared to five
// digits. STATUS_BAD_INPUT: fewer than 8 frequencies remain.
enum status hydro_raw_keep_range(struct hydro_raw *raw, double first_radps, double last_radps,
                                 struct hydro_report *report, struct reason *why);
