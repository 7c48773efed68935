#include "dp/dp_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static void print_help(FILE *out) {
  fputs("usage: sagbend-dp CONFIG [options]\n"
        "Keeps a vessel that sagbend simulates on its set-point, over the protocol of proto/sagbend/v1.\n"
        "It may be started before or after the simulator, killed and restarted; it ends with the session.\n"
        "\n"
        "  CONFIG               DP file: gains, set-point, switch-on time; for a rig also instruments, "
        "observer,\n"
        "                       wind feed-forward, thrusters (configs/*-dp.yaml, docs/controller.md)\n"
        "  -c, --connect ENDPOINT  command endpoint of the simulator (default: `connect` in CONFIG)\n"
        "  -s, --set KEY=VALUE  overrides a key of CONFIG; may be repeated\n"
        "  -n, --name NAME      what the simulator calls it (default: `name` in CONFIG)\n"
        "  -q, --quiet          no status line and no notices\n"
        "  -V, --version        prints the version\n"
        "  -h, --help           prints this\n"
        "\n"
        "Example: sagbend-dp configs/jlay-900m-dp.yaml --connect tcp://127.0.0.1:47700 --set pid.start_s=20\n"
        "The status line shows the references and thrusters in use, dead reckoning, saturated thrusters; a "
        "line is said\n"
        "when an instrument or a thruster is left out or taken in again.\n"
        "Exit status: 0 the session ended or a signal came, 1 failure, 2 bad usage or bad input.\n",
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
