// Takes the particulars of level 1 from a configuration.
#include "lab/capability/level1.h"

#include <math.h>

struct particular {
  const char *key, *what;
  double value;
  int given;
};

static enum status check_particulars(const struct particular *p, int count, struct reason *why) {
  for (int i = 0; i < count; i++)
    if (!p[i].given)
      return fail(why, STATUS_BAD_INPUT, "%s expected at level 1, got nothing: %s", p[i].key, p[i].what);
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
  const char *missing = !(t->propeller.diameter_m > 0) ? "diameter_m expected at level 1, got nothing: "
                                                         "diameter of the propeller (D)"
                        : is_tunnel && t->propeller.inlet == INLET_NOT_GIVEN
                            ? "inlet expected at level 1, got nothing: edge of the tunnel's inlets, rounded, "
                              "broken or other"
                        : !(power > 0) ? "brake_power_w expected at level 1, got nothing: brake power at the "
                                         "propeller (P)"
                        : thruster_steering(t->kind) == STEERING_RUDDER && t->rudder_max_rad > 0
                            ? "rudder: no rudder expected at level 1: published results for propeller and "
                              "rudder disagree; use --level 2"
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
