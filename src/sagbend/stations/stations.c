// Waves along the pipe, from stations in windows of time.
//
// Windows last 0.2 s near the surface and longer below, where the short waves are not felt: those with k
// times depth above 3 do not count, so that frequency times window stays below 0.7. The error of the velocity
// is at most
//   sum a w C [ (w' W)^4/384 + (k x)^2/2 + k x (w W)^2/8 ],   w' = w - k.V,
// W the window, V the velocity of the station, x the way to the node, which is that of an acceleration over a
// window: centimetres. docs/model-sea.md has the errors measured.
#include "sagbend/stations/stations.h"
#include "sagbend/stations/stations_internal.h"

#include <math.h>
#include <string.h>

static const double SHORTEST_S = 0.2, LONGEST_S = 0.8, WINDOW_S = 0.4, WINDOW_DEPTH_M = 10; // at this depth
static const double WINDOW_PART_S = 0.02; // windows are multiples of it
static const double TOP_S = 0.05;         // window of a moved top, whose acceleration is part of its tension
static const double STAGGER_S = 0.01;     // between the first windows of the nodes
static const double FARTHEST_M = 2;       // from a station to its node
static const double CREST_M = 1;          // above the highest crest: nodes that stay dry
static const double KNOWN_S = 10;         // window of a state from a file: some steps

static double *take(struct arena *memory, size_t stride) {
  double *array = arena_take(memory, stride + PIPE_LEAD, sizeof(double));
  return array ? array + PIPE_LEAD : NULL;
}

enum { KEYS = 8, SUMS = SEA_COLUMN + 4 * 3 + 2 * 9 + 4 + 2 * 2, ROWS = KEYS + SUMS };

// The arrays of a node: keys first, then the sums.
static void rows_of(const struct stations *c, double *row[ROWS]) {
  memcpy(row, c->key, sizeof c->key), row += KEYS;
  memcpy(row, c->last, sizeof c->last), row += SEA_COLUMN;
  memcpy(row, c->velocity, sizeof c->velocity), row += 12;
  memcpy(row, c->gradient, sizeof c->gradient), row += 18;
  memcpy(row, c->surface, sizeof c->surface), row += 4;
  memcpy(row, c->slope, sizeof c->slope);
}

void stations_create(struct stations *c, const struct pipe *p, struct arena *memory) {
  *c = (struct stations){.first = 0};
  if (!p->in_sea)
    return;
  double **const parts[] = {c->key,     c->last,         &c->velocity[0][0], &c->gradient[0][0],
                            c->surface, &c->slope[0][0], c->water_n};
  const int counts[] = {KEYS, SEA_COLUMN, 12, 18, 4, 4, 3};
  for (int k = 0; k < 7; k++)
    for (int i = 0; i < counts[k]; i++)
      parts[k][i] = take(memory, p->stride);
}

// ---- The sums of a window ----

// A window of a node, as in the state.
struct window {
  double begin_s, end_s;
  vec3 from, to;
};

static struct window window_of(const struct pipe_state *s, int i) {
  return (struct window){s->station_s[0][i], s->station_s[1][i], pipe_get3(s->station_n, i),
                         pipe_get3(s->station_n + 3, i)};
}

static void set_key(struct stations *c, int i, const struct window *x) {
  const double key[KEYS] = {x->begin_s, x->end_s, x->from.x, x->from.y, x->from.z, x->to.x, x->to.y, x->to.z};
  for (int k = 0; k < KEYS; k++)
    c->key[k][i] = key[k];
}

// Cubic with these values and rates at its ends, over a length.
static void set_cubic(double *const to[], int stride, int i, double from, double from_rate, double end,
                      double end_rate, double length) {
  const double a = from_rate * length, b = end_rate * length;
  to[0][i] = from, to[stride][i] = a;
  to[2 * stride][i] = 3 * (end - from) - (2 * a + b);
  to[3 * stride][i] = 2 * (from - end) + (a + b);
}

