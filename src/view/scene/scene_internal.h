// Inside of view/scene. channels.c: names and schemas; scene.c: takes messages; transforms.c: /tf; lines.c:
// /log; entities.c: /scene, of the parts that field.c (seabed, set-point, watch circles), vessel.c and pipe.c
// draw by draw.c.
#pragma once

#include "sagbend/base/arena.h"
#include "net/messages/messages.h"
#include "view/scene/scene.h"
#include "view/scene/setup.h"

#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <protobuf-c/protobuf-c.h>

enum { SCENE_ARENA = 1 << 20 }; // bytes; a message takes less, by the bounds in scene.h

enum scene_kept { KEPT_SENSORS, KEPT_TRUTH, KEPT_NODES, KEPT_COUNT };

struct scene {
  enum scene_colour colour;
  char session[WIRE_NAME];
  ProtobufCMessage *kept[KEPT_COUNT]; // newest of each type; NULL: none
  struct scene_setup setup;
  int has_setup;      // a Session has come
  struct arena arena; // for one message
  void *block;
  uint8_t *packed; // SCENE_MAX_BYTES
};

static inline const Sagbend__V1__Sensors *scene_sensors(const struct scene *scene) {
  return (const Sagbend__V1__Sensors *)(const void *)scene->kept[KEPT_SENSORS];
}
static inline const Sagbend__V1__Truth *scene_truth(const struct scene *scene) {
  return (const Sagbend__V1__Truth *)(const void *)scene->kept[KEPT_TRUTH];
}
static inline const Sagbend__V1__Nodes *scene_nodes(const struct scene *scene) {
  return (const Sagbend__V1__Nodes *)(const void *)scene->kept[KEPT_NODES];
}

// A message on its way out.
struct scene_out {
  struct scene *scene;
  const struct scene_sink *sink;
  uint64_t time_ns;
};

// Packs message and passes it to the sink.
void scene_send(const struct scene_out *out, enum scene_channel channel, const ProtobufCMessage *message);

void scene_send_transforms(const struct scene_out *out);
void scene_send_drawing(const struct scene_out *out);
void scene_send_line(const struct scene_out *out, const char *name, const char *text);
