// /scene.
#include "view/scene/scene_parts.h"

#include "foxglove/scene.pb-c.h"

void scene_send_drawing(const struct scene_out *out) {
  Foxglove__SceneUpdate update = FOXGLOVE__SCENE_UPDATE__INIT;
  scene_send(out, SCENE_DRAWING, &update.base);
}
