// The list of outputs: names, units and meanings of each row; its value on shipped scenes; its field in the
// messages. program_outputs compares the list with record, summary, statics, --find, schema and page.

#include "net/counts/counts.h"
#include "net/messages/messages.h"
#include "sagbend/loop/loop.h"
#include "sagbend/rig/rig.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include "setup_bench.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct unit {
  const char *suffix, *unit;
} UNITS[] = {{"_radps", "rad/s"},
             {"_degps", "deg/s"},
             {"_mps", "m/s"},
             {"_1pm", "1/m"},
             {"_rad", "rad"},
             {"_deg", "deg"},
             {"_nm", "N m"},
             {"_m", "m"},
             {"_n", "N"},
             {"_w", "W"},
             {"_s", "s"},
             {"_j", "J"},
             {"_kg", "kg"},
             {"_1ps", "1/s"},
             {"_h", "h"},
             {"_nspm", "N s/m"},
             {"_nmsprad", "N m s/rad"}};

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), part = strlen(end);
  return length > part && !strcmp(text + length - part, end);
}

static const char *unit_by_suffix(const char *name) {
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++)
    if (ends_with(name, UNITS[i].suffix))
      return UNITS[i].unit;
  return "";
}

START_TEST(units_are_those_of_the_suffixes) {
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_info *info = &quantity_table[q];
    ck_assert_str_eq(info->unit, unit_by_suffix(info->name));
    ck_assert_str_eq(info->shown_unit, unit_by_suffix(info->shown_name));
    int is_angle = !strncmp(info->unit, "rad", 3);
    ck_assert_int_eq(is_angle, strcmp(info->name, info->shown_name) != 0);
    if (is_angle) { // the same word before the unit
      size_t stem = strrchr(info->name, '_') - info->name;
      ck_assert(!strncmp(info->name, info->shown_name, stem + 1));
    }
    if (info->message != MESSAGE_NONE)
      ck_assert_str_eq(unit_by_suffix(info->field), info->unit);
    else
      ck_assert_str_eq(info->field, "none");
  }
}
END_TEST

START_TEST(names_are_unique) {
  const char *names[2 * QUANTITY_COUNT];
  int count = 0;
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    names[count++] = quantity_table[q].name;
    if (strcmp(quantity_table[q].name, quantity_table[q].shown_name) != 0)
      names[count++] = quantity_table[q].shown_name;
  }
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++)
      ck_assert_str_ne(names[i], names[k]);
}
END_TEST

START_TEST(meanings_stand_alone) {
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const char *meaning = quantity_table[q].meaning;
    ck_assert(strlen(meaning) > 3 && strlen(meaning) < 140);
    ck_assert(meaning[strlen(meaning) - 1] != '.');
    static const char *const openings[] = {"of ", "from ", "in ", "the same", "it ", "how ", "what "};
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
      ck_assert(strncmp(meaning, openings[i], strlen(openings[i])) != 0);
  }
}
END_TEST

// Events take the quantities before STATE_QUANTITY_COUNT.
START_TEST(clock_stands_last) {
  for (int q = 0; q < QUANTITY_COUNT; q++)
    ck_assert_int_eq(quantity_is_of_clock((enum quantity)q), q >= STATE_QUANTITY_COUNT);
}
END_TEST

START_TEST(groups_are_complete) {
  for (int i = 0; i < QUANTITY_GROUP_COUNT; i++) {
    int rows = 0;
    ck_assert(quantity_groups[i].title && quantity_groups[i].object);
    for (int q = 0; q < QUANTITY_COUNT; q++)
      rows += quantity_table[q].group == (enum quantity_group)i;
    ck_assert_int_gt(rows, 0);
  }
  for (int i = 0; i < QUANTITY_MESSAGE_COUNT; i++) {
    int rows = 0;
    ck_assert_ptr_nonnull(quantity_message_path((enum quantity_message)i));
    for (int q = 0; q < QUANTITY_COUNT; q++)
      rows += quantity_table[q].message == (enum quantity_message)i;
    ck_assert_int_gt(rows, 0);
  }
}
END_TEST

// The first frame of a shipped configuration, and a few steps.
static struct bench *open_bench(const char *config, const char *override, const char *steel) {
  char path[512], text[128], check[128], material[256];
  snprintf(path, sizeof path, "%s/configs/%s", TEST_SOURCE_DIR, config);
  snprintf(text, sizeof text, "%s", override);
  snprintf(check, sizeof check, "pipe.code_check={safety_class: low}");
  snprintf(material, sizeof material, "pipe.steel=%s", steel ? steel : "null");
  const struct case_options options = {
      .config_path = path, .overrides = {text, check, material}, .override_count = steel ? 3 : 1};
  struct bench *b = load_bench(&options);
  begin_loop(b, NULL, NULL);
  for (int i = 0; i < 5; i++)
    closed_loop_step(&b->loop, NULL);
  return b;
}

