// Position references: truth of each in closed form, errors by range and geometry, latency by the way of the
// sound, tracking of targets, faults, common errors, state.
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/math/math.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static const double STEP_S = 0.1;
static const double PLACE[] = {7, -3, 4}, EULER[] = {0.05, -0.03, 0.7}, AT[] = {12, 5, 6};

struct bench {
  struct instruments_def def;
  struct instruments suite;
  struct readings readings;
  struct fault_set faults;
  struct sim_output truth;
  void *mem;
};

static struct bench *bench_new(void) {
  struct bench *b = calloc(1, sizeof *b);
  quat q = quat_of_euler(EULER);
  const double quaternion[] = {q.w, q.x, q.y, q.z};
  b->def.seed = 5;
  memcpy(b->truth.position_n_m, PLACE, sizeof PLACE);
  memcpy(b->truth.euler_rad, EULER, sizeof EULER);
  memcpy(b->truth.quaternion_nb, quaternion, sizeof quaternion);
  static const double targets[][3] = {
      {60, 40, 250}, {-50, 30, 250}, {0, -80, 250}, {90, 70, -20}, {90, 74.5, -20}};
  b->def.scene.target_count = 5;
  for (int k = 0; k < 5; k++) {
    snprintf(b->def.scene.target[k].name, SCENE_NAME, "t%d", k);
    memcpy(b->def.scene.target[k].position_m, targets[k], sizeof targets[k]);
  }
  return b;
}

static struct instrument_def *bench_add(struct bench *b, enum instrument kind, const char *targets) {
  struct instrument_def *d = &b->def.instrument[b->def.count++];
  d->kind = kind;
  d->rate_hz = 10;
  memcpy(d->position_b_m, AT, sizeof AT);
  snprintf(d->name, sizeof d->name, "%s-%d", instrument_name(kind), b->def.count);
  snprintf(d->reference.targets, sizeof d->reference.targets, "%s", targets);
  d->reference.water.speed_mps = 1490;
  d->reference.wire.diameter_m = 0.005, d->reference.wire.drag = 1.2, d->reference.wire.weight_npm = 0.6;
  d->reference.wire.tension_n = 4000, d->reference.wire.clump_n = 8000, d->reference.wire.friction = 0.5;
  return d;
}

static struct instrument_error *bench_error(struct instrument_def *d, const char *quantity, double white) {
  struct instrument_error *e = &d->error[d->error_count++];
  e->channels = instrument_quantity_named(d->kind, quantity)->channels;
  e->white = white;
  return e;
}

static void bench_start(struct bench *b) {
  struct reason why = {""};
  char key[64] = "";
  ck_assert_msg(instruments_resolve(&b->def, key, &why) == STATUS_OK, "%s: %s", key, why.text);
  b->mem = malloc(instruments_memsize(&b->def, STEP_S));
  instruments_create(&b->suite, &b->def, STEP_S, &b->truth, b->mem);
  instruments_get_readings(&b->suite, &b->readings);
  instruments_measure(&b->suite, NULL, &b->truth, &b->faults, &b->readings);
}

static const struct reading *bench_step(struct bench *b) {
  b->truth.step++;
  b->truth.time_s = (double)b->truth.step * STEP_S;
  instruments_measure(&b->suite, NULL, &b->truth, &b->faults, &b->readings);
  return &b->readings.instrument[0];
}

static const struct reading *bench_run(struct bench *b, int steps) {
  const struct reading *r = NULL;
  for (int i = 0; i < steps; i++)
    r = bench_step(b);
  return r;
}

static void bench_fault(struct bench *b, enum fault_kind kind, double first, double second) {
  b->faults.count = 1;
  b->faults.fault[0] = (struct fault){.kind = kind, .since_s = b->truth.time_s, .value = {first, second}};
}

static void bench_free(struct bench *b) {
  free(b->mem);
  free(b);
}

