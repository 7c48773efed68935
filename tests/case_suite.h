// Common functions of the tests of sagbend/case: temporary files, loading and the texts of errors.
#pragma once

#include "net/case/case.h"
#include "sagbend/case/case.h"

#include "suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIGS TEST_SOURCE_DIR "/configs/"

static const struct key_def *find_key(const struct schema *schema, const char *key) {
  for (int i = 0; i < schema->key_count; i++)
    if (!strcmp(schema->keys[i].path, key))
      return &schema->keys[i];
  return NULL;
}

static char folder[] = "/tmp/sagbend-config-XXXXXX";
static char path[128]; // of the file that write_file makes

static char *read_text(const char *name, size_t *size) {
  FILE *file = fopen(name, "rb");
  ck_assert_msg(file != NULL, "%s", name);
  char *text = calloc(1, 1 << 20);
  size_t got = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  if (size)
    *size = got;
  return text;
}

static void write_file(const void *text, size_t size) {
  FILE *file = fopen(path, "wb");
  ck_assert(file != NULL);
  ck_assert_uint_eq(fwrite(text, 1, size, file), size);
  ck_assert_int_eq(fclose(file), 0);
}

static void write_beside(const char *name, const char *text) {
  char at[300];
  snprintf(at, sizeof at, "%s/%s", folder, name);
  FILE *file = fopen(at, "wb");
  ck_assert(file != NULL);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

static void remove_beside(const char *name) {
  char at[300];
  snprintf(at, sizeof at, "%s/%s", folder, name);
  unlink(at);
}

// "file:line:column: error: KEY: X expected, got FOUND", "... KEY needs OTHER" or "... KEY is not allowed
// with OTHER", or one of the few errors of another kind. What is found is not shown of a file that others may
// not read. A prohibition is no expectation: nothing, none and another are not expected.
static void assert_form(const char *line) {
  static const char *const others[] = {
      " needs ",     " is not allowed ", " is listed twice", " is reserved: ", " is the name of ",
      "unknown key", "duplicate key",    "syntax: ",         "out of memory",  "not shown"};
  static const char *const riddles[] = {": nothing expected", ": none expected", ": no ",
                                        ": another ",         "expected unless", "expected beside",
                                        "expected where"};
  const char *text = strstr(line, ": error: "), *expected = strstr(line, "expected");
  int good = text && expected && strstr(expected, "expected, got ") == expected;

  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    good |= text && strstr(text, others[i]) != NULL;
  for (size_t i = 0; i < sizeof riddles / sizeof *riddles; i++)
    good &= text && strstr(text, riddles[i]) == NULL;
  ck_assert_msg(good, "not in the form of an error: %s", line);
}

// The messages of reading name, without the file's name in front of each; the caller frees.
static char *messages(const char *name, const char *const *overrides, int count, int is_dp, int *errors) {
  char *raw, *text = calloc(1, 1 << 18);
  size_t size;
  FILE *out = open_memstream(&raw, &size);
  struct config c;
  struct dp_config dp;
  enum status status =
      is_dp ? dp_config_load(name, overrides, count, &dp, out) : config_load(name, overrides, count, &c, out);
  if (!is_dp)
    config_free(&c);
  fclose(out);
  int lines = 0;
  for (char *line = strtok(raw, "\n"); line; line = strtok(NULL, "\n"), lines++) {
    assert_form(line);
    int here = strncmp(line, name, strlen(name)) == 0;
    strcat(strcat(text, line + (here ? strlen(name) + 1 : 0)), "\n");
  }
  *errors = lines; // one line each
  ck_assert_int_eq(status != STATUS_OK, lines > 0);
  free(raw);
  return text;
}

static void assert_messages(const char *name, const char *const *overrides, int count, int is_dp,
                            const char *expected) {
  int errors;
  char *got = messages(name, overrides, count, is_dp, &errors);
  ck_assert_str_eq(got, expected);
  free(got);
}

static void setup(void) {
  ck_assert(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/case.yaml", folder);
}

static void teardown(void) {
  unlink(path);
  rmdir(folder);
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
}

static void load_good(const char *name, struct config *c) {
  ck_assert_int_eq(config_load(name, NULL, 0, c, stderr), STATUS_OK);
}

// Writes jlay-900m.yaml with the edit, its DP file found where it is; returns the line of the edit.
static int write_edited(const char *find, const char *replace) {
  char *text = read_text(CONFIGS "jlay-900m.yaml", NULL), *edited = calloc(1, 1 << 20);
  char *at = strstr(text, find);
  ck_assert_msg(at != NULL, "%s", find);
  int line = 1;
  for (char *c = text; c < at; c++)
    line += *c == '\n';
  sprintf(edited, "%.*s%s%s", (int)(at - text), text, replace, at + strlen(find));
  write_file(edited, strlen(edited));
  free(text);
  free(edited);
  return line;
}

static void copy_dp_file(char *copy, size_t size) {
  snprintf(copy, size, "%s/jlay-900m-dp.yaml", folder);
  ck_assert_int_eq(symlink(CONFIGS "jlay-900m-dp.yaml", copy), 0);
}

// An edit of jlay-900m.yaml, find replaced, and a line among the messages: its position is relative to the
// line of find, ":13" in that line, "+1:3" in the next.
struct bad_edit {
  const char *find, *replace, *expected;
};

static void assert_bad_edit(const struct bad_edit *bad) {
  char dp_file[160], expected[512];
  copy_dp_file(dp_file, sizeof dp_file);
  int line = write_edited(bad->find, bad->replace), offset = 0;
  const char *rest = bad->expected;
  if (*rest == '+' || *rest == '-') {
    offset = atoi(rest);
    rest = strchr(rest, ':');
  }
  // "lenght_m" and friends also leave their key missing: the line looked for must be among the messages.
  snprintf(expected, sizeof expected, "%d%s\n", line + offset, rest);
  int errors;
  char *got = messages(path, NULL, 0, 0, &errors);
  unlink(dp_file);
  ck_assert_int_ge(errors, 1);
  const char *found = strstr(got, expected);
  ck_assert_msg(found && (found == got || found[-1] == '\n'), "wanted %s, got %s", expected, got);
  free(got);
}

// Runs the tests that add puts into a case, each with a folder of its own.
static int run_config_suite(const char *name, void (*add)(TCase *)) {
  Suite *suite = suite_create(name);
  TCase *tests = tcase_create("config");

  tcase_set_timeout(tests, 100);
  tcase_add_checked_fixture(tests, setup, teardown);
  add(tests);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
