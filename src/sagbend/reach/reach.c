// Where a force lies among the pieces of its unit.
#include "sagbend/reach/reach.h"
#include "sagbend/reach/reach_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double ALLOWANCE = 1e-9; // of the largest force of a unit

static double length_of(const double v[2]) {
  return sqrt(v[0] * v[0] + v[1] * v[1]);
}

static double largest_n(const struct reach_unit *unit) {
  double largest = 0;
  for (int i = 0; i < unit->point_count; i++)
    largest = fmax(largest, length_of(unit->point_n[i]));
  return largest;
}

// Share of the boundary between point i and the next that force_n reaches; infinite outside their angle.
static double share_between(const struct reach_unit *unit, int i, const double force_n[2], double slack) {
  const double *a = unit->point_n[i], *b = unit->point_n[i + 1];
  double edge[2] = {b[0] - a[0], b[1] - a[1]}, turn = reach_cross(a, edge);
  double length_a = length_of(a), length_b = length_of(b), size = length_of(force_n);
  if (!unit->arc[i] && fabs(turn) <= 1e-12 * (length_a + length_b) * length_of(edge)) { // through zero
    double along = edge[0] * force_n[0] + edge[1] * force_n[1];
    double end = along > 0 ? edge[0] * b[0] + edge[1] * b[1] : edge[0] * a[0] + edge[1] * a[1];
    if (fabs(reach_cross(edge, force_n)) > slack * length_of(edge))
      return HUGE_VAL;
    return along == 0 ? 0 : end != 0 && (end > 0) == (along > 0) ? along / end : HUGE_VAL;
  }
  if (reach_cross(a, force_n) < -slack * length_a || reach_cross(force_n, b) < -slack * length_b)
    return HUGE_VAL;
  // A small force against a narrow piece passes both by the slack; within half a turn it is not behind both.
  if (a[0] * force_n[0] + a[1] * force_n[1] < 0 && b[0] * force_n[0] + b[1] * force_n[1] < 0)
    return HUGE_VAL;
  return unit->arc[i] ? size / length_a : fmax(reach_cross(force_n, edge) / turn, 0);
}

// The least share over the pieces, and the piece that has it.
static double share_of(const struct reach_unit *unit, unsigned pieces, const double force_n[2], double slack,
                       int *piece) {
  double least = HUGE_VAL;
  *piece = -1;
  for (int p = 0; p < unit->piece_count; p++) {
    int first = unit->piece[p].first, end = first + unit->piece[p].count - 1;
    for (int i = first; i < end && pieces >> p & 1; i++) {
      double share = share_between(unit, i, force_n, slack);
      if (share < least)
        least = share, *piece = p;
    }
  }
  return least;
}

double reach_share(const struct reach_unit *unit, const double force_n[2]) {
  double largest = largest_n(unit);
  if (length_of(force_n) <= ALLOWANCE * largest)
    return 0;
  int piece;
  double share = share_of(unit, ~0u, force_n, 10 * ALLOWANCE * largest, &piece);
  return share < HUGE_VAL ? share : length_of(force_n) / largest;
}

double reach_power_w(const struct reach_unit *unit, const double force_n[2]) {
  double share = reach_share(unit, force_n);
  return unit->power_w * share * sqrt(share);
}

// Whether f lies between the directions a and b, counted from a to b.
static int lies_between(const double a[2], const double f[2], const double b[2]) {
  int behind_a = reach_cross(a, f) >= 0, before_b = reach_cross(f, b) >= 0;
  return reach_cross(a, b) >= 0 ? behind_a && before_b : behind_a || before_b;
}

static double beside(const double edge[2], const double f[2]) {
  return edge[0] * f[0] + edge[1] * f[1] > 0 ? fabs(reach_cross(edge, f)) / length_of(edge) : length_of(f);
}

