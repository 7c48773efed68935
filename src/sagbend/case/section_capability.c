// The sections vessel.capability and vessel.failures: what sagbend capability reads beside the model.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include <math.h>
#include <string.h>

static const struct key_def CAPABILITY_KEYS[] = {
    {"vessel.capability", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Particulars of the vessel for sagbend capability --level 1 (DNV-ST-0111). No run depends on "
            "them."},
    {"vessel.capability.underwater_length_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.capability.underwater_length_m), .unit = "m",
     .doc = "Longest extent of the hull below the waterline, from the foremost to the aftmost point (Los)."},
    {"vessel.capability.underwater_centre_m", AS_NUMBER, .fallback = "0",
     AT(out.capability.underwater_centre_m), .unit = "m",
     .doc = "Middle of underwater_length_m, forward of midships (x_Los)."},
    {"vessel.capability.bow_angle_deg", AS_NUMBER, .range = LIMITED, .low = 0.001, .high = 90, .degrees = 1,
     .optional = 1, AT(out.capability.bow_angle_rad), .unit = "deg",
     .doc = "Angle of the waterline at the bow: arctangent of a quarter of the beam over the distance from "
            "the foremost point to where the half breadth is a quarter of the beam."},
    {"vessel.capability.waterplane_aft_m2", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.capability.waterplane_aft_m2), .unit = "m2",
     .doc = "Area of the waterplane aft of midships (AWL,aft)."},
    {"vessel.capability.wind_centre_m", AS_NUMBER, .optional = 1, AT(out.capability.wind_centre_m),
     .unit = "m",
     .doc = "Centre of the lateral area above the water, wind.lateral_area_m2, forward of midships (x_air)."},
    {"vessel.capability.current_area_m2", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.capability.current_area_m2), .unit = "m2",
     .doc = "Lateral projected area of the hull below the waterline (A_L,current)."},
    {"vessel.capability.current_centre_m", AS_NUMBER, .optional = 1, AT(out.capability.current_centre_m),
     .unit = "m", .doc = "Centre of current_area_m2, forward of midships (x_L,current)."},
    {"vessel.capability.skegs_m", AS_ANY, .optional = 1, .unit = "m",
     .doc = "Aft edges of the skegs, a list of [x, y]: forward of midships, and to starboard of the centre "
            "line. Absent: no skegs."},
    {"vessel.capability.worst_case_failure", AS_ANY, .optional = 1,
     .doc = "Worst-case failure design intent: the name of a thruster, bus, generator or group of "
            "vessel.failures, or a list of them, such as [bus port, bus starboard]; the word thruster, bus, "
            "generator or group before it where several have the name. No single failure may leave less "
            "capability than the worst of these."},
    {"vessel.failures", AS_ITEMS, .outside_model = 1, .size = MAX_FAILURE_GROUPS, .optional = 1,
     ITEMS_IN(config_draft, out.failure_group, failure_group_def, out.failure_group_count),
     .doc = "Groups of equipment that one failure takes out together, beside every single thruster, bus and "
            "generator."},
    {"vessel.failures[].name", AS_TEXT, .size = SIGNAL_NAME, IN(failure_group_def, name),
     .doc = "Unique name of the group, such as the compartment."},
    {"vessel.failures[].thrusters", AS_ANY, .optional = 1,
     .doc = "Names of the thrusters that stop, a list."},
    {"vessel.failures[].buses", AS_ANY, .optional = 1,
     .doc = "Names of the buses that go dark, a list: their thrusters and sets stop, their ties open."},
    {"vessel.failures[].generators", AS_ANY, .optional = 1,
     .doc = "Names of the generators that stop, a list. A bus that nothing supplies any more is dark."},
};

// skegs_m: reads the pairs. With why 0 it only reads.
static int read_skegs(const struct check *c, double skeg_m[MAX_SKEGS][2], int reports) {
  const char *path = "vessel.capability.skegs_m";
  const struct node *list = given(c, path);
  int count = 0;
  if (!list)
    return 0;
  if (list->kind != NODE_LIST || list->count > MAX_SKEGS) {
    if (reports)
      report(c, path, "a list of at most %d pairs [x, y] expected", MAX_SKEGS);
    return 0;
  }
  for (const struct node *pair = list->first; pair; pair = pair->next) {
    double at[2] = {0, 0};
    int good = pair->kind == NODE_LIST && pair->count == 2;
    for (const struct node *n = good ? pair->first : NULL; n; n = n->next)
      good = good && n->kind == NODE_SCALAR && n->plain && is_number(n->text, &at[n->index]);
    if (!good && reports)
      report(c, key_path("%s.%d", path, pair->index).text, "a pair of numbers [x, y] expected");
    if (good)
      skeg_m[count][0] = at[0], skeg_m[count++][1] = at[1];
  }
  return count;
}

