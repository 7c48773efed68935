// A soil that remembers, below a node: layers that stick and slide.
//
// With S(z) the strength, a layer j with the elastic way e_j stores S k_j e_j^2/2. e_j follows z (de = dz)
// between
//   -b_j <= e_j <= a_j,   a_j = l y_j,   b_j = suction a_j max(0, 1 - (zm - z)/(fade zm)),
// and slides at these bounds. History enters the bounds only, never S or k: a bound that shrinks draws e in,
// which loses energy, so that the loss S k |e| |slide| is never negative. Out of the soil, z <= 0, all e are
// 0 and S is 0.
//   V = S/2 sum k e^2,   P = dV/dz = S K1 + S' K2/2,   K0, K1, K2 the sums of k, k e, k e^2.
// Layers: the chords of y/(1 + y), the law of Randolph and Quiggin (2009), y = z Kmax/D, which their
// unloading follows from full mobilisation. S: piecewise quadratic, such that virgin soil resists with y/(1 +
// y) Q(z) at the knots.
//
// A way is cut at the mudline, at the knots of S, and upwards where the pull has faded. In a piece S is
// quadratic and the bounds are linear, so that each layer first sticks over a way m and then slides over the
// rest r, and the mean force and the loss are exact:
//   stick from x to c:  dV = k m [(S_x + S_c)(e + e1)/4 + S[x,c](e^2 + e1^2)/4],   S[x,c] the divided
//   difference; slide down:         loss = k a r <S>,        dV = k a^2 S[c,y] r/2; slide up:           loss
//   = k (1 + g) r <S b>,  g the slope of b;   <> by Simpson's rule, exact for cubics,
// whose terms are >= 0, so that the loss is >= 0 in floating point too.
//
// Clay that softens with cycles: the bounds are those above times A, the strength that remoulding has left,
//   A = r + (1 - r) exp(-3 u/u95),   r = 1/sensitivity,   du = loss/(A S),
// the form of Einav and Randolph (2005) with u/u95 in place of their accumulated plastic shear strain over
// that of 95 % of the loss. loss: of sliding; u is the way over which fully mobilised clay has slid. The
// state is the share of the loss that has happened, d = 1 - exp(-3 u/u95). A is constant during a way; at its
// end a layer beyond a bound that has shrunk is drawn in, which loses S k (e^2 - bound^2)/2. History still
// enters the bounds only.
#include "sagbend/ground/ground.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

// ---- Creation ----

static const double FIRST_WAY = 0.2, LAST_WAY = 60; // of the points on y/(1 + y)

static void create_layers(struct soil_column *column, double unit_m) {
  const double ratio = explog_exp(explog_log(LAST_WAY / FIRST_WAY) / (SOIL_LAYERS - 1));
  double y[SOIL_LAYERS], h[SOIL_LAYERS], slope[SOIL_LAYERS + 1] = {1};
  for (int j = 0; j < SOIL_LAYERS; j++) {
    y[j] = j > 0 ? ratio * y[j - 1] : FIRST_WAY;
    h[j] = j + 1 < SOIL_LAYERS ? y[j] / (1 + y[j]) : 1;
    slope[j] = j > 0 ? (h[j] - h[j - 1]) / (y[j] - y[j - 1]) : 1; // of the chord that ends there
  }
  y[0] = (h[0] - slope[1] * y[0]) / (1 - slope[1]); // where the first chord meets the line of slope 1
  slope[SOIL_LAYERS] = 0;
  for (int j = 0; j < SOIL_LAYERS; j++) {
    column->k_1pm[j] = (slope[j] - slope[j + 1]) / unit_m;
    column->limit_m[j] = unit_m * y[j];
  }
}

// Sums of k e and k e^2 on the way from virgin soil down to z.
static void virgin_sums(const struct soil_column *column, double z, double sum[3]) {
  sum[0] = sum[1] = sum[2] = 0;
  for (int j = 0; j < SOIL_LAYERS; j++) {
    const double e = fmin(z, column->limit_m[j]);
    sum[0] += z < column->limit_m[j] ? column->k_1pm[j] : 0;
    sum[1] += column->k_1pm[j] * e, sum[2] += column->k_1pm[j] * e * e;
  }
}

