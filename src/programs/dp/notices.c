// What sagbend-dp prints: notices, the status line, silence, the summary.
#include "programs/dp/dp_program_internal.h"

#include "net/zmtp/zmtp.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_MS = 200, SILENCE_MS = 5000 };

// One line on stderr, past the status line.
void notices_line(struct dp *d, const char *text, const char *more) {
  if (d->options->quiet)
    return;
  fprintf(stderr, "%ssagbend-dp: %s%s\n", d->status_shown ? "\r\033[K" : "", text, more);
  d->status_shown = 0;
}

void notices_report_silence(struct dp *d, int has_come) {
  const struct dp_options *o = d->options;
  int64_t now = clock_ms();
  if (has_come) {
    if (d->silence_reported)
      notices_line(d, "messages come again", "");
    d->heard_ms = now;
    d->silence_reported = 0;
  } else if (!d->silence_reported && now - d->heard_ms >= SILENCE_MS) {
    char text[600];
    snprintf(text, sizeof text, "%s: %s", o->connect[0] ? o->connect[0] : d->config.connect[0],
             client_silence(d->client));
    notices_line(d, "no message for 5 s from a simulator at ", text);
    d->silence_reported = 1;
  }
}

static void report_at(struct dp *d, double time_s, const char *text) {
  char line[400];
  snprintf(line, sizeof line, "t = %.1f s: %s", time_s, text);
  notices_line(d, line, "");
}

// References and thrusters in use, if the file has any: "gnss 2/3 1 rejected  gyro 3/3  DEAD RECKONING
// thrusters 4/4".
static void state_text(const struct dp *d, const struct wire_sensors *s, char *text, size_t size) {
  const struct dp_def *def = &d->config.def;
  const struct navigation_state *n = &d->state.navigation;
  const struct allocation_state *a = &d->state.allocation;
  size_t used = 0;
  text[0] = '\0';
#define ADD(...) (used += used < size ? (size_t)snprintf(text + used, size - used, __VA_ARGS__) : 0)
  for (int k = 0; k < 2 * INSTRUMENT_COUNT && s->dp.readings.instrument_count > 0; k++) {
    const enum instrument kind = (enum instrument)(k % INSTRUMENT_COUNT);
    const int is_position = instrument_kind(kind)->fix != FIX_NONE; // those come first
    if (!instrument_kind(kind)->is_shown || is_position != (k < INSTRUMENT_COUNT))
      continue;
    int all = 0, rejected = navigation_instrument_count(n, &def->navigation, kind, USE_REJECTED);
    for (int i = 0; i < def->navigation.count; i++)
      all += def->navigation.instrument[i].kind == kind;
    if (all)
      ADD("  %s %d/%d", instrument_name(kind),
          navigation_instrument_count(n, &def->navigation, kind, USE_IN_USE), all);
    if (rejected)
      ADD(" (%d rejected)", rejected);
  }
  if (s->dp.readings.instrument_count > 0 && !n->ready)
    ADD("  NO POSITION");
  if (n->dead_reckoning)
    ADD("  DEAD RECKONING");
  if (d->state.track.phase != TRACK_NONE && d->state.track.phase != TRACK_LEFT) {
    double speed, way = track_way(&d->state.track, &def->track, d->state.last_time_s, &speed);
    ADD("  route %.1f m %.2f m/s cross %+.2f m%s", way, speed, d->state.track.cross_m,
        d->state.track.wait == TRACK_GOES ? "" : " WAITS");
  }
  if (def->allocation.actuator_count && d->state.active)
    ADD("  thrusters %d/%d%s%s%s", a->in_use, def->allocation.actuator_count,
        a->deviating ? " DEVIATING" : "", a->saturated ? " SATURATED" : "", a->power_limited ? " POWER" : "");
#undef ADD
}

