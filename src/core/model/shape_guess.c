// With a seabed, weight and a horizontal force: the catenary, a pipe at rest on the ground and then inclined
// by tan = (the ground's slope) + w s / H at the suspended length s. Otherwise: an arc of a circle through
// both ends, sagging with the weight.
#include "core/model/shape_guess.h"

#include "core/math/trig.h"

struct direction {
  double along, up; // cosine and sine of the inclination
};

struct chain {
  const struct pipe *p;
  double length;
  double *ground_along, *ground_up; // per element: inclination where it lies on the ground
  int catenary;
  double a, touchdown_s, touch; // catenary: H/w, where it leaves the ground, the ground's slope there
  double chord_angle, half;     // arc: inclination at s is chord_angle + half (2 s/length - 1)
};

// Tangent of the surface's inclination along the azimuth.
static double ground_tangent(const struct pipe *p, double north, double east, double x, double y) {
  double slope[2];
  surface_slope(&p->ground, x, y, slope);
  return 0 - (slope[0] * north + slope[1] * east);
}

// Depth of the lower end's axis.
static double lower_level(const struct pipe *p, const struct pipe_def *def) {
  double x = def->anchor_n_m[0], y = def->anchor_n_m[1], slope[2];
  surface_slope(&p->ground, x, y, slope);
  return surface_level(&p->ground, x, y) -
         pipe_lower_height(p, def) * sqrt(1 + slope[0] * slope[0] + slope[1] * slope[1]);
}

// The elements laid along the ground from the lower end.
static void follow_ground(const struct pipe_def *def, struct chain *c) {
  double north = trig_cos(def->lay_azimuth_rad), east = trig_sin(def->lay_azimuth_rad);
  double x = def->anchor_n_m[0], y = def->anchor_n_m[1], z = surface_level(&c->p->ground, x, y);
  for (int e = 0; e < c->p->elements; e++) {
    double l = c->p->length_m[e], tangent = ground_tangent(c->p, north, east, x, y);
    double step = l / sqrt(1 + tangent * tangent);
    double rise = z - surface_level(&c->p->ground, x + step * north, y + step * east);
    double chord = sqrt(step * step + rise * rise);
    c->ground_along[e] = step / chord;
    c->ground_up[e] = rise / chord;
    x += l * c->ground_along[e] * north;
    y += l * c->ground_along[e] * east;
    z -= l * c->ground_up[e];
  }
}

// Leaves the ground at touchdown_s, with its slope there: linear between the middles of elements.
static void set_touchdown(struct chain *c, double touchdown_s) {
  double s = 0, before_s = 0, before = c->ground_up[0] / c->ground_along[0];
  c->touchdown_s = touchdown_s;
  c->touch = before;
  for (int e = 0; e < c->p->elements; e++) {
    double middle = s + 0.5 * c->p->length_m[e], slope = c->ground_up[e] / c->ground_along[e];
    c->touch = slope;
    if (middle >= touchdown_s) {
      if (e > 0)
        c->touch = before + (slope - before) * ((touchdown_s - before_s) / (middle - before_s));
      return;
    }
    before_s = middle, before = slope;
    s += c->p->length_m[e];
  }
}

static struct direction chain_direction(const struct chain *c, int element, double at_s) {
  double s = at_s - c->touchdown_s;
  if (!c->catenary) {
    double angle = c->chord_angle + c->half * (2 * at_s / c->length - 1);
    return (struct direction){trig_cos(angle), trig_sin(angle)};
  }
  if (s <= 0)
    return (struct direction){c->ground_along[element], c->ground_up[element]};
  s += c->a * c->touch;
  double hypotenuse = sqrt(c->a * c->a + s * s);
  return (struct direction){c->a / hypotenuse, s / hypotenuse};
}

static void catenary_reach(struct chain *c, double touchdown_s, double a, double *reach, double *height) {
  double s = 0;
  c->a = a;
  set_touchdown(c, touchdown_s);
  *reach = *height = 0;
  for (int e = 0; e < c->p->elements; e++) {
    double l = c->p->length_m[e];
    struct direction d = chain_direction(c, e, s + 0.5 * l);
    *reach += l * d.along;
    *height += l * d.up;
    s += l;
  }
}

// Touchdown that lifts the top to the wanted height; 0 if the pipe is too short to rest on the seabed.
static int catenary_touchdown(struct chain *c, double a, double height) {
  double low = 0, high = c->length, reach, lift;
  catenary_reach(c, 0, a, &reach, &lift);
  if (lift < height)
    return 0;
  for (int k = 0; k < 80; k++) {
    double middle = 0.5 * (low + high);
    catenary_reach(c, middle, a, &reach, &lift);
    if (lift > height)
      low = middle;
    else
      high = middle;
  }
  set_touchdown(c, 0.5 * (low + high));
  return 1;
}

