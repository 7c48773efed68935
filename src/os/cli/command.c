// A command line by its table of options: reading, help, errors.
#include "os/cli/cli.h"

#include "os/process/process.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 64, FIRST_ROW = 256 }; // getopt returns FIRST_ROW + the index of a row without a letter

static enum status usage_error(struct reason *why, const struct cli_command *c, const char *what,
                               const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s '%.120s'; see 'sagbend %s --help'", what, found, c->name);
}

static enum status add_override(struct case_options *o, const struct cli_command *c, const char *key,
                                const char *value, struct reason *why) {
  if (o->override_count == MAX_OVERRIDES)
    return usage_error(why, c, "too many overrides, the last one is", value);

  size_t bytes = (key ? strlen(key) + 1 : 0) + strlen(value) + 1;
  char *text = malloc(bytes);
  if (!text)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the overrides");
  snprintf(text, bytes, "%s%s%s", key ? key : "", key ? "=" : "", value);
  o->overrides[o->override_count++] = text;
  return STATUS_OK;
}

static enum status add_text(struct option_texts *list, const struct cli_command *c, const char *value,
                            struct reason *why) {
  if (list->count == MAX_OPTION_TEXTS)
    return usage_error(why, c, "too many cases, the last one is", value);
  list->text[list->count++] = value;
  return STATUS_OK;
}

static enum status read_number(const struct cli_command *c, const char *what, const char *text, double *out,
                               struct reason *why) {
  char *end;
  *out = strtod(text, &end);
  return end == text || *end || !isfinite(*out) || *out <= 0 ? usage_error(why, c, what, text) : STATUS_OK;
}

static enum status read_count(const struct cli_command *c, const char *text, int *out, struct reason *why) {
  static const char what[] = "a whole number from 1 to 1000000 expected, got";
  double number;
  enum status status = read_number(c, what, text, &number, why);
  if (status == STATUS_OK && (number != floor(number) || number > 1e6))
    return usage_error(why, c, what, text);
  *out = status == STATUS_OK ? (int)number : 0;
  return status;
}

static enum status read_time(const struct cli_command *c, const char *text, double *out, struct reason *why) {
  if (strcmp(text, "0") != 0)
    return read_number(c, "a simulated time in seconds expected, got", text, out, why);
  *out = 0;
  return STATUS_OK;
}

static enum status take(const struct option_row *row, const struct cli_command *c, const char *value,
                        void *options, struct reason *why) {
  void *member = (char *)options + row->member;
  switch (row->action) {
  case SHOW_HELP:
    return STATUS_OK;
  case SET_FLAG:
    *(int *)member = 1;
    return STATUS_OK;
  case SET_TEXT:
    *(const char **)member = value;
    return *value ? STATUS_OK
                  : usage_error(why, c,
                                row->use == FILE_UNUSED ? "a value is missing after"
                                                        : "a file name is missing after",
                                row->name);
  case ADD_TEXT:
    return add_text(member, c, value, why);
  case SET_SECONDS:
    return read_number(c, "a number of seconds above 0 expected, got", value, member, why);
  case SET_FACTOR:
    return read_number(c, "a factor above 0 expected, got", value, member, why);
  case SET_TIME:
    return read_time(c, value, member, why);
  case SET_COUNT:
    return read_count(c, value, member, why);
  case ADD_SETTING:
    return strchr(value, '=') ? add_override(member, c, NULL, value, why)
                              : usage_error(why, c, "--set: KEY=VALUE expected, got", value);
  case ADD_KEY:
    ((struct case_options *)member)->binds_sockets |= !strncmp(row->name, "bind-", 5);
    return add_override(member, c, row->key, value, why);
  }
  return STATUS_OK;
}

