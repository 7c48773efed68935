// Instruments that sagbend-dp reads from telegrams by UDP.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/signals/readings.h"
#include "programs/dp/telegram_port.h"
#include "sagbend/case/config.h"

// An instrument and its port.
struct telegram_instrument {
  struct telegram_port port;
  const struct dp_instrument *def;
  const struct dp_telegram_def *telegram;
  struct reading newest;
  char target[TELEGRAM_TARGET]; // whose telegrams count; "": not known yet
  int values_alone;             // since the newest with the rate beside them
  double smooth[2], smooth_s;   // value of which the rate is taken
  uint64_t received, refused;
  uint64_t others;   // whole sentences of other formatters, passed over
  char other[8];     // the newest of them
  char problem[300]; // of the newest refused one
};

// The vessel as the controller last saw it.
struct telegram_pose {
  double heading_rad, down_m;
};

struct dp_telegrams {
  const struct dp_config *config;
  struct telegram_instrument instrument[MAX_DP_TELEGRAMS];
  double time_s; // of the sample
  struct telegram_pose pose;
};

// Opens the ports of the DP file at the loopback interface.
enum status dp_telegrams_open(struct dp_telegrams *t, const struct dp_config *config, struct reason *why);
void dp_telegrams_close(struct dp_telegrams *t);

// Another session begins: what has come before counts no more.
void dp_telegrams_begin(struct dp_telegrams *t);

// Takes what has come and puts it in place of the readings of these instruments.
void dp_telegrams_take(struct dp_telegrams *t, double time_s, const struct telegram_pose *pose,
                       struct readings *readings);
