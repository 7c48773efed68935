// Random changes of files and overrides never crash the reader.
#include "case_suite.h"
#include "net/case/case.h"

static uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

// Flips, cuts, doubles and inserts a few bytes.
static size_t mutate(char *text, size_t size, uint32_t *random) {
  static const char *const pieces[] = {
      "[",     "{",    "]",    "}", ":", "\n",      "- ",      "&a ",          "*a",
      "!!",    "\t",   "\"",   "'", "|", "? ",      "null",    "1e999",        "%",
      "---\n", "\xff", "auto", "#", ",", "\nrig: ", "\nhil: ", "\n  ballast: "};
  int edits = 1 + (int)(next_random(random) % 4);
  for (int i = 0; i < edits && size > 64; i++) {
    size_t at = next_random(random) % size, length = 1 + next_random(random) % 40;
    length = at + length > size ? size - at : length;
    const char *piece = pieces[next_random(random) % (sizeof pieces / sizeof *pieces)];
    switch (next_random(random) % 4) {
    case 0:
      text[at] = (char)next_random(random);
      break;
    case 1:
      memmove(text + at, text + at + length, size - at - length);
      size -= length;
      break;
    case 2:
      memmove(text + at + length, text + at, size - at);
      size += length;
      break;
    default:
      memmove(text + at + strlen(piece), text + at, size - at);
      memcpy(text + at, piece, strlen(piece));
      size += strlen(piece);
    }
  }
  return size;
}

START_TEST(mutations_never_crash) {
  static const char *const names[] = {"jlay-900m.yaml", "jlay-900m-hangoff.yaml", "paper-iii.yaml",
                                      "vessel-only.yaml", "jlay-900m-dp.yaml"};
  size_t size;
  char name[256], *buffer = malloc(1 << 20);
  snprintf(name, sizeof name, CONFIGS "%s", names[_i]);
  char *text = read_text(name, &size);
  uint32_t random = 2463534242u + (uint32_t)_i;
  int refused = 0, is_dp = strstr(names[_i], "-dp") != NULL;
  const int rounds = (int)(1500 * scene_share());
  for (int round = 0; round < rounds; round++) {
    memcpy(buffer, text, size);
    write_file(buffer, mutate(buffer, size, &random));
    char *raw;
    size_t raw_size;
    FILE *out = open_memstream(&raw, &raw_size);
    struct config c;
    struct dp_config dp;
    enum status status =
        is_dp ? dp_config_load(path, NULL, 0, &dp, out) : config_load(path, NULL, 0, &c, out);
    fclose(out);
    int lines = 0;
    for (char *line = strtok(raw, "\n"); line; line = strtok(NULL, "\n"), lines++) {
      int row, column, used = 0;
      ck_assert(strncmp(line, path, strlen(path)) == 0);
      ck_assert_msg(sscanf(line + strlen(path), ":%d:%d: error: %n", &row, &column, &used) == 2 && used, "%s",
                    line);
      ck_assert(row >= 1 && column >= 1);
    }
    ck_assert_int_eq(lines > 0, status != STATUS_OK);
    refused += status != STATUS_OK;
    if (!is_dp) {
      ck_assert((c.text != NULL) == (status == STATUS_OK));
      ck_assert(status != STATUS_OK ||
                (c.sim.vessel.mass_kg > 0 && c.sim.step_s > 0 && isfinite(c.sim.pipe.length_m)));
      config_free(&c);
    }
    free(raw);
  }
  ck_assert_int_ge(refused, rounds * 2 / 15);
  free(buffer);
  free(text);
}
END_TEST

START_TEST(mutated_overrides_never_crash) {
  uint32_t random = 88172645u;
  for (int round = 0; round < 500 * scene_share(); round++) {
    char text[1024] = "                                loads.0.wrench=[1, 2, {a: [3]}, 4, 5, 6].x";
    text[mutate(text, strlen(text), &random)] = '\0';
    const char *set[] = {text + strspn(text, " "), "pipe.length_m=0"};
    int errors;
    free(messages(CONFIGS "jlay-900m.yaml", set, 2, 0, &errors)); // which also checks one line per error
    ck_assert_int_ge(errors, 1);
  }
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, mutations_never_crash, 0, 5);
  tcase_add_test(tests, mutated_overrides_never_crash);
}

int main(void) {
  return run_config_suite("io_config_mutation", add);
}
