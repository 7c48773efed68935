// NMEA 0183 sentences: published lines are reproduced exactly, dates and positions roll over correctly,
// faults of sentences are visible. tests/program/nmea_test.py uses independent decoders.
#include "net/buses/buses.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double rad = 3.14159265358979323846 / 180;
static const struct nmea_corruption straight = {0, 0, 0};

static struct readings one(enum instrument kind, const char *name, const double *value) {
  struct readings all = {.instrument_count = 1};
  struct reading *r = &all.instrument[0];
  r->kind = kind;
  r->valid = 1;
  r->sequence = 1;
  snprintf(r->name, sizeof r->name, "%s", name);
  memcpy(r->value, value, (size_t)instrument_channel_count(kind) * sizeof *value);
  return all;
}

static const char *say(enum nmea_sentence s, const struct nmea_origin *o, const struct readings *all,
                       const struct nmea_corruption *twist) {
  static char text[NMEA_MAX];
  size_t size = nmea_write(s, o, nmea_default_talker(nmea_source(s)), all, 0, 0, twist, text);
  ck_assert_uint_eq(size, strlen(text));
  ck_assert_uint_gt(size, 0);
  return text;
}

static struct nmea_origin origin(const char *utc) {
  struct nmea_origin o = {.rated_hz = 60, .rated_v = 690};
  ck_assert(nmea_parse_utc(utc, &o.start_utc_s));
  return o;
}

// $PHTRO from the manufacturer's manual; $PSXN,23 from a Seapath log of a research ship; $HEHDT by the
// checksum rule of the standard.
START_TEST(published_lines) {
  struct nmea_origin o = origin("2014-12-11T22:09:32");
  struct readings all = one(INSTRUMENT_MOTION, "mru", (double[]){177.62 * rad, -10.37 * rad, 0, 0, 0});
  ck_assert_str_eq(say(NMEA_PHTRO, &o, &all, &straight), "$PHTRO,10.37,P,177.62,T*65\r\n");
  all = one(INSTRUMENT_MOTION, "mru", (double[]){1.28 * rad, 1.93 * rad, -0.24, 0, 0});
  all.instrument_count = 2;
  all.instrument[1] =
      (struct reading){.kind = INSTRUMENT_GYRO, .valid = 1, .sequence = 1, .value = {104.68 * rad}};
  ck_assert_str_eq(say(NMEA_PSXN, &o, &all, &straight), "$PSXN,23,1.28,1.93,104.68,-0.24*18\r\n");
}
END_TEST

