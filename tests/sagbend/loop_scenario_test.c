// Events, conditions, orders, faults of commands and sensors, and verdicts, each on states made by hand.
#include "sagbend/faults/faults.h"
#include "sagbend/link/link.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include "suite.h"
#include <math.h>
#include <string.h>

static const double STEP_S = 0.1;
static struct hil_names names;
static struct sim_output truth;
static struct loop_target target;
static struct timing timing;

static void set_up(void) {
  memset(&names, 0, sizeof names);
  names.instrument_count = names.thruster_count = names.bus_count = names.generator_count = names.tie_count =
      2;
  strcpy(names.generator[0], "set-1"), strcpy(names.generator[1], "set-2");
  strcpy(names.tie[0], "tie-1"), strcpy(names.tie[1], "tie-2");
  strcpy(names.controller[0], "dp-a"), strcpy(names.controller[1], "dp-b");
  names.controller_count = 2;
  names.has_backup = 1;
  strcpy(names.instrument[0], "gyro-1"), strcpy(names.instrument[1], "gyro-2");
  strcpy(names.thruster[0], "bow"), strcpy(names.thruster[1], "stern");
  names.thruster_kind[0] = names.thruster_kind[1] = THRUSTER_AZIMUTH;
  strcpy(names.bus[0], "port"), strcpy(names.bus[1], "starboard");
  names.common_count = 1;
  names.common_channels[0] = 3;
  names.other_targets[1] = 1;
  strcpy(names.common[0], "ionosphere");
  names.has_tensioner = names.has_bore = names.has_power_plant = names.has_network_b = 1;
  memset(&truth, 0, sizeof truth);
  target = (struct loop_target){.step_s = STEP_S};
  timing = (struct timing){0};
}

static struct loop_view view_at(uint64_t step, double north_m) {
  truth.step = step;
  truth.time_s = (double)step * STEP_S;
  truth.position_n_m[0] = north_m;
  return (struct loop_view){.truth = &truth, .target = &target, .timing = &timing};
}

// --- faults by name ---

static enum status ask(const char *kind, const char *target_name, const char *parameter, double number,
                       const char *text, struct fault *out, int *where, struct reason *why) {
  struct fault_request q = {0};
  strcpy(q.kind, kind);
  strcpy(q.target, target_name);
  if (parameter) {
    q.parameter_count = 1;
    strcpy(q.parameter[0].name, parameter);
    q.parameter[0].number = number;
    q.parameter[0].is_text = text != NULL;
    strcpy(q.parameter[0].text, text ? text : "");
  }
  return fault_from_request(&names, &q, out, where, why);
}

// Every kind of the table can be ordered with its parameters and is listed as ordered.
START_TEST(every_kind_by_name) {
  for (int k = 0; k < FAULT_COUNT; k++) {
    enum fault_kind kind = (enum fault_kind)k;
    static const char *const targets[] = {"gyro-2", "ionosphere", "gyro-1", "stern", "port", "set-2",
                                          "tie-2",  "",           "",       "",      "",     "",
                                          "",       "dp-b",       "B",      "backup"};
    struct fault_request q = {0}, again;
    struct fault f;
    struct reason why = {""};
    int where;
    if (fault_instrument_kinds(kind) != ~0u) // of references: the second instrument is one that can have it
      for (int of = 0; of < INSTRUMENT_COUNT; of++)
        if (fault_instrument_kinds(kind) & 1u << of)
          names.instrument_kind[1] = (enum instrument)of;
    strcpy(q.kind, fault_name(kind));
    strcpy(q.target, targets[fault_target_of(kind)]);
    ck_assert_msg(strcmp(fault_parameter(kind, 0), "channel") != 0, "%s: the channel must be the second",
                  q.kind);
    ck_assert_msg(*fault_parameter(kind, 0) || !*fault_parameter(kind, 1), "%s: a second without a first",
                  q.kind);
    for (int i = 0; i < FAULT_PARAMETERS && *fault_parameter(kind, i); i++) {
      int id = fault_parameter_find(fault_parameter(kind, i));
      ck_assert_msg(id >= 0, "%s has a parameter %s that is not in the table", q.kind,
                    fault_parameter(kind, i));
      const struct fault_parameter_def *def = fault_parameter_def((enum fault_parameter_id)id);
      struct fault_parameter_given *p = &q.parameter[q.parameter_count++];
      strcpy(p->name, def->name);
      p->is_text = id == PARAMETER_OF_INSTRUMENT || id == PARAMETER_WITH_THRUSTER;
      strcpy(p->text, !p->is_text ? "" : id == PARAMETER_OF_INSTRUMENT ? "gyro-1" : "bow");
      p->number = p->is_text ? 0 : def->low + 0.25 * (def->high - def->low);
      if (id == PARAMETER_CHANNEL)
        p->number = 1;
    }
    ck_assert_msg(fault_from_request(&names, &q, &f, &where, &why) == STATUS_OK, "%s: %s", q.kind, why.text);
    ck_assert_int_eq(f.kind, kind);
    fault_to_request(&names, &f, &again);
    ck_assert_msg(!memcmp(&q, &again, sizeof q), "%s", q.kind);
  }
}
END_TEST