// Reads the words that are not options.
static enum status take_words(const struct cli_command *c, int argc, char **argv, void *options,
                              struct reason *why) {
  int taken = 0, count = 0;
  for (int i = 0; i < MAX_WORDS && c->words[i].kind != NO_WORD; i++) {
    void *member = (char *)options + c->words[i].member;
    count += c->words[i].kind != ACTION_WORD;
    if (c->words[i].kind == ACTION_WORD)
      continue;
    if (taken == argc && c->words[i].kind != OPTIONAL_FILE)
      return usage_error(why, c, "a file is missing:", c->arguments);
    if (c->words[i].kind == FILE_WORDS) {
      *(struct option_files *)member = (struct option_files){argv, argc};
      taken = argc;
    } else if (taken < argc) {
      *(const char **)member = argv[taken++];
    }
  }
  if (taken < argc)
    return count ? usage_error(why, c, "one file expected, got also", argv[1])
                 : usage_error(why, c, "unexpected argument", argv[0]);
  return STATUS_OK;
}

// What getopt_long reads.
static void list_options(const struct option_row *rows, struct option *long_options, char *letters) {
  *letters++ = ':';
  for (int i = 0; rows[i].name && i < MOST_OPTIONS; i++) {
    const struct option_row *row = &rows[i];
    int has_value = row->value ? required_argument : no_argument;
    long_options[i] = (struct option){row->name, has_value, NULL, FIRST_ROW + i};
    if (row->letter)
      *letters++ = row->letter;
    if (row->letter && row->value)
      *letters++ = ':';
  }
  *letters = '\0';
}

static const struct option_row *find_row(const struct option_row *rows, int which) {
  if (which >= FIRST_ROW)
    return &rows[which - FIRST_ROW];
  while (rows->letter != which)
    rows++;
  return rows;
}

struct nearest_hint option_hint(const struct option *options, const char *given) {
  const char *word = given + strspn(given, "-");
  char name[64], dashed[72];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  struct nearest nearest = nearest_to(name);
  for (; options->name; options++)
    nearest_try(&nearest, options->name);
  if (nearest.word)
    snprintf(dashed, sizeof dashed, "--%.64s", nearest.word);
  nearest.word = nearest.word ? dashed : NULL;
  return nearest_hint(&nearest);
}

