// What `sagbend ctl watch` shows: the page and the line.
#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "run/ctl/ctl_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double DEG_PER_RAD = 180 / 3.14159265358979323846;
static const double SILENT_S = 2; // Sensors come ten times a second, answers once

struct page {
  char *out;
  size_t used;
  int columns, rows, line_count;
};

// Adds a line, cut off at the page's width.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void line(struct page *p, const char *format, ...) {
  char text[512];
  va_list arguments;
  if (p->line_count >= p->rows)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  int width = p->columns < (int)sizeof text ? p->columns : (int)sizeof text - 1;
  int written = snprintf(p->out + p->used, WATCH_MAX_PAGE - p->used, "%.*s\n", width, text);
  if (written > 0 && p->used + (size_t)written < WATCH_MAX_PAGE) {
    p->used += (size_t)written;
    p->line_count++;
  }
}

static void rule(struct page *p) {
  char dashes[256];
  memset(dashes, '-', sizeof dashes - 1);
  dashes[sizeof dashes - 1] = 0;
  line(p, "%s", dashes);
}

// The newest answer to a status order; NULL: none.
static const Sagbend__V1__Status *status_of(const struct watch_model *m) {
  return m->answer ? m->answer->status : NULL;
}

// Seconds since anything was heard; below 0: nothing was yet.
static double watch_silent_s(const struct watch_model *m, int64_t now_ms) {
  int64_t newest = m->heard_ms > m->answered_ms ? m->heard_ms : m->answered_ms;
  return newest < 0 ? -1 : 1e-3 * (double)(now_ms - newest);
}

// Simulated seconds in one second of the wall clock, over the newest Sensors; below 0: unknown.
static double measured_rate(const struct watch_model *m) {
  int last = m->pace_count - 1;
  if (last < 1 || m->pace[last].at_ms - m->pace[0].at_ms < 500)
    return -1;
  return (m->pace[last].time_s - m->pace[0].time_s) /
         (1e-3 * (double)(m->pace[last].at_ms - m->pace[0].at_ms));
}

static void describe_state(const struct watch_model *m, int64_t now_ms, char *out, size_t size) {
  double silent_s = watch_silent_s(m, now_ms);
  const Sagbend__V1__Status *s = status_of(m);
  if (*m->why_ended)
    snprintf(out, size, "ENDED: %s", m->why_ended);
  else if (silent_s < 0)
    snprintf(out, size, "SILENT: nothing has come yet");
  else if (silent_s > SILENT_S)
    snprintf(out, size, "SILENT for %.0f s", silent_s);
  else if (s && s->pause)
    snprintf(out, size, "%s for %.0f s: %.150s", s->pause->halted ? "HALTED" : "PAUSED", s->pause->wall_s,
             s->pause->why);
  else
    snprintf(out, size, "RUNNING");
}

static void show_lateness(struct page *p, const Sagbend__V1__Timing *t) {
  if (t)
    line(p,
         "lateness   %" PRIu64 " steps, %" PRIu64
         " lost periods, lag %.3f s; p99: step %.0f, wake-up %.0f us",
         t->late_steps, t->lost_periods, t->lag_s, t->step ? t->step->p99_us : 0,
         t->wakeup ? t->wakeup->p99_us : 0);
  else
    line(p, "lateness   -");
}

static void show_session(struct page *p, const struct watch_model *m, int64_t now_ms) {
  char state[WATCH_TEXT + 64];
  const Sagbend__V1__Status *s = status_of(m);
  struct message_value mode = {.text = ""};
  describe_state(m, now_ms, state, sizeof state);
  line(p, "%s", state);
  if (s)
    message_find(&s->base, "mode", &mode);
  line(p, "session    %s  %s  %s", *m->session ? m->session : "-", s ? s->name : "", mode.text);
  double rate = measured_rate(m);
  char of[32] = "", pace[64] = "";
  if (s && s->duration_s > 0)
    snprintf(of, sizeof of, " of %g s", s->duration_s);
  if (rate >= 0)
    snprintf(pace, sizeof pace, "   %.2f times the wall clock", rate);
  line(p, "time       %.3f s%s   step %" PRIu64 "%s", m->time_s, of, m->step, pace);
  show_lateness(p, m->timing);
}

