// The picture of a session: frames against an independent computation, colours and texts, what is left out,
// sizes.
#include "view/scene/scene.h"

#include "foxglove/log.pb-c.h"
#include "foxglove/scene.pb-c.h"
#include "foxglove/transforms.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 22 };
static uint8_t packed[ROOM];

// The newest message of each channel that the scene made, and how many.
static struct {
  uint8_t *data;
  size_t size;
  uint64_t time_ns;
  int count;
} made[SCENE_CHANNEL_COUNT];

static void take(void *context, enum scene_channel channel, uint64_t time_ns, const uint8_t *data,
                 size_t size) {
  (void)context;
  free(made[channel].data);
  made[channel].data = malloc(size + 1);
  memcpy(made[channel].data, data, size);
  made[channel].size = size;
  made[channel].time_ns = time_ns;
  made[channel].count++;
}
static const struct scene_sink SINK = {take, NULL};

static struct scene *scene;
static struct reason why;

static void set_up(void) {
  scene = scene_open(SCENE_COLOUR_NEAREST);
  ck_assert_ptr_nonnull(scene);
}

static void tear_down(void) {
  scene_close(scene);
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++)
    free(made[i].data);
  memset(made, 0, sizeof made);
}

static Sagbend__V1__Header *header(void) {
  static Sagbend__V1__Header h;
  static char session[] = "s-1";
  sagbend__v1__header__init(&h);
  h.protocol = 1;
  h.session = session;
  h.time_s = 2.5;
  return &h;
}

static enum scene_taken give(const char *type, const void *message) {
  const ProtobufCMessage *m = message;
  size_t size = protobuf_c_message_get_packed_size(m);
  ck_assert_uint_le(size, ROOM);
  protobuf_c_message_pack(m, packed);
  uint8_t *exact = malloc(size + 1); // so that the sanitizer sees a read beyond the end
  memcpy(exact, packed, size);
  enum scene_taken taken = scene_take(scene, type, exact, size, 2500000000u, &SINK, &why);
  free(exact);
  return taken;
}

static Foxglove__FrameTransforms *transforms(void) {
  return foxglove__frame_transforms__unpack(NULL, made[SCENE_TRANSFORMS].size, made[SCENE_TRANSFORMS].data);
}
static Foxglove__SceneUpdate *drawing(void) {
  return foxglove__scene_update__unpack(NULL, made[SCENE_DRAWING].size, made[SCENE_DRAWING].data);
}
static const Foxglove__SceneEntity *entity(const Foxglove__SceneUpdate *update, const char *id) {
  for (size_t i = 0; i < update->n_entities; i++)
    if (!strcmp(update->entities[i]->id, id))
      return update->entities[i];
  return NULL;
}

// v turned by q: v + 2 u x (u x v + w v), with u the vector part.
static void turn(const Foxglove__Quaternion *q, const double v[3], double out[3]) {
  const double u[3] = {q->x, q->y, q->z};
  double t[3], c[3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    t[i] = u[j] * v[k] - u[k] * v[j] + q->w * v[i];
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    c[i] = u[j] * t[k] - u[k] * t[j];
  }
  for (int i = 0; i < 3; i++)
    out[i] = v[i] + 2 * c[i];
}

static void through(const Foxglove__FrameTransform *t, const double v[3], double out[3]) {
  const double shift[3] = {t->translation->x, t->translation->y, t->translation->z};
  turn(t->rotation, v, out);
  for (int i = 0; i < 3; i++)
    out[i] += shift[i];
}

// A point of the vessel in the frame `world`, step by step: roll about the bow, pitch about starboard,
// heading about down, then the position; x is east, y north, z up.
static void expected_world(const double euler[3], const double place[3], const double body[3],
                           double out[3]) {
  double r = euler[0], p = euler[1], h = euler[2];
  const double rolled[3] = {body[0], cos(r) * body[1] - sin(r) * body[2],
                            sin(r) * body[1] + cos(r) * body[2]};
  const double pitched[3] = {cos(p) * rolled[0] + sin(p) * rolled[2], rolled[1],
                             -sin(p) * rolled[0] + cos(p) * rolled[2]};
  const double north = place[0] + cos(h) * pitched[0] - sin(h) * pitched[1];
  const double east = place[1] + sin(h) * pitched[0] + cos(h) * pitched[1];
  out[0] = east;
  out[1] = north;
  out[2] = -(place[2] + pitched[2]);
}

