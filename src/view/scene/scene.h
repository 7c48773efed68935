// What a person sees of a session: pictures, lines, metrics, alarms.
#pragma once

#include "sagbend/base/base.h"

#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------
// A list of alarms: what went beyond a limit, when it began and ended, and its worst value. An alarm stays
// after its cause has gone, so that whoever looks later sees it. Categories are those of IEC 62923-1: alarm
// and warning are to be acknowledged, a caution is not.

#define ALARMS_HOLD_S 10.0 // a cause that returns within this simulated time continues the alarm before

enum {
  ALARMS_MAX =
      200, // in the list; beyond it one is left out and counted: the oldest caution, one whose cause
           // has gone before the others; without a caution the oldest warning, then alarm, in that order
  ALARM_NAME = 64,
  ALARM_TEXT = 200
};

enum alarm_category { ALARM_CAUTION, ALARM_WARNING, ALARM_ALARM };

enum alarm_kind {
  ALARM_LIMIT,      // name: quantity as in docs/outputs.md; value and limit in its unit of the protocol
  ALARM_VERDICT,    // name: of the verdict; value in the unit of VerdictInfo
  ALARM_FAULT,      // name: of the fault
  ALARM_CONTROLLER, // name: "gnss-1: frozen", source and kind of an alarm that the controller sends
  ALARM_EVENT,      // name: of the event; equal ones are one alarm with a count
  ALARM_LATE        // late steps and lost periods, one alarm with a count; worst: s after the deadline
};

struct alarm {
  enum alarm_kind kind;
  enum alarm_category category;
  char name[ALARM_NAME];
  char text[ALARM_TEXT]; // for people; "": the name suffices
  int is_active;         // the cause is there
  double from_s, to_s;   // simulated time of its begin; of its end, or the newest time at which it was seen
  int has_value, has_limit;
  double first, worst, worst_s, limit; // value at the begin, the worst value and its time
  uint64_t count;                      // of equal events; else 1
};

struct alarm_list {
  struct alarm alarm[ALARMS_MAX]; // in the order in which they began
  int count;
  uint64_t left_out; // for lack of room
  uint64_t changes;  // another number: the list has changed
};

struct alarm_key {
  enum alarm_kind kind;
  enum alarm_category category;
  const char *name;
};

// ------------------------------------------------------------
// The alarms of a session, from its telemetry. No sockets, no clock. One thread owns it.

struct alarms;

struct alarms *alarms_create(void);      // NULL: out of memory
void alarms_free(struct alarms *alarms); // accepts NULL
void alarms_begin_session(struct alarms *alarms);

// Takes a message of the telemetry or of a log, in the order of its time. type: "sagbend.v1.Truth". One that
// cannot be read changes nothing.
void alarms_take(struct alarms *alarms, const char *type, const void *data, size_t size);

const struct alarm_list *alarms_list(const struct alarms *alarms);

// ------------------------------------------------------------
// The extremes along the pipe since the start of a session, by arc length, out of the messages Nodes: what
// each piece of the pipe has seen. In bounded memory. No sockets, no clock.

// Column of the message as the page names it, and its value at node i of n (Nodes).
#define ENVELOPE_TABLE(X)                                                                                    \
  X(tension_n, n->effective_tension_n[i])                                                                    \
  X(moment_nm, hypot(n->bending_2_nm[i], n->bending_3_nm[i]))                                                \
  X(curvature_1pm, n->curvature_1pm[i])                                                                      \
  X(utilisation, n->n_utilisation ? n->utilisation[i] : -1)                                                  \
  X(clearance_m, n->n_penetration_m ? -n->penetration_m[i] : 0)

enum { ENVELOPE_PLACES = 2048, ENVELOPE_MOMENTS = 48 };

struct envelope;

// keeps_moments: the extremes up to earlier moments as well, ENVELOPE_MOMENTS at most, as for a log. NULL:
// out of memory.
struct envelope *envelope_create(int keeps_moments);
void envelope_free(struct envelope *envelope); // accepts NULL
void envelope_begin_session(struct envelope *envelope);

