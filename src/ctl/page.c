// The page and the line.
#include "ctl/watch.h"

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

static const char *mode_name(const struct watch_model *m) {
  static const char *const names[] = {"realtime", "lockstep", "fast"};
  return m->status.has_status && (unsigned)m->status.status.mode < 3 ? names[m->status.status.mode] : "";
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
  const struct wire_status *s = &m->status.status;
  if (*m->why_ended)
    snprintf(out, size, "ENDED: %s", m->why_ended);
  else if (silent_s < 0)
    snprintf(out, size, "SILENT: nothing has come yet");
  else if (silent_s > SILENT_S)
    snprintf(out, size, "SILENT for %.0f s", silent_s);
  else if (m->status.has_status && s->is_paused)
    snprintf(out, size, "%s for %.0f s: %.150s", s->pause.halted ? "HALTED" : "PAUSED", s->pause.wall_s,
             s->pause.why);
  else
    snprintf(out, size, "RUNNING");
}

static void show_session(struct page *p, const struct watch_model *m, int64_t now_ms) {
  char state[WATCH_TEXT + 64];
  const struct wire_status *s = &m->status.status;
  describe_state(m, now_ms, state, sizeof state);
  line(p, "%s", state);
  line(p, "session    %s  %s  %s", *m->session ? m->session : "-", m->status.has_status ? s->name : "",
       mode_name(m));
  double rate = measured_rate(m);
  char of[32] = "", pace[64] = "";
  if (m->status.has_status && s->duration_s > 0)
    snprintf(of, sizeof of, " of %g s", s->duration_s);
  if (rate >= 0)
    snprintf(pace, sizeof pace, "   %.2f times the wall clock", rate);
  line(p, "time       %.3f s%s   step %" PRIu64 "%s", m->time_s, of, m->step, pace);
  if (m->has_timing)
    line(p,
         "lateness   %" PRIu64 " steps, %" PRIu64
         " lost periods, lag %.3f s; p99: step %.0f, wake-up %.0f us",
         m->late_steps, m->lost_periods, m->lag_s, m->step_p99_us, m->wakeup_p99_us);
  else
    line(p, "lateness   -");
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

static void show_vessel(struct page *p, const struct watch_model *m) {
  const struct wire_status *s = &m->status.status;
  if (m->has_truth)
    line(p, "position   north %9.2f m  east %9.2f m  heading %6.2f deg  %.2f m/s", metres(m->position_m[0]),
         metres(m->position_m[1]), course_deg(m->heading_rad), m->speed_mps);
  else
    line(p, "position   -");
  if (m->status.has_status && s->has_setpoint) {
    line(p, "set-point  north %9.2f m  east %9.2f m  heading %6.2f deg", s->setpoint[0], s->setpoint[1],
         course_deg(s->setpoint[2]));
    if (m->has_truth)
      line(p, "deviation  %.2f m, heading %+.2f deg",
           hypot(m->position_m[0] - s->setpoint[0], m->position_m[1] - s->setpoint[1]),
           turn_deg(m->heading_rad - s->setpoint[2]));
  } else {
    line(p, "set-point  %s", m->status.has_status ? "none" : "-");
  }
}

static void show_pipe(struct page *p, const struct watch_model *m) {
  if (m->has_pipe)
    line(p, "pipe       tension %.1f kN, angle %.2f deg", 1e-3 * m->tension_n, DEG_PER_RAD * m->angle_rad);
  else if (m->has_pull)
    line(p, "pipe       pulls the vessel with %.1f kN", 1e-3 * m->pull_n);
  if (m->has_pipe && m->has_touchdown)
    line(p, "touchdown  north %.2f m, east %.2f m, depth %.1f m, lay-back %.1f m", metres(m->touchdown_m[0]),
         metres(m->touchdown_m[1]), m->touchdown_m[2], m->layback_m);
  else if (m->has_pipe)
    line(p, "touchdown  none");
  if (m->has_weather)
    line(p, "weather    wind %.1f m/s from %.0f deg, current %.2f m/s", m->wind_mps, course_deg(m->wind_rad),
         m->current_mps);
}

static void show_controller(struct page *p, const struct watch_model *m) {
  static const char *const states[] = {"-", "waiting", "standby", "fresh", "held", "LOST"};
  const char *state = (unsigned)m->command_state < 6 ? states[m->command_state] : "-";
  const char *name = "";
  for (int i = 0; i < m->status.status.peer_count && m->status.has_status; i++)
    if (m->status.status.peer[i].in_command)
      name = m->status.status.peer[i].name;
  line(p, "command    %s%s%s, %" PRIu64 " accepted, %" PRIu64 " refused", state, *name ? ", by " : "", name,
       m->commands_accepted, m->commands_refused);
}

static void show_thrusters(struct page *p, const struct watch_model *m, int most) {
  enum { BAR = 18 };
  int shown = m->thruster_count <= most ? m->thruster_count : most - 1;
  for (int i = 0; i < shown; i++) {
    const struct watch_thruster *t = &m->thruster[i];
    char bar[BAR + 1];
    double share = m->largest_thrust_n > 0 ? fabs(t->thrust_n) / m->largest_thrust_n : 0;
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
  if (shown < m->thruster_count)
    line(p, "and %d more thrusters", m->thruster_count - shown);
}

static void show_faults(struct page *p, const struct watch_model *m, int most) {
  const struct wire_receipt *r = &m->status;
  if (m->answered_ms < 0) {
    line(p, "faults     - (no answer to orders)");
    return;
  }
  line(p, "faults     %d active", r->active_count);
  for (int i = 0; i < r->active_count && i < most && i < WIRE_MAX_ACTIVE_BESIDE_STATUS; i++)
    line(p, "  %-20.20s %-16.16s %-16.16s since %.1f s", r->active[i].name, r->active[i].fault.kind,
         *r->active[i].fault.target ? r->active[i].fault.target : "-", r->active[i].since_s);
}

// How many verdicts pass, and the first of those that do not.
static void show_verdicts(struct page *p, const struct watch_model *m) {
  if (!m->verdict_count)
    return;
  line(p, "verdicts   %d of %d %s", m->passing_count, m->verdict_count,
       *m->why_ended ? "passed" : "would pass now");
  for (int i = 0; i < m->failing_count; i++) {
    const struct watch_verdict *v = &m->failing[i];
    char value[64] = "";
    if (v->has_value)
      snprintf(value, sizeof value, "value %.4g, margin %.4g", v->value, v->margin);
    line(p, "  %-24.24s %-12s %s", v->name, v->state, value);
  }
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
  // For the faults, two events, rules and verdicts.
  int spare = p.rows - p.line_count - 5 - (m->verdict_count ? 1 + m->failing_count : 0);
  if (m->thruster_count && spare > 0) {
    rule(&p);
    show_thrusters(&p, m, spare);
  }
  rule(&p);
  show_faults(&p, m, 3);
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
  if (m->has_truth && used < size)
    used += (size_t)snprintf(out + used, size - used, "  north %.2f m  east %.2f m  heading %.2f deg",
                             m->position_m[0], m->position_m[1], course_deg(m->heading_rad));
  if (m->has_pipe && used < size)
    used += (size_t)snprintf(out + used, size - used, "  tension %.1f kN", 1e-3 * m->tension_n);
  if (m->has_timing && used < size)
    used += (size_t)snprintf(out + used, size - used, "  late %" PRIu64, m->late_steps);
  if (m->verdict_count && used < size)
    snprintf(out + used, size - used, "  verdicts %d of %d", m->passing_count, m->verdict_count);
}
