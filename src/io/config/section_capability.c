// The sections vessel.capability and vessel.failures: what sagbend capability reads beside the model.
#include "io/config/config_sections.h"

#include <math.h>
#include <string.h>

static const struct key_def KEYS[] = {
    {"vessel.capability", AS_SECTION, .optional = 1,
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
    {"vessel.failures", AS_ITEMS, .size = MAX_FAILURE_GROUPS, .optional = 1,
     ITEMS_IN(config_draft, out.failure_group, failure_group_def, out.failure_group_count),
     .doc = "Groups of equipment that one failure takes out together, beside every single thruster and bus."},
    {"vessel.failures[].name", AS_TEXT, .size = SIGNAL_NAME, IN(failure_group_def, name),
     .doc = "Unique name of the group, such as the compartment."},
    {"vessel.failures[].thrusters", AS_ANY, .optional = 1,
     .doc = "Names of the thrusters that stop, a list."},
    {"vessel.failures[].buses", AS_ANY, .optional = 1,
     .doc = "Names of the buses that go dark, a list: their thrusters stop."},
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

static unsigned read_names(const struct check *c, const char *path, const struct names *names, int reports) {
  const struct node *list = given(c, path);
  unsigned mask = 0;
  if (!list)
    return 0;
  if (list->kind != NODE_LIST || !list->count) {
    if (reports)
      report(c, path, "a list of names expected");
    return 0;
  }
  for (const struct node *n = list->first; n; n = n->next) {
    int found = -1;
    for (int i = 0; i < names->count && n->kind == NODE_SCALAR; i++)
      if (!strcmp(n->text, names->first + (size_t)i * names->stride))
        found = i;
    if (found < 0 && reports)
      report(c, key_path("%s.%d", path, n->index).text, "the name of one of %s expected", names->list);
    if (found >= 0)
      mask |= 1u << found;
  }
  return mask;
}

static void read_group(const struct check *c, int index, struct failure_group_def *group, int reports) {
  const struct plant_def *plant = &c->draft->out.sim.vessel.plant;
  const struct names thrusters = {plant->thruster[0].name, sizeof plant->thruster[0], plant->thruster_count,
                                  "vessel.thrusters"},
                     buses = {plant->bus[0].name, sizeof plant->bus[0], plant->bus_count,
                              "vessel.power.buses"};
  group->thrusters = read_names(c, key_path("vessel.failures.%d.thrusters", index).text, &thrusters, reports);
  group->buses = read_names(c, key_path("vessel.failures.%d.buses", index).text, &buses, reports);
}

static void check_capability(const struct check *c) {
  const struct config *out = &c->draft->out;
  double skeg_m[MAX_SKEGS][2];
  read_skegs(c, skeg_m, 1);
  for (int i = 0; i < out->failure_group_count && i < MAX_FAILURE_GROUPS; i++) {
    struct failure_group_def group;
    struct key_path item = key_path("vessel.failures.%d", i);
    check_unique(c, "vessel.failures", i, out->failure_group[0].name, sizeof out->failure_group[0]);
    read_group(c, i, &group, 1);
    if (!given(c, key_path("%s.thrusters", item.text).text) &&
        !given(c, key_path("%s.buses", item.text).text))
      report(c, item.text, "thrusters or buses expected");
  }
}

static void resolve_capability(const struct check *c, struct config *out) {
  if (!given(c, "vessel.capability.wind_centre_m"))
    out->capability.wind_centre_m = (double)NAN;
  if (!given(c, "vessel.capability.current_centre_m"))
    out->capability.current_centre_m = (double)NAN;
  out->capability.skeg_count = read_skegs(c, out->capability.skeg_m, 0);
  for (int i = 0; i < out->failure_group_count; i++)
    read_group(c, i, &out->failure_group[i], 0);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section CAPABILITY_SECTION = {GROUPS, 1, check_capability, resolve_capability};
