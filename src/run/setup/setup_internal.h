// What is valid and hardly meant: the findings of plausible.c, and of plausible_dp.c about the DP file.
#pragma once

#include "run/setup/setup.h"

struct plausible {
  const struct setup *setup;
  const struct config *c;
  const char *path;      // of the case
  const struct sim *sim; // NULL: none
  const struct config_places *places, *dp_places;
  void (*say)(void *context, const char *line);
  void *context;
  int errors;
};

enum severity { MEANT_PERHAPS, NOT_MEANT };
enum where { IN_CASE, IN_DP_FILE };

// "vessel.thrusters.0.name", from a format.
struct plausible_key {
  char text[128];
};

// A finding, with the place of its key. MEANT_PERHAPS: not if the configuration marks the key as meant.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void plausible_report(struct plausible *p, enum severity severity, enum where where, const char *key,
                      const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
struct plausible_key plausible_key(const char *format, ...);
int plausible_is_within(double value, double least, double most); // also where it is 0 or not finite

void plausible_dp(struct plausible *p); // the DP file against the vessel
