// The picture of a session for Foxglove, Lichtblick and the like: Sagbend's telemetry in, the channels /tf,
// /scene and /log with Foxglove's messages (proto/foxglove) out. It keeps the newest message of each kind. No
// sockets, no clock: the caller passes the time. One thread owns a scene.
//
// Frames: `world` x east, y north, z up; its child `ned` north, east, down; its child `vessel` forward,
// starboard, down at the reference point. All share the origin and the units of the protocol (metres).
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>
#include <stdint.h>

// Identifier, topic, message type, name of the descriptor.
#define SCENE_CHANNEL_TABLE(X)                                                                               \
  X(SCENE_TRANSFORMS, "/tf", "foxglove.FrameTransforms", transforms)                                         \
  X(SCENE_DRAWING, "/scene", "foxglove.SceneUpdate", scene)                                                  \
  X(SCENE_LOG, "/log", "foxglove.Log", log)
#define X(id, topic, type, file) id,
enum scene_channel { SCENE_CHANNEL_TABLE(X) SCENE_CHANNEL_COUNT };
#undef X

const char *scene_channel_topic(enum scene_channel channel); // "/tf"
const char *scene_channel_type(enum scene_channel channel);  // "foxglove.FrameTransforms"
// The FileDescriptorSet that readers need to decode the messages.
const void *scene_channel_descriptor(enum scene_channel channel, size_t *size);

// What the colour of the pipe shows.
enum scene_colour {
  SCENE_COLOUR_NEAREST, // the quantity that is nearest to its limit; without limits the tension
  SCENE_COLOUR_TENSION,
  SCENE_COLOUR_CURVATURE,
  SCENE_COLOUR_MOMENT
};

// Bounds of what is drawn. Longer lists are thinned, their first and last entries stay.
enum {
  SCENE_MAX_NODES = 400,   // points of the pipe
  SCENE_MAX_GRID = 32,     // points of the seabed along each side
  SCENE_MAX_CIRCLES = 8,   // watch circles
  SCENE_MAX_OUTLINE = 64,  // points of the vessel's outline
  SCENE_MAX_BYTES = 262144 // of a message, whatever came in
};

struct scene;

// NULL: out of memory.
struct scene *scene_open(enum scene_colour colour);
void scene_close(struct scene *scene); // accepts NULL

// Receives each message that is made. data is valid during the call only.
struct scene_sink {
  void (*take)(void *context, enum scene_channel channel, uint64_t time_ns, const uint8_t *data, size_t size);
  void *context;
};

enum scene_taken {
  SCENE_TAKEN,          // it is what its type says; the sink has received what follows from it
  SCENE_UNKNOWN,        // a type that this version does not know
  SCENE_UNREADABLE,     // not such a message, or it contains a number that is not finite; left out
  SCENE_OTHER_PROTOCOL, // of another version of the protocol; left out
};

// Takes a message of the telemetry or of a log. type: its schema's name, such as "sagbend.v1.Truth". time_ns:
// its time, which the messages for the sink carry. A message of another session begins with an empty scene.
// why: what is wrong with a message that is left out; may be NULL. Checks every type of the telemetry, also
// those of which nothing is drawn.
//   Truth    -> /tf; without Truth in the session Sensors -> /tf, if they contain the exact state
//   Nodes    -> /scene; without Nodes Truth -> /scene
//   Session  -> /scene
//   Event, End -> /log
enum scene_taken scene_take(struct scene *scene, const char *type, const void *data, size_t size,
                            uint64_t time_ns, const struct scene_sink *sink, struct reason *why);

const char *scene_session(const struct scene *scene); // of the newest message; "": none yet