// The sensor in n, and the target from it in level axes: products of single rotations, beside the quaternion
// of the program.
static void sensor_at(double out[3]) {
  double x = AT[0], y = AT[1], z = AT[2], cr = cos(EULER[0]), sr = sin(EULER[0]), cp = cos(EULER[1]),
         sp = sin(EULER[1]), ch = cos(EULER[2]), sh = sin(EULER[2]);
  double y1 = cr * y - sr * z, z1 = sr * y + cr * z;
  double x2 = cp * x + sp * z1, z2 = -sp * x + cp * z1;
  out[0] = PLACE[0] + ch * x2 - sh * y1;
  out[1] = PLACE[1] + sh * x2 + ch * y1;
  out[2] = PLACE[2] + z2;
}

static void level_way(const double target[3], double out[3]) {
  double at[3];
  sensor_at(at);
  double n = target[0] - at[0], e = target[1] - at[1];
  out[0] = cos(EULER[2]) * n + sin(EULER[2]) * e;
  out[1] = -sin(EULER[2]) * n + cos(EULER[2]) * e;
  out[2] = target[2] - at[2];
}

START_TEST(each_kind_sees_its_target) {
  struct bench *b = bench_new();
  double way[3], at[3];
  bench_add(b, INSTRUMENT_HYDROACOUSTIC, "t0");
  bench_add(b, INSTRUMENT_LBL, "t0 t1 t2");
  bench_add(b, INSTRUMENT_LASER, "t3");
  bench_add(b, INSTRUMENT_RADAR, "t3");
  bench_add(b, INSTRUMENT_TAUT_WIRE, "t0")->reference.wire.weight_npm = 0;
  bench_add(b, INSTRUMENT_ARTEMIS, "t3");
  bench_start(b);
  const struct reading *r = bench_run(b, 5);
  level_way((double[]){60, 40, 250}, way);
  double slant = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  for (int k = 0; k < 3; k++)
    ck_assert_double_eq_tol(r[0].value[k], way[k], 1e-9);
  ck_assert_double_eq_tol(r[0].value[3], slant, 1e-9);
  sensor_at(at);
  for (int k = 0; k < 3; k++)
    ck_assert_double_eq_tol(r[1].value[k], at[k], 1e-9);
  ck_assert_double_eq_tol(r[4].value[0], atan2(way[0], way[2]), 1e-9); // a wire without load is straight
  ck_assert_double_eq_tol(r[4].value[1], atan2(way[1], way[2]), 1e-9);
  ck_assert_double_eq_tol(r[4].value[2], slant, 1e-9);
  level_way((double[]){90, 70, -20}, way);
  for (int k = 2; k < 4; k++) {
    ck_assert_double_eq_tol(r[k].value[0], sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]), 1e-9);
    ck_assert_double_eq_tol(r[k].value[1], atan2(way[1], way[0]), 1e-9);
    ck_assert_double_eq_tol(r[k].value[2], atan2(-way[2], hypot(way[0], way[1])), 1e-9);
  }
  ck_assert_double_eq_tol(r[5].value[0], r[2].value[0],
                          1e-9); // the azimuth is of the sensor, from the station
  ck_assert_double_eq_tol(r[5].value[1], atan2(at[1] - 70, at[0] - 90), 1e-9);
  for (int k = 0; k < 6; k++)
    ck_assert_int_eq(r[k].valid, 1);
  bench_free(b);
}
END_TEST

