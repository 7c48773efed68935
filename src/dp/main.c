// sagbend-dp: the DP controller as a program of its own. It knows the protocol and its own DP file, nothing
// else.
#include "dp/notices.h"

#include "rt/os.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { POLL_MS = 200 };

static volatile sig_atomic_t stop_requested;

static void on_signal(int number) {
  (void)number;
  stop_requested = 1;
}

static void on_welcome(struct dp *d, const struct wire_message *m) {
  if (strcmp(d->session, m->header.session) == 0)
    return; // the same simulator after some silence
  memcpy(d->session, m->header.session, sizeof d->session);
  dp_init(&d->state);
  d->active = 0;
  d->has_answer = 0;
  notices_line(d, "welcomed by session ", d->session);
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
    notices_line(d, "takes over", "");
  }
  notices_report_changes(d, s);
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
      notices_line(d, "the session has ended: ", m.as.event.text);
      return EXIT_DONE;
    }
  }
  return EXIT_DONE;
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
  notices_report_summary(&d);
  client_close(d.client);
  return status;
}
