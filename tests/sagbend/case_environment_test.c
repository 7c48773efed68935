// The section environment, what wind and waves meet, loads and their tables.
#include "case_suite.h"
#include "net/case/case.h"

static const struct bad_edit bad_edits[] = {
    {"seabed: spring", "seabed: spring\n  wind: {speed_mps: 10}",
     "+1:3: error: environment.wind.direction_deg: finite number expected, got nothing"},
    {"seabed: spring",
     "seabed: spring\n  waves: {significant_height_m: 2, peak_period_s: 0.5, direction_deg: 0}",
     "+1:51: error: environment.waves.peak_period_s: finite number from 1 to 60 expected, got '0.5'"},
    {"attitude_deg: [0, 0, 0]",
     "attitude_deg: [0, 0, 0]\n  wind: {frontal_area_m2: 1, lateral_area_m2: 1, length_m: 1}",
     "+1:3: error: vessel.wind: exactly one of rows and closed_form expected, got neither"},
    {"attitude_deg: [0, 0, 0]",
     "attitude_deg: [0, 0, 0]\n  wind:\n    frontal_area_m2: 1\n    lateral_area_m2: 1\n    length_m: 1\n    "
     "rows:\n"
     "      - {angle_deg: 0, coefficients: [-1, 0, 0, 0]}\n      - {angle_deg: 90, coefficients: [0, -1, 0, "
     "0]}\n"
     "      - {angle_deg: 170, coefficients: [1, 0, 0, 0]}",
     "+6:7: error: vessel.wind.rows: at least three angles that increase from 0 to 180, or from 0 to below "
     "360 degrees, expected, got a list of 3"},
    {"attitude_deg: [0, 0, 0]",
     "attitude_deg: [0, 0, 0]\n  waves:\n    length_m: 80\n    beam_m: 18\n    draft_m: 5\n    drift_rows:\n"
     "      - {frequency_radps: 0.5, heading_deg: 0, coefficients: [1, 0, 0]}\n"
     "      - {frequency_radps: 0.5, heading_deg: 90, coefficients: [1, 0, 0]}\n"
     "      - {frequency_radps: 0.5, heading_deg: 180, coefficients: [1, 0, 0]}\n"
     "      - {frequency_radps: 0.6, heading_deg: 0, coefficients: [1, 0, 0]}",
     "+6:7: error: vessel.waves.drift_rows: increasing frequencies, each with the same headings, which "
     "increase from 0 to 180 or from 0 to below 360 degrees, expected, got a list of 4"},
    {"seabed: spring",
     "seabed: spring\n  waves: {significant_height_m: 2, peak_period_s: 8, direction_deg: 0, pipe: true, "
     "start_s: 5}",
     "+1:3: error: environment.waves.ramp_s: a positive time expected, got nothing: waves on the pipe begin "
     "or end during the run, and water that begins to move at once pushes with any force"},
    {"seabed: spring",
     "seabed: spring\n  waves: {significant_height_m: 2, peak_period_s: 8, direction_deg: 0, stretching: "
     "wheeler}",
     "+1:84: error: environment.waves.stretching needs environment.waves.pipe true"},
    {"seabed: spring", "seabed: sand",
     ":11: error: environment.seabed: none or spring or linear or soil expected, got 'sand'"},
    {"seabed: spring", "gm_transverse_m: 2\n  seabed: spring",
     ":3: error: environment.gm_transverse_m: unknown key, did you mean "
     "vessel.hydrostatics.gm_transverse_m?"},
    {"wrench: [0, 600e3, 0, 0, 0, 0]", "wrench: [0, 600e3, 0, 0, 0]",
     ":13: error: loads.0.wrench: list of 6 finite numbers expected, got a list of 5"},
    {"wrench: [0, 600e3, 0, 0, 0, 0]", "wrench: [0, much, 0, 0, 0, 0]",
     ":17: error: loads.0.wrench.1: finite number expected, got 'much'"},
    {"frame: world", "frame: world\n    stop_s: 10\n    ramp_s: 0",
     "+1:13: error: loads.0.stop_s: a time after start_s = 10 s, or 0 for never, expected, got '10'"},
    {"frame: world", "frame: world\n    stop_s: 20\n    ramp_s: 6",
     "+2:13: error: loads.0.ramp_s: at most half of stop_s - start_s = 10 s expected, got '6'"},
    {"frame: world", "frame: world\n    variation: 0.5", "+1:16: error: loads.0.variation needs period_s"},
};

START_TEST(each_bad_value_gets_its_line) {
  assert_bad_edit(&bad_edits[_i]);
}
END_TEST