// Steel of the 10-inch pipe of osv-83m.yaml.
#define STEEL(wall)                                                                                          \
  "{wall_thickness_m: " wall ", wall_tolerance_m: 0.0005, yield_strength_pa: 450e6, "                        \
  "tensile_strength_pa: 535e6, fabrication_factor: 1, ovality: 0.01, grade: x65}"

static const struct scene {
  const char *config, *override, *steel;
  int has_contact, everything_exists;
} SCENES[] = {
    {"osv-83m-weather.yaml", "simulation.step_s=0.01", STEEL("0.0127"), 1, 1},
    {"jlay-900m.yaml", "pipe.lower_end.height_m=100", NULL, 0, 0},
    {"jlay-900m.yaml", "pipe.payout={programme: [{start_s: 0, length_m: 20, speed_mps: 0.5}]}", NULL, 1, 0},
    {"slay-100m.yaml", "simulation.step_s=0.01", NULL, 1, 0},
    {"osv-83m-power.yaml", "simulation.step_s=0.01", NULL, 1, 0},
    {"vessel-only.yaml", "simulation.step_s=0.01", NULL, 0, 0}};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

START_TEST(values_are_finite) {
  const struct scene *scene = &SCENES[_i];
  struct bench *b = open_bench(scene->config, scene->override, scene->steel);
  const struct loop_view view = loop_view_of(&b->loop.frame, &b->loop.target);
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_info *info = &quantity_table[q];
    int exists = quantity_exists((enum quantity)q, &view);
    if (scene->everything_exists && info->group != GROUP_TENSIONER && info->group != GROUP_RETIRING &&
        info->group != GROUP_ORDERED_TENSIONER && info->group != GROUP_ROUTE &&
        info->group != GROUP_OPERATIONS && info->group != GROUP_STINGER && info->group != GROUP_SOIL &&
        info->group != GROUP_FATIGUE && info->group != GROUP_POWER_PLANT && info->group != GROUP_CHANGEOVER)
      ck_assert_msg(exists, "%s", info->name);
    if (!exists)
      continue;
    double value = quantity_value((enum quantity)q, &view), shown = quantity_shown((enum quantity)q, &view);
    int undefined = info->group == GROUP_TOUCHDOWN ? !scene->has_contact : q == QUANTITY_CONSEQUENCE_MARGIN;
    ck_assert(!undefined || quantity_groups[info->group].undefined); // no scene makes the analysis
    ck_assert_msg(undefined ? isnan(value) && isnan(shown) : isfinite(value), "%s: %g", info->name, value);
    if (!undefined)
      ck_assert_double_eq(shown, !strncmp(info->unit, "rad", 3) ? value * (180 / acos(-1)) : value);
  }
  ck_assert(isnan(quantity_value(QUANTITY_COUNT, &view)));
  close_bench(b);
}
END_TEST

// --- messages ---

static const struct top {
  const char *name;
  const ProtobufCMessageDescriptor *descriptor;
} TOPS[] = {{"Truth", &sagbend__v1__truth__descriptor},
            {"Sensors", &sagbend__v1__sensors__descriptor},
            {"Ledger", &sagbend__v1__ledger__descriptor},
            {"Timing", &sagbend__v1__timing__descriptor}};
enum { TOP_COUNT = sizeof TOPS / sizeof *TOPS };

static double number_at(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *f) {
  const char *at = (const char *)m + f->offset;
  double value = NAN;
  uint32_t whole32;
  uint64_t whole64;
  if (f->type == PROTOBUF_C_TYPE_DOUBLE) {
    memcpy(&value, at, sizeof value);
  } else if (f->type == PROTOBUF_C_TYPE_UINT32) {
    memcpy(&whole32, at, sizeof whole32);
    value = whole32;
  } else if (f->type == PROTOBUF_C_TYPE_UINT64) {
    memcpy(&whole64, at, sizeof whole64);
    value = (double)whole64;
  }
  return value;
}

// The number under "Truth.pipe" and "max_moment_nm" in unpacked messages; fails if the path does not exist.
static double number_in(ProtobufCMessage *const messages[TOP_COUNT], const char *path, const char *field) {
  char text[128];
  snprintf(text, sizeof text, "%s.%s", path, field);
  char *part = strtok(text, ".");
  const ProtobufCMessage *m = NULL;
  for (int i = 0; i < TOP_COUNT; i++)
    if (!strcmp(TOPS[i].name, part))
      m = messages[i];
  while ((part = strtok(NULL, "."))) {
    ck_assert_msg(m != NULL, "%s.%s: absent", path, field);
    const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field_by_name(m->descriptor, part);
    ck_assert_msg(f != NULL, "%s.%s: %s has no %s", path, field, m->descriptor->name, part);
    if (f->type != PROTOBUF_C_TYPE_MESSAGE)
      return number_at(m, f);
    memcpy(&m, (const char *)m + f->offset, sizeof m);
  }
  ck_abort_msg("%s.%s is not a number", path, field);
}

