// How much power each bus has left. The vessel tells one sum for all buses. What that falls by is attributed
// to buses whose thrusters are no longer ready as far as they explain it. The rest is missing on a bus that
// had so much. If several had, their thrusters show which one it is as soon as it matters: they give less
// than they are told, or those of another bus take more and more power, beyond what it would have left. A
// limited bus can only come down to that. Until then, while the thrusters take at most half of what these
// buses would have left together if the power were missing on each of them, each is kept below that, and a
// bus that takes more has to give up some: else the short bus limits its thrusters by so little that none of
// them shows it. Once that is so it stays so up to six tenths. Beyond that none is limited, which would cost
// more thrust than any one failure: with the shipped vessel 3.7 of the 4.8 MW that are left. Where the vessel
// tells the power of each bus, as power management does, the buses with less than theirs are limited to that
// as soon as the sum falls.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/signals/readings.h"

struct power_watch {
  double most_w;               // largest sum that the vessel has told; 0: none
  double gone_w;               // missing, beyond that of lost buses; 0: none
  double since_s;              // time since which so much is missing
  double least_w[MAX_BUSES];   // that the thrusters of each bus have taken since then
  double told_w[MAX_BUSES];    // that each bus itself tells while power is missing; 0: it tells none
  int32_t is_short[MAX_BUSES]; // 1: the missing power may be of this bus
  int32_t is_known;            // 1: they are told; one alone is kept below what it has
  int32_t is_light; // 1: so little is taken that each of them can be kept below what it would have left
};

// What is seen at a sample.
struct power_told {
  double available_w;        // sum told by the vessel
  int has_buses;             // 1: it tells the power of each bus, too
  double bus_w[MAX_BUSES];   // that
  double full_w[MAX_BUSES];  // power of each bus by the DP file
  int is_lost[MAX_BUSES];    // 1: no thruster of it is ready
  int lacks[MAX_BUSES];      // 1: a thruster of it gives less than it is told
  double takes_w[MAX_BUSES]; // power of its thrusters, by their feedback
};

int power_watch_is_valid(const struct power_watch *watch, struct reason *why);

void power_watch_sample(struct power_watch *watch, int bus_count, const struct power_told *told,
                        double time_s) NONBLOCKING;

// Power that a bus has left as far as it is known on which bus the power is missing, W. While it may be
// missing on several, nothing is taken off any of them.
double power_watch_missing_left_w(const struct power_watch *watch, int bus, double full_w,
                                  double sum_w) NONBLOCKING;

// Power that a bus may use, W: at a light load every bus on which the power may be missing is limited, too.
double power_watch_limit_w(const struct power_watch *watch, int bus, double full_w, double sum_w) NONBLOCKING;