START_TEST(what_is_wrong_is_said) {
  struct fault f;
  struct reason why;
  int where;
  ck_assert(ask("bia", "gyro-1", "bias", 1, NULL, &f, &where, &why) != STATUS_OK &&
            where == FAULT_WRONG_KIND);
  ck_assert(ask("bias", "gyro-3", "bias", 1, NULL, &f, &where, &why) != STATUS_OK &&
            where == FAULT_WRONG_TARGET);
  ck_assert_str_eq(why.text, "gyro-1, gyro-2 or all expected, got 'gyro-3'");
  ck_assert(ask("bias", "", "bias", 1, NULL, &f, &where, &why) != STATUS_OK && where == FAULT_WRONG_TARGET);
  ck_assert(ask("bias", "bow", "bias", 1, NULL, &f, &where, &why) != STATUS_OK &&
            where == FAULT_WRONG_TARGET);
  ck_assert(ask("bias", "all", NULL, 0, NULL, &f, &where, &why) != STATUS_OK && where == FAULT_MISSING);
  ck_assert(ask("bias", "all", "bias", 1, NULL, &f, &where, &why) == STATUS_OK && f.target == -1 &&
            f.value[1] == 0);
  ck_assert(ask("loss", "", "probability", 1.001, NULL, &f, &where, &why) != STATUS_OK && where == 0);
  ck_assert(ask("loss", "", "probability", NAN, NULL, &f, &where, &why) != STATUS_OK && where == 0);
  ck_assert(ask("loss", "", "probability", 1, "half", &f, &where, &why) != STATUS_OK && where == 0);
  ck_assert(ask("loss", "", "bias", 1, NULL, &f, &where, &why) != STATUS_OK && where == 0);
  ck_assert_str_eq(why.text, "bias is not allowed with loss, which has probability");
  ck_assert(ask("duplicate_of", "gyro-1", "of_instrument", 1, NULL, &f, &where, &why) != STATUS_OK &&
            where == 0);
  ck_assert(ask("duplicate_of", "gyro-1", "of_instrument", 0, "gyro-2", &f, &where, &why) == STATUS_OK &&
            f.value[0] == 1);
  ck_assert(ask("duplicate_of", "gyro-2", "of_instrument", 0, "gyro-2", &f, &where, &why) != STATUS_OK &&
            where == FAULT_WRONG_TARGET);
  ck_assert(ask("swapped_feedback", "bow", "with_thruster", 0, "bow", &f, &where, &why) != STATUS_OK);
  ck_assert_str_eq(why.text, "with_thruster: the name of another thruster expected, got 'bow'");
  names.thruster_kind[0] = THRUSTER_TUNNEL;
  ck_assert(ask("rotating", "bow", "rate_radps", 1, NULL, &f, &where, &why) != STATUS_OK &&
            where == FAULT_WRONG_TARGET);
  ck_assert(ask("rotating", "stern", "rate_radps", 1, NULL, &f, &where, &why) == STATUS_OK && f.target == 1);
  ck_assert(ask("loss", "bow", "probability", 1, NULL, &f, &where, &why) != STATUS_OK &&
            where == FAULT_WRONG_TARGET);
  names.instrument_count = 0;
  ck_assert(ask("bias", "all", "bias", 1, NULL, &f, &where, &why) != STATUS_OK &&
            where == FAULT_WRONG_TARGET);
}
END_TEST

// --- events ---

static struct event_def event(double at_s, int after, double duration_s, enum fault_kind kind) {
  return (struct event_def){.name = "e",
                            .at_s = at_s,
                            .after = after,
                            .duration_s = duration_s,
                            .fault = {.kind = kind, .target = -1}};
}

