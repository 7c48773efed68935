// The picture of a session as entities of /scene: pipe, vessel, thrusters, and what lies still.
#include "view/scene/scene_internal.h"

#include "sagbend/math/math.h"
#include "view/scene/scene.h"

#include "foxglove/transforms.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <math.h>
#include <stdio.h>
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

// Begins an entity. frame: "ned" or "vessel". NULL: the arena is full; what follows takes NULL and does
// nothing.
static Foxglove__SceneEntity *draw_entity(struct draw *draw, const char *id, const char *frame) {
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

static void draw_line(struct draw *draw, Foxglove__SceneEntity *entity, const struct draw_line *line) {
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

static void draw_triangles(struct draw *draw, Foxglove__SceneEntity *entity, const double (*points)[3],
                           size_t count, const uint32_t *indices, size_t index_count,
                           struct draw_colour colour) {
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

// From tail along direction, both in the entity's frame; length in m. Nothing if direction is 0.
static void draw_arrow(struct draw *draw, Foxglove__SceneEntity *entity, vec3 tail, vec3 direction,
                       double length_m, double diameter_m, struct draw_colour colour) {
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

// From tail along direction, both in the entity's frame; length in m. Nothing if direction is 0.
static void draw_sphere(struct draw *draw, Foxglove__SceneEntity *entity, vec3 centre, double diameter_m,
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

// From tail along direction, both in the entity's frame; length in m. Nothing if direction is 0.
static void draw_text(struct draw *draw, Foxglove__SceneEntity *entity, vec3 place, struct draw_colour colour,
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

// ------------------------------------------------------------
// The pipe: a line whose colour is one quantity, and a text at the largest value.

static const struct line_quantity {
  const char *name, *unit;
  double per_unit; // of the message's unit
} QUANTITIES[LIMIT_COUNT] = {[LIMIT_TENSION] = {"tension", "kN", 1e3},
                             [LIMIT_CURVATURE] = {"curvature", "1/m", 1},
                             [LIMIT_MOMENT] = {"bending moment", "kNm", 1e3}};

static double value_at(const Sagbend__V1__Nodes *nodes, enum setup_limit what, size_t i) {
  switch (what) {
  case LIMIT_TENSION:
    return fmax(0, nodes->effective_tension_n[i]);
  case LIMIT_CURVATURE:
    return nodes->curvature_1pm[i];
  default:
    return hypot(nodes->bending_2_nm[i], nodes->bending_3_nm[i]);
  }
}

static double largest(const Sagbend__V1__Nodes *nodes, enum setup_limit what, size_t *at) {
  double most = 0;
  *at = 0;
  for (size_t i = 0; i < nodes->n_north_m; i++) {
    double value = value_at(nodes, what, i);
    if (value > most) {
      most = value;
      *at = i;
    }
  }
  return most;
}

static enum setup_limit chosen(const struct scene *scene, const Sagbend__V1__Nodes *nodes) {
  double nearest = -1;
  enum setup_limit best = LIMIT_TENSION;
  size_t at;
  if (scene->colour != SCENE_COLOUR_NEAREST)
    return (enum setup_limit)(scene->colour - SCENE_COLOUR_TENSION);
  for (int w = 0; w < LIMIT_COUNT; w++) {
    double limit = scene->setup.limit[w];
    double share = limit > 0 ? largest(nodes, (enum setup_limit)w, &at) / limit : -1;
    if (share > nearest) {
      nearest = share;
      best = (enum setup_limit)w;
    }
  }
  return best;
}

// Blue over green to yellow at 0.8 of the limit, orange up to the limit, red beyond. Without a limit the
// largest present value is yellow.
static struct draw_colour colour_of_share(double share, int has_limit) {
  static const struct {
    double share;
    struct draw_colour colour;
  } stops[] = {{0, {0.2, 0.42, 0.75, 1}},
               {0.4, {0.2, 0.65, 0.62, 1}},
               {0.8, {0.9, 0.78, 0.2, 1}},
               {1, {0.95, 0.55, 0.12, 1}}};
  if (has_limit && share > 1)
    return DRAW_RED;
  double x = has_limit ? share : 0.8 * share;
  x = fmin(1, fmax(0, round(x * 32) / 32)); // few colours make a smaller log
  int i = 0;
  while (i < 2 && x > stops[i + 1].share)
    i++;
  double part = (x - stops[i].share) / (stops[i + 1].share - stops[i].share);
  struct draw_colour a = stops[i].colour, b = stops[i + 1].colour;
  return (struct draw_colour){a.r + part * (b.r - a.r), a.g + part * (b.g - a.g), a.b + part * (b.b - a.b),
                              1};
}

static vec3 place_of(const Sagbend__V1__Nodes *nodes, size_t i) {
  return (vec3){draw_rounded(nodes->north_m[i]), draw_rounded(nodes->east_m[i]),
                draw_rounded(nodes->down_m[i])};
}

static void draw_label(struct draw *draw, Foxglove__SceneEntity *entity, vec3 place, enum setup_limit what,
                       double most, double limit) {
  const struct line_quantity *q = &QUANTITIES[what];
  char text[96];
  if (limit > 0)
    snprintf(text, sizeof text, "%s %.3g %s, %.0f %% of the limit%s", q->name, most / q->per_unit, q->unit,
             100 * most / limit, most > limit ? ": EXCEEDED" : "");
  else
    snprintf(text, sizeof text, "largest %s %.3g %s, no limit given", q->name, most / q->per_unit, q->unit);
  draw_text(draw, entity, place, limit > 0 && most > limit ? DRAW_RED : DRAW_TEXT, text);
}

void draw_pipe(struct draw *draw, const struct scene *scene) {
  const Sagbend__V1__Nodes *nodes = scene_nodes(scene);
  size_t count = nodes ? nodes->n_north_m : 0, drawn = count < SCENE_MAX_NODES ? count : SCENE_MAX_NODES, at;
  if (count < 2)
    return;
  Foxglove__SceneEntity *entity = draw_entity(draw, "pipe", "ned");
  double (*points)[3] = arena_take(draw->arena, drawn, sizeof *points);
  struct draw_colour *colours = arena_take(draw->arena, drawn, sizeof *colours);
  if (!entity || !points || !colours)
    return;

  enum setup_limit what = chosen(scene, nodes);
  double limit = scene->setup.limit[what], most = largest(nodes, what, &at), full = limit > 0 ? limit : most;
  for (size_t k = 0; k < drawn; k++) {
    size_t i = k * (count - 1) / (drawn - 1);
    vec3_to(place_of(nodes, i), points[k]);
    colours[k] = colour_of_share(full > 0 ? value_at(nodes, what, i) / full : 0, limit > 0);
  }
  draw_line(draw, entity,
            &(struct draw_line){.points = (const double (*)[3])points,
                                .count = drawn,
                                .colours = colours,
                                .colour = DRAW_GREY,
                                .pixels = 4});
  draw_label(draw, entity, place_of(nodes, at), what, most, limit);
}

// ------------------------------------------------------------
// The vessel: its outline as a hull, and an arrow for each thruster.

// Without an outline in the session: a hull of 100 x 24 m.
static const double PLAIN[5][2] = {{50, 0}, {35, 12}, {-50, 12}, {-50, -12}, {35, -12}};
enum { PLAIN_COUNT = 5 };

static int outline(const struct scene *scene, const double (**points)[2]) {
  int given = scene->setup.outline_count;
  *points = given >= 3 ? scene->setup.outline_m : PLAIN;
  return given >= 3 ? given : PLAIN_COUNT;
}

static double length_m(const struct scene *scene) {
  const double (*points)[2];
  int count = outline(scene, &points);
  double first = points[0][0], last = first;
  for (int i = 1; i < count; i++) {
    first = fmin(first, points[i][0]);
    last = fmax(last, points[i][0]);
  }
  return fmax(last - first, 1);
}

// Points: the outline at the deck, then at the keel, then the middle of the deck.
void draw_vessel(struct draw *draw, const struct scene *scene) {
  const double (*at)[2];
  uint32_t n = (uint32_t)outline(scene, &at), sides[6 * SCENE_MAX_OUTLINE], deck[3 * SCENE_MAX_OUTLINE];
  double points[2 * SCENE_MAX_OUTLINE + 1][3] = {{0}}, height = 0.06 * length_m(scene);
  if (!scene_truth(scene) && !scene_sensors(scene))
    return;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t next = (i + 1) % n;
    const uint32_t wall[6] = {i, next, n + i, next, n + next, n + i}, top[3] = {2 * n, i, next};
    for (int k = 0; k < 2; k++) {
      points[i][k] = points[n + i][k] = at[i][k];
      points[2 * n][k] += at[i][k] / n;
    }
    points[i][2] = -height;
    points[n + i][2] = height;
    memcpy(sides + 6 * (size_t)i, wall, sizeof wall);
    memcpy(deck + 3 * (size_t)i, top, sizeof top);
  }
  points[2 * n][2] = -height;

  Foxglove__SceneEntity *entity = draw_entity(draw, "vessel", "vessel");
  draw_triangles(draw, entity, (const double (*)[3])points, 2 * (size_t)n, sides, 6 * (size_t)n, DRAW_HULL);
  draw_triangles(draw, entity, (const double (*)[3])points, 2 * (size_t)n + 1, deck, 3 * (size_t)n,
                 DRAW_DECK);
  draw_line(draw, entity,
            &(struct draw_line){.points = (const double (*)[3])points,
                                .count = n,
                                .colour = DRAW_GREY,
                                .pixels = 2,
                                .is_closed = 1});
}

static const struct setup_thruster *find(const struct scene *scene, const char *name) {
  for (int i = 0; i < scene->setup.thruster_count; i++)
    if (!strcmp(scene->setup.thruster[i].name, name))
      return &scene->setup.thruster[i];
  return NULL;
}

static void draw_thruster(struct draw *draw, Foxglove__SceneEntity *entity, double vessel_m,
                          const struct setup_thruster *info, const Sagbend__V1__ThrusterTruth *truth) {
  vec3 place = vec3_of(info->position_b_m);
  double share = info->thrust_max_n > 0 ? fmin(1.5, fabs(truth->thrust_n) / info->thrust_max_n) : 0;
  double azimuth_rad = info->has_rudder ? 0 : truth->azimuth_rad, sign = truth->thrust_n < 0 ? -1 : 1;
  char text[2 * SETUP_NAME];
  share = round(share * 256) / 256;
  draw_arrow(draw, entity, place, (vec3){sign * cos(azimuth_rad), sign * sin(azimuth_rad), 0},
             0.35 * vessel_m * share, 0.02 * vessel_m, DRAW_THRUST);
  draw_sphere(draw, entity, place, 0.03 * vessel_m, truth->running ? DRAW_THRUST : DRAW_GREY);
  snprintf(text, sizeof text, "%s%s", truth->name, truth->running ? "" : ": off");
  draw_text(draw, entity, place, DRAW_TEXT, text);
}

void draw_thrusters(struct draw *draw, const struct scene *scene) {
  const Sagbend__V1__Truth *truth = scene_truth(scene);
  if (!truth || !truth->n_thruster || !scene->setup.thruster_count)
    return;
  Foxglove__SceneEntity *entity = draw_entity(draw, "thrusters", "vessel");
  for (size_t i = 0; i < truth->n_thruster; i++) {
    const struct setup_thruster *info = find(scene, truth->thruster[i]->name);
    if (info)
      draw_thruster(draw, entity, length_m(scene), info, truth->thruster[i]);
  }
}

// ------------------------------------------------------------
// What lies still: seabed, set-point with the watch circles, touchdown point.

struct box {
  double from[2], to[2]; // north, east
};

static void take_in(struct box *box, double north_m, double east_m) {
  const double place[2] = {draw_rounded(north_m), draw_rounded(east_m)};
  for (int i = 0; i < 2; i++) {
    box->from[i] = fmin(box->from[i], place[i]);
    box->to[i] = fmax(box->to[i], place[i]);
  }
}

// Around pipe, vessel and set-point, in steps of 100 m, so that it seldom changes.
static struct box surroundings(const struct scene *scene) {
  const Sagbend__V1__Nodes *nodes = scene_nodes(scene);
  const Sagbend__V1__Truth *truth = scene_truth(scene);
  struct box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
  for (size_t i = 0; nodes && i < nodes->n_north_m; i++)
    take_in(&box, nodes->north_m[i], nodes->east_m[i]);
  if (truth)
    take_in(&box, truth->position_north_m, truth->position_east_m);
  if (scene->setup.has_target)
    take_in(&box, scene->setup.target[0], scene->setup.target[1]);
  for (int i = 0; i < 2; i++) {
    if (box.from[i] > box.to[i])
      box.from[i] = box.to[i] = 0;
    box.from[i] = 100 * floor(box.from[i] / 100 - 1.5);
    box.to[i] = 100 * ceil(box.to[i] / 100 + 1.5);
  }
  return box;
}

static void draw_plane(struct draw *draw, const struct scene *scene, const struct setup_seabed *seabed) {
  struct box box = surroundings(scene);
  double points[4][3] = {{box.from[0], box.from[1], 0},
                         {box.from[0], box.to[1], 0},
                         {box.to[0], box.to[1], 0},
                         {box.to[0], box.from[1], 0}};
  const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
  for (int i = 0; i < 4; i++)
    points[i][2] = draw_rounded(seabed->down_m + seabed->slope[0] * (points[i][0] - seabed->place_m[0]) +
                                seabed->slope[1] * (points[i][1] - seabed->place_m[1]));
  draw_triangles(draw, draw_entity(draw, "seabed", "ned"), (const double (*)[3])points, 4, indices, 6,
                 DRAW_SEABED);
}

static void draw_grid(struct draw *draw, const struct setup_seabed *seabed) {
  uint32_t rows = (uint32_t)seabed->rows, columns = (uint32_t)seabed->columns;
  size_t count = (size_t)rows * columns, filled = 0, cells = (size_t)(rows - 1) * (columns - 1);
  double (*points)[3] = arena_take(draw->arena, count, sizeof *points);
  uint32_t *indices = arena_take(draw->arena, 6 * cells, sizeof *indices);
  if (!points || !indices)
    return;
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < columns; j++) {
      uint32_t here = i * columns + j;
      points[here][0] = draw_rounded(seabed->north_m[i]);
      points[here][1] = draw_rounded(seabed->east_m[j]);
      points[here][2] = draw_rounded(seabed->level_m[i][j]);
      if (i + 1 == rows || j + 1 == columns)
        continue;
      const uint32_t cell[6] = {here, here + 1, here + columns + 1, here, here + columns + 1, here + columns};
      for (int k = 0; k < 6; k++)
        indices[filled++] = cell[k];
    }
  draw_triangles(draw, draw_entity(draw, "seabed", "ned"), (const double (*)[3])points, count, indices,
                 filled, DRAW_SEABED);
}

static double between(const double *values, size_t i, double share) {
  return draw_rounded(values[i] + share * (values[i + 1] - values[i]));
}

// The touchdown point: the exact one, or where the penetration is 0 between the last node in contact and the
// next. Returns 0 if there is none.
static int touchdown(const struct scene *scene, vec3 *place) {
  const Sagbend__V1__Sensors *sensors = scene_sensors(scene);
  const Sagbend__V1__Touchdown *t = sensors && sensors->pipe ? sensors->pipe->touchdown : NULL;
  const Sagbend__V1__Nodes *nodes = scene_nodes(scene);
  if (t) {
    *place = (vec3){draw_rounded(t->north_m), draw_rounded(t->east_m), draw_rounded(t->down_m)};
    return 1;
  }
  size_t count = nodes && !(sensors && sensors->pipe) ? nodes->n_penetration_m : 0;
  for (size_t i = count > 1 ? count - 1 : 0; i-- > 0;)
    if (nodes->penetration_m[i] > 0) {
      double here = nodes->penetration_m[i], next = fmin(0, nodes->penetration_m[i + 1]),
             share = here / (here - next);
      *place = (vec3){between(nodes->north_m, i, share), between(nodes->east_m, i, share),
                      between(nodes->down_m, i, share)};
      return 1;
    }
  return 0;
}

// Without a seabed in the session: a plane at the touchdown point, if there is one.
void draw_seabed(struct draw *draw, const struct scene *scene) {
  const struct setup_seabed *seabed = &scene->setup.seabed;
  vec3 place;
  if (seabed->ground == GROUND_GRID)
    draw_grid(draw, seabed);
  else if (seabed->ground == GROUND_PLANE)
    draw_plane(draw, scene, seabed);
  else if (!scene->has_setup && touchdown(scene, &place))
    draw_plane(draw, scene, &(struct setup_seabed){.down_m = round(place.z)});
}

void draw_touchdown(struct draw *draw, const struct scene *scene) {
  vec3 place;
  if (!touchdown(scene, &place))
    return;
  Foxglove__SceneEntity *entity = draw_entity(draw, "touchdown", "ned");
  draw_sphere(draw, entity, place, 8, DRAW_THRUST);
  draw_text(draw, entity, place, DRAW_TEXT, "touchdown");
}

enum { CIRCLE_POINTS = 72 };

// The largest circle is the alarm, the others warn.
static void draw_circle(struct draw *draw, Foxglove__SceneEntity *entity, const struct scene *scene,
                        int which, double offset_m) {
  const double *centre = scene->setup.target, radius = scene->setup.circle_m[which];
  int is_beyond = offset_m > radius, is_alarm = which == scene->setup.circle_count - 1;
  struct draw_colour colour = !is_beyond ? DRAW_GREY : is_alarm ? DRAW_RED : DRAW_YELLOW;
  double points[CIRCLE_POINTS][3] = {{0}};
  char text[64];
  for (int i = 0; i < CIRCLE_POINTS; i++) {
    double angle = 2 * 3.14159265358979323846 * i / CIRCLE_POINTS;
    points[i][0] = draw_rounded(centre[0] + radius * cos(angle));
    points[i][1] = draw_rounded(centre[1] + radius * sin(angle));
  }
  draw_line(draw, entity,
            &(struct draw_line){.points = (const double (*)[3])points,
                                .count = CIRCLE_POINTS,
                                .colour = colour,
                                .pixels = is_beyond ? 3 : 1.5,
                                .is_closed = 1});
  snprintf(text, sizeof text, "%g m%s", radius, !is_beyond ? "" : is_alarm ? ": alarm" : ": warning");
  draw_text(draw, entity, vec3_of(points[0]), is_beyond ? colour : DRAW_TEXT, text);
}

void draw_setpoint(struct draw *draw, const struct scene *scene) {
  const Sagbend__V1__Truth *truth = scene_truth(scene);
  const double *at = scene->setup.target;
  if (!scene->setup.has_target)
    return;
  const double across[2][3] = {{at[0] - 5, at[1], 0}, {at[0] + 5, at[1], 0}},
               along[2][3] = {{at[0], at[1] - 5, 0}, {at[0], at[1] + 5, 0}};
  double offset_m = truth ? hypot(truth->position_north_m - at[0], truth->position_east_m - at[1]) : 0;
  Foxglove__SceneEntity *entity = draw_entity(draw, "set-point", "ned");
  draw_line(draw, entity,
            &(struct draw_line){.points = across, .count = 2, .colour = DRAW_GREEN, .pixels = 3});
  draw_line(draw, entity,
            &(struct draw_line){.points = along, .count = 2, .colour = DRAW_GREEN, .pixels = 3});
  draw_arrow(draw, entity, (vec3){at[0], at[1], 0}, (vec3){cos(at[2]), sin(at[2]), 0}, 20, 1, DRAW_GREEN);
  for (int i = 0; i < scene->setup.circle_count; i++)
    draw_circle(draw, entity, scene, i, offset_m);
}
