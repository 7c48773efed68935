// The files of diffraction codes cut at every 100th byte (in the middle of large ones, whose rows repeat, at
// every 701st) and with flipped bytes; damaged hydro files.
#include "lab/hydro/hydro.h"
#include "lab/hydro/hydro_internal.h"
#include "sagbend/hydro/hydro.h"

#include "sagbend/base/base.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUPPLY  TEST_SOURCE_DIR "/tests/reference/mss-hydro/supply/input"
#define SEMISUB TEST_SOURCE_DIR "/tests/reference/mss-hydro/semisub/semisub"

static char folder[] = "/tmp/sagbend-hydro-XXXXXX", place[64];
static struct hydro_report report;
static const struct wamit_units UNITS = {1, 1025, 9.81, COLUMN_PERIOD, 0};

static char *load(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  ck_assert_uint_eq(fread(text, 1, *size, file), *size);
  text[*size] = '\0';
  fclose(file);
  return text;
}

static void save(const char *text, size_t size) {
  FILE *file = fopen(place, "wb");
  ck_assert_uint_eq(fwrite(text, 1, size, file), size);
  fclose(file);
}

static void make_place(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(place, sizeof place, "%s/file", folder);
}

static void remove_place(void) {
  unlink(place);
  rmdir(folder);
}

// A reader, on a raw whose other parts stand.
typedef enum status (*reader)(struct hydro_raw *raw, struct reason *why);
static enum status re1(struct hydro_raw *raw, struct reason *why) {
  hydro_table_free(&raw->motion);
  return veres_read_re1(place, raw, &report, why);
}
static enum status re2(struct hydro_raw *raw, struct reason *why) {
  hydro_table_free(&raw->drift);
  return veres_read_re2(place, raw, &report, why);
}
static enum status re7(struct hydro_raw *raw, struct reason *why) {
  hydro_table_free(&raw->roll_damping);
  memset(raw, 0, sizeof *raw);
  return veres_read_re7(place, raw, &report, why);
}
static enum status re8(struct hydro_raw *raw, struct reason *why) {
  hydro_table_free(&raw->force);
  return veres_read_re8(place, raw, &report, why);
}
static enum status hyd(struct hydro_raw *raw, struct reason *why) {
  return veres_read_hyd(place, raw, &report, why);
}
static enum status w1(struct hydro_raw *raw, struct reason *why) {
  memset(raw, 0, sizeof *raw);
  return wamit_read_1(place, &UNITS, raw, &report, why);
}
static enum status w3(struct hydro_raw *raw, struct reason *why) {
  hydro_table_free(&raw->force);
  return wamit_read_force(place, &UNITS, raw, &report, why);
}
static enum status w4(struct hydro_raw *raw, struct reason *why) {
  hydro_table_free(&raw->motion);
  return wamit_read_motion(place, &UNITS, raw, &report, why);
}
static enum status hst(struct hydro_raw *raw, struct reason *why) {
  return wamit_read_hst(place, &UNITS, raw, &report, why);
}
static enum status frc(struct hydro_raw *raw, struct reason *why) {
  struct wamit_units units = UNITS;
  struct wamit_gyration gyration;
  return wamit_read_frc(place, &units, raw, &gyration, &report, why);
}

static const struct {
  const char *path;
  reader read;
  int is_semisub;
  int may_be_cut; // what follows is not needed
} FILES[] = {{SUPPLY ".re7", re7, 0, 0}, {SUPPLY ".re8", re8, 0, 0}, {SUPPLY ".re1", re1, 0, 0},
             {SUPPLY ".re2", re2, 0, 0}, {SUPPLY ".hyd", hyd, 0, 1}, {SEMISUB ".1", w1, 1, 1},
             {SEMISUB ".3", w3, 1, 0},   {SEMISUB ".4", w4, 1, 0},   {SEMISUB ".hst", hst, 1, 0},
             {SEMISUB ".frc", frc, 1, 1}};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES };

// The first two of 19 headings of .re7: the test is shorter then.
static char *shorten(char *text, size_t *size) {
  enum { HEAD = 18, HEADING = 1 + 36 * 38 };
  char *count = strstr(text, "     1    19    36     6"), *at = text;
  ck_assert_ptr_nonnull(count);
  memcpy(count, "     1     2    36     6", 24);
  for (int line = 0; line < HEAD + 2 * HEADING; line++)
    at = strchr(at, '\n') + 1;
  *size = (size_t)(at - text);
  return text;
}

static struct hydro_raw *raw_for(int is_semisub) {
  struct hydro_raw *raw = calloc(1, sizeof *raw);
  struct reason why;
  if (is_semisub)
    ck_assert_int_eq(wamit_read_1(SEMISUB ".1", &UNITS, raw, &report, &why), STATUS_OK);
  else
    ck_assert_int_eq(veres_read_re7(SUPPLY ".re7", raw, &report, &why), STATUS_OK);
  return raw;
}

static void release(struct hydro_raw *raw) {
  hydro_table_free(&raw->force);
  hydro_table_free(&raw->motion);
  hydro_table_free(&raw->drift);
  hydro_table_free(&raw->roll_damping);
  free(raw);
}