START_TEST(events_by_time) {
  const struct event_def defs[] = {event(0, -1, 0.3, FAULT_LOSS), event(0.5, -1, 0, FAULT_JITTER),
                                   event(0.2, 1, 0.1, FAULT_NO_OUTPUT)};
  struct events s;
  memset(&s, 0, sizeof s);
  for (uint64_t step = 0; step < 12; step++) {
    struct loop_view v = view_at(step, 0);
    events_update(&s, defs, 3, &v);
    ck_assert_int_eq(fault_find(&s.faults, FAULT_LOSS, -1) != NULL, step < 3);
    ck_assert_int_eq(fault_find(&s.faults, FAULT_JITTER, -1) != NULL, step >= 5);
    ck_assert_int_eq(fault_find(&s.faults, FAULT_NO_OUTPUT, -1) != NULL, step == 7);
  }
  ck_assert(s.started == 3 && s.ended == 2 && s.faults.count == 1 && s.faults.fault[0].since_s == 5 * STEP_S);
}
END_TEST

// A condition must hold without interruption, counts from at_s and triggers once; it does not hold where the
// quantity is undefined.
START_TEST(events_by_condition) {
  struct event_def def = event(0.5, -1, 0.2, FAULT_LOSS);
  def.has_condition = 1;
  def.when = (struct condition){QUANTITY_NORTH, 1, 10, 0.3};
  static const double north[] = {11, 11, 11, 11, 11,   11, 11, 9,  11, 11,
                                 10, 11, 11, 11, 10.5, 11, 11, 11, 11, 11};
  struct events s;
  memset(&s, 0, sizeof s);
  for (uint64_t step = 0; step < 20; step++) {
    struct loop_view v = view_at(step, north[step]);
    events_update(&s, &def, 1, &v);
    ck_assert_msg(s.faults.count == (step == 14 || step == 15), "step %d",
                  (int)step); // since step 11, for three steps
  }
  def.when = (struct condition){QUANTITY_LAYBACK, 0, 1e9, 0};
  def.at_s = 0;
  truth.layback_m = (double)NAN;
  memset(&s, 0, sizeof s);
  struct loop_view v = view_at(3, 0);
  events_update(&s, &def, 1, &v);
  ck_assert_int_eq(s.faults.count, 0);
  truth.layback_m = 5;
  events_update(&s, &def, 1, &v);
  ck_assert_int_eq(s.faults.count, 1);
}
END_TEST

START_TEST(orders_begin_and_clear) {
  const struct event_def def = event(0, -1, 0, FAULT_LOSS);
  struct events s, before;
  struct loop_view v = view_at(0, 0);
  memset(&s, 0, sizeof s);
  events_update(&s, &def, 1, &v);
  before = s;
  for (int i = 0; i < MAX_ORDERS; i++) {
    struct order o = {.number = (uint64_t)i + 1,
                      .kind = ORDER_FAULT,
                      .duration_s = i == 0 ? 0.2 : 0,
                      .fault = {.kind = FAULT_JITTER}};
    o.name[0] = (char)('a' + i);
    ck_assert(events_begin_ordered(&s, &o, 1, STEP_S));
  }
  struct order more = {.number = 99, .kind = ORDER_FAULT, .name = "more", .fault = {.kind = FAULT_NO_OUTPUT}};
  ck_assert(!events_begin_ordered(&s, &more, 1, STEP_S) && s.orders_refused == 1);
  v = view_at(3, 0);
  events_update(&s, &def, 1, &v);
  ck_assert_int_eq(s.faults.count, MAX_ORDERS); // the first has ended after its duration
  const struct order clear_b = {.number = 100, .kind = ORDER_CLEAR, .name = "b"};
  events_clear(&s, &clear_b);
  ck_assert_int_eq(s.faults.count, MAX_ORDERS - 1);
  const struct order clear_all = {.number = 101, .kind = ORDER_CLEAR, .name = ALL_FAULTS};
  events_clear(&s, &clear_all);
  ck_assert(s.faults.count == 0 && s.ended == MAX_ORDERS + 1 && s.event[0].over);
  ck_assert(!memcmp(s.end_step, (uint64_t[MAX_FAULTS]){0},
                    sizeof s.end_step)); // no remains in the bytes of the state
  ck_assert(before.faults.count == 1);
}
END_TEST

// --- the way of commands ---

static uint64_t came[1000];

