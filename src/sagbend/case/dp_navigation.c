// DP file: instruments, navigation, observer.
#include "sagbend/case/case_internal.h"

#include "sagbend/math/math.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct key_def NAVIGATION_KEYS[] = {
    {"instruments", AS_ITEMS, .size = MAX_INSTRUMENTS, .optional = 1,
     ITEMS_IN(dp_draft, out.def.navigation.instrument, dp_instrument, out.def.navigation.count),
     .doc = "Instruments of the vessel that the controller uses."},
    {"instruments[].name", AS_TEXT, .size = SIGNAL_NAME, IN(dp_instrument, name),
     .doc = "Name of the instrument in the vessel's configuration."},
    {"instruments[].kind", AS_WORD, .word_at = instrument_word, .word_count = INSTRUMENT_COUNT,
     WORD_IN(dp_instrument, kind), .doc = "Instrument type."},
    {"instruments[].position_b_m", AS_VECTOR, .size = 3, .fallback = "0", IN(dp_instrument, position_b_m),
     .unit = "m", .doc = "Position of the antenna as the controller assumes it, in the body frame."},
    {"instruments[].sigma_m", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(dp_instrument, sigma),
     .unit = "m",
     .doc = "Standard deviation of a position or a range. Absent: the accuracy that the instrument reports, "
            "otherwise a usual value (docs/controller.md)."},
    {"instruments[].sigma_deg", AS_NUMBER, .range = POSITIVE, .optional = 1, .degrees = 1,
     IN(dp_instrument, sigma_rad), .unit = "deg",
     .doc = "Standard deviation of a gyro heading, a bearing, or an angle of a wire or an acoustic system. "
            "Absent: observer.heading_sigma_deg for a gyro, otherwise a usual value (docs/controller.md)."},
    {"instruments[].principle", AS_TEXT, .size = SIGNAL_NAME, .optional = 1,
     IN(dp_instrument, principle_name),
     .doc = "Principle of measurement of a position reference: those of one principle may share errors and "
            "vote as one. Absent: its kind."},
    {"instruments[].target_m", AS_VECTOR, .size = 3, .optional = 1, IN(dp_instrument, target_m), .unit = "m",
     .doc = "Position of the target that the reference measures against: north, east, down."},
    {"instruments[].calibrate_s", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(dp_instrument, calibrate_s),
     .unit = "s",
     .doc = "Time in which the estimate of the other references finds the place of the target; before, the "
            "reference does not count. Instead of target_m."},
    {"instruments[].share", AS_NUMBER, .range = POSITIVE, .fallback = "1", IN(dp_instrument, share),
     .doc = "Share of the hang-off tension that a load_cell carries."},
    {"navigation", AS_SECTION, .optional = 1, .doc = "Validation and selection of the measurements."},
    {"navigation.position_limit_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5",
     IN(dp_draft, out.def.navigation.position_limit_m), .unit = "m",
     .doc = "Rejection limit of a position against the prediction, or against the median of three or more "
            "references. 0: no rejection."},
    {"navigation.heading_limit_deg", AS_NUMBER, .range = NOT_NEGATIVE, .degrees = 1, .fallback = "3",
     IN(dp_draft, out.def.navigation.heading_limit_rad), .unit = "deg",
     .doc = "Rejection limit of a heading against the prediction, or against the median of three or more "
            "gyros. 0: no rejection."},
    {"navigation.angle_limit_deg", AS_NUMBER, .range = NOT_NEGATIVE, .degrees = 1, .fallback = "1",
     IN(dp_draft, out.def.navigation.angle_limit_rad), .unit = "deg",
     .doc = "Rejection limit of roll, pitch and the pipe's angles against the median of three or more "
            "instruments. 0: no rejection."},
    {"navigation.wind_limit_mps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5",
     IN(dp_draft, out.def.navigation.wind_limit_mps), .unit = "m/s",
     .doc = "Rejection limit of the wind velocity against the median of three or more sensors. 0: no "
            "rejection."},
    {"navigation.tension_limit_n", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(dp_draft, out.def.navigation.tension_limit_n), .unit = "N",
     .doc =
         "Rejection limit of the tension against the median of three or more load cells. 0: no rejection."},
    {"navigation.stale_s", AS_NUMBER, .range = POSITIVE, .fallback = "5",
     IN(dp_draft, out.def.navigation.old_s), .unit = "s",
     .doc = "Age limit: an instrument without a new measurement for longer is not used."},
    {"navigation.frozen_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "20",
     IN(dp_draft, out.def.navigation.frozen_s), .unit = "s",
     .doc = "Freeze limit: an instrument that repeats identical values for longer, while another "
            "instrument's values change, is not used. 20 identical measurements in a row of one whose value "
            "changes as a rule take a quarter of it. 0: no check."},
    {"navigation.weight_limit", AS_NUMBER, .range = LIMITED, .low = 0.5, .high = 1, .fallback = "0.67",
     IN(dp_draft, out.def.navigation.weight_limit),
     .doc = "Largest share of one principle in the weighted position, where others are in use. 1: no limit."},
    {"navigation.lost_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "10",
     IN(dp_draft, out.def.navigation.lost_s), .unit = "s",
     .doc =
         "Time without counting after which a returning position reference must prove itself, where several "
         "principles are in use."},
    {"navigation.proof_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "20",
     IN(dp_draft, out.def.navigation.proof_s), .unit = "s",
     .doc = "Time for which a returning position reference must agree with the estimate within 3 standard "
            "deviations before it counts. 0: it counts at once."},
    {"navigation.sigma_limit", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "7",
     IN(dp_draft, out.def.navigation.sigma_limit),
     .doc =
         "Limit for a single instrument against its own rate and its own past, in standard deviations that "
         "it shows in service. 0: no test of single instruments: range, timing, rate, level, copies."},
    {"navigation.reaccept_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(dp_draft, out.def.navigation.reaccept_s), .unit = "s",
     .doc = "Time without an accepted position after which the prediction is reset to the position "
            "references. 0: never."},
    {"navigation.tension_fallback", AS_WORD, .fallback = "last", .words = {"last", "fixed", "none"},
     WORD_IN(dp_draft, out.def.navigation.fallback),
     .doc = "Tension used when no load cell is left. last: the last tension. fixed: tension_fallback_n. "
            "none: no tension."},
    {"navigation.tension_fallback_n", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(dp_draft, out.def.navigation.fallback_n), .unit = "N",
     .doc = "Tension used where tension_fallback is fixed."},
    {"navigation.inclination_fallback_deg", AS_NUMBER, .degrees = 1, .fallback = "90",
     IN(dp_draft, out.def.navigation.fallback_inclination_rad), .unit = "deg",
     .doc = "Inclination of the pipe at the hang-off, above the horizontal, used until an angle sensor has "
            "measured it."},
    {"navigation.azimuth_fallback_deg", AS_NUMBER, .degrees = 1, .fallback = "180",
     IN(dp_draft, out.def.navigation.fallback_azimuth_rad), .unit = "deg",
     .doc =
         "Direction of the pipe's pull, clockwise from the bow, used until an angle sensor has measured it."},
    {"observer", AS_SECTION, .optional = 1,
     .doc = "Nonlinear observer: filters wave-frequency motion out of position and heading; estimates "
            "velocity and bias (docs/controller.md)."},
    {"observer.mass", AS_MATRIX | AS_VECTOR, .size = 3, IN(dp_draft, out.def.observer.mass),
     .unit = "kg, kg m, kg m2",
     .doc = "Mass matrix of surge, sway and yaw with added mass, full or as its diagonal."},
    {"observer.damping", AS_MATRIX | AS_VECTOR, .size = 3, .fallback = "0",
     IN(dp_draft, out.def.observer.damping), .unit = "N s/m, N m s/rad",
     .doc = "Linear damping matrix of surge, sway and yaw, full or as its diagonal."},
    {"observer.wave_frequency_radps", AS_NUMBER, .range = POSITIVE, .fallback = "0.8",
     IN(dp_draft, out.def.observer.wave_frequency_radps), .unit = "rad/s",
     .doc = "Centre frequency of the wave filter: the peak frequency of the sea."},
    {"observer.wave_damping", AS_NUMBER, .range = LIMITED, .low = 0.01, .high = 0.9, .fallback = "0.1",
     IN(dp_draft, out.def.observer.wave_damping),
     .doc = "Relative width (damping ratio) of the wave filter."},
    {"observer.wave_motion", AS_VECTOR, .size = 3, .range = NOT_NEGATIVE, .fallback = "0.3",
     IN(dp_draft, out.def.observer.wave_sigma), .unit = "m, m, deg",
     .doc = "Standard deviation of the wave-frequency motion in surge, sway and yaw, which sets the depth of "
            "the wave filter."},
    {"observer.force_noise", AS_VECTOR, .size = 3, .range = NOT_NEGATIVE, .optional = 1,
     IN(dp_draft, out.def.observer.force_sigma), .unit = "N s^0.5, N m s^0.5",
     .doc = "White-noise density of the unmodelled forces in surge and sway and moment in yaw. Absent: 0.01 "
            "m/s2 times the mass and 1e-4 rad/s2 times the inertia."},
    {"observer.bias_noise", AS_VECTOR, .size = 3, .range = NOT_NEGATIVE, .optional = 1,
     IN(dp_draft, out.def.observer.bias_sigma), .unit = "N/s^0.5, N m/s^0.5",
     .doc = "Random-walk density of the bias force (current, drift, pipe). Absent: a tenth of force_noise."},
    {"observer.bias_time_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(dp_draft, out.def.observer.bias_time_s), .unit = "s",
     .doc = "Time constant with which the estimated bias decays. 0: no decay."},
    {"observer.position_sigma_m", AS_NUMBER, .range = POSITIVE, .fallback = "0.5",
     IN(dp_draft, out.def.observer.position_sigma_m), .unit = "m",
     .doc = "Standard deviation of a position whose receiver does not report its accuracy."},
    {"observer.heading_sigma_deg", AS_NUMBER, .range = POSITIVE, .degrees = 1, .fallback = "0.1",
     IN(dp_draft, out.def.observer.heading_sigma_rad), .unit = "deg",
     .doc = "Standard deviation of a heading."},
};

