// The balance of one direction and one case, the search for its limits, and which failures leave less than
// the declared ones.
#include "lab/capability/capability.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-10, SCAN_MPS = 0.25, PIPE_STEP_MPS = 0.25;

// The pipe's pull between the currents for which it was solved.
static void external_at(const struct capability_model *m, int direction, double current_mps, double out[3]) {
  memcpy(out, m->fixed_b, 3 * sizeof *out);
  if (!m->with_pipe || m->has_current)
    return;
  double place = fmin(fmax(current_mps / PIPE_STEP_MPS, 0), 3);
  int i = place >= 2 ? 2 : (int)place;
  const double (*pull)[3] = m->pipe_b[direction];
  for (int k = 0; k < 3; k++)
    out[k] = pull[i][k] + (place - i) * (pull[i + 1][k] - pull[i][k]);
}

// The standard has y to port and moments counter-clockwise.
static void mirror(double w[3]) {
  w[1] = -w[1], w[2] = -w[2];
}

static double current_speed(const struct capability_model *m, const struct weather *weather) {
  return m->has_current ? m->current_mps : weather->current_mps;
}

struct capability_loads capability_loads_at(const struct capability_model *m, int direction,
                                            const struct weather *given) {
  struct capability_loads loads;
  struct weather acting = *given;
  const struct weather *weather = &acting;
  double rad = m->direction_rad[direction];
  acting.current_mps = current_speed(m, given);
  if (m->level == 1) {
    struct level1_loads one = level1_loads_of(&m->one.hull, weather, rad);
    memcpy(loads.wind, one.wind, sizeof loads.wind);
    memcpy(loads.current, one.current, sizeof loads.current);
    memcpy(loads.waves, one.waves, sizeof loads.waves);
    mirror(loads.wind), mirror(loads.current), mirror(loads.waves);
  } else {
    struct level2_loads two =
        level2_loads_of(&m->two, &m->drift[direction], weather, rad, m->has_current ? m->current_rad : rad);
    memcpy(loads.wind, two.wind, sizeof loads.wind);
    memcpy(loads.current, two.current, sizeof loads.current);
    memcpy(loads.waves, two.waves, sizeof loads.waves);
  }
  external_at(m, direction, weather->current_mps, loads.external);
  return loads;
}

static void demand_of(const struct capability_model *m, const struct capability_loads *loads, double d[3]) {
  for (int i = 0; i < 3; i++)
    d[i] = -m->factor * (loads->wind[i] + loads->current[i] + loads->waves[i]) - loads->external[i];
  if (m->level == 1)
    mirror(d);
}

static enum status set_of(struct capability_model *m, int c, int direction, const struct weather *weather,
                          struct reason *why) {
  if (m->level == 2)
    return level2_thrust(&m->config.sim.vessel.plant, m->cases[c].stopped, &m->cases[c].power,
                         current_speed(m, weather), &m->set, m->unit_of[c], why);
  level1_thrust(&m->one, &m->shapes[c], m->unit_of[c], weather, m->direction_rad[direction], &m->set);
  return STATUS_OK;
}

// The loads of one direction at one weather serve every case.
struct state {
  struct weather weather;
  double demand[3];
};

static struct state state_at(const struct capability_model *m, int direction, struct weather weather) {
  struct state s = {.weather = weather};
  struct capability_loads loads = capability_loads_at(m, direction, &weather);
  demand_of(m, &loads, s.demand);
  return s;
}

static enum status solve_at(struct capability_model *m, int c, int direction, const struct state *s,
                            double tolerance, struct reach_answer *answer, struct reason *why) {
  enum status status = set_of(m, c, direction, &s->weather, why);
  if (status != STATUS_OK)
    return status;
  reach_solve(&m->set, NULL, s->demand, tolerance, answer);
  if (answer->end == REACH_FOUND || answer->end == REACH_WITHOUT_LOAD)
    return STATUS_OK;
  return fail(why, STATUS_NOT_CONVERGED,
              "%s, direction %.0f degrees, wind %.4g m/s: the allocation has no "
              "solution within %d pivots and %d branches",
              m->cases[c].name, m->direction_rad[direction] * 180 / TRIG_PI, s->weather.wind_mps,
              REACH_PIVOTS, REACH_NODES);
}

static double utilisation(const struct reach_answer *a) {
  return a->margin > 0 ? 1 / a->margin : HUGE_VAL;
}

static void describe(const struct capability_model *m, int c, const struct reach_answer *a,
                     struct capability_point *p) {
  double u = utilisation(a);
  p->bound = a->margin > 0 && isfinite(a->margin) ? a->bound / a->margin - 1 : 0;
  for (int j = 0; j < m->set.unit_count; j++) {
    const struct reach_unit *unit = &m->set.unit[j];
    const struct thruster_def *t = &m->config.sim.vessel.plant.thruster[m->unit_of[c][j]];
    double share = reach_share(unit, a->force_n[j]), used = isfinite(u) ? u * share : share;
    p->share[m->unit_of[c][j]] = share;
    if (t->bus >= 0)
      p->bus_w[t->bus] += unit->power_w * used * sqrt(used) +
                          (m->level == 2 && t->drive == DRIVE_CPP ? t->power_zero_pitch * t->power_max_w : 0);
  }
}

// The weather between one that holds and one that does not.
static enum status bisect(struct capability_model *m, int c, int direction, double low, double high,
                          double *limit, struct reason *why) {
  struct reach_answer a;
  for (int i = 0; i < 14; i++) {
    double middle = 0.5 * (low + high);
    struct state s = state_at(m, direction, weather_at(middle));
    enum status status = solve_at(m, c, direction, &s, 1e-6, &a, why);
    if (status != STATUS_OK)
      return status;
    if (a.margin >= 1)
      low = middle;
    else
      high = middle;
  }
  *limit = 0.5 * (low + high);
  return STATUS_OK;
}