static void unpack_all(const struct frame *f, ProtobufCMessage *messages[TOP_COUNT]) {
  static uint8_t bytes[65536];
  const struct wire_header h = {.session = "test", .sequence = 1, .step = 1, .time_s = 1};
  const struct command_counts counts = {0};
  for (int i = 0; i < TOP_COUNT; i++) {
    size_t size = i == 0   ? wire_pack_truth(&h, f, bytes, sizeof bytes)
                  : i == 1 ? wire_pack_sensors(&h, f, WIRE_PLAIN, bytes, sizeof bytes)
                  : i == 2 ? wire_pack_ledger(&h, f, bytes, sizeof bytes)
                           : wire_pack_timing(&h, f, &counts, NULL, NULL, bytes, sizeof bytes);
    ck_assert_uint_gt(size, 0);
    messages[i] = protobuf_c_message_unpack(TOPS[i].descriptor, NULL, size, bytes);
    ck_assert_ptr_nonnull(messages[i]);
  }
}

// Each row with a field finds its value there, and no two rows share a field.
START_TEST(messages_contain_the_values) {
  struct bench *b = open_bench("osv-83m-weather.yaml", "simulation.step_s=0.01", STEEL("0.0127"));
  struct frame *f = &b->loop.frame;
  ProtobufCMessage *messages[TOP_COUNT];
  f->readings.instrument_count = 0; // Sensors contains the exact values
  f->timing.late_steps = 11, f->timing.lost_periods = 12, f->timing.lag_s = 16;
  f->output.has_stinger = 1, f->output.max_reaction_n = 17, f->output.tip_reaction_n = 18;
  f->output.tip_clearance_m = 19, f->output.overbend_strain = 20, f->output.overbend_strain_arc_length_m = 21;
  f->output.has_soil = 1, f->output.soil_embedment_m = 31, f->output.soil_suction_n = 32;
  f->output.has_fatigue = 1, f->output.fatigue_damage = 33, f->output.fatigue_arc_m = 34;
  f->output.fatigue_point = 35, f->output.fatigue_rate_1ps = 36, f->output.fatigue_standby_h = 37;
  f->output.power = (struct power_output){
      .present = 1,
      .running = 22,
      .frequency_min = 23,
      .reserve_w = 24,
      .battery_j = 25,
      .ledger = {.fuel_j = 26, .electric_j = 27, .coasting_j = 28, .stored_j = 29, .residual_j = 30}};
  f->output.newton_iterations = 13, f->output.not_converged_count = 14,
  f->output.contact_not_resolved_count = 15;
  double *const numbers[] = {f->output.velocity_b, f->output.control_wrench_b, f->output.thruster_wrench_b};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++)
      numbers[i][k] = 100 * (i + 1) + k;
  static struct track_def track; // a straight leg to the north-east
  const struct waypoint waypoints[] = {{{0, 0}, 0}, {{3000, 4000}, 0}};
  int at;
  double most_m;
  ck_assert(route_build(waypoints, 2, &track.route, &at, &most_m) == ROUTE_GOOD);
  f->target.track = &track;
  unpack_all(f, messages);
  const struct loop_view view = loop_view_of(f, &f->target);
  int count = 0;
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_info *info = &quantity_table[q];
    if (info->message == MESSAGE_NONE)
      continue;
    for (int k = 0; k < q; k++)
      ck_assert(quantity_table[k].message != info->message ||
                strcmp(quantity_table[k].field, info->field) != 0);
    double found = number_in(messages, quantity_message_path(info->message), info->field);
    ck_assert_msg(found == quantity_value((enum quantity)q, &view), "%s: %g", info->name, found);
    count++;
  }
  ck_assert_int_gt(count, 60);
  for (int i = 0; i < TOP_COUNT; i++)
    protobuf_c_message_free_unpacked(messages[i], NULL);
  close_bench(b);
}
END_TEST

