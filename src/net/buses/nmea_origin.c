// Where and when: coordinates on the ellipsoid, and the civil calendar.
#include "net/buses/nmea_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The point of the tangent plane in the Earth-fixed frame, projected down its normal onto the ellipsoid
// (Bowring 1976).
void nmea_geodetic(const struct nmea_origin *origin, double north_m, double east_m, double *latitude_rad,
                   double *longitude_rad) {
  const double a = 6378137, f = 1 / 298.257223563, e2 = f * (2 - f), b = a * (1 - f);
  double sp = sin(origin->latitude_rad), cp = cos(origin->latitude_rad);
  double sl = sin(origin->longitude_rad), cl = cos(origin->longitude_rad);
  double n = a / sqrt(1 - e2 * sp * sp);
  double x = n * cp * cl - sp * cl * north_m - sl * east_m;
  double y = n * cp * sl - sp * sl * north_m + cl * east_m;
  double z = n * (1 - e2) * sp + cp * north_m, distance = hypot(x, y);

  double reduced = atan2(z * a, distance * b);
  for (int i = 0; i < 3; i++) {
    double phi =
        atan2(z + e2 / (1 - e2) * b * pow(sin(reduced), 3), distance - e2 * a * pow(cos(reduced), 3));
    *latitude_rad = phi;
    reduced = atan2((1 - f) * sin(phi), cos(phi));
  }
  *longitude_rad = atan2(y, x);
}

// Days since 1970-01-01 to a Gregorian date, in 400-year eras that begin on March 1.
static void date_of_days(long long days, struct nmea_utc *utc) {
  long long z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
  long long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  long long day = of_era - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;
  utc->day = (int)(day - (153 * month + 2) / 5 + 1);
  utc->month = (int)(month < 10 ? month + 3 : month - 9);
  utc->year = (int)(year + era * 400 + (utc->month <= 2));
}

static long long days_of_date(int year, int month, int day) {
  long long y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  long long of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct nmea_utc nmea_utc_of(double s_since_1970) {
  struct nmea_utc utc;
  long long units = llround(100 * s_since_1970), day = 8640000, days = units / day - (units % day < 0);
  long long rest = units - days * day;
  date_of_days(days, &utc);
  utc.hour = (int)(rest / 360000);
  utc.minute = (int)(rest / 6000 % 60);
  utc.hundredths = (int)(rest % 6000);
  return utc;
}

int nmea_parse_utc(const char *text, double *out_s) {
  int year, month, day, hour, minute, second, read = 0;
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second, &read) != 6 ||
      read != 19 || (text[19] && strcmp(text + 19, "Z") != 0))
    return 0;

  struct nmea_utc back; // differs where the date does not exist
  long long days = days_of_date(year, month, day);
  date_of_days(days, &back);
  if (year < 1970 || back.year != year || back.month != month || back.day != day || hour < 0 || hour > 23 ||
      minute < 0 || minute > 59 || second < 0 || second > 59)
    return 0;
  *out_s = (double)days * 86400 + hour * 3600 + minute * 60 + second;
  return 1;
}
