// The codec: packed messages are unpacked bit by bit, and invalid messages that protobuf-c accepts are
// refused.
#include "net/counts/counts.h"
#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include "sagbend/v1/envelope.pb-c.h"

#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t bytes[WIRE_MAX_ENVELOPE];

static struct wire_header header(void) {
  return (struct wire_header){.session = "s-1", .sequence = 7, .step = 1234567890123u, .time_s = 0.1 + 0.2};
}

static struct wire_message unpacked(size_t size, enum wire_kind kind) {
  struct wire_message m;
  struct reason why = {""};
  ck_assert_uint_gt(size, 0);
  ck_assert_msg(wire_unpack(bytes, size, &m, &why) == WIRE_OK, "%s", why.text);
  ck_assert_int_eq(m.kind, kind);
  struct wire_header h = header();
  ck_assert_str_eq(m.header.session, h.session);
  ck_assert_uint_eq(m.header.sequence, h.sequence);
  ck_assert_uint_eq(m.header.step, h.step);
  ck_assert_double_eq(m.header.time_s, h.time_s);
  return m;
}

static struct frame frame(int has_pipe) {
  struct frame f;
  memset(&f, 0, sizeof f);
  struct sim_output *o = &f.output;
  o->step = header().step;
  o->time_s = header().time_s;
  double x = 0.1;
  double *const rows[] = {o->position_n_m, o->euler_rad, o->velocity_n_mps, o->euler_rate_radps};
  for (int r = 0; r < 4; r++)
    for (int i = 0; i < 3; i++)
      rows[r][i] = (x *= -1.7);
  for (int i = 0; i < 6; i++)
    o->control_wrench_b[i] = (x *= -1.7);
  o->quaternion_nb[0] = 1;
  o->touchdown_arc_length_m = NAN;
  o->has_pipe = has_pipe;
  if (has_pipe) {
    o->hangoff_tension_n = 1 / 3.0;
    o->hangoff_angle_rad = 1 / 7.0;
    o->hangoff_force_n_n[0] = -4;
    o->hangoff_force_n_n[1] = -4;
  }
  f.command_state = COMMAND_OLD;
  f.command_sequence = 99;
  f.command_based_on_step = 98;
  f.ledger.total_loss_j[LOSS_LIMITER] = 5;
  f.ledger.total_work_j[PORT_CURRENT] = 6;
  f.timing.step_p999_us = 8;
  return f;
}

START_TEST(hello_comes_back) {
  struct wire_header h = header();
  struct wire_hello hello = {"id-1", "dp one"};
  struct wire_message m = unpacked(wire_pack_hello(&h, &hello, bytes, sizeof bytes), WIRE_HELLO);
  ck_assert_str_eq(m.as.hello.controller_id, "id-1");
  ck_assert_str_eq(m.as.hello.name, "dp one");
}
END_TEST

START_TEST(welcome_comes_back) {
  struct wire_header h = header();
  struct wire_welcome w = {.name = "case",
                           .config_hash = 0xfedcba9876543210u,
                           .step_s = 0.01,
                           .sensor_period_s = 0.1,
                           .mode = RUN_LOCKSTEP,
                           .has_pipe = 1,
                           .node_count = 101,
                           .initial_holding_force_b = {1, 2, 3, 4, 5, 6},
                           .wrench_limit = {7, 8, 9, 10, 11, 12},
                           .command_timeout_s = 2,
                           .command_max_age_s = 0.5,
                           .order = 6,
                           .integrator = VESSEL_SP6,
                           .command_endpoint = "tcp://127.0.0.1:1",
                           .telemetry_endpoint = "tcp://127.0.0.1:2"};
  struct plant_def *plant = &w.plant; // the largest possible
  plant->thruster_count = MAX_THRUSTERS, plant->bus_count = MAX_BUSES;
  for (int i = 0; i < MAX_BUSES; i++) {
    snprintf(plant->bus[i].name, SIGNAL_NAME, "switchboard-number-%03d", i);
    plant->bus[i].available_w = 1e6 / (3 + i);
  }
  for (int i = 0; i < MAX_THRUSTERS; i++) {
    struct thruster_def *t = &plant->thruster[i];
    *t = (struct thruster_def){
        .kind = (enum thruster_kind)(i % THRUSTER_KIND_COUNT),
        .drive = (enum thruster_drive)(i % 2),
        .position_b_m = {i, -i, 0.1},
        .thrust_max_n = 1e5 / 3,
        .thrust_astern = 0.7,
        .revolutions_max_rpm = 150,
        .revolutions_lag_s = 1.1,
        .revolutions_rate_rpmps = 2.2,
        .pitch_lag_s = 3.3,
        .pitch_rate_1ps = 4.4,
        .azimuth_lag_s = 5.5,
        .azimuth_rate_radps = 6.6,
        .sector = {{1, 2, "thruster-00000000000003"}, {3, 4, ""}, {5, 6, ""}, {-2, -1, "a"}},
        .sector_count = MAX_SECTORS,
        .ventilation = 1,
        .rudder_max_rad = 0.5,
        .rudder_lift = 1.2,
        .rudder_drag = 0.3,
        .power_max_w = 2e6 / 3,
        .bus = i % MAX_BUSES,
        .timeout_s = 8,
        .reaction = (enum thruster_timeout_action)(i % 2)};
    snprintf(t->name, SIGNAL_NAME, "thruster-%014d", i);
    memcpy(t->bus_name, plant->bus[t->bus].name, SIGNAL_NAME);
  }
  w.accepts_wrench = w.has_setpoint = 1, w.instrument_count = MAX_INSTRUMENTS, w.mass_kg = 5e6,
  w.sequence_above = UINT64_MAX;
  for (int i = 0; i < 3; i++)
    w.setpoint[i] = 1 / (3.0 + i);
  for (int i = 0; i < 36; i++)
    w.inertia[i] = 1e9 / (3 + i), w.added_mass[i] = -1e8 / (7 + i);
  for (int i = 0; i < MAX_INSTRUMENTS; i++) {
    w.instrument[i] = (struct wire_instrument){.kind = (enum instrument)(i % INSTRUMENT_COUNT),
                                               .position_b_m = {i / 3.0, -i / 3.0, 0.1},
                                               .rate_hz = 1 / 3.0,
                                               .latency_s = 0.2,
                                               .share = 1 / 7.0};
    snprintf(w.instrument[i].name, SIGNAL_NAME, "instrument-%012d", i);
  }
  for (int mode = RUN_REALTIME; mode <= RUN_FAST; mode++) {
    w.mode = (enum run_mode)mode;
    struct wire_message m = unpacked(wire_pack_welcome(&h, &w, bytes, sizeof bytes), WIRE_WELCOME);
    const struct wire_welcome *g = &m.as.welcome;
    ck_assert_int_eq(g->mode, mode);
    ck_assert_uint_eq(g->config_hash, w.config_hash);
    ck_assert_uint_eq(g->node_count, 101);
    ck_assert_int_eq(g->has_pipe, 1);
    ck_assert_int_eq(g->order, 6);
    ck_assert_int_eq(g->integrator, VESSEL_SP6);
    ck_assert_mem_eq(g->initial_holding_force_b, w.initial_holding_force_b, sizeof w.initial_holding_force_b);
    ck_assert_mem_eq(g->wrench_limit, w.wrench_limit, sizeof w.wrench_limit);
    ck_assert_double_eq(g->step_s, 0.01);
    ck_assert_double_eq(g->sensor_period_s, 0.1);
    ck_assert_double_eq(g->command_timeout_s, 2);
    ck_assert_double_eq(g->command_max_age_s, 0.5);
    ck_assert_str_eq(g->name, w.name);
    ck_assert_str_eq(g->command_endpoint, w.command_endpoint);
    ck_assert_str_eq(g->telemetry_endpoint, w.telemetry_endpoint);
    ck_assert_mem_eq(&g->plant, plant, sizeof *plant);
    ck_assert(g->accepts_wrench && g->has_setpoint && g->instrument_count == MAX_INSTRUMENTS &&
              g->sequence_above == UINT64_MAX);
    ck_assert_mem_eq(g->setpoint, w.setpoint, sizeof w.setpoint);
    ck_assert_mem_eq(g->instrument, w.instrument, sizeof w.instrument);
    ck_assert(g->mass_kg == 5e6 && !memcmp(g->inertia, w.inertia, sizeof w.inertia) &&
              !memcmp(g->added_mass, w.added_mass, sizeof w.added_mass));
  }

  // A client learns what it must know of a kind from the message.
  Sagbend__V1__Envelope *e =
      sagbend__v1__envelope__unpack(NULL, wire_pack_welcome(&h, &w, bytes, sizeof bytes), bytes);
  for (int i = 0; i < MAX_THRUSTERS; i++) {
    const Sagbend__V1__ThrusterInfo *t = e->welcome->thruster[i];
    const struct thruster_kind_row *kind = &THRUSTER_KINDS[plant->thruster[i].kind];
    ck_assert((int)t->steering == (int)kind->steering + 1 && t->across == (kind->axis == AXIS_ACROSS));
  }
  struct wire_message m;
  struct reason why;
  e->welcome->thruster[0]->kind = (Sagbend__V1__ThrusterKind)77; // of a later version
  const size_t size = sagbend__v1__envelope__pack(e, bytes);
  ck_assert_int_eq(wire_unpack(bytes, size, &m, &why), WIRE_MALFORMED);
  sagbend__v1__envelope__free_unpacked(e, NULL);
}
END_TEST

