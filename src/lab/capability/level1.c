// The weather of the standard's table, and loads of level 1. Symbols are those of the standard: d direction,
// f the same folded to 0 to pi.
#include "lab/capability/capability.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stdlib.h>

// ---- weather ----

static const struct weather TABLE[WEATHER_NUMBERS + 1] = {
    {0, 0, 3.5, 0},          {1.5, 0.1, 3.5, 0.25},   {3.4, 0.4, 4.5, 0.5},    {5.4, 0.8, 5.5, 0.75},
    {7.9, 1.3, 6.5, 0.75},   {10.7, 2.1, 7.5, 0.75},  {13.8, 3.1, 8.5, 0.75},  {17.1, 4.2, 9.0, 0.75},
    {20.7, 5.7, 10.0, 0.75}, {24.4, 7.4, 10.5, 0.75}, {28.4, 9.5, 11.5, 0.75}, {32.6, 12.1, 12.0, 0.75},
};

struct weather weather_of(int number) {
  return TABLE[number];
}

struct weather weather_at(double wind_mps) {
  int i = 1;
  while (i < WEATHER_NUMBERS && wind_mps > TABLE[i].wind_mps)
    i++;
  const struct weather *a = &TABLE[i - 1], *b = &TABLE[i];
  double t = (wind_mps - a->wind_mps) / (b->wind_mps - a->wind_mps);
  return (struct weather){wind_mps, a->wave_height_m + t * (b->wave_height_m - a->wave_height_m),
                          a->peak_period_s + t * (b->peak_period_s - a->peak_period_s),
                          a->current_mps + t * (b->current_mps - a->current_mps)};
}

// Zero-crossing period of the standard's spectrum.
static double weather_zero_crossing_s(const struct weather *weather) {
  return weather->peak_period_s / 1.4049;
}

// ---- loads ----

static const double AIR_KGPM3 = 1.226, WATER_KGPM3 = 1026, GRAVITY_MPS2 = 9.81;

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// Growth of the drift with the period: 1 in short waves.
static double drift_share(double t) {
  double s = t > 1 ? 1 / (t * t * t) : 1;
  return t > 1 ? s * exp(1 - s) : 1;
}

static void wave_loads(const struct level1_hull *h, const struct weather *weather, double sine, double f,
                       double w[3]) {
  double turn = f / TRIG_PI, tz = weather_zero_crossing_s(weather);
  double q = 0.5 * WATER_KGPM3 * GRAVITY_MPS2 * weather->wave_height_m * weather->wave_height_m;
  double c = clamp(h->waterplane_aft_m2 / (0.5 * h->length_m * h->beam_m), 0.85, 1.15);
  double bow = 0.8 * pow(h->bow_angle_rad, 0.45), stern = 0.7 * c * c;
  double h1 = bow + turn * (stern - bow), h2 = 0.05 + 0.95 * atan(1.45 * (f - 1.75));
  w[0] = 0.09 * q * h->beam_m * h1 * h2 * drift_share(tz / (0.9 * pow(h->length_m, 0.33)));
  w[1] = 0.09 * q * h->underwater_length_m * sine * drift_share(tz / (0.75 * sqrt(h->beam_m)));
  w[2] = w[1] * (h->underwater_centre_m + (0.05 - 0.14 * turn) * h->underwater_length_m);
}

struct level1_loads level1_loads_of(const struct level1_hull *h, const struct weather *weather,
                                    double direction_rad) {
  struct level1_loads loads;
  double d = fmod(direction_rad, 2 * TRIG_PI), sine, cosine;
  d = d < 0 ? d + 2 * TRIG_PI : d;
  double f = d <= TRIG_PI ? d : 2 * TRIG_PI - d, arm = 1 - 2 * f / TRIG_PI;
  sine = sin(d), cosine = cos(d);
  double u = weather->wind_mps, v = weather->current_mps;
  double air = 0.5 * AIR_KGPM3 * u * u, water = 0.5 * WATER_KGPM3 * v * v;
  loads.wind[0] = -0.7 * air * h->frontal_area_m2 * cosine;
  loads.wind[1] = 0.9 * air * h->lateral_area_m2 * sine;
  loads.wind[2] = loads.wind[1] * (h->wind_centre_m + 0.3 * arm * h->length_m);
  loads.current[0] = -0.07 * water * h->beam_m * h->draft_m * cosine;
  loads.current[1] = 0.6 * water * h->current_area_m2 * sine;
  loads.current[2] = loads.current[1] * (h->current_centre_m + clamp(0.4 * arm, -0.2, 0.25) * h->length_m);
  wave_loads(h, weather, sine, f, loads.waves);
  return loads;
}

