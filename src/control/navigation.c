#include "control/navigation.h"

#include "control/vote.h"
#include "core/math/so3.h"
#include "core/math/trig.h"

#include <math.h>
#include <string.h>

const char *instrument_use_name(enum instrument_use u) {
  static const char *const names[] = {"in use", "absent", "invalid", "old", "frozen", "rejected"};
  return (unsigned)u < USE_COUNT ? names[u] : "unknown";
}

int navigation_count(const struct navigation_state *s, const struct navigation_def *def, enum instrument kind,
                     enum instrument_use use) {
  int n = 0;
  for (int i = 0; i < def->count; i++)
    n += def->instrument[i].kind == kind && s->use[i] == (int32_t)use;
  return n;
}

// One sample's view.
struct looking {
  struct navigation_state *s;
  const struct navigation_def *def;
  const struct observer_def *observer;
  const struct reading *reading[MAX_INSTRUMENTS]; // NULL: the vessel has none of that name
  double time_s, dt_s;
};

static const struct reading *find_reading(const struct readings *r, const struct dp_instrument *d) {
  for (int i = 0; i < r->instrument_count; i++)
    if (r->instrument[i].kind == d->kind && strncmp(r->instrument[i].name, d->name, SIGNAL_NAME) == 0)
      return &r->instrument[i];
  return NULL;
}

static int finite_values(const struct reading *r) {
  for (int k = 0; k < instrument_channel_count(r->kind); k++)
    if (!isfinite(r->value[k]))
      return 0;
  return isfinite(r->time_s);
}

// The very same numbers for too long, while another instrument's change: the vessel is not simply at rest.
static int is_frozen(const struct looking *l, int i) {
  double limit = l->def->frozen_s;
  if (limit <= 0 || l->time_s - l->s->changed_s[i] <= limit)
    return 0;
  for (int k = 0; k < l->def->count; k++)
    if (k != i && l->s->sequence[k] && l->time_s - l->s->changed_s[k] <= limit)
      return 1;
  return 0;
}

// What an instrument says of itself, and whether it says anything new.
static enum instrument_use judge(struct looking *l, int i) {
  struct navigation_state *s = l->s;
  const struct reading *r = l->reading[i];
  s->fresh[i] = 0;
  if (!r)
    return USE_ABSENT;
  if (r->sequence == 0)
    return USE_OLD;
  if (!finite_values(r))
    return USE_INVALID;
  if (r->sequence != s->sequence[i]) {
    s->fresh[i] = 1;
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, all are finite
    if (!s->sequence[i] || memcmp(r->value, s->value[i], sizeof s->value[i]) != 0)
      s->changed_s[i] = l->time_s;
    s->sequence[i] = r->sequence;
    s->new_s[i] = l->time_s;
    memcpy(s->value[i], r->value, sizeof s->value[i]);
  }
  if (!r->valid)
    return USE_INVALID;
  if (l->time_s - s->new_s[i] > l->def->old_s || l->time_s - r->time_s > 2 * l->def->old_s)
    return USE_OLD;
  if (is_frozen(l, i))
    return USE_FROZEN;
  return USE_IN_USE;
}

// Those of a kind in use; votes on a channel, after subtracting near from angles. Returns how many are left.
static int vote_kind(struct looking *l, enum instrument kind, int channel, double limit, int angle,
                     int used[]) {
  double value[MAX_INSTRUMENTS], near = 0;
  int left = 0, any = 0;
  for (int i = 0; i < l->def->count; i++) {
    used[i] = l->def->instrument[i].kind == kind && l->s->use[i] == USE_IN_USE;
    value[i] = used[i] ? l->reading[i]->value[channel] /
                             (kind == INSTRUMENT_LOAD_CELL ? l->def->instrument[i].share : 1)
                       : 0;
    if (used[i] && angle && !any++)
      near = value[i];
    if (angle)
      value[i] = trig_wrap(value[i] - near);
  }
  vote(value, used, l->def->count, limit);
  for (int i = 0; i < l->def->count; i++) {
    if (l->def->instrument[i].kind == kind && l->s->use[i] == USE_IN_USE && !used[i]) {
      l->s->use[i] = USE_REJECTED;
      l->s->rejected += (uint64_t)l->s->fresh[i];
    }
    left += used[i];
  }
  return left;
}