START_TEST(command_comes_back) {
  struct wire_header h = header();
  struct wire_command c = {.controller_id = "id-1",
                           .command = {.based_on_step = 12, .wrench_b = {1 / 3.0, -2, 1e300, 5e-324, 0, -6}}};
  struct wire_message m = unpacked(wire_pack_command(&h, &c, bytes, sizeof bytes), WIRE_COMMAND);
  ck_assert_mem_eq(m.as.command.command.wrench_b, c.command.wrench_b, sizeof c.command.wrench_b);
  ck_assert_int_eq(m.as.command.command.standby, 0);
  ck_assert_uint_eq(m.as.command.command.based_on_step, 12);
  ck_assert_uint_eq(m.as.command.command.sequence, h.sequence);
  ck_assert_str_eq(m.as.command.controller_id, "id-1");
  ck_assert_int_eq(m.as.command.has_estimate, 0);
  c.has_estimate = 1;
  memcpy(c.estimate, (const double[]){1 / 3.0, -2e3, 3}, sizeof c.estimate);
  m = unpacked(wire_pack_command(&h, &c, bytes, sizeof bytes), WIRE_COMMAND);
  ck_assert_int_eq(m.as.command.has_estimate, 1);
  ck_assert_mem_eq(m.as.command.estimate, c.estimate, sizeof c.estimate);
  c.estimate[1] = NAN;
  const size_t not_finite = wire_pack_command(&h, &c, bytes, sizeof bytes);
  ck_assert(not_finite == 0 || wire_unpack(bytes, not_finite, &m, NULL) == WIRE_NOT_FINITE);
  c.has_estimate = 0;
  c.command.thruster_count = MAX_THRUSTERS;
  for (int i = 0; i < MAX_THRUSTERS; i++) {
    c.command.thrusters[i] = (struct thruster_command){"", i % 2, 1 / (3.0 + i), -1.0 / (7 + i), i / 11.0};
    snprintf(c.command.thrusters[i].name, SIGNAL_NAME, "thruster-%014d", i);
  }
  m = unpacked(wire_pack_command(&h, &c, bytes, sizeof bytes), WIRE_COMMAND);
  ck_assert_int_eq(m.as.command.command.thruster_count, MAX_THRUSTERS);
  ck_assert_mem_eq(m.as.command.command.thrusters, c.command.thrusters, sizeof c.command.thrusters);
  ck_assert_mem_eq(m.as.command.command.wrench_b, c.command.wrench_b, sizeof c.command.wrench_b);
  struct reason why;
  memcpy(c.command.thrusters[3].name, c.command.thrusters[1].name, SIGNAL_NAME); // the same one twice
  size_t size = wire_pack_command(&h, &c, bytes, sizeof bytes);
  ck_assert_int_eq(wire_unpack(bytes, size, &m, &why), WIRE_MALFORMED);
  c.command.thrusters[3].name[0] = 0;
  size = wire_pack_command(&h, &c, bytes, sizeof bytes);
  ck_assert_int_eq(wire_unpack(bytes, size, &m, &why), WIRE_MALFORMED);
  c.command.standby = 1;
  m = unpacked(wire_pack_command(&h, &c, bytes, sizeof bytes), WIRE_COMMAND);
  ck_assert_int_eq(m.as.command.command.standby, 1);
}
END_TEST

// A message with alarms in it, as another program could send it.
static size_t command_with_alarms(Sagbend__V1__Alarm *alarm, size_t count) {
  static struct wire_command c = {.controller_id = "id-1", .command = {.standby = 1}};
  struct wire_header h = header();
  size_t size = wire_pack_command(&h, &c, bytes, sizeof bytes);
  Sagbend__V1__Envelope *e = sagbend__v1__envelope__unpack(NULL, size, bytes);
  Sagbend__V1__Alarm *list[40];
  for (size_t i = 0; i < count; i++)
    list[i] = &alarm[i];
  e->command->n_alarm = count;
  e->command->alarm = list;
  size = sagbend__v1__envelope__pack(e, bytes);
  e->command->n_alarm = 0;
  e->command->alarm = NULL;
  sagbend__v1__envelope__free_unpacked(e, NULL);
  return size;
}

static void expect_malformed(Sagbend__V1__Alarm *alarm, size_t count, const char *said) {
  struct wire_message m;
  struct reason why = {""};
  ck_assert_int_eq(wire_unpack(bytes, command_with_alarms(alarm, count), &m, &why), WIRE_MALFORMED);
  ck_assert_msg(strstr(why.text, said) != NULL, "'%s' expected in '%s'", said, why.text);
}

