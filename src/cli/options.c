#include "cli/options.h"
#include "cli/option_table.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    print_command_help(c);
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

enum { MAX_OPTIONS = 128 };

int options_read(enum command_id command, int argc, char **argv, struct options *out) {
  const struct command_text *c = command_text(command);
  struct option long_options[MAX_OPTIONS + 1] = {{0}};
  int count = 0, which;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < OPTION_COUNT; i++)
    if (OPTION_SPECS[i].commands & (int)command)
      long_options[count++] = (struct option){
          OPTION_SPECS[i].name, OPTION_SPECS[i].value ? required_argument : no_argument, NULL, i + 256};
  opterr = 0; // the error texts are ours
  while ((which = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
    if (which == ':')
      return usage_error(c, "a value is missing after", argv[optind - 1]);
    if (which < 256)
      return usage_error(c, "unknown option", argv[optind - 1]);
    int status = take(&OPTION_SPECS[which - 256], c, optarg, out);
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
