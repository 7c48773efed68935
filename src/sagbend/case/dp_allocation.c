// DP file: thrusters, allocation.
#include "sagbend/case/case_internal.h"

#include <math.h>
#include <string.h>

static const struct key_def ALLOCATION_KEYS[] = {
    {"thrusters", AS_ITEMS, .size = MAX_THRUSTERS, .optional = 1,
     ITEMS_IN(dp_draft, out.def.allocation.actuator, actuator_def, out.def.allocation.actuator_count),
     .doc = "Thrusters to which the wrench is allocated. Without any, the controller commands the wrench "
            "itself."},
    {"thrusters[].name", AS_TEXT, .size = SIGNAL_NAME, IN(actuator_def, name),
     .doc = "Name of the thruster in the vessel's configuration."},
    {"thrusters[].kind", AS_WORD, .words = {THRUSTER_KIND_TABLE(THRUSTER_KIND_WORD)},
     WORD_IN(actuator_def, kind),
     .doc = "Thruster type." THRUSTER_KIND_TABLE(
         THRUSTER_KIND_DOC) " The controller never commands thrust astern of a thruster that turns."},
    {"thrusters[].drive", AS_WORD, .fallback = "revolutions", .words = {"revolutions", "pitch"},
     WORD_IN(actuator_def, controllable_pitch),
     .doc = "Control of the thrust: revolutions (fixed pitch) or pitch (controllable pitch). The thrust is "
            "proportional to its square."},
    {"thrusters[].position_b_m", AS_VECTOR, .size = 3, IN(actuator_def, position_b_m), .unit = "m",
     .doc = "Position of the thruster in the body frame."},
    {"thrusters[].thrust_max_n", AS_NUMBER, .range = POSITIVE, IN(actuator_def, thrust_max_n), .unit = "N",
     .doc = "Maximum thrust ahead, for a tunnel to starboard."},
    {"thrusters[].thrust_astern", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "1",
     IN(actuator_def, thrust_astern),
     .doc = "Share of thrust_max_n that is available astern, for a tunnel to port."},
    {"thrusters[].revolutions_max_rpm", AS_NUMBER, .range = POSITIVE, IN(actuator_def, revolutions_max_rpm),
     .unit = "rpm", .doc = "Propeller speed at maximum thrust. For a CPP: its constant speed."},
    {"thrusters[].thrust_rate_nps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(actuator_def, thrust_rate_nps), .unit = "N/s",
     .doc = "Maximum rate of change of the thrust set-point. 0: no limit."},
    {"thrusters[].azimuth_rate_degps", AS_NUMBER, .range = NOT_NEGATIVE, .degrees = 1, .fallback = "0",
     IN(actuator_def, azimuth_rate_radps), .unit = "deg/s",
     .doc = "Maximum rate of change of the azimuth or rudder set-point. 0: no limit."},
    {"thrusters[].response_s", AS_NUMBER, .range = POSITIVE, .fallback = "2", IN(actuator_def, response_s),
     .unit = "s",
     .doc =
         "Longest lag with which the drives follow their set-points, for the supervision. The drives may be "
         "faster."},
    {"thrusters[].stroke_s", AS_NUMBER, .range = POSITIVE, .fallback = "12", IN(actuator_def, stroke_s),
     .unit = "s",
     .doc =
         "Longest time in which revolutions or pitch go from zero to full, for the supervision. The drives "
         "may be faster."},
    {"thrusters[].rudder_max_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .degrees = 1,
     .fallback = "0", IN(actuator_def, rudder_max_rad), .unit = "deg",
     .doc = "Maximum rudder angle of a main propeller. 0: no rudder."},
    {"thrusters[].rudder_lift", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(actuator_def, rudder_lift),
     .doc = "Rudder lift coefficient of a main propeller: side force over thrust ahead, times the sine of "
            "the rudder angle."},
    {"thrusters[].rudder_drag", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0",
     IN(actuator_def, rudder_drag),
     .doc = "Rudder drag coefficient of a main propeller: thrust lost over thrust ahead, times the squared "
            "sine of the rudder angle."},
    {"thrusters[].forbidden", AS_ITEMS, .size = MAX_FORBIDDEN, .optional = 1,
     ITEMS_IN(actuator_def, forbidden, forbidden_sector, forbidden_count),
     .doc = "Forbidden zones of an azimuth thruster, into which it must not thrust."},
    {"thrusters[].forbidden[].from_deg", AS_NUMBER, .range = LIMITED, .low = -360, .high = 360, .degrees = 1,
     IN(forbidden_sector, from_rad), .unit = "deg",
     .doc = "First edge of the sector: direction of the thrust, clockwise from the bow."},
    {"thrusters[].forbidden[].to_deg", AS_NUMBER, .range = LIMITED, .low = -360, .high = 360, .degrees = 1,
     IN(forbidden_sector, to_rad), .unit = "deg",
     .doc = "Last edge of the sector, reached clockwise from from_deg."},
    {"thrusters[].forbidden[].against", AS_TEXT, .size = SIGNAL_NAME, .optional = 1,
     IN(forbidden_sector, against),
     .doc = "Name of the thruster that the sector protects from the wash, as in the vessel's configuration: "
            "the sector is in force only while its feedback says that it runs. Absent: always in force."},
    {"thrusters[].weight", AS_NUMBER, .range = POSITIVE, .fallback = "1", IN(actuator_def, price),
     .doc = "Cost weight of the thruster's force relative to its maximum thrust. A higher weight uses the "
            "thruster less."},
    {"thrusters[].bias_n", AS_VECTOR, .size = 2, .fallback = "0", IN(actuator_def, bias_n), .unit = "N",
     .doc = "Bias force forward and to starboard at zero demand. A pair of thrusters biased against each "
            "other turns less at low demand."},
    {"thrusters[].power_max_w", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(actuator_def, power_max_w), .unit = "W", .doc = "Power at maximum thrust. 0: not counted."},
    {"thrusters[].bus", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN(actuator_def, bus),
     .doc = "Name of the bus in allocation.buses that supplies the thruster."},
    {"allocation", AS_SECTION, .optional = 1,
     .doc = "Thrust allocation: distribution of the wrench to the thrusters."},
    {"allocation.error_weights", AS_VECTOR, .size = 3, .range = POSITIVE, .optional = 1,
     IN(dp_draft, out.def.allocation.error_weight),
     .doc = "Weights of the errors in surge, sway and yaw where the wrench cannot be met; yaw counts as a "
            "force at the longest arm. Absent: 1, 1, 10."},
    {"allocation.change_weight", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "1",
     IN(dp_draft, out.def.allocation.change_weight),
     .doc = "Cost weight of the change of a force from sample to sample, relative to the cost of the force."},
    {"allocation.azimuth_min_share", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0.01",
     IN(dp_draft, out.def.allocation.least_share),
     .doc = "Share of its maximum thrust below which an azimuth thruster does not turn."},
    {"allocation.deviation_share", AS_NUMBER, .range = POSITIVE, .fallback = "0.005",
     IN(dp_draft, out.def.allocation.watch.deviation_share),
     .doc = "Accuracy of the thrusters' feedback, as a share of full revolutions, full pitch or half a turn. "
            "Beyond "
            "it, outside of what response_s and stroke_s allow, a thruster deviates."},
    {"allocation.deviation_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "20",
     IN(dp_draft, out.def.allocation.watch.deviation_s), .unit = "s",
     .doc = "Time after which a thruster that deviates by twice deviation_share does not follow; a large "
            "deviation "
            "takes a tenth of it. 0: thrusters are not supervised."},
    {"allocation.stop_share", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0.25",
     IN(dp_draft, out.def.allocation.stop_share),
     .doc = "Thrust beyond all set-points of the last minute, as a share of full thrust, at which a thruster "
            "that "
            "does not follow gets an emergency stop. It also gets one if for 5 s the others would do better "
            "without it. 0: "
            "none."},
    {"allocation.hand_over_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "30",
     IN(dp_draft, out.def.allocation.hand_over_s), .unit = "s",
     .doc = "Time over which the wrench that acts in addition to the thrusters at take-over is transferred "
            "to them."},
    {"allocation.buses", AS_ITEMS, .size = MAX_BUSES, .optional = 1,
     ITEMS_IN(dp_draft, out.def.allocation.bus, allocation_bus, out.def.allocation.bus_count),
     .doc = "Power buses that limit the thrusters."},
    {"allocation.buses[].name", AS_TEXT, .size = SIGNAL_NAME, IN(allocation_bus, name),
     .doc = "Unique name of the bus, as thrusters[].bus refers to it."},
    {"allocation.buses[].power_w", AS_NUMBER, .range = POSITIVE, IN(allocation_bus, power_w), .unit = "W",
     .doc = "Power available to all thrusters of the bus together."},
};

