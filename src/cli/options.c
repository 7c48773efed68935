#include "cli/options.h"

#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum action {
  SET_OVERRIDE,
  SET_KEY,
  SET_TEXT,
  SET_NUMBER,
  SET_FACTOR,
  SET_COUNT,
  SET_TIME,
  SET_FLAG,
  ADD_CASE,
  SHOW_HELP
};

struct option_spec {
  const char *name;
  const char *value; // its name in the help; NULL: takes none
  int commands;      // bits of the commands that know it
  enum action action;
  const char *key; // SET_KEY: the configuration key
  size_t offset;   // the others: member of struct options
  const char *help;
};

#define MEMBER(name) NULL, offsetof(struct options, name)
#define KEY(name)    name, 0
enum {
  RUN = COMMAND_RUN,
  STATICS = COMMAND_STATICS,
  CHECK = COMMAND_CHECK,
  SCHEMA = COMMAND_SCHEMA,
  REPLAY = COMMAND_REPLAY,
  LOG = COMMAND_LOG,
  VERIFY = COMMAND_VERIFY,
  KEYGEN = COMMAND_KEYGEN,
  OUTPUTS = COMMAND_OUTPUTS
};

static const struct option_spec SPECS[] = {
    {"mode", "MODE", RUN, SET_KEY, KEY("simulation.mode"), "realtime, lockstep or fast"},
    {"duration", "S", RUN, SET_KEY, KEY("simulation.duration_s"), "simulated time; 0: until stopped"},
    {"step-s", "H", RUN, SET_KEY, KEY("simulation.step_s"), "step size in seconds"},
    {"lockstep-timeout", "S", RUN, SET_KEY, KEY("simulation.lockstep_timeout_s"),
     "lockstep: the run fails if an answer takes longer by the wall clock; 0: the run waits"},
    {"bind-command", "ENDPOINT", RUN, SET_KEY, KEY("network.command_endpoint"), "where controllers connect"},
    {"bind-telemetry", "ENDPOINT", RUN, SET_KEY, KEY("network.telemetry_endpoint"),
     "where telemetry is published"},
    {"summary", "FILE.json", RUN, SET_TEXT, MEMBER(summary_path),
     "write a summary when the run ends; -: to stdout"},
    {"junit", "FILE.xml", RUN, SET_TEXT, MEMBER(junit_path), "write the scenario's verdicts as JUnit XML"},
    {"record", "FILE.csv", RUN, SET_TEXT, MEMBER(record_path), "write a time series"},
    {"record-every", "S", RUN, SET_NUMBER, MEMBER(record_every_s), "simulated time between its rows (0.1)"},
    {"shapes", "FILE.csv", RUN, SET_TEXT, MEMBER(shapes_path), "write the pipe's nodes now and then"},
    {"shapes-every", "S", RUN, SET_NUMBER, MEMBER(shapes_every_s),
     "simulated time between them (10), not finer than network.nodes_period_s"},
    {"hashes", "FILE", RUN, SET_TEXT, MEMBER(hashes_path), "write step and state hash (fast, lockstep)"},
    {"log", "FILE.mcap", RUN, SET_TEXT, MEMBER(log_path), "write the session's log: replay, export, plots"},
    {"log-dir", "DIR", RUN, SET_TEXT, MEMBER(log_folder),
     "the same, under a name made of start time and session"},
    {"log-key", "FILE", RUN, SET_TEXT, MEMBER(log_key_path),
     "sign the log with this secret key ('sagbend keygen --log')"},
    {"log", "FILE", KEYGEN, SET_TEXT, MEMBER(log_path),
     "a pair that signs logs: the secret key in FILE, the public one in FILE.pub"},
    {"checkpoint", "FILE", RUN, SET_TEXT, MEMBER(checkpoint_path),
     "keep the newest state in a file, to go on from; also when the run ends"},
    {"checkpoint-every", "S", RUN, SET_NUMBER, MEMBER(checkpoint_every_s),
     "simulated time between checkpoints (10)"},
    {"resume", "FILE", RUN, SET_TEXT, MEMBER(resume_path), "go on from a checkpoint, with the same bits"},
    {"elements", "N", STATICS, SET_KEY, KEY("pipe.elements"), "elements of the pipe"},
    {"horizontal-force-n", "H", STATICS, SET_KEY, KEY("statics.horizontal_force_n"),
     "horizontal force at the top"},
    {"find", "QUANTITY=VALUE", STATICS, SET_TEXT, MEMBER(find),
     "find the horizontal force and the set-point at which a quantity of the pipe has a value: "
     "layback_m=680; "
     "any quantity of the pipe that 'sagbend outputs' lists, touchdown_m (horizontal distance of the "
     "touchdown "
     "point from the lower end), or touchdown_point_m=X,Y, which lays the pipe towards a point"},
    {"verify", NULL, REPLAY, SET_FLAG, MEMBER(verify),
     "compute the session again and compare it with the log, bit by bit"},
    {"allow-incomplete", NULL, REPLAY, SET_FLAG, MEMBER(allow_incomplete),
     "--verify: exit status 0 instead of 3 if the log is equal as far as it goes but not complete"},
    {"key", "PUBLIC", REPLAY | LOG, SET_TEXT, MEMBER(key_path),
     "replay --verify, log info: fail unless the log is signed by this public key (FILE.pub of 'sagbend "
     "keygen --log')"},
    {"publish", NULL, REPLAY, SET_FLAG, MEMBER(publish), "play the logged telemetry out on the sockets"},
    {"rate", "X", REPLAY, SET_FACTOR, MEMBER(rate), "times the recorded pace of --publish (1)"},
    {"bind-command", "ENDPOINT", REPLAY, SET_TEXT, MEMBER(command_endpoint),
     "where controllers connect (as in the log)"},
    {"bind-telemetry", "ENDPOINT", REPLAY, SET_TEXT, MEMBER(telemetry_endpoint),
     "where telemetry is published (as in the log)"},
    {"json", NULL, STATICS | REPLAY | VERIFY | OUTPUTS, SET_FLAG, MEMBER(json),
     "print JSON in place of a table"},
    {"markdown", NULL, OUTPUTS, SET_FLAG, MEMBER(markdown), "print docs/outputs.md"},
    {"shape", "FILE.csv", STATICS, SET_TEXT, MEMBER(shape_path), "write the pipe's nodes"},
    {"dp", NULL, CHECK | SCHEMA, SET_FLAG, MEMBER(dp_file), "a DP file, as sagbend-dp reads it"},
    {"set", "KEY=VALUE", RUN | STATICS | CHECK, SET_OVERRIDE, NULL, 0,
     "any configuration key, checked like the file"},
    {"topic", "T,...", LOG, SET_TEXT, MEMBER(topics), "cat, export-csv: these topics only, such as /sensors"},
    {"from", "S", LOG, SET_TIME, MEMBER(from_s), "cat, export-csv: from this simulated time on"},
    {"to", "S", LOG, SET_TIME, MEMBER(to_s), "cat, export-csv: to this simulated time"},
    {"fields", "F,...", LOG, SET_TEXT, MEMBER(fields),
     "export-csv: columns, such as heading_rad,pipe.hangoff_tension_n; without it all that are no lists"},
    {"list", NULL, VERIFY, SET_FLAG, MEMBER(list), "name the cases"},
    {"case", "NAME", VERIFY, ADD_CASE, NULL, 0, "run this case; may be given again (all)"},
    {"attacks", "N", VERIFY, SET_COUNT, MEMBER(attacks), "random cases of the case passivity (300)"},
    {"long", NULL, VERIFY, SET_FLAG, MEMBER(extended), "run the long version of each case that has one"},
    {"report", "DIR", VERIFY, SET_TEXT, MEMBER(report_path),
     "write the report: index.html, plots, report.pdf"},
    {"configs", "DIR", VERIFY, SET_TEXT, MEMBER(configs_path), "folder of the shipped configurations"},
    {"help", NULL, RUN | STATICS | CHECK | SCHEMA | REPLAY | LOG | VERIFY | KEYGEN | OUTPUTS, SHOW_HELP, NULL,
     0, "this text"},
};
enum { SPEC_COUNT = sizeof SPECS / sizeof *SPECS };

