// Azimuths that a controller counts in another way than the vessel: found by which reading of them would have
// held it.
#include "sagbend/monitor/monitor.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double SAMPLE_S = 0.5, WITHIN_S = 60, JUDGED_S = 120;
enum { LEAST_SAMPLES = 16, ROWS = 3 };
static const double EXPLAINED = 0.995, BETTER = 50; // share of the variance; times that the rest is smaller
static const double SMALLEST_M = 0.1, SMALLEST_RAD = 0.3 * TRIG_PI / 180;
static const double LEAVES_M = 2, LEAVES_RAD = 5 * TRIG_PI / 180;
static const double GROWS = 3; // at least, of the way from the first sample, in the second half of a window
static const double SATURATED = 0.995; // stroke from which on a set-point does not show what was meant
static const double SINGULAR = 1e-3;

static const struct {
  double sign, plus_rad; // meant = sign sent + plus
  const char *text;
} READING[DIRECTION_READINGS] = {
    [DIRECTION_AS_SENT] = {1, 0, "sent"},
    [DIRECTION_STARBOARD] = {1, TRIG_PI / 2, "clockwise from starboard"},
    [DIRECTION_PORT] = {1, -TRIG_PI / 2, "clockwise from port"},
    [DIRECTION_WASH] = {1, TRIG_PI, "the direction of the wash"},
    [DIRECTION_MIRRORED] = {-1, 0, "anticlockwise from the bow"},
    [DIRECTION_MATHEMATICAL] = {-1, TRIG_PI / 2, "anticlockwise from starboard"},
    [DIRECTION_MIRRORED_PORT] = {-1, -TRIG_PI / 2, "anticlockwise from port"},
    [DIRECTION_MIRRORED_STERN] = {-1, TRIG_PI, "anticlockwise from the stern"},
    [DIRECTION_NORTH] = {1, 0, "clockwise from north"}, // less the heading
};

const char *direction_reading_text(int reading) {
  return (unsigned)reading < DIRECTION_READINGS ? READING[reading].text : READING[0].text;
}

static double azimuth_meant(int reading, double sent_rad, double heading_rad) {
  return READING[reading].sign * sent_rad + READING[reading].plus_rad -
         (reading == DIRECTION_NORTH ? heading_rad : 0);
}

// Root mean square of the arms with which the thrusters turn the vessel, m.
static double lever_of(const struct command_def *def, const struct sim *sim) {
  struct thruster_setpoint setpoint[MAX_THRUSTERS] = {{0}};
  double squares = 0;
  for (int i = 0; i < def->thruster_count; i++) {
    double wrench_b[6];
    setpoint[i] = (struct thruster_setpoint){1, def->thruster[i].revolutions_max_rpm, 1, TRIG_PI / 2};
    sim_static_wrench(sim, setpoint, wrench_b);
    setpoint[i] = (struct thruster_setpoint){0, 0, 0, 0};
    const double force = wrench_b[0] * wrench_b[0] + wrench_b[1] * wrench_b[1];
    squares += force > 0 ? wrench_b[5] * wrench_b[5] / force : 0;
  }
  return squares > 0 ? sqrt(squares / def->thruster_count) : 1;
}

static struct direction_sample *sample_at(struct direction_monitor *m, uint64_t k) {
  return &m->sample[(m->next + DIRECTION_WINDOW - m->count + k) % DIRECTION_WINDOW];
}

static void take_sample(struct direction_monitor *m, const struct direction_input *in) {
  const struct sim_output *now = in->now;
  struct direction_sample *s = &m->sample[m->next];
  m->next = (m->next + 1) % DIRECTION_WINDOW;
  m->count += m->count < DIRECTION_WINDOW;
  s->step = now->step;
  s->place[0] = now->position_n_m[0], s->place[1] = now->position_n_m[1], s->place[2] = now->euler_rad[2];
  s->velocity[0] = now->velocity_b[0], s->velocity[1] = now->velocity_b[1],
  s->velocity[2] = now->velocity_b[5];
  for (int r = 0; r < DIRECTION_READINGS; r++) {
    struct thruster_setpoint setpoint[MAX_THRUSTERS];
    double wrench_b[6];
    memcpy(setpoint, in->latch->setpoint, sizeof setpoint);
    for (int i = 0; i < in->def->thruster_count; i++)
      if (in->def->thruster[i].rudder_max_rad < 0)
        setpoint[i].azimuth_rad = azimuth_meant(r, setpoint[i].azimuth_rad, now->euler_rad[2]);
    sim_static_wrench(in->sim, setpoint, wrench_b);
    s->force[r][0] = wrench_b[0], s->force[r][1] = wrench_b[1], s->force[r][2] = wrench_b[5] / m->lever_m;
  }
}

