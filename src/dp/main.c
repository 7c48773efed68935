// sagbend-dp: the DP controller as a process of its own. It knows the protocol and its own file, nothing
// else.
#include "dp/dp_options.h"

#include "control/dp.h"
#include "io/config/config.h"
#include "io/net/clock.h"
#include "io/wire/client.h"
#include "rt/os.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 200, STATUS_MS = 200 };

static volatile sig_atomic_t stop_requested;

static void on_signal(int number) {
  (void)number;
  stop_requested = 1;
}

struct dp {
  const struct dp_options *options;
  struct dp_config config;
  struct client *client;
  struct dp_state state;
  char session[WIRE_NAME];
  int standby, active; // what was last told to people
  int has_answer;      // in this session:
  struct command answer;
  uint64_t sent, refused;
  int32_t told_use[MAX_INSTRUMENTS], told_thruster[MAX_THRUSTERS];
  int told_reckoning, told_tension, told_saturated;
  uint64_t told_jumps;
  uint64_t reckoned, saturated; // samples
  int status_shown;
  int64_t status_ms;
};

// One line on stderr, past the status line.
static void say(struct dp *d, const char *text, const char *more) {
  if (d->options->quiet)
    return;
  fprintf(stderr, "%ssagbend-dp: %s%s\n", d->status_shown ? "\r\033[K" : "", text, more);
  d->status_shown = 0;
}

static void say_at(struct dp *d, double time_s, const char *text) {
  char line[200];
  snprintf(line, sizeof line, "t = %.1f s: %s", time_s, text);
  say(d, line, "");
}

static void tell_flag(struct dp *d, const struct wire_sensors *s, int *told, int now, const char *on,
                      const char *off) {
  if ((*told != 0) != (now != 0))
    say_at(d, s->dp.time_s, now ? on : off);
  *told = now;
}

// References and thrusters in use, if the file has any: "gnss 2/3 1 rejected  gyro 3/3  DEAD RECKONING
// thrusters 4/4".
static void tell_state(const struct dp *d, const struct wire_sensors *s, char *text, size_t size) {
  const struct dp_def *def = &d->config.def;
  const struct navigation_state *n = &d->state.navigation;
  const struct allocation_state *a = &d->state.allocation;
  size_t used = 0;
  text[0] = '\0';
#define ADD(...) (used += used < size ? (size_t)snprintf(text + used, size - used, __VA_ARGS__) : 0)
  static const enum instrument told[] = {INSTRUMENT_GNSS, INSTRUMENT_GYRO, INSTRUMENT_LOAD_CELL};
  for (size_t k = 0; k < sizeof told / sizeof *told && s->dp.readings.instrument_count > 0; k++) {
    int all = 0, rejected = navigation_instrument_count(n, &def->navigation, told[k], USE_REJECTED);
    for (int i = 0; i < def->navigation.count; i++)
      all += def->navigation.instrument[i].kind == told[k];
    if (all)
      ADD("  %s %d/%d", instrument_name(told[k]),
          navigation_instrument_count(n, &def->navigation, told[k], USE_IN_USE), all);
    if (rejected)
      ADD(" (%d rejected)", rejected);
  }
  if (s->dp.readings.instrument_count > 0 && !n->ready)
    ADD("  NO POSITION");
  if (n->dead_reckoning)
    ADD("  DEAD RECKONING");
  if (def->allocation.actuator_count && d->state.active)
    ADD("  thrusters %d/%d%s%s%s", a->in_use, def->allocation.actuator_count,
        a->deviating ? " DEVIATING" : "", a->saturated ? " SATURATED" : "", a->power_limited ? " POWER" : "");
#undef ADD
}