START_TEST(tables_are_read) {
  const char *const set[] = {
      "environment.current.start_s=null",
      "simulation.event_time_scale=2",
      "environment.current.table=[{time_s: 1, factor: 0.5}, {time_s: 2.5, factor: -2, direction_offset_deg: "
      "90}]",
      "environment.current.interpolation=spline",
      "loads.0.start_s=null",
      "loads.0.table=[{time_s: 0, factor: 0}, {time_s: 3, factor: 1}, {time_s: 4, factor: 0}]",
      "pipe.hangoff.kind=moved",
      "pipe.hangoff.motion={table: [{time_s: 1, north_m: 0, east_m: 0, down_m: 0}, {time_s: 2, north_m: 3, "
      "east_m: 4, down_m: -5}]}",
      "pipe.water_inertia=false",
      "pipe.added_mass_form=morison"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, sizeof set / sizeof *set, &c, stderr),
                   STATUS_OK);
  const struct time_profile *p = &c.sim.env.current.profile, *q = &c.sim.env.loads[0].profile;
  ck_assert(p->rows == 2 && p->kind == TABLE_SPLINE && p->table[1].time_s == 5 && p->table[1].value[0] == -2);
  ck_assert_double_eq_tol(p->table[1].value[1], acos(-1) / 2, 1e-15);
  ck_assert(p->table[0].value[1] == 0);
  ck_assert(q->rows == 3 && q->kind == TABLE_LINEAR && q->table[2].time_s == 8 && q->table[1].value[0] == 1);
  const struct motion_def *m = &c.sim.pipe.motion;
  ck_assert(m->rows == 2 && m->table[1].time_s == 2 && m->table[1].value[0] == 3 &&
            m->table[1].value[2] == -5);
  ck_assert(!c.sim.pipe.water_inertia && c.sim.pipe.added_mass_form == ADDED_MASS_MORISON);
  config_free(&c);
  load_good(CONFIGS "jlay-900m.yaml", &c);
  ck_assert(c.sim.pipe.water_inertia && c.sim.env.current.profile.rows == 0);
  ck_assert(c.sim.pipe.added_mass_form == ADDED_MASS_KIRCHHOFF);
  config_free(&c);
}
END_TEST

static const struct {
  const char *set[2], *expected;
} bad_tables[] = {
    {{"loads.0.table=[{time_s: 1, factor: 1}, {time_s: 2, factor: 0}]"},
     "loads.0.start_s is not allowed with table"},
    {{"environment.current.interpolation=spline"}, "environment.current.interpolation needs table"},
    {{"loads.0.start_s=null", "loads.0.table=[{time_s: 1, factor: 1}]"},
     "loads.0.table: at least 2 rows expected"},
    {{"loads.0.start_s=null", "loads.0.table=[{time_s: 1, factor: 1}, {time_s: 1, factor: 2}]"},
     "loads.0.table.1.time_s: a time after 1 s (the row before) expected, got '1'"},
    {{"loads.0.start_s=null", "loads.0.table=[{time_s: 1, factor: much}, {time_s: 2, factor: 2}]"},
     "loads.0.table.0.factor: finite number expected, got 'much'"},
    {{"loads.0.start_s=null", "loads.0.table=[{time_s: 1}, {time_s: 2, factor: 2}]"},
     "loads.0.table.0.factor: finite number expected, got nothing"},
    {{"pipe.hangoff.kind=moved", "pipe.hangoff.motion={radius_m: 1}"},
     "pipe.hangoff.motion.period_s: the time of a turn expected, got nothing: radius_m needs it"},
    {{"pipe.hangoff.kind=moved", "pipe.hangoff.motion={ramp_s: 1}"},
     "pipe.hangoff.motion: exactly one of radius_m and table expected, got neither"},
    {{"pipe.hangoff.kind=moved", "pipe.hangoff.motion={ramp_s: 1, table: [{time_s: 0, north_m: 0, east_m: 0, "
                                 "down_m: 0}, {time_s: 1, north_m: 0, east_m: 0, down_m: 0}]}"},
     "pipe.hangoff.motion.ramp_s is not allowed with table"},
    {{"pipe.hangoff.kind=moved", "pipe.hangoff.motion={table: [{time_s: 0, north_m: 0, east_m: 1, down_m: "
                                 "0}, {time_s: 1, north_m: 0, east_m: 0, down_m: 0}]}"},
     "pipe.hangoff.motion.table.0: offsets of 0 in the first row, at the static position, expected"},
};

START_TEST(bad_tables_are_refused) {
  int errors, sets = bad_tables[_i].set[1] ? 2 : 1;
  char *got = messages(CONFIGS "jlay-900m.yaml", bad_tables[_i].set, sets, 0, &errors);
  ck_assert_msg(errors == 1 && strstr(got, bad_tables[_i].expected), "%s: %s", bad_tables[_i].expected, got);
  free(got);
}
END_TEST

