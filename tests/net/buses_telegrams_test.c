// Telegrams of position references: published lines are read and their like is written byte by byte.
#include "net/buses/buses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static const double RAD = 3.14159265358979323846 / 180;

static enum status take(const char *line, enum instrument kind, struct telegram *out, struct reason *why) {
  return telegram_read(line, strlen(line), kind, out, why);
}

// HiPAP document 850-160045, a real log without a reply, the CyScan manual's multi-target line, own vectors.
START_TEST(published_lines_are_read) {
  struct telegram t;
  struct reason why = {""};
  ck_assert_int_eq(take("$PSIMSSB,180554.432,M44,A,,C,N,M,-61.300,39.017,34.026,0.072,T,0.050576,*47",
                        INSTRUMENT_HYDROACOUSTIC, &t, &why),
                   STATUS_OK);
  ck_assert(t.valid && t.axes == AXES_NORTH && t.value[0] == -61.3 && t.value[1] == 39.017 &&
            t.value[2] == 34.026);
  ck_assert_double_eq(t.value[4], 0.072);
  ck_assert_int_eq(take("$PSIMSSB,083733.036,M17,A,NRy,C,N,F,0.000,0.000,0.000,20.000,T,0.003731,*08",
                        INSTRUMENT_HYDROACOUSTIC, &t, &why),
                   STATUS_OK);
  ck_assert_int_eq(t.valid, 0); // status A with an error code is no fix
  ck_assert_str_eq(t.target, "M17");
  ck_assert_int_eq(take("$PSIMSSB,180554.432,M44,A,,C,N,P,-61.300,39.017,34.026,0.072,T,0.050576,*5A",
                        INSTRUMENT_HYDROACOUSTIC, &t, &why),
                   STATUS_OK);
  ck_assert_int_eq(t.valid, 0); // predicted, not measured
  ck_assert_int_eq(take("$PSIMSSB,180554.432,M44,A,,C,H,M,-0.000,0.000,-0.000,0.072,T,0.050576,*57",
                        INSTRUMENT_HYDROACOUSTIC, &t, &why),
                   STATUS_OK);
  ck_assert_int_eq(t.valid, 0); // no position
  ck_assert_int_eq(take("01 0097.80 217.11 13", INSTRUMENT_LASER, &t, &why), STATUS_OK);
  ck_assert(t.valid && t.form == TELEGRAM_MDL_MULTI && t.value[0] == 97.8 && t.value[3] == 1);
  ck_assert_double_eq_tol(t.value[1], 217.11 * RAD, 1e-12);
  ck_assert_int_eq(take("01 0097.80 217.11", INSTRUMENT_LASER, &t, &why), STATUS_OK);
  ck_assert_str_eq(t.target, "1");
  ck_assert_uint_eq(t.channels & 4u, 0); // without an elevation
  ck_assert_int_eq(take("$PSXRAD,1,174512.00,02,00,150,0123.45,00.3,301.20,00.1,-2.50,00.2,-0.12,24,9*35",
                        INSTRUMENT_RADAR, &t, &why),
                   STATUS_OK);
  ck_assert(t.valid && t.value[0] == 123.45 && t.value[3] == 150 && t.value[4] == 24);
  ck_assert_double_eq_tol(t.value[1], 301.2 * RAD, 1e-12);
  ck_assert_double_eq_tol(t.value[2], -2.5 * RAD, 1e-12);
  ck_assert_int_eq(take("001234 301200 1", INSTRUMENT_RADAR, &t, &why), STATUS_OK);
  ck_assert(t.valid && t.value[0] == 123.4);
  ck_assert_int_eq(take("001234 301200 0", INSTRUMENT_RADAR, &t, &why), STATUS_OK);
  ck_assert_int_eq(t.valid, 0);
}
END_TEST

static const char *say(enum telegram_form form, enum instrument kind, int valid, const double v[5],
                       double day_s) {
  static char out[TELEGRAM_MAX];
  struct reading r = {.kind = kind, .valid = valid, .value = {v[0], v[1], v[2], v[3], v[4]}};
  size_t size = telegram_write(form, &r, &(struct telegram_moment){.day_s = day_s}, out);
  out[size] = 0;
  return out;
}