// Mean of a channel over those used; of an angle about the first of them.
static double mean_of(const struct looking *l, const int used[], int channel, int angle) {
  double sum = 0, first = 0;
  int n = 0;
  for (int i = 0; i < l->def->count; i++) {
    if (!used[i])
      continue;
    double x = l->reading[i]->value[channel] /
               (l->def->instrument[i].kind == INSTRUMENT_LOAD_CELL ? l->def->instrument[i].share : 1);
    if (n++ == 0)
      first = x;
    sum += angle ? trig_wrap(x - first) : x - first;
  }
  return n ? first + sum / n : 0;
}

static void find_attitude(struct looking *l) {
  struct navigation_state *s = l->s;
  int used[MAX_INSTRUMENTS];
  vote_kind(l, INSTRUMENT_MOTION, 0, l->def->angle_limit_rad, 1, used);
  if (!vote_kind(l, INSTRUMENT_MOTION, 1, l->def->angle_limit_rad, 1, used))
    return; // the last ones stay
  for (int k = 0; k < 2; k++) {
    s->attitude[k] = trig_wrap(mean_of(l, used, k, 1));
    s->attitude_rate[k] = mean_of(l, used, 3 + k, 0);
  }
}

static void find_pull(struct looking *l) {
  struct navigation_state *s = l->s;
  int used[MAX_INSTRUMENTS];
  const struct navigation_def *d = l->def;
  if (vote_kind(l, INSTRUMENT_LOAD_CELL, 0, d->tension_limit_n, 0, used)) {
    s->tension_n = mean_of(l, used, 0, 0);
    s->tension_known = 1;
    s->tension_lost = 0;
  } else {
    s->tension_lost = s->tension_known || d->fallback == TENSION_FIXED;
    if (d->fallback == TENSION_FIXED)
      s->tension_n = d->fallback_n;
    else if (d->fallback == TENSION_NONE)
      s->tension_n = 0;
  }
  if (vote_kind(l, INSTRUMENT_HANGOFF_ANGLE, 0, d->angle_limit_rad, 1, used)) {
    s->inclination_rad = mean_of(l, used, 0, 1);
    s->azimuth_rad = trig_wrap(mean_of(l, used, 1, 1));
    s->angle_known = 1;
  } else if (!s->angle_known) {
    s->inclination_rad = d->fallback_inclination_rad;
    s->azimuth_rad = d->fallback_azimuth_rad;
  }
}

static void find_wind(struct looking *l, double filter_s) {
  struct navigation_state *s = l->s;
  int used[MAX_INSTRUMENTS];
  double sum[2] = {0, 0};
  int n = vote_kind(l, INSTRUMENT_WIND, 0, l->def->wind_limit_mps, 0, used);
  for (int i = 0; i < l->def->count; i++) {
    if (!used[i])
      continue;
    const double *v = l->reading[i]->value;
    sum[0] -= v[0] * trig_cos(v[1]) / n;
    sum[1] -= v[0] * trig_sin(v[1]) / n;
  }
  double share = !s->wind_known ? 1 : filter_s > 0 ? l->dt_s / (l->dt_s + filter_s) : 1;
  for (int k = 0; k < 2 && n; k++)
    s->wind_b[k] += share * (sum[k] - s->wind_b[k]);
  s->wind_known |= n > 0; // with none left the last one stays
}

static double heading_now(const struct looking *l) {
  return l->observer->present && l->s->ready ? trig_wrap(l->s->observer.eta[2] + l->s->observer.xi2[2])
                                             : l->s->eta[2];
}

