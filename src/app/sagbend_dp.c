// sagbend-dp: the DP controller as a process of its own. It knows the protocol and its own file, nothing
// else.
#include "control/dp.h"
#include "io/client.h"
#include "io/clock.h"
#include "io/config.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
enum { MAX_OVERRIDES = 64, POLL_MS = 200, STATUS_MS = 200 };

static volatile sig_atomic_t stop_requested;

static void on_signal(int number) {
  (void)number;
  stop_requested = 1;
}

struct options {
  const char *config, *connect, *name;
  const char *overrides[MAX_OVERRIDES];
  int override_count;
  int quiet;
};

struct dp {
  const struct options *options;
  struct dp_config config;
  struct client *client;
  struct dp_state state;
  char session[WIRE_NAME];
  int standby, active; // what was last told to people
  uint64_t sent, refused;
  int status_shown;
  int64_t status_ms;
};

static void print_help(FILE *out) {
  fputs("usage: sagbend-dp CONFIG [options]\n"
        "Keeps a vessel that sagbend simulates on its set-point, over the protocol of proto/sagbend/v1.\n"
        "It may be started before or after the simulator, killed and restarted; it ends with the session.\n"
        "\n"
        "  CONFIG               DP file: gains, set-point, switch-on time (configs/*-dp.yaml)\n"
        "  -c, --connect ENDPOINT  command endpoint of the simulator (default: `connect` in CONFIG)\n"
        "  -s, --set KEY=VALUE  overrides a key of CONFIG; may be repeated\n"
        "  -n, --name NAME      what the simulator calls it (default: `name` in CONFIG)\n"
        "  -q, --quiet          no status line and no notices\n"
        "  -V, --version        prints the version\n"
        "  -h, --help           prints this\n"
        "\n"
        "Example: sagbend-dp configs/jlay-900m-dp.yaml --connect tcp://127.0.0.1:47700 --set pid.start_s=20\n"
        "Exit status: 0 the session ended or a signal came, 1 failure, 2 bad usage or bad input.\n",
        out);
}

static int usage_error(const char *what, const char *found) {
  fprintf(stderr, "sagbend-dp: %s%s; see 'sagbend-dp --help'\n", what, found);
  return EXIT_USAGE;
}

// -1 to go on, otherwise the exit status.
static int read_options(int argc, char **argv, struct options *o) {
  static const struct option long_options[] = {{"connect", required_argument, NULL, 'c'},
                                               {"set", required_argument, NULL, 's'},
                                               {"name", required_argument, NULL, 'n'},
                                               {"quiet", no_argument, NULL, 'q'},
                                               {"version", no_argument, NULL, 'V'},
                                               {"help", no_argument, NULL, 'h'},
                                               {NULL, 0, NULL, 0}};
  memset(o, 0, sizeof *o);
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, ":c:s:n:qVh", long_options, NULL)) != -1) {
    switch (option) {
    case 'c':
      o->connect = optarg;
      break;
    case 's':
      if (o->override_count == MAX_OVERRIDES)
        return usage_error("too many --set", "");
      o->overrides[o->override_count++] = optarg;
      break;
    case 'n':
      o->name = optarg;
      break;
    case 'q':
      o->quiet = 1;
      break;
    case 'V':
      puts("sagbend-dp " SAGBEND_VERSION);
      return EXIT_DONE;
    case 'h':
      print_help(stdout);
      return EXIT_DONE;
    case ':':
      return usage_error("a value is missing after ", argv[optind - 1]);
    default:
      return usage_error("unknown option ", argv[optind - 1]);
    }
  }
  if (optind == argc)
    return usage_error("the DP file is missing", "");
  if (optind + 1 < argc)
    return usage_error("one DP file expected, also got ", argv[optind + 1]);
  o->config = argv[optind];
  return -1;
}

// One line on stderr, past the status line.
static void say(struct dp *d, const char *text, const char *more) {
  if (d->options->quiet)
    return;
  fprintf(stderr, "%ssagbend-dp: %s%s\n", d->status_shown ? "\r\033[K" : "", text, more);
  d->status_shown = 0;
}

static void show_status(struct dp *d, const struct wire_sensors *s, const struct command *c) {
  int64_t now = clock_ms();
  if (d->options->quiet || !isatty(STDERR_FILENO) || now - d->status_ms < STATUS_MS)
    return;
  double reference[6], rate[6];
  dp_reference(&d->state, &d->config.def.pid, s->dp.time_s, reference, rate);
  double north = s->dp.position_n_m[0] - reference[0], east = s->dp.position_n_m[1] - reference[1];
  fprintf(
      stderr,
      "\r\033[Kt %8.1f s  %-7s  error %7.2f m  surge %8.1f kN  sway %8.1f kN  yaw %9.1f kN m  refused %llu",
      s->dp.time_s, c->standby ? "standby" : "active", sqrt(north * north + east * east),
      c->wrench_b[0] / 1e3, c->wrench_b[1] / 1e3, c->wrench_b[5] / 1e3, (unsigned long long)d->refused);
  fflush(stderr);
  d->status_ms = now;
  d->status_shown = 1;
}

static void on_welcome(struct dp *d, const struct wire_message *m) {
  if (strcmp(d->session, m->header.session) == 0)
    return; // the same simulator after some silence
  memcpy(d->session, m->header.session, sizeof d->session);
  dp_init(&d->state);
  d->active = 0;
  say(d, "welcomed by session ", d->session);
}

static void on_sensors(struct dp *d, const struct wire_sensors *s) {
  struct command command;
  dp_sample(&d->state, &d->config.def, &s->dp, &command);
  if (client_send(d->client, &command))
    d->sent++;
  if (!command.standby && !d->active) {
    d->active = 1;
    say(d, "takes over", "");
  }
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
    int got = client_poll(d->client, POLL_MS, &m, &why);
    if (got < 0) {
      fprintf(stderr, "sagbend-dp: %s\n", why.text);
      return EXIT_FAILED;
    }
    if (got == 0)
      continue;
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

static void catch_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int main(int argc, char **argv) {
  struct options options;
  int status = read_options(argc, argv, &options);
  if (status >= 0)
    return status;

  struct dp d = {.options = &options};
  if (dp_config_load(options.config, options.overrides, options.override_count, &d.config, stderr) > 0)
    return EXIT_USAGE;
  const char *endpoint = options.connect ? options.connect : d.config.connect;
  const char *name = options.name ? options.name : d.config.name;
  if (!*name || strlen(name) >= WIRE_NAME)
    return usage_error("--name: 1 to 63 characters expected, got ", name);

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
  client_close(d.client);
  return status;
}
