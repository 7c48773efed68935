// Thrust of level 1, and the directions in which it may act.
//
// A thruster's thrust over its angle is 1, or less behind a skeg and in the wash of a stopped azimuth
// thruster, or none in a forbidden sector. Between the angles at which one of these begins, turns or ends, it
// is an arc or a curve: an arc of the inscribed polygon of 36 corners, with which the published examples are
// computed (at most 0.4 % below the circle), or a polygon with a corner at every degree, and more where it is
// steep. A curve is convex but for its lowest points, the middle of a wash and of a skeg: there one convex
// piece ends and the next begins.
#include "lab/capability/level1.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <stdlib.h>

static const double CORNER_RAD = TRIG_PI / 180, CIRCLE_RAD = TRIG_PI / 18, DYNAMIC = 0.9;
static const double CUT_OFF = 5e-4; // of the thrust, by the chord between two corners
enum { MOST_BREAKS = 4 * (MAX_THRUSTERS + MAX_SKEGS) + 8, MOST_HALVINGS = 3 };

double level1_ventilation(const struct level1 *level, int thruster, const struct weather *weather,
                          double direction_rad) {
  const struct level1_thruster *t = &level->thruster[thruster];
  double height = weather->wave_height_m, length = level->hull.length_m, diameter = t->diameter_m;
  if (height == 0)
    return 1;
  double d = fmod(direction_rad, 2 * TRIG_PI);
  d = d < 0 ? d + 2 * TRIG_PI : d;
  double turn = (d <= TRIG_PI ? d : 2 * TRIG_PI - d) / TRIG_PI;
  double b = turn <= 0.5 ? 1 + 0.38 * turn : 1.38 - 0.38 * turn;
  double c = t->place_m[0] >= 0 ? 1 : 1 + 0.4 * t->place_m[0] / length;
  double motion = fmin(0.64 * sqrt(length) / weather_zero_crossing_s(weather), 1);
  double load = fmax(sqrt(t->nominal_n / (diameter * diameter * diameter)) / 15.2 - 1, 0);
  double s = 0.25 * (0.85 * b * c * height * motion + load);
  double x = 4 * (level->hull.draft_m - t->height_m) / diameter - 1.5 * s;
  return 0.5 * erfc(-x / sqrt(2));
}

static double distance(const double a[2], const double b[2], double difference[2]) {
  difference[0] = a[0] - b[0], difference[1] = a[1] - b[1];
  return sqrt(difference[0] * difference[0] + difference[1] * difference[1]);
}

// A skeg to starboard of the thruster, in angles to port; one to port is its mirror image.
struct dip {
  double from_rad, lowest_rad, to_rad, share;
  int mirrored;
};

static int skeg_dip(const struct level1_thruster *t, const double skeg_m[2], struct dip *out) {
  double delta[2], far = distance(skeg_m, t->place_m, delta);
  double s = delta[0] > 0 ? far : fabs(delta[1]);
  if (delta[1] == 0 || s >= t->skeg_reach * t->diameter_m)
    return 0;
  double dy = -fabs(delta[1]), jet = atan(0.6 * t->diameter_m / s);
  double skeg = TRIG_PI / 2 - atan(delta[0] / dy), lowest = fmin(fmax(skeg + jet, TRIG_PI / 2), TRIG_PI);
  *out = (struct dip){fmax(skeg - jet, 0), lowest, fmin(lowest + 4 * jet, TRIG_PI), 2 * lowest / TRIG_PI - 1,
                      delta[1] > 0};
  return 1;
}

static double turned(double angle_rad) {
  double a = fmod(angle_rad, 2 * TRIG_PI);
  return a > TRIG_PI ? a - 2 * TRIG_PI : a <= -TRIG_PI ? a + 2 * TRIG_PI : a;
}

static double dip_share(const struct dip *dip, double angle_rad) {
  double a = turned(dip->mirrored ? -angle_rad : angle_rad);
  if (a < 0 && a < -TRIG_PI + 1e-12)
    a += 2 * TRIG_PI;
  if (a <= dip->from_rad || a >= dip->to_rad)
    return 1;
  double t = a < dip->lowest_rad ? (dip->lowest_rad - a) / (dip->lowest_rad - dip->from_rad)
                                 : (a - dip->lowest_rad) / (dip->to_rad - dip->lowest_rad);
  return dip->share + t * (1 - dip->share);
}

double level1_skeg_share(const struct level1 *level, int thruster, double angle_rad) {
  double share = 1;
  struct dip dip;
  for (int i = 0; i < level->skeg_count; i++)
    if (skeg_dip(&level->thruster[thruster], level->skeg_m[i], &dip))
      share *= dip_share(&dip, angle_rad);
  return share;
}