struct names {
  const char *first; // name of item 0
  size_t stride;
  int count;
  const char *list; // key of the items
};

static struct names names_of(const struct check *c, enum failed_kind kind) {
  const struct config *out = &c->draft->out;
  const struct plant_def *plant = &out->sim.vessel.plant;
  const struct names all[FAILED_KINDS] = {
      [FAILED_THRUSTER] = {plant->thruster[0].name, sizeof plant->thruster[0], plant->thruster_count,
                           "vessel.thrusters"},
      [FAILED_BUS] = {plant->bus[0].name, sizeof plant->bus[0], plant->bus_count, "vessel.power.buses"},
      [FAILED_GENERATOR] = {plant->power.generator[0].name, sizeof plant->power.generator[0],
                            plant->power.generator_count, "vessel.power.generators"},
      [FAILED_GROUP] = {out->failure_group[0].name, sizeof out->failure_group[0], out->failure_group_count,
                        "vessel.failures"}};
  return all[kind];
}

const char *failed_kind_name(enum failed_kind kind) {
  static const char *const NAMES[FAILED_KINDS] = {"thruster", "bus", "generator", "group"};
  return NAMES[kind];
}

static int find_name(const struct names *names, const char *text) {
  for (int i = 0; i < names->count; i++)
    if (!strcmp(text, names->first + (size_t)i * names->stride))
      return i;
  return -1;
}

// The thrusters, buses or sets of a group. With reports 0 it only reads, as all of the following.
static unsigned read_names(const struct check *c, int group, enum failed_kind kind, int reports) {
  static const char *const keys[] = {"thrusters", "buses", "generators"};
  struct key_path path = key_path("vessel.failures.%d.%s", group, keys[kind]);
  const struct names names = names_of(c, kind);
  const struct node *list = given(c, path.text);
  unsigned mask = 0;
  if (!list)
    return 0;
  if (list->kind != NODE_LIST || !list->count) {
    if (reports)
      report(c, path.text, "a list of names expected");
    return 0;
  }
  for (const struct node *n = list->first; n; n = n->next) {
    const int found = n->kind == NODE_SCALAR ? find_name(&names, n->text) : -1;
    if (found < 0 && reports)
      report(c, key_path("%s.%d", path.text, n->index).text, "the name of one of %s expected", names.list);
    if (found >= 0)
      mask |= 1u << found;
  }
  return mask;
}

static void read_group(const struct check *c, int index, struct failure_group_def *group, int reports) {
  group->thrusters = read_names(c, index, FAILED_THRUSTER, reports);
  group->buses = read_names(c, index, FAILED_BUS, reports);
  group->generators = read_names(c, index, FAILED_GENERATOR, reports);
}

// Finds what "NAME" or "KIND NAME" means; returns the number of meanings.
static int find_failed(const struct check *c, const char *text, struct failed_item *out) {
  int meanings = 0;
  for (int kind = 0; kind < FAILED_KINDS; kind++) {
    const struct names names = names_of(c, (enum failed_kind)kind);
    const char *word = failed_kind_name((enum failed_kind)kind);
    const size_t length = strlen(word);
    int found = find_name(&names, text);
    if (found < 0 && !strncmp(text, word, length) && text[length] == ' ')
      found = find_name(&names, text + length + 1);
    if (found >= 0)
      *out = (struct failed_item){(enum failed_kind)kind, found}, meanings++;
  }
  return meanings;
}

static int read_intent(const struct check *c, struct failed_item intent[MAX_DESIGN_INTENT], int reports) {
  const char *path = "vessel.capability.worst_case_failure";
  const struct node *given_one = given(c, path), *n;
  int count = 0;
  if (!given_one)
    return 0;
  if (given_one->kind == NODE_MAP ||
      (given_one->kind == NODE_LIST && (!given_one->count || given_one->count > MAX_DESIGN_INTENT))) {
    if (reports)
      report(c, path, "the name of a failure or a list of at most %d names expected", MAX_DESIGN_INTENT);
    return 0;
  }
  for (n = given_one->kind == NODE_LIST ? given_one->first : given_one; n;
       n = n == given_one ? NULL : n->next) {
    struct key_path at = n == given_one ? key_path("%s", path) : key_path("%s.%d", path, n->index);
    const int meanings = n->kind == NODE_SCALAR ? find_failed(c, n->text, &intent[count]) : 0;
    int before = 0;
    while (meanings == 1 && before < count &&
           (intent[before].kind != intent[count].kind || intent[before].index != intent[count].index))
      before++;
    if (meanings == 1 && before < count && reports)
      report(c, at.text, "is listed twice");
    else if (meanings == 1)
      count++;
    else if (reports && meanings)
      report(c, at.text, "is the name of several: write thruster, bus, generator or group before it");
    else if (reports)
      report(c, at.text, "the name of a thruster, a bus, a generator or a group of vessel.failures expected");
  }
  return count;
}

