// From the ellipsoid to the plane of the chart.
#include "net/buses/telegram.h"

#include <math.h>

// A point of the WGS 84 ellipsoid and its normal in the Earth-fixed frame.
static void surface(const double at_rad[2], double point[3], double normal[3]) {
  const double a = 6378137, f = 1 / 298.257223563, e2 = f * (2 - f), s = sin(at_rad[0]);
  const double n = a / sqrt(1 - e2 * s * s);
  normal[0] = cos(at_rad[0]) * cos(at_rad[1]);
  normal[1] = cos(at_rad[0]) * sin(at_rad[1]);
  normal[2] = s;
  for (int k = 0; k < 3; k++)
    point[k] = n * (k == 2 ? 1 - e2 : 1) * normal[k];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

int telegram_in_plane(const double origin_rad[2], const double at_rad[2], double north_east_m[2]) {
  const double sp = sin(origin_rad[0]), sl = sin(origin_rad[1]), cl = cos(origin_rad[1]);
  const double north[3] = {-sp * cl, -sp * sl, cos(origin_rad[0])}, east[3] = {-sl, cl, 0};
  double origin[3], up[3], point[3], normal[3];
  surface(origin_rad, origin, up);
  surface(at_rad, point, normal);
  const double cosine = dot(normal, up);
  for (int k = 0; k < 3; k++)
    point[k] -= origin[k];
  const double height = dot(point, up);
  if (!(cosine > 0.5))
    return 0;
  for (int k = 0; k < 3; k++)
    point[k] -= height / cosine * normal[k];
  north_east_m[0] = dot(point, north);
  north_east_m[1] = dot(point, east);
  return hypot(north_east_m[0], north_east_m[1]) <= LARGEST_PLANE_M;
}