// Whether the force lies in one of the pieces, to 1e-9 of the unit's largest force. If not: by how much it
// lies outside, and the two groups of pieces between which it lies.
static int reach_holds(const struct reach_unit *unit, unsigned pieces, const double force_n[2],
                       double *outside_n, unsigned groups[2]) NONBLOCKING {
  double slack = ALLOWANCE * largest_n(unit), size = length_of(force_n);
  int chosen[REACH_PIECES], count = 0, piece;
  for (int p = 0; p < unit->piece_count; p++)
    if (pieces >> p & 1)
      chosen[count++] = p;
  *outside_n = 0;
  if (count < 2 || size <= slack)
    return 1;
  double share = share_of(unit, pieces, force_n, slack, &piece);
  if (size - size / share <= slack)
    return 1;
  groups[0] = 0;
  if (piece >= 0) { // within the angle of a piece, beyond its boundary
    *outside_n = size - size / share;
    groups[0] = 1u << piece;
  } else { // in the gap behind one of the pieces: the half of them that follows it, and the others
    int gap = 0;
    *outside_n = size;
    for (int i = 0; i < count; i++) {
      const struct reach_piece *here = &unit->piece[chosen[i]], *next = &unit->piece[chosen[(i + 1) % count]];
      const double *end = unit->point_n[here->first + here->count - 1], *start = unit->point_n[next->first];
      if (lies_between(end, force_n, start))
        gap = i;
      *outside_n = fmin(*outside_n, fmin(beside(end, force_n), beside(start, force_n)));
    }
    for (int i = 0; i < (count + 1) / 2; i++)
      groups[0] |= 1u << chosen[(gap + 1 + i) % count];
  }
  groups[1] = pieces & ~groups[0];
  return 0;
}

// ------------------------------------------------------------
// Branch and bound over the pieces of the units.
//
// The hull of several pieces gives a bound that may be too high: a force of its solution may lie between the
// pieces, in a forbidden zone. Then the pieces of that unit fall into two groups, and each group is tried.
// A branch whose bound is not above the best answer ends. Every unit has finitely many pieces, and a single
// piece is convex, so the search ends with the answer of the set itself.

enum { DEPTH = REACH_UNITS * REACH_PIECES + 2 };

struct branch {
  struct reach_choice choice;
  double bound;
};

// The unit whose force lies farthest outside its pieces, and the two groups into which they fall; -1: none.
static int unit_outside(const struct reach *reach, const struct reach_choice *choice, double (*force_n)[2],
                        unsigned groups[2]) {
  double farthest_n = 0;
  int found = -1;
  for (int i = 0; i < reach->unit_count; i++) {
    unsigned two[2];
    double outside_n;
    if (!reach_holds(&reach->unit[i], choice->pieces[i], force_n[i], &outside_n, two) &&
        (found < 0 || outside_n > farthest_n))
      farthest_n = outside_n, found = i, groups[0] = two[0], groups[1] = two[1];
  }
  return found;
}

static enum reach_end reach_relaxed(const struct reach *reach, const struct reach_choice *choice,
                                    const double fixed[3], const double load[3], double tolerance,
                                    struct reach_answer *answer);

