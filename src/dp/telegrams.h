// Instruments that sagbend-dp reads from telegrams by UDP.
#pragma once

#include "core/base/status.h"
#include "core/signals/readings.h"
#include "io/config/config.h"

struct dp_telegrams {
  const struct dp_config *config;
  int file[MAX_DP_TELEGRAMS]; // sockets; -1: none
  struct reading newest[MAX_DP_TELEGRAMS];
  int fixes_alone[MAX_DP_TELEGRAMS]; // positions of a receiver since its newest velocity
  uint64_t received, refused;
  char problem[300]; // of the newest refused one; "": none since it was taken
};

// Opens the ports of the DP file at the loopback interface.
enum status dp_telegrams_open(struct dp_telegrams *t, const struct dp_config *config, struct reason *why);
void dp_telegrams_close(struct dp_telegrams *t);

// Another session begins: what has come before counts no more.
void dp_telegrams_begin(struct dp_telegrams *t);

// Takes what has come and puts it in place of the readings of these instruments. An acoustic position to the
// north turns with the heading of the first valid gyro.
void dp_telegrams_take(struct dp_telegrams *t, double time_s, struct readings *readings);