// On a route the offset counts from its nearest point, between its begin and its end, and the heading from
// its course; an operator's set-point ends the route.
START_TEST(offset_counts_from_the_route) {
  static struct track_def track = {.heading_offset_rad = 0.1};
  const struct waypoint waypoints[] = {{{0, 0}, 0}, {{1000, 0}, 0}};
  int at;
  double most_m;
  ck_assert(route_build(waypoints, 2, &track.route, &at, &most_m) == ROUTE_GOOD);
  struct sim_output truth = {.position_n_m = {400, 3, 0}, .euler_rad = {0, 0, 0.3}};
  struct loop_target target = {.position_n_m = {-50, 0}, .track = &track};
  const struct loop_view view = {.truth = &truth, .target = &target};
  ck_assert_double_eq_tol(quantity_value(QUANTITY_OFFSET, &view), 3, 1e-12);
  ck_assert_double_eq_tol(quantity_value(QUANTITY_HEADING_ERROR, &view), 0.2, 1e-12);
  ck_assert_double_eq_tol(quantity_value(QUANTITY_ROUTE_DISTANCE, &view), 400, 1e-12);
  ck_assert_double_eq_tol(quantity_value(QUANTITY_ROUTE_CROSS, &view), 3, 1e-12);
  truth.position_n_m[0] = -4; // before the begin
  ck_assert_double_eq_tol(quantity_value(QUANTITY_OFFSET, &view), 5, 1e-12);
  truth.position_n_m[0] = 1004; // behind the end
  ck_assert_double_eq_tol(quantity_value(QUANTITY_OFFSET, &view), 5, 1e-12);
  target.order = 1;
  ck_assert_double_eq_tol(quantity_value(QUANTITY_OFFSET, &view), sqrt(1054. * 1054 + 9), 1e-9);
  ck_assert_double_eq_tol(quantity_value(QUANTITY_HEADING_ERROR, &view), 0.3, 1e-12);
}
END_TEST

// A thruster is saturated from 98 % of its full thrust in either direction on, while it runs.
START_TEST(saturated_thrusters_are_counted) {
  struct sim_output truth = {.thruster_count = 5};
  const double share[] = {0.979, 0.98, -1, 1, -0.5};
  for (int i = 0; i < 5; i++)
    truth.thruster[i] = (struct thruster_output){.running = i != 3, .thrust_share = share[i]};
  const struct loop_view view = {.truth = &truth};
  ck_assert_double_eq(quantity_value(QUANTITY_SATURATED, &view), 2);

  struct bench *b = open_bench("osv-83m.yaml", "simulation.step_s=0.01", NULL);
  const struct sim_output *o = &b->loop.frame.output;
  ck_assert_int_gt(o->thruster_count, 0);
  for (int i = 0; i < o->thruster_count; i++) {
    const struct thruster_output *t = &o->thruster[i];
    const double turned =
        t->revolutions_rpm / b->setup.config.sim.vessel.plant.thruster[i].revolutions_max_rpm;
    ck_assert_double_eq_tol(t->thrust_share, turned * fabs(turned), 1e-12);
  }
  close_bench(b);
}
END_TEST

// A check outside its limits is undefined and absent from the message.
START_TEST(a_check_that_does_not_apply_is_absent) {
  struct bench *b = open_bench("osv-83m-weather.yaml", "simulation.step_s=0.01", STEEL("0.004"));
  const struct loop_view view = loop_view_of(&b->loop.frame, &b->loop.target);
  static uint8_t bytes[65536];
  const struct wire_header h = {.session = "test", .sequence = 1, .step = 1, .time_s = 1};
  ck_assert(isnan(quantity_value(QUANTITY_LOAD_CONTROLLED_UTILISATION, &view)));
  ck_assert(isnan(quantity_value(QUANTITY_UTILISATION, &view)));
  ck_assert(isfinite(quantity_value(QUANTITY_COLLAPSE_UTILISATION, &view)));
  ck_assert(b->loop.frame.output.events >> EVENT_CHECK_LIMIT & 1);

  size_t size = wire_pack_truth(&h, &b->loop.frame, bytes, sizeof bytes);
  ck_assert_uint_gt(size, 0);
  Sagbend__V1__Truth *truth = sagbend__v1__truth__unpack(NULL, size, bytes);
  ck_assert_ptr_nonnull(truth);
  ck_assert_ptr_nonnull(truth->pipe->code_check);
  ck_assert_ptr_null(truth->pipe->code_check->load_controlled);
  ck_assert_ptr_null(truth->pipe->code_check->governing);
  ck_assert_ptr_nonnull(truth->pipe->code_check->collapse);
  sagbend__v1__truth__free_unpacked(truth, NULL);
  close_bench(b);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("hil_quantities");
  TCase *t = add_case(suite, "table", 60);
  tcase_add_test(t, units_are_those_of_the_suffixes);
  tcase_add_test(t, names_are_unique);
  tcase_add_test(t, meanings_stand_alone);
  tcase_add_test(t, clock_stands_last);
  tcase_add_test(t, groups_are_complete);
  tcase_add_loop_test(t, values_are_finite, 0, SCENE_COUNT);
  tcase_add_test(t, messages_contain_the_values);
  tcase_add_test(t, offset_counts_from_the_route);
  tcase_add_test(t, saturated_thrusters_are_counted);
  tcase_add_test(t, a_check_that_does_not_apply_is_absent);
  return run_suite(suite);
}
