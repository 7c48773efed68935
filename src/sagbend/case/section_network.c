// The section network, as far as steps depend on it: periods, and rules of commands. Its sockets are those of
// a session (net/case/sections.c).
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <string.h>

static const struct key_def NETWORK_KEYS[] = {
    {"network", AS_SECTION, .optional = 1, .doc = "Sockets, message periods and command checks."},
    {"network.sensor_period_s", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.net.sensor_period_s),
     .unit = "s",
     .doc = "Period of the sensor messages, and so of control: a whole number of steps. Absent: 0.1 s, "
            "rounded to a whole number of steps."},
    {"network.truth_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.1", AT(out.net.truth_period_s),
     .unit = "s", .doc = "Publishing period of the full vessel state."},
    {"network.nodes_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.5", AT(out.net.nodes_period_s),
     .unit = "s", .doc = "Publishing period of the pipe's node positions."},
    {"network.ledger_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.net.ledger_period_s),
     .unit = "s", .doc = "Publishing period of the energy ledger."},
    {"network.timing_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.net.timing_period_s),
     .unit = "s", .doc = "Publishing period of the timing figures."},
    {"network.command_timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     AT(out.net.command_timeout_s), .unit = "s",
     .doc = "Command timeout: after this time without a command, the reaction applies."},
    {"network.command_max_age_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.5",
     AT(out.net.command_max_age_s), .unit = "s",
     .doc = "Maximum age of the sensor message on which a command is based. An older command is rejected as "
            "stale."},
    {"network.reaction", AS_WORD, .fallback = "initial_holding_force",
     .words = {"hold_last", "initial_holding_force", "zero"}, .words_were = FORMER_WORD,
     WORD_AT(out.net.reaction),
     .doc = "Reaction to the command timeout. hold_last: keep the last command. initial_holding_force: apply "
            "initial_holding_force. zero: no wrench."},
    {"network.wrench_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.net.wrench_limit), .unit = "N, N m",
     .doc = "Limit of a commanded wrench, for each component; a command beyond it is rejected. 0: the "
            "default limit, the force that accelerates the vessel by 5 m/s2 and, for moments, that force "
            "times the radius of gyration."},
    {"network.accept_wrench", AS_FLAG, .fallback = "false", AT(out.net.accept_wrench),
     .doc = "Wrench commands to a vessel with thrusters. true: accepted. false: rejected. A vessel without "
            "thrusters always accepts a wrench."},
    {"network.hold_release_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "30", AT(out.net.hold_release_s),
     .unit = "s",
     .doc =
         "Transition time between the initial holding force and thruster commands: the part of the initial "
         "holding force that "
         "the thrusters do not produce fades out over this time, and returns over the same time afterwards."},
    {"network.changeover", AS_WORD, .fallback = "hold", .words = {"hold", "ramp", "zero"},
     WORD_AT(out.scenario.controllers.hold),
     .doc = "Thrust from the moment that the command is taken from a listed controller until one commands "
            "again. hold: its last command. ramp: its last command, whose thrust fades to zero. zero: no "
            "thrust. Only with controllers, where it takes the place of network.reaction."},
    {"network.changeover_ramp_s", AS_NUMBER, .range = POSITIVE, .fallback = "5",
     AT(out.net.changeover_ramp_s), .unit = "s",
     .doc = "Time in which the thrust fades to zero with changeover: ramp."},
    {"controllers", AS_ITEMS, .size = MAX_CONTROLLERS, .optional = 1,
     ITEMS_IN(config_draft, out.scenario.controllers.item, listed_controller, out.scenario.controllers.count),
     .doc = "Redundant controllers: one commands, the others stand by (docs/redundancy.md). Absent: the "
            "controller whose command was accepted last commands."},
    {"controllers[].name", AS_TEXT, .size = SIGNAL_NAME, IN(listed_controller, name),
     .doc = "Name of the controller, as in its Hello; of a master on a field bus its name in ctl status."},
    {"controllers[].rank", AS_INTEGER, .range = LIMITED, .low = 1, .high = 99, IN(listed_controller, rank),
     .doc =
         "Rank of the controller, unique in the list. The least commands first. Of those that stand by, the "
         "least takes over when the one in command is lost."},
    {"controllers[].role", AS_WORD, .fallback = "main", .words = {"main", "backup"},
     WORD_IN(listed_controller, side),
     .doc = "Side of the main/backup switch. main: takes over from another main one. backup: the backup of a "
            "class 3 system, which commands by order take-over alone; at most one."},
    {"controllers[].instruments", AS_TEXT, .size = LISTED_TEXT, .optional = 1,
     IN(listed_controller, instruments),
     .doc = "Names of the instruments that only the backup receives, separated by spaces. The main ones "
            "receive all others. Absent: none."},
    {"controllers[].shared", AS_TEXT, .size = LISTED_TEXT, .optional = 1, IN(listed_controller, shared),
     .doc = "Names of the instruments that the backup and the main ones receive, separated by spaces. "
            "Absent: none."},
};

