#include "dp/dp_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static void print_help(FILE *out) {
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
        out);
}

int dp_usage_error(const char *what, const char *found) {
  fprintf(stderr, "sagbend-dp: %s%s; see 'sagbend-dp --help'\n", what, found);
  return EXIT_USAGE;
}

int dp_options_read(int argc, char **argv, struct dp_options *o) {
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
        return dp_usage_error("too many --set", "");
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
      return dp_usage_error("a value is missing after ", argv[optind - 1]);
    default:
      return dp_usage_error("unknown option ", argv[optind - 1]);
    }
  }
  if (optind == argc)
    return dp_usage_error("the DP file is missing", "");
  if (optind + 1 < argc)
    return dp_usage_error("one DP file expected, also got ", argv[optind + 1]);
  o->config = argv[optind];
  return -1;
}