enum status soil_column_create(struct soil_column *column, const struct soil_def *soil, double diameter_m,
                               struct reason *why) {
  *column =
      (struct soil_column){.suction = soil->suction, .fade = soil->suction_depth, .span_m = 2 * diameter_m};
  if (soil_softens(soil)) {
    column->most_lost = 1 - 1 / soil->sensitivity;
    column->remoulding_1pm = 3 / soil->softening_m;
  }
  const double unit_m = diameter_m / soil->stiffness;
  create_layers(column, unit_m);
  for (int i = 1; i <= SOIL_SEGMENTS; i++) {
    const double share = (double)i / SOIL_SEGMENTS, z = column->span_m * share * share;
    const double y = z / unit_m, target = y / (1 + y) * soil_resistance(soil, diameter_m, z);
    const double way = z - column->knot_m[i - 1];
    double sum[3];
    virgin_sums(column, z, sum);
    column->knot_m[i] = z;
    if (i == 1)
      column->g_npm2[0] = column->g_npm2[1] = target / (way * sum[1] + 0.5 * sum[2]);
    else
      column->g_npm2[i] = (target - (column->s_npm[i - 1] + 0.5 * column->g_npm2[i - 1] * way) * sum[1]) /
                          (0.5 * way * sum[1] + 0.5 * sum[2]);
    column->s_npm[i] = column->s_npm[i - 1] + 0.5 * way * (column->g_npm2[i - 1] + column->g_npm2[i]);
    column->half_c[i - 1] = 0.5 * (column->g_npm2[i] - column->g_npm2[i - 1]) / way;
    if (!(column->s_npm[i] > 0) || !(column->g_npm2[i] >= 0))
      return fail(
          why, STATUS_BAD_INPUT,
          "soil: its resistance does not rise smoothly with the penetration: at %.3g m it is %.4g N/m", z,
          soil_resistance(soil, diameter_m, z));
  }
  return STATUS_OK;
}

enum status soil_carries(const struct soil_def *soil, double diameter_m, double weight_npm,
                         struct reason *why) {
  const double y = soil->stiffness, most = y / (1 + y) * soil_resistance(soil, diameter_m, diameter_m);
  const double pressed = weight_npm * fmax(soil->lay_factor, 1) * soil->dynamic_factor;
  if (pressed <= most && soil_softens(soil) && weight_npm > most / soil->sensitivity)
    return fail(why, STATUS_BAD_INPUT,
                "the soil does not carry the pipe where cycles have remoulded it: at a penetration of one "
                "diameter, %.4g m, it then resists with %.4g N/m; the pipe weighs %.4g N/m",
                diameter_m, most / soil->sensitivity, weight_npm);
  if (pressed <= most)
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "the soil does not carry the pipe: at a penetration of one diameter, %.4g m, it resists with "
              "%.4g N/m; the pipe weighs %.4g N/m, times lay and dynamic factor %.4g N/m",
              diameter_m, most, weight_npm, pressed);
}

// ---- Strength ----

static int segment_of(const struct soil_column *column, double z) {
  const int i = (int)(SOIL_SEGMENTS * sqrt(fmax(z, 0) / column->span_m));
  if (i >= SOIL_SEGMENTS)
    return SOIL_SEGMENTS;
  return z < column->knot_m[i] ? i - 1 : z >= column->knot_m[i + 1] ? i + 1 : i;
}

static double strength_in(const struct soil_column *column, int i, double z) {
  const double t = z - column->knot_m[i];
  return column->s_npm[i] + t * (column->g_npm2[i] + t * column->half_c[i]);
}

static double slope_in(const struct soil_column *column, int i, double z) {
  return column->g_npm2[i] + 2 * column->half_c[i] * (z - column->knot_m[i]);
}

// Divided difference of the strength.
static double chord_in(const struct soil_column *column, int i, double x, double y) {
  return column->g_npm2[i] + column->half_c[i] * ((x - column->knot_m[i]) + (y - column->knot_m[i]));
}

// Share of the strength that remoulding has left.
static double left_of(const struct soil_column *column, const struct soil_memory *memory) {
  return 1 - column->most_lost * memory->remoulded;
}

// ---- A piece of a way ----

