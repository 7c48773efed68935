// What a view needs to know of a session beside its state (message Session), from configuration and
// simulator.
#pragma once

#include "hil/frame.h"
#include "io/codec/codec_view.h"
#include "setup/setup.h"

struct session_about {
  struct wire_session wire; // points into the rest, and into setup
  double *arc_length_m, *element_diameter_m, *grid_down_m;
};

// Needs the simulator. setup and version must outlive out. duration_s 0: until stopped. start: the target
// without a set-point. Release with session_about_free in every case.
enum status session_about_fill(const struct setup *setup, const struct sim *sim, const char *version,
                               double duration_s, const struct loop_target *start, struct session_about *out,
                               struct reason *why);
void session_about_free(struct session_about *about);
