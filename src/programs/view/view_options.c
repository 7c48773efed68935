#include "programs/view/view_program.h"

#include "os/cli/version.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_LISTEN "127.0.0.1:8765"

// One row for each option: what getopt_long reads, and what the help states.
static const struct {
  char letter;
  const char *name, *value, *help; // value NULL: none
} OPTIONS[] = {
    {'c', "connect", "ENDPOINT", "Telemetry endpoint of the simulator, such as tcp://127.0.0.1:47701."},
    {'l', "listen", "HOST:PORT",
     "Where browsers and other clients connect. Default: " DEFAULT_LISTEN
     ", which only this machine reaches. "
     "Port 0: the system chooses one."},
    {'H', "allow-host", "NAME",
     "Name or address by which browsers may reach this program, besides localhost, 127.0.0.1 and [::1]; may "
     "be "
     "repeated. Beyond this machine it is needed."},
    {'o', "allow-origin", "ORIGIN",
     "Origin of other pages that may connect, such as http://localhost:8080 of a Lichtblick of your own; may "
     "be "
     "repeated."},
    {'k', "key", "FILE",
     "Secret key of an observer ('sagbend keygen --role observer FILE'), with --operate of an operator, for "
     "a "
     "simulator that requires keys."},
    {'K', "server-key", "KEY", "Public key of the simulator, or the file .pub that contains it."},
    {'O', "operate", "ENDPOINT",
     "Endpoint of the simulator's commands. A browser that enters with the token that is printed can give "
     "orders. "
     "Only this machine may reach the page then."},
    {'C', "config", "CONFIG",
     "Configuration of the session: the page shows the weather that its vessel holds in the present "
     "current."},
    {'S', "set", "KEY=VALUE", "With --config: override a key, as for the session; may be repeated."},
    {'V', "version", NULL, "Print the version."},
    {'h', "help", NULL, "Print this help."},
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

void view_describe(struct help *h) {
  static const char *const usages[] = {"--connect ENDPOINT [options]", "LOG.mcap... [options]", NULL};
  static const char *const examples[] = {
      "sagbend-view --connect tcp://127.0.0.1:47701", "sagbend-view run.mcap",
      "sagbend-view --connect tcp://127.0.0.1:47701 --config configs/osv-83m-weather.yaml",
      "sagbend-view --connect tcp://127.0.0.1:47701 --listen 0.0.0.0:8765 --allow-host rig.example", NULL};
  help_begin(
      h, "sagbend-view",
      "Live view of a session: a page for any browser, and the data for Lichtblick, Foxglove and other "
      "clients of the Foxglove WebSocket protocol. Without --operate it only observes: it receives telemetry "
      "and "
      "sends the simulator nothing. It may start before or after the simulator and serves one session after "
      "the other. "
      "It also plays a session log, or the parts of one: each client plays, pauses and seeks by itself.",
      usages);
  help_text(h, "There is no authentication: whoever reaches the address sees the data. By default only this "
               "machine does.");
  help_heading(h, "options", HELP_OPTION_COLUMN);
  for (int i = 0; i < OPTION_COUNT; i++)
    help_option(h, OPTIONS[i].letter, OPTIONS[i].name, OPTIONS[i].value, OPTIONS[i].help);
  help_statuses(h, "0 a signal stopped the program; 1 failure, or a log that is damaged; 2 wrong usage, or "
                   "the address is in use");
  help_examples(h, examples);
}

void view_print_help(void) {
  struct help h = {.out = stdout};
  view_describe(&h);
}

void view_print_version(void) {
  printf("sagbend-view %s\n", program_version());
}

static enum status usage_error(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s%.120s; see 'sagbend-view --help'", what, found);
}

static enum status add(const char **list, int *count, const char *value, struct reason *why) {
  if (*count == VIEW_MAX_ALLOWED)
    return usage_error(why, "too many of one option, the last is ", value);
  list[(*count)++] = value;
  return STATUS_OK;
}

static enum status take_option(int letter, struct view_options *o, struct reason *why) {
  switch (letter) {
  case 'c':
    o->connect = optarg;
    return STATUS_OK;
  case 'l':
    o->listen = optarg;
    return STATUS_OK;
  case 'H':
    return add(o->hosts, &o->host_count, optarg, why);
  case 'o':
    return add(o->origins, &o->origin_count, optarg, why);
  case 'k':
    o->key = optarg;
    return STATUS_OK;
  case 'C':
    o->config = optarg;
    return STATUS_OK;
  case 'S':
    if (o->override_count == VIEW_MAX_OVERRIDES)
      return usage_error(why, "too many of one option, the last is ", optarg);
    o->overrides[o->override_count++] = optarg;
    return STATUS_OK;
  case 'O':
    o->operate = optarg;
    return STATUS_OK;
  default:
    o->server_key = optarg;
    return STATUS_OK;
  }
}

static enum status check(const struct view_options *o, int argc, char **argv, struct reason *why) {
  if (!o->key != !o->server_key)
    return usage_error(why, "both --key FILE and --server-key KEY expected, or none", "");
  if (o->connect && optind < argc)
    return usage_error(why, "not expected beside --connect: ", argv[optind]);
  if (!o->connect && !o->logs)
    return usage_error(why, "--connect ENDPOINT or a log expected", "");
  if (o->override_count && !o->config)
    return usage_error(why, "--set is for --config", "");
  if (o->logs && o->operate)
    return usage_error(why, "--operate is for --connect", "");
  if (o->logs && o->key)
    return usage_error(why, "--key is for --connect", "");
  return STATUS_OK;
}

enum status view_options_read(int argc, char **argv, struct view_options *o, struct reason *why) {
  struct option long_options[OPTION_COUNT + 1] = {{0}};
  char letters[2 * OPTION_COUNT + 2] = ":";
  int letter;
  for (int i = 0; i < OPTION_COUNT; i++) {
    long_options[i] = (struct option){OPTIONS[i].name, OPTIONS[i].value ? required_argument : no_argument,
                                      NULL, OPTIONS[i].letter};
    snprintf(letters + strlen(letters), 3, "%c%s", OPTIONS[i].letter, OPTIONS[i].value ? ":" : "");
  }
  memset(o, 0, sizeof *o);
  o->listen = DEFAULT_LISTEN;
  opterr = 0;
  while ((letter = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
    if (letter == 'h' || letter == 'V') {
      *(letter == 'h' ? &o->help : &o->version) = 1;
      return STATUS_OK;
    }
    if (letter == ':')
      return usage_error(why, "a value is missing after ", argv[optind - 1]);
    if (letter == '?')
      return usage_error(why, "unknown option ", argv[optind - 1]);
    enum status status = take_option(letter, o, why);
    if (status != STATUS_OK)
      return status;
  }
  if (!o->connect && optind < argc) {
    o->logs = argv + optind;
    o->log_count = argc - optind;
  }
  return check(o, argc, argv, why);
}