START_TEST(lines_are_written_byte_by_byte) {
  const double scan[] = {97.8, (217.11 - 360) * RAD, -2.5 * RAD, 1, 80};
  const double ssb[] = {39.017, -61.3, 34.026, 80, 0.072};
  ck_assert_str_eq(say(TELEGRAM_MDL, INSTRUMENT_LASER, 1, scan, 0), "01 0097.80 217.11\r\n");
  ck_assert_str_eq(say(TELEGRAM_MDL_MULTI, INSTRUMENT_LASER, 1, scan, 0), "01 0097.80 217.11 13\r\n");
  ck_assert_str_eq(say(TELEGRAM_MDL, INSTRUMENT_LASER, 0, scan, 0), "");
  ck_assert_str_eq(say(TELEGRAM_ASCII17, INSTRUMENT_LASER, 1, scan, 0), "000978 217110 1\r\n");
  ck_assert_str_eq(say(TELEGRAM_ASCII17, INSTRUMENT_LASER, 0, scan, 0), "000978 217110 0\r\n");
  ck_assert_str_eq(say(TELEGRAM_PSXRAD, INSTRUMENT_RADAR, 1, scan, 63912),
                   "$PSXRAD,1,174512.00,01,00,001,0097.80,00.3,217.11,00.1,-2.50,00.2,0.00,80,9*10\r\n");
  ck_assert_str_eq(say(TELEGRAM_PSIMSSB, INSTRUMENT_HYDROACOUSTIC, 1, ssb, 65154.432),
                   "$PSIMSSB,180554.432,B01,A,,C,H,M,-61.300,39.017,34.026,0.072,N,,*4A\r\n");
  const double edge[] = {10, -1e-9, 0, 1, 100}; // never 360 degrees
  ck_assert_str_eq(say(TELEGRAM_MDL, INSTRUMENT_LASER, 1, edge, 0), "01 0010.00 000.00\r\n");
}
END_TEST

// RLS with a heading, 42 characters with the end of line, and its ends: a place of no room, none, no heading.
static const char *say_rls(const double v[3], int valid, const double *heading) {
  static char out[TELEGRAM_MAX];
  struct reading r = {.kind = INSTRUMENT_LASER, .valid = valid, .value = {v[0], v[1], v[2], 1, 80}};
  size_t size = telegram_write(TELEGRAM_RLS, &r, &(struct telegram_moment){.heading_rad = heading}, out);
  ck_assert_uint_eq(size, 42);
  out[size] = 0;
  return out;
}

START_TEST(rls_is_written_byte_by_byte) {
  const double north = 0, west = -90 * RAD, edge = -1e-9, ahead[] = {97.8, 0, 0},
               beam[] = {100, 0.5235987755982988, 0}, up[] = {100, 0, 0.5}, far[] = {999.995, 0, 0},
               near[] = {999.994, 0, 0};
  ck_assert_str_eq(say_rls(ahead, 1, &north), "$RLS,-097.80,+000.00,A,000.000,A,0000*63\r\n");
  ck_assert_str_eq(say_rls(ahead, 1, &west), "$RLS,+000.00,+097.80,A,270.000,A,0000*60\r\n");
  ck_assert_str_eq(say_rls(beam, 1, &north), "$RLS,-086.60,-050.00,A,000.000,A,0000*6E\r\n");
  ck_assert_str_eq(say_rls(up, 1, &edge), "$RLS,-087.76,+000.00,A,000.000,A,0000*6B\r\n");
  ck_assert_str_eq(say_rls(near, 1, &north), "$RLS,-999.99,+000.00,A,000.000,A,0000*6C\r\n");
  ck_assert_str_eq(say_rls(far, 1, &north), "$RLS,+000.00,+000.00,V,000.000,A,0000*74\r\n");
  ck_assert_str_eq(say_rls(ahead, 0, &north), "$RLS,+000.00,+000.00,V,000.000,A,0000*74\r\n");
  ck_assert_str_eq(say_rls(ahead, 1, NULL), "$RLS,+000.00,+000.00,V,000.000,V,0000*63\r\n");
}
END_TEST

START_TEST(rls_is_read_in_its_frame) {
  struct telegram t;
  struct reason why = {""};
  ck_assert_int_eq(take("$RLS,-030.00,+040.00,A,270.000,A,0FA1*61", INSTRUMENT_LASER, &t, &why), STATUS_OK);
  ck_assert(t.valid && t.form == TELEGRAM_RLS && t.axes == AXES_BOW && t.value[0] == 50 && t.value[3] == 1);
  ck_assert_double_eq_tol(t.value[1], atan2(-40, 30) + 90 * RAD, 1e-12);
  ck_assert_int_eq(take("$RLS,-030.00,+040.00,A,,V,0000*5B", INSTRUMENT_LASER, &t, &why), STATUS_OK);
  ck_assert(t.valid && t.axes == AXES_NORTH);
  ck_assert_double_eq_tol(t.value[1], atan2(-40, 30), 1e-12);
  ck_assert_int_eq(take("$RLS,,,V,,V,0000*4D", INSTRUMENT_LASER, &t, &why), STATUS_OK);
  ck_assert_int_eq(t.valid, 0);
  srand(4); // any frame: what is written comes back, whatever the heading
  for (int i = 0; i < 2000; i++) {
    const double heading = 7.0 * rand() / RAND_MAX,
                 v[] = {10 + 900.0 * rand() / RAND_MAX, 6.0 * rand() / RAND_MAX - 3,
                        rand() / (double)RAND_MAX - 0.5};
    const char *line = say_rls(v, 1, &heading);
    ck_assert_int_eq(telegram_read(line, 40, INSTRUMENT_LASER, &t, &why), STATUS_OK);
    const double level = v[0] * cos(v[2]);
    ck_assert_double_eq_tol(t.value[0], level, 0.0072);
    ck_assert_double_eq_tol(remainder(t.value[1] - v[1], 360 * RAD), 0, 0.0072 / level + 1e-5);
  }
}
END_TEST

