#include "programs/dp/dp_program.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

// One row for each option: what getopt_long reads, and what the help states.
static const struct {
  char letter;
  const char *name, *value, *help; // value NULL: none
} OPTIONS[] = {
    {'c', "connect", "ENDPOINT", "Command endpoint of the simulator. Default: connect in CONFIG."},
    {'s', "set", "KEY=VALUE", "Override a key of CONFIG; may be repeated."},
    {'n', "name", "NAME", "Name of the controller in the simulator's messages. Default: name in CONFIG."},
    {'k', "key", "FILE",
     "Secret key of the controller ('sagbend keygen --role controller FILE'), for a simulator that requires "
     "keys."},
    {'K', "server-key", "KEY", "Public key of the simulator, or the file .pub that contains it."},
    {'q', "quiet", NULL, "Print no status line and no notices."},
    {'V', "version", NULL, "Print the version."},
    {'h', "help", NULL, "Print this help."},
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

void dp_describe(struct help *h) {
  static const char *const usages[] = {"CONFIG [options]", NULL};
  static const char *const examples[] = {
      "sagbend-dp configs/jlay-900m-dp.yaml --connect tcp://127.0.0.1:47700 --set pid.start_s=20", NULL};
  help_begin(
      h, "sagbend-dp",
      "DP controller for a vessel that sagbend simulates, over the protocol of proto/sagbend/v1. It may "
      "start before or after the simulator and may be killed and restarted at any time; it ends with "
      "the session.",
      usages);
  help_text(h, "CONFIG is a DP file: gains, set-point and switch-on time; for a vessel with instruments also "
               "instruments, observer, wind feed-forward and thrusters (configs/*-dp.yaml, "
               "docs/controller.md).");
  help_text(h,
            "The status line shows the position references and thrusters in use, dead reckoning and "
            "saturated thrusters. A notice reports each instrument or thruster that is taken out of use or "
            "into use.");
  help_heading(h, "options", HELP_OPTION_COLUMN);
  for (int i = 0; i < OPTION_COUNT; i++)
    help_option(h, OPTIONS[i].letter, OPTIONS[i].name, OPTIONS[i].value, OPTIONS[i].help);
  help_statuses(h, "0 the session ended or a signal stopped the program; 1 failure; 2 wrong usage or input");
  help_examples(h, examples);
}

void dp_print_help(void) {
  struct help h = {.out = stdout};
  dp_describe(&h);
}

void dp_print_version(void) {
  puts("sagbend-dp " SAGBEND_VERSION);
}

static enum status usage_error(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s%.120s; see 'sagbend-dp --help'", what, found);
}

enum status dp_options_read(int argc, char **argv, struct dp_options *o, struct reason *why) {
  struct option long_options[OPTION_COUNT + 1] = {{0}};
  char letters[2 * OPTION_COUNT + 2] = ":";
  for (int i = 0; i < OPTION_COUNT; i++) {
    long_options[i] = (struct option){OPTIONS[i].name, OPTIONS[i].value ? required_argument : no_argument,
                                      NULL, OPTIONS[i].letter};
    snprintf(letters + strlen(letters), 3, "%c%s", OPTIONS[i].letter, OPTIONS[i].value ? ":" : "");
  }
  memset(o, 0, sizeof *o);
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
    switch (option) {
    case 'c':
      o->connect = optarg;
      break;
    case 's':
      if (o->override_count == DP_MAX_OVERRIDES)
        return usage_error(why, "too many --set", "");
      o->overrides[o->override_count++] = optarg;
      break;
    case 'n':
      o->name = optarg;
      break;
    case 'k':
      o->key = optarg;
      break;
    case 'K':
      o->server_key = optarg;
      break;
    case 'q':
      o->quiet = 1;
      break;
    case 'V':
      o->version = 1;
      return STATUS_OK;
    case 'h':
      o->help = 1;
      return STATUS_OK;
    case ':':
      return usage_error(why, "a value is missing after ", argv[optind - 1]);
    default:
      return usage_error(why, "unknown option ", argv[optind - 1]);
    }
  }
  if (!o->key != !o->server_key)
    return usage_error(why, "both --key FILE and --server-key KEY expected, or none", "");
  if (optind == argc)
    return usage_error(why, "the DP file is missing", "");
  if (optind + 1 < argc)
    return usage_error(why, "one DP file expected, also got ", argv[optind + 1]);
  o->config = argv[optind];
  return STATUS_OK;
}