struct piece {
  const struct soil_column *column;
  int segment;
  double from_m, to_m, way_m; // way_m > 0
  double left;                // share of the strength that remoulding has left
  double pull, rate_1pm;      // upwards: share of the pull at its start, and its slope
  double work, loss;          // of the way times force; both are summed
  double slid_m;              // loss over the strength that is left; summed
};

// moved: e1 - e0 downwards, e0 - e1 upwards. It is m but for rounding, which would show where e is small.
static double stick(const struct piece *x, double k, double m, double s0, double to, double e0, double e1,
                    double moved) {
  const double s1 = strength_in(x->column, x->segment, to),
               slope = chord_in(x->column, x->segment, x->from_m, to);
  return 0.25 * k * (moved * (s0 + s1) * (e0 + e1) + m * slope * (e0 * e0 + e1 * e1));
}

static void slide_down(struct piece *x, double k, double a, double from, double r) {
  const struct soil_column *column = x->column;
  const int i = x->segment;
  const double mean = (strength_in(column, i, from) + 4 * strength_in(column, i, from + 0.5 * r) +
                       strength_in(column, i, x->to_m)) /
                      6;
  const double loss = k * a * r * mean;
  x->loss += loss;
  x->slid_m += k * a * r / x->left;
  x->work += loss + 0.5 * k * a * a * chord_in(column, i, from, x->to_m) * r;
}

static void slide_up(struct piece *x, double k, double b0, double b1, double g, double from, double r) {
  const struct soil_column *column = x->column;
  const int i = x->segment;
  const double s0 = strength_in(column, i, from), s1 = strength_in(column, i, x->to_m),
               middle = strength_in(column, i, from - 0.5 * r);
  const double loss = k * (1 + g) * r * (s0 * b0 + 2 * middle * (b0 + b1) + s1 * b1) / 6;
  x->loss += loss;
  x->slid_m += 0.5 * k * (1 + g) * r * (b0 + b1) / x->left;
  x->work +=
      0.25 * k * r * ((s0 + s1) * g * (b0 + b1) + chord_in(column, i, from, x->to_m) * (b0 * b0 + b1 * b1)) -
      loss;
}

static void pass_layer_down(struct piece *x, int j, double s0, double *e) {
  const double a = x->left * x->column->limit_m[j], k = x->column->k_1pm[j], e0 = *e, d = x->way_m;
  const double m = a - e0 <= 0 ? 0 : a - e0 < d ? a - e0 : d;
  const double e1 = m < d ? a : e0 + m;
  if (m > 0)
    x->work += stick(x, k, m, s0, m < d ? x->from_m + m : x->to_m, e0, e1, e1 - e0);
  *e = e1;
  if (m < d)
    slide_down(x, k, a, x->from_m + m, d - m);
}

static void pass_layer_up(struct piece *x, int j, double s0, double *e) {
  const double limit = x->left * (x->column->suction * x->column->limit_m[j]), k = x->column->k_1pm[j],
               e0 = *e, d = x->way_m;
  const double b = limit * x->pull, g = limit * x->rate_1pm, free = (e0 + b) / (1 + g),
               end = fmax(b - g * d, 0);
  const double m = free <= 0 ? 0 : free < d ? free : d;
  const double met = m > 0 ? fmax(b - g * m, 0) : fmax(-e0, 0); // by rounding e0 may lie beyond the bound
  const double e1 = m < d ? -met : e0 - m;
  if (m > 0)
    x->work += stick(x, k, m, s0, m < d ? x->from_m - m : x->to_m, e0, e1, e0 - e1);
  *e = m < d ? -end : e0 - m;
  if (m < d)
    slide_up(x, k, met, end, (met - end) / (d - m), x->from_m - m, d - m);
}

static void pass(struct piece *x, double e[SOIL_LAYERS]) {
  const int is_down = x->to_m > x->from_m;
  const double s0 = strength_in(x->column, x->segment, x->from_m);
  for (int j = 0; j < SOIL_LAYERS; j++)
    if (is_down)
      pass_layer_down(x, j, s0, &e[j]);
    else
      pass_layer_up(x, j, s0, &e[j]);
}

// Share of the pull that is left at z, and its slope.
static double pull_at(const struct soil_column *column, double deepest, double z, double *rate) {
  const double over = column->fade * deepest;
  const double left = over > 0 ? 1 - (deepest - z) / over : 0;
  *rate = left > 0 ? 1 / over : 0;
  return left > 0 ? fmin(left, 1) : 0;
}

