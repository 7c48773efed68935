// Line of sight by slabs: a segment cuts a box if the intervals of its parameter between the planes of each
// of the three pairs have a common point (Kay and Kajiya 1986).
#include "sagbend/rig/scene.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct scene_frame scene_structure(const struct structure_def *d, double time_s) {
  double c = trig_cos(d->heading_rad), s = trig_sin(d->heading_rad);
  double swing = d->swing_m > 0 ? d->swing_m * trig_sin(2 * TRIG_PI * time_s / d->swing_period_s) : 0;
  struct scene_frame frame = {.attitude = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}};
  frame.origin_n = vec3_of(d->position_n_m);
  frame.origin_n.x += d->velocity_n_mps[0] * time_s + swing * trig_cos(d->swing_direction_rad);
  frame.origin_n.y += d->velocity_n_mps[1] * time_s + swing * trig_sin(d->swing_direction_rad);
  return frame;
}

vec3 scene_target(const struct scene_def *scene, int target, double time_s) {
  const struct target_def *d = &scene->target[target];
  if (d->structure < 0)
    return vec3_of(d->position_m);
  struct scene_frame on = scene_structure(&scene->structure[d->structure], time_s);
  return vec3_add(on.origin_n, mat3_mul(&on.attitude, vec3_of(d->position_m)));
}

static int cuts(const double box_m[2][3], const double from[3], const double to[3]) {
  double first = 0, last = 1;
  for (int k = 0; k < 3; k++) {
    double way = to[k] - from[k];
    if (way == 0) {
      if (from[k] < box_m[0][k] || from[k] > box_m[1][k])
        return 0;
      continue;
    }
    double in = (box_m[0][k] - from[k]) / way, out = (box_m[1][k] - from[k]) / way;
    first = fmax(first, fmin(in, out));
    last = fmin(last, fmax(in, out));
  }
  return first <= last;
}

static const struct scene_frame WORLD = {.attitude = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

int scene_is_in_sight(const struct scene_def *scene, const struct scene_frame *vessel, double time_s,
                      vec3 from_n, vec3 to_n) {
  for (int i = 0; i < scene->obstruction_count; i++) {
    const struct obstruction_def *d = &scene->obstruction[i];
    if (time_s < d->from_s || (d->to_s > 0 && time_s >= d->to_s))
      continue;
    struct scene_frame on = d->on == ON_VESSEL      ? *vessel
                            : d->on == ON_STRUCTURE ? scene_structure(&scene->structure[d->structure], time_s)
                                                    : WORLD;
    vec3 moved = vec3_scale(time_s - d->from_s, vec3_of(d->velocity_mps));
    double from[3], to[3];
    vec3_to(vec3_sub(mat3_tmul(&on.attitude, vec3_sub(from_n, on.origin_n)), moved), from);
    vec3_to(vec3_sub(mat3_tmul(&on.attitude, vec3_sub(to_n, on.origin_n)), moved), to);
    if (cuts(d->box_m, from, to))
      return 0;
  }
  return 1;
}

static int structure_named(const struct scene_def *scene, const char *name) {
  for (int i = 0; i < scene->structure_count; i++)
    if (!strcmp(scene->structure[i].name, name))
      return i;
  return -1;
}

static enum status resolve_box(struct scene_def *scene, int i, char key[64], struct reason *why) {
  struct obstruction_def *d = &scene->obstruction[i];
  d->on = !strcmp(d->on_name, "world") ? ON_WORLD : !strcmp(d->on_name, "vessel") ? ON_VESSEL : ON_STRUCTURE;
  d->structure = d->on == ON_STRUCTURE ? structure_named(scene, d->on_name) : -1;
  snprintf(key, 64, "obstructions.%d.on", i);
  if (d->on == ON_STRUCTURE && d->structure < 0)
    return fail(why, STATUS_BAD_INPUT, "world, vessel or the name of a structure expected, got '%s'",
                d->on_name);
  snprintf(key, 64, "obstructions.%d.max_m", i);
  for (int k = 0; k < 3; k++)
    if (!(d->box_m[0][k] < d->box_m[1][k]))
      return fail(why, STATUS_BAD_INPUT, "a corner beyond min_m in each axis expected, got %g after %g",
                  d->box_m[1][k], d->box_m[0][k]);
  snprintf(key, 64, "obstructions.%d.to_s", i);
  if (d->to_s > 0 && d->to_s <= d->from_s)
    return fail(why, STATUS_BAD_INPUT, "a time after from_s = %g s, or 0 for never, expected, got %g",
                d->from_s, d->to_s);
  return STATUS_OK;
}

enum status scene_resolve(struct scene_def *scene, char key[64], struct reason *why) {
  for (int i = 0; i < scene->structure_count; i++) {
    const struct structure_def *d = &scene->structure[i];
    snprintf(key, 64, "structures.%d.swing_period_s", i);
    if (d->swing_m > 0 && !(d->swing_period_s > 0))
      return fail(why, STATUS_BAD_INPUT, "a period > 0 beside swing_m expected, got %g", d->swing_period_s);
    snprintf(key, 64, "structures.%d.name", i);
    if (!strcmp(d->name, "world") || !strcmp(d->name, "vessel"))
      return fail(why, STATUS_BAD_INPUT, "a name other than world and vessel expected, got '%s'", d->name);
  }
  for (int i = 0; i < scene->target_count; i++) {
    struct target_def *d = &scene->target[i];
    d->structure = *d->structure_name ? structure_named(scene, d->structure_name) : -1;
    snprintf(key, 64, "targets.%d.structure", i);
    if (*d->structure_name && d->structure < 0)
      return fail(why, STATUS_BAD_INPUT, "the name of a structure expected, got '%s'", d->structure_name);
  }
  for (int i = 0; i < scene->obstruction_count; i++)
    if (resolve_box(scene, i, key, why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  return STATUS_OK;
}
