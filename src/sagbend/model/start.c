// A first shape of the pipe for the statics, and its mesh.
//
// With a seabed, weight and a horizontal force the shape is a catenary: the pipe rests on the ground and is
// then inclined by tan = (slope of the ground) + w s / H at the suspended length s. Otherwise it is an arc of
// a circle through both ends, which sags with the weight.
#include "sagbend/model/model.h"
#include "sagbend/model/model_internal.h"

#include "sagbend/env/env.h"
#include "sagbend/math/math.h"
#include "sagbend/stinger/stinger.h"

#include <math.h>

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

// ------------------------------------------------------------
// Lengths, l(s) at the arc length s, [a, b] the touchdown, u the mean length, L the pipe's:
//   l0 in [a, b];   l0 + g (a - s), at most 3 u, below;   l0 + g (s - b), at most 2 u, above;
//   at most u + g (L - s) towards the hang-off, and shorter ones at a clamp.
// g = 0.2 makes neighbours differ by 1.2. l0 follows from the number of elements, the integral of 1/l. It is
// not shorter than an eighth of sqrt(EI/T), within which bending smooths the touchdown: then g becomes
// smaller instead, down to equal elements for a fine mesh. Errors of three lines by these numbers and by
// others: docs/model-pipe.md.

// A catenary that leaves an inclined plane, and its top.
struct hanging {
  double length_m;
  double along, up; // direction of the plane from the lower end on
};

static double asinh_of(double x) {
  return x < 0 ? -explog_log(sqrt(x * x + 1) - x) : explog_log(x + sqrt(x * x + 1));
}

// Suspended length for a top at this height over the lower end, a = H/w; more than the pipe has: infinite.
static double suspended_m(const struct hanging *h, double a, double height_m) {
  const double start = a * h->up / h->along, hypotenuse = sqrt(a * a + start * start);
  double low = 0, high = h->length_m;
  for (int k = 0; k < 60; k++) {
    const double s = 0.5 * (low + high), end = start + s;
    if ((h->length_m - s) * h->up + sqrt(a * a + end * end) - hypotenuse > height_m)
      high = s;
    else
      low = s;
  }
  return high < h->length_m ? high : (double)INFINITY;
}

static double reach_m(const struct hanging *h, double a, double suspended) {
  const double start = a * h->up / h->along;
  return (h->length_m - suspended) * h->along + a * (asinh_of((start + suspended) / a) - asinh_of(start / a));
}

// a = H/w for a reach and a height; 0: none.
static double horizontal_m(const struct hanging *h, double reach, double height_m) {
  double low = 1e-6 * h->length_m, high = 1e3 * h->length_m;
  for (int k = 0; k < 80; k++) {
    const double a = sqrt(low * high), s = suspended_m(h, a, height_m);
    if (!(s < h->length_m) || reach_m(h, a, s) > reach)
      high = a;
    else
      low = a;
  }
  return low > 2e-6 * h->length_m ? low : 0;
}

// Arc length of the touchdown; 0 where the pipe is too taut to have one.
static double touchdown_at(const struct hanging *h, double reach, double height_m) {
  const double a = horizontal_m(h, reach, height_m), s = a > 0 ? suspended_m(h, a, height_m) : 0;
  return s < h->length_m ? h->length_m - s : 0;
}

// Extremes of the top: further from the lower end and higher.
struct top_range {
  double reach_m[2], height_m[2];
};

static void add_offset(struct top_range *range, double along_m, double down_m) {
  range->reach_m[0] = fmin(range->reach_m[0], along_m), range->reach_m[1] = fmax(range->reach_m[1], along_m);
  range->height_m[0] = fmin(range->height_m[0], -down_m);
  range->height_m[1] = fmax(range->height_m[1], -down_m);
}

static struct top_range top_range_of(const struct pipe_def *pipe, const struct env_def *env,
                                     double height_m) {
  const double north = trig_cos(pipe->lay_azimuth_rad), east = trig_sin(pipe->lay_azimuth_rad);
  struct top_range range = {.reach_m = {-0.03 * height_m, 0.03 * height_m}};
  const struct motion_def *motion = &pipe->motion;
  if (pipe->hangoff == HANGOFF_MOVED && motion->rows == 0) {
    add_offset(&range, -motion->radius_m, 0);
    add_offset(&range, motion->radius_m, 0);
  } else if (pipe->hangoff == HANGOFF_MOVED) {
    for (int k = 0; k < motion->rows; k++) {
      const double *offset = motion->table[k].value;
      add_offset(&range, north * offset[0] + east * offset[1], offset[2]);
    }
  } else if (env->waves.present) {
    add_offset(&range, 0, 0.5 * env->waves.height_m);
    add_offset(&range, 0, -0.5 * env->waves.height_m);
  }
  return range;
}

