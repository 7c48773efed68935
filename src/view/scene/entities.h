// The parts of the picture. field.c: what lies still; pipe.c; vessel.c.
#pragma once

#include "view/scene/draw.h"
#include "view/scene/scene_internal.h"

void draw_seabed(struct draw *draw, const struct scene *scene);
void draw_setpoint(struct draw *draw, const struct scene *scene); // and the watch circles
void draw_touchdown(struct draw *draw, const struct scene *scene);
void draw_pipe(struct draw *draw, const struct scene *scene);
void draw_vessel(struct draw *draw, const struct scene *scene);
void draw_thrusters(struct draw *draw, const struct scene *scene);

// Colours. Red and yellow are for what exceeds a limit or nears it; a text says the same.
static const struct draw_colour DRAW_GREY = {0.55, 0.6, 0.65, 1}, DRAW_TEXT = {0.5, 0.55, 0.6, 1},
                                DRAW_YELLOW = {0.9, 0.75, 0.15, 1}, DRAW_RED = {0.9, 0.15, 0.12, 1},
                                DRAW_HULL = {0.45, 0.55, 0.65, 0.9}, DRAW_DECK = {0.6, 0.68, 0.75, 0.95},
                                DRAW_THRUST = {0.15, 0.6, 0.75, 1}, DRAW_SEABED = {0.55, 0.47, 0.36, 0.6},
                                DRAW_GREEN = {0.2, 0.65, 0.35, 1};

// The length to draw, in steps of 1/128 m: fewer digits make a smaller log. At most 10,000 km: what is drawn
// is finite.
static inline double draw_rounded(double value_m) {
  return round(fmin(1e7, fmax(-1e7, value_m)) * 128) / 128;
}