struct command_text {
  enum command_id id;
  const char *name, *arguments, *purpose, *example;
};

static const struct command_text COMMANDS[] = {
    {COMMAND_RUN, "run", "CONFIG",
     "advance vessel and pipe in time, for a controller over the network or one inside",
     "sagbend run configs/jlay-900m.yaml --duration 120 --summary summary.json"},
    {COMMAND_STATICS, "statics", "CONFIG", "find the equilibrium that a run starts from",
     "sagbend statics configs/jlay-900m.yaml --elements 740 --horizontal-force-n 400e3 --json"},
    {COMMAND_CHECK, "check", "CONFIG", "check a configuration, report every error in it",
     "sagbend check configs/jlay-900m.yaml --set simulation.step_s=0.02"},
    {COMMAND_REPLAY, "replay", "LOG",
     "compute a logged session again and compare it, or play it to a controller",
     "sagbend replay session.mcap --verify"},
    {COMMAND_LOG, "log", "info|topics|cat|export-csv FILE, or recover FILE OUT",
     "show what a session's log holds, export it, recover one whose writer was killed",
     "sagbend log export-csv run.mcap --topic /sensors --fields heading_rad,pipe.hangoff_tension_n"},
    {COMMAND_VERIFY, "verify", "", "run the verification cases, each against an independent reference",
     "sagbend verify --case elastica --report verification"},
    {COMMAND_KEYGEN, "keygen", "",
     "make a pair of keys: logs are signed with the secret one, checked with the public one",
     "sagbend keygen --log ship.key"},
    {COMMAND_CTL, "ctl", "ENDPOINT fault|clear|list|stop", "order faults in a running simulation", NULL},
    {COMMAND_SCHEMA, "schema", "", "print the JSON Schema of the configuration, for editors",
     "sagbend schema > sagbend.schema.json"},
    {COMMAND_OUTPUTS, "outputs", "",
     "list the output quantities: names, units, meanings and where each appears", "sagbend outputs --json"},
};

