#include "view/scene/draw.h"

#include "view/scene/time_of.h"

#include <string.h>

void draw_begin(struct draw *draw, struct arena *arena, void *block, size_t size, uint64_t time_ns) {
  draw->arena = arena;
  draw->time = scene_time(time_ns);
  draw->count = 0;
  arena_init(arena, block, size);
}

// A copy of size bytes, as the fields of messages want it; NULL: the arena is full.
static char *copy_of(struct draw *draw, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = arena_take(draw->arena, 1, size);
  if (copy)
    memcpy(copy, text, size);
  return copy;
}

// A list of count pointers to new messages of item_size bytes; NULL: the arena is full.
static void *list_of(struct draw *draw, size_t count, size_t item_size) {
  void **list = arena_take(draw->arena, count ? count : 1, sizeof *list);
  unsigned char *items = arena_take(draw->arena, count ? count : 1, item_size);
  if (!list || !items)
    return NULL;
  for (size_t i = 0; i < count; i++)
    list[i] = items + i * item_size;
  return list;
}

Foxglove__SceneEntity *draw_entity(struct draw *draw, const char *id, const char *frame) {
  Foxglove__SceneEntity *e = draw->count < DRAW_MAX_ENTITIES ? arena_take(draw->arena, 1, sizeof *e) : NULL;
  char *name = copy_of(draw, id), *frame_id = copy_of(draw, frame);
  if (!e || !name || !frame_id)
    return NULL;
  foxglove__scene_entity__init(e);
  e->timestamp = &draw->time;
  e->id = name;
  e->frame_id = frame_id;
  e->frame_locked = 1;
  draw->entity[draw->count++] = e;
  return e;
}

// Room for one more primitive in a list of an entity; NULL: there is none.
static void *add(struct draw *draw, void *list_place, size_t *count, size_t item_size) {
  void **list;
  memcpy(&list, list_place, sizeof list);
  if (!list && !(list = arena_take(draw->arena, DRAW_MAX_PARTS, sizeof *list)))
    return NULL;
  memcpy(list_place, &list, sizeof list);
  void *item = *count < DRAW_MAX_PARTS ? arena_take(draw->arena, 1, item_size) : NULL;
  if (item)
    list[(*count)++] = item;
  return item;
}

static Foxglove__Color *colour_of(struct draw *draw, struct draw_colour colour) {
  Foxglove__Color *c = arena_take(draw->arena, 1, sizeof *c);
  if (!c)
    return NULL;
  foxglove__color__init(c);
  c->r = colour.r, c->g = colour.g, c->b = colour.b, c->a = colour.a;
  return c;
}

static Foxglove__Pose *pose_of(struct draw *draw, vec3 place, quat turn) {
  Foxglove__Pose *pose = arena_take(draw->arena, 1, sizeof *pose);
  Foxglove__Vector3 *v = arena_take(draw->arena, 1, sizeof *v);
  Foxglove__Quaternion *q = arena_take(draw->arena, 1, sizeof *q);
  if (!pose || !v || !q)
    return NULL;
  foxglove__pose__init(pose);
  foxglove__vector3__init(v);
  foxglove__quaternion__init(q);
  v->x = place.x, v->y = place.y, v->z = place.z;
  q->x = turn.x, q->y = turn.y, q->z = turn.z, q->w = turn.w;
  pose->position = v;
  pose->orientation = q;
  return pose;
}

static const vec3 ORIGIN = {0, 0, 0};
static const quat NO_TURN = {1, 0, 0, 0};

static Foxglove__Point3 **points_of(struct draw *draw, const double (*points)[3], size_t count) {
  Foxglove__Point3 **list = list_of(draw, count, sizeof **list);
  for (size_t i = 0; list && i < count; i++) {
    foxglove__point3__init(list[i]);
    list[i]->x = points[i][0], list[i]->y = points[i][1], list[i]->z = points[i][2];
  }
  return list;
}

static Foxglove__Color **colours_of(struct draw *draw, const struct draw_colour *colours, size_t count) {
  Foxglove__Color **list = list_of(draw, count, sizeof **list);
  for (size_t i = 0; list && i < count; i++) {
    foxglove__color__init(list[i]);
    list[i]->r = colours[i].r, list[i]->g = colours[i].g, list[i]->b = colours[i].b,
    list[i]->a = colours[i].a;
  }
  return list;
}