// The plane below the lower end, and the height of the top over it.
static int hanging_of(const struct pipe_def *pipe, const struct env_def *env, double top_z_m,
                      struct hanging *out, double *height_m) {
  const double north = trig_cos(pipe->lay_azimuth_rad), east = trig_sin(pipe->lay_azimuth_rad);
  struct seabed_surface plane = {0};
  struct arena none;
  double slope[2];
  if (env->seabed == SEABED_NONE || env->bathymetry.north_nodes > 0)
    return 0;
  arena_init(&none, NULL, 0);
  surface_create(&plane, env, &none);
  surface_slope(&plane, pipe->anchor_n_m[0], pipe->anchor_n_m[1], slope);
  const double rise = -(slope[0] * north + slope[1] * east), along = 1 / sqrt(1 + rise * rise);
  *out = (struct hanging){.length_m = pipe->length_m, .along = along, .up = rise * along};
  *height_m = surface_level(&plane, pipe->anchor_n_m[0], pipe->anchor_n_m[1]) - top_z_m;
  return *height_m > 0 && *height_m < pipe->length_m;
}

// Horizontal distance of the ends as the statics have it, and H/w.
static double static_reach(const struct hanging *h, const struct pipe_def *pipe,
                           const struct statics_def *statics, double weight_npm, double height_m, double *a) {
  if (statics->kind == STATICS_HANGOFF_POSITION) {
    const double dn = statics->hangoff_position_m[0] - pipe->anchor_n_m[0];
    const double de = statics->hangoff_position_m[1] - pipe->anchor_n_m[1];
    const double reach = sqrt(dn * dn + de * de);
    *a = horizontal_m(h, reach, height_m);
    return reach;
  }
  *a = statics->horizontal_force_n / weight_npm;
  const double s = *a > 0 ? suspended_m(h, *a, height_m) : (double)INFINITY;
  return s < h->length_m ? reach_m(h, *a, s) : 0;
}

int touchdown_foresee(const struct pipe_def *pipe, const struct env_def *env,
                      const struct statics_def *statics, double top_z_m, struct touchdown *out) {
  const double weight = pipe->elements > 0 ? pipe_mean_weight(pipe, env) : 0;
  struct hanging h;
  double height, a;
  if (!(weight > 0) || pipe->lower == LOWER_FREE || pipe->hangoff == HANGOFF_FREE ||
      !hanging_of(pipe, env, top_z_m, &h, &height))
    return 0;
  const double reach = static_reach(&h, pipe, statics, weight, height, &a);
  if (!(reach > 0) || !(a > 0))
    return 0;

  const double s = touchdown_at(&h, reach, height);
  if (!(s > 0))
    return 0;
  const struct top_range range = top_range_of(pipe, env, height);
  double least = s, most = s;
  for (int k = 0; k < 2; k++) {
    const double moved = touchdown_at(&h, reach + range.reach_m[k], height),
                 lifted = touchdown_at(&h, reach, height + range.height_m[k]);
    least = fmin(least, fmin(moved, lifted));
    most = fmax(most, fmax(moved, lifted));
  }
  const double bend = sqrt(pipe->line.bending_stiffness_nm2[0] / (a * weight));
  *out = (struct touchdown){.from_m = fmax(0, least - bend),
                            .to_m = fmax(0, most - 0.5 * bend),
                            .tension_n = a * weight,
                            .bend_m = bend};
  return out->to_m > 0;
}

struct grading {
  double from_m, to_m;                         // a, b
  double length_m;                             // L
  double below_m, above_m, top_m, top_reach_m; // largest lengths; the top's holds so far below the hang-off
  double finest_m, growth;                     // l0, g
};

static double element_at(const struct grading *g, double s) {
  double l = g->finest_m;
  if (s < g->from_m)
    l = fmin(fmax(g->below_m, l), l + g->growth * (g->from_m - s));
  else if (s > g->to_m)
    l = fmin(fmax(g->above_m, l), l + g->growth * (s - g->to_m));
  const double from_top = fmax(0, g->length_m - s - g->top_reach_m);
  return fmin(l, fmax(g->finest_m, g->top_m + g->growth * from_top));
}