// The azimuth of an Artemis at 0 and 360 degrees, ranges at the end of the field, the number of its station.
START_TEST(artemis_lines) {
  static const struct {
    double range_m, azimuth_rad;
    int valid;
    const char *line;
  } cases[] = {{1234.56, 1.0 * RAD, 1, "012346 001000 1\r\n"},
               {0, -1e-12, 1, "000000 000000 1\r\n"},
               {10, -0.0006 * RAD, 1, "000100 359999 1\r\n"},
               {10, 359.9996 * RAD, 1, "000100 000000 1\r\n"},
               {99999.94, 180 * RAD, 1, "999999 180000 1\r\n"},
               {99999.96, 180 * RAD, 1, "999999 180000 0\r\n"},
               {1e9, 0, 1, "999999 000000 0\r\n"},
               {50, 0, 0, "000500 000000 0\r\n"}};
  struct telegram t;
  struct reason why = {""};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double v[5] = {cases[i].range_m, cases[i].azimuth_rad};
    const char *line = say(TELEGRAM_ASCII17, INSTRUMENT_ARTEMIS, cases[i].valid, v, 0);
    ck_assert_str_eq(line, cases[i].line);
    ck_assert_int_eq(telegram_read(line, 15, INSTRUMENT_ARTEMIS, &t, &why), STATUS_OK);
    ck_assert_int_eq(t.valid, line[14] == '1');
    ck_assert_double_eq_tol(t.value[0], fmin(cases[i].range_m, 99999.9), 0.051);
  }
  ck_assert_int_eq(take("012346 301200 7", INSTRUMENT_ARTEMIS, &t, &why), STATUS_OK); // station 7
  ck_assert(t.valid && t.value[0] == 1234.6 && t.value[3] == 0);
  ck_assert_double_eq_tol(t.value[1], 301.2 * RAD, 1e-12);
  ck_assert_int_eq(take("012346 301200 7", INSTRUMENT_RADAR, &t, &why), STATUS_OK); // there it is a status
  ck_assert_int_eq(t.valid, 0);
}
END_TEST

