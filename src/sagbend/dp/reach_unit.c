// Makes the pieces of a unit.
#include "sagbend/math/trig.h"
#include "sagbend/dp/reach.h"

#include <math.h>
#include <stddef.h>

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
