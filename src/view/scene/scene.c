#include "view/scene/entities.h"
#include "view/scene/scene_internal.h"

#include <stdlib.h>
#include <string.h>

// Each type of the telemetry. Each has its header first.
static const struct type {
  const char *name;
  const ProtobufCMessageDescriptor *descriptor;
  int kept; // enum scene_kept; -1: not kept
} TYPES[] = {{"sagbend.v1.Sensors", &sagbend__v1__sensors__descriptor, KEPT_SENSORS},
             {"sagbend.v1.Truth", &sagbend__v1__truth__descriptor, KEPT_TRUTH},
             {"sagbend.v1.Nodes", &sagbend__v1__nodes__descriptor, KEPT_NODES},
             {"sagbend.v1.Session", &sagbend__v1__session__descriptor, -1},
             {"sagbend.v1.Status", &sagbend__v1__status__descriptor, -1},
             {"sagbend.v1.ControllerView", &sagbend__v1__controller_view__descriptor, -1},
             {"sagbend.v1.Alarms", &sagbend__v1__alarms__descriptor, -1},
             {"sagbend.v1.Ledger", &sagbend__v1__ledger__descriptor, -1},
             {"sagbend.v1.Timing", &sagbend__v1__timing__descriptor, -1},
             {"sagbend.v1.Event", &sagbend__v1__event__descriptor, -1},
             {"sagbend.v1.End", &sagbend__v1__end__descriptor, -1}};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

struct scene *scene_open(enum scene_colour colour) {
  struct scene *scene = calloc(1, sizeof *scene);
  if (!scene)
    return NULL;
  scene->colour = colour;
  scene->block = aligned_alloc(64, SCENE_ARENA);
  scene->packed = malloc(SCENE_MAX_BYTES);
  if (!scene->block || !scene->packed) {
    scene_close(scene);
    return NULL;
  }
  return scene;
}

static void forget(struct scene *scene) {
  for (int i = 0; i < KEPT_COUNT; i++) {
    if (scene->kept[i])
      protobuf_c_message_free_unpacked(scene->kept[i], NULL);
    scene->kept[i] = NULL;
  }
  memset(&scene->setup, 0, sizeof scene->setup);
  scene->has_setup = 0;
}

void scene_close(struct scene *scene) {
  if (!scene)
    return;
  forget(scene);
  free(scene->block);
  free(scene->packed);
  free(scene);
}

const char *scene_session(const struct scene *scene) {
  return scene->session;
}

void scene_send(const struct scene_out *out, enum scene_channel channel, const ProtobufCMessage *message) {
  size_t size = protobuf_c_message_get_packed_size(message);
  if (size > SCENE_MAX_BYTES)
    return;
  protobuf_c_message_pack(message, out->scene->packed);
  out->sink->take(out->sink->context, channel, out->time_ns, out->scene->packed, size);
}

// Whether the lists of a message fit together. An earlier simulator sends no penetration.
static int is_complete(const ProtobufCMessage *message) {
  if (message->descriptor == &sagbend__v1__session__descriptor)
    return setup_is_readable((const void *)message);
  if (message->descriptor != &sagbend__v1__nodes__descriptor)
    return 1;
  const Sagbend__V1__Nodes *n = (const void *)message;
  size_t count = n->n_north_m;
  return n->n_east_m == count && n->n_down_m == count && n->n_effective_tension_n == count &&
         n->n_bending_2_nm == count && n->n_bending_3_nm == count && n->n_curvature_1pm == count &&
         (n->n_penetration_m == count || !n->n_penetration_m);
}

static enum scene_taken check(const struct type *type, const ProtobufCMessage *message, struct reason *why) {
  struct wire_error error = {"", ""};
  if (!message) {
    fail(why, STATUS_BAD_INPUT, "not a %s", type->name);
    return SCENE_UNREADABLE;
  }
  const Sagbend__V1__Header *header = ((const Sagbend__V1__End *)(const void *)message)->header;
  if (!header || !header->protocol || strlen(header->session) >= WIRE_NAME) {
    fail(why, STATUS_BAD_INPUT, "a %s without a valid header", type->name);
    return SCENE_UNREADABLE;
  }
  if (header->protocol != WIRE_PROTOCOL) {
    fail(why, STATUS_BAD_INPUT, "protocol %u, this program speaks protocol %d", (unsigned)header->protocol,
         WIRE_PROTOCOL);
    return SCENE_OTHER_PROTOCOL;
  }
  if (wire_check(message, &error) != WIRE_OK) {
    fail(why, STATUS_BAD_INPUT, "%s: %s: %s", type->name, error.field, error.text);
    return SCENE_UNREADABLE;
  }
  if (!is_complete(message)) {
    fail(why, STATUS_BAD_INPUT, "%s: lists whose lengths do not fit together", type->name);
    return SCENE_UNREADABLE;
  }
  return SCENE_TAKEN;
}

// Whether Sensors contain the exact state.
static int is_exact(const Sagbend__V1__Sensors *sensors) {
  return sensors && !sensors->instruments;
}

static void send(const struct scene_out *out, const ProtobufCMessage *message) {
  const struct scene *scene = out->scene;
  const void *any = message; // its type follows from the descriptor
  const ProtobufCMessageDescriptor *d = message->descriptor;
  if (d == &sagbend__v1__event__descriptor)
    scene_send_line(out, ((const Sagbend__V1__Event *)any)->name, ((const Sagbend__V1__Event *)any)->text);
  else if (d == &sagbend__v1__end__descriptor)
    scene_send_line(out, "end", ((const Sagbend__V1__End *)any)->why);
  else if (d == &sagbend__v1__truth__descriptor ||
           (d == &sagbend__v1__sensors__descriptor && !scene_truth(scene) && is_exact(scene_sensors(scene))))
    scene_send_transforms(out);
  if (d == &sagbend__v1__nodes__descriptor || d == &sagbend__v1__session__descriptor ||
      (d == &sagbend__v1__truth__descriptor && !scene_nodes(scene)))
    scene_send_drawing(out);
}

enum scene_taken scene_take(struct scene *scene, const char *type, const void *data, size_t size,
                            uint64_t time_ns, const struct scene_sink *sink, struct reason *why) {
  int which = 0;
  while (which < TYPE_COUNT && strcmp(TYPES[which].name, type) != 0)
    which++;
  if (which == TYPE_COUNT)
    return SCENE_UNKNOWN;

  ProtobufCMessage *message = protobuf_c_message_unpack(TYPES[which].descriptor, NULL, size, data);
  enum scene_taken taken = check(&TYPES[which], message, why);
  if (taken != SCENE_TAKEN) {
    if (message)
      protobuf_c_message_free_unpacked(message, NULL);
    return taken;
  }

  const char *session = ((const Sagbend__V1__End *)(const void *)message)->header->session;
  if (strcmp(session, scene->session) != 0) {
    forget(scene);
    memcpy(scene->session, session, strlen(session) + 1);
  }
  int place = TYPES[which].kept;
  if (place >= 0) {
    if (scene->kept[place])
      protobuf_c_message_free_unpacked(scene->kept[place], NULL);
    scene->kept[place] = message;
  }
  if (TYPES[which].descriptor == &sagbend__v1__session__descriptor) {
    setup_take(&scene->setup, (const void *)message);
    scene->has_setup = 1;
  }
  const struct scene_out out = {scene, sink, time_ns};
  send(&out, message);
  if (place < 0)
    protobuf_c_message_free_unpacked(message, NULL);
  return SCENE_TAKEN;
}

// /scene: each message contains the whole picture, so that the newest one is enough for a viewer that
// connects or seeks.
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