// The wash on a stopped azimuth thruster: middle and half width.
static int wash_on(const struct level1 *level, int own, int other, double *middle_rad, double *half_rad,
                   double *least) {
  const struct level1_thruster *t = &level->thruster[own], *stopped = &level->thruster[other];
  double delta[2], s = distance(t->place_m, stopped->place_m, delta), r = s / t->diameter_m;
  if (own == other || thruster_steering(stopped->kind) != STEERING_TURNS || s == 0 || r >= t->keep_off)
    return 0;
  *middle_rad = atan2(delta[1], delta[0]);
  *half_rad = atan(t->wash / r);
  *least = 1 - 1 / (0.02 * r * r + 0.25 * r + 1.2);
  return 1;
}

double level1_wash_share(const struct level1 *level, int thruster, unsigned stopped, double angle_rad) {
  double share = 1, middle, half, a;
  for (int i = 0; i < level->thruster_count; i++) {
    if (!(stopped >> i & 1) || !wash_on(level, thruster, i, &middle, &half, &a))
      continue;
    double e = fabs(turned(angle_rad - middle));
    if (e < half)
      share *= a * sin(half) / (sin(half - e) + a * sin(e));
  }
  return share;
}

// Where the thrust over the angle changes its law. Angles in [0, 2 pi).
struct breaks {
  int count, closed_count;
  double angle_rad[MOST_BREAKS];   // a piece ends at each
  double closed[MAX_THRUSTERS][2]; // forbidden: middle, half width
};

static void add_break(struct breaks *b, double angle_rad) {
  double a = fmod(angle_rad, 2 * TRIG_PI);
  b->angle_rad[b->count++] = a < 0 ? a + 2 * TRIG_PI : a;
}