static const struct command_text *command_text(enum command_id id) {
  const struct command_text *text = COMMANDS;
  while (text->id != id)
    text++;
  return text;
}

void options_print_commands(void) {
  puts("sagbend: a pipelay vessel and its pipe, simulated for a DP controller\n\ncommands:");
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
    printf("  %-8s %s\n", COMMANDS[i].name, COMMANDS[i].purpose);
  puts("\n'sagbend COMMAND --help' shows the options of a command.\n\n"
       "exit status: 0 done, 1 the run failed or a difference was found, 2 wrong usage or input,\n"
       "3 (replay --verify) equal as far as the log goes, but the log is not complete\n\nexample:\n"
       "  sagbend run configs/jlay-900m.yaml --duration 120 --summary summary.json");
}

static void print_help(const struct command_text *c) {
  printf("usage: sagbend %s%s%s [options]\n%s\n\noptions:\n", c->name, *c->arguments ? " " : "", c->arguments,
         c->purpose);
  for (int i = 0; i < SPEC_COUNT; i++) {
    char left[64];
    if (!(SPECS[i].commands & (int)c->id))
      continue;
    snprintf(left, sizeof left, "--%s %s", SPECS[i].name, SPECS[i].value ? SPECS[i].value : "");
    printf("  %-28s %s", left, SPECS[i].help);
    printf(SPECS[i].key ? " (%s)\n" : "\n", SPECS[i].key);
  }
  printf("\nexample:\n  %s\n", c->example);
}

static int usage_error(const struct command_text *c, const char *what, const char *found) {
  fprintf(stderr, "sagbend %s: %s '%s'; see 'sagbend %s --help'\n", c->name, what, found, c->name);
  return EXIT_USAGE;
}

