// Alarms that the controller sends, in the list of alarms.
#pragma once

#include "view/scene/scene.h"

#include "foxglove/scene.pb-c.h"
#include "google/protobuf/timestamp.pb-c.h"
#include "net/messages/messages.h"
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------
// Builds the entities of a SceneUpdate in the scene's arena. If the arena is full, the drawing is not sent.

enum { DRAW_MAX_ENTITIES = 12, DRAW_MAX_PARTS = 40 }; // in a drawing; primitives of each kind in an entity

struct draw {
  struct arena *arena;
  Google__Protobuf__Timestamp time;
  Foxglove__SceneEntity *entity[DRAW_MAX_ENTITIES];
  size_t count;
};

struct draw_colour {
  double r, g, b, a;
};

void draw_begin(struct draw *draw, struct arena *arena, void *block, size_t size, uint64_t time_ns);

// count points of three numbers each, metres in the entity's frame.
struct draw_line {
  const double (*points)[3];
  size_t count;
  const struct draw_colour *colours; // one for each point; NULL: colour
  struct draw_colour colour;
  double pixels; // thickness
  int is_closed;
};

// ------------------------------------------------------------
// What is drawn of a session and does not change from step to step. From the message Session; without one,
// what the other messages permit.

enum { SETUP_NAME = 64, SETUP_MAX_THRUSTERS = 32 };

struct setup_thruster {
  char name[SETUP_NAME];
  int has_rudder; // thrust ahead, whatever the angle of its rudder, which stands for the azimuth
  double position_b_m[3];
  double thrust_max_n;
};

enum setup_ground { GROUND_UNKNOWN, GROUND_PLANE, GROUND_GRID };

struct setup_seabed {
  enum setup_ground ground;
  double place_m[2], down_m,
      slope[2];      // plane: level at a place (north, east), deeper per metre north and east
  int rows, columns; // grid: rows from south to north, columns from west to east
  double north_m[SCENE_MAX_GRID], east_m[SCENE_MAX_GRID], level_m[SCENE_MAX_GRID][SCENE_MAX_GRID];
};

// Limits, in the order of enum scene_colour from SCENE_COLOUR_TENSION on; 0: none.
enum setup_limit { LIMIT_TENSION, LIMIT_CURVATURE, LIMIT_MOMENT, LIMIT_COUNT };

struct scene_setup {
  int has_target;
  double target[3]; // the set-point in force, or the start: north, east in m, heading in rad
  int circle_count;
  double circle_m[SCENE_MAX_CIRCLES]; // radii, rising
  int outline_count;
  double outline_m[SCENE_MAX_OUTLINE][2]; // forward, starboard
  double limit[LIMIT_COUNT];              // N, 1/m, N m
  int thruster_count;
  struct setup_thruster thruster[SETUP_MAX_THRUSTERS];
  struct setup_seabed seabed;
};

// Whether the lists of a Session fit together (its numbers are finite).
int setup_is_readable(const Sagbend__V1__Session *session);
void setup_take(struct scene_setup *setup, const Sagbend__V1__Session *session);

// ------------------------------------------------------------
// Inside of view/scene. scene.c: names and schemas, takes messages, /log and /tf; draw.c: the parts of
// /scene.

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

// ------------------------------------------------------------
// The parts of the picture.

void draw_seabed(struct draw *draw, const struct scene *scene);
void draw_setpoint(struct draw *draw, const struct scene *scene); // and the watch circles
void draw_touchdown(struct draw *draw, const struct scene *scene);
void draw_pipe(struct draw *draw, const struct scene *scene);
void draw_vessel(struct draw *draw, const struct scene *scene);
void draw_thrusters(struct draw *draw, const struct scene *scene);

// Colours. Red and yellow are for what exceeds a limit or nears it; a text has the same meaning.
static const struct draw_colour DRAW_GREY = {0.55, 0.6, 0.65, 1}, DRAW_TEXT = {0.5, 0.55, 0.6, 1},
                                DRAW_YELLOW = {0.9, 0.75, 0.15, 1}, DRAW_RED = {0.9, 0.15, 0.12, 1},
                                DRAW_HULL = {0.45, 0.55, 0.65, 0.9}, DRAW_DECK = {0.6, 0.68, 0.75, 0.95},
                                DRAW_THRUST = {0.15, 0.6, 0.75, 1}, DRAW_SEABED = {0.55, 0.47, 0.36, 0.6},
                                DRAW_GREEN = {0.2, 0.65, 0.35, 1};

// The length to draw, in steps of 1/128 m: fewer digits make a smaller log. At most 10,000 km: what is drawn
// is finite.
static inline double draw_rounded(double value_m) {
  return round(fmin(1e7, fmax(-1e7, value_m)) * 128) / 128;
}

// ------------------------------------------------------------
// Times in Foxglove's messages.

static inline Google__Protobuf__Timestamp scene_time(uint64_t time_ns) {
  Google__Protobuf__Timestamp time = GOOGLE__PROTOBUF__TIMESTAMP__INIT;
  time.seconds = (int64_t)(time_ns / 1000000000u);
  time.nanos = (int32_t)(time_ns % 1000000000u);
  return time;
}