static void search(const struct reach *reach, const double fixed[3], const double load[3], double tolerance,
                   struct reach_answer *best) {
  struct branch open[DEPTH];
  struct reach_answer node;
  double bound = 0;
  int count = 1, found = 0;
  for (int i = 0; i < REACH_UNITS; i++)
    open[0].choice.pieces[i] = ~0u;
  open[0].bound = HUGE_VAL;
  node.pivots = 0;
  while (count > 0) {
    struct branch branch = open[--count];
    if (found && branch.bound <= best->margin * (1 + 2 * tolerance)) {
      bound = fmax(bound, branch.bound);
      continue;
    }
    if (best->nodes == REACH_NODES) {
      bound = fmax(bound, branch.bound);
      best->end = REACH_BRACKET;
      continue;
    }
    best->nodes++;
    enum reach_end end = reach_relaxed(reach, &branch.choice, fixed, load, tolerance, &node);
    best->pivots += node.pivots;
    node.pivots = 0;
    if (end == REACH_FAILED) {
      best->end = REACH_FAILED;
      return;
    }
    if (end == REACH_NOT_HELD)
      continue;
    unsigned groups[2];
    int unit = found && node.bound <= best->margin * (1 + 2 * tolerance)
                   ? -1
                   : unit_outside(reach, &branch.choice, node.force_n, groups);
    if (unit < 0) {
      bound = fmax(bound, node.bound);
      if (!found || node.margin > best->margin) {
        best->margin = node.margin;
        memcpy(best->force_n, node.force_n, sizeof node.force_n);
      }
      found = 1;
      continue;
    }
    for (int g = 0; g < 2; g++) {
      open[count] = (struct branch){branch.choice, fmin(branch.bound, node.bound)};
      open[count++].choice.pieces[unit] = groups[g];
    }
  }
  best->bound = bound;
  if (!found && best->end == REACH_FOUND)
    best->end = REACH_NOT_HELD;
}

static int is_zero(const double w[3]) {
  return w[0] == 0 && w[1] == 0 && w[2] == 0;
}

void reach_solve(const struct reach *reach, const double fixed[3], const double load[3], double tolerance,
                 struct reach_answer *answer) {
  memset(answer, 0, sizeof *answer);
  const double *shift = fixed && !is_zero(fixed) ? fixed : NULL;
  for (int i = 0; i < 3; i++)
    if (!isfinite(load[i]) || (shift && !isfinite(shift[i]))) {
      answer->end = REACH_FAILED;
      return;
    }
  if (shift) { // the fixed forces must be held by themselves
    search(reach, NULL, shift, tolerance, answer);
    if (answer->end == REACH_FAILED)
      return;
    int pivots = answer->pivots, nodes = answer->nodes, held = answer->margin >= 1 - tolerance;
    if (held && is_zero(load)) {
      answer->end = REACH_WITHOUT_LOAD;
      answer->margin = answer->bound = HUGE_VAL;
      return;
    }
    memset(answer, 0, sizeof *answer);
    answer->pivots = pivots, answer->nodes = held ? 0 : nodes;
    if (!held) {
      answer->end = REACH_NOT_HELD;
      return;
    }
  } else if (is_zero(load)) {
    answer->end = REACH_WITHOUT_LOAD;
    answer->margin = answer->bound = HUGE_VAL;
    return;
  }
  search(reach, shift, load, tolerance, answer);
  if (answer->end == REACH_FAILED)
    answer->margin = 0, answer->bound = HUGE_VAL;
}

// ------------------------------------------------------------
// The linear programme: the largest k with k d in the hull of W, by the revised simplex method with implicit
// columns. All quantities here are scaled: forces by the sum of the largest thrusts, moments by that times
// LEVER_M.
//
// Primal: k and the weights of the points w of W, with sum weight w = k d, sum weight = 1. A basis holds k
// and three points. Dual: the plane l through the three points with l.d = 1; its height is s = l.w = k. For
// every l with l.d = 1 the margin is at most h(l), the largest l.w over W, which one call of reach_support
// gives. Its point enters the basis if h(l) > s, and leaves a proven gap h(l) - s otherwise.
//
// Weights are quotients of volumes: with the point p of the plane and n = (w2 - w1) x (w3 - w1), the weight
// of w1 is d.((w2 - p) x (w3 - p))/(d.n). The start are three points START along the axes; a solution that
// needs them is none. Against cycling d is disturbed; the last basis is solved again with d itself. Beside a
// thruster that gives next to nothing the disturbance can exceed what that gives: then the last basis does
// not hold d, the margin is what its forces give along d, and another disturbance is tried. Every plane
// bounds.
//
// With fixed forces f the margin is the largest root of g(k) = 1, where g(k) is the reciprocal margin of the
// wrench f + k d from zero: a convex function, whose slope the dual gives. Newton's method from above falls
// to that root, each of its steps a bound.