// The unit quaternion of three turns one after the other, by half angles.
static void set_attitude(Sagbend__V1__Truth *t, const double e[3]) {
  double a = cos(e[0] / 2), b = sin(e[0] / 2), c = cos(e[1] / 2), d = sin(e[1] / 2), f = cos(e[2] / 2),
         g = sin(e[2] / 2);
  t->quaternion_w = a * c * f + b * d * g;
  t->quaternion_x = b * c * f - a * d * g;
  t->quaternion_y = a * d * f + b * c * g;
  t->quaternion_z = a * c * g - b * d * f;
}

static void check_frames(const double euler[3], const double place[3]) {
  static const double BODY[][3] = {{0, 0, 0}, {80, 0, 0}, {0, 15, 0}, {0, 0, 9}, {-60, 12, -20}};
  Foxglove__FrameTransforms *tf = transforms();
  ck_assert_ptr_nonnull(tf);
  ck_assert_uint_eq(tf->n_transforms, 2);
  const Foxglove__FrameTransform *ned = tf->transforms[0], *vessel = tf->transforms[1];
  ck_assert_str_eq(ned->parent_frame_id, "world");
  ck_assert_str_eq(ned->child_frame_id, "ned");
  ck_assert_str_eq(vessel->parent_frame_id, "ned");
  ck_assert_str_eq(vessel->child_frame_id, "vessel");
  ck_assert_int_eq(vessel->timestamp->seconds, 2);
  ck_assert_int_eq(vessel->timestamp->nanos, 500000000);
  for (size_t i = 0; i < sizeof BODY / sizeof *BODY; i++) {
    double in_ned[3], found[3], expected[3];
    through(vessel, BODY[i], in_ned);
    through(ned, in_ned, found);
    expected_world(euler, place, BODY[i], expected);
    for (int k = 0; k < 3; k++)
      ck_assert_double_eq_tol(found[k], expected[k], 2e-4); // the messages are rounded to 0.1 mm
  }
  foxglove__frame_transforms__free_unpacked(tf, NULL);
}

static const double PLACES[][3] = {{0, 0, 0}, {1234.5, -987.25, 1.75}, {-3, 4e5, -2}};
static const double ATTITUDES[][3] = {{0, 0, 0}, {0.1, -0.05, 2.2}, {-0.3, 0.2, -3.1}, {0.02, 1.3, 4.7}};

START_TEST(frames_of_truth) {
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 4; k++) {
      Sagbend__V1__Truth t = SAGBEND__V1__TRUTH__INIT;
      t.header = header();
      t.position_north_m = PLACES[i][0];
      t.position_east_m = PLACES[i][1];
      t.position_down_m = PLACES[i][2];
      set_attitude(&t, ATTITUDES[k]);
      ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_TAKEN);
      check_frames(ATTITUDES[k], PLACES[i]);
    }
  ck_assert_int_eq(made[SCENE_TRANSFORMS].count, 12);
}
END_TEST

static Sagbend__V1__Sensors sensors_at(const double place[3], const double euler[3]) {
  Sagbend__V1__Sensors s = SAGBEND__V1__SENSORS__INIT;
  s.header = header();
  s.command_state = SAGBEND__V1__COMMAND_STATE__COMMAND_STATE_LIVE;
  s.position_north_m = place[0];
  s.position_east_m = place[1];
  s.position_down_m = place[2];
  s.roll_rad = euler[0];
  s.pitch_rad = euler[1];
  s.heading_rad = euler[2];
  return s;
}

