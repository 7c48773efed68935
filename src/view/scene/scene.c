// The messages of a session as the viewer gets them: checked and kept, /tf, /scene, /log.
#include "view/scene/scene.h"

#include "sagbend/events/events.h"
#include "sagbend/math/math.h"
#include "view/scene/scene_internal.h"

#include "foxglove/log.pb-c.h"
#include "foxglove/transforms.pb-c.h"

#include <math.h>
#include <stdio.h>
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

// Packs message and passes it to the sink.
static void scene_send(const struct scene_out *out, enum scene_channel channel,
                       const ProtobufCMessage *message) {
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

static enum scene_taken check(const struct type *type, const ProtobufCMessage *message, int is_no_memory,
                              struct reason *why) {
  struct wire_error error = {"", ""};
  if (is_no_memory) {
    fail(why, STATUS_NO_MEMORY, "out of memory for a %s", type->name);
    return SCENE_NO_MEMORY;
  }
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

static void scene_send_drawing(const struct scene_out *out);

static void scene_send_line(const struct scene_out *out, const char *name, const char *text);

// /tf. The frame `ned` in `world`: north is y, east is x, down is -z, a half turn about the axis (1, 1, 0).
// The frame `vessel` in `ned`: the position, and the attitude as the protocol has it.

static const double HALF_ROOT = 0.70710678118654752440;

// Drawing needs fewer digits than computing, and fewer digits make a smaller log: 0.1 mm, 1e-7 of a turn.
// What is drawn is finite: at most 10,000 km.
static double rounded(double value, double steps) {
  return round(fmin(1e7, fmax(-1e7, value)) * steps) / steps;
}
static const double LENGTH_STEPS = 8192, QUATERNION_STEPS = 8388608;

// Position and attitude of the vessel. Returns 0 if they are not known.
static int vessel_pose(const struct scene *scene, double position_m[3], quat *attitude) {
  const Sagbend__V1__Truth *t = scene_truth(scene);
  const Sagbend__V1__Sensors *s = scene_sensors(scene);
  if (t) {
    const double place[3] = {t->position_north_m, t->position_east_m, t->position_down_m};
    *attitude = (quat){t->quaternion_w, t->quaternion_x, t->quaternion_y, t->quaternion_z};
    for (int i = 0; i < 3; i++)
      position_m[i] = place[i];
  } else if (s) {
    const double euler_rad[3] = {s->roll_rad, s->pitch_rad, s->heading_rad};
    const double place[3] = {s->position_north_m, s->position_east_m, s->position_down_m};
    *attitude = quat_of_euler(euler_rad);
    for (int i = 0; i < 3; i++)
      position_m[i] = place[i];
  } else {
    return 0;
  }
  double norm = attitude->w * attitude->w + attitude->x * attitude->x + attitude->y * attitude->y +
                attitude->z * attitude->z;
  if (!isfinite(norm) || norm < 0.25) // not an attitude
    return 0;
  *attitude = quat_unit(*attitude);
  return 1;
}

static void scene_send_transforms(const struct scene_out *out) {
  double position_m[3];
  quat attitude;
  if (!vessel_pose(out->scene, position_m, &attitude))
    return;

  Google__Protobuf__Timestamp time = scene_time(out->time_ns);
  Foxglove__Vector3 origin = FOXGLOVE__VECTOR3__INIT, place = FOXGLOVE__VECTOR3__INIT;
  Foxglove__Quaternion turn = FOXGLOVE__QUATERNION__INIT, pose = FOXGLOVE__QUATERNION__INIT;
  Foxglove__FrameTransform ned = FOXGLOVE__FRAME_TRANSFORM__INIT, vessel = FOXGLOVE__FRAME_TRANSFORM__INIT;
  Foxglove__FrameTransform *both[] = {&ned, &vessel};
  Foxglove__FrameTransforms message = FOXGLOVE__FRAME_TRANSFORMS__INIT;
  char world_name[] = "world", ned_name[] = "ned", vessel_name[] = "vessel";

  turn.x = turn.y = HALF_ROOT;
  ned.timestamp = vessel.timestamp = &time;
  ned.parent_frame_id = world_name;
  ned.child_frame_id = vessel.parent_frame_id = ned_name;
  ned.translation = &origin;
  ned.rotation = &turn;

  place.x = rounded(position_m[0], LENGTH_STEPS);
  place.y = rounded(position_m[1], LENGTH_STEPS);
  place.z = rounded(position_m[2], LENGTH_STEPS);
  pose.x = rounded(attitude.x, QUATERNION_STEPS);
  pose.y = rounded(attitude.y, QUATERNION_STEPS);
  pose.z = rounded(attitude.z, QUATERNION_STEPS);
  pose.w = rounded(attitude.w, QUATERNION_STEPS);
  vessel.child_frame_id = vessel_name;
  vessel.translation = &place;
  vessel.rotation = &pose;

  message.transforms = both;
  message.n_transforms = 2;
  scene_send(out, SCENE_TRANSFORMS, &message.base);
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

  int is_no_memory;
  ProtobufCMessage *message = wire_unpack_any(TYPES[which].descriptor, data, size, &is_no_memory);
  enum scene_taken taken = check(&TYPES[which], message, is_no_memory, why);
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
static void scene_send_drawing(const struct scene_out *out) {
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

// ------------------------------------------------------------
extern const unsigned char wire_descriptor_foxglove_transforms[], wire_descriptor_foxglove_scene[],
    wire_descriptor_foxglove_log[];
extern const size_t wire_descriptor_foxglove_transforms_size, wire_descriptor_foxglove_scene_size,
    wire_descriptor_foxglove_log_size;

static const struct channel {
  const char *topic, *type;
  const unsigned char *descriptor;
  const size_t *size;
} CHANNELS[] = {
#define X(id, topic, type, file)                                                                             \
  {topic, type, wire_descriptor_foxglove_##file, &wire_descriptor_foxglove_##file##_size},
    SCENE_CHANNEL_TABLE(X)
#undef X
};

const char *scene_channel_topic(enum scene_channel channel) {
  return CHANNELS[channel].topic;
}

const char *scene_channel_type(enum scene_channel channel) {
  return CHANNELS[channel].type;
}

const void *scene_channel_descriptor(enum scene_channel channel, size_t *size) {
  *size = *CHANNELS[channel].size;
  return CHANNELS[channel].descriptor;
}

// ------------------------------------------------------------
// /log: events with their levels.

static Foxglove__Log__Level level_of(const char *name) {
  static const Foxglove__Log__Level LEVELS[] = {[GRADE_INFORMATION] = FOXGLOVE__LOG__LEVEL__INFO,
                                                [GRADE_WARNING] = FOXGLOVE__LOG__LEVEL__WARNING,
                                                [GRADE_ERROR] = FOXGLOVE__LOG__LEVEL__ERROR};
  return LEVELS[event_grade_of(name)];
}

static void scene_send_line(const struct scene_out *out, const char *name, const char *text) {
  Google__Protobuf__Timestamp time = scene_time(out->time_ns);
  Foxglove__Log line = FOXGLOVE__LOG__INIT;
  char message[2 * WIRE_MAX_TEXT + 4], writer[] = "sagbend";
  snprintf(message, sizeof message, "%s%s%s", name, *text ? ": " : "", text);
  line.timestamp = &time;
  line.level = level_of(name);
  line.message = message;
  line.name = writer;
  scene_send(out, SCENE_LOG, &line.base);
}

// ------------------------------------------------------------
enum { LARGEST_GRID = 64 };

int setup_is_readable(const Sagbend__V1__Session *session) {
  const Sagbend__V1__SeabedGrid *grid = session->seabed ? session->seabed->grid : NULL;
  return !grid ||
         (grid->north_nodes >= 2 && grid->east_nodes >= 2 && grid->north_nodes <= LARGEST_GRID &&
          grid->east_nodes <= LARGEST_GRID && grid->n_down_m == (size_t)grid->north_nodes * grid->east_nodes);
}

// What is drawn is finite: at most 10,000 km.
static double bounded(double value_m) {
  return fmin(1e7, fmax(-1e7, value_m));
}

// Index of the k-th of kept out of count, with the first and the last.
static size_t place_of(int k, int kept, size_t count) {
  return kept < 2 ? 0 : (size_t)k * (count - 1) / (size_t)(kept - 1);
}

static int fewer(size_t count, int most) {
  return count < (size_t)most ? (int)count : most;
}

static void take_grid(struct setup_seabed *seabed, const Sagbend__V1__SeabedGrid *grid) {
  seabed->ground = GROUND_GRID;
  seabed->rows = fewer(grid->north_nodes, SCENE_MAX_GRID);
  seabed->columns = fewer(grid->east_nodes, SCENE_MAX_GRID);
  for (int j = 0; j < seabed->columns; j++) {
    size_t column = place_of(j, seabed->columns, grid->east_nodes);
    seabed->east_m[j] = bounded(grid->east_m + (double)column * grid->spacing_east_m);
  }
  for (int i = 0; i < seabed->rows; i++) {
    size_t row = place_of(i, seabed->rows, grid->north_nodes);
    seabed->north_m[i] = bounded(grid->north_m + (double)row * grid->spacing_north_m);
    for (int j = 0; j < seabed->columns; j++)
      seabed->level_m[i][j] =
          bounded(grid->down_m[row * grid->east_nodes + place_of(j, seabed->columns, grid->east_nodes)]);
  }
}

static void take_seabed(struct setup_seabed *seabed, const Sagbend__V1__SeabedInfo *info) {
  seabed->ground = GROUND_PLANE;
  seabed->place_m[0] = bounded(info->north_m);
  seabed->place_m[1] = bounded(info->east_m);
  seabed->down_m = bounded(info->down_m);
  seabed->slope[0] = bounded(info->slope_north);
  seabed->slope[1] = bounded(info->slope_east);
  if (info->grid)
    take_grid(seabed, info->grid);
}

static void take_thrusters(struct scene_setup *setup, const Sagbend__V1__Welcome *welcome) {
  setup->thruster_count = fewer(welcome->n_thruster, SETUP_MAX_THRUSTERS);
  for (int i = 0; i < setup->thruster_count; i++) {
    const Sagbend__V1__ThrusterInfo *from = welcome->thruster[i];
    struct setup_thruster *to = &setup->thruster[i];
    snprintf(to->name, sizeof to->name, "%s", from->name);
    to->has_rudder = from->steered_case == SAGBEND__V1__THRUSTER_INFO__STEERED_STEERING
                         ? from->steering == SAGBEND__V1__THRUSTER_STEERING__THRUSTER_STEERING_RUDDER
                         : from->kind == SAGBEND__V1__THRUSTER_KIND__THRUSTER_KIND_MAIN; // an older session
    to->position_b_m[0] = bounded(from->forward_m);
    to->position_b_m[1] = bounded(from->starboard_m);
    to->position_b_m[2] = bounded(from->down_m);
    to->thrust_max_n = from->thrust_max_n;
  }
}

// The target: the set-point in force, or the start.
static void take_target(struct scene_setup *setup, const Sagbend__V1__Session *session) {
  const Sagbend__V1__Setpoint *s = session->setpoint;
  setup->has_target = 1;
  setup->target[0] = bounded(s ? s->north_m : session->start_north_m);
  setup->target[1] = bounded(s ? s->east_m : session->start_east_m);
  setup->target[2] = s ? s->heading_rad : session->start_heading_rad;
}

void setup_take(struct scene_setup *setup, const Sagbend__V1__Session *session) {
  memset(setup, 0, sizeof *setup);
  take_target(setup, session);
  setup->circle_count = fewer(session->n_watch_circle_m, SCENE_MAX_CIRCLES);
  for (int i = 0; i < setup->circle_count; i++)
    setup->circle_m[i] = bounded(session->watch_circle_m[i]);
  setup->outline_count = fewer(session->n_outline, SCENE_MAX_OUTLINE);
  for (int i = 0; i < setup->outline_count; i++) {
    const Sagbend__V1__OutlinePoint *point =
        session->outline[place_of(i, setup->outline_count, session->n_outline)];
    setup->outline_m[i][0] = bounded(point->forward_m);
    setup->outline_m[i][1] = bounded(point->starboard_m);
  }
  if (session->limits) {
    setup->limit[LIMIT_TENSION] = session->limits->tension_n;
    setup->limit[LIMIT_CURVATURE] = session->limits->curvature_1pm;
    setup->limit[LIMIT_MOMENT] = session->limits->moment_nm;
  }
  if (session->welcome)
    take_thrusters(setup, session->welcome);
  if (session->seabed)
    take_seabed(&setup->seabed, session->seabed);
}
