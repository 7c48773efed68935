#include "cli/options.h"
#include "cli/option_table.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status usage_error(struct reason *why, const struct command_text *c, const char *what,
                               const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s '%.120s'; see 'sagbend %s --help'", what, found, c->name);
}

static enum status add_override(struct options *o, const struct command_text *c, const char *key,
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

static enum status read_number(const struct command_text *c, const char *what, const char *text, double *out,
                               struct reason *why) {
  char *end;
  *out = strtod(text, &end);
  return end == text || *end || !isfinite(*out) || *out <= 0 ? usage_error(why, c, what, text) : STATUS_OK;
}

static enum status read_count(const struct command_text *c, const char *text, double *out,
                              struct reason *why) {
  static const char what[] = "a whole number from 1 to 1000000 was expected, not";
  enum status status = read_number(c, what, text, out, why);
  if (status == STATUS_OK && (*out != floor(*out) || *out > 1e6))
    return usage_error(why, c, what, text);
  return status;
}

static enum status read_time(const struct command_text *c, const char *text, double *out,
                             struct reason *why) {
  if (strcmp(text, "0") != 0)
    return read_number(c, "a simulated time in seconds was expected, not", text, out, why);
  *out = 0;
  return STATUS_OK;
}

static enum status take(const struct option_spec *spec, const struct command_text *c, const char *value,
                        struct options *out, struct reason *why) {
  void *member = (char *)out + spec->offset;
  switch (spec->action) {
  case SHOW_HELP:
    out->help = 1;
    return STATUS_OK;
  case SET_FLAG:
    *(int *)member = 1;
    return STATUS_OK;
  case SET_TEXT:
    *(const char **)member = value;
    return *value ? STATUS_OK : usage_error(why, c, "a file name was expected for", spec->name);
  case ADD_CASE:
    if (out->case_count == MAX_CASES)
      return usage_error(why, c, "too many cases, the last one is", value);
    out->cases[out->case_count++] = value;
    return STATUS_OK;
  case SET_NUMBER:
    return read_number(c, "a number of seconds above 0 was expected, not", value, member, why);
  case SET_FACTOR:
    return read_number(c, "a factor above 0 was expected, not", value, member, why);
  case SET_COUNT:
    return read_count(c, value, member, why);
  case SET_TIME:
    return read_time(c, value, member, why);
  case SET_OVERRIDE:
    return strchr(value, '=') ? add_override(out, c, NULL, value, why)
                              : usage_error(why, c, "--set takes KEY=VALUE, not", value);
  case SET_KEY:
    out->binds_sockets |= !strncmp(spec->name, "bind-", 5);
    return add_override(out, c, spec->key, value, why);
  }
  return STATUS_OK;
}

enum { MAX_OPTIONS = 128 };

// Reads the words that are not options: one file, for sagbend log an action and one or two
// files, for sagbend replay any number of logs and folders.
static enum status take_arguments(const struct command_text *c, int argc, char **argv, struct options *out,
                                  struct reason *why) {
  if (!*c->arguments)
    return argc ? usage_error(why, c, "unexpected argument", argv[0]) : STATUS_OK;
  if (argc == 0 && c->id == COMMAND_KEYGEN) // the file of a key for logs is the value of --log
    return STATUS_OK;
  if (argc == 0)
    return usage_error(why, c, "a file is missing:", c->arguments);
  out->paths = argv;
  out->path_count = argc;
  if (c->id == COMMAND_LOG && argc == 2)
    out->second_path = argv[1];
  else if (argc > 1 && c->id != COMMAND_REPLAY && c->id != COMMAND_HYDRO)
    return usage_error(why, c, "one file expected, then found", argv[1]);
  out->config_path = argv[0];
  return STATUS_OK;
}

enum status options_read(enum command_id command, int argc, char **argv, struct options *out,
                         struct reason *why) {
  const struct command_text *c = command_text(command);
  struct option long_options[MAX_OPTIONS + 1] = {{0}};
  int count = 0, which;

  memset(out, 0, sizeof *out);
  if ((command == COMMAND_LOG || command == COMMAND_HYDRO) && argc > 1 && *argv[1] != '-') {
    out->action = argv[1];
    argc--;
    argv++;
  }
  for (int i = 0; i < OPTION_COUNT; i++)
    if (OPTION_SPECS[i].commands & (int)command)
      long_options[count++] = (struct option){
          OPTION_SPECS[i].name, OPTION_SPECS[i].value ? required_argument : no_argument, NULL, i + 256};

  opterr = 0; // getopt must not print errors itself
  while ((which = getopt_long(argc, argv, command == COMMAND_HYDRO ? ":o:" : ":", long_options, NULL)) !=
         -1) {
    if (which == ':')
      return usage_error(why, c, "a value is missing after", argv[optind - 1]);
    if (which == 'o') {
      out->output_path = optarg;
      continue;
    }
    if (which < 256)
      return usage_error(why, c, "unknown option", argv[optind - 1]);
    enum status status = take(&OPTION_SPECS[which - 256], c, optarg, out, why);
    if (status != STATUS_OK || out->help)
      return status;
  }
  return take_arguments(c, argc - optind, argv + optind, out, why);
}

void options_free(struct options *o) {
  for (int i = 0; i < o->override_count; i++)
    free(o->overrides[i]);
  o->override_count = 0;
}

enum status options_claim(enum command_id command, const struct options *o, struct file_claims *claims,
                          struct reason *why) {
  enum status status = STATUS_OK;
  for (int i = 0; i < o->path_count && status == STATUS_OK && command != COMMAND_LOG; i++)
    status = file_claims_add(claims, FILE_READ, "the file to read", o->paths[i], why);
  for (int i = 0; i < OPTION_COUNT && status == STATUS_OK; i++) {
    const struct option_spec *spec = &OPTION_SPECS[i];
    char what[64];
    if (!spec->use || !(spec->commands & (int)command))
      continue;
    snprintf(what, sizeof what, "--%s", spec->name);
    status = file_claims_add(claims, spec->use, what, *(char *const *)((const char *)o + spec->offset), why);
  }
  return status;
}

void options_print_help(enum command_id command) {
  struct help h = {.out = stdout};
  describe_command(&h, command_text(command));
}
