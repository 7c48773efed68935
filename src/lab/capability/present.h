// How much of what the vessel can hold the weather of its own case takes: the mean loads of its wind, waves
// and current, and the pull of its pipe, against what the thrusters give together in that direction at
// level 2. No spectrum of gusts, no dynamics.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/case/config.h"

// What is lost. name: as in the configuration.
struct present_loss {
  unsigned thrusters, buses, generators; // bit i: index in the plant
};

// share[i]: the load over the largest one in its direction that is held, after loss i; infinite: nothing is
// held. STATUS_BAD_INPUT: the vessel has no thrusters, or its loads are not known to the simulator;
// STATUS_NOT_CONVERGED: statics or allocation.
enum status present_shares(const struct config *config, const struct present_loss *loss, int count,
                           double *share, struct reason *why);
