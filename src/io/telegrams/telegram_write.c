#include "io/telegrams/telegram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEG = 180 / 3.14159265358979323846;

static double bearing_deg(double rad, double unit) {
  double turns = rad * DEG / 360, deg = (turns - floor(turns)) * 360;
  deg = nearbyint(deg / unit) * unit;
  return deg >= 360 ? 0 : deg;
}

unsigned telegram_checksum(const char *text, size_t size) {
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++)
    sum ^= (unsigned char)text[i];
  return sum;
}

static unsigned sum_sent(const char *text, int is_wrong) {
  return telegram_checksum(text, strlen(text)) ^ (is_wrong ? 0x55u : 0);
}

size_t telegram_close(const char *body, int wrong_checksum, char out[TELEGRAM_MAX]) {
  int n = snprintf(out, TELEGRAM_MAX, "$%s*%02X\r\n", body, sum_sent(body, wrong_checksum));
  return n > 0 && n < TELEGRAM_MAX ? (size_t)n : 0;
}

static size_t write_acoustic(const struct reading *r, double day_s, int wrong, char out[TELEGRAM_MAX]) {
  char body[TELEGRAM_MAX];
  const double *v = r->value;
  int is_lbl = r->kind == INSTRUMENT_LBL; // its own place, north and east; short baseline: starboard, forward
  long long ms = llround(day_s * 1000) % 86400000;
  snprintf(body, sizeof body, "PSIMSSB,%02lld%02lld%02lld.%03lld,%s,%s,C,%s,M,%.3f,%.3f,%.3f,%.3f,N,,",
           ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000, is_lbl ? "LBL" : "B01",
           r->valid ? "A," : "V,NRy", is_lbl ? "N" : "H", is_lbl ? v[0] : v[1], is_lbl ? v[1] : v[0], v[2],
           is_lbl ? v[3] : v[4]);
  return telegram_close(body, wrong, out);
}

static size_t write_radar(const struct reading *r, double day_s, int wrong, char out[TELEGRAM_MAX]) {
  enum { NO_REPLY = 0, VALID = 9 };
  char body[TELEGRAM_MAX];
  const double *v = r->value;
  long long cs = llround(day_s * 100) % 8640000;
  snprintf(body, sizeof body,
           "PSXRAD,1,%02lld%02lld%02lld.%02lld,01,00,%03d,%07.2f,00.3,%06.2f,00.1,%.2f,00.2,0.00,%02d,%d",
           cs / 360000, cs / 6000 % 60, cs / 100 % 60, cs % 100, (int)fmin(fmax(v[3], 0), 999),
           fmin(fmax(v[0], 0), 9999.99), bearing_deg(v[1], 0.01), v[2] * DEG + 0.0,
           (int)fmin(fmax(v[4], 0), 99), r->valid ? VALID : NO_REPLY);
  return telegram_close(body, wrong, out);
}

size_t telegram_write(enum telegram_form form, const struct reading *r, double day_s, int wrong_checksum,
                      char out[TELEGRAM_MAX]) {
  const double *v = r->value;
  int n;
  if (form == TELEGRAM_PSIMSSB)
    return write_acoustic(r, day_s, wrong_checksum, out);
  if (form == TELEGRAM_PSXRAD)
    return write_radar(r, day_s, wrong_checksum, out);
  if (form == TELEGRAM_ASCII17) {
    double turn = bearing_deg(v[1], 0.001) * 1000;
    n = snprintf(out, TELEGRAM_MAX, "%06lld %06lld %d\r\n", llround(fmin(fmax(v[0], 0) * 10, 999999)),
                 llround(turn), r->valid != 0);
    return (size_t)n;
  }
  if (!r->valid)
    return 0;
  n = snprintf(out, TELEGRAM_MAX, "%02d %07.2f %06.2f", (int)fmin(fmax(v[3], 0), 99),
               fmin(fmax(v[0], 0), 9999.99), bearing_deg(v[1], 0.01));
  if (form == TELEGRAM_MDL_MULTI) {
    char line[24];
    memcpy(line, out, (size_t)n);
    line[n++] = ' ';
    line[n] = 0;
    n = snprintf(out, TELEGRAM_MAX, "%s%02X", line, sum_sent(line, wrong_checksum));
  }
  memcpy(out + n, "\r\n", 3);
  return (size_t)n + 2;
}