START_TEST(frames_of_sensors) {
  Sagbend__V1__Sensors s = sensors_at(PLACES[1], ATTITUDES[1]);
  ck_assert_int_eq(give("sagbend.v1.Sensors", &s), SCENE_TAKEN);
  check_frames(ATTITUDES[1], PLACES[1]);

  // Measurements are not the state: with instruments there is no /tf, and none after Truth has come.
  Sagbend__V1__Instruments instruments = SAGBEND__V1__INSTRUMENTS__INIT;
  s.instruments = &instruments;
  ck_assert_int_eq(give("sagbend.v1.Sensors", &s), SCENE_TAKEN);
  ck_assert_int_eq(made[SCENE_TRANSFORMS].count, 1);
  Sagbend__V1__Truth t = SAGBEND__V1__TRUTH__INIT;
  t.header = header();
  t.quaternion_w = 1;
  give("sagbend.v1.Truth", &t);
  s.instruments = NULL;
  give("sagbend.v1.Sensors", &s);
  ck_assert_int_eq(made[SCENE_TRANSFORMS].count, 2);
}
END_TEST

enum { MANY = 5000 };
static double north[MANY], east[MANY], down[MANY], tension[MANY], curvature[MANY], moment[MANY], zero[MANY];

// A pipe along north whose tension rises from 0 to 1 MN.
static Sagbend__V1__Nodes nodes_of(size_t count) {
  Sagbend__V1__Nodes n = SAGBEND__V1__NODES__INIT;
  n.header = header();
  for (size_t i = 0; i < count; i++) {
    north[i] = (double)i;
    down[i] = 900 - (double)i;
    tension[i] = 1e6 * (double)i / (double)(count - 1);
    curvature[i] = 0.01;
  }
  n.n_north_m = n.n_east_m = n.n_down_m = n.n_effective_tension_n = count;
  n.n_curvature_1pm = n.n_bending_2_nm = n.n_bending_3_nm = count;
  n.north_m = north;
  n.east_m = east;
  n.down_m = down;
  n.effective_tension_n = tension;
  n.curvature_1pm = curvature;
  n.bending_2_nm = moment;
  n.bending_3_nm = zero;
  return n;
}

START_TEST(pipe) {
  Sagbend__V1__Nodes n = nodes_of(101);
  ck_assert_int_eq(give("sagbend.v1.Nodes", &n), SCENE_TAKEN);
  Foxglove__SceneUpdate *update = drawing();
  const Foxglove__SceneEntity *e = entity(update, "pipe");
  ck_assert_ptr_nonnull(e);
  ck_assert_str_eq(e->frame_id, "ned");
  ck_assert_uint_eq(e->n_lines, 1);
  const Foxglove__LinePrimitive *line = e->lines[0];
  ck_assert_uint_eq(line->n_points, 101);
  ck_assert_uint_eq(line->n_colors, 101);
  ck_assert_double_eq(line->points[100]->x, 100);
  ck_assert_double_eq(line->points[100]->z, 800);
  ck_assert(line->colors[0]->b > line->colors[0]->r && line->colors[100]->r > line->colors[100]->b);
  ck_assert_ptr_nonnull(strstr(e->texts[0]->text, "largest tension 1e+03 kN, no limit given"));
  ck_assert_double_eq(e->texts[0]->pose->position->x, 100);
  foxglove__scene_update__free_unpacked(update, NULL);
}
END_TEST

START_TEST(long_lists_are_thinned) {
  Sagbend__V1__Nodes n = nodes_of(MANY);
  ck_assert_int_eq(give("sagbend.v1.Nodes", &n), SCENE_TAKEN);
  ck_assert_uint_le(made[SCENE_DRAWING].size, SCENE_MAX_BYTES);
  Foxglove__SceneUpdate *update = drawing();
  const Foxglove__LinePrimitive *line = entity(update, "pipe")->lines[0];
  ck_assert_uint_eq(line->n_points, SCENE_MAX_NODES);
  ck_assert_double_eq(line->points[0]->x, 0);
  ck_assert_double_eq(line->points[SCENE_MAX_NODES - 1]->x, MANY - 1);
  foxglove__scene_update__free_unpacked(update, NULL);
}
END_TEST

