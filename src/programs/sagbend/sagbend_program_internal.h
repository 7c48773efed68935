// Solves the inverse problem of the statics (thesis, section 4.3.2, the map F): the horizontal force at which
// the equilibrium has a wanted lay-back, touchdown, tension, angle or curvature. Used by sagbend statics
// --find.
#pragma once

#include "log/log/log.h"
#include "run/setup/setup.h"
#include "sagbend/rig/rig.h"
#include "view/scene/scene.h"

#include <cjson/cJSON.h>
#include <stdio.h>

// wanted: "quantity=value" or "touchdown_point_m=X,Y". Leaves the force in the session's configuration, and
// creates its simulator with it. STATUS_BAD_INPUT: wanted is not understood, or the statics are not given by
// a force; STATUS_NOT_CONVERGED: no equilibrium has that value.
enum status find_equilibrium(struct loaded *loaded, const char *wanted, struct reason *why);

// ------------------------------------------------------------
// Parts of sagbend log. They print on stdout. STATUS_BAD_INPUT: wrong usage; STATUS_IO: the log cannot be
// read, is damaged or is not signed as asked for.

// Prints what a log contains. key_path: public key that must have signed it; NULL: any or none.
enum status log_info(const char *path, const char *key_path, struct reason *why);

// Prints the topics of a log.
enum status log_topics(const char *path, struct reason *why);

// Writes a copy of a log with /tf, /scene and /log.
struct log_scene_order {
  const char *path, *out_path;
  const char *without; // topics that are left out, with commas; NULL: none
  int wall_clock;      // log times are those of the wall clock
  enum scene_colour colour;
};
enum status log_scene(const struct log_scene_order *order, struct reason *why);

// Prints the fatigue of a logged session.
struct log_fatigue_order {
  const char *path;
  const char *curve;  // NULL: as the session counts
  double scf, wall_m; // 0: likewise
  int in_air;         // of the curve
  int from_nodes;     // 1: from the nodes' messages, without recomputing
  const char *plot;   // NULL: none; writes PLOT.gp and with gnuplot PLOT.png
};
enum status log_fatigue(const struct log_fatigue_order *order, struct reason *why);

// Copies every intact message of a damaged log to out_path.
enum status log_recover(const char *path, const char *out_path, struct reason *why);

// Opens a log for one of these.
enum status log_open(const char *path, enum mcap_access access, struct mcap_reader **out, struct reason *why);

// ------------------------------------------------------------
// What 'sagbend statics' prints of the code check.

// ------------------------------------------------------------
// The window of a lay: equilibria over water depth and horizontal tension, and those in which the verdicts of
// the configuration hold.

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