// Where the prediction had the vessel when an instrument measured: position and heading with the waves.
static void predicted_at(const struct looking *l, double time_s, double y[3]) {
  const struct navigation_state *s = l->s;
  if (l->observer->present) {
    observer_measured_at(&s->observer, time_s, y);
    return;
  }
  double back = time_s - l->time_s;
  y[0] = s->eta[0] + back * s->velocity_n[0];
  y[1] = s->eta[1] + back * s->velocity_n[1];
  y[2] = s->eta[2] + back * s->heading_rate;
}

static void reject(struct looking *l, int i) {
  l->s->use[i] = USE_REJECTED;
  l->s->rejected += (uint64_t)l->s->fresh[i];
}

static void find_heading(struct looking *l) {
  struct navigation_state *s = l->s;
  int used[MAX_INSTRUMENTS], n = vote_kind(l, INSTRUMENT_GYRO, 0, l->def->heading_limit_rad, 1, used);
  double sum = 0, rate = 0, first = heading_now(l);
  if (!s->ready && n)
    first = mean_of(l, used, 0, 1);
  int left = 0;
  for (int i = 0; i < l->def->count; i++) {
    double y[3] = {0, 0, first};
    if (!used[i])
      continue;
    const struct reading *r = l->reading[i];
    if (s->ready)
      predicted_at(l, r->time_s, y);
    double off = trig_wrap(r->value[0] - y[2]);
    if (s->ready && l->def->heading_limit_rad > 0 && fabs(off) > l->def->heading_limit_rad) {
      reject(l, i);
      continue;
    }
    double sigma =
        l->def->instrument[i].sigma > 0 ? l->def->instrument[i].sigma : l->observer->heading_sigma_rad;
    if (s->ready && l->observer->present && s->fresh[i])
      observer_correct_heading(&s->observer, l->observer, off, sigma);
    sum += trig_wrap(r->value[0] + r->value[1] * (l->time_s - r->time_s) - first);
    rate += r->value[1];
    left++;
  }
  if (left) {
    s->eta[2] = trig_wrap(first + sum / left);
    s->heading_rate = rate / left;
  } else {
    s->heading_rate = 0;
  }
}

// The reference point's position and velocity by an antenna's; down too.
static void fix_of(const struct looking *l, int i, double position[3], double velocity[2]) {
  const struct navigation_state *s = l->s;
  const double *v = l->reading[i]->value, *at = l->def->instrument[i].position_b_m;
  const double euler[3] = {s->attitude[0], s->attitude[1], heading_now(l)};
  mat3 attitude = quat_matrix(quat_of_euler(euler));
  vec3 arm = mat3_mul(&attitude, vec3_of(at));
  // for the lever arm the rates of the Euler angles do: the vessel heels by a few degrees
  vec3 omega = mat3_mul(&attitude, (vec3){s->attitude_rate[0], s->attitude_rate[1], s->heading_rate});
  vec3 turning = vec3_cross(omega, arm);
  position[0] = v[0] - arm.x;
  position[1] = v[1] - arm.y;
  position[2] = v[2] - arm.z;
  velocity[0] = v[3] - turning.x;
  velocity[1] = v[4] - turning.y;
}

struct fixes {
  int used[MAX_INSTRUMENTS];
  double position[MAX_INSTRUMENTS][3], velocity[MAX_INSTRUMENTS][2], sigma[MAX_INSTRUMENTS];
  int count;
};