static enum status read_line(const struct cli_command *c, int argc, char **argv, void *options, int *help,
                             struct reason *why) {
  struct option long_options[MOST_OPTIONS + 1] = {{0}};
  char letters[2 * MOST_OPTIONS + 2];
  int which;
  memset(options, 0, c->size);
  if (c->words[0].kind == ACTION_WORD && argc > 1 && *argv[1] != '-') {
    *(const char **)(void *)((char *)options + c->words[0].member) = argv[1];
    argc--;
    argv++;
  }
  list_options(c->options, long_options, letters);
  opterr = 0; // getopt must not print errors itself
  while ((which = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
    if (which == ':')
      return usage_error(why, c, "a value is missing after", argv[optind - 1]);
    if (which == '?')
      return fail(why, STATUS_BAD_INPUT, "unknown option '%.120s'%s; see 'sagbend %s --help'",
                  argv[optind - 1], option_hint(long_options, argv[optind - 1]).text, c->name);
    const struct option_row *row = find_row(c->options, which);
    enum status status = take(row, c, optarg, options, why);
    *help = row->action == SHOW_HELP;
    if (status != STATUS_OK || *help)
      return status;
  }
  return take_words(c, argc - optind, argv + optind, options, why);
}

static void free_overrides(const struct cli_command *c, void *options) {
  for (const struct option_row *row = c->options; row->name; row++)
    if (row->action == ADD_SETTING)
      case_options_free((struct case_options *)(void *)((char *)options + row->member));
}

int command_begin(const struct cli_command *command, int argc, char **argv, void *options, int *exit_status) {
  char who[32];
  struct reason why = {""};
  int help = 0;
  snprintf(who, sizeof who, "sagbend %s", command->name);
  *exit_status = exit_with_reason(who, read_line(command, argc, argv, options, &help, &why), &why);
  if (*exit_status == EXIT_DONE && help)
    command_describe(&(struct help){.out = stdout}, command);
  if (*exit_status == EXIT_DONE && !help)
    return 1;
  free_overrides(command, options);
  return 0;
}

void case_options_free(struct case_options *o) {
  for (int i = 0; i < o->override_count; i++)
    free(o->overrides[i]);
  o->override_count = 0;
}

enum status command_claim(const struct cli_command *command, const void *options, struct file_claims *claims,
                          struct reason *why) {
  const char *begin = options;
  enum status status = STATUS_OK;
  for (int i = 0; i < MAX_WORDS && status == STATUS_OK; i++) {
    const struct word_row *word = &command->words[i];
    const struct option_files *files = (const void *)(begin + word->member);
    if (word->kind == FILE_WORD)
      status = file_claims_add(claims, FILE_READ, "the file to read",
                               *(const char *const *)(const void *)(begin + word->member), why);
    for (int k = 0; word->kind == FILE_WORDS && k < files->count && status == STATUS_OK; k++)
      status = file_claims_add(claims, FILE_READ, "the file to read", files->path[k], why);
  }
  for (const struct option_row *row = command->options; row->name && status == STATUS_OK; row++) {
    char what[64];
    if (!row->use)
      continue;
    snprintf(what, sizeof what, "--%s", row->name);
    status = file_claims_add(claims, row->use, what,
                             *(const char *const *)(const void *)(begin + row->member), why);
  }
  return status;
}

static void describe_option(struct help *h, const struct option_row *row) {
  char left[64], right[512];
  snprintf(left, sizeof left, "--%s%s%s", row->name, row->value ? " " : "", row->value ? row->value : "");
  snprintf(right, sizeof right, "%s%s%s%s", row->help, row->key ? " Key: " : "", row->key ? row->key : "",
           row->key ? "." : "");
  help_row(h, left, right);
}

void command_describe(struct help *h, const struct cli_command *command) {
  char program[32], usage[128];
  const char *const usages[] = {usage, NULL}, *const examples[] = {command->example, NULL};
  snprintf(program, sizeof program, "sagbend %s", command->name);
  snprintf(usage, sizeof usage, "%s%s[options]", command->arguments, *command->arguments ? " " : "");
  help_begin(h, program, command->purpose, usages);

  help_heading(h, "options", HELP_OPTION_COLUMN);
  for (const struct option_row *row = command->options; row->name; row++)
    describe_option(h, row);
  help_statuses(h, command->statuses);
  help_examples(h, examples);
}

// ------------------------------------------------------------
static const struct option_row OPTIONS[] = {
    {"mode", "MODE",
     "Pacing of the run: realtime (wall-clock rate), lockstep (waits for the controller) or fast.",
     KEY(struct run_options, given, "simulation.mode")},
    {"duration", "S", "Simulated time of the run in seconds. 0: until stopped.",
     KEY(struct run_options, given, "simulation.duration_s")},
    {"step-s", "H", "Time step in seconds.", KEY(struct run_options, given, "simulation.step_s")},
    {"lockstep-timeout", "S",
     "Wall-clock limit in seconds for an answer in mode lockstep; the run fails beyond it. 0: no limit.",
     KEY(struct run_options, given, "simulation.lockstep_timeout_s")},
    {"bind-command", "ENDPOINT", "Endpoint to which controllers connect.",
     KEY(struct run_options, given, "network.command_endpoint")},
    {"bind-telemetry", "ENDPOINT", "Endpoint of the telemetry.",
     KEY(struct run_options, given, "network.telemetry_endpoint")},
    {"bind-command-b", "ENDPOINT", "Endpoint of network B to which controllers connect as well.",
     KEY(struct run_options, given, "network.command_endpoint_b")},
    {"bind-telemetry-b", "ENDPOINT", "Endpoint of the telemetry by network B.",
     KEY(struct run_options, given, "network.telemetry_endpoint_b")},
    {"summary", "FILE.json", "Write a summary at the end of the run. -: to stdout.",
     FILE_NAME(struct run_options, summary_path, FILE_COMPLETED)},
    {"junit", "FILE.xml", "Write the verdicts of the scenario as JUnit XML.",
     FILE_NAME(struct run_options, junit_path, FILE_COMPLETED)},
    {"record", "FILE.csv", "Write a time series.", FILE_NAME(struct run_options, record_path, FILE_WRITTEN)},
    {"record-every", "S", "Simulated time between the rows of --record. Default: 0.1.",
     SECONDS(struct run_options, record_every_s)},
    {"shapes", "FILE.csv", "Write the positions of the pipe's nodes at intervals.",
     FILE_NAME(struct run_options, shapes_path, FILE_WRITTEN)},
    {"shapes-every", "S",
     "Simulated time between the shapes of --shapes, at least network.nodes_period_s. Default: 10.",
     SECONDS(struct run_options, shapes_every_s)},
    {"laid-route", "FILE.csv",
     "Write each node of laid pipe that retires or returns (pipe.retire): place, tension, slip.",
     FILE_NAME(struct run_options, laid_route_path, FILE_WRITTEN)},
    {"hashes", "FILE", "Write the state hash of every step (modes fast and lockstep).",
     FILE_NAME(struct run_options, hashes_path, FILE_WRITTEN)},
    {"log", "FILE.mcap", "Write the session log, for replay, export and plots.",
     FILE_NAME(struct run_options, log_path, FILE_LOGGED)},
    {"overwrite", NULL, "Replace a log that exists already. Without this option it is an error.",
     FLAG(struct run_options, overwrites)},
    {"log-dir", "DIR", "Write the session log to a file in DIR named after start time and session.",
     TEXT(struct run_options, log_folder)},
    {"log-key", "FILE", "Sign the session log with this secret key (see 'sagbend keygen --log').",
     FILE_NAME(struct run_options, log_key_path, FILE_READ)},
    {"checkpoint", "FILE",
     "Keep the newest state in a file from which a run resumes; written at the end of the run as well.",
     FILE_NAME(struct run_options, checkpoint_path, FILE_KEPT)},
    {"checkpoint-every", "S", "Simulated time between checkpoints. Default: 10.",
     SECONDS(struct run_options, checkpoint_every_s)},
    {"snapshot-dir", "DIR",
     "Folder of the snapshots that operators order. Default: that of the log, or else of the checkpoint.",
     TEXT(struct run_options, snapshot_folder)},
    {"resume-if-present", NULL,
     "Resume from the checkpoint of --checkpoint. If there is none yet, start from the beginning; a damaged "
     "or foreign one is an error.",
     FLAG(struct run_options, resumes_if_present)},
    {"resume", "FILE",
     "Resume from a checkpoint. The continued run is bit-identical to an uninterrupted one.",
     FILE_NAME(struct run_options, resume_path, FILE_RESUMED)},
    {"end-with-parent", NULL, "End properly when the process that started this one ends, however that ends.",
     FLAG(struct run_options, ends_with_parent)},
    {"ready-fd", "N",
     "Write a line of JSON to descriptor N, from 3, as soon as the sockets are open: ready, commands, "
     "telemetry, "
     "session; or ready false and error. A line follows for each session that a restore or a reset begins.",
     COUNT(struct run_options, ready_descriptor)},
    SET_OPTION(struct run_options, given),
    HELP_OPTION,
};

const struct cli_command run_command = {
    .name = "run",
    .arguments = "CONFIG",
    .purpose = "Simulate vessel and pipe, with a controller over the network or a built-in one.",
    .example = "sagbend run configs/jlay-900m.yaml --duration 120 --summary summary.json",
    .statuses = "0 the run ended and every verdict passed; 1 the run or a verdict failed, or a file could "
                "not be written; 2 wrong usage or configuration",
    .options = OPTIONS,
    .size = sizeof(struct run_options),
    .words = {WORD(FILE_WORD, struct run_options, given.config_path)},
};

// ------------------------------------------------------------
int exit_status_of(enum status status) {
  return status == STATUS_OK ? EXIT_DONE : status == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
}

int exit_with_reason(const char *who, enum status status, const struct reason *why) {
  if (status != STATUS_OK && *why->text)
    fprintf(stderr, "%s%s: %s\n", journal_is_stderr() ? "<3>" : "", who, why->text); // its prefix of an error
  return exit_status_of(status);
}