void notices_show_status(struct dp *d, const struct wire_sensors *s, const struct command *c) {
  int64_t now = clock_ms();
  if (d->options->quiet || !isatty(STDERR_FILENO) || now - d->status_ms < STATUS_MS)
    return;
  double reference[6], rate[6], position[2] = {s->dp.position_n_m[0], s->dp.position_n_m[1]}, wrench[3];
  char state[240];
  if (d->state.navigation.ready)
    navigation_position(&d->state.navigation, &d->config.def.observer, position);
  const double *given = d->config.def.allocation.actuator_count ? d->state.allocation.given : wrench;
  wrench[0] = c->wrench_b[0];
  wrench[1] = c->wrench_b[1];
  wrench[2] = c->wrench_b[5];
  state_text(d, s, state, sizeof state);
  dp_reference(&d->state, &d->config.def, s->dp.time_s, reference, rate);
  double north = position[0] - reference[0], east = position[1] - reference[1];
  char line[480];
  snprintf(line, sizeof line,
           "t %8.1f s  %-7s  error %7.2f m  surge %8.1f kN  sway %8.1f kN  yaw %9.1f kN m%s  refused %llu",
           s->dp.time_s, c->standby ? "standby" : "active", sqrt(north * north + east * east), given[0] / 1e3,
           given[1] / 1e3, given[2] / 1e3, state, (unsigned long long)d->refused);
  fprintf(stderr, "\r\033[K%.*s", console_status_columns(), line);
  fflush(stderr);
  d->status_ms = now;
  d->status_shown = 1;
}

// A line for each change of what the controller does on its route.
static void report_route(struct dp *d, const struct wire_sensors *s) {
  static const char *const phases[TRACK_PHASE_COUNT] = {"no route",
                                                        "goes to the route",
                                                        "moves along the route",
                                                        "holds after the joint",
                                                        "the reference stops on the route",
                                                        "at the end of the route",
                                                        "leaves the route for the operator's set-point"};
  const struct track_state *track = &d->state.track;
  char text[160];
  if (d->reported_phase == track->phase)
    return;
  int is_joint = d->reported_joints != track->joints && d->config.def.track.joint_m > 0;
  if (is_joint)
    snprintf(text, sizeof text, "joint %d, at %.2f m of the route: %s", (int)track->joints, track->to_m,
             phases[track->phase]);
  else
    snprintf(text, sizeof text, "%s, from %.2f m", phases[track->phase], track->from_m);
  report_at(d, s->dp.time_s, text);
  d->reported_phase = track->phase;
  d->reported_joints = track->joints;
}

static int is_new(const struct dp_alarm_list *before, const struct dp_alarm *alarm) {
  int at = dp_alarm_find(before, alarm->source, alarm->kind);
  return at < 0 || strcmp(before->alarm[at].text, alarm->text) != 0;
}

// Margins that the search of the consequence analysis has not found: the first, and their number once a
// minute.
static void report_unsolved(struct dp *d, const struct wire_sensors *s,
                            const struct consequence_report *now) {
  static const double PAUSE_S = 60;
  char text[160];
  if (now->unsolved < d->reported_unsolved) // a new take-over
    d->reported_unsolved = 0;
  if (now->unsolved == d->reported_unsolved ||
      (d->reported_unsolved > 0 && fabs(s->dp.time_s - d->unsolved_s) < PAUSE_S))
    return;
  snprintf(text, sizeof text,
           "consequence analysis: %" PRIu64
           " margins so far were not found, or only within a gap; the last that was "
           "found counts",
           now->unsolved);
  report_at(d, s->dp.time_s, text);
  d->reported_unsolved = now->unsolved;
  d->unsolved_s = s->dp.time_s;
}

// The consequence analysis: when it begins to know, and each change of its alarm.
static void report_consequence(struct dp *d, const struct wire_sensors *s,
                               const struct consequence_report *now) {
  char text[160];
  if (d->reported_analysis == now->known && d->reported_consequence == now->alarm)
    return;
  if (!now->known)
    snprintf(text, sizeof text, "consequence analysis: waits %g s for the load",
             2 * d->config.def.consequence.mean_s);
  else if (now->alarm)
    snprintf(text, sizeof text, "consequence alarm: the vessel would not be held without %s, margin %.2f",
             now->failure, now->margin);
  else
    snprintf(text, sizeof text,
             "consequence analysis: the vessel would be held after each failure, margin %.2f%s%s",
             now->margin, *now->failure ? " without " : "", now->failure);
  report_at(d, s->dp.time_s, text);
  d->reported_analysis = now->known;
  d->reported_consequence = now->alarm;
}

static int is_of_source(const struct dp_alarm_list *list, const char *source) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->alarm[i].source, source) == 0)
      return 1;
  return 0;
}