// Positions in use, after the vote and the prediction's test.
static void find_fixes(struct looking *l, struct fixes *f) {
  struct navigation_state *s = l->s;
  int given_up = l->def->reaccept_s > 0 && l->time_s - s->position_s > l->def->reaccept_s;
  memset(f, 0, sizeof *f);
  double across[2][MAX_INSTRUMENTS];
  for (int i = 0; i < l->def->count; i++) {
    f->used[i] = l->def->instrument[i].kind == INSTRUMENT_GNSS && s->use[i] == USE_IN_USE;
    across[0][i] = across[1][i] = 0;
    if (!f->used[i])
      continue;
    fix_of(l, i, f->position[i], f->velocity[i]);
    double back = l->time_s - l->reading[i]->time_s, own = l->reading[i]->value[5];
    for (int k = 0; k < 2; k++)
      across[k][i] = f->position[i][k] + back * f->velocity[i][k];
    f->sigma[i] = l->def->instrument[i].sigma > 0 ? l->def->instrument[i].sigma
                  : own > 0                       ? own
                                                  : l->observer->position_sigma_m;
    double y[3];
    if (!s->ready || given_up || !(l->def->position_limit_m > 0))
      continue;
    predicted_at(l, l->reading[i]->time_s, y);
    double north = f->position[i][0] - y[0], east = f->position[i][1] - y[1];
    if (north * north + east * east > l->def->position_limit_m * l->def->position_limit_m)
      f->used[i] = 0;
  }
  for (int k = 0; k < 2; k++)
    vote(across[k], f->used, l->def->count, l->def->position_limit_m);
  for (int i = 0; i < l->def->count; i++) {
    if (l->def->instrument[i].kind == INSTRUMENT_GNSS && s->use[i] == USE_IN_USE && !f->used[i])
      reject(l, i);
    f->count += f->used[i];
  }
}

// Mean of the fixes brought up to now, by their accuracy.
static void mean_fix(const struct looking *l, const struct fixes *f, double position[3], double velocity[2]) {
  double weight = 0;
  position[0] = position[1] = position[2] = velocity[0] = velocity[1] = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < l->def->count; i++) {
      if (!f->used[i])
        continue;
      double w = 1 / (f->sigma[i] * f->sigma[i]);
      if (pass == 0) {
        weight += w;
        continue;
      }
      for (int k = 0; k < 2; k++) {
        position[k] +=
            w / weight * (f->position[i][k] + (l->time_s - l->reading[i]->time_s) * f->velocity[i][k]);
        velocity[k] += w / weight * f->velocity[i][k];
      }
      position[2] += w / weight * f->position[i][2];
    }
}

// Without an observer and without a position: a speed log, as if the water stood still.
static void reckon(struct looking *l) {
  struct navigation_state *s = l->s;
  int used[MAX_INSTRUMENTS], n = vote_kind(l, INSTRUMENT_SPEED_LOG, 0, 0, 0, used);
  double u = n ? mean_of(l, used, 0, 0) : 0, v = n ? mean_of(l, used, 1, 0) : 0;
  double c = trig_cos(s->eta[2]), w = trig_sin(s->eta[2]);
  s->velocity_n[0] = c * u - w * v;
  s->velocity_n[1] = w * u + c * v;
}

static void start(struct looking *l, const struct fixes *f) {
  struct navigation_state *s = l->s;
  double position[3];
  mean_fix(l, f, position, s->velocity_n);
  s->eta[0] = position[0];
  s->eta[1] = position[1];
  if (l->observer->present)
    observer_start(&s->observer, l->observer, s->eta, l->time_s);
  s->ready = 1;
}

static void find_position(struct looking *l, const struct fixes *f) {
  struct navigation_state *s = l->s;
  double position[3], velocity[2], y[3];
  s->dead_reckoning = f->count == 0;
  if (f->count) {
    int long_ago = l->def->reaccept_s > 0 && l->time_s - s->position_s > l->def->reaccept_s;
    mean_fix(l, f, position, velocity);
    if (long_ago) {
      start(l, f);
    } else if (!l->observer->present) {
      memcpy(s->eta, position, 2 * sizeof *position);
      memcpy(s->velocity_n, velocity, sizeof s->velocity_n);
    }
    s->down_m = position[2];
    s->position_s = l->time_s;
  } else if (!l->observer->present) {
    reckon(l);
  }
  for (int i = 0; i < l->def->count && l->observer->present; i++) {
    if (!f->used[i] || !s->fresh[i])
      continue;
    predicted_at(l, l->reading[i]->time_s, y);
    const double off[2] = {f->position[i][0] - y[0], f->position[i][1] - y[1]};
    observer_correct_position(&s->observer, l->observer, off, f->sigma[i]);
  }
}

