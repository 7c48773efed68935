// Whether a DP file belongs to the vessel of the case.
#include "run/setup/setup.h"
#include "run/setup/setup_internal.h"

#include "net/case/case.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/thrusters/thrusters.h"
#include "sagbend/vessel/vessel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double apart(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void check_ratio(struct plausible *p, const char *key, double value, double vessels, const char *whose,
                        const char *unit) {
  if (value > 0 && vessels > 0 && !plausible_is_within(value / vessels, 0.4, 2.5))
    plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, key, "about %s of the vessel, %.4g %s, expected, got %.4g",
                     whose, vessels, unit, value);
}

static void check_thrusters(struct plausible *p) {
  const struct allocation_def *allocation = &p->setup->dp.def.allocation;
  const struct plant_def *plant = &p->c->sim.vessel.plant;
  int used = 0;
  if (!allocation->actuator_count && plant->thruster_count > 0 && !p->c->net.accept_wrench)
    plausible_report(
        p, MEANT_PERHAPS, IN_DP_FILE, "thrusters",
        "the thrusters of the vessel expected: without them the controller commands a force, which a "
        "vessel with thrusters refuses (network.accept_wrench allows it)");
  for (int i = 0; i < allocation->actuator_count && plant->thruster_count > 0; i++) {
    const struct actuator_def *a = &allocation->actuator[i];
    const struct thruster_def *t = NULL;
    for (int k = 0; k < plant->thruster_count; k++)
      if (!strcmp(plant->thruster[k].name, a->name)) {
        t = &plant->thruster[k];
        used |= 1 << k;
      }
    if (!t) {
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("thrusters.%d.name", i).text,
                       "the name of one of vessel.thrusters expected, got '%s': it stays unused", a->name);
      continue;
    }
    if ((int)a->kind != (int)t->kind)
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("thrusters.%d.kind", i).text,
                       "the kind of %s in vessel.thrusters expected", a->name);
    if (apart(a->position_b_m, t->position_b_m) > 1)
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("thrusters.%d.position_b_m", i).text,
                       "the place of %s in vessel.thrusters, %g, %g, %g m, expected, got %g, %g, %g m",
                       a->name, t->position_b_m[0], t->position_b_m[1], t->position_b_m[2],
                       a->position_b_m[0], a->position_b_m[1], a->position_b_m[2]);
    check_ratio(p, plausible_key("thrusters.%d.thrust_max_n", i).text, a->thrust_max_n, t->thrust_max_n,
                "that", "N");
    check_ratio(p, plausible_key("thrusters.%d.power_max_w", i).text, a->power_max_w, t->power_max_w, "that",
                "W");
    check_ratio(p, plausible_key("thrusters.%d.revolutions_max_rpm", i).text, a->revolutions_max_rpm,
                t->revolutions_max_rpm, "that", "rpm");
    if (*a->bus && *t->bus_name && strcmp(a->bus, t->bus_name) != 0)
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("thrusters.%d.bus", i).text,
                       "the bus of %s in vessel.thrusters, %s, expected, got %s", a->name, t->bus_name,
                       a->bus);
  }
  for (int k = 0; allocation->actuator_count > 0 && k < plant->thruster_count; k++)
    if (!(used >> k & 1))
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, "thrusters",
                       "the controller does not know the thruster %s of the vessel", plant->thruster[k].name);
  for (int i = 0; i < allocation->bus_count && plant->bus_count > 0; i++) {
    int found = 0;
    for (int k = 0; k < plant->bus_count; k++)
      found |= !strcmp(plant->bus[k].name, allocation->bus[i].name);
    if (!found)
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("allocation.buses.%d.name", i).text,
                       "the name of one of vessel.power.buses expected, got '%s'", allocation->bus[i].name);
  }
}

static const struct instrument_def *instrument_of(const struct plausible *p, const char *name) {
  const struct instruments_def *all = &p->c->suite.instruments;
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->instrument[i].name, name))
      return &all->instrument[i];
  return NULL;
}