// A message of the telemetry; other types than Nodes are left alone.
void envelope_take(struct envelope *envelope, const char *type, const void *data, size_t size,
                   uint64_t time_ns);

// JSON: {"time_s":...,"arc_length_m":[...],"tension_n":{"min":[...],"max":[...]},...}, up to the newest kept
// moment that is not after at_s; null where no node has been. NULL: out of memory. The caller frees it.
char *envelope_write(const struct envelope *envelope, double at_s);

// ------------------------------------------------------------
// The state of a session as Prometheus reads it: text form 0.0.4. Names end in their units, counters in
// _total. No sockets, no clock. One thread owns it.

struct metrics;

struct metrics *metrics_create(void);       // NULL: out of memory
void metrics_free(struct metrics *metrics); // accepts NULL

// Another session begins: forgets the one before.
void metrics_begin_session(struct metrics *metrics, const char *session);

// Takes a message of the telemetry that has been checked. type: "sagbend.v1.Timing"; others than Timing,
// Sensors, Truth, Ledger and Status change nothing.
void metrics_take(struct metrics *metrics, const char *type, const void *data, size_t size);

struct metrics_view { // of the program that serves the text
  int has_data;       // telemetry comes
  int clients;
  uint64_t joined, refused, sent, dropped, unreadable, lost;
};

// Writes at most capacity bytes of whole lines; returns how many. A metric without a value at present has its
// lines HELP and TYPE only.
size_t metrics_write(const struct metrics *metrics, const struct metrics_view *view, char *out,
                     size_t capacity);

// ------------------------------------------------------------
// The picture of a session for Foxglove, Lichtblick and the like: Sagbend's telemetry in, the channels /tf,
// /scene and /log with Foxglove's messages (proto/foxglove) out. It keeps the newest message of each kind. No
// sockets, no clock: the caller passes the time. One thread owns a scene.
//
// Frames: `world` x east, y north, z up; its child `ned` north, east, down; its child `vessel` forward,
// starboard, down at the reference point. All share the origin and the units of the protocol (metres).

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
  SCENE_TAKEN,          // message is of its type; the sink has received the result
  SCENE_UNKNOWN,        // a type that this version does not know
  SCENE_UNREADABLE,     // not such a message, or it contains a number that is not finite; left out
  SCENE_OTHER_PROTOCOL, // of another version of the protocol; left out
  SCENE_NO_MEMORY,      // left out
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

// ------------------------------------------------------------
// The past of all output quantities, in bounded memory, out of the messages of the telemetry or of a log:
// what a page shows that is opened late, or after a seek. No sockets, no clock.
//
// Two tables of rows, one row for each interval of simulated time: the newest minutes finely, and the whole
// session, whose interval doubles each time the table is full.

enum { TRENDS_NAMES = 8, TRENDS_FINE_ROWS = 6000, TRENDS_WHOLE_ROWS = 6000 };
#define TRENDS_FINE_S 0.1 // the fine table: ten minutes

struct trends;

// is_whole: only the table of the whole session, beginning with the interval of the fine one, as for a log.
// NULL: out of memory.
struct trends *trends_create(int is_whole);
void trends_free(struct trends *trends); // accepts NULL
void trends_begin_session(struct trends *trends);

// A message of the telemetry; other types than Truth, Sensors, Nodes, Ledger and Timing are left alone. A
// time before the last one begins anew.
void trends_take(struct trends *trends, const char *type, const void *data, size_t size, uint64_t time_ns);

// JSON: a list of objects with name, unit and meaning of each quantity, angles in degrees. Those with a value
// in this session have "is_here":true. NULL: out of memory. The caller frees it.
char *trends_list(const struct trends *trends);

// JSON: {"times":[...],"values":{"offset_m":[...],...}}: the rows above from_s, those of the newest ten
// minutes with the smallest interval, and null where a quantity is undefined. STATUS_BAD_INPUT: an unknown
// name. The caller frees *out.
enum status trends_write(const struct trends *trends, const char *const *names, int count, double from_s,
                         char **out, struct reason *why);