static const double LEVER_M = 45, START = 1e-9, ROUNDING = 1e-14;
static const double DISTURBANCES[] = {1e-11, -1e-11, 1e-13, 0}; // one after the other, until the gap is small
static const double ALIEN = 1e-8; // part of the load that the points of the start may carry
static const double ASIDE = 1e-8; // part of the wrench that may miss the direction of the load
static const double SMALL_GAP = 1e-9;
enum { NEWTON_STEPS = 60, DISTURBANCE_COUNT = sizeof DISTURBANCES / sizeof *DISTURBANCES };

struct column {
  vec3 w;
  int alien; // a point of the start
  double force_n[REACH_UNITS][2];
};

struct scale {
  double force_n, moment_nm;
};

static vec3 scaled(const struct scale *s, const double w[3]) {
  return (vec3){w[0] / s->force_n, w[1] / s->force_n, w[2] / s->moment_nm};
}

static struct scale scale_of(const struct reach *reach) {
  double sum = 0;
  for (int i = 0; i < reach->unit_count; i++) {
    double largest = 0;
    for (int j = 0; j < reach->unit[i].point_count; j++) {
      const double *v = reach->unit[i].point_n[j];
      largest = fmax(largest, sqrt(v[0] * v[0] + v[1] * v[1]));
    }
    sum += largest;
  }
  return (struct scale){sum, sum * LEVER_M};
}

static double farthest(const struct reach *reach, const struct reach_choice *choice, const struct scale *s,
                       vec3 l, struct column *out) {
  double direction[3] = {l.x / s->force_n, l.y / s->force_n, l.z / s->moment_nm}, w[3] = {0, 0, 0};
  double value = reach_support(reach, choice->pieces, direction, out->force_n);
  for (int i = 0; i < reach->unit_count; i++) {
    const double *f = out->force_n[i], *place = reach->unit[i].place_m;
    w[0] += f[0], w[1] += f[1], w[2] += place[0] * f[1] - place[1] * f[0];
  }
  out->w = scaled(s, w);
  out->alien = 0;
  return value;
}

// The point of the basis that is nearest to zero. Beside points of the start the others are far away: only
// differences from the nearest keep the digits of the small ones, and so of a small height.
static int nearest_of(const struct column *b) {
  int nearest = 0;
  for (int i = 1; i < 3; i++)
    if (vec3_norm(b[i].w) < vec3_norm(b[nearest].w))
      nearest = i;
  return nearest;
}

static vec3 normal_of(const struct column *b) {
  int i = nearest_of(b);
  return vec3_cross(vec3_sub(b[(i + 1) % 3].w, b[i].w), vec3_sub(b[(i + 2) % 3].w, b[i].w));
}

// Weights of the basis with which p, moved along d, becomes a point of its plane.
static void weights_of(const struct column *b, vec3 d, vec3 p, double weight[3]) {
  double volume = vec3_dot(normal_of(b), d);
  for (int i = 0; i < 3; i++) {
    vec3 side = vec3_sub(b[(i + 1) % 3].w, p), other = vec3_sub(b[(i + 2) % 3].w, p);
    weight[i] = vec3_dot(vec3_cross(side, other), d) / volume;
  }
}

static void start_basis(struct column *b, vec3 d) {
  memset(b, 0, 3 * sizeof *b);
  b[0].w.x = d.x < 0 ? -START : START;
  b[1].w.y = d.y < 0 ? -START : START;
  b[2].w.z = d.z < 0 ? -START : START;
  for (int i = 0; i < 3; i++)
    b[i].alien = 1;
}

static double size_of(const struct column *b) {
  return fmax(fmax(vec3_norm(b[0].w), vec3_norm(b[1].w)), vec3_norm(b[2].w));
}

