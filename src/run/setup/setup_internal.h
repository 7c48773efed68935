// Notices about the sea, for setup_notices.
#pragma once

#include "run/setup/setup.h"

#include "sagbend/case/case.h"

// ------------------------------------------------------------
// What the files of plausible_check share.

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

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void plausible_report(struct plausible *p, enum severity severity, enum where where, const char *key,
                      const char *format, ...);

// "vessel.thrusters.0.name", from a format.
struct plausible_key {
  char text[128];
};
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
struct plausible_key plausible_key(const char *format, ...);

// Dimensions of the hull from whatever the configuration gives; 0: not given.
struct extent {
  double length_m, beam_m, draft_m, centre_x_m;
};
struct extent plausible_extent(const struct config *c);

// A place on the vessel beyond its hull: swapped axes, millimetres.
void plausible_place(struct plausible *p, enum where where, const char *key, const double position_b_m[3]);

int plausible_is_within(double value, double least, double most); // also where value is 0 or not finite

void plausible_vessel(struct plausible *p);
void plausible_sea(struct plausible *p);
