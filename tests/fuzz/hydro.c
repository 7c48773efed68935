// Fuzzes the hydro file and the import of the files of diffraction codes. An input is a hydro file, or files
// one after the other, each behind a line "=== NAME".
#define _GNU_SOURCE

#include "sagbend/hydro/hydro.h"
#include "lab/hydro/hydro.h"
#include "sagbend/base/base.h"

#include "seeds.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_FILES = 8, NAME = 40 };
static const char HEAD[] = "=== ";
static char folder[64];

static void remove_folder(void) {
  rmdir(folder);
}

static int make_folder(void) {
  if (*folder)
    return 1;
  snprintf(folder, sizeof folder, "%s/sagbend-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
  if (!mkdtemp(folder))
    return 0;
  atexit(remove_folder);
  return 1;
}

// What was read or imported is written and read again.
static void write_and_read(const struct hydro_data *data) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  struct hydro_data again = {0};
  struct reason why;
  hydro_file_write(out, data, "");
  fclose(out);
  if (hydro_file_parse("again", text, size, &again, &why) != STATUS_OK) {
    fprintf(stderr, "hydro data are refused when they are written: %s\n", why.text);
    abort();
  }
  hydro_data_free(&again);
  free(text);
}

static void parse_text(const char *text, size_t size) {
  struct hydro_data data = {0};
  struct reason why;
  if (hydro_file_parse("fuzz", text, size, &data, &why) == STATUS_OK)
    write_and_read(&data);
  hydro_data_free(&data);
}

// As it is, and with the checksum that it should have: otherwise hardly any would be read further.
static void parse(const char *text, size_t size) {
  static const char key[] = "checksum ";
  parse_text(text, size);
  const char *last = text;
  for (const char *at = text; (at = memmem(at, (size_t)(text + size - at), key, sizeof key - 1)); at++)
    last = at;
  const size_t before = last > text ? (size_t)(last - text) : size;
  char *whole = malloc(before + 64);
  if (!whole)
    return;
  memcpy(whole, text, before);
  size_t used = before + (size_t)snprintf(whole + before, 64, "%s%016llx\n", key,
                                          (unsigned long long)fnv1a(FNV1A_START, text, before));
  parse_text(whole, used);
  free(whole);
}

// The name in the line at the text, and what follows; NULL: no name that is safe in a folder.
static const char *take_name(const char *text, const char *end, char name[NAME]) {
  size_t length = 0;
  for (text += sizeof HEAD - 1; text < end && *text != '\n'; text++)
    if (length + 1 < NAME && (isalnum((unsigned char)*text) || (*text == '.' && length)))
      name[length++] = *text;
  name[length] = '\0';
  return length && text < end ? text + 1 : NULL;
}

