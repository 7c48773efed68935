// What lies still: seabed, set-point with the watch circles, touchdown point.
#include "view/scene/entities.h"

#include <math.h>
#include <stdio.h>

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