static void answer(const struct looking *l, const struct wind_force_def *wind, struct navigation *out) {
  const struct navigation_state *s = l->s;
  const struct observer_state *o = &s->observer;
  memset(out, 0, sizeof *out);
  out->position_n_m[2] = s->down_m;
  memcpy(out->euler_rad, s->attitude, sizeof s->attitude);
  memcpy(out->euler_rate_radps, s->attitude_rate, sizeof s->attitude_rate);
  if (l->observer->present) {
    double c = trig_cos(o->eta[2]), w = trig_sin(o->eta[2]);
    out->position_n_m[0] = o->eta[0];
    out->position_n_m[1] = o->eta[1];
    out->euler_rad[2] = o->eta[2];
    out->velocity_n_mps[0] = c * o->nu[0] - w * o->nu[1];
    out->velocity_n_mps[1] = w * o->nu[0] + c * o->nu[1];
    out->euler_rate_radps[2] = o->nu[2];
  } else {
    memcpy(out->position_n_m, s->eta, 2 * sizeof(double));
    out->euler_rad[2] = s->eta[2];
    memcpy(out->velocity_n_mps, s->velocity_n, sizeof s->velocity_n);
    out->euler_rate_radps[2] = s->heading_rate;
  }
  out->tension_n = s->tension_n;
  out->inclination_rad = s->inclination_rad;
  out->azimuth_n_rad = trig_wrap(s->azimuth_rad + out->euler_rad[2]);
  if (wind->row_count > 0 && s->wind_known)
    wind_force(wind, s->wind_b[0], s->wind_b[1], out->wind);
}

int navigation_sample(struct navigation_state *s, const struct navigation_def *def,
                      const struct observer_def *observer, const struct wind_force_def *wind,
                      const struct readings *r, const double tau[3], double time_s, struct navigation *out) {
  struct looking l = {.s = s, .def = def, .observer = observer, .time_s = time_s};
  l.dt_s = s->ready && time_s > s->now_s ? time_s - s->now_s : 0;
  if (s->ready && !(time_s > s->now_s)) { // repeated or out of order: what was known
    answer(&l, wind, out);
    return 1;
  }
  s->now_s = time_s;
  for (int i = 0; i < def->count; i++) {
    l.reading[i] = find_reading(r, &def->instrument[i]);
    s->use[i] = judge(&l, i);
  }
  find_attitude(&l);
  find_pull(&l);
  find_wind(&l, wind->filter_s);
  if (s->ready && observer->present) {
    double all[3] = {tau[0], tau[1], tau[2]}, blown[3] = {0, 0, 0};
    if (wind->row_count > 0 && s->wind_known)
      wind_force(wind, s->wind_b[0], s->wind_b[1], blown);
    for (int k = 0; k < 3; k++)
      all[k] += blown[k];
    observer_predict(&s->observer, observer, all, time_s);
  } else if (s->ready) {
    s->eta[0] += l.dt_s * s->velocity_n[0];
    s->eta[1] += l.dt_s * s->velocity_n[1];
    s->eta[2] = trig_wrap(s->eta[2] + l.dt_s * s->heading_rate);
  }
  int gyros = navigation_count(s, def, INSTRUMENT_GYRO, USE_IN_USE);
  if (!s->ready && !gyros)
    return 0;
  find_heading(&l);
  struct fixes fixes;
  find_fixes(&l, &fixes);
  if (!s->ready && !fixes.count)
    return 0;
  if (!s->ready) {
    start(&l, &fixes);
    s->position_s = time_s;
  } else {
    find_position(&l, &fixes);
    if (observer->present)
      observer_remember(&s->observer, time_s);
  }
  answer(&l, wind, out);
  return 1;
}

void navigation_position(const struct navigation_state *s, const struct observer_def *observer,
                         double position_n_m[2]) {
  memcpy(position_n_m, observer->present ? s->observer.eta : s->eta, 2 * sizeof *position_n_m);
}