// Fills the polynomials of a window from the motion at its ends.
static void set_window(struct stations *c, int i, const struct window *x, const struct sea_column *at0,
                       const struct sea_column *at1) {
  const double length = x->end_s - x->begin_s;
  double v[3];
  vec3_to(vec3_scale(1 / length, vec3_sub(x->to, x->from)), v);
  for (int k = 0; k < 3; k++) {
    double rate0 = at0->rate[k], rate1 = at1->rate[k];
    for (int j = 0; j < 3; j++) {
      rate0 += at0->gradient[k][j] * v[j], rate1 += at1->gradient[k][j] * v[j];
      c->gradient[0][3 * k + j][i] = at0->gradient[k][j];
      c->gradient[1][3 * k + j][i] = at1->gradient[k][j] - at0->gradient[k][j];
    }
    set_cubic(&c->velocity[0][k], 3, i, at0->velocity[k], rate0, at1->velocity[k], rate1, length);
  }
  double rate0 = at0->surface_rate, rate1 = at1->surface_rate;
  for (int j = 0; j < 2; j++) {
    rate0 += at0->slope[j] * v[j], rate1 += at1->slope[j] * v[j];
    c->slope[0][j][i] = at0->slope[j], c->slope[1][j][i] = at1->slope[j] - at0->slope[j];
  }
  set_cubic(c->surface, 1, i, at0->surface, rate0, at1->surface, rate1, length);

  double last[SEA_COLUMN];
  memcpy(last, at1, sizeof last);
  for (int k = 0; k < SEA_COLUMN; k++)
    c->last[k][i] = last[k];
  set_key(c, i, x);
}

static void clear_node(struct stations *c, int i) {
  double *row[ROWS];
  rows_of(c, row);
  for (int k = 0; k < ROWS; k++)
    row[k][i] = 0;
}

static void sum_window(const struct sea_field *field, struct stations *c, int i, const struct window *x) {
  const struct sea_column at0 = sea_column_at(field, x->begin_s, x->from),
                          at1 = sea_column_at(field, x->end_s, x->to);
  set_window(c, i, x, &at0, &at1);
}

// Shifts the sums with the nodes where laid pipe has retired or returned.
static void shift_nodes(const struct pipe_mesh *p, struct stations *c) {
  const int by = p->first - c->first, most = (int)p->pipe->stride - PIPE_LEAD;
  double *row[ROWS];
  c->first = p->first;
  if (by >= most || by <= -most)
    return; // none of the nodes is left
  rows_of(c, row);
  for (int k = 0; k < ROWS; k++)
    if (by > 0)
      memmove(row[k], row[k] + by, (size_t)(most - by) * sizeof(double));
    else if (by < 0)
      memmove(row[k] - by, row[k], (size_t)(most + by) * sizeof(double));
}

// Of the nodes from i on: those whose sums are not those of the state.
KERNEL_INLINE void stale_nodes(lane_mask *stale, const struct pipe_state *s, const struct stations *c,
                               int i) {
  const double *const state[KEYS] = {s->station_s[0], s->station_s[1], s->station_n[0], s->station_n[1],
                                     s->station_n[2], s->station_n[3], s->station_n[4], s->station_n[5]};
  *stale = (lane_mask){0};
  for (int k = 0; k < KEYS; k++) {
    lanes a, b;
    lanes_load(&a, state[k] + i), lanes_load(&b, c->key[k] + i);
    *stale |= a != b;
  }
}

static void renew_sums(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                       struct stations *c, int first, const lane_mask *stale) {
  for (int k = 0; k < LANES; k++) {
    const struct window x = window_of(s, first + k);
    if (!(*stale)[k])
      continue;
    if (x.end_s > x.begin_s && first + k < p->nodes)
      sum_window(field, c, first + k, &x);
    else
      clear_node(c, first + k), set_key(c, first + k, &x);
  }
}

void stations_follow(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                     struct stations *c) {
  if (!p->pipe->in_sea)
    return;
  if (c->first != p->first)
    shift_nodes(p, c);
  for (int i = 0; i < p->nodes; i += LANES) {
    lane_mask stale;
    stale_nodes(&stale, s, c, i);
    if (lanes_any(&stale))
      renew_sums(field, p, s, c, i, &stale);
  }
}

// ---- The windows of a step ----