// The next smaller cut: all rows of head and end are cut, and rows between them at changing places.
static size_t cut_before(size_t cut, size_t size) {
  enum { END = 10000 };
  const size_t every = (size_t)((cut < END || cut + END > size ? 100 : 701) / scene_share());
  return cut > every ? cut - every : 0;
}

// Every cut file is refused, with the file and a reason. WAMIT's .1 has no count: cut between two periods it
// is a smaller file, which does not fit .3.
START_TEST(cut_files) {
  struct hydro_raw *raw = raw_for(FILES[_i].is_semisub);
  size_t size;
  char *text = load(FILES[_i].path, &size);
  if (FILES[_i].read == re7)
    shorten(text, &size);
  save(text, size);
  report.used = 0;
  struct reason why = {""};
  ck_assert_msg(FILES[_i].read(raw, &why) == STATUS_OK, "%s", why.text);
  int whole = raw->frequencies;
  for (size_t cut = (size - 1) / 100 * 100; cut > 0; cut = cut_before(cut, size)) {
    ck_assert_int_eq(truncate(place, (off_t)cut), 0);
    report.used = 0;
    why.text[0] = '\0';
    enum status status = FILES[_i].read(raw, &why);
    if (status == STATUS_OK)
      ck_assert_msg(FILES[_i].may_be_cut && (FILES[_i].read != w1 || raw->frequencies < whole),
                    "%s cut at %zu", FILES[_i].path, cut);
    else
      ck_assert_msg(strstr(why.text, place) != NULL, "%s", why.text);
  }
  free(text);
  release(raw);
}
END_TEST

// Without the end of the last line a whole file is the same, with a notice; cut anywhere in that line it is
// refused.
START_TEST(without_last_end) {
  struct hydro_raw *raw = raw_for(FILES[_i].is_semisub);
  size_t size;
  char *text = load(FILES[_i].path, &size);
  if (FILES[_i].read == re7)
    shorten(text, &size);
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r' || text[size - 1] == ' '))
    size--;
  save(text, size);
  report.used = 0;
  struct reason why = {""};
  ck_assert_msg(FILES[_i].read(raw, &why) == STATUS_OK, "%s", why.text);
  ck_assert_ptr_nonnull(strstr(report.text, "the last line has no end"));
  size_t last = 0;
  while (last < size && strchr("0123456789.+-EeDd", text[size - 1 - last]))
    last++;
  while (last < size && text[size - 1 - last] != '\n')
    last++;
  for (size_t cut = 1; cut < last && (!FILES[_i].may_be_cut || FILES[_i].read == w1); cut++) {
    save(text, size - cut);
    ck_assert_msg(FILES[_i].read(raw, &why) == STATUS_BAD_INPUT, "%s less %zu", FILES[_i].path, cut);
    ck_assert_msg(strstr(why.text, place) != NULL, "%s", why.text);
  }
  free(text);
  release(raw);
}
END_TEST

// A flipped byte never changes a count without an error.
START_TEST(flipped_bytes) {
  enum { FLIPS = 100 }; // of each of ten files
  struct hydro_raw *raw = raw_for(FILES[_i].is_semisub);
  size_t size;
  char *text = load(FILES[_i].path, &size);
  unsigned seed = 1;
  if (FILES[_i].read == re7)
    shorten(text, &size);
  save(text, size);
  struct reason why = {""};
  ck_assert_int_eq(FILES[_i].read(raw, &why), STATUS_OK);
  int frequencies = raw->frequencies, headings = raw->force.headings;
  for (int flip = 0; flip < FLIPS * scene_share(); flip++) {
    seed = seed * 1103515245u + 12345u;
    size_t at = (size_t)(seed >> 4) % size;
    char kept = text[at];
    text[at] = (char)(kept ^ (1 << (seed >> 2) % 8));
    save(text, size);
    report.used = 0;
    why.text[0] = '\0';
    if (FILES[_i].read(raw, &why) == STATUS_OK) {
      ck_assert_int_eq(raw->frequencies, frequencies);
      ck_assert_int_eq(raw->force.headings, headings);
    } else {
      ck_assert_msg(strstr(why.text, place) != NULL, "%s", why.text);
    }
    text[at] = kept;
  }
  free(text);
  release(raw);
}
END_TEST

// A hydro file of the semisubmersible.
static char *hydro_text(size_t *size) {
  static char *paths[] = {SEMISUB ".1", SEMISUB ".3", SEMISUB ".hst", SEMISUB ".frc"};
  const struct hydro_import_options options = {.tolerance = 0.2};
  struct hydro_data data;
  struct reason why = {""};
  char *text = NULL;
  ck_assert_msg(hydro_import(paths, 4, &options, &data, &report, &why) == STATUS_OK, "%s", why.text);
  FILE *out = open_memstream(&text, size);
  hydro_file_write(out, &data, report.text);
  fclose(out);
  hydro_data_free(&data);
  return text;
}