START_TEST(alarms_come_back_and_bad_ones_do_not) {
  struct wire_header h = header();
  struct wire_command c = {.controller_id = "id-1", .command = {.standby = 1}};
  for (int i = 0; i < MAX_DP_ALARMS; i++) {
    char name[SIGNAL_NAME];
    snprintf(name, sizeof name, "instrument-%012d", i);
    dp_alarm_raise(&c.alarms, name, (enum dp_alarm_kind)(i % ALARM_KIND_COUNT),
                   (enum dp_alarm_severity)(i % ALARM_SEVERITY_COUNT), "", name, " is something else");
  }
  struct wire_message m = unpacked(wire_pack_command(&h, &c, bytes, sizeof bytes), WIRE_COMMAND);
  ck_assert_mem_eq(&m.as.command.alarms, &c.alarms, sizeof c.alarms);

  Sagbend__V1__Alarm alarm[MAX_DP_ALARMS + 1];
  char names[MAX_DP_ALARMS + 1][SIGNAL_NAME], longest[DP_ALARM_TEXT + 1];
  for (int i = 0; i <= MAX_DP_ALARMS; i++) {
    sagbend__v1__alarm__init(&alarm[i]);
    snprintf(names[i], SIGNAL_NAME, "gnss-%d", i);
    alarm[i].source = names[i];
    alarm[i].kind = SAGBEND__V1__ALARM_KIND__ALARM_KIND_LOST;
    alarm[i].severity = SAGBEND__V1__ALARM_SEVERITY__ALARM_SEVERITY_ALARM;
  }
  m = unpacked(command_with_alarms(alarm, MAX_DP_ALARMS), WIRE_COMMAND);
  ck_assert_int_eq(m.as.command.alarms.count, MAX_DP_ALARMS);
  expect_malformed(alarm, MAX_DP_ALARMS + 1, "at most 16");
  memset(longest, 'x', DP_ALARM_TEXT), longest[DP_ALARM_TEXT] = 0;
  alarm[0].text = longest;
  expect_malformed(alarm, 1, "alarm.text: at most 79");
  longest[DP_ALARM_TEXT - 1] = 0;
  unpacked(command_with_alarms(alarm, 1), WIRE_COMMAND);
  longest[3] = (char)0xc3, longest[4] = 'x'; // no UTF-8
  expect_malformed(alarm, 1, "text: printable ASCII");
  longest[3] = '\n';
  expect_malformed(alarm, 1, "text: printable ASCII");
  alarm[0].text = text_of("");
  alarm[0].source = text_of("a-name-of-24-characters!");
  expect_malformed(alarm, 1, "alarm.source: 1 to 23");
  alarm[0].source = text_of("");
  expect_malformed(alarm, 1, "alarm.source: 1 to 23");
  alarm[0].source = names[1];
  expect_malformed(alarm, 2, "gnss-1 with the kind lost is listed twice");
  alarm[0].source = names[0];
  alarm[0].kind = (Sagbend__V1__AlarmKind)77;
  expect_malformed(alarm, 1, "kind");
  alarm[0].kind = SAGBEND__V1__ALARM_KIND__ALARM_KIND_UNSPECIFIED;
  expect_malformed(alarm, 1, "kind");
  alarm[0].kind = SAGBEND__V1__ALARM_KIND__ALARM_KIND_LOST;
  alarm[0].severity = SAGBEND__V1__ALARM_SEVERITY__ALARM_SEVERITY_UNSPECIFIED;
  expect_malformed(alarm, 1, "severity");
}
END_TEST

START_TEST(refusal_event_and_end_come_back) {
  struct wire_header h = header();
  for (int reason = 0; reason < REFUSALS_OF_MESSAGES; reason++) {
    struct wire_refusal r = {.reason = (enum refusal)reason, .refused_sequence = 55, .text = "because"};
    struct wire_message m = unpacked(wire_pack_refusal(&h, &r, bytes, sizeof bytes), WIRE_REFUSAL);
    ck_assert_int_eq(m.as.refusal.reason, reason);
    ck_assert_uint_eq(m.as.refusal.refused_sequence, 55);
    ck_assert_str_eq(m.as.refusal.text, "because");
  }
  struct wire_message m =
      unpacked(wire_pack_event(&h, "newton_cap", "text", WIRE_ENVELOPE, bytes, sizeof bytes), WIRE_EVENT);
  ck_assert_str_eq(m.as.event.name, "newton_cap");
  ck_assert_str_eq(m.as.event.text, "text");
  m = unpacked(
      wire_pack_end(&h, "done", "failed: 1 of 2 verdicts passed", WIRE_ENVELOPE, bytes, sizeof bytes),
      WIRE_END);
  ck_assert_str_eq(m.as.event.text, "done");
}
END_TEST

// The bits that the controller inside the simulator receives.
START_TEST(sensors_come_back_bit_by_bit) {
  for (int has_pipe = 0; has_pipe < 2; has_pipe++) {
    struct wire_header h = header();
    struct frame f = frame(has_pipe);
    struct dp_sensors inside;
    dp_sensors_of_frame(&f, &inside);
    struct wire_message m =
        unpacked(wire_pack_sensors(&h, &f, WIRE_ENVELOPE, bytes, sizeof bytes), WIRE_SENSORS);
    ck_assert_mem_eq(&m.as.sensors.dp, &inside, sizeof inside);
    ck_assert_int_eq(m.as.sensors.has_pipe, has_pipe);
    ck_assert_int_eq(m.as.sensors.command_state, COMMAND_OLD);
    ck_assert_uint_eq(m.as.sensors.command_sequence, 99);
    ck_assert_uint_eq(m.as.sensors.dp.command_based_on_step, 98);
    if (has_pipe)
      ck_assert_double_eq_tol(m.as.sensors.dp.hangoff_azimuth_rad, -0.75 * 3.14159265358979, 1e-12);
  }
}
END_TEST

// A vessel with the largest number of instruments, of every kind, and thrusters.
static struct readings full_readings(void) {
  struct readings r;
  memset(&r, 0, sizeof r);
  r.instrument_count = MAX_INSTRUMENTS;
  r.thruster_count = MAX_THRUSTERS;
  r.power_available_w = 9.5e6;
  r.power_used_w = 1.25e6;
  for (int i = 0; i < MAX_INSTRUMENTS; i++) {
    struct reading *d = &r.instrument[i];
    d->kind = (enum instrument)(i * INSTRUMENT_COUNT / MAX_INSTRUMENTS);
    snprintf(d->name, sizeof d->name, "an_instrument_number_%02d", i);
    d->valid = i % 3 != 0;
    d->sequence = UINT64_MAX - (uint64_t)i;
    d->time_s = 1e4 / 3 + i;
    for (int c = 0; c < instrument_channel_count(d->kind); c++)
      d->value[c] = (c % 2 ? -1e3 : 1e-3) / (3 + i + c);
  }
  r.power.bus_count = MAX_BUSES, r.power.generator_count = MAX_GENERATORS, r.power.tie_count = MAX_TIES;
  for (int i = 0; i < MAX_BUSES; i++) {
    struct bus_feedback *b = &r.power.bus[i];
    snprintf(b->name, sizeof b->name, "a_bus_with_number_%05d", i);
    b->supplied = i % 3 != 1;
    b->available_w = 1e6 / (3 + i), b->load_w = 2e5 / (7 + i);
    b->frequency = 1.0 / (i + 1), b->voltage = 1.1 / (i + 3);
  }
  for (int i = 0; i < MAX_GENERATORS; i++) {
    snprintf(r.power.generator[i].name, SIGNAL_NAME, "a_set_with_number_%05d", i);
    r.power.generator[i].closed = i % 2;
    r.power.generator[i].load_w = (i % 4 ? 1e6 : -1e5) / (3 + i);
  }
  for (int i = 0; i < MAX_TIES; i++) {
    snprintf(r.power.tie[i].name, SIGNAL_NAME, "a_tie_with_number_%05d", i);
    r.power.tie[i].closed = i % 2 == 0;
  }
  for (int i = 0; i < MAX_THRUSTERS; i++) {
    struct thruster_feedback *t = &r.thruster[i];
    snprintf(t->name, sizeof t->name, "a_thruster_number_%05d", i);
    t->running = i % 2;
    t->ready = i % 3 == 0;
    t->revolutions_rpm = -100.0 / (i + 3);
    t->pitch = 1.0 / (3 + i);
    t->azimuth_rad = -1.0 / (7 + i);
    t->power_w = 1e6 / (3 + i);
  }
  return r;
}

