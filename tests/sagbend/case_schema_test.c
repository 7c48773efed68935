// The schemas: committed files, descriptions; the DP file.
#include "net/case/case.h"
#include "sagbend/case/case.h"

#include "case_suite.h"

START_TEST(committed_schemas_are_the_tables) {
  static const char *const names[] = {CONFIGS "schema/sagbend.schema.json",
                                      CONFIGS "schema/sagbend-dp.schema.json"};
  char *made;
  size_t made_size, size;
  FILE *out = open_memstream(&made, &made_size);
  struct reason why;
  ck_assert((_i ? dp_config_write_schema : config_write_schema)(out, &why) == STATUS_OK);
  fclose(out);
  char *committed = read_text(names[_i], &size);
  ck_assert_msg(size == made_size && memcmp(made, committed, size) == 0, "%s is not what the table says",
                names[_i]);
  free(made);
  free(committed);
}
END_TEST

START_TEST(dp_files_are_checked_too) {
  const char *const set[] = {"pid.bumpless=yes", "pid.kp=[1,2,3,4,5,-6]", "pid.approach=3", "connect=here"};
  assert_messages(
      CONFIGS "jlay-900m-dp.yaml", set, 4, 1,
      "--set:1:14: error: pid.bumpless: true or false expected, got 'yes' (in 'pid.bumpless=yes')\n"
      "--set:1:19: error: pid.kp.5: finite number >= 0 expected, got '-6' (in 'pid.kp=[1,2,3,4,5,-6]')\n"
      "--set:1:5: error: pid.approach: unknown key, did you mean approach_s? (in 'pid.approach=3')\n"
      "--set:1:9: error: connect: tcp://HOST:PORT or ipc://PATH expected, got 'here' (in 'connect=here')\n");
}
END_TEST

static const char *const NO_OPENINGS[] = {
    "a",   "above", "after", "an",   "as",    "at",    "before", "below",   "beside", "beyond", "by",
    "for", "from",  "he",    "her",  "his",   "how",   "in",     "instead", "it",     "its",    "like",
    "of",  "on",    "over",  "she",  "that",  "the",   "their",  "these",   "they",   "this",   "those",
    "to",  "under", "what",  "when", "where", "which", "while",  "who",     "whose",  "with",   "without"};

// A tooltip shows the description alone: a sentence that begins with what the key is.
static void assert_description(const struct key_def *key) {
  char first[32];
  size_t size = strcspn(key->doc, " ,.:");

  ck_assert_msg(key->doc && strlen(key->doc) >= 15, "%s: no description", key->path);
  ck_assert_msg(key->doc[0] >= 'A' && key->doc[0] <= 'Z', "%s: no capital: %s", key->path, key->doc);
  ck_assert_msg(key->doc[strlen(key->doc) - 1] == '.', "%s: no full stop: %s", key->path, key->doc);
  snprintf(first, sizeof first, "%.*s", (int)size, key->doc);
  first[0] = (char)(first[0] + 'a' - 'A');
  for (size_t i = 0; i < sizeof NO_OPENINGS / sizeof *NO_OPENINGS; i++)
    ck_assert_msg(strcmp(first, NO_OPENINGS[i]) != 0, "%s: begins with '%s': %s", key->path, first, key->doc);
}

START_TEST(descriptions_stand_alone) {
  struct schema schema = _i ? dp_schema() : config_schema(&RUN_SECTIONS);
  ck_assert_int_ge(schema.key_count, _i ? 80 : 350);
  for (int i = 0; i < schema.key_count; i++)
    assert_description(&schema.keys[i]);
  schema_free(&schema);
}
END_TEST

static int is_below(const char *key, const char *section) {
  const size_t size = strlen(section);
  return !strncmp(key, section, size) && (!key[size] || key[size] == '.');
}

// A reader that registers no sections skips exactly what the sections of a session read.
START_TEST(the_keys_that_a_reader_skips_are_those_of_a_session) {
  struct schema bare = config_schema(NULL), whole = config_schema(&RUN_SECTIONS);
  int skipped = 0;
  for (int i = 0; i < bare.key_count; i++) {
    const struct key_def *row = &bare.keys[i], *read = find_key(&whole, row->path);
    ck_assert_msg(read != NULL, "%s: no section reads it", row->path);
    ck_assert_msg(row->outside_model == read->outside_model, "%s", row->path); // it would change the model
  }
  for (int i = 0; i < whole.key_count; i++) {
    const char *key = whole.keys[i].path;
    int is_covered = 0;
    for (int k = 0; k < bare.key_count; k++)
      is_covered |=
          bare.keys[k].accepts & AS_ANY ? is_below(key, bare.keys[k].path) : !strcmp(key, bare.keys[k].path);
    skipped += !find_key(&bare, key);
    ck_assert_msg(is_covered, "%s: a reader without it refuses the case", key);
  }
  ck_assert_int_gt(skipped, 40);
  schema_free(&bare);
  schema_free(&whole);
}
END_TEST

// It has the same model, also with overrides of what it skips.
START_TEST(a_reader_of_its_own_has_the_same_model) {
  static const char *const set[] = {"nmea.rated_voltage_v=440",
                                    "network.telemetry_endpoint=tcp://127.0.0.1:47999",
                                    "simulation.step_s=0.02"};
  const struct config_request request = {
      .path = CONFIGS "osv-83m-nmea.yaml", .overrides = set, .override_count = 3};
  const struct error_sink errors = error_to(stderr);
  struct config bare, whole;
  ck_assert_int_eq(config_read(&request, &bare, &errors), STATUS_OK);
  ck_assert_int_eq(config_load(request.path, set, 3, &whole, stderr), STATUS_OK);
  ck_assert_uint_eq(bare.model_hash, whole.model_hash);
  ck_assert_uint_eq(bare.hash, whole.hash);
  ck_assert_ptr_null(bare.more);
  ck_assert_int_gt(config_run(&whole)->nmea.port_count, 0);
  ck_assert_double_eq(config_run(&whole)->nmea.origin.rated_v, 440);
  config_free(&bare);
  config_free(&whole);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, committed_schemas_are_the_tables, 0, 2);
  tcase_add_test(tests, dp_files_are_checked_too);
  tcase_add_loop_test(tests, descriptions_stand_alone, 0, 2);
  tcase_add_test(tests, the_keys_that_a_reader_skips_are_those_of_a_session);
  tcase_add_test(tests, a_reader_of_its_own_has_the_same_model);
}

int main(void) {
  return run_config_suite("io_config_schema", add);
}