static int has_target(const struct instrument_kind *kind) {
  return kind->fix == FIX_TARGET;
}

static int is_position(enum instrument kind) {
  return instrument_kind(kind)->fix != FIX_NONE;
}

static void check_reference(const struct check *c, enum instrument kind, int index) {
  const int with_target = has_target(instrument_kind(kind));
  char names[INSTRUMENT_NAMES], condition[INSTRUMENT_NAMES + 16];
  check_allowed(c, key_path("instruments.%d.sigma_m", index).text, is_position(kind),
                "needs a kind that measures a position");
  check_allowed(c, key_path("instruments.%d.principle", index).text, is_position(kind),
                "needs a kind that measures a position");
  check_allowed(c, key_path("instruments.%d.sigma_deg", index).text, kind == INSTRUMENT_GYRO || with_target,
                "needs kind gyro, or a reference with a target");
  if (with_target) {
    check_one_of(c, key_path("instruments.%d", index).text, "target_m", "calibrate_s");
    return;
  }
  instrument_names(instrument_kinds(has_target), names);
  snprintf(condition, sizeof condition, "needs kind %s", names);
  check_allowed(c, key_path("instruments.%d.target_m", index).text, 0, condition);
  check_allowed(c, key_path("instruments.%d.calibrate_s", index).text, 0, condition);
}