START_TEST(instruments_come_back_and_the_truth_is_withheld) {
  struct wire_header h = header();
  struct frame f = frame(1);
  f.readings = full_readings();
  f.readings.instrument[3].value[1] = -0.0;
  struct dp_sensors inside;
  dp_sensors_of_frame(&f, &inside);
  struct wire_message m =
      unpacked(wire_pack_sensors(&h, &f, WIRE_ENVELOPE, bytes, sizeof bytes), WIRE_SENSORS);
  ck_assert_mem_eq(&m.as.sensors.dp, &inside, sizeof inside);
  ck_assert_int_eq(m.as.sensors.has_pipe, 0);
  const struct readings *r = &m.as.sensors.dp.readings;
  ck_assert_int_eq(r->instrument_count, MAX_INSTRUMENTS);
  for (int i = 0; i < MAX_INSTRUMENTS; i++) {
    const struct reading *in = &f.readings.instrument[i], *out = &r->instrument[i];
    ck_assert_str_eq(out->name, in->name);
    ck_assert(out->kind == in->kind && out->valid == in->valid);
    ck_assert(out->sequence == in->sequence && out->time_s == in->time_s);
    for (int c = 0; c < READING_CHANNELS; c++)
      ck_assert(out->value[c] == in->value[c] && (out->value[c] != 0 || !signbit(out->value[c])));
  }
  ck_assert_mem_eq(r->thruster, f.readings.thruster, sizeof r->thruster);
  ck_assert(r->power_available_w == 9.5e6 && r->power_used_w == 1.25e6);
  ck_assert_mem_eq(&r->power, &f.readings.power, sizeof r->power);
  ck_assert_uint_eq(inside.step, f.output.step);
  ck_assert_mem_eq(inside.applied_wrench_b, f.output.control_wrench_b, sizeof inside.applied_wrench_b);
  for (int i = 0; i < 3; i++)
    ck_assert(inside.position_n_m[i] == 0 && inside.euler_rad[i] == 0 && inside.velocity_n_mps[i] == 0 &&
              inside.euler_rate_radps[i] == 0);
  ck_assert(inside.hangoff_tension_n == 0 && inside.hangoff_angle_rad == 0 &&
            inside.hangoff_azimuth_rad == 0);
  size_t size = wire_pack_sensors(&h, &f, WIRE_PLAIN, bytes, sizeof bytes);
  Sagbend__V1__Sensors *s = sagbend__v1__sensors__unpack(NULL, size, bytes);
  ck_assert_ptr_null(s->pipe);
  ck_assert(s->position_north_m == 0 && s->position_down_m == 0 && s->heading_rad == 0 &&
            s->velocity_down_mps == 0 && s->heading_rate_radps == 0);
  ck_assert_uint_eq(s->instruments->n_gnss, 2);
  ck_assert_str_eq(s->instruments->motion[0]->telegram->name, f.readings.instrument[4].name);
  ck_assert_double_eq(s->instruments->motion[0]->heave_m, f.readings.instrument[4].value[2]);
  ck_assert_double_eq(s->instruments->gnss[1]->sigma_m, f.readings.instrument[1].value[5]);
  ck_assert_double_eq(s->instruments->hangoff_angle[0]->azimuth_rad, f.readings.instrument[12].value[1]);
  ck_assert_double_eq(s->instruments->touchdown[1]->down_m, f.readings.instrument[15].value[2]);
  ck_assert_double_eq(s->instruments->payout[0]->speed_mps, f.readings.instrument[16].value[1]);
  ck_assert_double_eq(s->instruments->tensioner[1]->brake, f.readings.instrument[19].value[2]);
  ck_assert_double_eq(s->instruments->radar[1]->signal, f.readings.instrument[29].value[4]);
  ck_assert_double_eq(s->instruments->taut_wire[0]->slack, f.readings.instrument[24].value[4]);
  ck_assert_double_eq(s->instruments->artemis[1]->azimuth_rad, f.readings.instrument[31].value[1]);
  sagbend__v1__sensors__free_unpacked(s, NULL);
  f.readings.instrument[5].value[0] = (double)NAN;
  ck_assert_uint_eq(wire_pack_sensors(&h, &f, WIRE_PLAIN, bytes, sizeof bytes), 0);
}
END_TEST

// The numbers in the message of each instrument are its channels.
START_TEST(instruments_messages_fit_their_channels) {
  const ProtobufCMessageDescriptor *all = &sagbend__v1__instruments__descriptor;
  ck_assert_uint_eq(all->n_fields, INSTRUMENT_COUNT);
  for (int k = 0; k < INSTRUMENT_COUNT; k++) {
    const ProtobufCMessageDescriptor *d = all->fields[k].descriptor;
    ck_assert_str_eq(all->fields[k].name, instrument_name((enum instrument)k));
    ck_assert_uint_eq(d->n_fields, 1 + (unsigned)instrument_channel_count((enum instrument)k));
    ck_assert_str_eq(d->fields[0].name, "telegram");
    for (unsigned c = 1; c < d->n_fields; c++)
      ck_assert_int_eq((int)d->fields[c].type, PROTOBUF_C_TYPE_DOUBLE);
  }
}
END_TEST

static enum wire_result result_of(Sagbend__V1__Envelope *e) {
  struct wire_message m;
  size_t size = sagbend__v1__envelope__get_packed_size(e);
  ck_assert_uint_le(size, sizeof bytes);
  sagbend__v1__envelope__pack(e, bytes);
  return wire_unpack(bytes, size, &m, NULL);
}