// The azimuth of an Artemis turns with the place around its station and not with the heading, through north
// on both sides of 0 and south on both sides of half a turn.
START_TEST(an_azimuth_knows_no_heading) {
  struct bench *b = bench_new();
  struct instrument_def *d = bench_add(b, INSTRUMENT_ARTEMIS, "t3");
  memset(d->position_b_m, 0, sizeof d->position_b_m);
  bench_start(b);
  for (int i = 0; i <= 720; i++) {
    const double azimuth = i * TRIG_PI / 180 + (i % 2 ? 1e-12 : -1e-12), turn[] = {0, 0, 0.01 * i};
    const quat q = quat_of_euler(turn);
    const double quaternion[] = {q.w, q.x, q.y, q.z};
    memcpy(b->truth.euler_rad, turn, sizeof turn);
    memcpy(b->truth.quaternion_nb, quaternion, sizeof quaternion);
    b->truth.position_n_m[0] = 90 + 300 * cos(azimuth);
    b->truth.position_n_m[1] = 70 + 300 * sin(azimuth);
    b->truth.position_n_m[2] = -20 + 40;
    const struct reading *r = bench_run(b, 2);
    ck_assert_double_eq_tol(r->value[0], hypot(300, 40), 1e-9);
    ck_assert_double_eq_tol(remainder(r->value[1] - azimuth, 2 * TRIG_PI), 0, 1e-9);
    ck_assert(r->valid && r->value[1] > -TRIG_PI - 1e-15 && r->value[1] <= TRIG_PI);
  }
  bench_free(b);
}
END_TEST

// A winch that pays out too much: the wire hangs slack, says so, and keeps the length. Farther off it is taut
// again, and its angles are right; at the end of the fault the winch takes it up.
START_TEST(a_wire_paid_out_hangs_slack) {
  enum { ANGLE, LENGTH = 2, TENSION, SLACK };
  struct bench *b = bench_new();
  struct instrument_def *d = bench_add(b, INSTRUMENT_TAUT_WIRE, "t0");
  memset(d->position_b_m, 0, sizeof d->position_b_m);
  bench_start(b);
  const struct reading taut = *bench_run(b, 5);
  ck_assert(taut.valid && taut.value[SLACK] == 0 && taut.value[TENSION] == 4000);
  bench_fault(b, FAULT_WIRE_SLACK, 8, 0);
  const struct reading *r = bench_run(b, 5);
  ck_assert_int_eq(r->valid, 0);
  ck_assert_double_eq(r->value[SLACK], 1);
  ck_assert_double_eq_tol(r->value[LENGTH], taut.value[LENGTH] + 8, 1e-9);
  ck_assert_double_lt(r->value[TENSION], 400);
  ck_assert_double_gt(r->value[TENSION], 0.6 * 240); // its own weight over the depth
  const double way[] = {60 - PLACE[0], 40 - PLACE[1]}, off = hypot(way[0], way[1]), depth = 250 - PLACE[2];
  const double wanted = sqrt(r->value[LENGTH] * r->value[LENGTH] - depth * depth) - 0.02;
  for (int k = 0; k < 2; k++) // back to where the length reaches the clump
    b->truth.position_n_m[k] -= (wanted - off) * way[k] / off;
  r = bench_run(b, 5);
  ck_assert_int_eq(r->valid, 1);
  ck_assert(r->value[SLACK] == 0 && r->value[TENSION] == 4000);
  ck_assert_double_eq_tol(hypot(tan(r->value[0]), tan(r->value[1])), wanted / depth, 0.02);
  b->faults.count = 0;
  memcpy(b->truth.position_n_m, PLACE, sizeof PLACE);
  r = bench_run(b, 5);
  ck_assert_int_eq(r->valid, 1);
  for (int c = ANGLE; c <= SLACK; c++)
    ck_assert_double_eq_tol(r->value[c], taut.value[c], 1e-12);
  bench_free(b);
}
END_TEST