START_TEST(left_out_with_a_reason) {
  Sagbend__V1__Truth t = SAGBEND__V1__TRUTH__INIT;
  t.header = header();
  t.quaternion_w = 1;
  t.position_east_m = NAN;
  ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_UNREADABLE);
  ck_assert_ptr_nonnull(strstr(why.text, "position_east_m"));
  t.position_east_m = INFINITY;
  ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_UNREADABLE);
  t.position_east_m = 0;
  t.header->protocol = 2;
  ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_OTHER_PROTOCOL);
  t.header = NULL;
  ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_UNREADABLE);
  t.header = header();

  Sagbend__V1__Nodes n = nodes_of(10);
  n.n_down_m = 9;
  ck_assert_int_eq(give("sagbend.v1.Nodes", &n), SCENE_UNREADABLE);
  ck_assert_int_eq(scene_take(scene, "sagbend.v1.Truth", "\xff\xff", 2, 0, &SINK, &why), SCENE_UNREADABLE);
  ck_assert_int_eq(scene_take(scene, "sagbend.v1.Truth", "", 0, 0, &SINK, NULL), SCENE_UNREADABLE);
  ck_assert_int_eq(scene_take(scene, "sagbend.v1.Future", "", 0, 0, &SINK, NULL), SCENE_UNKNOWN);
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++)
    ck_assert_int_eq(made[i].count, 0);

  t.quaternion_w = 0; // no attitude: the message is good, but nothing can be drawn of it
  ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_TAKEN);
  ck_assert_int_eq(made[SCENE_TRANSFORMS].count, 0);
}
END_TEST

static int all_finite(const ProtobufCMessage *m);
static int value_is_finite(const ProtobufCFieldDescriptor *f, const void *at) {
  double value;
  const ProtobufCMessage *inner;
  if (f->type == PROTOBUF_C_TYPE_DOUBLE) {
    memcpy(&value, at, sizeof value);
    return isfinite(value);
  }
  if (f->type != PROTOBUF_C_TYPE_MESSAGE)
    return 1;
  memcpy(&inner, at, sizeof inner);
  return !inner || all_finite(inner);
}
static int all_finite(const ProtobufCMessage *m) {
  int finite = 1;
  for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
    const char *at = (const char *)m + f->offset, *list;
    size_t count, size = f->type == PROTOBUF_C_TYPE_MESSAGE ? sizeof(void *) : sizeof(double);
    if (f->label != PROTOBUF_C_LABEL_REPEATED) {
      finite &= value_is_finite(f, at);
      continue;
    }
    memcpy(&count, (const char *)m + f->quantifier_offset, sizeof count);
    memcpy(&list, at, sizeof list);
    for (size_t k = 0; k < count && f->type == PROTOBUF_C_TYPE_MESSAGE; k++)
      finite &= value_is_finite(f, list + k * size);
  }
  return finite;
}

START_TEST(extreme_numbers_stay_finite) {
  Sagbend__V1__Nodes n = nodes_of(10);
  Sagbend__V1__Truth t = SAGBEND__V1__TRUTH__INIT;
  t.header = header();
  t.quaternion_w = 1;
  t.position_north_m = 1.7e308;
  t.position_down_m = -1.7e308;
  north[3] = 1.7e308;
  east[4] = -1.7e308;
  tension[5] = 1.7e308;
  ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_TAKEN);
  ck_assert_int_eq(give("sagbend.v1.Nodes", &n), SCENE_TAKEN);
  Foxglove__SceneUpdate *update = drawing();
  Foxglove__FrameTransforms *tf = transforms();
  ck_assert(all_finite(&update->base) && all_finite(&tf->base));
  foxglove__scene_update__free_unpacked(update, NULL);
  foxglove__frame_transforms__free_unpacked(tf, NULL);
  east[4] = 0;
}
END_TEST