// ------------------------------------------------------------
// Takes the particulars of level 1 from a configuration.

struct particular {
  const char *key, *what;
  double value;
  int given;
};

static enum status check_particulars(const struct particular *p, int count, struct reason *why) {
  for (int i = 0; i < count; i++)
    if (!p[i].given)
      return fail(why, STATUS_BAD_INPUT, "level 1 needs %s: %s", p[i].key, p[i].what);
  return STATUS_OK;
}

static enum status take_hull(const struct config *config, struct level1_hull *out, struct reason *why) {
  const struct vessel_def *v = &config->sim.vessel;
  const struct capability_def *c = &config->capability;
  const struct particular all[] = {
#define POSITIVE_KEY(key, value, what) {key, what, value, (value) > 0}
      POSITIVE_KEY("vessel.hull.length_m", v->hull.length_m, "length between perpendiculars (Lpp)"),
      POSITIVE_KEY("vessel.hull.beam_m", v->hull.beam_m, "beam at the waterline (B)"),
      POSITIVE_KEY("vessel.hull.draft_m", v->hull.draft_m, "draught (T)"),
      POSITIVE_KEY("vessel.wind.frontal_area_m2", v->windage.frontal_area_m2,
                   "frontal area above the water (AF)"),
      POSITIVE_KEY("vessel.wind.lateral_area_m2", v->windage.lateral_area_m2,
                   "lateral area above the water (AL)"),
      POSITIVE_KEY("vessel.capability.underwater_length_m", c->underwater_length_m,
                   "longest extent of the hull below the waterline (Los)"),
      POSITIVE_KEY("vessel.capability.bow_angle_deg", c->bow_angle_rad,
                   "angle of the waterline at the bow (beta)"),
      POSITIVE_KEY("vessel.capability.waterplane_aft_m2", c->waterplane_aft_m2,
                   "area of the waterplane aft of midships (AWL,aft)"),
      {"vessel.capability.wind_centre_m", "centre of the lateral area above the water (x_air)", 0,
       isfinite(c->wind_centre_m)},
      POSITIVE_KEY("vessel.capability.current_area_m2", c->current_area_m2,
                   "lateral area of the hull below the waterline (A_L,current)"),
      {"vessel.capability.current_centre_m", "centre of that area (x_L,current)", 0,
       isfinite(c->current_centre_m)},
#undef POSITIVE_KEY
  };
  *out = (struct level1_hull){
      v->hull.length_m,           v->hull.beam_m,   v->hull.draft_m,      c->underwater_length_m,
      c->underwater_centre_m,     c->bow_angle_rad, c->waterplane_aft_m2, v->windage.frontal_area_m2,
      v->windage.lateral_area_m2, c->wind_centre_m, c->current_area_m2,   c->current_centre_m};
  return check_particulars(all, (int)(sizeof all / sizeof *all), why);
}