// A long wire sags by more than the jam of its winch may leave: it is as taut as before.
START_TEST(a_jam_alone_leaves_a_wire_taut) {
  struct bench *b = bench_new();
  double at[3];
  b->def.scene.target[0].position_m[0] = 300;
  b->def.scene.target[0].position_m[2] = 900;
  bench_add(b, INSTRUMENT_TAUT_WIRE, "t0")->reference.wire.weight_npm = 4;
  bench_start(b);
  const struct reading before = *bench_run(b, 5);
  sensor_at(at);
  const double chord = hypot(hypot(300 - at[0], 40 - at[1]), 900 - at[2]);
  ck_assert_double_gt(before.value[2], 1.002 * chord);
  bench_fault(b, FAULT_WIRE_JAMMED, 0, 0);
  const struct reading *r = bench_run(b, 5);
  ck_assert_int_eq(r->valid, 1);
  for (int c = 0; c < 5; c++)
    ck_assert_double_eq_tol(r->value[c], before.value[c], 1e-9);
  bench_free(b);
}
END_TEST

// Root mean square of the horizontal error of instrument 0.
static double scatter(struct bench *b, int steps) {
  double sum[2] = {0}, square[2] = {0};
  bench_start(b);
  for (int i = 0; i < steps; i++) {
    const struct reading *r = bench_step(b);
    for (int k = 0; k < 2; k++)
      sum[k] += r->value[k] / steps, square[k] += r->value[k] * r->value[k] / steps;
  }
  double own = b->readings.instrument[0].value[b->def.instrument[0].kind == INSTRUMENT_LBL ? 3 : 4];
  double all = sqrt(0.5 * (square[0] - sum[0] * sum[0] + square[1] - sum[1] * sum[1]));
  ck_assert_double_gt(own, 0.7 * all); // its own accuracy is that of its errors
  ck_assert_double_lt(own, 1.5 * all);
  return all;
}

START_TEST(errors_grow_with_range_and_geometry) {
  double error[2][2];
  for (int far = 0; far < 2; far++) {
    struct bench *b = bench_new();
    b->def.scene.target[0].position_m[0] = PLACE[0];
    b->def.scene.target[0].position_m[1] = PLACE[1];
    b->def.scene.target[0].position_m[2] = far ? 800 : 100;
    bench_error(bench_add(b, INSTRUMENT_HYDROACOUSTIC, "t0"), "angle_deg", 0.2 * TRIG_PI / 180);
    error[0][far] = scatter(b, 4000);
    bench_free(b);
    b = bench_new();
    for (int k = 0; k < 3; k++)
      for (int axis = 0; axis < 2 && !far; axis++)
        b->def.scene.target[k].position_m[axis] *= 0.3; // a narrow triangle
    bench_error(bench_add(b, INSTRUMENT_LBL, "t0 t1 t2"), "range_m", 0.2);
    error[1][far] = scatter(b, 4000);
    bench_free(b);
  }
  ck_assert_double_eq_tol(error[0][0], 92 * 0.2 * TRIG_PI / 180, 0.05);
  ck_assert_double_eq_tol(error[0][1] / error[0][0], 790. / 90, 0.6);
  ck_assert_double_gt(error[1][0], 2.5 * error[1][1]);
}
END_TEST

START_TEST(sound_takes_its_time) {
  struct bench *b = bench_new();
  b->def.scene.target[0].position_m[2] = 3000;
  bench_add(b, INSTRUMENT_HYDROACOUSTIC, "t0")->latency_s = 0.5;
  bench_start(b);
  const struct reading *r = bench_run(b, 24);
  ck_assert_uint_eq(r->sequence, 0);
  r = bench_run(b, 1); // 0.5 s + 2990 m / 1490 m/s = 2.5 s
  ck_assert_uint_eq(r->sequence, 1);
  ck_assert_double_eq(r->time_s, 0);
  bench_free(b);
}
END_TEST