// The farthest point is one of the plane itself: what its value exceeds the height by is rounding.
static int is_in_basis(const struct column *b, vec3 w) {
  for (int i = 0; i < 3; i++)
    if (b[i].w.x == w.x && b[i].w.y == w.y && b[i].w.z == w.z)
      return 1;
  return 0;
}

// A ray from zero: the margin of the unit vector d, and the plane that proves the bound.
struct ray {
  double margin, bound;
  vec3 plane; // l, with l.d = 1
  int alien;  // needs the points of the start
  double force_n[REACH_UNITS][2];
};

// What the forces of the basis give along d is the margin; nothing, if it is not along d.
static int finish_ray(const struct reach *reach, const struct reach_choice *choice, const struct scale *s,
                      struct column *b, vec3 d, struct ray *ray) {
  vec3 n = normal_of(b), w = {0, 0, 0};
  double volume = vec3_dot(n, d), weight[3], sum = 0, alien = 0;
  ray->plane = vec3_scale(1 / volume, n);
  double height = vec3_dot(ray->plane, b[nearest_of(b)].w);
  weights_of(b, d, vec3_scale(height, d), weight);
  for (int i = 0; i < 3; i++)
    weight[i] = fmax(weight[i], 0), sum += weight[i];
  for (int i = 0; i < 3; i++) {
    weight[i] /= sum;
    w = vec3_add(w, vec3_scale(weight[i], b[i].w));
    alien += b[i].alien ? weight[i] * START : 0;
  }
  for (int i = 0; i < reach->unit_count; i++)
    for (int a = 0; a < 2; a++)
      ray->force_n[i][a] =
          weight[0] * b[0].force_n[i][a] + weight[1] * b[1].force_n[i][a] + weight[2] * b[2].force_n[i][a];
  ray->bound = fmax(height, farthest(reach, choice, s, ray->plane, &b[3]));
  ray->alien = alien > ALIEN * height;
  ray->margin = height;
  double along = vec3_dot(w, d);
  if (!ray->alien && vec3_norm(vec3_sub(w, vec3_scale(along, d))) > ASIDE * along)
    ray->margin = 0, memset(ray->force_n, 0, sizeof ray->force_n);
  else if (!ray->alien && along < height * (1 - SMALL_GAP))
    ray->margin = along;
  return isfinite(height) && isfinite(ray->bound) && sum > 0.5 && sum < 1.5;
}

static int cast_disturbed(const struct reach *reach, const struct reach_choice *choice, const struct scale *s,
                          vec3 d, vec3 moved, double tolerance, int *pivots, struct ray *ray) {
  struct column b[4];
  start_basis(b, moved);
  for (int pivot = 0; pivot < REACH_PIVOTS; pivot++, ++*pivots) {
    vec3 n = normal_of(b), l = vec3_scale(1 / vec3_dot(n, moved), n);
    double height = vec3_dot(l, b[nearest_of(b)].w), value = farthest(reach, choice, s, l, &b[3]);
    if (!isfinite(height) || !isfinite(value))
      return 0;
    if (value - height <= tolerance * value + ROUNDING * vec3_norm(l) * size_of(b) || is_in_basis(b, b[3].w))
      return finish_ray(reach, choice, s, b, d, ray);
    double weight[3], change[3], least = HUGE_VAL;
    weights_of(b, moved, vec3_scale(height, moved), weight);
    weights_of(b, moved, b[3].w, change);
    int leaves = -1;
    for (int i = 0; i < 3; i++)
      if (change[i] > 0 && fmax(weight[i], 0) / change[i] < least)
        least = fmax(weight[i], 0) / change[i], leaves = i;
    if (leaves < 0)
      return 0;
    b[leaves] = b[3];
  }
  return 0;
}

