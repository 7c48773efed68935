// The vessel: its outline as a hull, and an arrow for each thruster.
#include "view/scene/entities.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
