// sagbend-dp: the DP controller as a program of its own. It knows the protocol and its own DP file, nothing
// else.
#include "net/case/case.h"
#include "programs/dp/dp_program_internal.h"

#include "net/zmtp/zmtp.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { POLL_MS = 200, HAND_OVER_MS = 1000 };

static const double DEG_PER_RAD = 180 / 3.14159265358979323846;

static volatile sig_atomic_t stop_requested;

static volatile sig_atomic_t hand_over_requested;

static void on_signal(int number) {
  if (number != SIGUSR1)
    stop_requested = 1;
  hand_over_requested = 1;
}

// Whether this controller commands, as far as it has been told.
static int is_in_command(const struct dp *d) {
  return !d->has_redundancy || d->redundancy.in_command;
}

// The controller to which it hands over; "": to none.
static const char *successor(const struct dp *d) {
  if (!d->has_redundancy || !d->redundancy.in_command)
    return "";
  if (d->pair.heard && !d->pair.is_silent)
    return dp_pair_is_followed(d) ? d->pair.other : "";
  return d->redundancy.next;
}

static int send_answer(struct dp *d, struct command *command) {
  if (hand_over_requested && !stop_requested && !is_in_command(d)) {
    hand_over_requested = 0;
    notices_line(d, "hands nothing over: it stands by", "");
  }
  const char *next = hand_over_requested ? successor(d) : "";
  const int is_sent =
      client_send_as(d->client, command,
                     &(struct client_answer){.alarms = &d->alarms,
                                             .is_shadow = !is_in_command(d),
                                             .hand_over = next,
                                             .estimate = d->has_estimate ? d->estimate : NULL});
  if (!is_sent || !*next)
    return is_sent;
  hand_over_requested = 0;
  notices_line(d, "hands over to ", next);
  d->redundancy.in_command = 0;
  d->is_handing_over = 1;
  return is_sent;
}

static void adopt_redundancy(struct dp *d, const struct wire_welcome *w) {
  const int was_told = d->has_redundancy, was_in_command = d->redundancy.in_command;
  const int is_another = strcmp(d->redundancy.next, w->redundancy.next) != 0;
  d->is_handing_over = 0;
  d->has_redundancy = w->has_redundancy;
  d->redundancy = w->redundancy;
  if (was_told && is_another && w->redundancy.in_command && *w->redundancy.next)
    notices_line(d, "next in command: ", w->redundancy.next);
  if (!w->has_redundancy || (was_told && was_in_command == w->redundancy.in_command))
    return;
  if (w->redundancy.in_command)
    notices_line(d, "is in command", "");
  else
    notices_line(
        d, w->redundancy.rank ? "stands by; in command: " : "is not listed, and stands by; in command: ",
        w->redundancy.commander);
}

// An operator's set-point replaces that of the DP file.
static void adopt_setpoint(struct dp *d, const struct wire_welcome *w) {
  char text[120];
  if (!w->has_setpoint ||
      !dp_adopt_setpoint(&d->state, &d->config.def, &d->setpoint_order, w->setpoint_order, w->setpoint))
    return;
  memcpy(d->ordered_setpoint, w->setpoint, sizeof d->ordered_setpoint);
  snprintf(text, sizeof text, "north %.3f m, east %.3f m, heading %.3f deg", w->setpoint[0], w->setpoint[1],
           w->setpoint[2] * DEG_PER_RAD);
  notices_line(d, "the operator's set-point: ", text);
}

// Orders for the route come in a Welcome as well.
static void adopt_track(struct dp *d, const struct wire_track *track) {
  char text[120];
  if (!dp_adopt_track(&d->state, &d->track_order, track->order, &track->orders))
    return;
  d->ordered_track = track->orders;
  if (!d->config.def.track.route.count)
    snprintf(text, sizeof text, "no route, so that nothing changes");
  else if (track->orders.speed_mps > 0)
    snprintf(text, sizeof text, "%s, %g m/s", track->orders.is_stopped ? "stop" : "go",
             track->orders.speed_mps);
  else
    snprintf(text, sizeof text, "%s", track->orders.is_stopped ? "stop" : "go");
  notices_line(d, "the operator's order for the route: ", text);
}