// The controller's side refuses what a simulator must not send.
START_TEST(refuses_bad_instruments) {
  struct wire_header h = header();
  struct frame f = frame(0);
  f.readings = full_readings();
  f.readings.instrument_count = 1;
  size_t size = wire_pack_sensors(&h, &f, WIRE_ENVELOPE, bytes, sizeof bytes);
  Sagbend__V1__Envelope *e = sagbend__v1__envelope__unpack(NULL, size, bytes);
  Sagbend__V1__Instruments *all = e->sensors->instruments;
  Sagbend__V1__Telegram *telegram = all->gnss[0]->telegram;
  char *good = telegram->name, empty[] = "", longer[] = "a_name_of_24_characters_";
  ck_assert_int_eq(result_of(e), WIRE_OK);
  telegram->name = empty;
  ck_assert_int_eq(result_of(e), WIRE_MALFORMED);
  telegram->name = longer;
  ck_assert_int_eq(result_of(e), WIRE_MALFORMED);
  telegram->name = good;
  all->gnss[0]->telegram = NULL;
  ck_assert_int_eq(result_of(e), WIRE_MALFORMED);
  all->gnss[0]->telegram = telegram;
  Sagbend__V1__Gnss *many[MAX_INSTRUMENTS + 1], **one = all->gnss;
  for (int i = 0; i <= MAX_INSTRUMENTS; i++)
    many[i] = one[0];
  all->gnss = many;
  all->n_gnss = MAX_INSTRUMENTS;
  ck_assert_int_eq(result_of(e), WIRE_OK);
  all->n_gnss = MAX_INSTRUMENTS + 1;
  ck_assert_int_eq(result_of(e), WIRE_MALFORMED);
  all->n_gnss = 0;
  ck_assert_int_eq(result_of(e), WIRE_MALFORMED);
  all->n_gnss = 1;
  all->gnss = one;
  char *thruster = e->sensors->thruster[0]->name;
  e->sensors->thruster[0]->name = longer;
  ck_assert_int_eq(result_of(e), WIRE_MALFORMED);
  e->sensors->thruster[0]->name = thruster;
  ck_assert_int_eq(result_of(e), WIRE_OK);
  sagbend__v1__envelope__free_unpacked(e, NULL);
}
END_TEST

START_TEST(what_does_not_exist_is_absent) {
  struct wire_header h = header();
  struct frame f = frame(1);
  size_t size = wire_pack_sensors(&h, &f, WIRE_PLAIN, bytes, sizeof bytes);
  Sagbend__V1__Sensors *s = sagbend__v1__sensors__unpack(NULL, size, bytes);
  ck_assert_ptr_nonnull(s->pipe);
  ck_assert_ptr_null(s->pipe->touchdown);
  sagbend__v1__sensors__free_unpacked(s, NULL);
  f.output.touchdown_arc_length_m = 600;
  f.output.layback_m = 400;
  size = wire_pack_sensors(&h, &f, WIRE_PLAIN, bytes, sizeof bytes);
  s = sagbend__v1__sensors__unpack(NULL, size, bytes);
  ck_assert_double_eq(s->pipe->touchdown->arc_length_m, 600);
  ck_assert_double_eq(s->pipe->touchdown->layback_m, 400);
  sagbend__v1__sensors__free_unpacked(s, NULL);
}
END_TEST

START_TEST(telemetry_holds_its_numbers) {
  struct wire_header h = header();
  struct frame f = frame(1);
  struct command_counts counts = {.accepted = 3, .refused = {1, 2}};
  Sagbend__V1__Truth *t =
      sagbend__v1__truth__unpack(NULL, wire_pack_truth(&h, &f, bytes, sizeof bytes), bytes);
  ck_assert_double_eq(t->quaternion_w, 1);
  ck_assert_double_eq(t->pipe->hangoff_force_east_n, -4);
  sagbend__v1__truth__free_unpacked(t, NULL);
  Sagbend__V1__Ledger *l =
      sagbend__v1__ledger__unpack(NULL, wire_pack_ledger(&h, &f, bytes, sizeof bytes), bytes);
  ck_assert_double_eq(l->total_dissipation->limiter_j, 5);
  ck_assert_double_eq(l->total_work->current_j, 6);
  sagbend__v1__ledger__free_unpacked(l, NULL);
  Sagbend__V1__Timing *g = sagbend__v1__timing__unpack(
      NULL, wire_pack_timing(&h, &f, &counts, NULL, NULL, bytes, sizeof bytes), bytes);
  ck_assert_double_eq(g->step->p999_us, 8);
  ck_assert_uint_eq(g->commands_accepted, 3);
  ck_assert_uint_eq(g->commands_refused, 3);
  sagbend__v1__timing__free_unpacked(g, NULL);
  struct sim_node nodes[5];
  double scratch[5 * NODE_COLUMN_COUNT];
  for (int i = 0; i < 5; i++) {
    struct sim_node *x = &nodes[i];
    double *all[] = {x->position_n_m, x->quaternion_nt};
    for (int k = 0; k < 7; k++)
      all[k > 2][k > 2 ? k - 3 : k] = 10 * k + i;
    x->section = (struct section_forces){
        70 + i, 80 + i, {90 + i, 100 + i}, 110 + i, {120 + i, 130 + i}, {3 * i, 4 * i}, {0, 0}, 0, 0};
  }
  Sagbend__V1__Nodes *n =
      sagbend__v1__nodes__unpack(NULL, wire_pack_nodes(&h, 5, nodes, scratch, bytes, sizeof bytes), bytes);
  ck_assert_uint_eq(n->n_down_m, 5);
  ck_assert_double_eq(n->down_m[4], 24);
  ck_assert_double_eq(n->quaternion_z[1], 61);
  ck_assert_uint_eq(n->n_effective_tension_n, 5);
  ck_assert(n->effective_tension_n[0] == 70 && n->wall_tension_n[4] == 84 && n->shear_2_n[1] == 91 &&
            n->shear_3_n[2] == 102);
  ck_assert(n->torsion_nm[3] == 113 && n->bending_2_nm[4] == 124 && n->bending_3_nm[0] == 130 &&
            n->curvature_1pm[2] == 10);
  sagbend__v1__nodes__free_unpacked(n, NULL);
  ck_assert_uint_le(wire_pack_nodes(&h, 5, nodes, scratch, bytes, sizeof bytes), wire_nodes_bytes(5));
  nodes[4].section.bending_nm[1] = NAN;
  ck_assert_uint_eq(wire_pack_nodes(&h, 5, nodes, scratch, bytes, sizeof bytes), 0);
}
END_TEST

START_TEST(packing_refuses_what_the_other_side_would) {
  struct wire_header h = header();
  struct frame f = frame(0);
  ck_assert_uint_gt(wire_pack_sensors(&h, &f, WIRE_PLAIN, bytes, sizeof bytes), 0);
  ck_assert_uint_eq(wire_pack_sensors(&h, &f, WIRE_PLAIN, bytes, 100), 0); // does not fit
  f.output.euler_rad[1] = NAN;
  ck_assert_uint_eq(wire_pack_sensors(&h, &f, WIRE_PLAIN, bytes, sizeof bytes), 0);
  ck_assert_uint_eq(wire_pack_event(&h, "a", "tab\there", WIRE_PLAIN, bytes, sizeof bytes), 0);
}
END_TEST

// --- messages that protobuf-c packs and unpacks without complaint ---

static struct raw { // a valid command, to be altered
  Sagbend__V1__Header header;
  Sagbend__V1__BodyWrench wrench;
  Sagbend__V1__Standby standby;
  Sagbend__V1__Command command;
  Sagbend__V1__Refusal refusal;
  Sagbend__V1__Envelope envelope;
} raw;