static double window_length(double depth_m) {
  const double length = depth_m > 0 ? WINDOW_S * sqrt(depth_m / WINDOW_DEPTH_M) : 0,
               parts = floor(length / WINDOW_PART_S) * WINDOW_PART_S;
  return parts < SHORTEST_S ? SHORTEST_S : parts > LONGEST_S ? LONGEST_S : parts;
}

// Steps of the next window; the first of a node is a part of one, so that the windows end in turn.
static double window_steps(const struct pipe_mesh *p, int i, double depth_m, double step_s, int is_first) {
  double length = p->top_moved && i == p->nodes - 1 ? TOP_S : window_length(depth_m);
  if (is_first)
    length = STAGGER_S * (1 + (7 * (p->first + i)) % (int)(length / STAGGER_S + 0.5));
  const double steps = floor(length / step_s + 0.5);
  return steps > 1 ? steps : 1;
}

// Gives node i its next window, or none. is_straight: it continues the one that ends now.
static void next_window(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                        struct stations *c, int i, int is_wanted, int is_straight, double time_s,
                        double step_s) {
  const struct window before = window_of(s, i);
  const int was_set = before.end_s > before.begin_s;
  struct window x = {0};
  if (is_wanted) {
    const vec3 at = pipe_get3(s->r_n, i), v = pipe_get3(s->v_n, i);
    const double steps = window_steps(p, i, at.z, step_s, !was_set);
    x.begin_s = is_straight ? before.end_s : time_s;
    x.end_s = (floor(time_s / step_s + 0.5) + steps) * step_s;
    x.from = is_straight ? before.to : at;
    x.to = vec3_axpy(x.end_s - time_s, v, at);
    const struct sea_column last = sea_column_at(field, x.end_s, x.to);
    struct sea_column first;
    if (is_straight) {
      double sums[SEA_COLUMN];
      for (int k = 0; k < SEA_COLUMN; k++)
        sums[k] = c->last[k][i];
      memcpy(&first, sums, sizeof first);
    } else {
      first = sea_column_at(field, x.begin_s, x.from);
    }
    set_window(c, i, &x, &first, &last);
  } else {
    clear_node(c, i);
  }
  s->station_s[0][i] = x.begin_s, s->station_s[1][i] = x.end_s;
  pipe_set3(s->station_n, i, x.from);
  pipe_set3(s->station_n + 3, i, x.to);
}

// Where the waves move the water or wet the pipe.
KERNEL_INLINE void wanted_nodes(lane_mask *wanted, const struct sea_field *field, const struct pipe_mesh *p,
                                const struct pipe_state *s, int i) {
  const double radius = p->pipe->buoyant_npm3 > 0 ? p->pipe->widest_m : 0,
               dry = -(SEA_CREST_SHARE * field->height_m + radius + CREST_M);
  lanes before, at, after;
  lanes_load(&before, s->r_n[2] + i - 1), lanes_load(&at, s->r_n[2] + i),
      lanes_load(&after, s->r_n[2] + i + 1);
  *wanted = (at < field->depth_limit_m) & ((before > dry) | (at > dry) | (after > dry));
  lane_mask own;
  lanes_within(&own, i, 0, p->nodes - 1);
  *wanted &= own;
}

KERNEL_CLONES
void stations_begin(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                    struct stations *c, double time_s, double step_s) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct station_lanes x;
    struct lanes3 at;
    lanes begin, end;
    lane_mask wanted;
    L3_LOAD(at, s->r_n, i);
    station_lanes_of(&x, s, i, time_s, &at);
    lanes_load(&begin, s->station_s[0] + i), lanes_load(&end, s->station_s[1] + i);
    wanted_nodes(&wanted, field, p, s, i);
    const lane_mask ended = (end <= time_s + 0.5 * step_s) | (begin > time_s + 0.5 * step_s),
                    far = L3_DOT(x.away, x.away) > FARTHEST_M * FARTHEST_M;
    const lane_mask next = (wanted & (~x.is_set | ended | far)) | (~wanted & x.is_set & (ended | far));
    if (!lanes_any(&next))
      continue;
    for (int k = 0; k < LANES; k++)
      if (next[k])
        next_window(field, p, s, c, i + k, wanted[k] != 0,
                    x.is_set[k] && !far[k] && fabs(end[k] - time_s) <= 0.5 * step_s, time_s, step_s);
  }
}