// The sensor period as a whole number of steps, at least one.
static double whole_steps_s(const struct check *c) {
  const struct config *draft = &c->draft->out;
  double step_s = draft->sim.step_s;
  double period_s = given(c, "network.sensor_period_s") ? draft->net.sensor_period_s : 0.1;
  uint64_t steps = steps_nearest_to(period_s, step_s);

  return (double)(steps < 1 ? 1 : steps) * step_s;
}

// As the sockets compare names: whatever the case of their letters.
static int is_same_name(const char *a, const char *b) {
  for (; *a && *b; a++, b++) {
    const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 'a' - 'A') : *a,
               y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 'a' - 'A') : *b;
    if (x != y)
      return 0;
  }
  return *a == *b;
}

static void check_listed_controller(const struct check *c, int index) {
  const struct listed_controller *item = c->draft->out.scenario.controllers.item;
  const struct key_path name = key_path("controllers.%d.name", index),
                        rank = key_path("controllers.%d.rank", index);
  const size_t length = strlen(item[index].name);
  if (is_given_well(c, name.text) && (!item[index].name[strspn(item[index].name, "0123456789")] ||
                                      item[index].name[0] == ' ' || item[index].name[length - 1] == ' '))
    report(c, name.text, "a name without blanks at its ends, and not of digits only, expected");
  for (int i = 0; i < index; i++) {
    if (is_given_well(c, name.text) && is_same_name(item[i].name, item[index].name))
      report(c, name.text, "a name different from controllers.%d expected", i);
    if (is_given_well(c, rank.text) && item[i].rank == item[index].rank)
      report(c, rank.text, "a rank different from controllers.%d expected", i);
  }
}

// Of those of the list: all bits of known names. Reports unknown ones, and those that are in one of the lists
// before.
static uint32_t read_names(const struct check *c, const char *key, const char *names, uint32_t before) {
  const struct instruments_def *all = &c->draft->out.suite.instruments;
  uint32_t found = 0;
  for (char word[SIGNAL_NAME]; words_next(&names, word, sizeof word);) {
    struct nearest nearest = nearest_to(word);
    int at = 0;
    while (at < all->count && strcmp(all->instrument[at].name, word) != 0)
      nearest_try(&nearest, all->instrument[at++].name);
    if (at == all->count)
      report_found(c, key, quote(word).text, "names of instruments, separated by spaces, expected%s",
                   nearest_hint(&nearest).text);
    else if ((found | before) >> at & 1u)
      report_found(c, key, quote(word).text, "each instrument in one list, once, expected");
    else
      found |= UINT32_C(1) << at;
  }
  return found;
}