static void check_forbidden(const struct check *c, const struct actuator_def *actuator, int index) {
  const struct allocation_def *allocation = &c->dp->out.def.allocation;
  struct key_path path = key_path("thrusters.%d.forbidden", index);
  struct allowed_arc arcs[MAX_FORBIDDEN];

  if (!is_given_well(c, path.text))
    return;
  const int turns = thruster_steering(actuator->kind) == STEERING_TURNS;
  if (!turns)
    check_allowed(c, path.text, 0, kinds_where(kind_turns).text);
  if (turns && actuator->forbidden_count > 0 && actuator_arcs(actuator, 0, arcs) == 0)
    report(c, path.text, "sectors that leave an allowed direction expected");
  for (int i = 0; i < actuator->forbidden_count; i++) {
    struct key_path against = key_path("thrusters.%d.forbidden.%d.against", index, i);
    check_other(c, against.text, actuator->forbidden[i].against, "thrusters", index,
                allocation->actuator[0].name, sizeof *actuator, allocation->actuator_count);
  }
}

static void check_bus(const struct check *c, const struct actuator_def *actuator, int index) {
  const struct allocation_def *allocation = &c->dp->out.def.allocation;
  struct key_path path = key_path("thrusters.%d.bus", index);
  int is_known = !actuator->bus[0];

  for (int b = 0; b < allocation->bus_count; b++)
    is_known |= strcmp(allocation->bus[b].name, actuator->bus) == 0;
  if (!is_known && is_readable(c, path.text))
    report(c, path.text, "the name of one of allocation.buses expected");
}

