#include "sagbend/math/so3.h"

#include "sagbend/math/trig.h"

quat quat_of_euler(const double e[3]) {
  double cr = trig_cos(0.5 * e[0]), sr = trig_sin(0.5 * e[0]);
  double cp = trig_cos(0.5 * e[1]), sp = trig_sin(0.5 * e[1]);
  double cy = trig_cos(0.5 * e[2]), sy = trig_sin(0.5 * e[2]);
  return quat_unit((quat){cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
                          cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy});
}

void euler_of_quat(quat q, double e[3]) {
  mat3 r = quat_matrix(q);
  double s = -r.m[2][0];
  e[0] = trig_atan2(r.m[2][1], r.m[2][2]);
  e[1] = trig_atan2(s, sqrt(r.m[2][1] * r.m[2][1] + r.m[2][2] * r.m[2][2]));
  e[2] = trig_atan2(r.m[1][0], r.m[0][0]);
}

mat3 euler_rate_matrix(const double e[3]) {
  double sr = trig_sin(e[0]), cr = trig_cos(e[0]);
  double sp = trig_sin(e[1]), cp = trig_cos(e[1]);
  double least = 1e-6;
  if (fabs(cp) < least)
    cp = cp < 0 ? -least : least;
  double tp = sp / cp;
  return (mat3){{{1, sr * tp, cr * tp}, {0, cr, -sr}, {0, sr / cp, cr / cp}}};
}