// The catenary's parameter a = H/w for a wanted reach.
static int catenary_for_reach(struct chain *c, double reach, double height) {
  double low = 1e-6 * c->length, high = 1e3 * c->length, found, lift;
  for (int k = 0; k < 200; k++) {
    double middle = sqrt(low * high);
    if (!catenary_touchdown(c, middle, height)) {
      high = middle; // too taut to touch down
      continue;
    }
    catenary_reach(c, c->touchdown_s, middle, &found, &lift);
    if (found < reach)
      low = middle;
    else
      high = middle;
  }
  if (!catenary_touchdown(c, low, height))
    return 0;
  catenary_reach(c, c->touchdown_s, low, &found, &lift);
  return fabs(found - reach) < 1e-3 * c->length;
}

// Half the opening angle of an arc with this ratio of chord to length: sin(x)/x = ratio.
static double arc_half_angle(double ratio) {
  double low = 1e-6, high = 3.0;
  for (int k = 0; k < 80; k++) {
    double middle = 0.5 * (low + high);
    if (trig_sin(middle) / middle > ratio)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static quat attitude_of(double azimuth, double inclination) {
  const double euler[3] = {0, inclination, azimuth};
  return quat_of_euler(euler);
}

static void lay_out(const struct pipe_def *def, const struct chain *c, struct pipe_state *s) {
  double north = trig_cos(def->lay_azimuth_rad), east = trig_sin(def->lay_azimuth_rad), at = 0;
  double x = def->anchor_n_m[0], y = def->anchor_n_m[1];
  vec3 r = {x, y, lower_level(c->p, def)};
  pipe_set3(s->r_n, 0, r);
  pipe_set_quat(s, 0,
                attitude_of(def->lay_azimuth_rad, trig_atan2(ground_tangent(c->p, north, east, x, y), 1)));
  for (int e = 0; e < c->p->elements; e++) {
    double l = c->p->length_m[e];
    struct direction d = chain_direction(c, e, at + 0.5 * l), end = chain_direction(c, e, at + l);
    r = vec3_add(r, (vec3){l * d.along * north, l * d.along * east, -l * d.up});
    pipe_set3(s->r_n, e + 1, r);
    pipe_set_quat(s, e + 1, attitude_of(def->lay_azimuth_rad, trig_atan2(end.up, end.along)));
    at += l;
  }
}

void shape_straight(const struct pipe *p, const struct pipe_def *def, struct pipe_state *s) {
  double north = trig_cos(def->lay_azimuth_rad), east = trig_sin(def->lay_azimuth_rad);
  struct chain straight = {.p = p, .length = 1};
  straight.chord_angle =
      trig_atan2(ground_tangent(p, north, east, def->anchor_n_m[0], def->anchor_n_m[1]), 1);
  lay_out(def, &straight, s);
}

static void bend_arc(struct chain *c, double height, double reach, double weight) {
  double chord = sqrt(height * height + reach * reach);
  c->chord_angle = trig_atan2(height, reach);
  c->half = chord < c->length ? arc_half_angle(chord / c->length) : 0;
  if (weight < 0)
    c->half = -c->half;
}

enum status shape_guess(const struct model *m, const struct pipe_def *pipe, double horizontal_force_n,
                        double reach_m, double top_z_m, double *const scratch[2], struct model_state *s,
                        struct shape_guess *out, struct reason *why) {
  const struct pipe *p = &m->pipe;
  double height = lower_level(p, pipe) - top_z_m;
  double weight = pipe_mean_weight(pipe, &m->env), length = pipe->length_m;
  struct chain c = {.p = p, .length = length, .ground_along = scratch[0], .ground_up = scratch[1]};
  if (!(height < length))
    return fail(why, STATUS_BAD_INPUT,
                "the pipe (%.6g m) does not reach from the seabed to the hang-off %.6g m above it", length,
                height);
  int rests = weight > 0 && p->contact_length_m[1] > 0;
  double least = sqrt(height * height + reach_m * reach_m);
  if (reach_m > 0 && !(least < 1.02 * length))
    return fail(why, STATUS_BAD_INPUT, "the pipe (%.6g m) does not reach the hang-off %.6g m away", length,
                least);
  follow_ground(pipe, &c);
  c.catenary = 1;
  if (rests && reach_m > 0)
    c.catenary = catenary_for_reach(&c, reach_m, height);
  else
    c.catenary =
        rests && horizontal_force_n > 0 && catenary_touchdown(&c, horizontal_force_n / weight, height);
  out->reach_m = reach_m;
  if (c.catenary) {
    double lift;
    catenary_reach(&c, c.touchdown_s, c.a, &out->reach_m, &lift);
  } else {
    double most = sqrt(length * length - height * height);
    if (!(reach_m > 0))
      out->reach_m = (horizontal_force_n > 0.1 * fabs(weight) * length ? 0.97 : 0.8) * most;
    bend_arc(&c, height, out->reach_m, weight);
  }
  lay_out(pipe, &c, &s->pipe);
  return STATUS_OK;
}