static void check_capability(const struct check *c) {
  const struct config *out = &c->draft->out;
  double skeg_m[MAX_SKEGS][2];
  struct failed_item intent[MAX_DESIGN_INTENT];
  read_skegs(c, skeg_m, 1);
  read_intent(c, intent, 1);
  for (int i = 0; i < out->failure_group_count && i < MAX_FAILURE_GROUPS; i++) {
    struct failure_group_def group;
    struct key_path item = key_path("vessel.failures.%d", i);
    check_unique(c, "vessel.failures", i, out->failure_group[0].name, sizeof out->failure_group[0]);
    read_group(c, i, &group, 1);
    if (!given(c, key_path("%s.thrusters", item.text).text) &&
        !given(c, key_path("%s.buses", item.text).text) &&
        !given(c, key_path("%s.generators", item.text).text))
      report(c, item.text, "thrusters, buses or generators expected");
  }
}

static void resolve_capability(const struct check *c, struct config *out) {
  if (!given(c, "vessel.capability.wind_centre_m"))
    out->capability.wind_centre_m = (double)NAN;
  if (!given(c, "vessel.capability.current_centre_m"))
    out->capability.current_centre_m = (double)NAN;
  out->capability.skeg_count = read_skegs(c, out->capability.skeg_m, 0);
  out->capability.intent_count = read_intent(c, out->capability.intent, 0);
  for (int i = 0; i < out->failure_group_count; i++)
    read_group(c, i, &out->failure_group[i], 0);
}

static const struct key_rows CAPABILITY_ROWS = KEY_ROWS(CAPABILITY_KEYS);
static const struct key_group CAPABILITY_GROUPS[] = {{.rows = &CAPABILITY_ROWS, .prefix = ""}};
const struct config_section CAPABILITY_SECTION = {CAPABILITY_GROUPS, 1, check_capability, resolve_capability,
                                                  NULL};

// ------------------------------------------------------------
// The sections controller and initial_holding_force.

static const struct key_def CONTROLLER_KEYS[] = {
    {"controller", AS_SECTION, .doc = "Controller of the vessel."},
    {"controller.kind", AS_WORD, .words = {"none", "continuous", "sampled", "external"},
     WORD_AT(out.sim.controller),
     .doc = "Controller type. none: the initial holding force only. continuous: a PID as part of the model. "
            "sampled: "
            "the built-in DP controller, from dp_file. external: another process over the network."},
    {"controller.dp_file", AS_TEXT, .size = 256, .optional = 1, AT(out.dp_file),
     .doc = "Path of the DP file, relative to this file's folder. Required for sampled; optional for "
            "external, which uses it for the set-point and for fast runs."},
    {"controller.pid", AS_SECTION, .optional = 1, .doc = "Nonlinear PID of a continuous controller."},
    {"initial_holding_force", AS_VECTOR | AS_WORD, .size = 6, .fallback = "balance", .words = {"balance"},
     .word_first = 1, WORD_AT(out.sim.hold_balances_statics), AT(out.sim.initial_holding_force_b),
     .unit = "N, N m",
     .doc = "Body-frame wrench that acts while no command is in force. balance: the wrench that holds the "
            "static equilibrium."},
};

static void check_controller(const struct check *c) {
  const char *file = "controller.dp_file", *pid = "controller.pid";
  enum controller_kind kind = c->draft->out.sim.controller;

  if (given(c, pid))
    check_one_of(c, "controller.pid.setpoint", "attitude_deg", "attitude_rad");
  if (!is_given_well(c, "controller.kind"))
    return;

  check_allowed(c, file, kind == CONTROLLER_SAMPLED || kind == CONTROLLER_EXTERNAL,
                "needs kind sampled or external");
  check_allowed(c, pid, kind == CONTROLLER_CONTINUOUS, "needs kind continuous");
  if (kind == CONTROLLER_SAMPLED && !given(c, file))
    report(c, file, "the path of a DP file expected: a sampled controller needs it");
  if (kind == CONTROLLER_CONTINUOUS && !given(c, pid))
    report(c, pid, "a section expected: a continuous controller needs it");
}

static const struct key_rows CONTROLLER_ROWS = KEY_ROWS(CONTROLLER_KEYS);
static const struct key_group CONTROLLER_GROUPS[] = {
    {.rows = &CONTROLLER_ROWS, .prefix = ""},
    {.rows = &PID_ROWS, .prefix = "controller.pid", .offset = offsetof(struct config_draft, out.sim.pid)}};
const struct config_section CONTROLLER_SECTION = {CONTROLLER_GROUPS, 2, check_controller, NULL, NULL};