static void raw_command(void) {
  raw.header = (Sagbend__V1__Header)SAGBEND__V1__HEADER__INIT;
  raw.header.protocol = WIRE_PROTOCOL;
  raw.header.session = (char *)"s-1";
  raw.header.sequence = 42;
  raw.wrench = (Sagbend__V1__BodyWrench)SAGBEND__V1__BODY_WRENCH__INIT;
  raw.standby = (Sagbend__V1__Standby)SAGBEND__V1__STANDBY__INIT;
  raw.command = (Sagbend__V1__Command)SAGBEND__V1__COMMAND__INIT;
  raw.command.header = &raw.header;
  raw.command.controller_id = (char *)"id";
  raw.command.effort_case = SAGBEND__V1__COMMAND__EFFORT_WRENCH;
  raw.command.wrench = &raw.wrench;
  raw.refusal = (Sagbend__V1__Refusal)SAGBEND__V1__REFUSAL__INIT;
  raw.refusal.header = &raw.header;
  raw.refusal.reason = SAGBEND__V1__REFUSAL_REASON__REFUSAL_REASON_STALE;
  raw.envelope = (Sagbend__V1__Envelope)SAGBEND__V1__ENVELOPE__INIT;
  raw.envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND;
  raw.envelope.command = &raw.command;
}

static void raw_refusal(void) {
  raw_command();
  raw.envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_REFUSAL;
  raw.envelope.refusal = &raw.refusal;
}

static struct wire_message last;
static struct reason last_reason;

static enum wire_result raw_result(void) {
  ck_assert_uint_le(sagbend__v1__envelope__get_packed_size(&raw.envelope), sizeof bytes);
  size_t size = sagbend__v1__envelope__pack(&raw.envelope, bytes);
  last_reason.text[0] = 0;
  enum wire_result r = wire_unpack(bytes, size, &last, &last_reason);
  ck_assert_int_eq(r == WIRE_OK, last.kind != WIRE_NONE);
  ck_assert_int_eq(r == WIRE_OK, last_reason.text[0] == 0); // a reason for every refusal
  return r;
}

START_TEST(refuses_numbers_that_are_not_finite) {
  raw_command();
  ck_assert_int_eq(raw_result(), WIRE_OK);
  raw.wrench.yaw_nm = NAN;
  ck_assert_int_eq(raw_result(), WIRE_NOT_FINITE);
  ck_assert_uint_eq(last.header.sequence, 42);
  ck_assert_ptr_nonnull(strstr(last_reason.text, "yaw_nm"));
  raw.wrench.yaw_nm = -INFINITY;
  ck_assert_int_eq(raw_result(), WIRE_NOT_FINITE);
  raw_command();
  raw.header.time_s = NAN;
  ck_assert_int_eq(raw_result(), WIRE_NOT_FINITE);
}
END_TEST

START_TEST(refuses_other_protocols) {
  raw_command();
  raw.header.protocol = 0;
  ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
  raw.header.protocol = 2;
  ck_assert_int_eq(raw_result(), WIRE_OTHER_PROTOCOL);
  ck_assert_uint_eq(last.header.sequence, 42);
  raw_command();
  raw.command.header = NULL;
  ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
}
END_TEST

START_TEST(refuses_unknown_enumerators) {
  raw_refusal();
  ck_assert_int_eq(raw_result(), WIRE_OK);
  const int unknown[] = {0, 12, 1000, -1, INT32_MIN};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    raw.refusal.reason = (Sagbend__V1__RefusalReason)unknown[i];
    ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
  }
}
END_TEST

START_TEST(refuses_text_that_is_none) {
  char longer[WIRE_MAX_TEXT + 2];
  memset(longer, 'a', sizeof longer);
  longer[sizeof longer - 1] = 0;
  const char *const bad_ids[] = {"",
                                 "\x1b[31m",
                                 "caf\xc3\xa9",
                                 "\xff\xfe",
                                 "\x7f",
                                 longer,
                                 "1234567890123456789012345678901234567890123456789012345678901234"};
  for (size_t i = 0; i < sizeof bad_ids / sizeof *bad_ids; i++) {
    raw_command();
    raw.command.controller_id = (char *)(uintptr_t)bad_ids[i];
    ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
  }
  raw_command();
  raw.header.session = longer;
  ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
  raw_refusal();
  raw.refusal.text = longer;
  ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
  longer[WIRE_MAX_TEXT] = 0;
  ck_assert_int_eq(raw_result(), WIRE_OK);
}
END_TEST