// Derivative of the reaction from its sums, where e moves with z.
static double stiffness_of(double strength, double slope, double half_c, const double sum[3]) {
  return strength * sum[0] + 2 * slope * sum[1] + half_c * sum[2];
}

// The reaction at z with its derivative, where the layers move with z by moves[j] = de/dz.
static void set_reaction(const struct soil_column *column, const double e[SOIL_LAYERS],
                         const double moves[SOIL_LAYERS], double z, struct soil_way *way) {
  double force[2] = {0, 0}, sum[3] = {0, 0, 0};
  for (int j = 0; j < SOIL_LAYERS; j++) {
    const double k = column->k_1pm[j];
    force[0] += k * e[j], force[1] += k * e[j] * e[j];
    sum[0] += k * moves[j], sum[1] += 0.5 * k * e[j] * (1 + moves[j]);
  }
  sum[2] = force[1];
  const int i = segment_of(column, z);
  const double strength = strength_in(column, i, z), slope = slope_in(column, i, z);
  way->end_force_npm = strength * force[0] + 0.5 * slope * force[1];
  way->end_stiffness_npm2 = stiffness_of(strength, slope, column->half_c[i], sum);
}

// How the layers move at z at the end of a way that came down or up. left: as in a piece.
static void moves_at(const struct soil_column *column, const double e[SOIL_LAYERS], double left,
                     double deepest, double z, int is_down, double moves[SOIL_LAYERS]) {
  double rate;
  const double pull = pull_at(column, deepest, z, &rate) * column->suction;
  for (int j = 0; j < SOIL_LAYERS; j++) {
    const double a = left * column->limit_m[j];
    const int slides = is_down ? e[j] >= a : e[j] + a * pull <= 1e-12 * a;
    moves[j] = !slides ? 1 : is_down ? 0 : -a * rate * column->suction;
  }
}

static void set_end(const struct soil_column *column, const double e[SOIL_LAYERS], double left,
                    double deepest, double z, int is_down, struct soil_way *way) {
  double moves[SOIL_LAYERS];
  way->end_force_npm = way->end_stiffness_npm2 = 0;
  if (!(z > 0))
    return;
  moves_at(column, e, left, deepest, z, is_down, moves);
  set_reaction(column, e, moves, z, way);
}

// The way from z0 to z1 piece by piece, with the sums of its work, unsigned, its loss and what has slid. e
// becomes that of the end.
static struct piece travel(const struct soil_column *column, double e[SOIL_LAYERS], double left,
                           double deepest, double z0, double z1) {
  struct piece x = {.column = column, .left = left};
  const int is_down = z1 > z0;
  const double first = fmax(z0, 0), last = fmax(z1, 0), faded = (1 - column->fade) * deepest;
  double at = first;
  int i = segment_of(column, first);
  while (is_down ? at < last : at > last) {
    if (!is_down && at <= column->knot_m[i] && i > 0)
      i--;
    double to = last;
    if (is_down && i < SOIL_SEGMENTS)
      to = fmin(to, column->knot_m[i + 1]);
    else if (!is_down)
      to = fmax(to, column->knot_m[i]);
    if (!is_down && at > faded)
      to = fmax(to, faded);
    x.segment = i, x.from_m = at, x.to_m = to, x.way_m = fabs(to - at);
    if (!is_down)
      x.pull = pull_at(column, deepest, at, &x.rate_1pm);
    if (!is_down && at <= faded)
      x.pull = x.rate_1pm = 0;
    pass(&x, e);
    at = to;
    if (is_down && i < SOIL_SEGMENTS && at >= column->knot_m[i + 1])
      i++;
  }
  if (!(z1 > 0))
    memset(e, 0, SOIL_LAYERS * sizeof *e);
  return x;
}

