// The window of a lay: equilibria over water depth and horizontal tension, and those in which the verdicts of
// the configuration hold.
#pragma once

#include "sagbend/rig/quantity.h"
#include "run/setup/setup_setup.h"

// Values of an option "FIRST:LAST:STEP", or of one number.
enum { WINDOW_VALUES = 1000, WINDOW_POINTS = 20000 };
struct window_range {
  int count;
  double value[WINDOW_VALUES];
};

enum { WINDOW_COLUMNS = 6 };
extern const enum quantity window_columns[WINDOW_COLUMNS]; // the last one needs a code check

struct window_point {
  double depth_m, force_n, length_m; // of the pipe
  int found;                         // 1: there is an equilibrium
  double shown[WINDOW_COLUMNS];      // NaN: undefined
  int broken;                        // index of the first verdict that does not hold; -1: all hold
  struct reason why;                 // of a point without an equilibrium
};

// Tensions between which all verdicts hold at a depth.
struct window_span {
  double depth_m, from_n, to_n;
  int from_open, to_open; // 1: the window reaches the end of the range
};

struct window {
  struct window_range depths, forces;
  int columns;                // of window_columns
  int limits;                 // verdicts on quantities of an equilibrium
  struct window_point *point; // depth by depth, force by force
  int span_count;
  struct window_span *span; // WINDOW_VALUES at most
};

// Finds all equilibria. STATUS_BAD_INPUT: an option or the configuration does not allow it. Release with
// window_free in every case.
enum status window_find(struct loaded *s, const char *depths, const char *forces, struct window *w,
                        struct reason *why);
void window_free(struct window *w);

void window_print(const struct window *w, const struct config *c);
enum status window_print_json(const struct window *w, const struct config *c);
enum status window_write_table(const struct window *w, const struct config *c, const char *path,
                               struct reason *why);
enum status window_plot(const struct window *w, const char *name, struct reason *why); // NAME.gp, NAME.png
