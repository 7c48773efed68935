#include "dp/notices.h"

#include "io/net/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_MS = 200, SILENCE_MS = 5000 };
static const double LINK_S = 2; // without new Sensors, or without a new command in use

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
    snprintf(text, sizeof text, "%s: %s", o->connect ? o->connect : d->config.connect,
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

static void report_flag(struct dp *d, const struct wire_sensors *s, int *reported, int now, const char *on,
                        const char *off) {
  if ((*reported != 0) != (now != 0))
    report_at(d, s->dp.time_s, now ? on : off);
  *reported = now;
}

// The link, as the Sensors show it: a gap between them, and a command in use that stays the same although
// commands go out. After a reset the time begins again.
static void report_link(struct dp *d, const struct wire_sensors *s) {
  char text[96];
  double now_s = s->dp.time_s;
  if (now_s < d->sensors_s || d->sensors_s <= 0 || s->command_based_on_step != d->acting_step) {
    d->acting_step = s->command_based_on_step;
    d->acting_s = now_s;
  }
  if (now_s - d->sensors_s > LINK_S && d->sensors_s > 0) {
    snprintf(text, sizeof text, "link: no Sensors for %.1f s", now_s - d->sensors_s);
    report_at(d, now_s, text);
    d->acting_s = now_s;
  }
  d->sensors_s = now_s;
  report_flag(d, s, &d->reported_unheard, d->active && now_s - d->acting_s > LINK_S,
              "link: the vessel acts on no new command", "link: the vessel acts on new commands again");
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
  static const enum instrument reported[] = {INSTRUMENT_GNSS, INSTRUMENT_GYRO, INSTRUMENT_LOAD_CELL};
  for (size_t k = 0; k < sizeof reported / sizeof *reported && s->dp.readings.instrument_count > 0; k++) {
    int all = 0, rejected = navigation_instrument_count(n, &def->navigation, reported[k], USE_REJECTED);
    for (int i = 0; i < def->navigation.count; i++)
      all += def->navigation.instrument[i].kind == reported[k];
    if (all)
      ADD("  %s %d/%d", instrument_name(reported[k]),
          navigation_instrument_count(n, &def->navigation, reported[k], USE_IN_USE), all);
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
  fprintf(
      stderr,
      "\r\033[Kt %8.1f s  %-7s  error %7.2f m  surge %8.1f kN  sway %8.1f kN  yaw %9.1f kN m%s  refused %llu",
      s->dp.time_s, c->standby ? "standby" : "active", sqrt(north * north + east * east), given[0] / 1e3,
      given[1] / 1e3, given[2] / 1e3, state, (unsigned long long)d->refused);
  fflush(stderr);
  d->status_ms = now;
  d->status_shown = 1;
}

// A line for each change of what the reference waits for.
static void report_wait(struct dp *d, const struct wire_sensors *s) {
  static const char *const reasons[TRACK_WAIT_COUNT] = {
      "nothing: it goes on",
      "the operator, who has stopped it",
      "the vessel, which is too far from it",
      "the tension, which is outside of its limits",
      "the length paid out, which no instrument in use shows",
      "the tensioner, which holds the pipe",
      "the pay-out, which is short of the way"};
  const struct track_state *track = &d->state.track;
  char text[160];
  if (d->reported_wait == track->wait)
    return;
  snprintf(text, sizeof text, "the reference waits for %s", reasons[track->wait]);
  report_at(d, s->dp.time_s, text);
  d->reported_wait = track->wait;
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

// A line for each change of what makes an instrument doubtful.
static void report_doubts(struct dp *d, const struct wire_sensors *s) {
  const struct navigation_def *def = &d->config.def.navigation;
  char text[128];
  for (int i = 0; i < def->count && s->dp.readings.instrument_count > 0; i++) {
    const struct instrument_watch *w = &d->state.navigation.watch[i];
    if (d->reported_doubt[i] == w->doubt)
      continue;
    snprintf(text, sizeof text, "%s is %s%s%s", def->instrument[i].name,
             instrument_doubt_name((enum instrument_doubt)w->doubt), w->doubt == DOUBT_COPY ? " of " : "",
             w->doubt == DOUBT_COPY ? def->instrument[w->copy_of].name : "");
    report_at(d, s->dp.time_s, text);
    d->reported_doubt[i] = w->doubt;
  }
}

// The consequence analysis: when it begins to know, and each change of its alarm.
static void report_consequence(struct dp *d, const struct wire_sensors *s,
                               const struct consequence_report *now) {
  char text[160];
  if (d->reported_analysis == now->known && d->reported_consequence == now->alarm)
    return;
  if (!now->known)
    snprintf(text, sizeof text, "consequence analysis: waits %g s for the load at the new set-point",
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

// A line for each thruster whose feedback has become wrong, or right again.
static void report_feedback(struct dp *d, const struct wire_sensors *s) {
  const struct allocation_def *def = &d->config.def.allocation;
  const struct thruster_watch *watch = &d->state.allocation.watch;
  char text[160];
  for (int i = 0; i < def->actuator_count && d->state.active; i++) {
    int copies = watch->verdict[i] == THRUSTER_COPIES,
        is_wrong = copies || watch->verdict[i] == THRUSTER_MISREPORTS;
    if (is_wrong == d->reported_feedback[i])
      continue;
    snprintf(text, sizeof text, "thruster %s: its feedback is %s", def->actuator[i].name,
             copies     ? "that of another thruster"
             : is_wrong ? "wrong"
                        : "right again");
    report_at(d, s->dp.time_s, text);
    d->reported_feedback[i] = is_wrong;
  }
}

// Missing power, with the buses on which it may be missing.
static void report_power(struct dp *d, const struct wire_sensors *s) {
  const struct allocation_def *def = &d->config.def.allocation;
  const struct power_watch *power = &d->state.allocation.power;
  char on[80 + MAX_BUSES * (SIGNAL_NAME + 4)];
  int used = snprintf(on, sizeof on, "%.2f MW less power than before on bus", power->gone_w / 1e6), any = 0;
  for (int b = 0; b < def->bus_count; b++)
    if (power->is_short[b] && power->is_known)
      used += snprintf(on + used, sizeof on - (size_t)used, "%s%s", any++ ? " or " : " ", def->bus[b].name);
  report_flag(d, s, &d->reported_short, any > 0, on, "the power of the buses is there again");
}

// What changed in what the controller believes, a line each.
void notices_report_changes(struct dp *d, const struct wire_sensors *s, const struct command *c) {
  const struct dp_def *def = &d->config.def;
  const struct navigation_state *n = &d->state.navigation;
  const struct allocation_state *a = &d->state.allocation;
  char text[128];
  for (int i = 0; i < def->navigation.count && s->dp.readings.instrument_count > 0; i++) {
    if (d->reported_use[i] == n->use[i])
      continue;
    if (s->dp.step > 0 && n->ready) {
      snprintf(text, sizeof text, "%s is %s", def->navigation.instrument[i].name,
               instrument_use_name((enum instrument_use)n->use[i]));
      report_at(d, s->dp.time_s, text);
    }
    d->reported_use[i] = n->use[i];
  }
  report_doubts(d, s);
  report_flag(d, s, &d->reported_reckoning, n->dead_reckoning, "no position left: dead reckoning",
              "position again");
  report_flag(d, s, &d->reported_tension, n->tension_lost, "no load cell left: tension by estimate",
              "tension measured again");
  for (int i = 0; i < def->allocation.actuator_count && d->state.active; i++) {
    static const char *const states[] = {"in use", "not of this vessel", "out", "not following"};
    if (d->reported_thruster[i] == a->state[i])
      continue;
    snprintf(text, sizeof text, "thruster %s is %s", def->allocation.actuator[i].name, states[a->state[i]]);
    report_at(d, s->dp.time_s, text);
    d->reported_thruster[i] = a->state[i];
  }
  report_feedback(d, s);
  report_power(d, s);
  if (d->reported_jumps != d->state.clock.jumps) {
    snprintf(text, sizeof text, "the clock of the sensors jumped, %+.3f s in all: not followed",
             d->state.clock.offset_s);
    report_at(d, s->dp.time_s, text);
    d->reported_jumps = d->state.clock.jumps;
  }
  report_link(d, s);
  report_wait(d, s);
  report_route(d, s);
  report_consequence(d, s, &c->consequence);
  report_flag(d, s, &d->reported_saturated, a->saturated, "thrusters saturated",
              "thrusters give what is asked");
}

void notices_report_summary(struct dp *d) {
  char text[200];
  if (d->config.def.track.route.count) {
    snprintf(text, sizeof text, "route: %.2f m of %.2f m, %d joints, largest cross-track error %.2f m",
             d->state.track.to_m, d->config.def.track.route.length_m, (int)d->state.track.joints,
             d->state.track.cross_most_m);
    notices_line(d, text, "");
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