struct direction_finding {
  double explained, work; // share of the variance of f' that a right law explains; sum f'.v'
};

// Deviations from the mean in the window, an axis at a time: [0] surge, [1] sway, [2] yaw, a moment as force
// at the lever and an angle as way at it, so that axes add.
struct deviations {
  uint64_t count;
  double place[3][DIRECTION_WINDOW], velocity[3][DIRECTION_WINDOW], force[3][DIRECTION_WINDOW];
};

static void remove_mean(double *a, uint64_t count) {
  double mean = 0;
  for (uint64_t k = 0; k < count; k++)
    mean += a[k] / (double)count;
  for (uint64_t k = 0; k < count; k++)
    a[k] -= mean;
}

static double product(const double *a, const double *b, uint64_t count) {
  double sum = 0;
  for (uint64_t k = 0; k < count; k++)
    sum += a[k] * b[k];
  return sum;
}

static void take_motion(struct direction_monitor *m, struct deviations *d) {
  double mean[3] = {0, 0, 0};
  const double first_rad = sample_at(m, 0)->place[2];
  d->count = m->count;
  for (uint64_t k = 0; k < m->count; k++)
    for (int i = 0; i < 2; i++)
      mean[i] += sample_at(m, k)->place[i] / (double)m->count;
  for (uint64_t k = 0; k < m->count; k++) {
    const struct direction_sample *s = sample_at(m, k);
    const double c = trig_cos(s->place[2]), n = s->place[0] - mean[0], e = s->place[1] - mean[1],
                 sine = trig_sin(s->place[2]);
    d->place[0][k] = c * n + sine * e;
    d->place[1][k] = c * e - sine * n;
    d->place[2][k] = m->lever_m * trig_wrap(s->place[2] - first_rad);
    for (int i = 0; i < 3; i++)
      d->velocity[i][k] = (i == 2 ? m->lever_m : 1) * s->velocity[i];
  }
  for (int i = 0; i < 3; i++) {
    remove_mean(d->place[i], d->count);
    remove_mean(d->velocity[i], d->count);
  }
}

// What f = -k x - d v with k, d >= 0 leaves of the sum of f^2.
static double left_by_law(const double *f, const double *x, const double *v, uint64_t count) {
  const double ff = product(f, f, count), fx = product(f, x, count), fv = product(f, v, count),
               xx = product(x, x, count), vv = product(v, v, count), xv = product(x, v, count);
  const double det = xx * vv - xv * xv, a = fx * vv - fv * xv, b = fv * xx - fx * xv;
  if (det > SINGULAR * xx * vv && a <= 0 && b <= 0)
    return ff - (a * fx + b * fv) / det;
  const double by_place = fx < 0 && xx > 0 ? fx * fx / xx : 0,
               by_velocity = fv < 0 && vv > 0 ? fv * fv / vv : 0;
  return ff - (by_place > by_velocity ? by_place : by_velocity);
}

static struct direction_finding find_reading(struct direction_monitor *m, struct deviations *d, int reading) {
  struct direction_finding out = {0, 0};
  double left = 0, all = 0;
  for (int i = 0; i < 3; i++) {
    for (uint64_t k = 0; k < m->count; k++)
      d->force[i][k] = sample_at(m, k)->force[reading][i];
    remove_mean(d->force[i], m->count);
    left += left_by_law(d->force[i], d->place[i], d->velocity[i], m->count);
    all += product(d->force[i], d->force[i], m->count);
    out.work += product(d->force[i], d->velocity[i], m->count);
  }
  out.explained = all > 0 ? 1 - left / all : 0;
  return out;
}

// Way of a sample from the first one, m; a turn counts at the lever.
static double way_of(struct direction_monitor *m, uint64_t k) {
  const struct direction_sample *first = sample_at(m, 0), *s = sample_at(m, k);
  const double n = s->place[0] - first->place[0], e = s->place[1] - first->place[1];
  return sqrt(n * n + e * e) + m->lever_m * fabs(trig_wrap(s->place[2] - first->place[2]));
}

static int grows(struct direction_monitor *m) {
  const double last = way_of(m, m->count - 1);
  for (uint64_t k = 0; k < m->count; k++)
    if (way_of(m, k) > (k < m->count / 2 ? last / GROWS : last))
      return 0;
  return 1;
}