// Numbers the principles by their names, if there is more than receivers.
static void number_principles(const struct check *c, struct navigation_def *navigation) {
  char names[MAX_INSTRUMENTS][SIGNAL_NAME];
  int any = 0, count = 0;
  for (int i = 0; i < navigation->count; i++) {
    struct dp_instrument *d = &navigation->instrument[i];
    int at = 0;
    d->has_target = given(c, key_path("instruments.%d.target_m", i).text) != NULL;
    if (!is_position(d->kind))
      continue;
    any |= d->kind != INSTRUMENT_GNSS || *d->principle_name;
    if (!*d->principle_name)
      snprintf(d->principle_name, sizeof d->principle_name, "%s", instrument_name(d->kind));
    while (at < count && strcmp(names[at], d->principle_name) != 0)
      at++;
    memcpy(names[at], d->principle_name, SIGNAL_NAME);
    count += at == count;
    d->principle = at;
  }
  navigation->principle_count = any ? count : 0;
}

static void check_instruments(const struct check *c) {
  const struct navigation_def *navigation = &c->dp->out.def.navigation;

  for (int i = 0; i < navigation->count; i++) {
    const struct dp_instrument *instrument = &navigation->instrument[i];
    check_unique(c, "instruments", i, navigation->instrument[0].name, sizeof *instrument);
    if (is_given_well(c, key_path("instruments.%d.kind", i).text))
      check_reference(c, instrument->kind, i);
  }
}

static void check_navigation(const struct check *c) {
  check_instruments(c);
  if (is_given_well(c, "observer.mass") &&
      !mat3_is_definite((const double (*)[3])c->dp->out.def.observer.mass))
    report_found(c, "observer.mass", "another one", "symmetric positive definite matrix expected");
}