// Sends command i at every tenth step; came[] receives the command that arrives at each step, 0: none.
static struct link_counts run_link(enum fault_kind kind, double value, int steps) {
  struct fault_set faults = {.count = 1, .fault = {{.kind = kind, .target = -1, .value = {value}}}};
  struct link l;
  memset(&l, 0, sizeof l);
  link_begin(&l, 7);
  for (int step = 0; step < steps; step++) {
    struct command sent = {.sequence = (uint64_t)step / 10 + 1}, delivered = {0};
    int comes = link_transfer(&l, &faults, (uint64_t)step, STEP_S, step % 10 ? NULL : &sent, &delivered);
    came[step] = comes ? delivered.sequence : 0;
  }
  return l.counts;
}

START_TEST(commands_go_through_as_they_are) {
  struct link_counts c = run_link(FAULT_NO_OUTPUT, 1, 1000);
  for (int step = 0; step < 1000; step++)
    ck_assert_uint_eq(came[step], step % 10 ? 0 : (uint64_t)step / 10 + 1);
  ck_assert(!c.lost && !c.delayed && !c.duplicated && !c.reordered);
}
END_TEST

START_TEST(commands_get_lost) {
  ck_assert_uint_eq(run_link(FAULT_LOSS, 1, 1000).lost, 100);
  ck_assert_uint_eq(run_link(FAULT_LOSS, 0, 1000).lost, 0);
  struct link_counts c = run_link(FAULT_LOSS, 0.3, 1000);
  uint64_t arrived = 0;
  for (int step = 0; step < 1000; step++)
    arrived += came[step] > 0;
  ck_assert(c.lost + arrived == 100 && c.lost > 15 && c.lost < 45);
}
END_TEST

START_TEST(commands_come_late) {
  struct link_counts c = run_link(FAULT_JITTER, 0.7, 1000);
  int late[8] = {0}, all = 0;
  for (int step = 0; step < 1000; step++)
    if (came[step]) {
      ck_assert_int_lt(step % 10, 8);
      ck_assert_uint_eq(came[step], (uint64_t)step / 10 + 1);
      late[step % 10]++, all++;
    }
  ck_assert(all == 100 && c.delayed == (uint64_t)(100 - late[0]));
  for (int i = 0; i < 8; i++)
    ck_assert_int_gt(late[i], 3); // uniform: 12.5 on average
}
END_TEST

START_TEST(commands_come_twice_or_swapped) {
  struct link_counts c = run_link(FAULT_DUPLICATE, 1, 100);
  ck_assert_uint_eq(c.duplicated, 10);
  for (int step = 0; step < 100; step++) // each a second time, one step after the next one
    ck_assert_uint_eq(came[step], step % 10 == 0   ? (uint64_t)step / 10 + 1
                                  : step % 10 == 1 ? (uint64_t)step / 10
                                                   : 0);
  c = run_link(FAULT_REORDER, 1, 100);
  ck_assert_uint_eq(c.reordered, 10);
  for (int step = 0; step < 100; step++)
    ck_assert_uint_eq(came[step], step % 10 == 1 ? (uint64_t)step / 10 : 0);
}
END_TEST

// The same seed gives the same losses; a full queue counts what it cannot hold.
START_TEST(the_link_is_plain_data) {
  run_link(FAULT_LOSS, 0.5, 1000);
  uint64_t once[1000];
  memcpy(once, came, sizeof once);
  run_link(FAULT_LOSS, 0.5, 1000);
  ck_assert(!memcmp(once, came, sizeof once));
  struct fault_set faults = {.count = 1, .fault = {{.kind = FAULT_JITTER, .target = -1, .value = {10}}}};
  struct link l;
  memset(&l, 0, sizeof l);
  link_begin(&l, 1);
  struct command c = {.sequence = 1}, out;
  for (uint64_t i = 0; i < 4 * LINK_QUEUE; i++)
    link_transfer(&l, &faults, 0, 1e-4, &c, &out);
  ck_assert(l.count == LINK_QUEUE && l.counts.lost > 2 * LINK_QUEUE);
}
END_TEST

