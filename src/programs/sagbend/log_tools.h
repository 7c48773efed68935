// Parts of sagbend log. They print on stdout. STATUS_BAD_INPUT: wrong usage; STATUS_IO: the log cannot be
// read, is damaged or is not signed as asked for.
#pragma once

#include "log/log/log_messages.h"
#include "view/scene/scene.h"

// Prints what a log contains. key_path: public key that must have signed it; NULL: any or none.
enum status log_info(const char *path, const char *key_path, struct reason *why);

// Prints the topics of a log.
enum status log_topics(const char *path, struct reason *why);

// Copies every intact message of a damaged log to out_path.
enum status log_recover(const char *path, const char *out_path, struct reason *why);

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

// Opens a log for one of these.
enum status log_open(const char *path, enum mcap_access access, struct mcap_reader **out, struct reason *why);