static int by_angle(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static struct breaks breaks_of(const struct level1 *level, int own, unsigned stopped) {
  const struct level1_thruster *t = &level->thruster[own];
  struct breaks b = {0};
  double delta[2], middle, half, least;
  struct dip dip;
  for (int i = 0; i < level->thruster_count; i++) {
    double s = distance(t->place_m, level->thruster[i].place_m, delta);
    if (stopped >> i & 1) {
      if (wash_on(level, own, i, &middle, &half, &least))
        add_break(&b, middle - half), add_break(&b, middle), add_break(&b, middle + half);
    } else if (i != own && thruster_steering(level->thruster[i].kind) == STEERING_TURNS && s > 0 &&
               s < 15 * t->diameter_m) {
      middle = atan2(delta[1], delta[0]), half = atan(0.1 + t->diameter_m / s);
      b.closed[b.closed_count][0] = middle, b.closed[b.closed_count++][1] = half;
      add_break(&b, middle - half), add_break(&b, middle + half);
    }
  }
  for (int i = 0; i < level->skeg_count; i++)
    if (skeg_dip(t, level->skeg_m[i], &dip)) {
      double side = dip.mirrored ? -1 : 1;
      add_break(&b, side * dip.from_rad), add_break(&b, side * dip.to_rad);
      add_break(&b, side * dip.lowest_rad);
    }
  if (!b.count) // the whole circle
    add_break(&b, 0);
  qsort(b.angle_rad, (size_t)b.count, sizeof b.angle_rad[0], by_angle);
  return b;
}

static int is_closed(const struct breaks *b, double angle_rad) {
  for (int i = 0; i < b->closed_count; i++)
    if (fabs(turned(angle_rad - b->closed[i][0])) < b->closed[i][1] - 1e-9)
      return 1;
  return 0;
}

static double share_at(const struct level1 *level, int own, unsigned stopped, double angle_rad) {
  return level1_skeg_share(level, own, angle_rad) * level1_wash_share(level, own, stopped, angle_rad);
}

static int add_corner(struct reach_unit *unit, double share, double angle_rad) {
  return reach_add_point(unit, share * trig_cos(angle_rad), share * trig_sin(angle_rad));
}

// The corners after the first one of a chord: its end, and those between where the chord cuts off too much.
static int add_chord(const struct level1 *level, int own, unsigned stopped, double from_rad, double to_rad,
                     int halvings, struct reach_unit *unit) {
  double from = share_at(level, own, stopped, from_rad), to = share_at(level, own, stopped, to_rad);
  double half = 0.5 * (to_rad - from_rad), middle_rad = from_rad + half;
  double chord = from + to > 0 ? 2 * from * to * trig_cos(half) / (from + to) : 0;
  if (halvings == 0 || share_at(level, own, stopped, middle_rad) - chord <= CUT_OFF)
    return add_corner(unit, to, to_rad);
  return add_chord(level, own, stopped, from_rad, middle_rad, halvings - 1, unit) &&
         add_chord(level, own, stopped, middle_rad, to_rad, halvings - 1, unit);
}

// Thrust from one angle to the next, less than half a turn, in a piece of its own.
static int add_curve(const struct level1 *level, int own, unsigned stopped, double from_rad, double to_rad,
                     struct reach_unit *unit) {
  int corners = (int)ceil((to_rad - from_rad) / CORNER_RAD);
  double step = (to_rad - from_rad) / corners;
  int good = reach_begin_piece(unit) && add_corner(unit, share_at(level, own, stopped, from_rad), from_rad);
  for (int i = 0; good && i < corners; i++)
    good =
        add_chord(level, own, stopped, from_rad + step * i, from_rad + step * (i + 1), MOST_HALVINGS, unit);
  return good;
}

// Full thrust from one angle to the next: the corners of the circle's polygon between them.
static int add_circle(double from_rad, double to_rad, struct reach_unit *unit) {
  int next = (int)floor(from_rad / CIRCLE_RAD + 1e-9) + 1, half_turn = next + 17, good = 1;
  if (!reach_begin_piece(unit) || !add_corner(unit, 1, from_rad))
    return 0;
  for (; good && next * CIRCLE_RAD < to_rad - 1e-9; next++) {
    good = add_corner(unit, 1, next * CIRCLE_RAD);
    if (next == half_turn - 1 && good) { // a piece spans at most half a turn
      good = reach_begin_piece(unit) && add_corner(unit, 1, next * CIRCLE_RAD);
      half_turn += 17;
    }
  }
  return good && add_corner(unit, 1, to_rad);
}

static int add_azimuth(const struct level1 *level, int own, unsigned stopped, struct reach_unit *unit) {
  struct breaks b = breaks_of(level, own, stopped);
  int good = 1;
  for (int i = 0; good && i < b.count; i++) {
    double from = b.angle_rad[i];
    double to = i + 1 < b.count ? b.angle_rad[i + 1] : b.angle_rad[0] + 2 * TRIG_PI;
    double middle = 0.5 * (from + to);
    if (to - from < 1e-9 || is_closed(&b, middle))
      continue;
    good = share_at(level, own, stopped, middle) > 1 - 1e-9 ? add_circle(from, to, unit)
                                                            : add_curve(level, own, stopped, from, to, unit);
  }
  return good;
}

enum status level1_shapes(const struct level1 *level, unsigned stopped, struct reach *shapes,
                          int unit_of[REACH_UNITS], struct reason *why) {
  reach_clear(shapes);
  for (int i = 0; i < level->thruster_count; i++) {
    const struct level1_thruster *t = &level->thruster[i];
    if (stopped >> i & 1)
      continue;
    unit_of[shapes->unit_count] = i;
    struct reach_unit *unit = reach_add_unit(shapes, t->place_m[0], t->place_m[1], t->power_w, -1);
    int good = unit != NULL;
    if (good)
      good = thruster_steering(t->kind) == STEERING_TURNS
                 ? add_azimuth(level, i, stopped, unit)
                 : reach_add_segment(unit, thruster_axis_rad(t->kind), 1,
                                     THRUSTER_KINDS[t->kind].in_tunnel ? 1 : t->astern);
    if (!good)
      return fail(why, STATUS_BAD_INPUT,
                  "vessel.thrusters.%d: fewer sectors, skegs and stopped thrusters in the wash expected", i);
  }
  return STATUS_OK;
}

void level1_thrust(const struct level1 *level, const struct reach *shapes, const int unit_of[REACH_UNITS],
                   const struct weather *weather, double direction_rad, struct reach *out) {
  reach_clear(out);
  for (int j = 0; j < shapes->unit_count; j++) {
    const struct reach_unit *from = &shapes->unit[j];
    double thrust = DYNAMIC * level->thruster[unit_of[j]].nominal_n *
                    level1_ventilation(level, unit_of[j], weather, direction_rad);
    struct reach_unit *to = reach_add_unit(out, from->place_m[0], from->place_m[1], from->power_w, -1);
    to->piece_count = from->piece_count, to->point_count = from->point_count;
    for (int p = 0; p < from->piece_count; p++)
      to->piece[p] = from->piece[p];
    for (int i = 0; i < from->point_count; i++) {
      to->point_n[i][0] = thrust * from->point_n[i][0];
      to->point_n[i][1] = thrust * from->point_n[i][1];
      to->arc[i] = from->arc[i];
    }
  }
}