static int is_equipment(const char *source) {
  for (int i = 0; dp_alarm_source_word(i); i++)
    if (strcmp(dp_alarm_source_word(i), source) == 0)
      return 0;
  return 1;
}

// A line for each alarm that has begun or has another text, and for each that is over, unless its equipment
// has another one now. That of the consequence analysis has lines of its own.
static void report_alarms(struct dp *d, double time_s) {
  const struct dp_alarm_list *now = &d->alarms, *before = &d->reported;
  char text[DP_ALARM_TEXT];
  for (int i = 0; i < before->count; i++)
    if (before->alarm[i].kind != ALARM_CONSEQUENCE &&
        dp_alarm_find(now, before->alarm[i].source, before->alarm[i].kind) < 0 &&
        !(is_equipment(before->alarm[i].source) && is_of_source(now, before->alarm[i].source))) {
      dp_alarm_end_text(&before->alarm[i], text);
      report_at(d, time_s, text);
    }
  for (int i = 0; i < now->count; i++)
    if (now->alarm[i].kind != ALARM_CONSEQUENCE && is_new(before, &now->alarm[i]))
      report_at(d, time_s, now->alarm[i].text);
  d->reported = d->alarms;
}

void notices_report_changes(struct dp *d, const struct wire_sensors *s, const struct command *c) {
  report_alarms(d, s->dp.time_s);
  report_consequence(d, s, &c->consequence);
  report_unsolved(d, s, &c->consequence);
  report_route(d, s);
}

void notices_report_summary(struct dp *d) {
  char text[200];
  if (d->config.def.track.route.count) {
    snprintf(text, sizeof text, "route: %.2f m of %.2f m, %d joints, largest cross-track error %.2f m",
             d->state.track.to_m, d->config.def.track.route.length_m, (int)d->state.track.joints,
             d->state.track.cross_most_m);
    notices_line(d, text, "");
  }
  for (int i = 0; client_networks(d->client) > 1 && i < NETWORKS; i++) {
    const struct client_counts counts = client_counts(d->client, i);
    snprintf(text, sizeof text, "network %s: %llu messages sent, %llu received, %llu of them doubled%s",
             network_name(i), (unsigned long long)counts.sent, (unsigned long long)counts.received,
             (unsigned long long)counts.doubled, counts.is_lost ? "; lost at the end" : "");
    notices_line(d, text, "");
  }
  if (d->pair.out) {
    const struct dp_pair *pair = &d->pair;
    snprintf(
        text, sizeof text,
        "pair: %llu states followed, %llu answers different; %llu messages refused, %llu of another session; "
        "%llu connections denied",
        (unsigned long long)pair->followed, (unsigned long long)pair->different,
        (unsigned long long)pair->refused, (unsigned long long)pair->elsewhere,
        (unsigned long long)pair->denied);
    notices_line(d, text, "");
  }
  if (d->config.telegram_count) {
    uint64_t taken = 0, refused = 0;
    for (int i = 0; i < d->config.telegram_count; i++) {
      taken += d->telegrams.instrument[i].received;
      refused += d->telegrams.instrument[i].refused;
    }
    snprintf(text, sizeof text, "telegrams: %llu taken, %llu refused", (unsigned long long)taken,
             (unsigned long long)refused);
    notices_line(d, text, "");
    for (int i = 0; i < d->config.telegram_count; i++) {
      const struct telegram_instrument *of = &d->telegrams.instrument[i];
      snprintf(text, sizeof text, "%llu refused, the last one of %.100s", (unsigned long long)of->refused,
               of->problem);
      if (of->refused)
        notices_line(d, "telegrams: ", text);
      snprintf(text, sizeof text,
               "%s: %llu sentences that say nothing about it passed over, the last one %.10s",
               of->newest.name, (unsigned long long)of->others, of->other);
      if (of->others)
        notices_line(d, "telegrams: ", text);
    }
  }
  if (!d->config.def.navigation.count && !d->config.def.allocation.actuator_count)
    return;
  snprintf(
      text, sizeof text,
      "%llu commands; readings rejected %llu; samples in dead reckoning %llu, with saturated thrusters %llu",
      (unsigned long long)d->sent, (unsigned long long)d->state.navigation.rejected,
      (unsigned long long)d->reckoned, (unsigned long long)d->saturated);
  notices_line(d, text, "");
}