static void begin_session(struct dp *d, const struct wire_message *m) {
  memcpy(d->session, m->header.session, sizeof d->session);
  dp_init(&d->state);
  dp_telegrams_begin(&d->telegrams);
  d->active = 0;
  d->reported_consequence = d->reported_analysis = 0;
  d->reported_unsolved = 0;
  d->reported_phase = TRACK_NONE;
  d->reported_joints = 0;
  d->alarms.count = d->reported.count = 0;
  d->has_answer = d->has_estimate = d->is_returning = 0;
  d->setpoint_order = 0;
  d->track_order = 0;
  d->paused = 0;
  d->has_redundancy = 0;
  dp_pair_begin(d);
  notices_line(d, "welcomed by session ", d->session);
}

static void on_welcome(struct dp *d, const struct wire_message *m) {
  if (strcmp(d->session, m->header.session) != 0) // else the same simulator after some silence
    begin_session(d, m);
  adopt_redundancy(d, &m->as.welcome);
  adopt_setpoint(d, &m->as.welcome);
  adopt_track(d, &m->as.welcome.track);
  d->view_period_s = m->as.welcome.controller_view_period_s;
}

// While the simulator makes no steps its Status comes instead of Sensors.
static void on_status(struct dp *d, const struct wire_header *at, const struct wire_hold *hold) {
  char text[400];
  if (d->paused == hold->is_paused)
    return;
  d->paused = hold->is_paused;
  if (hold->is_paused)
    snprintf(text, sizeof text, "at t = %.3f s: %s%s%s", at->time_s, hold->why,
             *hold->operator_name ? " by " : "", hold->operator_name);
  notices_line(d, hold->is_paused ? "the simulator makes no steps " : "the simulator goes on",
               hold->is_paused ? text : "");
}

// After some silence the simulator sends its newest Sensors again: their answer may have been lost. The same
// answer, since a second sample of the same moment would leave another state than one.
static int answer_again(struct dp *d, const struct wire_sensors *s) {
  if (!d->has_answer || s->dp.step > d->answer.based_on_step)
    return 0;
  struct command again = d->answer;
  if (s->dp.step == d->answer.based_on_step)
    send_answer(d, &again);
  return 1;
}

// Heading and depth as the controller sees them; before it sees any, by the first gyro.
static struct telegram_pose pose_of(const struct dp *d, const struct readings *readings) {
  const struct navigation_state *n = &d->state.navigation;
  struct telegram_pose pose = {.down_m = n->down_m};
  if (n->ready && d->config.def.observer.present) {
    pose.heading_rad = n->observer.eta[2] + n->observer.xi2[2];
    return pose;
  }
  if (n->ready)
    pose.heading_rad = n->eta[2];
  for (int i = readings->instrument_count - 1; i >= 0 && !n->ready; i--)
    if (readings->instrument[i].kind == INSTRUMENT_GYRO && readings->instrument[i].valid)
      pose.heading_rad = readings->instrument[i].value[0];
  return pose;
}

// What has come by telegrams, and for each instrument a line for the first that is refused and at every power
// of two.
static void take_telegrams(struct dp *d, struct wire_sensors *s) {
  uint64_t before[MAX_DP_TELEGRAMS];
  const struct telegram_pose pose = pose_of(d, &s->dp.readings);
  const int count = d->config.telegram_count;
  for (int i = 0; i < count; i++)
    before[i] = d->telegrams.instrument[i].refused;
  dp_telegrams_take(&d->telegrams, s->dp.time_s, &pose, &s->dp.readings);
  for (int i = 0; i < count; i++) {
    const struct telegram_instrument *of = &d->telegrams.instrument[i];
    if (of->refused != before[i] && (before[i] & (before[i] - 1)) == 0)
      notices_line(d, "a telegram is refused, ", of->problem);
  }
}