START_TEST(seabed_keys_are_checked) {
  static const struct {
    const char *set[3], *expected;
  } cases[] = {
      {{"environment.seabed=soil", "environment.seabed_friction_law=coulomb",
        "environment.soil={model: clay, strength_pa: 3e3, unit_weight_npm3: 5e3, axial_peak: 0.5}"},
       "environment.soil.axial_peak needs seabed_friction_law breakout"},
      {{"environment.seabed=soil", "environment.seabed_friction_law=coulomb",
        "environment.soil={model: clay, strength_pa: 3e3, unit_weight_npm3: 5e3, lateral_residual_m: 1}"},
       "environment.soil.lateral_residual_m needs seabed_friction_law breakout"},
      {{"environment.seabed=soil", "environment.seabed_friction_law=coulomb",
        "environment.soil={model: clay, strength_pa: 3e3, unit_weight_npm3: 5e3, lateral_passive: true}"},
       "environment.soil.lateral_passive needs seabed_friction_law breakout"},
      {{"environment.seabed=soil",
        "environment.soil={model: clay, strength_pa: 3e3, unit_weight_npm3: 5e3, sensitivity: 3}"},
       "environment.soil.softening_m: a way expected, got nothing: a sensitivity above 1 needs it"},
      {{"environment.seabed=soil",
        "environment.soil={model: clay, strength_pa: 3e3, unit_weight_npm3: 5e3, softening_m: 1}"},
       "environment.soil.softening_m needs a sensitivity above 1"},
      {{"environment.seabed=soil",
        "environment.soil={model: sand, friction_angle_deg: 35, unit_weight_npm3: 9e3, sensitivity: 3, "
        "softening_m: 1}"},
       "environment.soil.sensitivity needs model clay"},
      {{"environment.seabed=soil",
        "environment.soil={model: clay, strength_pa: 3e3, unit_weight_npm3: 5e3, sensitivity: 0.5}"},
       "environment.soil.sensitivity: finite number from 1 to 100 expected, got '0.5'"},
      {{"environment.seabed_slope={angle_deg: 50, direction_deg: 0}"},
       "seabed_slope.angle_deg: finite number from 0 to 45 expected, got '50'"},
      {{"environment.seabed_slope={angle_deg: 5}"}, "direction_deg: finite number expected, got nothing"},
      {{"environment.seabed_slope={angle_deg: 5, direction_deg: 0}",
        "environment.bathymetry_file=" CONFIGS "uneven-900m.asc"},
       "environment.bathymetry_file is not allowed with seabed_slope"},
      {{"environment.seabed_slope={angle_deg: 5, direction_deg: 0}", "environment.seabed=none"},
       "environment.seabed_slope needs seabed spring, linear or soil"},
      {{"environment.bathymetry_origin_m=[1, 2]"}, "environment.bathymetry_origin_m needs bathymetry_file"},
      {{"environment.bathymetry_file=none.asc"}, "No such file or directory"},
      {{"environment.seabed_friction_law=breakout"}, "environment.seabed_friction_law needs seabed soil"},
      {{"environment.seabed_friction_law=glue"},
       "environment.seabed_friction_law: coulomb or breakout expected, got 'glue'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int errors;
    const int sets = cases[i].set[2] ? 3 : cases[i].set[1] ? 2 : 1;
    char *got = messages(CONFIGS "jlay-900m.yaml", cases[i].set, sets, 0, &errors);
    ck_assert_msg(errors == 1 && strstr(got, cases[i].expected), "%s", got);
    free(got);
  }
  const char *const set[] = {
      "environment.seabed_slope={angle_deg: 30, direction_deg: 90, reference_m: [5, 6]}"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 1, &c, stderr), STATUS_OK);
  ck_assert_double_eq_tol(c.sim.env.slope.angle_rad, acos(-1) / 6, 1e-15);
  ck_assert_double_eq_tol(c.sim.env.slope.direction_rad, acos(-1) / 2, 1e-15);
  ck_assert(c.sim.env.slope.reference_m[0] == 5 && c.sim.env.slope.reference_m[1] == 6);
  config_free(&c);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, each_bad_value_gets_its_line, 0, (int)(sizeof bad_edits / sizeof *bad_edits));
  tcase_add_test(tests, tables_are_read);
  tcase_add_loop_test(tests, bad_tables_are_refused, 0, (int)(sizeof bad_tables / sizeof *bad_tables));
  tcase_add_test(tests, seabed_keys_are_checked);
}

int main(void) {
  return run_config_suite("io_config_environment", add);
}