static void import(const char *text, const char *end) {
  char path[MAX_FILES][sizeof folder + NAME + 1], *list[MAX_FILES];
  struct hydro_import_options options = {.tolerance = 1};
  for (int i = 0; i < HYDRO_CHECK_COUNT; i++)
    options.is_accepted[i] = 1;
  int count = 0;
  while (count < MAX_FILES && text && text < end) {
    char name[NAME];
    const char *begin = take_name(text, end, name);
    if (!begin)
      break;
    const char *next = memmem(begin, (size_t)(end - begin), HEAD, sizeof HEAD - 1);
    snprintf(path[count], sizeof path[count], "%s/%s", folder, name);
    int file = open(path[count], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0)
      break;
    if (write(file, begin, (size_t)((next ? next : end) - begin)) < 0)
      next = NULL;
    close(file);
    list[count] = path[count];
    count++;
    text = next;
  }
  struct hydro_data data = {0};
  struct hydro_report report = {0};
  struct reason why;
  if (count && hydro_import(list, count, &options, &data, &report, &why) == STATUS_OK)
    write_and_read(&data);
  hydro_data_free(&data);
  for (int i = 0; i < count; i++)
    unlink(path[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text)
    return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  if (size < sizeof HEAD || memcmp(text, HEAD, sizeof HEAD - 1))
    parse(text, size);
  else if (make_folder())
    import(text, text + size);
  free(text);
  return 0;
}

// Appends a file of the reference, or the beginning of it.
static size_t put(uint8_t *out, size_t capacity, size_t used, const char *name, size_t most) {
  char path[400];
  used += (size_t)snprintf((char *)out + used, capacity - used, "%s%s\n", HEAD, strrchr(name, '/') + 1);
  snprintf(path, sizeof path, "%s/tests/reference/mss-hydro/%s", TEST_SOURCE_DIR, name);
  size_t room = capacity - used < most ? capacity - used : most;
  return used + seed_of_file(path, out + used, room);
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const char small[] =
      "=== a.1\n6.0 1 1 0.5 0.1\n6.0 3 3 0.9 0.2\n5.0 1 1 0.4 0.2\n5.0 3 3 0.8 0.3\n"
      "=== a.3\n6.0 0 1 0.1 90 0 0.1\n6.0 0 3 1 0 1 0\n5.0 0 1 0.1 90 0 0.1\n5.0 0 3 1 0 1 0\n"
      "=== a.hst\n3 3 1\n4 4 1\n5 5 1\n"
      "=== a.frc\nt\n1 0 1 0 0 0 0 0 0\n1025\n0 0 0\n1\n1 0 0 0 0 0\n0 1 0 0 0 0\n0 0 1 0 0 0\n"
      "0 0 0 1 0 0\n0 0 0 0 1 0\n0 0 0 0 0 1\n0\n0\n0\n"
      "=== a.pot\nt\n-1 0 0 0 0\n1 1\n1 1 1 1 1 1\n2\n6 5\n1\n0\n";
  static const char nemoh[] = "=== RadiationCoefficients.tec\nVARIABLES=\"w (rad/s)\"\n\"A 1 1\" \"B 1 "
                              "1\"\nZone t=\"Motion 1\",I=2,F=POINT\n"
                              "1.0 1e5 1e3\n2.0 9e4 2e3\n=== ExcitationForce.tec\nVARIABLES=\"w "
                              "(rad/s)\"\n\"abs(F 1)\" \"angle(F 1)\"\n"
                              "Zone t=\"Diffraction force - beta = 0.000 deg\",I=2,F=POINT\n1.0 10 0\n2.0 20 "
                              "1\n=== KH.dat\n0 0 0 0 0 0\n"
                              "=== Inertia.dat\n1 0 0 0 0 0\n";
  switch (index) {
  case 0:
    memcpy(out, small, sizeof small - 1);
    return sizeof small - 1;
  case 1:
    memcpy(out, nemoh, sizeof nemoh - 1);
    return sizeof nemoh - 1;
  case 2: {
    size_t used = put(out, capacity, 0, "semisub/semisub.1", 30000);
    used = put(out, capacity, used, "semisub/semisub.3", 20000);
    used = put(out, capacity, used, "semisub/semisub.hst", 20000);
    return put(out, capacity, used, "semisub/semisub.frc", 20000);
  }
  case 3: {
    size_t used = put(out, capacity, 0, "supply/input.re1", 20000);
    used = put(out, capacity, used, "supply/input.re2", 10000);
    used = put(out, capacity, used, "supply/input.re7", 20000);
    return put(out, capacity, used, "supply/input.hyd", 20000);
  }
  case 4: { // the shipped file is larger than an input: all but its tables of waves
    char *text = malloc(1 << 19);
    size_t size = text ? seed_of_file(CONFIGS "vessels/supply-83m.hydro", (uint8_t *)text, 1 << 19) : 0;
    const char *tables = size ? memmem(text, size, "\nmotion ", 8) : NULL;
    size_t used = tables && (size_t)(tables - text) < capacity ? (size_t)(tables - text) + 1 : 0;
    if (used)
      memcpy(out, text, used);
    free(text);
    return used;
  }
  default:
    return 0;
  }
}