static double since_step(const struct dp *d, uint64_t now, uint64_t step) {
  return (double)(now - step) * d->state.clock.step_s;
}

// A redundant controller that was cut off, with the command or without, knows the vessel as it was: until
// references have shown it anew it takes over again at each sample, from the thrust that acts. It would go on
// with an estimate that was predicted all the time, and step the thrust by what that is wrong.
static void stand_by_after_gap(struct dp *d, uint64_t step) {
  static const double LONG_S = 5; // a gap
  if (d->has_redundancy && d->has_answer && since_step(d, step, d->answer.based_on_step) > LONG_S &&
      !d->is_returning) {
    notices_line(d, "Sensors come again after a gap", ": it takes over anew");
    d->is_returning = 1;
    d->returned_step = d->unseen_step = step;
  }
  if (d->is_returning)
    dp_stand_by(&d->state);
}

// Behind a gap the observer begins at one position without speed: in the next samples the noise of a gyro
// moves its rate by as much as the vessel ever turns, and each fix its speed.
static void settle_after_gap(struct dp *d, uint64_t step) {
  static const double SETTLES_S = 5, AT_MOST_S = 10; // with a reference; without one, by its gyros
  const int is_unseen = d->state.navigation.is_blind || d->state.navigation.dead_reckoning;
  if (is_unseen)
    d->unseen_step = step;
  d->is_returning &= is_unseen ? since_step(d, step, d->returned_step) < AT_MOST_S
                               : since_step(d, step, d->unseen_step) < SETTLES_S;
}

static void on_sensors(struct dp *d, struct wire_sensors *s) {
  struct command command;
  if (answer_again(d, s))
    return;
  stand_by_after_gap(d, s->dp.step);
  take_telegrams(d, s);
  dp_pair_take(d, s->dp.step);
  if (!is_in_command(d) && !dp_pair_has_commander(d) && !d->is_handing_over)
    dp_stand_by(&d->state);
  dp_sample(&d->state, &d->config.def, &s->dp, &d->work, &command);
  settle_after_gap(d, s->dp.step);
  dp_alarms(&d->state, &d->config.def, &d->alarms);
  dp_pair_report(d, s->dp.time_s);
  d->answer = command;
  d->has_answer = 1;
  d->has_estimate = d->has_redundancy && view_estimate(d, &s->dp, d->estimate);
  if (d->is_returning)
    dp_stand_by(&d->state); // before it is sent: the one that follows takes over at each sample, too
  dp_pair_send(d);
  if (send_answer(d, &command))
    d->sent++;
  view_send_if_due(d, s, &command);
  d->reckoned += d->state.navigation.dead_reckoning != 0;
  d->saturated += d->state.allocation.saturated != 0;
  if (!command.standby && !d->active) {
    d->active = 1;
    notices_line(d, "takes over", "");
  }
  notices_report_changes(d, s, &command);
  notices_show_status(d, s, &command);
}

static void on_refusal(struct dp *d, const struct wire_refusal *r) {
  // The first, then at every power of two: a flood of them must not become a flood of lines.
  if ((d->refused & (d->refused + 1)) == 0) {
    char text[400];
    snprintf(text, sizeof text, "%s: %s (refusal %llu)", refusal_name(r->reason), r->text,
             (unsigned long long)d->refused + 1);
    notices_line(d, "refused, ", text);
  }
  d->refused++;
  if (d->is_handing_over) // the other one has not taken over
    d->redundancy.in_command = 1;
  d->is_handing_over = 0;
}

// A controller in command first hands over, if there is a successor; the next Sensors are soon there.
static int must_stop(const struct dp *d, int64_t *stop_ms) {
  if (!stop_requested)
    return 0;
  *stop_ms = *stop_ms ? *stop_ms : clock_ms() + HAND_OVER_MS;
  const int may_follow = is_in_command(d) && d->pair.heard && !d->pair.is_silent; // if not yet, soon
  return (!*successor(d) && !may_follow) || d->paused || clock_ms() > *stop_ms;
}

