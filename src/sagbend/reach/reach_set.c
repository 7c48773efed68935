// Support functions: the point of a set that is farthest in a direction.
//
// A unit: the farthest of zero, of the points, and of each arc whose angles contain the direction. The set of
// several pieces has the support function of its hull.
//
// Thrusters of a bus share its power L. With the share t of full thrust and h the support function of each at
// full thrust, wanted is the largest sum h t with sum P t^(3/2) <= L and 0 <= t <= 1. Stationarity gives
// t = min(1, (c h/P)^2) with one c for the bus. Where the units with P/h <= c are at full thrust, the power
// is A + c^3 B, with A = sum of their P and B the sum of h^3/P^2 over the others; so c is a cube root between
// two break points P/h.
#include "sagbend/reach/reach.h"
#include "sagbend/reach/reach_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>

double reach_cube_root(double x) {
  double sign = x < 0 ? -1 : 1, a = fabs(x), scale = 1;
  if (a == 0 || !(a < HUGE_VAL))
    return x;
  for (; a >= 8; scale *= 2)
    a *= 0.125;
  for (; a < 1; scale *= 0.5)
    a *= 8;
  double r = 1 + (a - 1) / 7; // the chord from 1 to 8
  for (int i = 0; i < 6; i++)
    r = (2 * r + a / (r * r)) / 3;
  return sign * scale * r;
}

// Farthest point of the unit at full thrust in direction q.
static double unit_support(const struct reach_unit *unit, unsigned pieces, const double q[2],
                           double at_n[2]) {
  double best = 0;
  at_n[0] = at_n[1] = 0;
  for (int p = 0; p < unit->piece_count; p++) {
    if (!(pieces >> p & 1))
      continue;
    int first = unit->piece[p].first, end = first + unit->piece[p].count;
    for (int i = first; i < end; i++) {
      const double *v = unit->point_n[i];
      double value = v[0] * q[0] + v[1] * q[1];
      if (value > best)
        best = value, at_n[0] = v[0], at_n[1] = v[1];
      if (!unit->arc[i] || !(reach_cross(v, q) > 0 && reach_cross(q, unit->point_n[i + 1]) > 0))
        continue;
      double radius = sqrt(v[0] * v[0] + v[1] * v[1]), length = sqrt(q[0] * q[0] + q[1] * q[1]);
      if (radius * length > best) {
        best = radius * length;
        at_n[0] = radius * q[0] / length, at_n[1] = radius * q[1] / length;
      }
    }
  }
  return best;
}

// The factor c of a bus. value: h of each of its units, unit: their indices.
static double bus_factor(const struct reach *reach, double limit_w, const int *unit, const double *value,
                         int count) {
  unsigned full = 0;
  double full_w = 0;
  for (;;) { // the next of the units by rising break point
    int next = -1;
    double breaks = HUGE_VAL, rest = 0;
    for (int i = 0; i < count; i++) {
      double power = reach->unit[unit[i]].power_w;
      if (full >> i & 1 || !(value[i] > 0))
        continue;
      rest += value[i] * value[i] * value[i] / (power * power);
      if (power / value[i] < breaks)
        breaks = power / value[i], next = i;
    }
    if (next < 0)
      return HUGE_VAL;
    double left = limit_w - full_w;
    double c = left > 0 ? reach_cube_root(left / rest) : 0;
    if (c <= breaks)
      return c;
    full |= 1u << next;
    full_w += reach->unit[unit[next]].power_w;
  }
}