START_TEST(sensors_get_lost_and_clocks_step) {
  struct fault_set faults = {.count = 3,
                             .fault = {{.kind = FAULT_SENSORS_LOSS, .target = -1, .value = {0.5}},
                                       {.kind = FAULT_CLOCK_JUMP, .target = -1, .value = {2}},
                                       {.kind = FAULT_CLOCK_JUMP, .target = -1, .value = {-0.5}}}};
  struct link l;
  memset(&l, 0, sizeof l);
  link_begin(&l, 3);
  int lost = 0;
  for (int i = 0; i < 1000; i++)
    lost += link_loses_sensors(&l, &faults);
  ck_assert(lost > 430 && lost < 570 && l.counts.sensors_lost == (uint64_t)lost);
  ck_assert_double_eq(link_clock_offset_s(&faults), 1.5);
  faults.count = 0;
  ck_assert(!link_loses_sensors(&l, &faults) && link_clock_offset_s(&faults) == 0);
}
END_TEST

// --- thrusters and power ---

struct plant_case {
  struct thruster_setpoint setpoint[MAX_THRUSTERS];
  struct sim_input input;
  struct readings told;
};

static struct plant_case plant_with(const struct fault_set *faults, double time_s) {
  struct plant_case c;
  const struct restart none = {{0}};
  memset(&c, 0, sizeof c);
  truth.thruster_count = names.thruster_count, truth.bus_count = names.bus_count;
  for (int i = 0; i < 2; i++) {
    names.full_rpm[i] = 200 + i;
    c.setpoint[i] = (struct thruster_setpoint){1, 50 + i, 0.5, 0.1 * i};
    truth.thruster[i] = (struct thruster_output){
        .running = 1, .ready = 1, .revolutions_rpm = 48 + i, .pitch = 0.4, .azimuth_rad = 1 + i};
    truth.bus[i].available_w = 1e6, truth.bus[i].used_w = 2e5;
  }
  plant_apply_faults(faults, &none, &names, 0, time_s, c.setpoint, &c.input);
  plant_feedback(faults, &names, &truth, &c.told);
  return c;
}

// Every fault of a thruster or bus affects its target and nothing else.
START_TEST(each_fault_of_the_plant_has_an_effect) {
  const struct fault_set none = {0};
  struct plant_case good = plant_with(&none, 3);
  ck_assert(good.told.thruster_count == 2 && good.told.power_used_w == 4e5 &&
            good.told.thruster[1].revolutions_rpm == 49);
  for (int k = 0; k < FAULT_COUNT; k++) {
    enum fault_target acts_on = fault_target_of((enum fault_kind)k);
    if (k == FAULT_EMERGENCY_RESET) // ends the stop among the events (program_emergency_stop)
      continue;
    const int is_single = acts_on == TARGET_TENSIONER || acts_on == TARGET_MANAGEMENT;
    if (!is_single && acts_on != TARGET_THRUSTER && acts_on != TARGET_BUS && acts_on != TARGET_GENERATOR &&
        acts_on != TARGET_TIE)
      continue;
    struct fault_set faults = {
        .count = 1,
        .fault = {{.kind = (enum fault_kind)k, .target = is_single ? -1 : 1, .since_s = 1, .value = {0.25}}}};
    struct restart restart = {{0}};
    struct plant_case bad = plant_with(&faults, 3);
    if (k == FAULT_BLACKOUT) {
      restart_update(&restart, &faults, 2, 0, STEP_S);
      plant_apply_faults(&faults, &restart, &names, 0, 3, bad.setpoint, &bad.input);
    }
    ck_assert_msg(memcmp(&good, &bad, sizeof good) != 0, "%s has no effect", fault_name((enum fault_kind)k));
    ck_assert_msg(
        !memcmp(&good.setpoint[0], &bad.setpoint[0], sizeof good.setpoint[0]) &&
            !memcmp(&good.input.thruster[0], &bad.input.thruster[0], sizeof good.input.thruster[0]) &&
            !memcmp(&good.input.bus[0], &bad.input.bus[0], sizeof good.input.bus[0]) &&
            !memcmp(&good.input.power.generator[0], &bad.input.power.generator[0],
                    sizeof good.input.power.generator[0]) &&
            !memcmp(&good.input.power.tie[0], &bad.input.power.tie[0], sizeof good.input.power.tie[0]) &&
            !memcmp(&good.told.thruster[0], &bad.told.thruster[0], sizeof good.told.thruster[0]),
        "%s has an effect on another", fault_name((enum fault_kind)k));
  }
}
END_TEST