static void show_status(struct dp *d, const struct wire_sensors *s, const struct command *c) {
  int64_t now = clock_ms();
  if (d->options->quiet || !isatty(STDERR_FILENO) || now - d->status_ms < STATUS_MS)
    return;
  double reference[6], rate[6], position[2] = {s->dp.position_n_m[0], s->dp.position_n_m[1]}, wrench[3];
  char state[160];
  if (d->state.navigation.ready)
    navigation_position(&d->state.navigation, &d->config.def.observer, position);
  const double *given = d->config.def.allocation.actuator_count ? d->state.allocation.given : wrench;
  wrench[0] = c->wrench_b[0];
  wrench[1] = c->wrench_b[1];
  wrench[2] = c->wrench_b[5];
  tell_state(d, s, state, sizeof state);
  dp_reference(&d->state, &d->config.def.pid, s->dp.time_s, reference, rate);
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

// What changed in what the controller believes, a line each.
static void say_changes(struct dp *d, const struct wire_sensors *s) {
  const struct dp_def *def = &d->config.def;
  const struct navigation_state *n = &d->state.navigation;
  const struct allocation_state *a = &d->state.allocation;
  char text[128];
  for (int i = 0; i < def->navigation.count && s->dp.readings.instrument_count > 0; i++) {
    if (d->told_use[i] == n->use[i])
      continue;
    if (s->dp.step > 0 && n->ready) {
      snprintf(text, sizeof text, "%s is %s", def->navigation.instrument[i].name,
               instrument_use_name((enum instrument_use)n->use[i]));
      say_at(d, s->dp.time_s, text);
    }
    d->told_use[i] = n->use[i];
  }
  tell_flag(d, s, &d->told_reckoning, n->dead_reckoning, "no position left: dead reckoning",
            "position again");
  tell_flag(d, s, &d->told_tension, n->tension_lost, "no load cell left: tension by estimate",
            "tension measured again");
  for (int i = 0; i < def->allocation.actuator_count && d->state.active; i++) {
    static const char *const states[] = {"in use", "not of this vessel", "out", "not following"};
    if (d->told_thruster[i] == a->state[i])
      continue;
    snprintf(text, sizeof text, "thruster %s is %s", def->allocation.actuator[i].name, states[a->state[i]]);
    say_at(d, s->dp.time_s, text);
    d->told_thruster[i] = a->state[i];
  }
  if (d->told_jumps != d->state.clock.jumps) {
    snprintf(text, sizeof text, "the clock of the sensors jumped, %+.3f s in all: not followed",
             d->state.clock.offset_s);
    say_at(d, s->dp.time_s, text);
    d->told_jumps = d->state.clock.jumps;
  }
  tell_flag(d, s, &d->told_saturated, a->saturated, "thrusters saturated", "thrusters give what is asked");
}

static void on_welcome(struct dp *d, const struct wire_message *m) {
  if (strcmp(d->session, m->header.session) == 0)
    return; // the same simulator after some silence
  memcpy(d->session, m->header.session, sizeof d->session);
  dp_init(&d->state);
  d->active = 0;
  d->has_answer = 0;
  say(d, "welcomed by session ", d->session);
}

// After some silence the simulator sends its newest Sensors again: their answer may have been lost. The same
// answer, since a second sample of the same moment would leave another state than one.
static int answer_again(struct dp *d, const struct wire_sensors *s) {
  if (!d->has_answer || s->dp.step > d->answer.based_on_step)
    return 0;
  struct command again = d->answer;
  if (s->dp.step == d->answer.based_on_step)
    client_send(d->client, &again);
  return 1;
}

static void on_sensors(struct dp *d, const struct wire_sensors *s) {
  struct command command;
  if (answer_again(d, s))
    return;
  dp_sample(&d->state, &d->config.def, &s->dp, &command);
  d->answer = command;
  d->has_answer = 1;
  if (client_send(d->client, &command))
    d->sent++;
  d->reckoned += d->state.navigation.dead_reckoning != 0;
  d->saturated += d->state.allocation.saturated != 0;
  if (!command.standby && !d->active) {
    d->active = 1;
    say(d, "takes over", "");
  }
  say_changes(d, s);
  show_status(d, s, &command);
}

static void on_refusal(struct dp *d, const struct wire_refusal *r) {
  // The first, then at every power of two: a flood of them must not become a flood of lines.
  if ((d->refused & (d->refused + 1)) == 0) {
    char text[400];
    snprintf(text, sizeof text, "%s: %s (refusal %llu)", refusal_name(r->reason), r->text,
             (unsigned long long)d->refused + 1);
    say(d, "refused, ", text);
  }
  d->refused++;
}

// Until the session ends, a signal comes or the socket fails.
static int answer_sensors(struct dp *d) {
  struct wire_message m;
  struct reason why;
  while (!stop_requested) {
    if (client_poll(d->client, POLL_MS, &m, &why) != STATUS_OK) {
      fprintf(stderr, "sagbend-dp: %s\n", why.text);
      return EXIT_FAILED;
    }
    if (m.kind == WIRE_WELCOME)
      on_welcome(d, &m);
    else if (m.kind == WIRE_SENSORS)
      on_sensors(d, &m.as.sensors);
    else if (m.kind == WIRE_REFUSAL)
      on_refusal(d, &m.as.refusal);
    else if (m.kind == WIRE_END) {
      say(d, "the session has ended: ", m.as.event.text);
      return EXIT_DONE;
    }
  }
  return EXIT_DONE;
}

static void say_summary(struct dp *d) {
  char text[200];
  if (!d->config.def.navigation.count && !d->config.def.allocation.actuator_count)
    return;
  snprintf(
      text, sizeof text,
      "%llu commands; readings rejected %llu; samples in dead reckoning %llu, with saturated thrusters %llu",
      (unsigned long long)d->sent, (unsigned long long)d->state.navigation.rejected,
      (unsigned long long)d->reckoned, (unsigned long long)d->saturated);
  say(d, text, "");
}

static void catch_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  struct sigaction hangup;
  if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN) // ignored: started with nohup
    sigaction(SIGHUP, &action, NULL);
}

int main(int argc, char **argv) {
  struct dp_options options;
  os_survive_closed_streams();
  int status = dp_options_read(argc, argv, &options);
  if (status >= 0)
    return status;

  struct dp d = {.options = &options};
  if (dp_config_load(options.config, options.overrides, options.override_count, &d.config, stderr) !=
      STATUS_OK)
    return EXIT_USAGE;
  const char *endpoint = options.connect ? options.connect : d.config.connect;
  const char *name = options.name ? options.name : d.config.name;
  if (!*name || strlen(name) >= WIRE_NAME)
    return dp_usage_error("--name: 1 to 63 characters expected, got ", name);

  struct reason why;
  enum status opened = client_open(endpoint, name, &d.client, &why);
  if (opened != STATUS_OK) {
    fprintf(stderr, "sagbend-dp: %s\n", why.text);
    return opened == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
  }
  catch_signals();
  dp_init(&d.state);
  status = answer_sensors(&d);
  if (d.status_shown)
    fputc('\n', stderr);
  say_summary(&d);
  client_close(d.client);
  return status;
}
