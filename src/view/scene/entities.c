// /scene: each message contains the whole picture, so that the newest one is enough for a viewer that
// connects or seeks.
#include "view/scene/entities.h"

void scene_send_drawing(const struct scene_out *out) {
  struct scene *scene = out->scene;
  Foxglove__SceneUpdate update = FOXGLOVE__SCENE_UPDATE__INIT;
  struct draw draw;

  draw_begin(&draw, &scene->arena, scene->block, SCENE_ARENA, out->time_ns);
  draw_seabed(&draw, scene);
  draw_setpoint(&draw, scene);
  draw_pipe(&draw, scene);
  draw_touchdown(&draw, scene);
  draw_vessel(&draw, scene);
  draw_thrusters(&draw, scene);
  if (arena_is_overflowed(&scene->arena))
    return;
  update.entities = draw.entity;
  update.n_entities = draw.count;
  scene_send(out, SCENE_DRAWING, &update.base);
}
