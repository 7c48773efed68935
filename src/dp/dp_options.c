#include "dp/dp_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

void dp_print_help(void) {
  fputs("usage: sagbend-dp CONFIG [options]\n"
        "DP controller for a vessel that sagbend simulates, over the protocol of proto/sagbend/v1.\n"
        "It may start before or after the simulator and may be killed and restarted at any time; it ends\n"
        "with the session.\n"
        "\n"
        "  CONFIG                  DP file: gains, set-point and switch-on time; for a vessel with\n"
        "                          instruments also instruments, observer, wind feed-forward and\n"
        "                          thrusters (configs/*-dp.yaml, docs/controller.md)\n"
        "\n"
        "options:\n"
        "  -c, --connect ENDPOINT  Command endpoint of the simulator. Default: connect in CONFIG.\n"
        "  -s, --set KEY=VALUE     Override a key of CONFIG; may be repeated.\n"
        "  -n, --name NAME         Name of the controller in the simulator's messages. Default: name in\n"
        "                          CONFIG.\n"
        "  -q, --quiet             Print no status line and no notices.\n"
        "  -V, --version           Print the version.\n"
        "  -h, --help              Print this help.\n"
        "\n"
        "The status line shows the position references and thrusters in use, dead reckoning and saturated\n"
        "thrusters. A notice reports each instrument or thruster that is taken out of use or into use.\n"
        "\n"
        "exit status: 0 the session ended or a signal stopped the program; 1 failure; 2 wrong usage or\n"
        "             input\n"
        "\n"
        "example:\n"
        "  sagbend-dp configs/jlay-900m-dp.yaml --connect tcp://127.0.0.1:47700 --set pid.start_s=20\n",
        stdout);
}

void dp_print_version(void) {
  puts("sagbend-dp " SAGBEND_VERSION);
}

static enum status usage_error(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s%.120s; see 'sagbend-dp --help'", what, found);
}

enum status dp_options_read(int argc, char **argv, struct dp_options *o, struct reason *why) {
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
      if (o->override_count == DP_MAX_OVERRIDES)
        return usage_error(why, "too many --set", "");
      o->overrides[o->override_count++] = optarg;
      break;
    case 'n':
      o->name = optarg;
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
  if (optind == argc)
    return usage_error(why, "the DP file is missing", "");
  if (optind + 1 < argc)
    return usage_error(why, "one DP file expected, also got ", argv[optind + 1]);
  o->config = argv[optind];
  return STATUS_OK;
}
