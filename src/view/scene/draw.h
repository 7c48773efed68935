// Builds the entities of a SceneUpdate in the scene's arena. If the arena is full, the drawing is not sent.
#pragma once

#include "sagbend/math/so3.h"

#include "sagbend/base/arena.h"
#include "foxglove/scene.pb-c.h"

#include <stdint.h>

enum { DRAW_MAX_ENTITIES = 12, DRAW_MAX_PARTS = 40 }; // in a drawing; primitives of each kind in an entity

struct draw {
  struct arena *arena;
  Google__Protobuf__Timestamp time;
  Foxglove__SceneEntity *entity[DRAW_MAX_ENTITIES];
  size_t count;
};

struct draw_colour {
  double r, g, b, a;
};

void draw_begin(struct draw *draw, struct arena *arena, void *block, size_t size, uint64_t time_ns);

// Begins an entity. frame: "ned" or "vessel". NULL: the arena is full; what follows takes NULL and does
// nothing.
Foxglove__SceneEntity *draw_entity(struct draw *draw, const char *id, const char *frame);

// count points of three numbers each, metres in the entity's frame.
struct draw_line {
  const double (*points)[3];
  size_t count;
  const struct draw_colour *colours; // one for each point; NULL: colour
  struct draw_colour colour;
  double pixels; // thickness
  int is_closed;
};
void draw_line(struct draw *draw, Foxglove__SceneEntity *entity, const struct draw_line *line);

void draw_triangles(struct draw *draw, Foxglove__SceneEntity *entity, const double (*points)[3], size_t count,
                    const uint32_t *indices, size_t index_count, struct draw_colour colour);
// From tail along direction, both in the entity's frame; length in m. Nothing if direction is 0.
void draw_arrow(struct draw *draw, Foxglove__SceneEntity *entity, vec3 tail, vec3 direction, double length_m,
                double diameter_m, struct draw_colour colour);
void draw_sphere(struct draw *draw, Foxglove__SceneEntity *entity, vec3 centre, double diameter_m,
                 struct draw_colour colour);
void draw_text(struct draw *draw, Foxglove__SceneEntity *entity, vec3 place, struct draw_colour colour,
               const char *text);
