// DP file: consequence.
#include "sagbend/case/dp_sections.h"

#include <math.h>
#include <string.h>

static const struct key_def KEYS[] = {
    {"consequence", AS_SECTION, .optional = 1,
     .doc = "Consequence analysis: whether the thrusters that a failure would leave could still hold the "
            "vessel. Absent: "
            "none is made."},
    {"consequence.period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     IN(dp_draft, out.def.consequence.period_s), .unit = "s",
     .doc = "Time between two analyses of all failures. One failure is examined in a sample, so that many "
            "take longer."},
    {"consequence.mean_s", AS_NUMBER, .range = POSITIVE, .fallback = "60",
     IN(dp_draft, out.def.consequence.mean_s), .unit = "s",
     .doc = "Time constant of mean and standard deviation of the load, which is what the thrusters give. "
            "Nothing is "
            "known for twice as long after take-over and after a change of the set-point."},
    {"consequence.sigmas", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "1",
     IN(dp_draft, out.def.consequence.sigmas),
     .doc = "Standard deviations that the load is taken away from its mean, in surge, sway and yaw."},
    {"consequence.margin", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     IN(dp_draft, out.def.consequence.margin),
     .doc = "Margin below which the alarm comes: the factor by which the load could grow after the failure."},
    {"consequence.on_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5",
     IN(dp_draft, out.def.consequence.on_s), .unit = "s",
     .doc = "Time below the margin after which the alarm comes."},
    {"consequence.off_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "30",
     IN(dp_draft, out.def.consequence.off_s), .unit = "s",
     .doc = "Time above 1.1 times the margin after which the alarm ends."},
    {"consequence.failures", AS_WORD, .fallback = "all", .words = {"all", "buses", "thrusters", "groups"},
     WORD_IN(dp_draft, out.def.consequence.list),
     .doc =
         "Failures that are examined beside consequence.groups: the loss of each bus of allocation.buses, of "
         "each thruster, all of them, or with groups none."},
    {"consequence.groups", AS_ITEMS, .size = MAX_CONSEQUENCE_GROUPS, .optional = 1,
     ITEMS_IN(dp_draft, out.def.consequence.group, consequence_failure, out.def.consequence.group_count),
     .doc = "Failures that take more than one thruster or bus, or that take power: of a compartment, a "
            "generator "
            "set, a tie."},
    {"consequence.groups[].name", AS_TEXT, .size = CONSEQUENCE_NAME, IN(consequence_failure, name),
     .doc = "Unique name of the failure, also among thrusters and bus-NAME."},
    {"consequence.groups[].thrusters", AS_ANY, .optional = 1,
     .doc = "Names of the thrusters that stop, a list."},
    {"consequence.groups[].power_w", AS_ANY, .optional = 1, .unit = "W",
     .doc = "Power that each bus of allocation.buses has left for its thrusters, a list in their order, as "
            "islands of 'sagbend capability --level 2 --json' has it. Absent: as in allocation.buses."},
};

static int lists_buses(const struct dp_def *def) {
  return def->consequence.list == CONSEQUENCE_ALL || def->consequence.list == CONSEQUENCE_BUSES;
}

// Reads the thrusters and the power of a group. With reports 0 it only reads.
static void read_thrusters(const struct check *c, int index, struct consequence_failure *group, int reports) {
  const struct allocation_def *allocation = &c->dp->out.def.allocation;
  struct key_path path = key_path("consequence.groups.%d.thrusters", index);
  const struct node *list = given(c, path.text);
  group->lost = 0;
  if (list && (list->kind != NODE_LIST || !list->count) && reports)
    report(c, path.text, "a list of names expected");
  for (const struct node *n = list && list->kind == NODE_LIST ? list->first : NULL; n; n = n->next) {
    uint32_t found = 0;
    for (int i = 0; i < allocation->actuator_count && n->kind == NODE_SCALAR; i++)
      found |= !strcmp(allocation->actuator[i].name, n->text) ? 1U << i : 0;
    if (!found && reports)
      report(c, key_path("%s.%d", path.text, n->index).text, "the name of one of thrusters expected");
    group->lost |= found;
  }
}