START_TEST(dates_turn_over) {
  const double zero[6] = {0};
  struct readings all = one(INSTRUMENT_GNSS, "gnss", zero);
  const struct {
    const char *start;
    double time_s;
    const char *line; // its start
  } cases[] = {{"2026-12-31T23:59:59", 0.996, "$GPZDA,000000.00,01,01,2027,00,00"},
               {"2028-02-28T23:59:59", 1, "$GPZDA,000000.00,29,02,2028,00,00"},
               {"2026-02-28T23:59:59", 1, "$GPZDA,000000.00,01,03,2026,00,00"},
               {"2100-02-28T00:00:00", 86400, "$GPZDA,000000.00,01,03,2100,00,00"},
               {"2026-01-31T12:00:00", 3599.994, "$GPZDA,125959.99,31,01,2026,00,00"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct nmea_origin o = origin(cases[i].start);
    all.instrument[0].time_s = cases[i].time_s;
    const char *line = say(NMEA_ZDA, &o, &all, &straight);
    ck_assert_msg(!strncmp(line, cases[i].line, strlen(cases[i].line)), "%s instead of %s", line,
                  cases[i].line);
  }
  double out;
  const char *const wrong[] = {"2026-02-29T00:00:00", "2026-13-01T00:00:00", "2026-01-01 00:00:00",
                               "2026-01-01T24:00:00", ""};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_msg(!nmea_parse_utc(wrong[i], &out), "%s", wrong[i]);
}
END_TEST

// Minutes are printed to 1e-7: a value that rounds to 60 becomes the next degree; hemispheres; bearings below
// 360.
START_TEST(angles_turn_over) {
  struct nmea_origin o = origin("2026-01-01T00:00:00");
  struct readings all = one(INSTRUMENT_GNSS, "gnss", (double[6]){0});
  o.latitude_rad = (60 - 1e-10) * rad;
  o.longitude_rad = -(10 - 1e-10) * rad;
  ck_assert_ptr_nonnull(strstr(say(NMEA_GGA, &o, &all, &straight), ",6000.0000000,N,01000.0000000,W,"));
  o.latitude_rad = -33.5 * rad;
  o.longitude_rad = 151.25 * rad;
  ck_assert_ptr_nonnull(strstr(say(NMEA_RMC, &o, &all, &straight), ",A,3330.0000000,S,15115.0000000,E,"));
  all = one(INSTRUMENT_GYRO, "gyro", (double[]){359.9996 * rad, 0});
  ck_assert_ptr_nonnull(strstr(say(NMEA_HDT, &o, &all, &straight), "HDT,0.000,T"));
  all = one(INSTRUMENT_GYRO, "gyro", (double[]){-90 * rad, -1e-9});
  ck_assert_ptr_nonnull(strstr(say(NMEA_THS, &o, &all, &straight), "THS,270.000,A"));
  ck_assert_ptr_nonnull(strstr(say(NMEA_ROT, &o, &all, &straight), "ROT,0.00,A"));
}
END_TEST

// Wind over ground: a vessel moving north at 5 m/s in still air measures 5 m/s from ahead; a west wind of 10
// m/s.
START_TEST(wind_over_the_ground) {
  struct nmea_origin o = origin("2026-01-01T00:00:00");
  struct readings all = one(INSTRUMENT_WIND, "wind", (double[]){5, 0});
  ck_assert_ptr_nonnull(strstr(say(NMEA_MWV, &o, &all, &straight), "MWV,0.0,R,5.00,M,A"));
  ck_assert_ptr_nonnull(strstr(say(NMEA_MWVT, &o, &all, &straight), ",T,5.00,M,V")); // no heading available
  all.instrument_count = 3;
  all.instrument[1] = (struct reading){.kind = INSTRUMENT_GYRO, .valid = 1, .sequence = 1};
  all.instrument[2] =
      (struct reading){.kind = INSTRUMENT_GNSS, .valid = 1, .sequence = 1, .value = {0, 0, 0, 5, 0, 1}};
  ck_assert_ptr_nonnull(strstr(say(NMEA_MWVT, &o, &all, &straight), ",T,0.00,M,A"));
  all.instrument[0].value[0] = hypot(10, 5); // heading north, 5 m/s ahead, wind from the west
  all.instrument[0].value[1] = -atan2(10, 5);
  ck_assert_ptr_nonnull(strstr(say(NMEA_MWVT, &o, &all, &straight), "MWV,270.0,T,10.00,M,A"));
}
END_TEST

START_TEST(invalid_says_so) {
  struct nmea_origin o = origin("2026-01-01T00:00:00");
  for (int s = 0; s < NMEA_SENTENCE_COUNT; s++) {
    if (nmea_source(s) >= INSTRUMENT_COUNT)
      continue;
    struct readings all = one((enum instrument)nmea_source(s), "x", (double[6]){1, 1, 1, 1, 1, 1});
    char good[NMEA_MAX];
    strcpy(good, say(s, &o, &all, &straight));
    all.instrument[0].valid = 0;
    if (s == NMEA_MDL || s == NMEA_MDLM) { // they have no mark: nothing is sent
      char none[NMEA_MAX];
      ck_assert_uint_eq(nmea_write((enum nmea_sentence)s, &o, "", &all, 0, 0, &straight, none), 0);
      continue;
    }
    if (s != NMEA_ZDA && s != NMEA_MWVT && s != NMEA_RLS) // only the time differs; no heading in either case
      ck_assert_str_ne(good, say(s, &o, &all, &straight));
    ck_assert_uint_le(strlen(good), NMEA_LINE);
  }
}
END_TEST

START_TEST(telegram_faults) {
  struct nmea_origin o = origin("2026-01-01T00:00:10");
  struct readings all = one(INSTRUMENT_GNSS, "gnss", (double[6]){0});
  char good[NMEA_MAX];
  strcpy(good, say(NMEA_ZDA, &o, &all, &straight));
  const char *bad = say(NMEA_ZDA, &o, &all, &(struct nmea_corruption){.wrong_checksum = 1});
  ck_assert_int_eq(strncmp(good, bad, strlen(good) - 4), 0);
  ck_assert_str_ne(good, bad);
  ck_assert_int_eq(
      strncmp(say(NMEA_ZDA, &o, &all, &(struct nmea_corruption){.wrong_talker = 1}), "$XXZDA", 6), 0);
  ck_assert_ptr_nonnull(
      strstr(say(NMEA_ZDA, &o, &all, &(struct nmea_corruption){.age_s = 11}), "235959.00,31,12,2025"));
}
END_TEST

START_TEST(words) {
  char word[16];
  ck_assert(nmea_known_sentences("GGA  HDT XDR", word));
  ck_assert(!nmea_known_sentences("GGA HTD", word));
  ck_assert_str_eq(word, "HTD");
  ck_assert(nmea_is_udp("127.0.0.1:10110"));
  ck_assert(!nmea_is_udp("localhost:10110"));
  ck_assert(!nmea_is_udp("127.0.0.1:0") && nmea_is_udp("127.0.0.1:*") && !nmea_is_udp("10.0.0.1:*"));
  ck_assert(!nmea_is_udp("127.0.0.1:10110 "));
  ck_assert(!nmea_is_udp("127.0.0.300:10110"));
}
END_TEST

// An alarm at its longest keeps to the 82 characters of a sentence, and comes back but for what was cut.
START_TEST(alarms_come_back) {
  struct dp_alarm alarm = {.kind = ALARM_SATURATED, .severity = SEVERITY_WARNING};
  memset(alarm.source, 's', SIGNAL_NAME - 1);
  memset(alarm.text, ',', DP_ALARM_TEXT - 1);
  const struct nmea_alert alert = {&alarm, 999, 1, 1.8e9, 9, 99};
  for (int number = 1; number <= 2; number++) {
    char out[NMEA_MAX];
    struct nmea_alf alf;
    struct reason why = {""};
    size_t size = nmea_alf_write(&alert, number, "II", out);
    ck_assert_uint_ge(size, 60);
    ck_assert_uint_le(size, 82);
    ck_assert_int_eq(nmea_alf_read(out, size - 2, &alf, &why), REFUSAL_COUNT);
    ck_assert(alf.number == number && alf.sequence == 9 && alf.instance == 999 && alf.is_active);
    ck_assert_int_eq(nmea_alf_kind(&alf), ALARM_SATURATED);
    ck_assert_int_eq(strncmp(alf.text, number == 1 ? alarm.source : alarm.text, strlen(alf.text)), 0);
    ck_assert(number == 2 || (strlen(alf.text) == SIGNAL_NAME - 1 && alf.severity == SEVERITY_WARNING));
    out[10] ^= 1;
    ck_assert_int_eq(nmea_alf_read(out, size - 2, &alf, &why), REFUSED_NMEA_CHECKSUM);
  }
  memset(alarm.text, 0, sizeof alarm.text);
  char out[NMEA_MAX];
  ck_assert_uint_eq(nmea_alf_write(&alert, 2, "II", out), 0);
}
END_TEST

// All parts of an XDR, one after the other; each is a sentence of the standard's length.
static const char *say_parts(enum nmea_sentence s, const struct readings *all, int index) {
  static char text[8 * NMEA_MAX];
  const struct nmea_origin o = {.rated_hz = 60, .rated_v = 690};
  char one[NMEA_MAX];
  size_t size;
  *text = 0;
  for (int part = 0;
       (size = nmea_write(s, &o, nmea_default_talker(nmea_source(s)), all, index, part, &straight, one)) > 0;
       part++) {
    ck_assert_uint_le(size, NMEA_LINE);
    ck_assert_int_lt(part, 6);
    strncat(text, one, size);
  }
  return text;
}

// The report of power management: a live bus, one that is dark, sets with closed and open breakers, a tie.
START_TEST(power_is_written_byte_by_byte) {
  struct readings all = {
      .power = {.bus_count = 2,
                .generator_count = 2,
                .tie_count = 1,
                .bus = {{"port", 2513000, -12, 0.99967, 0.99203, 1}, {"starboard", 0, 0, 0, 0, 0}},
                .generator = {{"set-1", 1234567.6, 1}, {"set-2", 0, 0}},
                .tie = {{"tie", 1}}}};
  static const char *const lines[] = {
      "$IIXDR,S,1,,port_BUS,G,2513000,,port_BUS_A,G,-12,,port_BUS_P*24\r\n"
      "$IIXDR,F,59.98,H,port_BUS_F,U,684.5,V,port_BUS_U*52\r\n",
      "$IIXDR,S,0,,starboard_BUS,G,0,,starboard_BUS_A,G,0,,starboard_BUS_P*49\r\n"
      "$IIXDR,F,0.00,H,starboard_BUS_F,U,0.0,V,starboard_BUS_U*60\r\n",
      "$IIXDR,S,1,,set-1_SET,G,1234568,,set-1_SET_P*5B\r\n", "$IIXDR,S,0,,set-2_SET,G,0,,set-2_SET_P*55\r\n",
      "$IIXDR,S,1,,tie_TIE*53\r\n"};
  ck_assert_int_eq(nmea_power_count(&all.power), 5);
  for (int i = 0; i < 5; i++)
    ck_assert_str_eq(say_parts(NMEA_XDR_POWER, &all, i), lines[i]);
  for (int i = 0; i < 2; i++) { // the longest names and numbers
    memset(all.power.bus[i].name, 'n', SIGNAL_NAME - 1);
    memset(all.power.generator[i].name, 'n', SIGNAL_NAME - 1);
    all.power.bus[i].available_w = all.power.bus[i].load_w = all.power.generator[i].load_w = -1.7e8;
  }
  memset(all.power.tie[0].name, 'n', SIGNAL_NAME - 1);
  for (int i = 0; i < 5; i++) {
    const char *text = say_parts(NMEA_XDR_POWER, &all, i);
    int transducers = 0;
    for (const char *c = text; (c = strstr(c, "nnnnn_")); c++)
      transducers++;
    ck_assert_int_eq(transducers, i < 2 ? 5 : i < 4 ? 2 : 1); // none is lost
  }
  memset(&all.power, 0, sizeof all.power);
  ck_assert_int_eq(nmea_power_count(&all.power), 0);
}
END_TEST

// A taut wire, one that hangs slack, one that is invalid; what is split comes back.
START_TEST(wires_say_what_they_are) {
  struct readings all =
      one(INSTRUMENT_TAUT_WIRE, "wire-1", (double[]){1.5 * rad, -0.5 * rad, 301.2, 4000, 0});
  ck_assert_str_eq(say_parts(NMEA_XDR_WIRE, &all, 0),
                   "$YXXDR,A,1.500,D,wire-1,A,-0.500,D,wire-1_X,D,301.20,M,wire-1_L*75\r\n"
                   "$YXXDR,F,4000,N,wire-1_T,S,0,,wire-1_S*27\r\n");
  all.instrument[0].valid = 0;
  ck_assert_str_eq(say_parts(NMEA_XDR_WIRE, &all, 0),
                   "$YXXDR,A,,D,wire-1,A,,D,wire-1_X,D,,M,wire-1_L,F,,N,wire-1_T,S,0,,wire-1_S*2B\r\n");
  all.instrument[0].value[2] = 309.2, all.instrument[0].value[3] = 180, all.instrument[0].value[4] = 1;
  ck_assert_str_eq(say_parts(NMEA_XDR_WIRE, &all, 0),
                   "$YXXDR,A,,D,wire-1,A,,D,wire-1_X,D,309.20,M,wire-1_L,F,180,N,wire-1_T*7E\r\n"
                   "$YXXDR,S,1,,wire-1_S*34\r\n");
  const double value[] = {-89.999 * rad, 12.345 * rad, 1234.56, 12345, 0};
  all = one(INSTRUMENT_TAUT_WIRE, "wire_with_the_long_name", value); // its angles are apart
  char text[8 * NMEA_MAX];
  snprintf(text, sizeof text, "%s", say_parts(NMEA_XDR_WIRE, &all, 0));
  double back[READING_CHANNELS] = {0};
  unsigned channels = 0;
  for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
    struct telegram t;
    struct reason why = {""};
    ck_assert_msg(telegram_read(line, strlen(line), INSTRUMENT_TAUT_WIRE, &t, &why) == STATUS_OK, "%s",
                  why.text);
    for (int k = 0; k < READING_CHANNELS; k++)
      back[k] = t.channels >> k & 1u ? t.value[k] : back[k];
    channels |= t.channels;
  }
  ck_assert_uint_eq(channels, 0x1f);
  for (int k = 0; k < 5; k++)
    ck_assert_double_eq_tol(back[k], value[k], 1e-4);
  struct readings place =
      one(INSTRUMENT_TOUCHDOWN, "a_monitor_of_touchdown", (double[]){-1234.5, 2345.67, 1500});
  const char *said = say_parts(NMEA_XDR_TOUCHDOWN, &place, 0);
  ck_assert(strstr(said, "D,-1234.50,M,a_monitor_of_touchdown_N") && strstr(said, "touchdown_E") &&
            strstr(said, "D,1500.00,M,a_monitor_of_touchdown_D"));
}
END_TEST