START_TEST(a_hidden_reflector_gives_way_to_another) {
  for (int gated = 0; gated < 2; gated++) {
    struct bench *b = bench_new();
    bench_add(b, INSTRUMENT_LASER, "t3 t4")->reference.gate_m = gated ? 5 : 4;
    bench_add(b, INSTRUMENT_ARTEMIS, "t3"); // has no other station
    b->def.scene.obstruction_count = 1;     // a crane in front of the first one
    b->def.scene.obstruction[0] = (struct obstruction_def){
        .name = "crane", .on_name = "world", .box_m = {{88, 68, -40}, {92, 72, 0}}, .from_s = 5, .to_s = 8};
    bench_start(b);
    double own = bench_run(b, 49)->value[1];
    const struct reading *r = bench_run(b, 20);
    ck_assert_int_eq(r->valid, gated);
    ck_assert_int_eq(r[1].valid, 0);
    ck_assert_double_eq(r->value[3], gated);
    if (gated) // 4.5 m to the side at some 100 m; it cannot tell
      ck_assert_double_gt(fabs(r->value[1] - own), 0.02);
    r = bench_run(b, 30); // it stays with the one that it sees
    ck_assert_int_eq(r->valid, 1);
    ck_assert_int_eq(fabs(r->value[1] - own) > 0.02, gated);
    bench_free(b);
  }
}
END_TEST