// With instruments the controller knows nothing else: without a position and a heading it commands nothing.
static void check_references(struct plausible *p) {
  const struct navigation_def *navigation = &p->setup->dp.def.navigation;
  int positions = 0, headings = 0;
  for (int i = 0; i < navigation->count; i++) {
    const struct instrument_def *def = instrument_of(p, navigation->instrument[i].name);
    positions += def && instrument_kind(def->kind)->fix != FIX_NONE;
    headings += def && def->kind == INSTRUMENT_GYRO;
  }
  if (!positions || !headings)
    plausible_report(
        p, MEANT_PERHAPS, IN_DP_FILE, "instruments",
        "%s of the vessel's instruments expected: without position and heading the controller commands "
        "nothing, and a vessel with instruments gives it no exact state",
        positions  ? "a gyro"
        : headings ? "a position reference"
                   : "a position reference and a gyro");
}

static void check_instruments(struct plausible *p) {
  const struct navigation_def *navigation = &p->setup->dp.def.navigation;
  if (p->c->suite.instruments.count == 0) // the controller gets the exact state
    return;
  check_references(p);
  for (int i = 0; i < navigation->count; i++) {
    const struct dp_instrument *dp = &navigation->instrument[i];
    const struct instrument_def *def = instrument_of(p, dp->name);
    if (!def) {
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("instruments.%d.name", i).text,
                       "the name of one of the vessel's instruments expected, got '%s': it stays unused",
                       dp->name);
      continue;
    }
    if (dp->kind != def->kind)
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("instruments.%d.kind", i).text,
                       "the kind of the vessel's %s, %s, expected, got %s", dp->name,
                       instrument_name(def->kind), instrument_name(dp->kind));
    const int has_arm =
        config_place_is_given(p->dp_places, plausible_key("instruments.%d.position_b_m", i).text);
    const int needs_arm = instrument_kind(dp->kind)->fix != FIX_NONE;
    if ((has_arm || needs_arm) && apart(dp->position_b_m, def->position_b_m) > 1)
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("instruments.%d.position_b_m", i).text,
                       "the place of the vessel's %s, %g, %g, %g m, expected, got %g, %g, %g m", dp->name,
                       def->position_b_m[0], def->position_b_m[1], def->position_b_m[2], dp->position_b_m[0],
                       dp->position_b_m[1], dp->position_b_m[2]);
  }
  for (int i = 0; i < p->setup->dp.telegram_count; i++)
    if (!instrument_of(p, p->setup->dp.telegram[i].instrument))
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("telegrams.%d.instrument", i).text,
                       "the name of one of the vessel's instruments expected, got '%s'",
                       p->setup->dp.telegram[i].instrument);
}

// Telegrams: a port to which nothing is sent, another origin of the chart.
static void check_telegrams(struct plausible *p) {
  const struct dp_config *dp = &p->setup->dp;
  const struct nmea_def *nmea = &config_run(p->c)->nmea;
  for (int i = 0; i < dp->telegram_count; i++) {
    const struct dp_telegram_def *telegram = &dp->telegram[i];
    int is_sent = 0;
    for (int k = 0; k < nmea->port_count; k++) {
      const struct nmea_port_def *to = &nmea->ports[k];
      is_sent |= !telegram->port && nmea_is_group(to->udp, to->serial) && to->group == telegram->group;
      const char *colon = strrchr(nmea->ports[k].udp, ':');
      is_sent |= telegram->port && colon && (colon[1] == '*' || atoi(colon + 1) == telegram->port);
    }
    if (!is_sent && !telegram->port)
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("telegrams.%d.group", i).text,
                       "a group of nmea.ports of the vessel expected, got %s: nothing is sent there",
                       network_group_name(telegram->group));
    else if (!is_sent)
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, plausible_key("telegrams.%d.udp", i).text,
                       "a UDP port of nmea.ports of the vessel expected, got %d: nothing is sent there",
                       telegram->port);
  }
  const double off_m =
      6.4e6 * hypot(dp->origin_rad[0] - nmea->origin.latitude_rad,
                    (dp->origin_rad[1] - nmea->origin.longitude_rad) * cos(nmea->origin.latitude_rad));
  if (dp->telegram_count > 0 && nmea->port_count > 0 &&
      config_place_is_given(p->dp_places, "nmea.origin_deg") && off_m > 1)
    plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, "nmea.origin_deg",
                     "nmea.origin_deg of the vessel, %.8g, %.8g, expected: the chart is %.3g m off",
                     nmea->origin.latitude_rad * 57.29577951, nmea->origin.longitude_rad * 57.29577951,
                     off_m);
}