void draw_line(struct draw *draw, Foxglove__SceneEntity *entity, const struct draw_line *line) {
  Foxglove__LinePrimitive *l = entity ? add(draw, &entity->lines, &entity->n_lines, sizeof *l) : NULL;
  if (!l)
    return;
  foxglove__line_primitive__init(l);
  l->type = line->is_closed ? FOXGLOVE__LINE_PRIMITIVE__TYPE__LINE_LOOP
                            : FOXGLOVE__LINE_PRIMITIVE__TYPE__LINE_STRIP;
  l->pose = pose_of(draw, ORIGIN, NO_TURN);
  l->thickness = line->pixels;
  l->scale_invariant = 1;
  l->points = points_of(draw, line->points, line->count);
  l->n_points = l->points ? line->count : 0;
  l->color = colour_of(draw, line->colour);
  if (line->colours) {
    l->colors = colours_of(draw, line->colours, line->count);
    l->n_colors = l->colors ? line->count : 0;
  }
}

void draw_triangles(struct draw *draw, Foxglove__SceneEntity *entity, const double (*points)[3], size_t count,
                    const uint32_t *indices, size_t index_count, struct draw_colour colour) {
  Foxglove__TriangleListPrimitive *t =
      entity ? add(draw, &entity->triangles, &entity->n_triangles, sizeof *t) : NULL;
  uint32_t *list = t ? arena_take(draw->arena, index_count, sizeof *list) : NULL;
  if (!t)
    return;
  foxglove__triangle_list_primitive__init(t);
  t->pose = pose_of(draw, ORIGIN, NO_TURN);
  t->points = points_of(draw, points, count);
  t->n_points = t->points ? count : 0;
  t->color = colour_of(draw, colour);
  if (list)
    memcpy(list, indices, index_count * sizeof *list);
  t->indices = list;
  t->n_indices = list ? index_count : 0;
}

// The shortest turn that takes the x axis to a direction.
static quat turn_to(vec3 direction) {
  quat half = {1 + direction.x, 0, -direction.z, direction.y};
  return half.w < 1e-9 ? (quat){0, 0, 0, 1} : quat_unit(half);
}

void draw_arrow(struct draw *draw, Foxglove__SceneEntity *entity, vec3 tail, vec3 direction, double length_m,
                double diameter_m, struct draw_colour colour) {
  double norm = sqrt(vec3_dot(direction, direction));
  Foxglove__ArrowPrimitive *a =
      entity && norm > 0 && length_m > 0 ? add(draw, &entity->arrows, &entity->n_arrows, sizeof *a) : NULL;
  if (!a)
    return;
  double head_m = fmin(0.3 * length_m, 2 * diameter_m);
  foxglove__arrow_primitive__init(a);
  a->pose = pose_of(draw, tail, turn_to(vec3_scale(1 / norm, direction)));
  a->shaft_length = length_m - head_m;
  a->shaft_diameter = diameter_m;
  a->head_length = head_m;
  a->head_diameter = 2 * diameter_m;
  a->color = colour_of(draw, colour);
}

void draw_sphere(struct draw *draw, Foxglove__SceneEntity *entity, vec3 centre, double diameter_m,
                 struct draw_colour colour) {
  Foxglove__SpherePrimitive *s = entity ? add(draw, &entity->spheres, &entity->n_spheres, sizeof *s) : NULL;
  Foxglove__Vector3 *size = s ? arena_take(draw->arena, 1, sizeof *size) : NULL;
  if (!s)
    return;
  foxglove__sphere_primitive__init(s);
  s->pose = pose_of(draw, centre, NO_TURN);
  if (size) {
    foxglove__vector3__init(size);
    size->x = size->y = size->z = diameter_m;
  }
  s->size = size;
  s->color = colour_of(draw, colour);
}

void draw_text(struct draw *draw, Foxglove__SceneEntity *entity, vec3 place, struct draw_colour colour,
               const char *text) {
  Foxglove__TextPrimitive *t = entity ? add(draw, &entity->texts, &entity->n_texts, sizeof *t) : NULL;
  if (!t)
    return;
  foxglove__text_primitive__init(t);
  t->pose = pose_of(draw, place, NO_TURN);
  t->billboard = 1;
  t->scale_invariant = 1;
  t->font_size = 14;
  t->color = colour_of(draw, colour);
  t->text = copy_of(draw, text);
}