static int cast_ray(const struct reach *reach, const struct reach_choice *choice, const struct scale *s,
                    vec3 d, double tolerance, int *pivots, struct ray *ray) {
  int found = 0;
  struct ray other;
  for (int i = 0; i < DISTURBANCE_COUNT; i++) {
    double by = DISTURBANCES[i];
    vec3 moved = vec3_add(d, (vec3){by, 2 * by, 3 * by});
    if (!cast_disturbed(reach, choice, s, d, moved, tolerance, pivots, &other))
      continue;
    double bound = found ? fmin(ray->bound, other.bound) : other.bound;
    if (!found || (!other.alien && other.margin > ray->margin))
      *ray = other;
    ray->bound = fmax(bound, ray->margin);
    found = 1;
    if (ray->alien || ray->bound - ray->margin <= fmax(SMALL_GAP, 2 * tolerance) * ray->bound)
      break;
  }
  return found;
}

static enum reach_end ray_from_fixed(const struct reach *reach, const struct reach_choice *choice,
                                     const struct scale *s, vec3 fixed, vec3 d, double tolerance,
                                     struct reach_answer *answer) {
  struct ray ray;
  double k = 100 * (1 + vec3_norm(fixed));
  for (int i = 0; i < NEWTON_STEPS; i++) {
    vec3 to = vec3_add(fixed, vec3_scale(k, d));
    double length = vec3_norm(to);
    if (length == 0) { // zero belongs to every set
      answer->margin = answer->bound = k;
      memset(answer->force_n, 0, sizeof answer->force_n);
      return REACH_FOUND;
    }
    vec3 unit = vec3_scale(1 / length, to);
    if (!cast_ray(reach, choice, s, unit, 0.1 * tolerance, &answer->pivots, &ray))
      return REACH_FAILED;
    double slope = vec3_dot(ray.plane, d), next = (ray.bound - vec3_dot(ray.plane, fixed)) / slope;
    // A step that does not go down shows that k is the root: to the gap of the plane, which rounding may
    // widen, and to the points of the start, where the ray leaves the set close to zero.
    if ((!ray.alien && ray.margin >= length * (1 - tolerance)) || (slope > 0 && next >= k * (1 - 1e-12))) {
      double share = length / ray.margin,
             lent = ray.alien ? fmin(k, 2 * START * vec3_norm(ray.plane) / slope) : 0;
      answer->bound = k;
      answer->margin = (k - lent) * fmin(1 - tolerance, ray.margin / length);
      for (int j = 0; j < reach->unit_count; j++)
        for (int a = 0; a < 2; a++)
          answer->force_n[j][a] = share * ray.force_n[j][a];
      return REACH_FOUND;
    }
    if (!(slope > 0) || !(next >= 0))
      return REACH_NOT_HELD;
    k = next;
  }
  return REACH_FAILED;
}

// One linear programme: the hulls of the chosen pieces. The answer's bound is proven for these hulls;
// its forces may lie between pieces.
static enum reach_end reach_relaxed(const struct reach *reach, const struct reach_choice *choice,
                                    const double fixed[3], const double load[3], double tolerance,
                                    struct reach_answer *answer) {
  struct scale s = scale_of(reach);
  memset(answer->force_n, 0, sizeof answer->force_n);
  answer->margin = answer->bound = 0;
  if (!(s.force_n > 0))
    return fixed ? REACH_NOT_HELD : REACH_FOUND;
  vec3 d = scaled(&s, load);
  double length = vec3_norm(d);
  d = vec3_scale(1 / length, d);
  enum reach_end end = REACH_FOUND;
  if (fixed) {
    end = ray_from_fixed(reach, choice, &s, scaled(&s, fixed), d, tolerance, answer);
  } else {
    struct ray ray;
    if (!cast_ray(reach, choice, &s, d, tolerance, &answer->pivots, &ray))
      return REACH_FAILED;
    answer->margin = ray.alien ? 0 : ray.margin;
    answer->bound = ray.bound;
    if (!ray.alien)
      memcpy(answer->force_n, ray.force_n, sizeof ray.force_n);
  }
  answer->margin /= length;
  answer->bound /= length;
  return end;
}
