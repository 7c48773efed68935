// DP file: telegrams.
#include "sagbend/case/dp_sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct key_def KEYS[] = {
    {"telegrams", AS_ITEMS, .size = MAX_DP_TELEGRAMS, .optional = 1,
     ITEMS_IN(dp_draft, out.telegram, dp_telegram_def, out.telegram_count),
     .doc = "Instruments that the controller reads from telegrams instead of the simulator's messages "
            "(docs/nmea.md)."},
    {"telegrams[].instrument", AS_TEXT, .size = SIGNAL_NAME, IN(dp_telegram_def, instrument),
     .doc = "Name of the instrument in instruments of this file: a gnss, gyro, motion, wind, "
            "hydroacoustic, lbl, taut_wire, laser, radar or artemis."},
    {"telegrams[].udp", AS_INTEGER, .range = LIMITED, .low = 1, .high = 65535, IN(dp_telegram_def, port),
     .doc = "UDP port of this machine at which the telegrams arrive."},
    {"telegrams[].latency_s", AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .fallback = "0",
     IN(dp_telegram_def, latency_s), .unit = "s",
     .doc = "Time from measurement to arrival. The time of a measurement is that of its arrival less this."},
    {"telegrams[].target", AS_TEXT, .size = 8, .optional = 1, IN(dp_telegram_def, target),
     .doc = "Transponder (B01) of hydroacoustic and lbl, or number of the target of laser and radar, whose "
            "telegrams count. Absent: the first transponder that comes, target 1."},
    {"nmea", AS_SECTION, .optional = 1,
     .doc = "Place of the world on the Earth, for positions that arrive as telegrams."},
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
  snprintf(condition, sizeof condition, "instrument is a %s", names);
  check_allowed(c, path, d && has_target_names(instrument_kind(d->kind)), condition);
}

static void check_telegrams(const struct check *c) {
  const struct dp_config *dp = &c->dp->out;
  check_origin(c);
  for (int i = 0; i < dp->telegram_count; i++) {
    const struct dp_instrument *d = instrument_named(&dp->def.navigation, dp->telegram[i].instrument);
    struct key_path name = key_path("telegrams.%d.instrument", i), port = key_path("telegrams.%d.udp", i);
    if (is_given_well(c, name.text) && is_readable(c, "instruments"))
      check_kind(c, name.text, d);
    check_target(c, key_path("telegrams.%d.target", i).text, d);
    for (int k = 0; k < i; k++) {
      if (is_given_well(c, port.text) && dp->telegram[k].port == dp->telegram[i].port)
        report(c, port.text, "a port different from that of telegrams.%d expected", k);
      if (is_given_well(c, name.text) && !strcmp(dp->telegram[k].instrument, dp->telegram[i].instrument))
        report(c, name.text, "an instrument different from that of telegrams.%d expected", k);
    }
  }
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct dp_section DP_TELEGRAMS_SECTION = {GROUPS, 1, check_telegrams, NULL};