// RLS and Artemis in the table of sentences: the heading of the first valid gyro, or none.
START_TEST(telegrams_of_the_table) {
  struct nmea_origin o = origin("2026-01-01T00:00:00");
  struct readings all = one(INSTRUMENT_LASER, "laser", (double[]){97.8, 0, 0, 1, 80});
  ck_assert_ptr_nonnull(strstr(say(NMEA_RLS, &o, &all, &straight), ",V,000.000,V,0000*"));
  all.instrument_count = 2;
  all.instrument[1] =
      (struct reading){.kind = INSTRUMENT_GYRO, .valid = 1, .sequence = 1, .value = {-90 * rad}};
  ck_assert_str_eq(say(NMEA_RLS, &o, &all, &straight), "$RLS,+000.00,+097.80,A,270.000,A,0000*60\r\n");
  const char *bad = say(NMEA_RLS, &o, &all, &(struct nmea_corruption){.wrong_checksum = 1});
  ck_assert_int_eq(strncmp(bad, "$RLS,+000.00,+097.80,A,270.000,A,0000*", 38), 0);
  ck_assert_int_ne(strncmp(bad + 38, "60", 2), 0);
  all = one(INSTRUMENT_ARTEMIS, "artemis", (double[]){1234.56, 301.2 * rad});
  ck_assert_str_eq(say(NMEA_ARTEMIS, &o, &all, &straight), "012346 301200 1\r\n");
}
END_TEST