enum { PARTS = 4000, HALVINGS = 50 };
static const double GROWTH = 0.2;

static double count_of(const struct grading *g) {
  const double part = g->length_m / PARTS;
  double sum = 0;
  for (int i = 0; i < PARTS; i++)
    sum += part / element_at(g, (i + 0.5) * part);
  return sum;
}

// Finds the number of the grading, finest_m or growth, with which there are this many elements: the larger it
// is, the fewer.
static void bisect(struct grading *g, double *number, double high, int elements) {
  double low = 0;
  for (int k = 0; k < HALVINGS; k++) {
    *number = 0.5 * (low + high);
    *(count_of(g) > elements ? &low : &high) = *number;
  }
  *number = high;
}

// The shortest elements, or where those would be needlessly short the growth, for this number of elements.
static void fit(struct grading *g, int elements, double least_m) {
  const double least = fmin(least_m, g->length_m / elements);
  g->growth = GROWTH;
  bisect(g, &g->finest_m, g->length_m, elements);
  if (g->finest_m < least) {
    g->finest_m = least;
    bisect(g, &g->growth, GROWTH, elements);
  }
}

// Arc lengths of the nodes, in order.
struct nodes {
  const struct grading *g;
  double scale; // elements over count_of
  double count, s;
  int part;
};

static double next_node(struct nodes *n, double number) {
  const double part = n->g->length_m / PARTS;
  while (n->part < PARTS) {
    const double s = n->part * part, rate = n->scale / element_at(n->g, s + 0.5 * part);
    if (n->count + part * rate >= number)
      return s + (number - n->count) / rate;
    n->count += part * rate;
    n->part++;
  }
  return n->g->length_m;
}

// Makes segments of elements whose lengths differ by no more than this factor. 0: too many segments.
static int divide(struct pipe_def *pipe, const struct grading *g, double factor) {
  struct nodes nodes = {.g = g, .scale = pipe->elements / count_of(g)};
  double start = 0, before = 0, least = 0, most = 0;
  int count = 0, elements = 0;
  for (int i = 1; i <= pipe->elements; i++) {
    const double s = i < pipe->elements ? next_node(&nodes, i) : pipe->length_m, l = s - before;
    if (elements > 0 && fmax(most, l) > factor * fmin(least, l)) {
      if (count == MAX_MESH_SEGMENTS - 1)
        return 0;
      pipe->mesh[count++] = (struct mesh_segment){.length_m = before - start, .elements = elements};
      start = before, elements = 0;
    }
    least = elements > 0 ? fmin(least, l) : l, most = elements > 0 ? fmax(most, l) : l;
    elements++, before = s;
  }
  pipe->mesh[count++] = (struct mesh_segment){.length_m = pipe->length_m - start, .elements = elements};
  pipe->mesh_segment_count = count;
  return 1;
}

void graded_mesh(struct pipe_def *pipe, const struct env_def *env, const struct statics_def *statics,
                 double top_z_m) {
  struct touchdown t;
  if (pipe->spacing == SPACING_EQUAL || pipe->mesh_segment_count > 0 || pipe->payout.row_count > 0 ||
      pipe->tensioner.order_count > 0 || stinger_supports(&pipe->stinger) > 0 ||
      !touchdown_foresee(pipe, env, statics, top_z_m, &t))
    return;

  const double mean = pipe->length_m / pipe->elements;
  struct grading g = {.from_m = fmin(t.from_m, pipe->length_m),
                      .to_m = fmin(t.to_m, pipe->length_m),
                      .length_m = pipe->length_m,
                      .below_m = 3 * mean,
                      .above_m = 2 * mean,
                      .top_m = mean};
  if (pipe->hangoff == HANGOFF_CLAMPED) { // half of sqrt(EI/T) there
    const double tension = t.tension_n + pipe_mean_weight(pipe, env) * (env->depth_m - top_z_m);
    g.top_m = fmin(mean, fmax(0.25 * mean, 0.5 * sqrt(pipe->line.bending_stiffness_nm2[0] / tension)));
  }
  if (env->waves.present && env->waves.on_pipe) // half a wave's length, to which waves reach
    g.top_reach_m = env->gravity_mps2 * env->waves.period_s * env->waves.period_s / (4 * TRIG_PI);
  fit(&g, pipe->elements, t.bend_m / 8);
  for (double factor = 1.05; !divide(pipe, &g, factor); factor *= 1.03) {
  }
  pipe->is_graded = 1;
}