// What its field has no room for is never sent as a good number.
START_TEST(what_does_not_fit_is_not_valid) {
  static const struct {
    enum telegram_form form;
    enum instrument kind;
    double most, number; // range in m, number of the target
    const char *good, *bad;
  } cases[] = {{TELEGRAM_MDL, INSTRUMENT_LASER, 9999.99, 99, "99 9999.99 000.00\r\n", ""},
               {TELEGRAM_MDL_MULTI, INSTRUMENT_LASER, 9999.99, 99, "99 9999.99 000.00 10\r\n", ""},
               {TELEGRAM_ASCII17, INSTRUMENT_RADAR, 99999.9, 1, "999999 000000 1\r\n", "999999 000000 0\r\n"},
               {TELEGRAM_PSXRAD, INSTRUMENT_RADAR, 9999.99, 999,
                "$PSXRAD,1,000000.00,01,00,999,9999.99,00.3,000.00,00.1,0.00,00.2,0.00,80,9*34\r\n",
                "$PSXRAD,1,000000.00,01,00,999,9999.99,00.3,000.00,00.1,0.00,00.2,0.00,80,0*3D\r\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double good[] = {cases[i].most, 0, 0, cases[i].number, 80},
                 bad[] = {cases[i].most * 1.01, 0, 0, 1, 80};
    ck_assert_str_eq(say(cases[i].form, cases[i].kind, 1, good, 0), cases[i].good);
    const char *line = say(cases[i].form, cases[i].kind, 1, bad, 0);
    ck_assert_uint_eq(strlen(line), strlen(cases[i].bad));
    const double many[] = {cases[i].most, 0, 0, 1e4, 80};
    if (cases[i].form != TELEGRAM_ASCII17)
      ck_assert_str_eq(say(cases[i].form, cases[i].kind, 1, many, 0), cases[i].bad);
    else
      ck_assert_str_eq(line, cases[i].bad);
  }
}
END_TEST

// A taut wire with the switch of a slack one and without, whole and in two sentences.
START_TEST(wires_are_read) {
  static const struct {
    const char *line;
    int valid;
    unsigned channels;
    double value[5];
  } cases[] = {
      {"$YXXDR,A,1.500,D,wire-1,A,-0.500,D,wire-1_X,D,301.20,M,wire-1_L,F,4000,N,wire-1_T*67",
       1,
       0x0f,
       {1.5 * RAD, -0.5 * RAD, 301.2, 4000, 0}},
      {"$YXXDR,A,1.500,D,wire-1,A,-0.500,D,wire-1_X,D,301.20,M,wire-1_L*75",
       1,
       0x07,
       {1.5 * RAD, -0.5 * RAD, 301.2, 0, 0}},
      {"$YXXDR,F,180,N,wire-1_T,S,1,,wire-1_S*1B", 0, 0x18, {0, 0, 0, 180, 1}},
      {"$YXXDR,F,4000,N,wire-1_T,S,0,,wire-1_S*27", 1, 0x18, {0, 0, 0, 4000, 0}},
      {"$YXXDR,A,,D,wire-1,A,,D,wire-1_X,D,309.20,M,wire-1_L*51", 0, 0x07, {0, 0, 309.2, 0, 0}},
      {"$YXXDR,A,,D,wire-1,A,,D,wire-1_X,D,,M,wire-1_L*47", 0, 0x03, {0}},
      {"$YXXDR,A,2.000,D,wire-1_X*74", 1, 0x02, {0, 2 * RAD}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct telegram t;
    struct reason why = {""};
    ck_assert_msg(take(cases[i].line, INSTRUMENT_TAUT_WIRE, &t, &why) == STATUS_OK, "%s: %s", cases[i].line,
                  why.text);
    ck_assert_int_eq(t.valid, cases[i].valid);
    ck_assert_uint_eq(t.channels, cases[i].channels);
    for (int k = 0; k < 5; k++)
      ck_assert_double_eq_tol(t.value[k], cases[i].value[k], 1e-12);
  }
}
END_TEST

START_TEST(what_is_written_is_read) {
  static const struct {
    enum telegram_form form;
    enum instrument kind;
    double unit[5]; // of each channel
  } cases[] = {{TELEGRAM_PSIMSSB, INSTRUMENT_HYDROACOUSTIC, {1e-3, 1e-3, 1e-3, 2e-3, 1e-3}},
               {TELEGRAM_PSIMSSB, INSTRUMENT_LBL, {1e-3, 1e-3, 1e-3, 1e-3, 1e9}},
               {TELEGRAM_PSXRAD, INSTRUMENT_RADAR, {.01, 2e-4, 2e-4, 0, 1}},
               {TELEGRAM_MDL, INSTRUMENT_LASER, {.01, 2e-4, 1e9, 0, 1e9}},
               {TELEGRAM_MDL_MULTI, INSTRUMENT_LASER, {.01, 2e-4, 1e9, 0, 1e9}},
               {TELEGRAM_ASCII17, INSTRUMENT_RADAR, {.1, 2e-5, 1e9, 0, 1e9}}};
  srand(1);
  for (int i = 0; i < 6000; i++) {
    double v[5], range = 0;
    struct telegram t;
    struct reason why = {""};
    int c = i % 6, acoustic = cases[c].form == TELEGRAM_PSIMSSB;
    for (int k = 0; k < 5; k++)
      v[k] = 200.0 * rand() / RAND_MAX - (acoustic && k < 3 ? 100 : 0);
    for (int k = 0; k < 3; k++)
      range += v[k] * v[k];
    if (acoustic && cases[c].kind == INSTRUMENT_HYDROACOUSTIC)
      v[3] = sqrt(range);
    if (!acoustic)
      v[1] = v[1] / 200 * 6 - 3, v[2] = v[2] / 200 - 0.5, v[3] = 1, v[4] = (int)(v[4] / 2.1);
    const char *line = say(cases[c].form, cases[c].kind, 1, v, i * 14.37);
    ck_assert_msg(telegram_read(line, strlen(line) - 2, cases[c].kind, &t, &why) == STATUS_OK, "%s: %s", line,
                  why.text);
    ck_assert_int_eq(t.valid, 1);
    for (int k = 0; k < 5; k++) {
      double off = t.value[k] - v[k];
      off = k == 1 && !acoustic ? remainder(off, 360 * RAD) : off;
      ck_assert_msg(fabs(off) <= cases[c].unit[k], "%d %d: %g %g %s", c, k, t.value[k], v[k], line);
    }
  }
}
END_TEST

// A sentence has some channels of its instrument.
START_TEST(sentences_of_other_instruments_are_read) {
  static const struct {
    const char *line;
    enum instrument kind;
    int valid;
    unsigned channels;
    double value[6];
  } cases[] = {
      {"$GPGGA,174512.00,5954.0600000,N,00512.0300000,E,2,12,0.8,31.50,M,0.0,M,,*59",
       INSTRUMENT_GNSS,
       1,
       7,
       {59.901 * RAD, 5.2005 * RAD, -31.5}},
      {"$GPGGA,174512.00,3345.0000,S,07030.0000,W,1,08,1.1,-2.0,M,12.0,M,,*46",
       INSTRUMENT_GNSS,
       1,
       7,
       {-33.75 * RAD, -70.5 * RAD, 2}},
      {"$GPGGA,174512.00,,,,,0,00,,,M,0.0,M,,*62", INSTRUMENT_GNSS, 0, 7, {0}},
      {"$GPGGA,174512.00,5954.0600000,N,00512.0300000,E,6,12,0.8,31.50,M,0.0,M,,*5D",
       INSTRUMENT_GNSS,
       0,
       7,
       {0}},
      {"$GPVTG,90.00,T,,M,3.600,N,6.667,K,D*05", INSTRUMENT_GNSS, 1, 0x18, {0, 0, 0, 0, 1.852}},
      {"$GPVTG,,T,,M,0.000,N,0.000,K,A*23", INSTRUMENT_GNSS, 1, 0x18, {0}},
      {"$GPVTG,,T,,M,,N,,K,N*2C", INSTRUMENT_GNSS, 0, 0, {0}},
      {"$GPGST,174512.00,0.100,0.100,0.100,0.0,0.300,0.400,0.500*50",
       INSTRUMENT_GNSS,
       1,
       0x20,
       {0, 0, 0, 0, 0, 0.35355339059327379}},
      {"$GPGST,174512.00,,,,,,,*7D", INSTRUMENT_GNSS, 0, 0, {0}},
      {"$HEHDT,270.000,T*2A", INSTRUMENT_GYRO, 1, 1, {-90 * RAD}},
      {"$HEHDT,,T*01", INSTRUMENT_GYRO, 0, 1, {0}},
      {"$HETHS,12.500,A*1B", INSTRUMENT_GYRO, 1, 1, {12.5 * RAD}},
      {"$HETHS,12.500,V*0C", INSTRUMENT_GYRO, 0, 1, {0}},
      {"$HEROT,-30.00,A*05", INSTRUMENT_GYRO, 1, 2, {0, -0.5 * RAD}},
      {"$PSXN,23,1.25,-0.50,12.00,0.37*21", INSTRUMENT_MOTION, 1, 7, {1.25 * RAD, -0.5 * RAD, 0.37}},
      {"$PRDID,-0.50,1.25,12.00*64", INSTRUMENT_MOTION, 1, 3, {1.25 * RAD, -0.5 * RAD}},
      {"$PRDID,,,*67", INSTRUMENT_MOTION, 0, 3, {0}},
      {"$WIMWV,330.0,R,10.00,M,A*21", INSTRUMENT_WIND, 1, 3, {10, -30 * RAD}},
      {"$WIMWV,45.0,R,10.00,N,A*13", INSTRUMENT_WIND, 1, 3, {1852.0 / 360, 45 * RAD}},
      {"$WIMWV,45.0,R,10.00,N,V*04", INSTRUMENT_WIND, 0, 3, {0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct telegram t;
    struct reason why = {""};
    ck_assert_msg(take(cases[i].line, cases[i].kind, &t, &why) == STATUS_OK, "%s: %s", cases[i].line,
                  why.text);
    ck_assert_int_eq(t.valid, cases[i].valid);
    ck_assert_uint_eq(t.channels, cases[i].channels);
    for (int k = 0; k < 6; k++)
      ck_assert_double_eq_tol(t.value[k], cases[i].value[k], 1e-12);
  }
}
END_TEST

// Whole sentences that say nothing about an instrument are neither its measurement nor wrong. A wrong
// checksum is.
START_TEST(other_sentences_are_passed_over) {
  static const struct {
    const char *body;
    enum instrument kind;
  } others[] = {
      {"GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1", INSTRUMENT_GNSS},
      {"GPGSV,3,1,11,03,03,111,00,04,15,270,00,06,01,010,00,13,06,292,00", INSTRUMENT_GNSS},
      {"GNRMC,174512.00,A,5954.06,N,00512.03,E,0.0,0.0,010126,,,A", INSTRUMENT_GNSS},
      {"GPZDA,174512.00,01,01,2026,00,00", INSTRUMENT_GNSS},
      {"PSXN,20,1,1,1,1", INSTRUMENT_MOTION},
      {"PSXN,22,0.1,0.2", INSTRUMENT_MOTION},
      {"WIMWV,45.0,T,10.00,N,A", INSTRUMENT_WIND},
      {"HEHDT,12.0,T", INSTRUMENT_WIND},
      {"RLS,-030.00,+040.00,A,270.000,A,0000", INSTRUMENT_RADAR},
      {"YXXDR,C,1.5,C,wire-1", INSTRUMENT_TAUT_WIRE},
      {"HCHDG,12.0,,,1.0,E", INSTRUMENT_GYRO},
      {"GPGSA,A,3,11,12,13,,,,,,,,,,,,,,,,,,,,,,,2.0,1.0,1.7",
       INSTRUMENT_GNSS}, // more fields than there is room for
      {"PTEST,a field of more than forty characters, as those of AIS have", INSTRUMENT_GNSS},
      {"", INSTRUMENT_GYRO},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
      char line[100];
      struct telegram t;
      struct reason why = {""};
      unsigned sum = telegram_checksum(others[i].body, strlen(others[i].body)) ^ (unsigned)is_wrong;
      snprintf(line, sizeof line, "$%s*%02X", others[i].body, sum);
      if (strlen(line) < 6)
        continue;
      enum status status = take(line, others[i].kind, &t, &why);
      ck_assert_msg(status == (is_wrong ? STATUS_BAD_INPUT : STATUS_OK), "%s: %s", line, why.text);
      ck_assert_msg(is_wrong ? strstr(why.text, "the checksum") != NULL : *t.other && !t.channels, "%s",
                    line);
    }
}
END_TEST

// Of a sentence that would be a measurement what is too much is wrong.
START_TEST(a_measurement_with_too_much_is_refused) {
  static const char *const bodies[] = {"HEHDT,12.0,T,,,,,,,,,,,,,,,,,,,,,,,,,",
                                       "HEHDT,012.00000000000000000000000000000000000000000,T"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char line[100];
    struct telegram t;
    struct reason why = {""};
    snprintf(line, sizeof line, "$%s*%02X", bodies[i], telegram_checksum(bodies[i], strlen(bodies[i])));
    ck_assert(take(line, INSTRUMENT_GYRO, &t, &why) == STATUS_BAD_INPUT && *why.text);
  }
}
END_TEST

// The rows of the table of docs/nmea.md: kind, what is special, sentence without $ and checksum, what becomes
// of it.
struct page_row {
  char kind[16], body[120], effect[80];
};

static int next_row(FILE *page, struct page_row *row) {
  char line[600], *cell[6];
  while (fgets(line, sizeof line, page)) {
    int cells = 0;
    for (char *at = strtok(line, "|\n"); at && cells < 6; at = strtok(NULL, "|\n"))
      cell[cells++] = at;
    char *body = cells >= 4 ? strchr(cell[2], '`') : NULL, *end = body ? strchr(body + 1, '`') : NULL;
    if (!end)
      continue;
    *end = '\0';
    if (sscanf(cell[0], " %15s", row->kind) == 1 && sscanf(cell[3], " %79[^;\n]", row->effect) == 1) {
      snprintf(row->body, sizeof row->body, "%.119s", body + 1);
      return 1;
    }
  }
  return 0;
}

static unsigned channels_of(enum instrument kind, const char *effect) {
  static const struct {
    enum instrument kind;
    const char *word;
    unsigned channels;
  } words[] = {{INSTRUMENT_GNSS, "position", 3},      {INSTRUMENT_GNSS, "height", 4},
               {INSTRUMENT_GNSS, "velocity", 0x18},   {INSTRUMENT_GNSS, "accuracy", 0x20},
               {INSTRUMENT_GYRO, "heading", 1},       {INSTRUMENT_GYRO, "rate", 2},
               {INSTRUMENT_MOTION, "roll, pitch", 3}, {INSTRUMENT_MOTION, "heave", 4},
               {INSTRUMENT_WIND, "wind", 3}};
  unsigned out = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].kind == kind && strstr(effect, words[i].word))
      out |= words[i].channels;
  return out;
}

// Does the sentence of the row become what the row says?
static void judge_row(const struct page_row *row) {
  char text[140];
  int kind = 0;
  while (kind < INSTRUMENT_COUNT && strcmp(instrument_name((enum instrument)kind), row->kind) != 0)
    kind++;
  ck_assert_msg(kind < INSTRUMENT_COUNT, "%s", row->kind);
  struct telegram t;
  struct reason why = {""};
  int is_whole = strchr(row->body, '*') != NULL; // the checksum is the subject
  snprintf(text, sizeof text, is_whole ? "$%s" : "$%s*%02X", row->body,
           telegram_checksum(row->body, strlen(row->body)));
  enum status status = take(text, (enum instrument)kind, &t, &why);
  ck_assert_msg((status != STATUS_OK) == (strncmp(row->effect, "refused", 7) == 0), "%s: %s: %s", text,
                row->effect, why.text);
  if (status != STATUS_OK)
    return;
  ck_assert_msg((*t.other != 0) == (strncmp(row->effect, "passed over", 11) == 0), "%s: %s", text,
                row->effect);
  int is_taken = strncmp(row->effect, "taken", 5) == 0;
  ck_assert_msg(t.valid == is_taken, "%s: %s", text, row->effect);
  if (is_taken)
    ck_assert_msg(t.channels == channels_of((enum instrument)kind, row->effect), "%s: %s: channels %x", text,
                  row->effect, t.channels);
}

START_TEST(fields_do_what_the_page_says) {
  // What a row of the page says of further sentences.
  static const struct page_row more[] = {
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,1,08,1.1,,,,,,", "taken: position"},
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,3,08,1.1,31.5,M,0.0,M,,", "taken: position, height"},
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,4,08,1.1,31.5,M,0.0,M,,", "taken: position, height"},
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,5,08,1.1,31.5,M,0.0,M,,", "taken: position, height"},
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,6,08,1.1,31.5,M,0.0,M,,", "not valid"},
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,7,08,1.1,31.5,M,0.0,M,,", "not valid"},
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,8,08,1.1,31.5,M,0.0,M,,", "not valid"},
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,9,08,1.1,31.5,M,0.0,M,,", "refused"},
      {"gnss", "GPGGA,174512.00,5954.06,,00512.03,E,1,08,1.1,31.5,M,0.0,M,,", "refused"},
      {"gnss", "GPGGA,174512.00,5954.06,N,,E,1,08,1.1,31.5,M,0.0,M,,", "refused"},
      {"gnss", "GPGGA,174512.00,5954.06,N,0512.03,E,1,08,1.1,31.5,M,0.0,M,,", "refused"},
      {"gnss", "GPGGA,174512.00,5960.00,N,00512.03,E,1,08,1.1,31.5,M,0.0,M,,", "refused"},
      {"gnss", "GPGGA,174512.00,5954.06,N,00512.03,E,1,08,1.1,31.5,M,0.0,M,", "refused"},
      {"gnss", "GPVTG,90.0,T,,M,3.6,N,6.667,K", "taken: velocity"},
      {"gnss", "GPVTG,90.0,T,,M,3.6,N,6.667,K,", "not valid: no velocity"},
      {"gnss", "GPVTG,90.0,T,,M,,N,,K,A", "not valid: no velocity"},
      {"gnss", "GPVTG,,,,,,,,,N", "not valid: no velocity"},
      {"gnss", "GPVTG,,,,,0.02,N,0.04,K,A", "taken: velocity, of 0"},
      {"gnss", "GPVTG,370.0,T,,M,3.6,N,6.667,K,A", "refused"},
      {"gnss", "GPVTG,90.0,T,,M,-3.6,N,6.667,K,A", "refused"},
      {"gyro", "HEHDT,270.0,", "refused"},
      {"gyro", "HETHS,270.0,A", "taken: heading"},
      {"gyro", "HETHS,270.0,E", "not valid"},
      {"gyro", "HETHS,270.0,", "not valid"},
      {"gyro", "HETHS,,A", "not valid"},
      {"gyro", "HEHDT,361.0,T", "refused"},
      {"gyro", "HEROT,-30.0,", "not valid: no rate"},
      {"motion", "PSXN,23,1.25,-0.50,,0.37", "taken: roll, pitch, heave"},
      {"motion", "PRDID,-0.50,1.25,", "taken: roll, pitch"},
      {"motion", "PRDID,,,", "not valid"},
      {"wind", "WIMWV,330.0,R,10.0,N,A", "taken: wind"},
      {"wind", "WIMWV,330.0,R,10.0,M,", "not valid"},
      {"wind", "WIMWV,,R,10.0,M,A", "refused"},
      {"wind", "WIMWV,330.0,R,,M,A", "refused"},
      {"wind", "WIMWV,330.0,,10.0,M,A", "refused"},
      {"wind", "WIMTW,12.1,C", "passed over"},
      {"gyro", "HEHDT,270.0,T*", "refused"},
      {"gyro", "HEHDG,12.0,,,1.0,E*00", "refused"},
  };
  FILE *page = fopen(TEST_SOURCE_DIR "/docs/nmea.md", "r");
  struct page_row row;
  char line[600];
  int rows = 0;
  ck_assert_ptr_nonnull(page);
  while (fgets(line, sizeof line, page) && strcmp(line, "### Fields\n") != 0)
    ;
  for (; next_row(page, &row); rows++)
    judge_row(&row);
  fclose(page);
  ck_assert_int_ge(rows, 30);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    judge_row(&more[i]);
}
END_TEST

START_TEST(wrong_lines_are_named) {
  static const struct {
    const char *line;
    enum instrument kind;
    const char *words;
  } wrong[] = {
      {"$GPGGA,174512.00,5960.0600000,N,00512.0300000,E,2,12,0.8,31.50,M,0.0,M,,*5E", INSTRUMENT_GNSS,
       "less than 60 minutes"},
      {"$GPGGA,174512.00,9054.0600000,N,00512.0300000,E,2,12,0.8,31.50,M,0.0,M,,*5C", INSTRUMENT_GNSS,
       "up to 90 degrees"},
      {"$GPGGA,174512.00,5954.0600000,E,00512.0300000,E,2,12,0.8,31.50,M,0.0,M,,*52", INSTRUMENT_GNSS,
       "N or S"},
      {"$GPGGA,174512.00,5954.0600000,N,00512.0300000,E,9,12,0.8,31.50,M,0.0,M,,*52", INSTRUMENT_GNSS,
       "a quality from 0 to 8"},
      {"$GPGGA,174512.00,5954.0600000,N,00512.0300000,E,2,12,0.8,31.50,F,0.0,M,,*52", INSTRUMENT_GNSS,
       "in metres"},
      {"$GPVTG,370.00,T,,M,3.600,N,6.667,K,D*38", INSTRUMENT_GNSS, "a course from 0 to 360"},
      {"$GPVTG,,T,,M,3.600,N,6.667,K,D*22", INSTRUMENT_GNSS, "a course from 0 to 360"},
      {"$GPGST,174512.00,0.100,0.100,0.100,0.0,-0.300,0.400,0.500*7D", INSTRUMENT_GNSS,
       "accuracies of 0 or more"},
      {"$PSIMSSB,180554.432,M44,A,,C,N,M,-61.300,39.017,34.026,0.072,T,0.050576,*20",
       INSTRUMENT_HYDROACOUSTIC, "checksum 47 expected"},
      {"$RLS,-030.00,+040.00,A,270.000,A,0FA1*41", INSTRUMENT_LASER, "checksum 61 expected"},
      {"$RLS,-030.00,+040.00,A,270.000,A,0F*11", INSTRUMENT_LASER, "four hexadecimal digits"},
      {"$RLS,-030.00,+040.00,A,270.000,A*4B", INSTRUMENT_LASER, "7 fields of RLS"},
      {"$RLS,-030.00,+040.00,B,270.000,A,0000*64", INSTRUMENT_LASER,
       "statuses A or V in RLS expected, got 'B'"},
      {"$RLS,-030.00,+040.00,A,270.000,,0000*26", INSTRUMENT_LASER,
       "statuses A or V in RLS expected, got ''"},
      {"$RLS,,,A,270.000,A,0000*66", INSTRUMENT_LASER,
       "a sign and six characters 999.99 in RLS expected, got ''"},
      {"$RLS,-1030.00,+040.00,A,270.000,A,0000*56", INSTRUMENT_LASER, "a sign and six characters"},
      {"$RLS, 030.00,+040.00,A,270.000,A,0000*6A", INSTRUMENT_LASER, "a sign and six characters"},
      {"$RLS,-030.00,+040.00,A,360.001,A,0000*66", INSTRUMENT_LASER, "from 000.000 to 360.000 in RLS"},
      {"$RLS,-030.00,+040.00,A,,A,0000*4C", INSTRUMENT_LASER, "a number in field 4"},
      {"$RLS,-030.00,+040.00,A,270", INSTRUMENT_LASER, "from $ to *"},
      {"012346 301200 7", INSTRUMENT_TAUT_WIRE, "from $ to *"},
      {"012346 301200", INSTRUMENT_ARTEMIS, "17 characters of an Artemis"},
      {"012346 301200 A", INSTRUMENT_ARTEMIS, "17 characters of an Artemis"},
      {"012346 360001 1", INSTRUMENT_ARTEMIS, "up to 360 degrees"},
      {"       301200 1", INSTRUMENT_ARTEMIS, "17 characters of an Artemis"},
      {"01 0097.80 217.11", INSTRUMENT_ARTEMIS, "17 characters of an Artemis"},
      {"01 0097.80 360.01", INSTRUMENT_LASER, "up to 360 degrees"},
      {"$YXXDR,A,1.5,D,wire-1,A*18", INSTRUMENT_TAUT_WIRE, "four fields each"},
      {"$YXXDR,A,1.5,R,wire-1*63", INSTRUMENT_TAUT_WIRE, "units D of A"},
      {"$YXXDR,S,on,,wire-1*08", INSTRUMENT_TAUT_WIRE, "a number in field 2"},
      {"01 0097.80 217.11 5F", INSTRUMENT_LASER, "checksum 13 expected"},
      {"01 0097,80 217.11", INSTRUMENT_LASER, "MDL line"},
      {"", INSTRUMENT_LASER, "MDL line"},
      {"$", INSTRUMENT_RADAR, "from $ to *"},
      {"$HEHDT,12.0,T*1D", INSTRUMENT_RADAR, "checksum"},
      {"01 0097.80 217.11", INSTRUMENT_HYDROACOUSTIC, "from $ to *"},
      {"$HEHDT,361,T*35", INSTRUMENT_GYRO, "from 0 to 360"},
      {"$HEHDT,1e2,T*67", INSTRUMENT_GYRO, "a number in field 1"},
      {"$PSXN,23,1,1,1*25", INSTRUMENT_MOTION, "PSXN,23"},
      {"$WIMWV,45.0,,10.00,N,A*41", INSTRUMENT_WIND, "reference R or T"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct telegram t;
    struct reason why = {""};
    ck_assert_int_eq(take(wrong[i].line, wrong[i].kind, &t, &why), STATUS_BAD_INPUT);
    ck_assert_msg(strstr(why.text, wrong[i].words) != NULL, "%s: %s", wrong[i].line, why.text);
  }
  srand(2); // any bytes do no harm
  for (int i = 0; i < 20000; i++) {
    char line[90];
    struct telegram t;
    struct reason why;
    size_t size = (size_t)(rand() % 90);
    for (size_t k = 0; k < size; k++)
      line[k] = i % 2 ? (char)rand() : "$PSIMSSB,A*0123.456- 9"[rand() % 22];
    telegram_read(line, size, (enum instrument)(rand() % INSTRUMENT_COUNT), &t, &why);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("telegrams");
  TCase *t = add_case(suite, "telegrams", 60);
  tcase_add_test(t, published_lines_are_read);
  tcase_add_test(t, lines_are_written_byte_by_byte);
  tcase_add_test(t, rls_is_written_byte_by_byte);
  tcase_add_test(t, rls_is_read_in_its_frame);
  tcase_add_test(t, artemis_lines);
  tcase_add_test(t, what_does_not_fit_is_not_valid);
  tcase_add_test(t, wires_are_read);
  tcase_add_test(t, what_is_written_is_read);
  tcase_add_test(t, sentences_of_other_instruments_are_read);
  tcase_add_test(t, wrong_lines_are_named);
  tcase_add_test(t, other_sentences_are_passed_over);
  tcase_add_test(t, a_measurement_with_too_much_is_refused);
  tcase_add_test(t, fields_do_what_the_page_says);
  return run_suite(suite);
}