// The reason names the field and its error: long text is reported as too long, not as unprintable.
START_TEST(says_what_is_wrong_with_a_field) {
  char longer[300];
  memset(longer, 'a', sizeof longer);
  longer[sizeof longer - 1] = 0;
  const struct {
    const char *session, *expected;
  } cases[] = {{longer, "session: at most 255 characters expected, got 299"},
               {"two\nlines", "session: printable ASCII expected, got byte 0x0a at character 4"},
               {"caf\xc3\xa9", "session: printable ASCII expected, got byte 0xc3 at character 4"},
               {longer + 235, "session: at most 63 characters expected"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    raw_command();
    raw.header.session = (char *)(uintptr_t)cases[i].session;
    ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
    ck_assert_str_eq(last_reason.text, cases[i].expected);
  }
  raw_command();
  raw.command.controller_id = longer + 200;
  ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
  ck_assert_str_eq(last_reason.text, "controller_id: 1 to 63 characters expected");
  raw_command();
  raw.wrench.sway_n = -INFINITY;
  ck_assert_int_eq(raw_result(), WIRE_NOT_FINITE);
  ck_assert_str_eq(last_reason.text, "sway_n: a finite number expected, got -inf");
  raw_refusal();
  raw.refusal.reason = (Sagbend__V1__RefusalReason)12;
  raw_result();
  ck_assert_str_eq(last_reason.text, "reason: a known enumerator expected, got 12");
  raw.refusal.reason = (Sagbend__V1__RefusalReason)0;
  raw_result();
  ck_assert_str_eq(last_reason.text, "reason: a value expected, got nothing");
}
END_TEST

START_TEST(refuses_what_is_incomplete) {
  raw_command();
  raw.command.effort_case = SAGBEND__V1__COMMAND__EFFORT__NOT_SET;
  ck_assert_int_eq(raw_result(), WIRE_MALFORMED);
  raw.command.effort_case = SAGBEND__V1__COMMAND__EFFORT_STANDBY;
  raw.command.standby = &raw.standby;
  ck_assert_int_eq(raw_result(), WIRE_OK);
  raw.envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET;
  ck_assert_int_eq(wire_unpack("", 0, &last, &last_reason), WIRE_MALFORMED);
  ck_assert_int_eq(wire_unpack("\x1a\x00", 2, &last, &last_reason), WIRE_MALFORMED); // an empty command
}
END_TEST

// Nested messages, to the largest permitted depth and far beyond.
START_TEST(survives_deep_nesting) {
  enum { SIZE = 800000 };
  uint8_t *nested = malloc(SIZE);
  for (uint8_t tag = 0x0a; tag <= 0x3a; tag += 8) {
    size_t size = 0, at = SIZE; // built from the innermost message outwards
    for (int level = 0; level < 250000 && at > 8; level++) {
      uint8_t varint[5];
      int n = 0;
      for (size_t left = size; left > 0 || n == 0; left >>= 7)
        varint[n++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
      at -= (size_t)n;
      memcpy(nested + at, varint, (size_t)n);
      nested[--at] = tag;
      size = SIZE - at;
      if (size == WIRE_MAX_ENVELOPE || level % 500 == 0)
        ck_assert_int_ne(wire_unpack(nested + at, size, &last, &last_reason), WIRE_OK);
    }
    ck_assert_uint_gt(size, 90 * WIRE_MAX_ENVELOPE);
  }
  free(nested);
}
END_TEST

// No input may crash it (also under sanitizers), and accepted numbers are finite.
START_TEST(survives_garbage) {
  srand(20240229);
  raw_command();
  size_t good = sagbend__v1__envelope__get_packed_size(&raw.envelope);
  int passed = 0, refused = 0;
  for (int k = 0; k < 200000; k++) {
    size_t size = good;
    if (k % 2) {
      sagbend__v1__envelope__pack(&raw.envelope, bytes);
      for (int flips = rand() % 4; flips >= 0; flips--)
        bytes[(size_t)rand() % good] = (uint8_t)rand();
    } else {
      size = (size_t)(rand() % 200);
      for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)rand();
    }
    if (wire_unpack(bytes, size, &last, &last_reason) != WIRE_OK) {
      refused++;
      continue;
    }
    passed++;
    ck_assert(isfinite(last.header.time_s));
    if (last.kind == WIRE_COMMAND)
      for (int i = 0; i < 6; i++)
        ck_assert(isfinite(last.as.command.command.wrench_b[i]));
  }
  ck_assert_int_gt(passed, 1000); // flips in ids and numbers do no harm
  ck_assert_int_gt(refused, 100000);
  // Many small unknown fields exhaust the arena, which is also a refusal.
  for (size_t i = 0; i + 1 < sizeof bytes; i += 2)
    memcpy(bytes + i, "\x78\x01", 2);
  ck_assert_int_eq(wire_unpack(bytes, sizeof bytes, &last, &last_reason), WIRE_MALFORMED);
}
END_TEST

static struct wire_controller_view full_view(void) {
  struct wire_controller_view view = {.based_on_step = 11, .active = 1, .tension_n = 5, .rejected = 6};
  view.has_estimate = view.has_reference = view.has_setpoint = view.has_demanded = view.has_allocated = 1;
  view.has_wind = view.has_bias = view.dead_reckoning = view.power_limited = 1;
  for (int i = 0; i < 6; i++) {
    view.demanded_b[i] = i;
    view.bias_b[i] = -i;
    (i < 3 ? view.estimate.eta : view.reference.nu)[i % 3] = 20 + i;
  }
  view.instrument_count = MAX_INSTRUMENTS;
  view.thruster_count = MAX_THRUSTERS;
  for (int i = 0; i < MAX_INSTRUMENTS; i++) {
    memset(view.instrument[i].name, 'i', SIGNAL_NAME - 1);
    view.instrument[i].kind = INSTRUMENT_TOUCHDOWN;
    view.instrument[i].use = USE_REJECTED;
  }
  for (int i = 0; i < MAX_THRUSTERS; i++) {
    memset(view.thruster[i].name, 't', SIGNAL_NAME - 1);
    view.thruster[i].use = ACTUATOR_DEVIATING;
    view.thruster[i].thrust_n = 1000 * i;
  }
  return view;
}

START_TEST(controller_view_comes_back) {
  struct wire_header h = header();
  struct wire_controller_view view = full_view();
  struct reason why = {""};
  size_t size = wire_pack_controller_view(&h, &view, WIRE_ENVELOPE, bytes, WIRE_MAX_ENVELOPE);
  ck_assert_uint_gt(size, 0); // the fullest fits
  static struct wire_message m;
  ck_assert_int_eq(wire_unpack(bytes, size, &m, &why), WIRE_OK);
  ck_assert_int_eq(m.kind, WIRE_CONTROLLER_VIEW);
  const struct wire_controller_view *got = &m.as.view;
  ck_assert(got->based_on_step == 11 && got->active && !got->in_command && got->tension_n == 5 &&
            got->rejected == 6);
  ck_assert(got->has_estimate && got->estimate.eta[2] == 22 && got->reference.nu[0] == 23 &&
            got->bias_b[5] == -5);
  ck_assert(got->dead_reckoning && got->power_limited && !got->saturated && !got->tension_lost);
  ck_assert_int_eq(got->instrument_count, MAX_INSTRUMENTS);
  ck_assert(got->instrument[3].use == USE_REJECTED && got->instrument[3].kind == INSTRUMENT_TOUCHDOWN);
  ck_assert(got->thruster[2].thrust_n == 2000 && got->thruster[2].use == ACTUATOR_DEVIATING);
  ck_assert_str_eq(got->thruster[2].name, view.thruster[2].name);

  view.demanded_b[0] = NAN;
  ck_assert_uint_eq(wire_pack_controller_view(&h, &view, WIRE_ENVELOPE, bytes, WIRE_MAX_ENVELOPE), 0);
  view = full_view();
  view.instrument[1].name[0] = 0; // it packs, and the other side refuses it
  size = wire_pack_controller_view(&h, &view, WIRE_ENVELOPE, bytes, WIRE_MAX_ENVELOPE);
  ck_assert_int_eq(wire_unpack(bytes, size, &m, &why), WIRE_MALFORMED);
  ck_assert_ptr_nonnull(strstr(why.text, "instrument: a name"));
}
END_TEST

START_TEST(the_largest_session_fits) {
  enum { NODES = 300 };
  static double numbers[NODES], grid[WIRE_GRID * WIRE_GRID];
  static struct scenario_def scenario = {.verdict_count = MAX_VERDICTS, .event_count = 1, .step_s = 0.01};
  static struct wire_welcome welcome;
  static struct wire_session about;
  struct wire_header h = header();
  memset(scenario.event[0].name, 'e', SIGNAL_NAME - 1);
  for (int i = 0; i < MAX_VERDICTS; i++) {
    struct verdict_def *verdict = &scenario.verdict[i];
    *verdict =
        (struct verdict_def){.quantity = QUANTITY_HEADING, .low = -1, .high = (double)INFINITY, .grace_s = 1};
    memset(verdict->name, 'v', SIGNAL_NAME - 1);
  }
  about.scenario = &scenario;
  about.pipe = (struct wire_pipe){
      .node_count = NODES, .outer_diameter_m = 1, .arc_length_m = numbers, .element_diameter_m = numbers};
  about.seabed = (struct wire_seabed){.is_there = 1,
                                      .north_nodes = WIRE_GRID,
                                      .east_nodes = WIRE_GRID,
                                      .grid_down_m = grid,
                                      .spacing_east_m = 3};
  about.outline_count = WIRE_OUTLINE;
  about.circle_count = 2;
  about.circle_m[1] = 7;
  about.limit_moment_nm = 9;
  welcome.mode = RUN_FAST;
  welcome.has_setpoint = 1;
  welcome.setpoint[1] = 4;
  size_t capacity = wire_session_bytes(NODES);
  uint8_t *out = malloc(capacity);
  size_t size = wire_pack_session(&h, &welcome, &about, out, capacity);
  ck_assert_uint_gt(size, 0);
  Sagbend__V1__Session *s = sagbend__v1__session__unpack(NULL, size, out);
  ck_assert(s->n_verdict == MAX_VERDICTS && s->verdict[3]->lower_case && !s->verdict[3]->upper_case);
  ck_assert_str_eq(s->verdict[3]->unit, "deg");
  ck_assert_str_eq(s->verdict[3]->quantity, "heading_deg");
  ck_assert_str_eq(s->verdict[3]->after_event, scenario.event[0].name);
  ck_assert(s->seabed->grid->n_down_m == WIRE_GRID * WIRE_GRID && s->seabed->grid->spacing_east_m == 3);
  ck_assert(s->pipe->n_arc_length_m == NODES && s->pipe->n_element_diameter_m == NODES - 1);
  ck_assert(s->setpoint->east_m == 4 && s->welcome->setpoint->east_m == 4 && s->limits->moment_nm == 9);
  ck_assert(s->n_watch_circle_m == 2 && s->watch_circle_m[1] == 7 && s->n_outline == WIRE_OUTLINE);
  sagbend__v1__session__free_unpacked(s, NULL);
  grid[5] = NAN;
  ck_assert_uint_eq(wire_pack_session(&h, &welcome, &about, out, capacity), 0);
  free(out);
}
END_TEST

START_TEST(status_tells_verdicts_and_faults) {
  static struct frame f;
  static struct scenario_def scenario = {.verdict_count = 3, .step_s = 0.5};
  static uint8_t room[WIRE_MAX_STATUS];
  struct wire_status status;
  const struct wire_header h = header();
  wire_begin_status(&status);
  wire_status_header(&status, &h);
  status.message.mode = SAGBEND__V1__RUN_MODE__RUN_MODE_FAST;
  status.message.station = &status.station;
  status.station.state = SAGBEND__V1__RUN_STATE__RUN_STATE_WAITING;
  status.station.command_state = SAGBEND__V1__COMMAND_STATE__COMMAND_STATE_OLD;
  f = frame(0);
  for (int i = 0; i < 3; i++)
    scenario.verdict[i] = (struct verdict_def){
        .name = "v", .quantity = QUANTITY_NORTH, .low = -(double)INFINITY, .high = 10, .after = -1};
  f.output.position_n_m[0] = 4;
  f.verdict[1] = (struct verdict){.judged_steps = 3, .worst_value = 9, .worst_margin = 1, .worst_step = 4};
  f.verdict[2] = (struct verdict){.judged_steps = 3,
                                  .worst_value = NAN,
                                  .worst_margin = -(double)INFINITY,
                                  .violations = 2,
                                  .violated_step = 3,
                                  .first_step = 2};
  f.faults.count = MAX_FAULTS;
  for (int i = 0; i < MAX_FAULTS; i++) {
    f.faults.fault[i] = (struct fault){.kind = FAULT_DELAY, .target = -1, .since_s = i, .value = {1}};
    memset(f.faults.fault[i].name, 'f', SIGNAL_NAME - 1);
  }
  const struct wire_judged judged = {&f, &scenario};
  size_t size = wire_pack_whole_status(&status, &judged, room, sizeof room);
  ck_assert_uint_gt(size, 0);
  Sagbend__V1__Status *s = sagbend__v1__status__unpack(NULL, size, room);
  ck_assert(s->n_verdict == 3 && s->n_fault == MAX_FAULTS);
  ck_assert(s->verdict[0]->state == SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_NOT_JUDGED &&
            s->verdict[0]->value == 4 && s->verdict[0]->margin == 6 && !s->verdict[0]->worst_case);
  ck_assert(s->verdict[1]->state == SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_WITHIN &&
            s->verdict[1]->passes && s->verdict[1]->worst_value == 9 && s->verdict[1]->worst_time_s == 2);
  ck_assert(s->verdict[2]->state == SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_VIOLATED &&
            !s->verdict[2]->passes && !s->verdict[2]->worst_case && s->verdict[2]->violations == 2 &&
            s->verdict[2]->violated_time_s == 1);
  ck_assert(s->station->state == SAGBEND__V1__RUN_STATE__RUN_STATE_WAITING &&
            s->station->command_state == SAGBEND__V1__COMMAND_STATE__COMMAND_STATE_OLD);
  ck_assert_str_eq(s->fault[7]->kind, "delay");
  ck_assert_str_eq(s->fault[7]->target, "all");
  ck_assert(s->fault[7]->since_s == 7 && s->fault[7]->n_parameter == 1);
  sagbend__v1__status__free_unpacked(s, NULL);
}
END_TEST

START_TEST(timing_has_stages_and_histograms) {
  static struct wire_times times = {.step = {.count = 3, .buckets = 2, .upper_us = {5, 9}, .counts = {1, 2}}};
  static uint8_t room[WIRE_MAX_TIMING];
  struct wire_header h = header();
  struct frame f = frame(0);
  struct command_counts counts = {0};
  f.timing.stage_us[STEP_SOLVE] = 7;
  Sagbend__V1__Timing *t = sagbend__v1__timing__unpack(
      NULL, wire_pack_timing(&h, &f, &counts, NULL, &times, room, sizeof room), room);
  ck_assert(t->n_stage == STEP_STAGE_COUNT && t->stage[STEP_SOLVE]->us == 7);
  ck_assert(t->step_histogram->count == 3 && t->step_histogram->n_counts == 2 &&
            t->step_histogram->upper_us[1] == 9 && !t->wakeup_histogram);
  sagbend__v1__timing__free_unpacked(t, NULL);
  times.step.buckets = times.wakeup.buckets = WIRE_BUCKETS;
  times.wakeup.count = UINT64_MAX;
  for (int i = 0; i < WIRE_BUCKETS; i++)
    times.step.counts[i] = times.wakeup.counts[i] = UINT64_MAX;
  ck_assert_uint_gt(wire_pack_timing(&h, &f, &counts, NULL, &times, room, sizeof room),
                    0); // the fullest fits
}
END_TEST

int main(void) {
  Suite *suite = suite_create("io_codec");
  TCase *tc = tcase_create("codec");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, hello_comes_back);
  tcase_add_test(tc, welcome_comes_back);
  tcase_add_test(tc, command_comes_back);
  tcase_add_test(tc, alarms_come_back_and_bad_ones_do_not);
  tcase_add_test(tc, refusal_event_and_end_come_back);
  tcase_add_test(tc, sensors_come_back_bit_by_bit);
  tcase_add_test(tc, instruments_come_back_and_the_truth_is_withheld);
  tcase_add_test(tc, instruments_messages_fit_their_channels);
  tcase_add_test(tc, refuses_bad_instruments);
  tcase_add_test(tc, what_does_not_exist_is_absent);
  tcase_add_test(tc, telemetry_holds_its_numbers);
  tcase_add_test(tc, packing_refuses_what_the_other_side_would);
  tcase_add_test(tc, refuses_numbers_that_are_not_finite);
  tcase_add_test(tc, refuses_other_protocols);
  tcase_add_test(tc, refuses_unknown_enumerators);
  tcase_add_test(tc, refuses_text_that_is_none);
  tcase_add_test(tc, says_what_is_wrong_with_a_field);
  tcase_add_test(tc, refuses_what_is_incomplete);
  tcase_add_test(tc, survives_deep_nesting);
  tcase_add_test(tc, survives_garbage);
  tcase_add_test(tc, controller_view_comes_back);
  tcase_add_test(tc, the_largest_session_fits);
  tcase_add_test(tc, status_tells_verdicts_and_faults);
  tcase_add_test(tc, timing_has_stages_and_histograms);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
