// Telegrams of position references: published lines are read and their like is written byte by byte.
#include "io/telegrams/telegram.h"

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
  size_t size = telegram_write(form, &r, day_s, 0, out);
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
      {"01 0097.80 217.11 5F", INSTRUMENT_LASER, "checksum 13 expected"},
      {"01 0097,80 217.11", INSTRUMENT_LASER, "MDL line"},
      {"", INSTRUMENT_LASER, "MDL line"},
      {"$", INSTRUMENT_RADAR, "from $ to *"},
      {"$HEHDT,12.0,T*1D", INSTRUMENT_RADAR, "checksum"},
      {"01 0097.80 217.11", INSTRUMENT_HYDROACOUSTIC, "from $ to *"},
      {"$HEHDT,361,T*35", INSTRUMENT_GYRO, "from 0 to 360"},
      {"$HEHDT,1e2,T*67", INSTRUMENT_GYRO, "a number in field 1"},
      {"$PSXN,20,1,1,1,1*3B", INSTRUMENT_MOTION, "PSXN,23"},
      {"$WIMWV,45.0,T,10.00,N,A*15", INSTRUMENT_WIND, "relative wind (R)"},
      {"$HEHDT,12.0,T*1C", INSTRUMENT_WIND, "a telegram of a wind"},
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
  tcase_add_test(t, what_is_written_is_read);
  tcase_add_test(t, sentences_of_other_instruments_are_read);
  tcase_add_test(t, wrong_lines_are_named);
  return run_suite(suite);
}