int stations_are_valid(int nodes, const struct pipe_state *s, struct reason *why) {
  for (int i = 0; i < nodes; i++) {
    const double length = s->station_s[1][i] - s->station_s[0][i];
    if (!(length >= 0 && length <= KNOWN_S))
      return valid_fail(why, "station_s: node %d: a window of 0 to %g s expected, got %g s", i, KNOWN_S,
                        length);
  }
  return 1;
}

// ------------------------------------------------------------
// What a step takes from the stations: velocities, the surface, and the force of the accelerating water.
//
// Over a step of length h water of velocity u(x, t) that the waves move pushes a node with
//   F = wet share [ m_across a_across + m_along a_along ],   a = (u(t + h) - u(t))/h,
// the mass of the displaced water plus the added mass in each direction: the pressure gradient that
// accelerates the water (Froude and Krylov), and the added mass on the relative acceleration. It is a
// constant force of the conservative part of the step, so that neighbours and rollers that hold a node
// against it do so within one balance. Place, axis and wet share are those of the middle of the step as the
// velocities predict it; those of its start would make the step one of first order.

KERNEL_CLONES
void stations_flow(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                   struct stations *c, double time_s) {
  const double factor = sea_field_factor(field, time_s);
  for (int i = 0; i < p->nodes; i += LANES) {
    struct station_lanes x;
    struct lanes3 at, u = {{0}, {0}, {0}};
    lanes end;
    lanes_load(&end, s->station_s[1] + i);
    const lane_mask is_set = end > 0;
    if (lanes_any(&is_set)) {
      L3_LOAD(at, s->r_n, i);
      station_lanes_of(&x, s, i, time_s, &at);
      station_water(&u, c, &x, i);
      u = (struct lanes3)L3_SCALE(factor, u);
    }
    L3_STORE(c->water_n, i, u);
  }
}

vec3 stations_velocity(const struct sea_field *field, const struct pipe_state *s, const struct stations *c,
                       int i, double time_s) {
  const double begin = s->station_s[0][i], length = s->station_s[1][i] - begin;
  if (!(length > 0))
    return (vec3){0, 0, 0};
  const double x = (time_s - begin) / length, factor = sea_field_factor(field, time_s);
  const vec3 from = pipe_get3(s->station_n, i), to = pipe_get3(s->station_n + 3, i);
  double away[3], u[3];
  vec3_to(vec3_sub(pipe_get3(s->r_n, i), vec3_axpy(x, vec3_sub(to, from), from)), away);
  for (int k = 0; k < 3; k++) {
    u[k] = c->velocity[0][k][i] +
           x * (c->velocity[1][k][i] + x * (c->velocity[2][k][i] + x * c->velocity[3][k][i]));
    for (int j = 0; j < 3; j++)
      u[k] += (c->gradient[0][3 * k + j][i] + x * c->gradient[1][3 * k + j][i]) * away[j];
  }
  return vec3_scale(factor, vec3_of(u));
}