START_TEST(lines) {
  static const struct {
    const char *name;
    Foxglove__Log__Level level;
  } EVENTS[] = {{"verdict_violated", FOXGLOVE__LOG__LEVEL__ERROR},
                {"command_lost", FOXGLOVE__LOG__LEVEL__ERROR},
                {"lost_periods", FOXGLOVE__LOG__LEVEL__ERROR},
                {"halted", FOXGLOVE__LOG__LEVEL__ERROR},
                {"fault_began", FOXGLOVE__LOG__LEVEL__WARNING},
                {"refused_stale", FOXGLOVE__LOG__LEVEL__WARNING},
                {"order_refused", FOXGLOVE__LOG__LEVEL__WARNING},
                {"log_dropped", FOXGLOVE__LOG__LEVEL__WARNING},
                {"command_back", FOXGLOVE__LOG__LEVEL__INFO},
                {"lost", FOXGLOVE__LOG__LEVEL__INFO},
                {"", FOXGLOVE__LOG__LEVEL__INFO}};
  for (size_t i = 0; i < sizeof EVENTS / sizeof *EVENTS; i++) {
    Sagbend__V1__Event e = SAGBEND__V1__EVENT__INIT;
    char name[32], text[] = "why";
    snprintf(name, sizeof name, "%s", EVENTS[i].name);
    e.header = header();
    e.name = name;
    e.text = text;
    ck_assert_int_eq(give("sagbend.v1.Event", &e), SCENE_TAKEN);
    Foxglove__Log *line = foxglove__log__unpack(NULL, made[SCENE_LOG].size, made[SCENE_LOG].data);
    ck_assert_int_eq(line->level, EVENTS[i].level);
    ck_assert_ptr_nonnull(strstr(line->message, ": why"));
    ck_assert_int_eq(strncmp(line->message, name, strlen(name)), 0);
    foxglove__log__free_unpacked(line, NULL);
  }
}
END_TEST

START_TEST(another_session_begins_empty) {
  Sagbend__V1__Nodes n = nodes_of(10);
  Sagbend__V1__Truth t = SAGBEND__V1__TRUTH__INIT;
  char other[] = "s-2";
  give("sagbend.v1.Nodes", &n);
  ck_assert_str_eq(scene_session(scene), "s-1");
  ck_assert_int_eq(made[SCENE_DRAWING].count, 1);
  t.header = header();
  t.header->session = other;
  t.quaternion_w = 1;
  ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_TAKEN);
  ck_assert_str_eq(scene_session(scene), "s-2");
  Foxglove__SceneUpdate *update = drawing();
  ck_assert(!entity(update, "pipe") && entity(update, "vessel"));
  foxglove__scene_update__free_unpacked(update, NULL);
}
END_TEST

// A session with a set-point at (10, -20), two circles, two thrusters and a seabed of 64 x 64 nodes.
static struct {
  Sagbend__V1__Session session;
  Sagbend__V1__Welcome welcome;
  Sagbend__V1__ThrusterInfo thruster[2];
  Sagbend__V1__ThrusterInfo *thrusters[2];
  Sagbend__V1__Setpoint setpoint;
  Sagbend__V1__SeabedInfo seabed;
  Sagbend__V1__SeabedGrid grid;
  Sagbend__V1__ViewLimits limits;
  double circles[2], level[64 * 64];
} given;