static int has_position_and_heading(const struct instruments_def *all, uint32_t received) {
  int position = 0, heading = 0;
  for (int i = 0; i < all->count; i++) {
    const enum instrument kind = all->instrument[i].kind;
    position |= (received >> i & 1u) && (kind == INSTRUMENT_GNSS || reference_is(kind));
    heading |= (received >> i & 1u) && kind == INSTRUMENT_GYRO;
  }
  return position && heading;
}

static uint32_t all_instruments(const struct instruments_def *all) {
  return all->count >= 32 ? UINT32_MAX : (UINT32_C(1) << all->count) - 1;
}

static void check_backup(const struct check *c, int index) {
  const struct config *draft = &c->draft->out;
  const struct instruments_def *all = &draft->suite.instruments;
  const struct listed_controller *item = &draft->scenario.controllers.item[index];
  const struct key_path role = key_path("controllers.%d.role", index),
                        own = key_path("controllers.%d.instruments", index),
                        shared = key_path("controllers.%d.shared", index);
  static const char EXPECTED[] = "a position reference and a gyro expected";
  if (!is_readable(c, "instruments") || !is_readable(c, own.text) || !is_readable(c, shared.text))
    return;
  if (!given(c, "instruments")) {
    report_found(c, role.text, "a case with exact values", "a backup needs instruments");
    return;
  }
  const uint32_t only = read_names(c, own.text, item->instruments, 0),
                 both = read_names(c, shared.text, item->shared, only);
  if (!has_position_and_heading(all, only | both))
    report_found(c, given(c, own.text) ? own.text : role.text, "a backup that cannot hold position",
                 EXPECTED);
  else if (!has_position_and_heading(all, all_instruments(all) & ~only))
    report_found(c, own.text, "main controllers that cannot hold position", EXPECTED);
}

// At most one backup, and somebody beside it.
static void check_sides(const struct check *c) {
  const struct controllers_def *list = &c->draft->out.scenario.controllers;
  const int backup = (int)controllers_backup(list) - 1;
  int mains = 0;
  for (int i = 0; i < list->count; i++) {
    const struct key_path role = key_path("controllers.%d.role", i),
                          own = key_path("controllers.%d.instruments", i),
                          shared = key_path("controllers.%d.shared", i);
    if (!is_item_readable(c, "controllers", i) || !is_readable(c, role.text))
      return;
    mains += list->item[i].side == SIDE_MAIN;
    if (list->item[i].side == SIDE_BACKUP && i != backup)
      report(c, role.text, "one backup expected, and controllers.%d is another", backup);
    if (list->item[i].side == SIDE_MAIN && (given(c, own.text) || given(c, shared.text)))
      report(c, given(c, own.text) ? own.text : shared.text, "needs role: backup");
  }
  if (backup >= 0 && !mains)
    report(c, key_path("controllers.%d.role", backup).text, "a main controller beside the backup expected");
  if (backup >= 0)
    check_backup(c, backup);
}

static void check_controllers(const struct check *c) {
  const struct config *draft = &c->draft->out;
  const int count = draft->scenario.controllers.count;
  if (!given(c, "controllers")) {
    if (given(c, "network.changeover") || given(c, "network.changeover_ramp_s"))
      report_found(c, given(c, "network.changeover") ? "network.changeover" : "network.changeover_ramp_s",
                   "a case without controllers", "needs controllers");
    return;
  }
  if (count > MAX_CONTROLLERS)
    return;
  if (count < 2)
    report_found(c, "controllers", "fewer", "2 to %d controllers expected", MAX_CONTROLLERS);
  for (int i = 0; i < count; i++)
    if (is_item_readable(c, "controllers", i))
      check_listed_controller(c, i);
  check_sides(c);
  if (is_readable(c, "controller.kind") && draft->sim.controller != CONTROLLER_EXTERNAL)
    report_found(c, "controllers", "a list beside a controller inside", "controller.kind: external expected");
  if (given(c, "network.reaction"))
    report_found(c, "network.reaction", "a reaction beside controllers",
                 "network.changeover in its place expected");
}