// Axis of the nodes from i on in the middle of a step: t1 + h/2 (W3 t2 - W2 t3).
KERNEL_INLINE void middle_axis(struct lanes3 *axis, const struct pipe_state *s, int i, double half_s) {
  lanes w, x, y, z, turn2, turn3;
  lanes_load(&w, s->q_nt[0] + i), lanes_load(&x, s->q_nt[1] + i);
  lanes_load(&y, s->q_nt[2] + i), lanes_load(&z, s->q_nt[3] + i);
  lanes_load(&turn2, s->omega_t[1] + i), lanes_load(&turn3, s->omega_t[2] + i);
  turn2 = -half_s * turn2, turn3 = half_s * turn3;
  const struct lanes3 t1 = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      t2 = {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      t3 = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
  *axis = (struct lanes3)L3_AXPY(turn3, t2, t1);
  *axis = (struct lanes3)L3_AXPY(turn2, t3, *axis);
}

KERNEL_CLONES
void stations_push(const struct sea_field *field, const struct pipe_mesh *p, const struct pipe_state *s,
                   const struct stations *c, double time_s, double step_s, double *const force_n[3]) {
  const double before = sea_field_factor(field, time_s) / step_s,
               after = sea_field_factor(field, time_s + step_s) / step_s, half_s = 0.5 * step_s;
  const int first = p->held_position ? 1 : 0;
  const int last = p->top_attached || p->top_moved ? p->nodes - 2 : p->nodes - 1;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct station_lanes x;
    struct lanes3 at, v, a, u, axis, force = {{0}, {0}, {0}};
    lanes along, mass, wet, end;
    lane_mask own;
    lanes_load(&end, s->station_s[1] + i);
    lanes_within(&own, i, first, last);
    own &= end > 0;
    if (lanes_any(&own)) {
      L3_LOAD(at, s->r_n, i);
      L3_LOAD(v, s->v_n, i);
      at = (struct lanes3)L3_AXPY(half_s, v, at);
      station_lanes_of(&x, s, i, time_s, &at);
      station_water_change(&a, c, &x, step_s, i);
      a = (struct lanes3)L3_SCALE(after, a);
      if (after != before) {
        const double rise = after - before;
        station_water(&u, c, &x, i);
        a = (struct lanes3)L3_AXPY(rise, u, a);
      }

      middle_axis(&axis, s, i, half_s);
      pipe_wet_shares(p, s, s->v_n[2], half_s, i, &wet);
      lanes_load(&mass, p->water_kg[1] + i);
      mass = mass * wet;
      force = (struct lanes3)L3_SCALE(mass, a);
      lanes_load(&along, p->water_kg[0] + i);
      mass = (along * wet - mass) * L3_DOT(axis, a);
      force = (struct lanes3)L3_AXPY(mass, axis, force);
      const lanes zero = {0};
      lanes_select(&force.x, &own, &force.x, &zero);
      lanes_select(&force.y, &own, &force.y, &zero);
      lanes_select(&force.z, &own, &force.z, &zero);
    }
    L3_STORE(force_n, i, force);
  }
}

// Elevation over the nodes from i on at the places `at`.
KERNEL_INLINE void station_surface(lanes *surface, const struct stations *c, const struct station_lanes *x,
                                   int i) {
  lanes c0, c1, c2, c3;
  lanes_load(&c0, c->surface[0] + i), lanes_load(&c1, c->surface[1] + i);
  lanes_load(&c2, c->surface[2] + i), lanes_load(&c3, c->surface[3] + i);
  *surface = ((c3 * x->share + c2) * x->share + c1) * x->share + c0;
  const lanes *const away[2] = {&x->away.x, &x->away.y};
  for (int j = 0; j < 2; j++) {
    lanes_load(&c0, c->slope[0][j] + i), lanes_load(&c1, c->slope[1][j] + i);
    *surface += (c0 + x->share * c1) * *away[j];
  }
}

KERNEL_CLONES
static void set_surface(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                        const struct stations *c, double time_s, double lead_s) {
  const double factor = sea_field_factor(field, time_s),
               deep = SEA_CREST_SHARE * field->height_m + p->pipe->widest_m;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct station_lanes x;
    struct lanes3 at, v;
    lanes end, before, after, surface = {0};
    lanes_load(&end, s->station_s[1] + i);
    L3_LOAD(at, s->r_n, i);
    lanes_load(&before, s->r_n[2] + i - 1), lanes_load(&after, s->r_n[2] + i + 1);
    const lane_mask is_near = (end > 0) & ((before < deep) | (at.z < deep) | (after < deep));
    if (lanes_any(&is_near)) {
      L3_LOAD(v, s->v_n, i);
      at = (struct lanes3)L3_AXPY(lead_s, v, at);
      station_lanes_of(&x, s, i, time_s, &at);
      station_surface(&surface, c, &x, i);
      surface = factor * surface;
    }
    lanes_store(s->surface_m[0] + i, &surface);
  }
}

double stations_raise(const struct sea_field *field, const struct pipe_mesh *p, struct pipe_state *s,
                      const struct stations *c, double time_s, double lead_s) {
  if (p->pipe->buoyant_npm3 == 0)
    return 0; // the buoyancy does not depend on the surface
  const double before = pipe_waterline_energy(p, s);
  set_surface(field, p, s, c, time_s, lead_s);
  return pipe_waterline_energy(p, s) - before;
}