static void check_allocation(const struct check *c) {
  const struct allocation_def *allocation = &c->dp->out.def.allocation;

  for (int i = 0; i < allocation->actuator_count; i++) {
    const struct actuator_def *actuator = &allocation->actuator[i];
    check_unique(c, "thrusters", i, allocation->actuator[0].name, sizeof *actuator);
    check_forbidden(c, actuator, i);
    check_bus(c, actuator, i);
  }
}

static void resolve_allocation(const struct check *c, struct dp_config *out) {
  static const double usual[3] = {1, 1, 10};

  if (!given(c, "allocation.error_weights"))
    memcpy(out->def.allocation.error_weight, usual, sizeof usual);
}

static const struct key_rows ALLOCATION_ROWS = KEY_ROWS(ALLOCATION_KEYS);
static const struct key_group ALLOCATION_GROUPS[] = {{.rows = &ALLOCATION_ROWS, .prefix = ""}};
const struct dp_section DP_ALLOCATION_SECTION = {ALLOCATION_GROUPS, 1, check_allocation, resolve_allocation};

// ------------------------------------------------------------
// DP file: consequence.

static const struct key_def CONSEQUENCE_KEYS[] = {
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
    report(c, path.text, "a list of %d numbers, one for each of allocation.buses, expected",
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
      report(c, key_path("%s.name", item.text).text, "is the name of a thruster; choose another one");
  for (int b = 0; b < def->allocation.bus_count; b++)
    if (!strncmp(group->name, "bus-", 4) && !strcmp(group->name + 4, def->allocation.bus[b].name) &&
        lists_buses(def))
      report(c, key_path("%s.name", item.text).text,
             "is not allowed with consequence.failures buses or both: the bus itself has this name");
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
  check_allowed(c, "consequence", def->allocation.actuator_count > 0, "needs thrusters");
  struct consequence_def list = def->consequence;
  consequence_fill_list(&list, &def->allocation);
  if (def->allocation.actuator_count > 0 && list.failure_count == 0)
    report(c, "consequence.failures", "a list with failures expected: the file has no %s",
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

static const struct key_rows CONSEQUENCE_ROWS = KEY_ROWS(CONSEQUENCE_KEYS);
static const struct key_group CONSEQUENCE_KEY_GROUPS[] = {{.rows = &CONSEQUENCE_ROWS, .prefix = ""}};
const struct dp_section DP_CONSEQUENCE_SECTION = {CONSEQUENCE_KEY_GROUPS, 1, check_consequence,
                                                  resolve_consequence};