// Takes what has slid on a way that ended at z into the memory; returns the energy of the layers that the
// bounds draw in.
RARE_PATH double remould(const struct soil_column *column, struct soil_memory *memory, double slid_m,
                         double z) {
  memory->remoulded += (1 - memory->remoulded) * (1 - explog_exp(-column->remoulding_1pm * slid_m));
  if (!(z > 0))
    return 0;
  double rate, lost = 0;
  const double left = left_of(column, memory),
               pull = column->suction * pull_at(column, memory->deepest_m, z, &rate);
  for (int j = 0; j < SOIL_LAYERS; j++) {
    const double a = left * column->limit_m[j], e = memory->e_m[j], bound = e > 0 ? a : a * pull;
    if (fabs(e) <= bound)
      continue;
    memory->e_m[j] = e > 0 ? bound : -bound;
    lost += column->k_1pm[j] * (fabs(e) - bound) * (fabs(e) + bound);
  }
  return 0.5 * strength_in(column, segment_of(column, z), z) * lost;
}

// ---- A step ----

static inline double smaller(double a, double b) {
  return a < b ? a : b;
}

struct soil_start soil_begin(const struct soil_column *column, const struct soil_memory *memory, double z_m) {
  struct soil_start start = {.z_m = z_m};
  if (!(z_m > 0))
    return start;
  const int i = segment_of(column, z_m);
  double rate;
  const double left = left_of(column, memory),
               pull = column->suction * pull_at(column, memory->deepest_m, z_m, &rate),
               faded = (1 - column->fade) * memory->deepest_m, knot = column->knot_m[i];
  double k = 0, ke = 0, kee = 0, down = i < SOIL_SEGMENTS ? column->knot_m[i + 1] - z_m : 1, free = 1;
  for (int j = 0; j < SOIL_LAYERS; j++) {
    const double a = left * column->limit_m[j], e = memory->e_m[j], kj = column->k_1pm[j], force = kj * e;
    k += kj, ke += force, kee += force * e;
    down = smaller(down, a - e);
    free = smaller(free, e + a * pull);
  }
  free /= 1 + column->limit_m[SOIL_LAYERS - 1] * column->suction * rate; // at most the slope of a bound
  start.down_m = down;
  start.up_m = smaller(z_m - (z_m > faded && faded > knot ? faded : knot), free);
  start.strength_npm = strength_in(column, i, z_m);
  start.slope_npm2 = slope_in(column, i, z_m), start.half_c = column->half_c[i];
  start.sum[0] = k, start.sum[1] = ke, start.sum[2] = kee;
  start.force_npm = start.strength_npm * ke + 0.5 * start.slope_npm2 * kee;
  start.energy_jpm = 0.5 * start.strength_npm * kee;
  return start;
}

static const double SHORT_M = 1e-12; // ways over which the difference of forces carries no information

struct soil_way soil_over(const struct soil_column *column, const struct soil_memory *before,
                          const struct soil_start *start, double z1_m, struct soil_memory *memory) {
  const double d = z1_m - start->z_m;
  if (soil_sticks(start, z1_m)) {
    const struct soil_way way = soil_stuck(start, z1_m);
    for (int j = 0; j < SOIL_LAYERS && memory; j++)
      memory->e_m[j] = before->e_m[j] + d;
    if (memory)
      memory->deepest_m = fmax(before->deepest_m, z1_m);
    return way;
  }
  struct soil_memory end = *before;
  struct soil_way way = {.force_npm = 0};
  double slid_m = 0;
  if (d != 0) {
    const double left = left_of(column, before);
    const struct piece all = travel(column, end.e_m, left, before->deepest_m, start->z_m, z1_m);
    way.force_npm = all.work / fabs(d), way.loss_jpm = all.loss, slid_m = all.slid_m;
    set_end(column, end.e_m, left, fmax(before->deepest_m, z1_m), z1_m, d > 0, &way);
    way.stiffness_npm2 =
        fabs(d) > SHORT_M ? (way.end_force_npm - way.force_npm) / d : 0.5 * way.end_stiffness_npm2;
  }
  end.deepest_m = fmax(before->deepest_m, z1_m);
  if (memory && slid_m > 0 && column->most_lost > 0)
    way.loss_jpm += remould(column, &end, slid_m, z1_m);
  if (memory)
    *memory = end;
  return way;
}