static enum status find_number(struct capability_model *m, int c, int direction, const struct state *numbers,
                               struct capability_point *p, struct reason *why) {
  struct reach_answer a, held = {0};
  for (int n = 1; n <= WEATHER_NUMBERS; n++) {
    enum status status = solve_at(m, c, direction, &numbers[n], TOLERANCE, &a, why);
    if (status != STATUS_OK)
      return status;
    double u = utilisation(&a);
    if (n == 1) // of a vessel that does not hold number 1: what is at its limit there
      held = a;
    if (u > 1) {
      p->next = u;
      break;
    }
    p->number = n, p->at = u, held = a;
  }
  // The set of the weather to which the forces belong.
  enum status status = set_of(m, c, direction, &numbers[p->number ? p->number : 1].weather, why);
  describe(m, c, &held, p);
  return status;
}

// Level 1 has no weather between the numbers: the wind follows from the two numbers beside the limit. Level 2
// looks at every quarter of a metre per second, because a stronger wind may be easier to hold.
static enum status find_limit(struct capability_model *m, int c, int direction, const struct state *scan,
                              int scan_count, struct capability_point *p, struct reason *why) {
  double last = weather_of(WEATHER_NUMBERS).wind_mps;
  struct reach_answer a;
  p->limit_mps = last;
  if (m->level == 1) {
    p->beyond = p->number == WEATHER_NUMBERS;
    return p->beyond ? STATUS_OK
                     : bisect(m, c, direction, weather_of(p->number).wind_mps,
                              weather_of(p->number + 1).wind_mps, &p->limit_mps, why);
  }
  for (int i = 0; i < scan_count; i++) {
    enum status status = solve_at(m, c, direction, &scan[i], 1e-4, &a, why);
    if (status != STATUS_OK)
      return status;
    if (a.margin >= 1)
      continue;
    if (i == 0) {
      p->limit_mps = 0;
      return STATUS_OK;
    }
    return bisect(m, c, direction, scan[i - 1].weather.wind_mps, scan[i].weather.wind_mps, &p->limit_mps,
                  why);
  }
  p->beyond = 1;
  return STATUS_OK;
}

const struct capability_point *capability_point_at(const struct capability_model *m, int c, int direction) {
  return &m->point[c * m->direction_count + direction];
}

enum status capability_solve(struct capability_model *m, struct reason *why) {
  enum { MOST = 200 };
  struct state *scan = malloc(MOST * sizeof *scan), numbers[WEATHER_NUMBERS + 1];
  enum status status = scan ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
  double last = weather_of(WEATHER_NUMBERS).wind_mps;
  int count = (int)ceil(last / SCAN_MPS) + 1;
  for (int d = 0; status == STATUS_OK && d < m->direction_count; d++) {
    for (int n = 1; n <= WEATHER_NUMBERS; n++)
      numbers[n] = state_at(m, d, weather_of(n));
    for (int i = 0; m->level == 2 && i < count; i++)
      scan[i] = state_at(m, d, weather_at(fmin(i * SCAN_MPS, last)));
    for (int c = 0; status == STATUS_OK && c < m->case_count; c++) {
      struct capability_point *p = &m->point[c * m->direction_count + d];
      status = find_number(m, c, d, numbers, p, why);
      if (status == STATUS_OK)
        status = find_limit(m, c, d, scan, count, p, why);
    }
  }
  free(scan);
  return status;
}

int capability_least(const struct capability_model *m, int first, int end, int near_bow) {
  int least = WEATHER_NUMBERS;
  for (int c = first; c < end; c++)
    for (int d = 0; d < m->direction_count; d++) {
      if (near_bow && fabs(trig_wrap(m->direction_rad[d])) > TRIG_PI / 6 + 1e-9)
        continue;
      int number = capability_point_at(m, c, d)->number;
      least = number < least ? number : least;
    }
  return least;
}

// ---- single failures beside the declared ones ----

static const double ROUNDING_MPS = 0.01;

double capability_declared_mps(const struct capability_model *m, int direction) {
  double least = HUGE_VAL;
  for (int c = 1; c < m->case_count; c++)
    if (m->cases[c].is_declared)
      least = fmin(least, capability_point_at(m, c, direction)->limit_mps);
  return least;
}

int capability_declared_number(const struct capability_model *m, int direction) {
  int least = WEATHER_NUMBERS;
  for (int c = 1; c < m->case_count; c++)
    if (m->cases[c].is_declared && capability_point_at(m, c, direction)->number < least)
      least = capability_point_at(m, c, direction)->number;
  return least;
}

int capability_is_worse(const struct capability_model *m, int c, int direction) {
  return c > 0 && m->declared_count > 0 && !m->cases[c].is_declared &&
         capability_point_at(m, c, direction)->limit_mps <
             capability_declared_mps(m, direction) - ROUNDING_MPS;
}

struct capability_worse capability_compare(const struct capability_model *m) {
  struct capability_worse worse = {0};
  int is_counted[CAPABILITY_DIRECTIONS] = {0};
  for (int c = 1; c < m->case_count; c++) {
    int any = 0;
    for (int d = 0; d < m->direction_count; d++) {
      if (!capability_is_worse(m, c, d))
        continue;
      const double by = capability_declared_mps(m, d) - capability_point_at(m, c, d)->limit_mps;
      any = 1;
      worse.directions += !is_counted[d];
      is_counted[d] = 1;
      if (by > worse.by_mps)
        worse.by_mps = by, worse.of_case = c, worse.direction = d;
    }
    worse.cases += any;
  }
  return worse;
}