START_TEST(faults_of_thrusters_are_what_they_say) {
  struct fault_set f = {.count = 1,
                        .fault = {{.kind = FAULT_ROTATING, .target = -1, .since_s = 1, .value = {0.25}}}};
  struct plant_case c = plant_with(&f, 3);
  ck_assert_double_eq(c.setpoint[0].azimuth_rad, 0.5);
  f.fault[0].kind = FAULT_TO_FULL;
  c = plant_with(&f, 3);
  ck_assert(c.setpoint[1].revolutions_rpm == 201 && c.setpoint[1].pitch == 1);
  f.fault[0].kind = FAULT_TO_ZERO;
  c = plant_with(&f, 3);
  ck_assert(c.setpoint[1].revolutions_rpm == 0 && c.setpoint[1].pitch == 0 &&
            c.setpoint[1].azimuth_rad == 0.1);
  f.fault[0].kind = FAULT_SLUGGISH;
  c = plant_with(&f, 3);
  ck_assert(c.input.thruster[0].slowed == 0.75 && !c.input.thruster[0].stuck);
  f.fault[0].value[0] = 0;
  c = plant_with(&f, 3);
  ck_assert(c.input.thruster[0].slowed == 0 && c.input.thruster[0].stuck);
  f.fault[0] = (struct fault){.kind = FAULT_SWAPPED, .target = 0, .value = {1}};
  c = plant_with(&f, 3);
  ck_assert(c.told.thruster[0].revolutions_rpm == 49 && c.told.thruster[0].azimuth_rad == 2);
  ck_assert_str_eq(c.told.thruster[0].name, "bow");
  f.fault[0] = (struct fault){.kind = FAULT_FEEDBACK, .target = 0, .value = {-0.5}};
  c = plant_with(&f, 3);
  ck_assert(c.told.thruster[0].revolutions_rpm == -24 && c.setpoint[0].revolutions_rpm == 50);
  f.fault[0] = (struct fault){.kind = FAULT_LOAD_LIMIT, .target = 0, .value = {0.2}};
  ck_assert_double_eq_tol(plant_with(&f, 3).input.bus[0].withheld, 0.8, 1e-15);
}
END_TEST

// The buses are without power during the fault; then the affected buses return one interval after another.
START_TEST(a_blackout_restarts_in_stages) {
  const struct fault_set none = {0};
  struct fault_set faults = {.count = 1, .fault = {{.kind = FAULT_BLACKOUT, .target = -1, .value = {0.3}}}};
  struct restart restart = {{0}};
  for (uint64_t step = 0; step < 10; step++) {
    struct thruster_setpoint setpoint[MAX_THRUSTERS] = {{0}};
    struct sim_input input = {0};
    const struct fault_set *now = step >= 2 && step < 5 ? &faults : &none;
    restart_update(&restart, now, 2, step, STEP_S);
    plant_apply_faults(now, &restart, &names, step, 0, setpoint, &input);
    ck_assert_int_eq(input.bus[0].lost, step >= 2 && step < 5);
    ck_assert_int_eq(input.bus[1].lost, step >= 2 && step < 8);
  }
}
END_TEST

// --- verdicts ---

struct judged {
  struct verdict_def def;
  enum verdict_result result;
  uint64_t violations, first_step, worst_step;
  double worst_margin;
};

#define NORTH .quantity = QUANTITY_NORTH, .after = -1
#define NONE  (double)INFINITY