// What the simulator writes as latitude and longitude comes back as the same place of the plane.
START_TEST(the_plane_comes_back) {
  static const double origins[][2] = {{59.9, 5.2}, {-33, -71}, {0, 179.999}, {89, 10}, {-0.001, 0}};
  double worst = 0;
  for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
    for (int k = 0; k < 400; k++) {
      const struct nmea_origin origin = {.latitude_rad = origins[i][0] * rad,
                                         .longitude_rad = origins[i][1] * rad};
      double north = -20e3 + 2000 * (k % 20), east = -20e3 + 2000 * (k / 20), at[2], back[2];
      nmea_geodetic(&origin, north, east, &at[0], &at[1]);
      ck_assert_int_eq(
          telegram_in_plane((const double[]){origins[i][0] * rad, origins[i][1] * rad}, at, back), 1);
      worst = fmax(worst, hypot(back[0] - north, back[1] - east));
    }
  ck_assert_msg(worst < 1e-6, "%g m", worst);
  double far[2];
  ck_assert_int_eq(telegram_in_plane((const double[]){0, 0}, (const double[]){0.3, 0}, far), 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("nmea");
  TCase *t = add_case(suite, "sentences", 10);
  tcase_add_test(t, published_lines);
  tcase_add_test(t, the_plane_comes_back);
  tcase_add_test(t, dates_turn_over);
  tcase_add_test(t, angles_turn_over);
  tcase_add_test(t, wind_over_the_ground);
  tcase_add_test(t, invalid_says_so);
  tcase_add_test(t, telegram_faults);
  tcase_add_test(t, words);
  tcase_add_test(t, power_is_written_byte_by_byte);
  tcase_add_test(t, wires_say_what_they_are);
  tcase_add_test(t, telegrams_of_the_table);
  tcase_add_test(t, alarms_come_back);
  return run_suite(suite);
}
