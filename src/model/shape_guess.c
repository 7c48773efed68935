// With a seabed, weight and a horizontal force: the catenary, a pipe at rest on the seabed and then inclined by
// tan = w s / H at the suspended length s. Otherwise: an arc of a circle through both ends, sagging with the weight.
#include "model/shape_guess.h"

#include "math/trig.h"

struct direction {
  double along, up; // cosine and sine of the inclination
};

static struct direction catenary_direction(double middle_s, double touchdown_s, double a) {
  double s = middle_s - touchdown_s;
  if (s <= 0)
    return (struct direction){1, 0};
  double hypotenuse = sqrt(a * a + s * s);
  return (struct direction){a / hypotenuse, s / hypotenuse};
}

static void catenary_reach(const struct pipe *p, double touchdown_s, double a, double *reach, double *height) {
  double s = 0;
  *reach = *height = 0;
  for (int e = 0; e < p->elements; e++) {
    struct direction d = catenary_direction(s + 0.5 * p->length_m[e], touchdown_s, a);
    *reach += p->length_m[e] * d.along;
    *height += p->length_m[e] * d.up;
    s += p->length_m[e];
  }
}

// Touchdown that lifts the top to the wanted height; 0 if the pipe is too short to rest on the seabed.
static int catenary_touchdown(const struct pipe *p, double length, double a, double height, double *touchdown_s) {
  double low = 0, high = length, reach, lift;
  catenary_reach(p, 0, a, &reach, &lift);
  if (lift < height)
    return 0;
  for (int k = 0; k < 80; k++) {
    double middle = 0.5 * (low + high);
    catenary_reach(p, middle, a, &reach, &lift);
    if (lift > height)
      low = middle;
    else
      high = middle;
  }
  *touchdown_s = 0.5 * (low + high);
  return 1;
}

// The catenary's parameter a = H/w for a wanted reach.
static int catenary_for_reach(const struct pipe *p, double length, double reach, double height, double *a,
                              double *touchdown_s) {
  double low = 1e-6 * length, high = 1e3 * length, found, lift;
  for (int k = 0; k < 200; k++) {
    double middle = sqrt(low * high);
    if (!catenary_touchdown(p, length, middle, height, touchdown_s)) {
      high = middle; // too taut to touch down
      continue;
    }
    catenary_reach(p, *touchdown_s, middle, &found, &lift);
    if (found < reach)
      low = middle;
    else
      high = middle;
  }
  *a = low;
  if (!catenary_touchdown(p, length, low, height, touchdown_s))
    return 0;
  catenary_reach(p, *touchdown_s, low, &found, &lift);
  return fabs(found - reach) < 1e-3 * length;
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

struct chain {
  int catenary;
  double a, touchdown_s;            // catenary
  double chord_angle, half, length; // arc: inclination at s is chord_angle + half (2 s/length - 1)
};

static struct direction chain_direction(const struct chain *c, double s) {
  if (c->catenary)
    return catenary_direction(s, c->touchdown_s, c->a);
  double angle = c->chord_angle + c->half * (2 * s / c->length - 1);
  return (struct direction){trig_cos(angle), trig_sin(angle)};
}

static quat attitude_of(double azimuth, double inclination) {
  const double euler[3] = {0, inclination, azimuth};
  return quat_of_euler(euler);
}

static void lay_out(const struct pipe *p, const struct pipe_def *def, const struct chain *c, double depth_m,
                    struct pipe_state *s) {
  vec3 r = {def->anchor_n_m[0], def->anchor_n_m[1], depth_m};
  double north = trig_cos(def->lay_azimuth_rad), east = trig_sin(def->lay_azimuth_rad), at = 0;
  pipe_set3(s->r_n, 0, r);
  pipe_set_quat(s, 0, attitude_of(def->lay_azimuth_rad, 0));
  for (int e = 0; e < p->elements; e++) {
    double l = p->length_m[e];
    struct direction d = chain_direction(c, at + 0.5 * l), end = chain_direction(c, at + l);
    r = vec3_add(r, (vec3){l * d.along * north, l * d.along * east, -l * d.up});
    pipe_set3(s->r_n, e + 1, r);
    pipe_set_quat(s, e + 1, attitude_of(def->lay_azimuth_rad, trig_atan2(end.up, end.along)));
    at += l;
  }
}

void shape_straight(const struct pipe *p, const struct pipe_def *def, double depth_m, struct pipe_state *s) {
  double length = 0;
  for (int e = 0; e < p->elements; e++)
    length += p->length_m[e];
  const struct chain level = {.length = length};
  lay_out(p, def, &level, depth_m, s);
}

enum status shape_guess(const struct model *m, const struct pipe_def *pipe, double horizontal_force_n, double reach_m,
                        double top_z_m, struct model_state *s, struct shape_guess *out, struct reason *why) {
  const struct pipe *p = &m->pipe;
  double height = m->env.depth_m - top_z_m, weight = pipe_mean_weight(pipe, &m->env);
  double length = pipe->length_m;
  struct chain c = {.length = length};
  if (!(height < length))
    return fail(why, STATUS_BAD_INPUT, "the pipe (%.6g m) does not reach from the seabed to the hang-off %.6g m above it",
                length, height);
  int rests = weight > 0 && p->contact_length_m[1] > 0;
  double least = sqrt(height * height + reach_m * reach_m);
  if (reach_m > 0 && !(least < 1.02 * length))
    return fail(why, STATUS_BAD_INPUT, "the pipe (%.6g m) does not reach the hang-off %.6g m away", length, least);
  if (rests && reach_m > 0)
    c.catenary = catenary_for_reach(p, length, reach_m, height, &c.a, &c.touchdown_s);
  else if (rests && horizontal_force_n > 0) {
    c.a = horizontal_force_n / weight;
    c.catenary = catenary_touchdown(p, length, c.a, height, &c.touchdown_s);
  }
  out->reach_m = reach_m;
  if (c.catenary) {
    double lift;
    catenary_reach(p, c.touchdown_s, c.a, &out->reach_m, &lift);
  } else {
    double most = sqrt(length * length - height * height);
    if (!(reach_m > 0))
      out->reach_m = (horizontal_force_n > 0.1 * fabs(weight) * length ? 0.97 : 0.8) * most;
    double chord = sqrt(height * height + out->reach_m * out->reach_m);
    c.chord_angle = trig_atan2(height, out->reach_m);
    c.half = chord < length ? arc_half_angle(chord / length) : 0;
    if (weight < 0)
      c.half = -c.half;
  }
  lay_out(p, pipe, &c, m->env.depth_m, &s->pipe);
  return STATUS_OK;
}
