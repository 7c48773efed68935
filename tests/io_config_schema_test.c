// The schemas: committed files, descriptions and former names of keys; the DP file.
#include "io/config/config_sections.h"

#include "io_config_suite.h"

START_TEST(committed_schemas_are_the_tables) {
  static const char *const names[] = {CONFIGS "schema/sagbend.schema.json",
                                      CONFIGS "schema/sagbend-dp.schema.json"};
  char *made;
  size_t made_size, size;
  FILE *out = open_memstream(&made, &made_size);
  if (_i)
    dp_config_write_schema(out);
  else
    config_write_schema(out);
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
  struct schema schema = _i ? dp_schema() : config_schema();
  ck_assert_int_ge(schema.key_count, _i ? 80 : 350);
  for (int i = 0; i < schema.key_count; i++)
    assert_description(&schema.keys[i]);
  schema_free(&schema);
}
END_TEST

static const struct key_def *find_key(const struct schema *schema, const char *key) {
  for (int i = 0; i < schema->key_count; i++)
    if (!strcmp(schema->keys[i].path, key))
      return &schema->keys[i];
  return NULL;
}

// A former name is the name of no present key; its present name is one.
START_TEST(former_names_lead_to_keys) {
  struct schema schema = _i ? dp_schema() : config_schema();
  ck_assert_int_ge(schema.alias_count, 3);
  for (int i = 0; i < schema.alias_count; i++) {
    const char *former = schema.aliases[i].path, *dot = strrchr(former, '.');
    char present[128];
    snprintf(present, sizeof present, "%.*s%s", dot ? (int)(dot - former) + 1 : 0, former,
             schema.aliases[i].current);
    ck_assert_msg(find_key(&schema, present) != NULL, "%s", present);
    ck_assert_msg(find_key(&schema, former) == NULL, "%s", former);
  }
  schema_free(&schema);
}
END_TEST

#define INSTRUMENTS CONFIGS "osv-83m-instruments.yaml"

// A file of the given text on top of osv-83m-instruments.yaml, with overrides; the seed of the instruments.
static uint64_t seed_of(const char *text, const char *const *sets, int count) {
  char top[400];
  struct config c;
  snprintf(top, sizeof top, "extends: " INSTRUMENTS "\n%s", text);
  write_file(top, strlen(top));
  ck_assert_int_eq(config_load(path, sets, count, &c, stderr), STATUS_OK);
  config_free(&c);
  return c.suite.instruments.seed;
}

START_TEST(former_names_are_read) {
  const char *const old[] = {"rig.seed=7"}, *const both[] = {"rig.seed=7", "hil.seed=8"},
                    *const turned[] = {"hil.seed=8", "rig={seed: 9}"};
  ck_assert_uint_eq(seed_of("rig: {seed: 5}\n", NULL, 0), 5);
  ck_assert_uint_eq(seed_of("hil: {seed: 6}\n", NULL, 0), 6);
  ck_assert_uint_eq(seed_of("hil: {seed: 6}\n", old, 1), 7);
  ck_assert_uint_eq(seed_of("rig: {seed: 6}\n", both, 2), 8);
  ck_assert_uint_eq(seed_of("", turned, 2), 9);

  const char *const item[] = {"vessel.thrusters.0.ventilation=0.75", "statics.ballast=none"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "osv-83m.yaml", item, 2, &c, stderr), STATUS_OK);
  ck_assert(c.sim.vessel.plant.thruster[0].ventilation == 0.75);
  ck_assert_int_eq(c.sim.statics.weight_compensation, COMPENSATE_NONE);
  config_free(&c);

  const char *const dp_set[] = {"navigation.old_s=4", "allocation.least_share=0.03", "thrusters.1.price=3"};
  struct dp_config dp;
  ck_assert_int_eq(dp_config_load(CONFIGS "osv-83m-dp.yaml", dp_set, 3, &dp, stderr), STATUS_OK);
  ck_assert(dp.def.navigation.old_s == 4 && dp.def.allocation.least_share == 0.03 &&
            dp.def.allocation.actuator[1].price == 3);
}
END_TEST

// Both names in one text: the second one is the error, whichever it is.
START_TEST(both_names_are_refused) {
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"hil: {seed: 1}\nrig: {seed: 1}\n",
       "3:1: error: rig: only one of hil and its former name rig expected, got both\n"},
      {"rig: {seed: 1}\nhil: {seed: 1}\n",
       "3:1: error: hil: only one of hil and its former name rig expected, got both\n"},
      {"statics: {ballast: none, weight_compensation: none}\n",
       "2:26: error: statics.weight_compensation: only one of weight_compensation and its former name "
       "ballast expected, got both\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char top[400];
    snprintf(top, sizeof top, "extends: " INSTRUMENTS "\n%s", cases[i].text);
    write_file(top, strlen(top));
    assert_messages(path, NULL, 0, 0, cases[i].expected);
  }
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, committed_schemas_are_the_tables, 0, 2);
  tcase_add_test(tests, dp_files_are_checked_too);
  tcase_add_loop_test(tests, descriptions_stand_alone, 0, 2);
  tcase_add_loop_test(tests, former_names_lead_to_keys, 0, 2);
  tcase_add_test(tests, former_names_are_read);
  tcase_add_test(tests, both_names_are_refused);
}

int main(void) {
  return run_config_suite("io_config_schema", add);
}