// Down to the largest penetration, up to z and, where that slides a layer, beyond z by ease and back: a pipe
// that has lain there moves within the bounds of every layer. Without ease a slow way.
static struct soil_way lie(const struct soil_column *column, double deepest_m, double z_m, double ease,
                           struct soil_memory *memory) {
  const int is_virgin = z_m + ease >= deepest_m;
  const double turn = is_virgin ? z_m + ease : deepest_m;
  const double lower = is_virgin ? z_m : fmax(z_m - ease, 0.5 * z_m), share = lower > z_m - ease ? 0.5 : 1;
  struct soil_memory end = {.deepest_m = fmax(turn, 0)};
  struct soil_way way = {.force_npm = 0};
  if (z_m > 0) {
    double moves[SOIL_LAYERS];
    for (int j = 0; j < SOIL_LAYERS; j++)
      end.e_m[j] = fmin(turn, column->limit_m[j]);
    moves_at(column, end.e_m, 1, turn, turn, 1, moves);
    if (lower < turn)
      (void)travel(column, end.e_m, 1, turn, turn, lower);
    if (!is_virgin)
      moves_at(column, end.e_m, 1, turn, lower, 0, moves);
    for (int j = 0; j < SOIL_LAYERS && !is_virgin; j++) {
      moves[j] = moves[j] == 1 ? 1 : 1 + share * (moves[j] - 1);
      end.e_m[j] += z_m - lower;
    }
    set_reaction(column, end.e_m, moves, z_m, &way);
  }
  way.force_npm = way.end_force_npm;
  way.stiffness_npm2 = way.end_stiffness_npm2;
  if (memory)
    *memory = end;
  return way;
}

struct soil_way soil_slow(const struct soil_column *column, double deepest_m, double z_m) {
  return lie(column, deepest_m, z_m, 0, NULL);
}

static const double EASE = 0.25; // of the way of the stiffest layer

struct soil_way soil_at_rest(const struct soil_column *column, double deepest_m, double z_m,
                             struct soil_memory *memory) {
  return lie(column, deepest_m, z_m, EASE * column->limit_m[0], memory);
}

struct soil_way soil_at_rest_from_far(const struct soil_column *column, double deepest_m, double z_m) {
  struct soil_way way = soil_at_rest(column, deepest_m, z_m, NULL);
  if (!(z_m > 0))
    return way;
  const double secant =
      z_m < deepest_m
          ? (soil_at_rest(column, deepest_m, deepest_m, NULL).force_npm - way.force_npm) / (deepest_m - z_m)
          : way.force_npm / z_m;
  way.stiffness_npm2 = fmax(way.stiffness_npm2, secant);
  return way;
}

// Penetration at which a rising reaction reaches a force.
static double where(const struct soil_column *column, double deepest, double high, double force) {
  double low = 0;
  for (int k = 0; k < 200 && high - low > 1e-16; k++) {
    const double middle = 0.5 * (low + high);
    if (soil_at_rest(column, deepest, middle, NULL).force_npm < force)
      low = middle;
    else
      high = middle;
  }
  return high;
}

double soil_resting(const struct soil_column *column, double force_npm, double factor, double *deepest_m) {
  *deepest_m = 0;
  if (!(force_npm > 0))
    return 0;
  *deepest_m = where(column, 0, column->span_m, factor * force_npm);
  return where(column, *deepest_m, *deepest_m, force_npm);
}

int soil_memory_is_valid(const struct soil_column *column, const struct soil_memory *memory, double z_m,
                         struct reason *why) {
  if (!valid_finite(memory->e_m, SOIL_MEMORY, "soil", why))
    return 0;
  if (!(memory->remoulded >= 0 && memory->remoulded <= (column->most_lost > 0 ? 1 : 0)))
    return valid_fail(why, "soil: a share of the remoulding from 0 to %d expected, got %g",
                      column->most_lost > 0, memory->remoulded);
  const double left = left_of(column, memory);
  if (memory->deepest_m < 0 || (z_m > 0 && memory->deepest_m < z_m - 1e-9))
    return valid_fail(why, "soil: a largest penetration of at least %g m expected, got %g", fmax(z_m, 0),
                      memory->deepest_m);
  for (int j = 0; j < SOIL_LAYERS; j++)
    if (memory->e_m[j] > left * column->limit_m[j] * (1 + 1e-12) ||
        memory->e_m[j] < -left * column->suction * column->limit_m[j] * (1 + 1e-12))
      return valid_fail(why, "soil: layer %d: a way within its bounds expected, got %g m", j, memory->e_m[j]);
  return 1;
}