static Sagbend__V1__Session *session_of(void) {
  static char azimuth[] = "azimuth-1", main_name[] = "main";
  sagbend__v1__session__init(&given.session);
  sagbend__v1__welcome__init(&given.welcome);
  sagbend__v1__setpoint__init(&given.setpoint);
  sagbend__v1__seabed_info__init(&given.seabed);
  sagbend__v1__seabed_grid__init(&given.grid);
  sagbend__v1__view_limits__init(&given.limits);
  given.welcome.mode = SAGBEND__V1__RUN_MODE__RUN_MODE_REALTIME;
  for (int i = 0; i < 2; i++) {
    sagbend__v1__thruster_info__init(&given.thruster[i]);
    given.thruster[i].name = i ? main_name : azimuth;
    given.thruster[i].kind = i ? SAGBEND__V1__THRUSTER_KIND__THRUSTER_KIND_MAIN
                               : SAGBEND__V1__THRUSTER_KIND__THRUSTER_KIND_AZIMUTH;
    given.thruster[i].drive = SAGBEND__V1__THRUSTER_DRIVE__THRUSTER_DRIVE_REVOLUTIONS;
    given.thruster[i].forward_m = i ? -50 : 40;
    given.thruster[i].thrust_max_n = 1e6;
    given.thrusters[i] = &given.thruster[i];
  }
  given.welcome.thruster = given.thrusters;
  given.welcome.n_thruster = 2;
  given.setpoint.north_m = 10;
  given.setpoint.east_m = -20;
  given.circles[0] = 15;
  given.circles[1] = 30;
  given.grid.north_nodes = given.grid.east_nodes = 64;
  given.grid.spacing_north_m = 10;
  given.grid.spacing_east_m = 20;
  for (int i = 0; i < 64 * 64; i++)
    given.level[i] = 900 + 0.001 * i;
  given.grid.down_m = given.level;
  given.grid.n_down_m = sizeof given.level / sizeof *given.level;
  given.seabed.grid = &given.grid;
  given.session.header = header();
  given.session.welcome = &given.welcome;
  given.session.setpoint = &given.setpoint;
  given.session.seabed = &given.seabed;
  given.session.watch_circle_m = given.circles;
  given.session.n_watch_circle_m = 2;
  return &given.session;
}

START_TEST(setup_is_drawn) {
  static const char *const ends[] = {"15 m: warning", "30 m"};
  ck_assert_int_eq(give("sagbend.v1.Session", session_of()), SCENE_TAKEN);
  Sagbend__V1__Truth t = SAGBEND__V1__TRUTH__INIT;
  Sagbend__V1__ThrusterTruth thrust[2] = {SAGBEND__V1__THRUSTER_TRUTH__INIT,
                                          SAGBEND__V1__THRUSTER_TRUTH__INIT};
  Sagbend__V1__ThrusterTruth *thrusts[2] = {&thrust[0], &thrust[1]};
  t.header = header();
  t.quaternion_w = 1;
  t.position_north_m = 10 + 20; // beyond the inner circle
  t.position_east_m = -20;
  for (int i = 0; i < 2; i++) {
    thrust[i].name = given.thruster[i].name;
    thrust[i].running = 1;
    thrust[i].azimuth_rad = 1.57079632679489661923;
    thrust[i].thrust_n = -5e5;
  }
  t.thruster = thrusts;
  t.n_thruster = 2;
  ck_assert_int_eq(give("sagbend.v1.Truth", &t), SCENE_TAKEN);

  Foxglove__SceneUpdate *update = drawing();
  const Foxglove__SceneEntity *e = entity(update, "seabed");
  ck_assert_uint_eq(e->triangles[0]->n_points, SCENE_MAX_GRID * SCENE_MAX_GRID);
  const Foxglove__Point3 *last = e->triangles[0]->points[SCENE_MAX_GRID * SCENE_MAX_GRID - 1];
  ck_assert_double_eq(last->x, 630);
  ck_assert_double_eq(last->y, 1260);
  ck_assert_double_eq_tol(last->z, given.level[64 * 64 - 1], 0.01);
  for (size_t i = 0; i < e->triangles[0]->n_indices; i++)
    ck_assert_uint_lt(e->triangles[0]->indices[i], e->triangles[0]->n_points);

  e = entity(update, "set-point");
  ck_assert_uint_eq(e->n_texts, 2);
  for (int i = 0; i < 2; i++) {
    const Foxglove__Point3 *p = e->lines[2 + i]->points[9];
    ck_assert_str_eq(e->texts[i]->text, ends[i]);
    ck_assert_double_eq_tol(hypot(p->x - 10, p->y + 20), given.circles[i], 0.02);
  }

  // Both arrows point astern of the positive direction: port for the azimuth thruster, astern for the main
  // one.
  static const double expected[2][2] = {{0, -1}, {-1, 0}};
  e = entity(update, "thrusters");
  ck_assert_str_eq(e->frame_id, "vessel");
  for (int i = 0; i < 2; i++) {
    double x[3];
    turn(e->arrows[i]->pose->orientation, (const double[3]){1, 0, 0}, x);
    for (int k = 0; k < 2; k++)
      ck_assert_double_eq_tol(x[k], expected[i][k], 1e-9);
    ck_assert_double_eq_tol(e->arrows[i]->shaft_length + e->arrows[i]->head_length, 0.35 * 100 * 0.5, 0.1);
  }
  ck_assert_uint_le(made[SCENE_DRAWING].size, SCENE_MAX_BYTES);
  foxglove__scene_update__free_unpacked(update, NULL);
}
END_TEST