// north = step for 0 to 9, then 10 for 10 to 20.
static const struct judged judged[] = {
    // three steps outside are a violation
    {{NORTH, .low = -NONE, .high = 10}, VERDICT_PASSED, 0, 0, 10, 0}, // the bound itself is permitted
    {{NORTH, .low = -NONE, .high = 9.999}, VERDICT_FAILED, 1, 10, 10, -0.001},
    {{NORTH, .low = 0, .high = NONE}, VERDICT_PASSED, 0, 0, 0, 0},
    {{NORTH, .low = 3, .high = 8}, VERDICT_FAILED, 2, 0, 0, -3},
    {{NORTH, .low = 3, .high = 8, .grace_s = 0.3}, VERDICT_FAILED, 1, 9, 0, -3},
    // too short to be a violation
    {{NORTH, .low = 3, .high = 8, .grace_s = 0.2}, VERDICT_FAILED, 2, 0, 0, -3},
    {{NORTH, .low = 3, .high = 8, .from_s = 0.3, .to_s = 0.8}, VERDICT_PASSED, 0, 0, 3, 0},
    {{NORTH, .low = 3, .high = 8, .from_s = 0.3, .to_s = 0.9}, VERDICT_FAILED, 1, 9, 9, -1},
    {{NORTH, .low = 3, .high = 8, .from_s = 0.2, .to_s = 0.8}, VERDICT_FAILED, 1, 2, 2, -1},
    {{NORTH, .low = 3, .high = 8, .from_s = 5}, VERDICT_NOT_JUDGED, 0, 0, 0, 0},
    {{NORTH, .low = 3, .high = 8, .expect_violated = 1}, VERDICT_PASSED, 2, 0, 0, -3},
    {{NORTH, .low = -1, .high = 11, .expect_violated = 1}, VERDICT_FAILED, 0, 0, 0, 1},
    {{NORTH, .low = -1, .high = 11, .from_s = 5, .expect_violated = 1}, VERDICT_NOT_JUDGED, 0, 0, 0, 0},
    {{.quantity = QUANTITY_NORTH, .after = 0, .low = 4, .high = 8, .to_s = 0.4}, VERDICT_PASSED, 0, 0, 4, 0},
    {{.quantity = QUANTITY_NORTH, .after = 0, .low = 5, .high = 8, .to_s = 0.4}, VERDICT_FAILED, 1, 4, 4, -1},
    {{.quantity = QUANTITY_NORTH, .after = 1, .low = -100, .high = 100}, VERDICT_NOT_JUDGED, 0, 0, 0, 0},
    {{.quantity = QUANTITY_LAYBACK, .after = -1, .low = -NONE, .high = 1e9}, VERDICT_FAILED, 1, 0, 0, -NONE},
};

START_TEST(verdicts_at_their_bounds) {
  const struct judged *j = &judged[_i];
  const struct event_def defs[] = {event(0.4, -1, 0.1, FAULT_NO_OUTPUT), event(100, -1, 0, FAULT_NO_OUTPUT)};
  struct events events;
  struct verdict verdict = {0};
  memset(&events, 0, sizeof events);
  truth.layback_m = (double)NAN;
  for (uint64_t step = 0; step <= 20; step++) {
    struct loop_view v = view_at(step, step < 10 ? (double)step : 10);
    events_update(&events, defs, 2, &v);
    verdict_judge(&verdict, &j->def, &events, &v);
  }
  ck_assert_int_eq(verdict_result(&verdict, &j->def), j->result);
  ck_assert_uint_eq(verdict.violations, j->violations);
  ck_assert_uint_eq(verdict.first_step, j->first_step);
  ck_assert_uint_eq(verdict.worst_step, j->worst_step);
  ck_assert(verdict.worst_margin == j->worst_margin || fabs(verdict.worst_margin - j->worst_margin) < 1e-12);
}
END_TEST

START_TEST(quantities) {
  truth.position_n_m[0] = 13, truth.position_n_m[1] = 24, truth.position_n_m[2] = 2;
  truth.euler_rad[2] = 3.1;
  truth.velocity_n_mps[0] = 3, truth.velocity_n_mps[1] = -4;
  truth.step = 50;
  target.position_n_m[0] = 10, target.position_n_m[1] = 20, target.heading_rad = -3.1;
  target.start_n_m[0] = 13, target.start_n_m[1] = 12, target.start_n_m[2] = 0.5;
  const struct loop_view v = {.truth = &truth, .target = &target, .command_based_on_step = 20};
  ck_assert_double_eq_tol(quantity_shown(QUANTITY_OFFSET, &v), 5, 1e-12);
  ck_assert_double_eq_tol(quantity_shown(QUANTITY_DRIFT, &v), 12, 1e-12);
  ck_assert_double_eq_tol(quantity_shown(QUANTITY_HEAVE, &v), 1.5, 1e-12);
  ck_assert_double_eq_tol(quantity_shown(QUANTITY_SPEED, &v), 5, 1e-12);
  ck_assert_double_eq_tol(quantity_shown(QUANTITY_COMMAND_AGE, &v), 3, 1e-12);
  double shorter_way = (6.2 - 2 * acos(-1)) * 180 / acos(-1);
  ck_assert_double_eq_tol(quantity_shown(QUANTITY_HEADING_ERROR, &v), shorter_way, 1e-9);
}
END_TEST