// The reading that a right law explains, and as sent does not; DIRECTION_AS_SENT: none.
static int find_best(struct direction_monitor *m, struct direction_finding finding[DIRECTION_READINGS]) {
  struct deviations d;
  int best = 1;
  take_motion(m, &d);
  for (int r = 0; r < DIRECTION_READINGS; r++) {
    finding[r] = find_reading(m, &d, r);
    best = r > 0 && finding[r].explained > finding[best].explained ? r : best;
  }
  const double moved = (product(d.place[0], d.place[0], d.count) + product(d.place[1], d.place[1], d.count)) /
                       (double)d.count,
               turned = product(d.place[2], d.place[2], d.count) / (double)d.count,
               least_turned = m->lever_m * SMALLEST_RAD;
  const struct direction_finding *sent = &finding[DIRECTION_AS_SENT], *meant = &finding[best];
  const int is_large = moved >= SMALLEST_M * SMALLEST_M || turned >= least_turned * least_turned;
  return is_large && meant->explained > EXPLAINED && sent->work > 0 && meant->work < 0 &&
                 1 - sent->explained > BETTER * (1 - meant->explained) && grows(m)
             ? best
             : DIRECTION_AS_SENT;
}

static void judge(struct direction_monitor *m, const struct sim_output *now) {
  struct direction_finding finding[DIRECTION_READINGS];
  const int found = find_best(m, finding);
  m->rows = found && (uint64_t)found == m->seen ? m->rows + 1 : found > 0;
  m->seen = (uint64_t)found;
  if (m->rows < ROWS)
    return;
  m->rows = ROWS;
  if (!m->suspected) {
    m->from[0] = now->position_n_m[0], m->from[1] = now->position_n_m[1], m->from[2] = now->euler_rad[2];
    m->suspected = m->seen;
  }
  m->suspected_step = now->step;
}

int direction_step(struct direction_monitor *m, const struct direction_input *in, double value[4]) {
  if (!in || in->latch->last.thruster_count == 0) {
    memset(m, 0, sizeof *m);
    return 0;
  }
  const struct sim_output *now = in->now;
  const uint64_t between = steps_nearest_to(SAMPLE_S, in->step_s);
  if (!m->since) {
    m->lever_m = lever_of(in->def, in->sim);
    m->since = 1 + now->step;
  }
  const int is_judged = now->step + 1 - m->since <= steps_nearest_to(JUDGED_S, in->step_s);
  if (is_judged && (between == 0 || now->step % between == 0) && in->stroke < SATURATED) {
    take_sample(m, in);
    if (m->count >= LEAST_SAMPLES)
      judge(m, now);
  }
  if (!m->suspected ||
      (!m->is_sure && now->step - m->suspected_step > steps_nearest_to(WITHIN_S, in->step_s)))
    return 0;
  const double n = now->position_n_m[0] - m->from[0], e = now->position_n_m[1] - m->from[1],
               off_m = sqrt(n * n + e * e), turned_rad = fabs(trig_wrap(now->euler_rad[2] - m->from[2]));
  value[0] = (double)m->suspected, value[1] = off_m, value[2] = turned_rad, value[3] = now->euler_rad[2];
  m->is_sure |= off_m > LEAVES_M || turned_rad > LEAVES_RAD;
  return m->is_sure != 0;
}

int direction_is_valid(const struct direction_monitor *m, uint64_t step, struct reason *why) {
  for (int k = 0; k < DIRECTION_WINDOW; k++) {
    const struct direction_sample *s = &m->sample[k];
    if (!valid_finite(&s->force[0][0], (size_t)3 * DIRECTION_READINGS, "force", why) ||
        !valid_finite(s->place, 3, "place", why) || !valid_finite(s->velocity, 3, "velocity", why) ||
        !valid_whole(s->step, 0, step, "step", why))
      return valid_fail_in(why, "sample[%d].", k);
  }
  return valid_whole(m->count, 0, DIRECTION_WINDOW, "count", why) &&
         valid_whole(m->next, 0, DIRECTION_WINDOW - 1, "next", why) &&
         valid_whole(m->seen, 0, DIRECTION_READINGS - 1, "seen", why) &&
         valid_whole(m->suspected, 0, DIRECTION_READINGS - 1, "suspected", why) &&
         valid_whole(m->rows, 0, ROWS, "rows", why) &&
         valid_whole(m->suspected_step, 0, step, "suspected_step", why) &&
         valid_whole(m->since, 0, step + 1, "since", why) && valid_whole(m->is_sure, 0, 1, "is_sure", why) &&
         valid_finite(m->from, 3, "from", why) && valid_finite(&m->lever_m, 1, "lever_m", why);
}