static int add_override(struct options *o, const struct command_text *c, const char *key, const char *value) {
  if (o->override_count == MAX_OVERRIDES)
    return usage_error(c, "too many overrides, the last one is", value);
  size_t bytes = (key ? strlen(key) + 1 : 0) + strlen(value) + 1;
  char *text = malloc(bytes);
  if (!text)
    return usage_error(c, "out of memory at", value);
  snprintf(text, bytes, "%s%s%s", key ? key : "", key ? "=" : "", value);
  o->overrides[o->override_count++] = text;
  return -1;
}

static int read_number(const struct command_text *c, const char *what, const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  if (end == text || *end || !isfinite(*out) || *out <= 0)
    return usage_error(c, what, text);
  return -1;
}

static int read_count(const struct command_text *c, const char *text, double *out) {
  int status = read_number(c, "a whole number from 1 to 1000000 was expected, not", text, out);
  return status < 0 && (*out != floor(*out) || *out > 1e6)
             ? usage_error(c, "a whole number from 1 to 1000000 was expected, not", text)
             : status;
}

static int read_time(const struct command_text *c, const char *text, double *out) {
  return !strcmp(text, "0") ? (*out = 0, -1)
                            : read_number(c, "a simulated time in seconds was expected, not", text, out);
}

static int take(const struct option_spec *spec, const struct command_text *c, const char *value,
                struct options *out) {
  void *member = (char *)out + spec->offset;
  switch (spec->action) {
  case SHOW_HELP:
    print_help(c);
    return EXIT_DONE;
  case SET_FLAG:
    *(int *)member = 1;
    return -1;
  case SET_TEXT:
    *(const char **)member = value;
    return *value ? -1 : usage_error(c, "a file name was expected for", spec->name);
  case ADD_CASE:
    if (out->case_count == MAX_CASES)
      return usage_error(c, "too many cases, the last one is", value);
    out->cases[out->case_count++] = value;
    return -1;
  case SET_NUMBER:
    return read_number(c, "a number of seconds above 0 was expected, not", value, member);
  case SET_FACTOR:
    return read_number(c, "a factor above 0 was expected, not", value, member);
  case SET_COUNT:
    return read_count(c, value, member);
  case SET_TIME:
    return read_time(c, value, member);
  case SET_OVERRIDE:
    return strchr(value, '=') ? add_override(out, c, NULL, value)
                              : usage_error(c, "--set takes KEY=VALUE, not", value);
  case SET_KEY:
    out->binds_sockets |= !strncmp(spec->name, "bind-", 5);
    return add_override(out, c, spec->key, value);
  }
  return -1;
}

int options_read(enum command_id command, int argc, char **argv, struct options *out) {
  const struct command_text *c = command_text(command);
  struct option long_options[SPEC_COUNT + 1] = {{0}};
  int count = 0, which;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < SPEC_COUNT; i++)
    if (SPECS[i].commands & (int)command)
      long_options[count++] =
          (struct option){SPECS[i].name, SPECS[i].value ? required_argument : no_argument, NULL, i + 256};
  opterr = 0; // the lines are ours
  while ((which = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
    if (which == ':')
      return usage_error(c, "a value is missing after", argv[optind - 1]);
    if (which < 256)
      return usage_error(c, "unknown option", argv[optind - 1]);
    int status = take(&SPECS[which - 256], c, optarg, out);
    if (status >= 0)
      return status;
  }
  if (!*c->arguments)
    return optind < argc ? usage_error(c, "unexpected argument", argv[optind]) : -1;
  if (optind == argc)
    return usage_error(c, "a file is missing:", c->arguments);
  if (command == COMMAND_LOG && optind + 2 == argc)
    out->second_path = argv[optind + 1];
  else if (optind + 1 < argc)
    return usage_error(c, "one file expected, then found", argv[optind + 1]);
  out->config_path = argv[optind];
  return -1;
}

void options_free(struct options *o) {
  for (int i = 0; i < o->override_count; i++)
    free(o->overrides[i]);
  o->override_count = 0;
}