static void resolve_navigation(const struct check *c, struct dp_config *out) {
  static const double usual[3] = {0.01, 0.01, 1e-4}; // m/s2, rad/s2
  struct observer_def *observer = &out->def.observer;

  number_principles(c, &out->def.navigation);
  observer->present = given(c, "observer") != NULL;
  if (!observer->present)
    return;
  observer->wave_sigma[2] *= TRIG_PI / 180;
  for (int i = 0; i < 3; i++) {
    if (!given(c, "observer.force_noise"))
      observer->force_sigma[i] = usual[i] * observer->mass[i][i];
    if (!given(c, "observer.bias_noise"))
      observer->bias_sigma[i] = 0.1 * observer->force_sigma[i];
  }
}

static const struct key_rows NAVIGATION_ROWS = KEY_ROWS(NAVIGATION_KEYS);
static const struct key_group NAVIGATION_GROUPS[] = {{.rows = &NAVIGATION_ROWS, .prefix = ""}};
const struct dp_section DP_NAVIGATION_SECTION = {NAVIGATION_GROUPS, 1, check_navigation, resolve_navigation};

// ------------------------------------------------------------
// DP file: telegrams.

static const struct key_def TELEGRAMS_KEYS[] = {
    {"telegrams", AS_ITEMS, .size = MAX_DP_TELEGRAMS, .optional = 1,
     ITEMS_IN(dp_draft, out.telegram, dp_telegram_def, out.telegram_count),
     .doc = "Instruments that the controller reads from telegrams instead of the simulator's messages "
            "(docs/nmea.md)."},
    {"telegrams[].instrument", AS_TEXT, .size = SIGNAL_NAME, IN(dp_telegram_def, instrument),
     .doc = "Name of the instrument in instruments of this file: a gnss, gyro, motion, wind, "
            "hydroacoustic, lbl, taut_wire, laser, radar or artemis."},
    {"telegrams[].udp", AS_INTEGER, .range = LIMITED, .low = 1, .high = 65535, .optional = 1,
     IN(dp_telegram_def, port),
     .doc = "UDP port of this machine at which the telegrams arrive. Exactly one of udp and group."},
    {"telegrams[].group", AS_WORD, .optional = 1, .word_at = network_group_name,
     .word_count = NETWORK_GROUP_COUNT, WORD_IN(dp_telegram_def, group),
     .doc =
         "Transmission group of IEC 61162-450 in which the sentences arrive (docs/ship-network.md). Exactly "
         "one of udp and group."},
    {"telegrams[].source", AS_TEXT, .size = 8, .optional = 1, IN(dp_telegram_def, source),
     .doc = "Source in the TAG blocks of a group, such as HE0001: only its sentences are read. Absent: all."},
    {"telegrams[].latency_s", AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .fallback = "0",
     IN(dp_telegram_def, latency_s), .unit = "s",
     .doc = "Time from measurement to arrival. The time of a measurement is that of its arrival less this."},
    {"telegrams[].target", AS_TEXT, .size = 8, .optional = 1, IN(dp_telegram_def, target),
     .doc = "Transponder (B01) of hydroacoustic and lbl, or number of the target of laser and radar, whose "
            "telegrams count. Absent: the first transponder that comes, target 1."},
    {"nmea", AS_SECTION, .optional = 1,
     .doc = "Place of the world on the Earth, for positions that arrive as telegrams."},
    {"nmea.interface", AS_TEXT, .size = 16, .fallback = "127.0.0.1", IN(dp_draft, out.interface[0]),
     .doc = "Numeric IPv4 address of the interface on which the groups of telegrams are joined."},
    {"nmea.interface_b", AS_TEXT, .size = 16, .optional = 1, IN(dp_draft, out.interface[1]),
     .doc = "Numeric IPv4 address of the interface of network B, on which they are joined as well: a line "
            "that comes by both counts once. Absent: there is no network B."},
    {"nmea.port_offset", AS_INTEGER, .range = LIMITED, .low = 0, .high = 5500, .fallback = "0",
     IN(dp_draft, out.port_offset),
     .doc = "Number added to the port of each group of telegrams, the simulator's nmea.network.port_offset."},
    {"nmea.origin_deg", AS_VECTOR, .size = 2, .range = LIMITED, .low = -180, .high = 180, .degrees = 1,
     .optional = 1, IN(dp_draft, out.origin_rad), .unit = "deg",
     .doc = "Geographic position of the world origin (WGS 84): latitude (positive north) and longitude "
            "(positive east), the simulator's nmea.origin_deg. A receiver in telegrams needs it."},
};

static int has_telegrams(const struct instrument_kind *kind) {
  return kind->telegrams != TELEGRAMS_UNREAD;
}

static int has_target_names(const struct instrument_kind *kind) {
  return kind->telegrams == TELEGRAMS_NAMED;
}