static enum status parse(const char *text, size_t size, struct reason *why) {
  struct hydro_data data;
  enum status status = hydro_file_parse("test.hydro", text, size, &data, why);
  hydro_data_free(&data);
  return status;
}

// Replaces the first place of a text after start, and the checksum by the right one.
static enum status parse_changed(const char *text, const char *start, const char *old, const char *new,
                                 struct reason *why) {
  char *changed = malloc(strlen(text) + strlen(new) + 64);
  const char *at = strstr(strstr(text, start), old);
  ck_assert_ptr_nonnull(at);
  sprintf(changed, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  char *sum = strstr(changed, "\nchecksum") + 1;
  sprintf(sum, "checksum %016llx\n",
          (unsigned long long)fnv1a(FNV1A_START, changed, (size_t)(sum - changed)));
  enum status status = parse(changed, strlen(changed), why);
  free(changed);
  return status;
}

START_TEST(damaged_hydro_file) {
  size_t size;
  struct reason why = {""};
  unsigned seed = 1;
  char *text = hydro_text(&size);
  ck_assert_msg(parse(text, size, &why) == STATUS_OK, "%s", why.text);
  for (size_t cut = 0; cut < size; cut += 1000)
    ck_assert_int_eq(parse(text, cut, &why), STATUS_BAD_INPUT);
  for (int flip = 0; flip < 1000 * scene_share(); flip++) {
    seed = seed * 1103515245u + 12345u;
    size_t at = (size_t)(seed >> 4) % size;
    text[at] = (char)(text[at] ^ 1);
    ck_assert_int_eq(parse(text, size, &why), STATUS_BAD_INPUT);
    text[at] = (char)(text[at] ^ 1);
  }

  static const struct {
    const char *start, *old, *new, *expected;
  } changes[] = {{"sagbend", "sagbend-hydro 3", "sagbend-hydro 4", "'sagbend-hydro 3' in the first line"},
                 {"fit_error", "fit_error ", "fit_error -", "error of the fit, row, column and frequency"},
                 {"depth_m", "depth_m", "deepth_m", "a key of a hydro file expected, got 'deepth_m"},
                 {"depth_m", "depth_m 0", "depth_m 0\ndepth_m 0", "each key once"},
                 {"gravity", "gravity_mps2", "# gravity_mps2", "the key gravity_mps2 expected"},
                 {"\noscillators", "; R, 1/s; G\n", "\n0\n", "a frequency w above 0"},
                 {"\noscillators", "; R, 1/s; G\n", "\n-1\n", "a frequency w above 0"},
                 {"\noscillators", "\noscillators ", "\noscillators 9", "0 to 32 oscillators"},
                 {"\nmass\n", "mass\n", "mass\n1 2 3\n", "a row of six numbers"},
                 {"\nforce", "force ", "force 1", "expected"}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    ck_assert_int_eq(parse_changed(text, changes[i].start, changes[i].old, changes[i].new, &why),
                     STATUS_BAD_INPUT);
    ck_assert_msg(strstr(why.text, changes[i].expected) != NULL && strstr(why.text, "test.hydro"), "%zu: %s",
                  i, why.text);
  }
  free(text);
}
END_TEST

// R with a negative eigenvalue; R only just semidefinite.
START_TEST(indefinite_damping) {
  static const char head[] = "sagbend-hydro 1\nwater_density_kgpm3 1025\ngravity_mps2 9.81\ndepth_m 0\n"
                             "displaced_kg 1\n";
  static const char zero[] = "0 0 0 0 0 0\n";
  struct reason why = {""};
  for (int is_bad = 0; is_bad < 2; is_bad++) {
    char text[4096] = "";
    strcat(text, head);
    for (int m = 0; m < 3; m++) {
      static const char *const names[] = {"mass\n", "restoring\n", "added_mass_inf\n"};
      strcat(text, names[m]);
      for (int i = 0; i < 6; i++)
        strcat(text, zero);
    }
    strcat(text, "oscillators 2\n1\n2\n");
    strcat(text, is_bad ? "1 1.1\n1.1 1\n" : "1 1\n1 1\n");
    strcat(text, zero);
    strcat(text, zero);
    strcat(text, "force 1\n1 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    sprintf(text + strlen(text), "checksum %016llx\n",
            (unsigned long long)fnv1a(FNV1A_START, text, strlen(text)));
    ck_assert_msg(parse(text, strlen(text), &why) == (is_bad ? STATUS_BAD_INPUT : STATUS_OK), "%s", why.text);
  }
  ck_assert_ptr_nonnull(strstr(why.text, "positive semidefinite"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("hydro");
  TCase *files = tcase_create("files");
  tcase_set_timeout(files, 120);
  tcase_add_checked_fixture(files, make_place, remove_place);
  tcase_add_loop_test(files, cut_files, 0, FILE_COUNT);
  tcase_add_loop_test(files, without_last_end, 0, FILE_COUNT);
  tcase_add_loop_test(files, flipped_bytes, 0, FILE_COUNT);
  tcase_add_test(files, damaged_hydro_file);
  tcase_add_test(files, indefinite_damping);
  suite_add_tcase(suite, files);
  return run_suite(suite);
}