static void check_network(const struct check *c) {
  const struct net_def *net = &c->draft->out.net;
  const char *period = "network.sensor_period_s";

  check_controllers(c);
  if (!is_readable(c, "simulation.step_s") || !is_given_well(c, period))
    return;
  double whole_s = whole_steps_s(c);
  if (fabs(net->sensor_period_s - whole_s) > 1e-9 * whole_s)
    report(c, period, "a whole number of steps of %s s expected", number_text(c->draft->out.sim.step_s).text);
}

// Who receives which instrument.
static void resolve_sides(const struct check *c, struct config *out) {
  struct controllers_def *list = &out->scenario.controllers;
  struct instruments_def *all = &out->suite.instruments;
  const uint64_t backup = controllers_backup(list);
  list->received[SIDE_MAIN] = list->received[SIDE_BACKUP] = all_instruments(all);
  if (!backup)
    return;
  const struct listed_controller *item = &list->item[backup - 1];
  const uint32_t only = read_names(c, "", item->instruments, 0);
  list->received[SIDE_MAIN] &= ~only;
  list->received[SIDE_BACKUP] = only | read_names(c, "", item->shared, only);
  for (int i = 0; i < all->count; i++) {
    const int main = list->received[SIDE_MAIN] >> i & 1u, also = list->received[SIDE_BACKUP] >> i & 1u;
    all->instrument[i].zone = main == also ? 0 : 1 + (main ? SIDE_MAIN : SIDE_BACKUP);
  }
}

static void resolve_network(const struct check *c, struct config *out) {
  resolve_sides(c, out);
  const uint64_t ramp = steps_nearest_to(out->net.changeover_ramp_s, out->sim.step_s);
  out->scenario.controllers.ramp_steps = ramp < 1 ? 1 : ramp;
  out->net.sensor_period_s = whole_steps_s(c);
}

static const struct key_rows NETWORK_ROWS = KEY_ROWS(NETWORK_KEYS);
static const struct key_group NETWORK_GROUPS[] = {{.rows = &NETWORK_ROWS, .prefix = ""}};
const struct config_section NETWORK_SECTION = {NETWORK_GROUPS, 1, check_network, resolve_network, NULL};

// ------------------------------------------------------------
// What a view of the session draws beside the state: the vessel's outline and the section view. Nothing here
// acts on the simulation.

static const struct key_def KEYS[] = {
    {"vessel.outline_m", AS_ITEMS, .outside_model = 1, .size = MAX_OUTLINE, .optional = 1,
     ITEMS_IN(config_draft, out.view.outline, outline_point, out.view.outline_count),
     .doc =
         "Outline of the vessel seen from above, for views: the corners of a polygon of at least three, in "
         "order, in the body frame. The last corner joins the first."},
    {"vessel.outline_m[].forward", AS_NUMBER, IN(outline_point, forward_m), .unit = "m",
     .doc = "Position of the corner forward of the reference point."},
    {"vessel.outline_m[].starboard", AS_NUMBER, IN(outline_point, starboard_m), .unit = "m",
     .doc = "Position of the corner to starboard of the reference point."},
    {"view", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Circles and limits that views draw. They have no effect on the simulation."},
    {"view.watch_circles_m", AS_VECTOR, .size = WATCH_CIRCLES, .range = POSITIVE, .optional = 1,
     AT(out.view.watch_circle_m), .unit = "m",
     .doc = "Radii of the watch circles around the set-point: warning, then alarm. Absent: no circles."},
    {"view.limits", AS_SECTION, .optional = 1,
     .doc = "Limits at which the colours of a view reach their end. Absent: the present maximum."},
    {"view.limits.curvature_1pm", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.view.curvature_1pm),
     .unit = "1/m", .doc = "Limit of the curvature of the pipe."},
    {"view.limits.moment_nm", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.view.moment_nm),
     .unit = "N m", .doc = "Limit of the bending moment of the pipe."},
    {"view.limits.tension_n", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.view.tension_n),
     .unit = "N", .doc = "Limit of the effective tension of the pipe."},
};