// The set-point, or the begin of the route, against where the vessel rests.
static void check_setpoint(struct plausible *p) {
  static const double MOST_M = 8, MOST_RAD = 0.09;
  const int has_route = p->setup->dp.def.track.route.count > 0;
  const char *position = has_route ? "route.waypoints.0.position_m" : "pid.setpoint.position_m",
             *heading = has_route ? "route.waypoints.0.position_m" : "pid.setpoint.attitude_deg";
  double setpoint[3];
  struct sim_output start;
  if (!p->sim || !setup_setpoint(p->setup, setpoint))
    return;
  sim_get_output(p->sim, &start);
  if (start.step > 0) // a run that was resumed
    return;
  const double north = setpoint[0] - start.position_n_m[0], east = setpoint[1] - start.position_n_m[1];
  const double turn = remainder(setpoint[2] - start.euler_rad[2], 2 * 3.14159265358979);
  if (hypot(north, east) > MOST_M)
    plausible_report(
        p, MEANT_PERHAPS, IN_DP_FILE, position,
        "the place where the vessel rests, north %.6g m, east %.6g m, expected, got north %.6g m, east %.6g "
        "m: %.4g m apart",
        start.position_n_m[0], start.position_n_m[1], setpoint[0], setpoint[1], hypot(north, east));
  if (fabs(turn) > MOST_RAD)
    plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, heading,
                     "the heading at rest, %.4g deg, expected, got %.4g deg: %.4g deg apart",
                     start.euler_rad[2] * 57.29578, setpoint[2] * 57.29578, turn * 57.29578);
}

static void check_limits(struct plausible *p) {
  const struct pid_def *pid = &p->setup->dp.def.pid;
  if (!p->sim || p->c->sim.pipe.elements == 0)
    return;
  const double *hold = sim_statics(p->sim)->initial_holding_force_b;
  for (int i = 0; i < 2; i++)
    if (pid->wrench_limit[i] > 0 && pid->wrench_limit[i] < fabs(hold[i])) {
      plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, "pid.wrench_limit",
                       "at least the force that holds the vessel at rest, %.4g N in %s, expected, got %g N",
                       fabs(hold[i]), i ? "sway" : "surge", pid->wrench_limit[i]);
      break;
    }
}

void plausible_dp(struct plausible *p) {
  const struct dp_def *dp = &p->setup->dp.def;
  const struct vessel_def *v = &p->c->sim.vessel;
  check_thrusters(p);
  check_instruments(p);
  check_telegrams(p);
  check_setpoint(p);
  check_limits(p);
  check_ratio(p, "observer.mass", dp->observer.mass[0][0], v->inertia[0][0], "the mass in surge", "kg");
  check_ratio(p, "observer.mass", dp->observer.mass[2][2], v->inertia[5][5], "the inertia in yaw", "kg m2");
  if (v->windage.present && dp->wind.row_count > 0) {
    check_ratio(p, "wind_feedforward.frontal_area_m2", dp->wind.frontal_area_m2, v->windage.frontal_area_m2,
                "that", "m2");
    check_ratio(p, "wind_feedforward.lateral_area_m2", dp->wind.lateral_area_m2, v->windage.lateral_area_m2,
                "that", "m2");
    check_ratio(p, "wind_feedforward.length_m", dp->wind.length_m, v->windage.length_m, "that", "m");
  }
}
