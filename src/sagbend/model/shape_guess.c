// With a seabed, weight and a horizontal force the shape is a catenary: the pipe rests on the ground and is
// then inclined by tan = (slope of the ground) + w s / H at the suspended length s. Otherwise it is an arc of
// a circle through both ends, which sags with the weight.
#include "sagbend/model/shape_guess.h"

#include "sagbend/math/trig.h"

// Direction of an element in the lay plane.
struct direction {
  double along, up; // cosine and sine of the inclination
};

// A chain of straight elements in the lay plane.
struct chain {
  const struct pipe_mesh *p;
  double length;
  double *ground_along, *ground_up; // per element: its direction if it lies on the ground
  int catenary;                     // 1: catenary, 0: arc
  // Catenary: H/w, arc length where it leaves the ground, slope there.
  double h_over_w, touchdown_s, touch_slope;
  // Arc: the inclination at s is chord_angle + half_angle (2 s/length - 1).
  double chord_angle, half_angle;
};

// Tangent of the surface's inclination along the azimuth.
static double ground_tangent(const struct pipe_mesh *p, double north, double east, double x, double y) {
  double slope[2];
  surface_slope(&p->pipe->ground, x, y, slope);
  return 0 - (slope[0] * north + slope[1] * east);
}

// Depth of the pipe's axis at the lower end.
static double lower_level(const struct pipe_mesh *p, const struct pipe_def *def) {
  double x = def->anchor_n_m[0], y = def->anchor_n_m[1], slope[2];
  surface_slope(&p->pipe->ground, x, y, slope);
  return surface_level(&p->pipe->ground, x, y) -
         pipe_lower_height(p, def) * sqrt(1 + slope[0] * slope[0] + slope[1] * slope[1]);
}

// Finds the directions of elements that lie on the ground, from the lower end on.
static void follow_ground(const struct pipe_def *def, struct chain *chain) {
  double north = trig_cos(def->lay_azimuth_rad), east = trig_sin(def->lay_azimuth_rad);
  double x = def->anchor_n_m[0], y = def->anchor_n_m[1], z = surface_level(&chain->p->pipe->ground, x, y);
  for (int e = 0; e < chain->p->elements; e++) {
    double l = chain->p->length_m[e], tangent = ground_tangent(chain->p, north, east, x, y);
    double step = l / sqrt(1 + tangent * tangent);
    double rise = z - surface_level(&chain->p->pipe->ground, x + step * north, y + step * east);
    double chord = sqrt(step * step + rise * rise);
    chain->ground_along[e] = step / chord;
    chain->ground_up[e] = rise / chord;
    x += l * chain->ground_along[e] * north;
    y += l * chain->ground_along[e] * east;
    z -= l * chain->ground_up[e];
  }
}

// Lets the chain leave the ground at touchdown_s, with the slope of the ground there. The slope is
// interpolated linearly between the middles of elements.
static void set_touchdown(struct chain *chain, double touchdown_s) {
  double s = 0, before_s = 0, before = chain->ground_up[0] / chain->ground_along[0];
  chain->touchdown_s = touchdown_s;
  chain->touch_slope = before;
  for (int e = 0; e < chain->p->elements; e++) {
    double middle = s + 0.5 * chain->p->length_m[e], slope = chain->ground_up[e] / chain->ground_along[e];
    chain->touch_slope = slope;
    if (middle >= touchdown_s) {
      if (e > 0)
        chain->touch_slope = before + (slope - before) * ((touchdown_s - before_s) / (middle - before_s));
      return;
    }
    before_s = middle, before = slope;
    s += chain->p->length_m[e];
  }
}

static struct direction chain_direction(const struct chain *chain, int element, double at_s) {
  double s = at_s - chain->touchdown_s;
  if (!chain->catenary) {
    double angle = chain->chord_angle + chain->half_angle * (2 * at_s / chain->length - 1);
    return (struct direction){trig_cos(angle), trig_sin(angle)};
  }
  if (s <= 0)
    return (struct direction){chain->ground_along[element], chain->ground_up[element]};
  s += chain->h_over_w * chain->touch_slope;
  double hypotenuse = sqrt(chain->h_over_w * chain->h_over_w + s * s);
  return (struct direction){chain->h_over_w / hypotenuse, s / hypotenuse};
}

// Sets the catenary with this touchdown and H/w, and finds the horizontal and vertical distance of its ends.
static void catenary_reach(struct chain *chain, double touchdown_s, double h_over_w, double *reach,
                           double *height) {
  double s = 0;
  chain->h_over_w = h_over_w;
  set_touchdown(chain, touchdown_s);
  *reach = *height = 0;
  for (int e = 0; e < chain->p->elements; e++) {
    double l = chain->p->length_m[e];
    struct direction d = chain_direction(chain, e, s + 0.5 * l);
    *reach += l * d.along;
    *height += l * d.up;
    s += l;
  }
}

// Finds the touchdown for a height of the top above the lower end. Fails if the pipe is too short to rest
// on the seabed.
static enum status catenary_touchdown(struct chain *chain, double h_over_w, double height) {
  double low = 0, high = chain->length, reach, lift;
  catenary_reach(chain, 0, h_over_w, &reach, &lift);
  if (lift < height)
    return STATUS_NOT_CONVERGED;
  for (int k = 0; k < 80; k++) {
    double middle = 0.5 * (low + high);
    catenary_reach(chain, middle, h_over_w, &reach, &lift);
    if (lift > height)
      low = middle;
    else
      high = middle;
  }
  set_touchdown(chain, 0.5 * (low + high));
  return STATUS_OK;
}