static double cross(struct outline_point a, struct outline_point b, struct outline_point c) {
  return (b.forward_m - a.forward_m) * (c.starboard_m - a.starboard_m) -
         (b.starboard_m - a.starboard_m) * (c.forward_m - a.forward_m);
}

static int is_between(struct outline_point a, struct outline_point b, struct outline_point p) {
  return fmin(a.forward_m, b.forward_m) <= p.forward_m && p.forward_m <= fmax(a.forward_m, b.forward_m) &&
         fmin(a.starboard_m, b.starboard_m) <= p.starboard_m &&
         p.starboard_m <= fmax(a.starboard_m, b.starboard_m);
}

// Whether the sides from a to b and from c to d have a point in common.
static int do_meet(struct outline_point a, struct outline_point b, struct outline_point c,
                   struct outline_point d) {
  double c_side = cross(a, b, c), d_side = cross(a, b, d), a_side = cross(c, d, a), b_side = cross(c, d, b);
  if (((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) &&
      ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0)))
    return 1;
  return (c_side == 0 && is_between(a, b, c)) || (d_side == 0 && is_between(a, b, d)) ||
         (a_side == 0 && is_between(c, d, a)) || (b_side == 0 && is_between(c, d, b));
}

static double area_of(const struct outline_point *p, int count) {
  double area = 0;
  for (int i = 1; i + 1 < count; i++)
    area += 0.5 * cross(p[0], p[i], p[i + 1]);
  return fabs(area);
}

// The first corner that equals the one before it, or whose side meets another one; -1: none.
static int find_bad_corner(const struct outline_point *p, int count) {
  for (int i = 0; i < count; i++) {
    struct outline_point a = p[i], b = p[(i + 1) % count];
    if (a.forward_m == b.forward_m && a.starboard_m == b.starboard_m)
      return (i + 1) % count;
    for (int j = i + 2; j < count; j++)
      if ((j + 1) % count != i && do_meet(a, b, p[j], p[(j + 1) % count]))
        return j;
  }
  return -1;
}

static void check_outline(const struct check *c) {
  const struct view_def *view = &c->draft->out.view;
  const char *list = "vessel.outline_m";
  int count = view->outline_count;
  if (!given(c, list) || count > MAX_OUTLINE)
    return;
  for (int i = 0; i < count; i++)
    if (!is_item_readable(c, list, i))
      return;
  int bad = count < 3 ? -1 : find_bad_corner(view->outline, count);
  if (count < 3)
    report_found(c, list, "fewer", "at least 3 corners expected");
  else if (bad >= 0)
    report_found(c, key_path("vessel.outline_m.%d", bad).text,
                 "one that lies on, or a side that crosses, another side",
                 "a corner of a polygon whose sides do not meet expected");
  else if (!(area_of(view->outline, count) > 0))
    report_found(c, list, "corners on a line", "a polygon with an area expected");
}

static void check_view(const struct check *c) {
  const double *radius = c->draft->out.view.watch_circle_m;
  check_outline(c);
  if (given(c, "view.watch_circles_m") && is_readable(c, "view.watch_circles_m") && radius[0] > 0 &&
      radius[1] > 0 && !(radius[0] < radius[1]))
    report_found(c, "view.watch_circles_m",
                 radius[0] > radius[1] ? "the larger one first" : "two equal radii",
                 "the radius of the warning and then the larger one of the alarm expected");
}

static const struct key_rows VIEW_ROWS = KEY_ROWS(KEYS);
static const struct key_group VIEW_GROUPS[] = {{.rows = &VIEW_ROWS, .prefix = ""}};
const struct config_section VIEW_SECTION = {VIEW_GROUPS, 1, check_view, NULL, NULL};