double reach_support(const struct reach *reach, const unsigned *pieces, const double direction[3],
                     double force_n[REACH_UNITS][2]) {
  double value[REACH_UNITS], sum = 0;
  for (int i = 0; i < reach->unit_count; i++) {
    const struct reach_unit *unit = &reach->unit[i];
    double q[2] = {direction[0] - direction[2] * unit->place_m[1],
                   direction[1] + direction[2] * unit->place_m[0]};
    value[i] = unit_support(unit, pieces ? pieces[i] : ~0u, q, force_n[i]);
    if (unit->bus < 0)
      sum += value[i];
  }
  for (int b = 0; b < reach->bus_count; b++) {
    int unit[REACH_UNITS], count = 0;
    double of_bus[REACH_UNITS];
    for (int i = 0; i < reach->unit_count; i++)
      if (reach->unit[i].bus == b)
        of_bus[count] = value[i], unit[count++] = i;
    double c = bus_factor(reach, reach->limit_w[b], unit, of_bus, count);
    for (int j = 0; j < count; j++) {
      double root = c < HUGE_VAL ? c * of_bus[j] / reach->unit[unit[j]].power_w : 1;
      double share = root < 1 ? root * root : 1;
      force_n[unit[j]][0] *= share, force_n[unit[j]][1] *= share;
      sum += share * of_bus[j];
    }
  }
  return sum;
}

// ------------------------------------------------------------
// Makes the pieces of a unit.

void reach_clear(struct reach *reach) {
  reach->unit_count = reach->bus_count = 0;
}

int reach_add_bus(struct reach *reach, double limit_w) {
  if (reach->bus_count == REACH_BUSES)
    return -1;
  reach->limit_w[reach->bus_count] = limit_w > 0 ? limit_w : 0;
  return reach->bus_count++;
}

struct reach_unit *reach_add_unit(struct reach *reach, double x_m, double y_m, double power_w, int bus) {
  if (reach->unit_count == REACH_UNITS)
    return NULL;
  struct reach_unit *unit = &reach->unit[reach->unit_count++];
  unit->place_m[0] = x_m, unit->place_m[1] = y_m;
  unit->power_w = power_w;
  unit->bus = bus;
  unit->piece_count = unit->point_count = 0;
  return unit;
}

int reach_begin_piece(struct reach_unit *unit) {
  if (unit->piece_count == REACH_PIECES)
    return 0;
  unit->piece[unit->piece_count++] = (struct reach_piece){unit->point_count, 0};
  return 1;
}

int reach_add_point(struct reach_unit *unit, double x_n, double y_n) {
  if (unit->point_count == REACH_POINTS)
    return 0;
  unit->point_n[unit->point_count][0] = x_n;
  unit->point_n[unit->point_count][1] = y_n;
  unit->arc[unit->point_count++] = 0;
  unit->piece[unit->piece_count - 1].count++;
  return 1;
}

int reach_add_segment(struct reach_unit *unit, double direction_rad, double ahead_n, double astern_n) {
  double c = trig_cos(direction_rad), s = trig_sin(direction_rad);
  return reach_begin_piece(unit) && reach_add_point(unit, ahead_n * c, ahead_n * s) &&
         reach_add_point(unit, -astern_n * c, -astern_n * s);
}

static int add_arc(struct reach_unit *unit, const double from_n[2], const double to_n[2]) {
  if (!reach_begin_piece(unit) || !reach_add_point(unit, from_n[0], from_n[1]))
    return 0;
  unit->arc[unit->point_count - 1] = 1;
  return reach_add_point(unit, to_n[0], to_n[1]);
}

int reach_add_sector(struct reach_unit *unit, double from_rad, double to_rad, double radius_n) {
  double from_n[2] = {radius_n * trig_cos(from_rad), radius_n * trig_sin(from_rad)};
  double to_n[2] = {radius_n * trig_cos(to_rad), radius_n * trig_sin(to_rad)};
  double width = to_rad - from_rad;
  if (width >= 2 * TRIG_PI - 1e-12) { // exactly opposite points: no seam between the halves
    double back_n[2] = {-from_n[0], -from_n[1]};
    return add_arc(unit, from_n, back_n) && add_arc(unit, back_n, from_n);
  }
  if (width <= TRIG_PI * (1 - 1e-12))
    return add_arc(unit, from_n, to_n);
  double half = from_rad + 0.5 * width, half_n[2] = {radius_n * trig_cos(half), radius_n * trig_sin(half)};
  return add_arc(unit, from_n, half_n) && add_arc(unit, half_n, to_n);
}