START_TEST(each_fault_shows) {
  static const struct {
    enum fault_kind fault;
    enum instrument kind;
    double first, second;
    int valid;
    double change[4]; // of the channels; NAN: any
  } cases[] = {
      {FAULT_OBSTRUCTED, INSTRUMENT_LASER, 0, 0, 0, {0}},
      {FAULT_OBSTRUCTED, INSTRUMENT_HYDROACOUSTIC, 0, 0, 0, {0}},
      {FAULT_OBSTRUCTED, INSTRUMENT_LBL, 0, 0, 0, {0}},
      {FAULT_REFLECTION, INSTRUMENT_LASER, 6, 0, 1, {6, 0, 0, 0}},
      {FAULT_REFLECTION, INSTRUMENT_HYDROACOUSTIC, 6, 0, 1, {(double)NAN, (double)NAN, (double)NAN, 6}},
      {FAULT_OTHER_TARGET, INSTRUMENT_LASER, 0, 0, 1, {(double)NAN, (double)NAN, (double)NAN, 0}},
      {FAULT_OTHER_TARGET, INSTRUMENT_RADAR, 0, 0, 1, {(double)NAN, (double)NAN, (double)NAN, 1}},
      {FAULT_OBSTRUCTED, INSTRUMENT_ARTEMIS, 0, 0, 0, {0}},
      {FAULT_REFLECTION, INSTRUMENT_ARTEMIS, 6, 0, 1, {6, 0, 0, 0}},
      {FAULT_OTHER_TARGET, INSTRUMENT_ARTEMIS, 0, 0, 1, {(double)NAN, (double)NAN, 0, 0}},
      {FAULT_TARGET_MOVED, INSTRUMENT_ARTEMIS, 3, -4, 1, {(double)NAN, (double)NAN, 0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct bench *b = bench_new();
    int scans = reference_scans(cases[i].kind);
    bench_add(b, cases[i].kind, cases[i].kind == INSTRUMENT_LBL ? "t0 t1 t2" : scans ? "t3 t4" : "t0");
    bench_start(b);
    struct reading before = *bench_run(b, 5);
    bench_fault(b, cases[i].fault, cases[i].first, cases[i].second);
    const struct reading *r = bench_run(b, 5);
    ck_assert_int_eq(r->valid, cases[i].valid);
    for (int c = 0; c < 4 && r->valid; c++)
      if (!isnan(cases[i].change[c]))
        ck_assert_double_eq_tol(r->value[c] - before.value[c], cases[i].change[c], 1e-9);
      else
        ck_assert_double_gt(fabs(r->value[c] - before.value[c]), 1e-3);
    b->faults.count = 0;
    r = bench_run(b, 5);
    for (int c = 0; c < 4; c++) // over at once
      ck_assert_double_eq_tol(r->value[c], before.value[c], 1e-12);
    bench_free(b);
  }
}
END_TEST

START_TEST(moved_targets_move_what_is_measured) {
  static const enum instrument kinds[] = {INSTRUMENT_HYDROACOUSTIC, INSTRUMENT_LASER, INSTRUMENT_TAUT_WIRE};
  for (int i = 0; i < 3; i++) {
    struct bench *b = bench_new(), *other = bench_new();
    for (int k = 0; k < 2; k++) // as if the target had been there from the start
      other->def.scene.target[i == 1 ? 3 : 0].position_m[k] += k ? -4 : 3;
    bench_add(b, kinds[i], i == 1 ? "t3" : "t0");
    bench_add(other, kinds[i], i == 1 ? "t3" : "t0");
    bench_start(b), bench_start(other);
    bench_fault(b, FAULT_TARGET_MOVED, 3, -4);
    for (int k = 0; k < 5; k++)
      bench_step(b), bench_step(other);
    for (int c = 0; c < 4; c++)
      ck_assert_double_eq_tol(b->readings.instrument[0].value[c], other->readings.instrument[0].value[c],
                              1e-9);
    bench_free(b), bench_free(other);
  }
}
END_TEST

START_TEST(a_clump_without_friction_follows) {
  struct bench *b = bench_new();
  struct instrument_def *d = bench_add(b, INSTRUMENT_TAUT_WIRE, "t0");
  memset(d->position_b_m, 0, sizeof d->position_b_m);
  b->def.scene.target[0].position_m[0] = PLACE[0] + 10;
  b->def.scene.target[0].position_m[1] = PLACE[1];
  bench_start(b);
  double before = bench_run(b, 5)->value[0];
  b->truth.position_n_m[0] -= 20; // the wire leans and the clump holds
  ck_assert_double_gt(bench_run(b, 5)->value[0], 2 * before);
  bench_fault(b, FAULT_CLUMP_DRAGGING, 0, 0);
  const struct reading *r = bench_run(b, 5);
  ck_assert_double_lt(fabs(r->value[0]), 1e-4);
  b->faults.count = 0;
  ck_assert_double_lt(fabs(bench_run(b, 5)->value[0]), 1e-4); // it stays where it is
  // Too far away it slides by itself: at 0.5 x (8 kN - 3.5 kN), some 35 degrees.
  b->truth.position_n_m[0] -= 300;
  r = bench_run(b, 5);
  double angle = hypot(r->value[0], r->value[1]) * 180 / TRIG_PI;
  ck_assert_double_gt(angle, 25);
  ck_assert_double_lt(angle, 45);
  // A jammed winch holds its length; nearer by, the wire is slack.
  bench_fault(b, FAULT_WIRE_JAMMED, 0, 0);
  double length = bench_run(b, 5)->value[2];
  b->truth.position_n_m[0] -= 30;
  r = bench_run(b, 5);
  ck_assert_int_eq(r->valid, 1);
  ck_assert_double_eq_tol(r->value[2], length, 1e-9);
  b->truth.position_n_m[0] += 60;
  r = bench_run(b, 5);
  ck_assert_int_eq(r->valid, 0);
  ck_assert_double_eq(r->value[4], 1);
  ck_assert_double_eq_tol(r->value[2], length, 1e-9);
  ck_assert_double_lt(r->value[3], 0.5 * 4000);
  b->faults.count = 0;
  r = bench_run(b, 5);
  ck_assert(r->valid && r->value[4] == 0);
  bench_free(b);
}
END_TEST

START_TEST(noise_bursts_are_noise) {
  double square[2] = {0};
  struct bench *b = bench_new();
  bench_error(bench_add(b, INSTRUMENT_HYDROACOUSTIC, "t0"), "range_m", 0.1);
  bench_start(b);
  double truth = 0;
  bench_run(b, 5);
  for (int burst = 0; burst < 2; burst++) {
    if (burst)
      bench_fault(b, FAULT_NOISE_BURST, 8, 0);
    for (int i = 0; i < 2000; i++)
      truth += bench_step(b)->value[3] / 4000;
  }
  for (int burst = 0; burst < 2; burst++) {
    b->faults.count = burst;
    bench_run(b, 5);
    for (int i = 0; i < 2000; i++) {
      double off = bench_step(b)->value[3] - truth;
      square[burst] += off * off / 2000;
    }
  }
  ck_assert_double_eq_tol(sqrt(square[1] / square[0]), 8, 0.6);
  bench_free(b);
}
END_TEST

START_TEST(common_errors_are_common) {
  struct bench *b = bench_new();
  for (int i = 0; i < 3; i++) {
    bench_add(b, INSTRUMENT_GNSS, "")->rate_hz = i ? 5 : 10;
    memset(b->def.instrument[i].position_b_m, 0, sizeof b->def.instrument[i].position_b_m);
  }
  b->def.common_count = 1;
  b->def.common[0] = (struct common_error_def){
      .name = "ionosphere", .quantity = "position_m", .markov = 0.5, .markov_time_s = 20};
  strcpy(b->def.common[0].instruments, "gnss-1 gnss-2");
  bench_start(b);
  double square = 0, product = 0, last = 0;
  enum { STEPS = 40000 };
  for (int i = 0; i < STEPS; i++) {
    const struct reading *r = bench_step(b);
    double off = r[0].value[0] - PLACE[0];
    if (i % 2) // of the same moment
      ck_assert_double_eq(r[0].value[0], r[1].value[0]);
    ck_assert_double_eq(r[2].value[0], PLACE[0]);
    ck_assert_double_eq(r[0].value[2], PLACE[2]); // the height is another quantity
    square += off * off / STEPS;
    product += off * last / STEPS;
    last = off;
  }
  ck_assert_double_eq_tol(sqrt(square), 0.5, 0.12);
  ck_assert_double_eq_tol(product / square, exp(-STEP_S / 20), 0.002);
  bench_fault(b, FAULT_COMMON_BIAS, 8, 1);
  const struct reading *r = bench_run(b, 2);
  ck_assert_double_gt(r[0].value[1] - PLACE[1], 5);
  ck_assert_double_gt(r[1].value[1] - PLACE[1], 5);
  ck_assert_double_eq(r[2].value[1], PLACE[1]);
  bench_free(b);
}
END_TEST

// A copied state continues with the same readings, and a wrong one is named.
START_TEST(the_state_is_whole) {
  struct bench *pair[2];
  for (int n = 0; n < 2; n++) {
    struct bench *b = pair[n] = bench_new();
    bench_error(bench_add(b, INSTRUMENT_GNSS, ""), "position_m", 0.1);
    bench_error(bench_add(b, INSTRUMENT_TAUT_WIRE, "t0"), "angle_deg", 0.001);
    bench_add(b, INSTRUMENT_LASER, "t3 t4")->reference.gate_m = 6;
    b->def.common_count = 1;
    b->def.common[0] =
        (struct common_error_def){.name = "c", .quantity = "position_m", .markov = 1, .markov_time_s = 9};
    strcpy(b->def.common[0].instruments, "gnss-1");
    b->def.scene.obstruction_count = 1;
    b->def.scene.obstruction[0] = (struct obstruction_def){
        .name = "crane", .on_name = "world", .box_m = {{88, 68, -40}, {92, 72, 0}}, .from_s = 1, .to_s = 2};
    bench_start(b);
  }
  struct bench *a = pair[0], *b = pair[1];
  bench_fault(a, FAULT_CLUMP_DRAGGING, 0, 0);
  a->faults.fault[0].target = 1;
  bench_run(a, 40);
  struct reason why = {""};
  ck_assert_msg(instruments_state_is_valid(&a->suite, a->mem, a->truth.step, &why), "%s", why.text);
  memcpy(b->mem, a->mem, a->suite.state_bytes);
  b->truth = a->truth;
  a->faults.count = 0;
  for (int i = 0; i < 50; i++) {
    bench_step(a), bench_step(b);
    ck_assert_mem_eq(a->mem, b->mem, a->suite.state_bytes);
  }
  a->suite.reference[1].tracked = 2;
  ck_assert_int_eq(instruments_state_is_valid(&a->suite, a->mem, a->truth.step, &why), 0);
  ck_assert_str_eq(why.text, "laser-3.tracked: a whole number from 0 to 1 expected, got 2");
  a->suite.reference[1].tracked = 1;
  a->suite.common[0].time_s = (double)NAN;
  ck_assert_int_eq(instruments_state_is_valid(&a->suite, a->mem, a->truth.step, &why), 0);
  bench_free(a), bench_free(b);
}
END_TEST

START_TEST(faults_are_of_their_kind) {
  struct hil_names names = {.instrument_count = 4,
                            .instrument = {"gnss", "laser", "artemis", "wire"},
                            .common_count = 1,
                            .common = {"ionosphere"},
                            .common_channels = {3}};
  names.instrument_kind[1] = INSTRUMENT_LASER;
  names.instrument_kind[2] = INSTRUMENT_ARTEMIS;
  names.instrument_kind[3] = INSTRUMENT_TAUT_WIRE;
  static const struct {
    const char *kind, *target, *parameter;
    double number;
    int good;
  } requests[] = {{"obstructed", "laser", "", 0, 1},
                  {"obstructed", "gnss", "", 0, 0},
                  {"wire_jammed", "laser", "", 0, 0},
                  {"wrong_target", "laser", "", 0, 0},
                  {"obstructed", "artemis", "", 0, 1},
                  {"noise_burst", "artemis", "times", 2, 0},
                  {"wire_slack", "wire", "longer_m", 5, 1},
                  {"wire_slack", "artemis", "longer_m", 5, 0},
                  {"wire_slack", "wire", "", 0, 0},
                  {"wire_slack", "wire", "longer_m", -1, 0},
                  {"common_bias", "ionosphere", "bias", 8, 1},
                  {"common_bias", "gnss", "bias", 8, 0}};
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
    struct fault_request q = {.parameter_count = *requests[i].parameter != 0};
    struct fault fault;
    struct reason why = {""};
    int where;
    snprintf(q.kind, sizeof q.kind, "%s", requests[i].kind);
    snprintf(q.target, sizeof q.target, "%s", requests[i].target);
    snprintf(q.parameter[0].name, sizeof q.parameter[0].name, "%s", requests[i].parameter);
    q.parameter[0].number = requests[i].number;
    ck_assert_msg((fault_from_request(&names, &q, &fault, &where, &why) == STATUS_OK) == requests[i].good,
                  "%s %s: %s", requests[i].kind, requests[i].target, why.text);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("references");
  TCase *t = add_case(suite, "references", 60);
  tcase_add_test(t, each_kind_sees_its_target);
  tcase_add_test(t, an_azimuth_knows_no_heading);
  tcase_add_test(t, a_wire_paid_out_hangs_slack);
  tcase_add_test(t, a_jam_alone_leaves_a_wire_taut);
  tcase_add_test(t, errors_grow_with_range_and_geometry);
  tcase_add_test(t, sound_takes_its_time);
  tcase_add_test(t, a_hidden_reflector_gives_way_to_another);
  tcase_add_test(t, each_fault_shows);
  tcase_add_test(t, moved_targets_move_what_is_measured);
  tcase_add_test(t, a_clump_without_friction_follows);
  tcase_add_test(t, noise_bursts_are_noise);
  tcase_add_test(t, common_errors_are_common);
  tcase_add_test(t, the_state_is_whole);
  tcase_add_test(t, faults_are_of_their_kind);
  return run_suite(suite);
}