START_TEST(limits_choose_the_colour) {
  Sagbend__V1__Nodes n = nodes_of(11);
  session_of();
  given.limits.tension_n = 4e6;
  given.limits.curvature_1pm = 0.008;
  given.session.limits = &given.limits;
  give("sagbend.v1.Session", &given.session);
  give("sagbend.v1.Nodes", &n);
  Foxglove__SceneUpdate *update = drawing();
  const Foxglove__SceneEntity *e = entity(update, "pipe");
  ck_assert_str_eq(e->texts[0]->text, "curvature 0.01 1/m, 125 % of the limit: EXCEEDED");
  ck_assert(e->lines[0]->colors[0]->r > 0.8 && e->lines[0]->colors[0]->g < 0.3);
  foxglove__scene_update__free_unpacked(update, NULL);
}
END_TEST

START_TEST(seabed_that_cannot_be) {
  session_of();
  given.grid.n_down_m--;
  ck_assert_int_eq(give("sagbend.v1.Session", &given.session), SCENE_UNREADABLE);
  given.grid.north_nodes = 1;
  given.grid.n_down_m = 64;
  ck_assert_int_eq(give("sagbend.v1.Session", &given.session), SCENE_UNREADABLE);
  given.seabed.grid = NULL;
  given.seabed.slope_north = 0.1;
  given.seabed.down_m = 100;
  ck_assert_int_eq(give("sagbend.v1.Session", &given.session), SCENE_TAKEN);
  Foxglove__SceneUpdate *update = drawing();
  const Foxglove__TriangleListPrimitive *t = entity(update, "seabed")->triangles[0];
  for (size_t i = 0; i < 4; i++)
    ck_assert_double_eq_tol(t->points[i]->z, 100 + 0.1 * t->points[i]->x, 0.01);
  foxglove__scene_update__free_unpacked(update, NULL);
}
END_TEST

START_TEST(all_at_its_largest) {
  Sagbend__V1__Nodes n = nodes_of(MANY);
  ck_assert_int_eq(give("sagbend.v1.Session", session_of()), SCENE_TAKEN);
  ck_assert_int_eq(give("sagbend.v1.Nodes", &n), SCENE_TAKEN);
  ck_assert_int_eq(made[SCENE_DRAWING].count, 2);
  Foxglove__SceneUpdate *update = drawing();
  ck_assert(entity(update, "seabed") && entity(update, "pipe") && entity(update, "set-point"));
  foxglove__scene_update__free_unpacked(update, NULL);
}
END_TEST

// ---- extremes along the pipe ----