static void read_power(const struct check *c, int index, struct consequence_failure *group, int reports) {
  const struct allocation_def *allocation = &c->dp->out.def.allocation;
  struct key_path path = key_path("consequence.groups.%d.power_w", index);
  const struct node *list = given(c, path.text);
  const int good = list && list->kind == NODE_LIST && allocation->bus_count > 0 &&
                   (int)list->count == allocation->bus_count;
  if (list && !good && reports)
    report(c, path.text, "a list of %d numbers expected, one for each of allocation.buses",
           allocation->bus_count);
  for (const struct node *n = good ? list->first : NULL; n; n = n->next) {
    double *to = &group->power_w[n->index];
    const int is_good =
        n->kind == NODE_SCALAR && n->plain && is_number(n->text, to) && *to >= 0 && isfinite(*to);
    if (!is_good && reports)
      report(c, key_path("%s.%d", path.text, n->index).text, "a power of at least 0 W expected");
  }
  group->has_power = good;
  for (int b = 0; b < allocation->bus_count && good; b++) // without power its thrusters stop
    group->lost |= group->power_w[b] == 0 ? consequence_thrusters_on(allocation, b) : 0;
}

// A name that no failure of the list has.
static void check_group(const struct check *c, int index) {
  const struct dp_def *def = &c->dp->out.def;
  const struct consequence_failure *group = &def->consequence.group[index];
  struct consequence_failure read = {.lost = 0};
  struct key_path item = key_path("consequence.groups.%d", index);
  check_unique(c, "consequence.groups", index, def->consequence.group[0].name,
               sizeof def->consequence.group[0]);
  for (int i = 0; i < def->allocation.actuator_count; i++)
    if (!strcmp(group->name, def->allocation.actuator[i].name))
      report(c, key_path("%s.name", item.text).text, "a name that no thruster has expected");
  for (int b = 0; b < def->allocation.bus_count; b++)
    if (!strncmp(group->name, "bus-", 4) && !strcmp(group->name + 4, def->allocation.bus[b].name) &&
        lists_buses(def))
      report(c, key_path("%s.name", item.text).text,
             "another name expected: that of the bus itself, unless consequence.failures is groups or "
             "thrusters");
  read_thrusters(c, index, &read, 1);
  read_power(c, index, &read, 1);
  if (!given(c, key_path("%s.thrusters", item.text).text) &&
      !given(c, key_path("%s.power_w", item.text).text))
    report(c, item.text, "thrusters or power_w expected");
}

static void check_consequence(const struct check *c) {
  const struct dp_def *def = &c->dp->out.def;
  for (int i = 0; i < def->consequence.group_count && i < MAX_CONSEQUENCE_GROUPS; i++)
    check_group(c, i);
  if (!given(c, "consequence"))
    return;
  check_allowed(c, "consequence", def->allocation.actuator_count > 0, "thrusters are given");
  struct consequence_def list = def->consequence;
  consequence_fill_list(&list, &def->allocation);
  if (def->allocation.actuator_count > 0 && list.failure_count == 0)
    report(c, "consequence.failures", "a list with failures expected: there are no %s",
           def->consequence.list == CONSEQUENCE_BUSES ? "buses with thrusters in allocation.buses"
                                                      : "consequence.groups");
}

static void resolve_consequence(const struct check *c, struct dp_config *out) {
  out->def.consequence.present = given(c, "consequence") != NULL;
  for (int i = 0; i < out->def.consequence.group_count && i < MAX_CONSEQUENCE_GROUPS; i++) {
    read_thrusters(c, i, &out->def.consequence.group[i], 0);
    read_power(c, i, &out->def.consequence.group[i], 0);
  }
  consequence_fill_list(&out->def.consequence, &out->def.allocation);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct dp_section DP_CONSEQUENCE_SECTION = {GROUPS, 1, check_consequence, resolve_consequence};