// Finds H/w for a reach and a height. Fails if there is none.
static enum status catenary_for_reach(struct chain *chain, double reach, double height) {
  double low = 1e-6 * chain->length, high = 1e3 * chain->length, found, lift;
  for (int k = 0; k < 200; k++) {
    double middle = sqrt(low * high);
    if (catenary_touchdown(chain, middle, height) != STATUS_OK) {
      high = middle; // too taut to touch down
      continue;
    }
    catenary_reach(chain, chain->touchdown_s, middle, &found, &lift);
    if (found < reach)
      low = middle;
    else
      high = middle;
  }
  if (catenary_touchdown(chain, low, height) != STATUS_OK)
    return STATUS_NOT_CONVERGED;
  catenary_reach(chain, chain->touchdown_s, low, &found, &lift);
  return fabs(found - reach) < 1e-3 * chain->length ? STATUS_OK : STATUS_NOT_CONVERGED;
}

// Half the opening angle x of an arc with this ratio of chord to length: sin(x)/x = ratio.
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

static void lay_out(const struct pipe_def *def, const struct chain *chain, struct pipe_state *s) {
  double north = trig_cos(def->lay_azimuth_rad), east = trig_sin(def->lay_azimuth_rad), at = 0;
  double x = def->anchor_n_m[0], y = def->anchor_n_m[1];
  vec3 r = {x, y, lower_level(chain->p, def)};
  pipe_set3(s->r_n, 0, r);
  pipe_set_quat(
      s, 0, attitude_of(def->lay_azimuth_rad, trig_atan2(ground_tangent(chain->p, north, east, x, y), 1)));
  for (int e = 0; e < chain->p->elements; e++) {
    double l = chain->p->length_m[e];
    struct direction d = chain_direction(chain, e, at + 0.5 * l), end = chain_direction(chain, e, at + l);
    r = vec3_add(r, (vec3){l * d.along * north, l * d.along * east, -l * d.up});
    pipe_set3(s->r_n, e + 1, r);
    pipe_set_quat(s, e + 1, attitude_of(def->lay_azimuth_rad, trig_atan2(end.up, end.along)));
    at += l;
  }
}

void shape_straight(const struct pipe_mesh *p, const struct pipe_def *def, struct pipe_state *s) {
  double north = trig_cos(def->lay_azimuth_rad), east = trig_sin(def->lay_azimuth_rad);
  struct chain straight = {.p = p, .length = 1};
  straight.chord_angle =
      trig_atan2(ground_tangent(p, north, east, def->anchor_n_m[0], def->anchor_n_m[1]), 1);
  lay_out(def, &straight, s);
}

static void bend_arc(struct chain *chain, double height, double reach, double weight) {
  double chord = sqrt(height * height + reach * reach);
  chain->chord_angle = trig_atan2(height, reach);
  chain->half_angle = chord < chain->length ? arc_half_angle(chord / chain->length) : 0;
  if (weight < 0)
    chain->half_angle = -chain->half_angle;
}

enum status shape_guess(const struct model *m, const struct pipe_def *pipe, double horizontal_force_n,
                        double reach_m, double top_z_m, double *const scratch[2], struct model_state *s,
                        struct shape_guess *out, struct reason *why) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  double height = lower_level(p, pipe) - top_z_m;
  double weight = pipe_mean_weight(pipe, &m->env), length = pipe->length_m;
  struct chain chain = {.p = p, .length = length, .ground_along = scratch[0], .ground_up = scratch[1]};
  if (!(height < length))
    return fail(why, STATUS_BAD_INPUT,
                "the pipe (%.6g m) is too short to reach from the seabed to the hang-off %.6g m above it",
                length, height);

  int rests = weight > 0 && p->contact_length_m[1] > 0;
  double least = sqrt(height * height + reach_m * reach_m);
  if (reach_m > 0 && !(least < 1.02 * length))
    return fail(why, STATUS_BAD_INPUT, "the pipe (%.6g m) is too short to reach the hang-off %.6g m away",
                length, least);

  follow_ground(pipe, &chain);
  chain.catenary = 1;
  if (rests && reach_m > 0)
    chain.catenary = catenary_for_reach(&chain, reach_m, height) == STATUS_OK;
  else
    chain.catenary = rests && horizontal_force_n > 0 &&
                     catenary_touchdown(&chain, horizontal_force_n / weight, height) == STATUS_OK;

  out->reach_m = reach_m;
  if (chain.catenary) {
    double lift;
    catenary_reach(&chain, chain.touchdown_s, chain.h_over_w, &out->reach_m, &lift);
  } else {
    double most = sqrt(length * length - height * height);
    if (!(reach_m > 0))
      out->reach_m = (horizontal_force_n > 0.1 * fabs(weight) * length ? 0.97 : 0.8) * most;
    bend_arc(&chain, height, out->reach_m, weight);
  }
  lay_out(pipe, &chain, &s->pipe);
  return STATUS_OK;
}