static const struct dp_instrument *instrument_named(const struct navigation_def *navigation,
                                                    const char *name) {
  for (int i = 0; i < navigation->count; i++)
    if (!strcmp(navigation->instrument[i].name, name))
      return &navigation->instrument[i];
  return NULL;
}

static const double LARGEST_LATITUDE_RAD = 1.5697; // as of the simulator's own

static void check_origin(const struct check *c) {
  const struct dp_config *dp = &c->dp->out;
  int is_needed = 0;
  for (int i = 0; i < dp->telegram_count; i++) {
    const struct dp_instrument *d = instrument_named(&dp->def.navigation, dp->telegram[i].instrument);
    is_needed |= d && d->kind == INSTRUMENT_GNSS;
  }
  if (is_needed && !given(c, "nmea.origin_deg"))
    report(c, "telegrams",
           "nmea.origin_deg expected: the positions of a receiver are latitude and longitude");
  if (is_given_well(c, "nmea.origin_deg") && fabs(dp->origin_rad[0]) > LARGEST_LATITUDE_RAD)
    report(c, "nmea.origin_deg", "a latitude from -89.9 to 89.9 degrees expected");
}

static void check_kind(const struct check *c, const char *path, const struct dp_instrument *d) {
  char names[INSTRUMENT_NAMES];
  instrument_names(instrument_kinds(has_telegrams), names);
  if (!d || !has_telegrams(instrument_kind(d->kind)))
    report(c, path, "the name of a %s in instruments expected", names);
}

static void check_target(const struct check *c, const char *path, const struct dp_instrument *d) {
  char names[INSTRUMENT_NAMES], condition[INSTRUMENT_NAMES + 32];
  instrument_names(instrument_kinds(has_target_names), names);
  snprintf(condition, sizeof condition, "needs an instrument of kind %s", names);
  check_allowed(c, path, d && has_target_names(instrument_kind(d->kind)), condition);
}

// Two capital letters and four digits.
static int is_source(const char *text) {
  return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 2 && strspn(text + 2, "0123456789") == 4 && !text[6];
}

// A numeric IPv4 address that is no group.
static int is_interface(const char *text) {
  struct in_addr at;
  return inet_pton(AF_INET, text, &at) == 1 && ntohl(at.s_addr) >> 28 < 0xE && at.s_addr != 0;
}

static void check_telegrams(const struct check *c) {
  const struct dp_config *dp = &c->dp->out;
  check_origin(c);
  if (is_readable(c, "nmea.interface") && !is_interface(dp->interface[0]))
    report(c, "nmea.interface", "the numeric IPv4 address of an interface of this machine expected");
  if (is_given_well(c, "nmea.interface_b") && !is_interface(dp->interface[1]))
    report(c, "nmea.interface_b", "the numeric IPv4 address of an interface of this machine expected");
  else if (is_given_well(c, "nmea.interface_b") && !strcmp(dp->interface[0], dp->interface[1]))
    report(c, "nmea.interface_b", "an address different from nmea.interface expected");
  for (int i = 0; i < dp->telegram_count; i++) {
    const struct dp_instrument *d = instrument_named(&dp->def.navigation, dp->telegram[i].instrument);
    struct key_path name = key_path("telegrams.%d.instrument", i), port = key_path("telegrams.%d.udp", i);
    if (is_given_well(c, name.text) && is_readable(c, "instruments"))
      check_kind(c, name.text, d);
    check_target(c, key_path("telegrams.%d.target", i).text, d);
    const struct key_path source = key_path("telegrams.%d.source", i);
    check_one_of(c, key_path("telegrams.%d", i).text, "udp", "group");
    check_allowed(c, source.text, given(c, key_path("telegrams.%d.group", i).text) != NULL, "needs group");
    if (is_given_well(c, source.text) && !is_source(dp->telegram[i].source))
      report(c, source.text, "two capital letters and four digits, as HE0001, expected");
    for (int k = 0; k < i; k++) {
      if (is_given_well(c, port.text) && dp->telegram[k].port == dp->telegram[i].port)
        report(c, port.text, "a port different from that of telegrams.%d expected", k);
      if (is_given_well(c, name.text) && !strcmp(dp->telegram[k].instrument, dp->telegram[i].instrument))
        report(c, name.text, "an instrument different from that of telegrams.%d expected", k);
    }
  }
}

static const struct key_rows TELEGRAMS_ROWS = KEY_ROWS(TELEGRAMS_KEYS);
static const struct key_group TELEGRAMS_GROUPS[] = {{.rows = &TELEGRAMS_ROWS, .prefix = ""}};
const struct dp_section DP_TELEGRAMS_SECTION = {TELEGRAMS_GROUPS, 1, check_telegrams, NULL};