static enum status take_thruster(const struct config *config, int index, struct level1_thruster *out,
                                 struct reason *why) {
  const struct thruster_def *t = &config->sim.vessel.plant.thruster[index];
  const struct hull_def *hull = &config->sim.vessel.hull;
  int is_tunnel = THRUSTER_KINDS[t->kind].in_tunnel, nozzle = t->propeller.nozzle;
  double power = t->propeller.brake_power_w > 0 ? t->propeller.brake_power_w : t->power_max_w;
  const char *missing =
      !(t->propeller.diameter_m > 0)
          ? "diameter_m is missing, and level 1 needs it: diameter of the propeller (D)"
      : is_tunnel && t->propeller.inlet == INLET_NOT_GIVEN
          ? "inlet is missing, and level 1 needs it: edge of the tunnel's inlets, rounded, broken or other"
      : !(power > 0) ? "brake_power_w is missing, and level 1 needs it: brake power at the propeller (P)"
      : thruster_steering(t->kind) == STEERING_RUDDER && t->rudder_max_rad > 0
          ? "rudder is not allowed at level 1: published results for propeller and rudder disagree; use "
            "--level 2"
          : NULL;
  if (missing)
    return fail(why, STATUS_BAD_INPUT, "vessel.thrusters.%d.%s (%s)", index, missing, t->name);
  static const double INLETS[] = {[INLET_ROUNDED] = 1.07, [INLET_BROKEN] = 1, [INLET_OTHER] = 0.93};
  double factor = is_tunnel ? 900 * INLETS[t->propeller.inlet] : nozzle ? 1200 : 800;
  double kw = 0.93 * t->propeller.diameter_m * power / 1000, root = cbrt(kw);
  *out = (struct level1_thruster){.kind = t->kind,
                                  .place_m = {t->position_b_m[0] - hull->centre_x_b_m, -t->position_b_m[1]},
                                  .height_m = hull->draft_m - t->position_b_m[2],
                                  .diameter_m = t->propeller.diameter_m,
                                  .power_w = power,
                                  .nominal_n = factor * root * root,
                                  .astern = t->thrust_astern,
                                  .wash = nozzle ? 0.35 : 0.6,
                                  .keep_off = nozzle ? 4 : 8,
                                  .skeg_reach = nozzle ? 8 : 15};
  return STATUS_OK;
}

// Two azimuth thrusters at one place have no direction in which one washes the other.
static enum status check_places(const struct config *config, const struct level1 *level, struct reason *why) {
  for (int i = 0; i < level->thruster_count; i++)
    for (int j = 0; j < i; j++) {
      const struct level1_thruster *a = &level->thruster[i], *b = &level->thruster[j];
      if (thruster_steering(a->kind) == STEERING_TURNS && thruster_steering(b->kind) == STEERING_TURNS &&
          a->place_m[0] == b->place_m[0] && a->place_m[1] == b->place_m[1])
        return fail(
            why, STATUS_BAD_INPUT,
            "vessel.thrusters.%d.position_b_m (%s): a place of its own expected at level 1, got that of %s",
            i, config->sim.vessel.plant.thruster[i].name, config->sim.vessel.plant.thruster[j].name);
    }
  return STATUS_OK;
}

enum status level1_of(const struct config *config, struct level1 *out, struct reason *why) {
  const struct plant_def *plant = &config->sim.vessel.plant;
  enum status status = take_hull(config, &out->hull, why);
  out->thruster_count = plant->thruster_count;
  for (int i = 0; status == STATUS_OK && i < plant->thruster_count; i++)
    status = take_thruster(config, i, &out->thruster[i], why);
  out->skeg_count = config->capability.skeg_count;
  for (int i = 0; i < out->skeg_count; i++) {
    out->skeg_m[i][0] = config->capability.skeg_m[i][0];
    out->skeg_m[i][1] = -config->capability.skeg_m[i][1];
  }
  return status == STATUS_OK ? check_places(config, out, why) : status;
}

// ------------------------------------------------------------
// Thrust of level 1, and the directions in which it may act.
//
// A thruster's thrust over its angle is 1, or less behind a skeg and in the wash of a stopped azimuth
// thruster, or none in a forbidden zone. Between the angles at which one of these begins, turns or ends, it
// is an arc or a curve: an arc of the inscribed polygon of 36 corners, with which the published examples are
// computed (at most 0.4 % below the circle), or a polygon with a corner at every degree, and more where it is
// steep. A curve is convex but for its lowest points, the middle of a wash and of a skeg: there one convex
// piece ends and the next begins.

static const double CORNER_RAD = TRIG_PI / 180, CIRCLE_RAD = TRIG_PI / 18, DYNAMIC = 0.9;
static const double CUT_OFF = 5e-4; // of the thrust, by the chord between two corners
enum { MOST_BREAKS = 4 * (MAX_THRUSTERS + MAX_SKEGS) + 8, MOST_HALVINGS = 3 };

// Factor for ventilation.
static double level1_ventilation(const struct level1 *level, int thruster, const struct weather *weather,
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

static double level1_skeg_share(const struct level1 *level, int thruster, double angle_rad) {
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

// Share of the thrust that skegs, and stopped azimuth thrusters in the wash, leave in a direction of thrust.
static double level1_wash_share(const struct level1 *level, int thruster, unsigned stopped,
                                double angle_rad) {
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
                  "vessel.thrusters.%d: too many sectors, skegs and stopped thrusters in its wash", i);
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