// Into -180 to 180 degrees.
static double turn_deg(double rad) {
  return DEG_PER_RAD * atan2(sin(rad), cos(rad));
}

// Into 0 to 360 degrees, rounded as the page prints it.
static double course_deg(double rad) {
  double deg = fmod(round(100 * DEG_PER_RAD * rad) / 100, 360);
  return deg < 0 ? deg + 360 : deg + 0.0;
}

// Without the sign of a zero, rounded as the page prints it.
static double metres(double value_m) {
  return round(100 * value_m) / 100 + 0.0;
}

static double heading_rad(const Sagbend__V1__Truth *t) {
  const double w = t->quaternion_w, x = t->quaternion_x, y = t->quaternion_y, z = t->quaternion_z;
  return atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

static void show_error(struct page *p, const Sagbend__V1__Truth *t, double north_m, double east_m,
                       double target_rad) {
  line(p, "position error %.2f m, heading error %+.2f deg",
       hypot(t->position_north_m - north_m, t->position_east_m - east_m),
       turn_deg(heading_rad(t) - target_rad));
}

static void show_vessel(struct page *p, const struct watch_model *m) {
  const Sagbend__V1__Truth *t = m->truth;
  const Sagbend__V1__Status *s = status_of(m);
  const Sagbend__V1__Setpoint *setpoint = s ? s->setpoint : NULL;
  const Sagbend__V1__Target *target = t ? t->target : NULL;
  if (t)
    line(p, "position   north %9.2f m  east %9.2f m  heading %6.2f deg  %.2f m/s",
         metres(t->position_north_m), metres(t->position_east_m), course_deg(heading_rad(t)),
         hypot(t->surge_mps, t->sway_mps));
  else
    line(p, "position   -");
  const int is_on_route = t && t->route && target && !target->order;
  if (is_on_route)
    line(p, "route      %.1f m along it, cross-track %+.2f m", t->route->distance_m, t->route->cross_track_m);
  else if (setpoint)
    line(p, "set-point  north %9.2f m  east %9.2f m  heading %6.2f deg", setpoint->north_m, setpoint->east_m,
         course_deg(setpoint->heading_rad));
  else
    line(p, "set-point  %s", s ? "none" : "-");
  if (is_on_route)
    show_error(p, t, t->route->north_m, t->route->east_m, t->route->heading_rad);
  else if (target)
    show_error(p, t, target->north_m, target->east_m, target->heading_rad);
}

static double length(double x, double y, double z) {
  return sqrt(x * x + y * y + z * z);
}

static void show_pipe(struct page *p, const struct watch_model *m) {
  const Sagbend__V1__PipeSensors *pipe = m->sensors ? m->sensors->pipe : NULL;
  const Sagbend__V1__PipeTruth *truth = m->truth ? m->truth->pipe : NULL;
  const Sagbend__V1__Weather *weather = m->truth ? m->truth->weather : NULL;
  const Sagbend__V1__Touchdown *touchdown = pipe ? pipe->touchdown : NULL;
  if (pipe)
    line(p, "pipe       tension %.1f kN, angle %.2f deg", 1e-3 * pipe->hangoff_tension_n,
         DEG_PER_RAD * pipe->hangoff_angle_rad);
  else if (truth)
    line(p, "pipe       pulls the vessel with %.1f kN",
         1e-3 *
             length(truth->hangoff_force_north_n, truth->hangoff_force_east_n, truth->hangoff_force_down_n));
  if (touchdown)
    line(p, "touchdown  north %.2f m, east %.2f m, depth %.1f m, lay-back %.1f m", metres(touchdown->north_m),
         metres(touchdown->east_m), touchdown->down_m, touchdown->layback_m);
  else if (pipe)
    line(p, "touchdown  none");
  if (weather)
    line(p, "weather    wind %.1f m/s from %.0f deg, current %.2f m/s", weather->wind_speed_mps,
         course_deg(weather->wind_direction_rad),
         hypot(weather->current_north_mps, weather->current_east_mps));
  else if (m->truth && m->truth->current)
    line(p, "weather    no wind, current %.2f m/s",
         hypot(m->truth->current->north_mps, m->truth->current->east_mps));
}

static void show_controller(struct page *p, const struct watch_model *m) {
  struct message_value state = {.kind = VALUE_NONE};
  const Sagbend__V1__Status *s = status_of(m);
  const char *name = "";
  if (m->sensors)
    message_find(&m->sensors->base, "command_state", &state);
  for (size_t i = 0; s && i < s->n_peer; i++)
    if (s->peer[i]->in_command)
      name = s->peer[i]->name;
  line(p, "command    %s%s%s, %" PRIu64 " accepted, %" PRIu64 " refused",
       state.kind == VALUE_NONE      ? "-"
       : !strcmp(state.text, "lost") ? "LOST"
                                     : state.text,
       *name ? ", by " : "", name, m->timing ? m->timing->commands_accepted : 0,
       m->timing ? m->timing->commands_refused : 0);
}

// Groups on the ship's network, and two networks.
static void show_networks(struct page *p, const Sagbend__V1__Timing *t) {
  if (t && t->nmea_lines)
    line(p,
         "groups     %" PRIu64 " lines, %" PRIu64 " lost, %" PRIu64 " doubled, %" PRIu64 " late; %" PRIu64
         " incomplete, %" PRIu64 " dropped",
         t->nmea_lines, t->nmea_lines_lost, t->nmea_lines_doubled, t->nmea_lines_late, t->nmea_incomplete,
         t->nmea_dropped);
  for (size_t i = 0; t && i < t->n_network; i++) {
    const Sagbend__V1__NetworkCounts *n = t->network[i];
    line(p,
         "network %s  %s: %" PRIu64 " lines, %" PRIu64 " lost, %" PRIu64 " doubled, %" PRIu64
         " dropped; %" PRIu64 " messages, %" PRIu64 " doubled; %" PRIu64 " requests, %" PRIu64 " doubled",
         n->name, n->lost ? "LOST" : "good", n->lines, n->lines_lost, n->lines_doubled, n->dropped,
         n->messages, n->messages_doubled, n->requests, n->requests_doubled);
  }
}

static void show_thruster(struct page *p, const Sagbend__V1__ThrusterTruth *t, double largest_n) {
  enum { BAR = 18 };
  char bar[BAR + 1];
  double share = largest_n > 0 ? fabs(t->thrust_n) / largest_n : 0;
  int filled = (int)(share * BAR + 0.5);
  for (int k = 0; k < BAR; k++)
    bar[k] = k < filled ? (t->thrust_n < 0 ? '<' : '#') : '.';
  bar[BAR] = 0;
  line(p, "%-14.14s [%s] %8.1f kN %4.0f deg %7.0f kW %s", t->name, bar, 1e-3 * t->thrust_n,
       course_deg(t->azimuth_rad), 1e-3 * t->power_w,
       t->running ? "running"
       : t->ready ? "stopped"
                  : "NOT READY");
}

static void show_thrusters(struct page *p, const struct watch_model *m, int most) {
  int count = (int)m->truth->n_thruster, shown = count <= most ? count : most - 1;
  for (int i = 0; i < shown; i++)
    show_thruster(p, m->truth->thruster[i], m->largest_thrust_n);
  if (shown < count)
    line(p, "and %d more thrusters", count - shown);
}

static void show_faults(struct page *p, const Sagbend__V1__Receipt *r, size_t most) {
  if (!r) {
    line(p, "faults     - (no answer to orders)");
    return;
  }
  line(p, "faults     %u active", (unsigned)r->active_count);
  for (size_t i = 0; i < r->n_active && i < most; i++)
    line(p, "  %-20.20s %-16.16s %-16.16s since %.1f s", r->active[i]->name, r->active[i]->kind,
         *r->active[i]->target ? r->active[i]->target : "-", r->active[i]->since_s);
}

static int passing_of(const Sagbend__V1__Status *s) {
  int passing = 0;
  for (size_t i = 0; i < s->n_verdict; i++)
    passing += s->verdict[i]->passes;
  return passing;
}

static void show_verdict(struct page *p, const Sagbend__V1__VerdictStatus *v) {
  char value[64] = "";
  struct message_value state;
  message_find(&v->base, "state", &state);
  if (v->present_case == SAGBEND__V1__VERDICT_STATUS__PRESENT_VALUE)
    snprintf(value, sizeof value, "value %.4g, margin %.4g", v->value,
             v->present_margin_case == SAGBEND__V1__VERDICT_STATUS__PRESENT_MARGIN_MARGIN ? v->margin : 0);
  line(p, "  %-24.24s %-12s %s", v->name,
       v->state == SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_VIOLATED     ? "VIOLATED"
       : v->state == SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_NOT_JUDGED ? "not judged"
                                                                          : state.text,
       value);
}

// How many verdicts pass, and the first of those that do not.
static void show_verdicts(struct page *p, const struct watch_model *m) {
  const Sagbend__V1__Status *s = m->judged;
  if (!s || !s->n_verdict)
    return;
  line(p, "verdicts   %d of %d %s", passing_of(s), (int)s->n_verdict,
       *m->why_ended ? "passed" : "would pass now");
  int shown = 0;
  for (size_t i = 0; i < s->n_verdict && shown < WATCH_VERDICTS; i++) {
    if (s->verdict[i]->passes)
      continue;
    show_verdict(p, s->verdict[i]);
    shown++;
  }
}

// Lines of the verdicts.
static int verdict_lines(const Sagbend__V1__Status *s) {
  if (!s || !s->n_verdict)
    return 0;
  int failing = (int)s->n_verdict - passing_of(s);
  return 1 + (failing < WATCH_VERDICTS ? failing : WATCH_VERDICTS);
}

static void show_events(struct page *p, const struct watch_model *m) {
  int room = p->rows - p->line_count;
  int first = m->event_count > room ? m->event_count - room : 0;
  for (int i = first < 0 ? 0 : first; i < m->event_count; i++)
    line(p, "%10.3f s  %s: %s", m->event[i].time_s, m->event[i].name, m->event[i].text);
}

void watch_page(const struct watch_model *m, int64_t now_ms, int columns, int rows, char *out) {
  struct page p = {.out = out, .columns = columns, .rows = rows - 1}; // the last line has its place
  *out = 0;
  show_session(&p, m, now_ms);
  rule(&p);
  show_vessel(&p, m);
  show_pipe(&p, m);
  show_controller(&p, m);
  show_networks(&p, m->timing);
  // For the faults, two events, rules and verdicts.
  int spare = p.rows - p.line_count - 5 - verdict_lines(m->judged);
  if (m->truth && m->truth->n_thruster && spare > 0) {
    rule(&p);
    show_thrusters(&p, m, spare);
  }
  rule(&p);
  show_faults(&p, m->answer, 3);
  show_verdicts(&p, m);
  show_events(&p, m);
  while (p.line_count < p.rows)
    line(&p, "%s", "");
  p.rows = rows;
  line(&p, "%s%s", "q or Ctrl-C ends the page, not the session",
       m->lost ? "; telemetry was lost on the way" : "");
}

void watch_line(const struct watch_model *m, int64_t now_ms, char *out, size_t size) {
  char state[WATCH_TEXT + 64];
  describe_state(m, now_ms, state, sizeof state);
  size_t used = (size_t)snprintf(out, size, "%s  t %.1f s", state, m->time_s);
  const Sagbend__V1__Truth *t = m->truth;
  const Sagbend__V1__PipeSensors *pipe = m->sensors ? m->sensors->pipe : NULL;
  if (t && used < size)
    used += (size_t)snprintf(out + used, size - used, "  north %.2f m  east %.2f m  heading %.2f deg",
                             t->position_north_m, t->position_east_m, course_deg(heading_rad(t)));
  if (pipe && used < size)
    used += (size_t)snprintf(out + used, size - used, "  tension %.1f kN", 1e-3 * pipe->hangoff_tension_n);
  if (m->timing && used < size)
    used += (size_t)snprintf(out + used, size - used, "  late %" PRIu64, m->timing->late_steps);
  if (m->judged && m->judged->n_verdict && used < size)
    snprintf(out + used, size - used, "  verdicts %d of %d", passing_of(m->judged),
             (int)m->judged->n_verdict);
}