// Answers until the session ends, a signal stops the program or the socket fails.
static enum status answer_sensors(struct dp *d, struct reason *why) {
  struct wire_message m;
  struct reason notice;
  int64_t stop_ms = 0;
  while (!must_stop(d, &stop_ms)) {
    if (client_poll(d->client, POLL_MS, &m, why) != STATUS_OK)
      return STATUS_IO;
    dp_pair_serve(d);
    if (client_take_notice(d->client, &notice))
      notices_line(d, notice.text, "");
    notices_report_silence(d, m.kind != WIRE_NONE);
    if (m.kind == WIRE_WELCOME)
      on_welcome(d, &m);
    else if (m.kind == WIRE_SENSORS)
      on_sensors(d, &m.as.sensors);
    else if (m.kind == WIRE_STATUS)
      on_status(d, &m.header, &m.as.hold);
    else if (m.kind == WIRE_REFUSAL)
      on_refusal(d, &m.as.refusal);
    else if (m.kind == WIRE_END) {
      notices_line(d, "the session has ended: ", m.as.event.text);
      return STATUS_OK;
    }
  }
  return STATUS_OK;
}

static void catch_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  struct sigaction hangup;
  if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN) // ignored: started with nohup
    sigaction(SIGHUP, &action, NULL);
}

// Loads the DP file and connects. The file's errors are lines on stderr.
static enum status open_controller(struct dp *d, struct reason *why) {
  const struct dp_options *o = d->options;
  if (dp_config_load(o->config, o->overrides, o->override_count, &d->config, stderr) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const char *endpoints[NETWORKS];
  for (int i = 0; i < NETWORKS; i++)
    endpoints[i] = o->connect[0] ? o->connect[i] : d->config.connect[i];
  const char *name = o->name ? o->name : d->config.name;
  if (!*name || strlen(name) >= WIRE_NAME)
    return fail(why, STATUS_BAD_INPUT,
                "--name: 1 to 63 characters expected, got %.80s; see 'sagbend-dp --help'", name);
  snprintf(d->name, sizeof d->name, "%s", name);
  if (!o->key)
    return client_open_both(endpoints, name, NULL, &d->client, why);
  struct client_keys keys;
  enum status status = client_keys_read(o->key, o->server_key, &keys, why);
  if (status == STATUS_OK)
    status = client_open_both(endpoints, name, &keys, &d->client, why);
  peer_secret_forget(&keys.own);
  return status;
}

static int control(const struct dp_options *options) {
  static struct dp d; // too large for a small stack
  d.options = options;
  struct reason why = {""};
  os_end_with_leader();
  catch_signals(); // first: a signal may come as soon as the simulator sees the connection
  enum status status = open_controller(&d, &why);
  if (status == STATUS_OK)
    status = dp_telegrams_open(&d.telegrams, &d.config, &why);
  if (status == STATUS_OK)
    status = dp_pair_open(&d, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend-dp", status, &why);

  dp_init(&d.state);
  d.heard_ms = clock_ms();
  status = answer_sensors(&d, &why);
  if (d.status_shown)
    fputc('\n', stderr);
  int exit_status = exit_with_reason("sagbend-dp", status, &why);
  notices_report_summary(&d);
  dp_telegrams_close(&d.telegrams);
  dp_pair_close(&d.pair);
  client_close(d.client);
  return exit_status;
}

int main(int argc, char **argv) {
  struct dp_options options;
  struct reason why = {""};
  os_survive_closed_streams();
  int exit_status = exit_with_reason("sagbend-dp", dp_options_read(argc, argv, &options, &why), &why);
  if (exit_status != EXIT_DONE)
    return exit_status;

  if (options.version)
    dp_print_version();
  else if (options.help)
    dp_print_help();
  else
    exit_status = control(&options);
  return exit_status;
}