static void give_nodes(struct envelope *envelope, double *arc_length_m, size_t count) {
  Sagbend__V1__Nodes n = SAGBEND__V1__NODES__INIT;
  double numbers[64];
  for (size_t i = 0; i < count; i++)
    numbers[i] = 1000 + (double)i;
  n.header = header();
  n.arc_length_m = arc_length_m;
  n.effective_tension_n = n.bending_2_nm = n.bending_3_nm = n.curvature_1pm = numbers;
  n.n_arc_length_m = n.n_effective_tension_n = n.n_bending_2_nm = n.n_bending_3_nm = n.n_curvature_1pm =
      count;
  size_t size = sagbend__v1__nodes__pack(&n, packed);
  envelope_take(envelope, "sagbend.v1.Nodes", packed, size, 2500000000u);
}

static void check_places(const struct envelope *envelope, const char *begin) {
  char *text = envelope_write(envelope, HUGE_VAL);
  ck_assert_ptr_nonnull(text);
  const char *at = strstr(text, "\"arc_length_m\":");
  ck_assert_msg(at && !strncmp(at + strlen("\"arc_length_m\":"), begin, strlen(begin)), "%.200s", text);
  free(text);
}

// Finite, so the reader of messages lets them through; no pipe has them.
START_TEST(arc_lengths_that_are_none_leave_the_extremes_as_they_are) {
  static const double LIES[] = {1e12, -1e12, 3e9, -3e9, 1e300, -1e300, 1.7e308, -1.7e308, 4.9e-324, 2.2e9};
  double arc_m[8];
  struct envelope *envelope = envelope_create(1);
  for (size_t k = 0; k < sizeof LIES / sizeof *LIES; k++)
    for (int at = 0; at < 8; at++)
      for (int is_first = 0; is_first < 2; is_first++) {
        if (is_first)
          envelope_begin_session(envelope);
        for (int i = 0; i < 8; i++)
          arc_m[i] = 100.0 * i;
        if (!is_first)
          give_nodes(envelope, arc_m, 8);
        arc_m[at] = LIES[k];
        give_nodes(envelope, arc_m, 8);
        free(envelope_write(envelope, HUGE_VAL));
      }
  envelope_begin_session(envelope);
  for (int i = 0; i < 8; i++)
    arc_m[i] = 100.0 * i;
  give_nodes(envelope, arc_m, 8);
  check_places(envelope, "[0,1.75,3.5,");
  arc_m[5] = 1e12;
  give_nodes(envelope, arc_m, 8);
  arc_m[5] = 500, arc_m[7] = 1e12;
  give_nodes(envelope, arc_m, 8);
  check_places(envelope, "[0,1.75,3.5,"); // as fine as before
  envelope_free(envelope);
}
END_TEST

START_TEST(channels) {
  static const char *const topics[] = {"/tf", "/scene", "/log"};
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++) {
    size_t size;
    const char *type = scene_channel_type((enum scene_channel)i);
    const void *data = scene_channel_descriptor((enum scene_channel)i, &size);
    ck_assert_str_eq(scene_channel_topic((enum scene_channel)i), topics[i]);
    ck_assert(size > 100 && !strncmp(type, "foxglove.", 9));
    size_t at = 0, length = strlen(type + 9);
    while (at + length < size && memcmp((const char *)data + at, type + 9, length) != 0)
      at++;
    ck_assert_uint_lt(at + length, size);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("view_scene");
  TCase *cases = tcase_create("all");
  tcase_add_checked_fixture(cases, set_up, tear_down);
  tcase_add_test(cases, frames_of_truth);
  tcase_add_test(cases, frames_of_sensors);
  tcase_add_test(cases, pipe);
  tcase_add_test(cases, long_lists_are_thinned);
  tcase_add_test(cases, left_out_with_a_reason);
  tcase_add_test(cases, extreme_numbers_stay_finite);
  tcase_add_test(cases, lines);
  tcase_add_test(cases, another_session_begins_empty);
  tcase_add_test(cases, setup_is_drawn);
  tcase_add_test(cases, limits_choose_the_colour);
  tcase_add_test(cases, seabed_that_cannot_be);
  tcase_add_test(cases, all_at_its_largest);
  tcase_add_test(cases, arc_lengths_that_are_none_leave_the_extremes_as_they_are);
  tcase_add_test(cases, channels);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
