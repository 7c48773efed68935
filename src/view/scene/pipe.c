// The pipe: a line whose colour is one quantity, and a text at the largest value.
#include "view/scene/entities.h"

#include <math.h>
#include <stdio.h>

static const struct quantity {
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
  const struct quantity *q = &QUANTITIES[what];
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