START_TEST(quantities_of_the_run) {
  target.step_s = 0.1;
  struct ledger ledger = {.turnover_j = 1e6, .max_abs_total_residual_j = 2};
  timing = (struct timing){.late_steps = 2, .lost_periods = 40, .lag_s = 4};
  struct loop_view v = {.truth = &truth, .target = &target, .ledger = &ledger, .timing = &timing};
  static const int commands[COMMAND_STATE_COUNT] = {[COMMAND_LIVE] = 1, [COMMAND_OLD] = 1};
  for (int state = 0; state < COMMAND_STATE_COUNT; state++) {
    v.command_state = (enum command_state)state;
    target.controller_inside = 0;
    ck_assert_double_eq(quantity_shown(QUANTITY_IN_COMMAND, &v), commands[state]);
    target.controller_inside = 1; // a controller inside the simulator needs no command
    ck_assert_double_eq(quantity_shown(QUANTITY_IN_COMMAND, &v), 1);
  }
  target.controller_inside = 0;
  ck_assert_double_eq_tol(quantity_shown(QUANTITY_CLOSURE, &v), 2e-6, 1e-18);
  ck_assert_double_eq(quantity_shown(QUANTITY_LATE_STEPS, &v), 2);
  ck_assert_double_eq(quantity_shown(QUANTITY_LOST_PERIODS, &v), 40);
  ck_assert_double_eq(quantity_shown(QUANTITY_LATE_OR_LOST, &v), 42);
  ck_assert_double_eq_tol(quantity_shown(QUANTITY_LAG, &v), 4, 1e-12);
  for (int q = 0; q < QUANTITY_COUNT; q++)
    ck_assert_int_eq(quantity_is_of_clock((enum quantity)q), q >= QUANTITY_LATE_STEPS);
}
END_TEST

// A last step that becomes late at its end is judged as well, once; quantities of the state are not judged
// twice.
START_TEST(the_last_step_may_end_late) {
  const struct verdict_def defs[2] = {
      {.quantity = QUANTITY_LOST_PERIODS, .after = -1, .low = -NONE, .high = 10},
      {.quantity = QUANTITY_NORTH, .after = -1, .low = -NONE, .high = 10}};
  struct verdict verdict[2] = {{0}, {0}};
  struct events events;
  memset(&events, 0, sizeof events);
  struct loop_view v = view_at(0, 0);
  for (uint64_t step = 0; step < 5; step++) {
    v = view_at(step, 0);
    for (int i = 0; i < 2; i++)
      verdict_judge(&verdict[i], &defs[i], &events, &v);
  }
  timing.lost_periods = 11;
  truth.position_n_m[0] = 100;
  for (int i = 0; i < 2; i++)
    verdict_judge_end(&verdict[i], &defs[i], &events, &v);
  ck_assert_int_eq(verdict_result(&verdict[0], &defs[0]), VERDICT_FAILED);
  ck_assert_uint_eq(verdict[0].violations, 1);
  ck_assert_double_eq(verdict[0].worst_value, 11);
  ck_assert_uint_eq(verdict[0].judged_steps, 5);
  ck_assert_int_eq(verdict_result(&verdict[1], &defs[1]), VERDICT_PASSED);
  verdict_judge_end(&verdict[0], &defs[0], &events, &v);
  ck_assert_uint_eq(verdict[0].violations, 1);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("loop_scenario");
  TCase *t = add_case(suite, "scenario", 30);
  tcase_add_checked_fixture(t, set_up, NULL);
  tcase_add_test(t, every_kind_by_name);
  tcase_add_test(t, what_is_wrong_is_said);
  tcase_add_test(t, events_by_time);
  tcase_add_test(t, events_by_condition);
  tcase_add_test(t, orders_begin_and_clear);
  tcase_add_test(t, commands_go_through_as_they_are);
  tcase_add_test(t, commands_get_lost);
  tcase_add_test(t, commands_come_late);
  tcase_add_test(t, commands_come_twice_or_swapped);
  tcase_add_test(t, the_link_is_plain_data);
  tcase_add_test(t, sensors_get_lost_and_clocks_step);
  tcase_add_test(t, each_fault_of_the_plant_has_an_effect);
  tcase_add_test(t, faults_of_thrusters_are_what_they_say);
  tcase_add_test(t, a_blackout_restarts_in_stages);
  tcase_add_loop_test(t, verdicts_at_their_bounds, 0, sizeof judged / sizeof *judged);
  tcase_add_test(t, quantities);
  tcase_add_test(t, quantities_of_the_run);
  tcase_add_test(t, the_last_step_may_end_late);
  return run_suite(suite);
}
