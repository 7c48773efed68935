// Reads and writes the file of coefficients of a hull.
#include "sagbend/hydro/hydro.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_KEY = 32, MAX_KEYS = 16 };
static const double DEGREE = 3.14159265358979323846 / 180;

struct reader {
  struct text_file file;
  struct hydro_data *out;
  struct reason *why;
};

// Next line that is neither empty nor a comment.
static enum status next(struct reader *r, const char *what) {
  do {
    enum status status = text_file_need(&r->file, what, r->why);
    if (status != STATUS_OK)
      return status;
  } while (!*r->file.buffer || *r->file.buffer == '#');
  return STATUS_OK;
}

static enum status row(struct reader *r, int count, double *out, const char *what) {
  enum status status = next(r, what);
  return status == STATUS_OK ? text_file_numbers(&r->file, count, count, out, NULL, what, r->why) : status;
}

// The numbers that follow the key in its line.
static enum status rest(struct reader *r, int count, double *out, const char *what) {
  struct text_file line = r->file;
  size_t key = strcspn(line.buffer, " \t");
  memset(line.buffer, ' ', key); // columns of errors stay
  return text_file_numbers(&line, count, count, out, NULL, what, r->why);
}

static enum status read_matrix(struct reader *r, double m[6][6]) {
  double largest[6];
  enum status status = rest(r, 0, NULL, "the end of the line");
  for (int i = 0; i < 6 && status == STATUS_OK; i++) {
    status = row(r, 6, m[i], "a row of six numbers");
    largest[i] = fabs(m[i][i]);
  }
  for (int i = 0; i < 6 && status == STATUS_OK; i++)
    for (int j = 0; j < i && status == STATUS_OK; j++)
      if (!(fabs(m[i][j] - m[j][i]) <= 1e-6 * (sqrt(largest[i] * largest[j]) + fabs(m[i][j]))))
        status = text_file_fail(&r->file, r->why, "a symmetric matrix (row %d, column %d)", i + 1, j + 1);
  return status;
}

static enum status read_memory(struct reader *r) {
  struct hydro_memory *memory = &r->out->memory;
  double count, factor[MAX_OSCILLATORS][MAX_OSCILLATORS];
  enum status status = rest(r, 1, &count, "the number of oscillators");
  if (status == STATUS_OK && !text_is_whole(count, 0, MAX_OSCILLATORS))
    status = text_file_fail(&r->file, r->why, "0 to %d oscillators", MAX_OSCILLATORS);
  if (status != STATUS_OK)
    return status;
  memory->count = (int)count;
  for (int i = 0; i < memory->count && status == STATUS_OK; i++) {
    status = row(r, 1, &memory->omega_radps[i], "the frequency w of an oscillator");
    if (status == STATUS_OK && !(memory->omega_radps[i] > 0))
      status = text_file_fail(&r->file, r->why, "a frequency w above 0");
  }
  for (int i = 0; i < memory->count && status == STATUS_OK; i++)
    status = row(r, memory->count, memory->damping_1ps[i], "a row of R: as many numbers as oscillators");
  for (int i = 0; i < memory->count && status == STATUS_OK; i++)
    for (int j = 0; j < i && status == STATUS_OK; j++) {
      double *a = &memory->damping_1ps[i][j], *b = &memory->damping_1ps[j][i];
      if (!(fabs(*a - *b) <= 1e-9 * (fabs(*a) + fabs(*b))))
        status = text_file_fail(&r->file, r->why, "a symmetric R (row %d, column %d)", i + 1, j + 1);
      *a = *b;
    }
  if (status == STATUS_OK && hydro_memory_factor(memory, factor) != STATUS_OK)
    status = text_file_fail(&r->file, r->why, "a positive semidefinite R above this line");
  for (int i = 0; i < memory->count && status == STATUS_OK; i++)
    status = row(r, 6, memory->drive[i], "a row of G: six numbers");
  return status;
}

// Rows ordered by frequency, then heading; all frequencies with the same headings.
static enum status check_axes(struct reader *r, const struct hydro_table *table, int f, int h,
                              const double *axes) {
  if (h == 0 && !(axes[0] > (f ? table->omega_radps[f - 1] : 0)))
    return text_file_fail(&r->file, r->why, "increasing frequencies above 0");
  if (h > 0 && axes[0] != table->omega_radps[f])
    return text_file_fail(&r->file, r->why, "the frequency %.10g of the row above", table->omega_radps[f]);
  if (f > 0 && axes[1] * DEGREE != table->heading_rad[h])
    return text_file_fail(&r->file, r->why, "the headings of the first frequency (%.9g)",
                          table->heading_rad[h] / DEGREE);
  if (f == 0 && !(axes[1] >= 0 && axes[1] < 360 && (h == 0 || axes[1] * DEGREE > table->heading_rad[h - 1])))
    return text_file_fail(&r->file, r->why, "headings that increase from 0 to below 360 degrees");
  return STATUS_OK;
}

// Number of rows that begin like the first one: the headings.
static int count_headings(const struct reader *r, int rows) {
  const char *at = r->file.at;
  double first = 0;
  int count = 0;
  while (count < rows && *at) {
    const char *end = strchr(at, '\n');
    double omega = strtod(at, NULL);
    if (*at != '#' && *at != '\n') {
      if (count > 0 && omega != first)
        break;
      first = omega;
      count++;
    }
    if (!end)
      break;
    at = end + 1;
  }
  return count;
}

static enum status read_table(struct reader *r, struct hydro_table *table, int width) {
  double rows, numbers[14];
  enum status status = rest(r, 1, &rows, "the number of rows");
  if (status == STATUS_OK && !text_is_whole(rows, 1, MAX_HYDRO_FREQUENCIES * MAX_HYDRO_HEADINGS))
    status = text_file_fail(&r->file, r->why, "1 to %d rows", MAX_HYDRO_FREQUENCIES * MAX_HYDRO_HEADINGS);
  if (status != STATUS_OK)
    return status;
  int headings = count_headings(r, (int)rows), frequencies = headings ? (int)rows / headings : 0;
  if (headings == 0 || headings > MAX_HYDRO_HEADINGS || frequencies > MAX_HYDRO_FREQUENCIES ||
      frequencies * headings != (int)rows)
    return text_file_fail(&r->file, r->why,
                          "frequencies with the same number of headings, at most %d of %d, in the rows below",
                          MAX_HYDRO_FREQUENCIES, MAX_HYDRO_HEADINGS);
  if (hydro_table_create(table, frequencies, headings, width) != STATUS_OK)
    return fail(r->why, STATUS_NO_MEMORY, "out of memory for a table");
  for (int k = 0; k < (int)rows && status == STATUS_OK; k++) {
    int f = k / headings, h = k % headings;
    status = row(r, width + 2, numbers,
                 width == 12 ? "frequency, heading and 12 numbers" : "frequency, heading and 3 numbers");
    if (status == STATUS_OK)
      status = check_axes(r, table, f, h, numbers);
    table->omega_radps[f] = numbers[0];
    table->heading_rad[h] = numbers[1] * DEGREE;
    memcpy(hydro_table_at(table, f, h), numbers + 2, sizeof(double) * (size_t)width);
  }
  return status;
}

// The code's A and B: frequency and two lower triangles.
static enum status read_radiation(struct reader *r) {
  struct hydro_table *table = &r->out->radiation;
  double rows, numbers[1 + RADIATION_WIDTH];
  enum status status = rest(r, 1, &rows, "the number of rows");
  if (status == STATUS_OK && !text_is_whole(rows, 1, MAX_HYDRO_FREQUENCIES))
    status = text_file_fail(&r->file, r->why, "1 to %d rows", MAX_HYDRO_FREQUENCIES);
  if (status == STATUS_OK && hydro_table_create(table, (int)rows, 1, RADIATION_WIDTH) != STATUS_OK)
    status = fail(r->why, STATUS_NO_MEMORY, "out of memory for a table");
  for (int f = 0; status == STATUS_OK && f < table->frequencies; f++) {
    status = row(r, 1 + RADIATION_WIDTH, numbers, "frequency and 42 numbers");
    if (status == STATUS_OK && !(numbers[0] > (f ? table->omega_radps[f - 1] : 0)))
      status = text_file_fail(&r->file, r->why, "increasing frequencies above 0");
    table->omega_radps[f] = numbers[0];
    memcpy(hydro_table_at(table, f, 0), numbers + 1, sizeof(double) * RADIATION_WIDTH);
  }
  return status;
}

enum {
  DENSITY,
  GRAVITY,
  DEPTH,
  DISPLACED,
  MASS,
  RESTORING,
  ADDED,
  OSCILLATORS,
  FORCE,
  MOTION,
  DRIFT,
  RADIATION,
  FIT_ERROR,
  CHECKSUM,
  KEYS
};
static const char *const KEY_NAMES[KEYS] = {
    "water_density_kgpm3", "gravity_mps2", "depth_m", "displaced_kg", "mass",  "restoring",
    "added_mass_inf",      "oscillators",  "force",   "motion",       "drift", "radiation",
    "fit_error",           "checksum"};

static enum status read_number(struct reader *r, double low, double *out) {
  enum status status = rest(r, 1, out, "a number");
  return status == STATUS_OK && !(*out >= low) ? text_file_fail(&r->file, r->why, "a number from %g", low)
                                               : status;
}

static enum status read_fit_error(struct reader *r) {
  static const char what[] = "error of the fit, row, column and frequency";
  double n[4];
  enum status status = rest(r, 4, n, what);
  if (status == STATUS_OK &&
      !(n[0] >= 0 && text_is_whole(n[1], 1, 6) && text_is_whole(n[2], 1, 6) && n[3] > 0))
    status = text_file_fail(&r->file, r->why, "%s", what);
  if (status == STATUS_OK)
    r->out->fit = (struct hydro_fit){n[0], (int)n[1] - 1, (int)n[2] - 1, n[3], {0}};
  return status;
}

static enum status read_key(struct reader *r, int key) {
  struct hydro_data *out = r->out;
  switch (key) {
  case DENSITY:
    return read_number(r, 1, &out->water_density_kgpm3);
  case GRAVITY:
    return read_number(r, 0.01, &out->gravity_mps2);
  case DEPTH:
    return read_number(r, 0, &out->depth_m);
  case DISPLACED:
    return read_number(r, 0, &out->displaced_kg);
  case MASS:
    return read_matrix(r, out->mass);
  case RESTORING:
    return read_matrix(r, out->restoring);
  case ADDED:
    return read_matrix(r, out->added_mass_inf);
  case OSCILLATORS:
    return read_memory(r);
  case FORCE:
    return read_table(r, &out->force, 12);
  case MOTION:
    return read_table(r, &out->motion, 12);
  case RADIATION:
    return read_radiation(r);
  case FIT_ERROR:
    return read_fit_error(r);
  default:
    return read_table(r, &out->drift, 3);
  }
}

static int key_of(const char *line) {
  size_t length = strcspn(line, " \t");
  for (int k = 0; k < KEYS; k++)
    if (strlen(KEY_NAMES[k]) == length && !strncmp(line, KEY_NAMES[k], length))
      return k;
  return KEYS;
}

// The hash stands in the last line, which has a fixed length.
static enum status check_sum(struct reader *r, const char *text, size_t size) {
  char expected[32];
  const char *last = text + size - 1;
  while (last > text && last[-1] != '\n')
    last--;
  snprintf(expected, sizeof expected, "checksum %016llx\n",
           (unsigned long long)fnv1a(FNV1A_START, text, (size_t)(last - text)));
  size_t length = strlen(expected) - (size_t)(text[size - 1] != '\n'); // the checksum shows that it is whole
  if ((size_t)(text + size - last) == length && !memcmp(last, expected, length))
    return STATUS_OK;
  return fail(
      r->why, STATUS_BAD_INPUT,
      "%.120s: 'checksum' of its content expected in the last line: the file is damaged or was changed; "
      "import it again",
      r->file.path);
}

static enum status read_all(struct reader *r, const char *text, size_t size) {
  static const char *const versions[] = {"sagbend-hydro 3", "sagbend-hydro 2", "sagbend-hydro 1"};
  int given[KEYS] = {0}, is_known = 0;
  text_file_next(&r->file);
  for (size_t k = 0; k < sizeof versions / sizeof *versions; k++)
    is_known |= strcmp(r->file.buffer, versions[k]) == 0;
  if (!is_known)
    return text_file_fail(&r->file, r->why, "'%s' in the first line, a hydro file of this version,",
                          versions[0]);
  enum status status = check_sum(r, text, size);
  while (status == STATUS_OK && !given[CHECKSUM]) {
    status = next(r, "a key");
    int key = status == STATUS_OK ? key_of(r->file.buffer) : KEYS;
    if (status == STATUS_OK && key == KEYS)
      status = text_file_fail(&r->file, r->why, "a key of a hydro file");
    if (status == STATUS_OK && given[key]++)
      status = text_file_fail(&r->file, r->why, "each key once");
    if (status == STATUS_OK && key != CHECKSUM)
      status = read_key(r, key);
  }
  if (status == STATUS_OK)
    status = text_file_end(&r->file, "the checksum", r->why);
  for (int k = 0; k < CHECKSUM && status == STATUS_OK; k++)
    if (!given[k] && k != MOTION && k != DRIFT && k != RADIATION && k != FIT_ERROR)
      status = fail(r->why, STATUS_BAD_INPUT, "%.100s:%d: the key %s expected, got the end of the file",
                    r->file.path, r->file.line, KEY_NAMES[k]);
  return status;
}

static enum status parse(struct reader *r) {
  struct hydro_data *out = r->out;
  enum status status = read_all(r, r->file.text, r->file.size);
  if (status != STATUS_OK)
    return status;
  hydro_memory_added_mass_zero(&out->memory, (const double (*)[6])out->added_mass_inf, out->added_mass_zero);
  if (!(out->fit.omega_radps > 0)) // before version 3
    hydro_fit_judge_memory(out);
  hydro_fit_judge_motions(out);
  return status;
}

enum status hydro_file_parse(const char *name, const char *text, size_t size, struct hydro_data *out,
                             struct reason *why) {
  struct reader r = {.out = out, .why = why};
  *out = (struct hydro_data){0};
  enum status status = text_file_copy(&r.file, name, text, size, why);
  if (status == STATUS_OK)
    status = parse(&r);
  text_file_close(&r.file, NULL);
  return status;
}

// ------------------------------------------------------------
// A stream whose bytes are hashed.
struct sink {
  FILE *out;
  uint64_t hash;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void put(struct sink *sink, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= (int)sizeof text)
    return;
  sink->hash = fnv1a(sink->hash, text, (size_t)length);
  fwrite(text, 1, (size_t)length, sink->out);
}

static void put_row(struct sink *sink, const double *numbers, int count, int digits) {
  for (int i = 0; i < count; i++)
    put(sink, "%s%.*g", i ? " " : "", digits, numbers[i] + 0.0);
  put(sink, "\n");
}

static void put_matrix(struct sink *sink, const char *key, const double (*m)[6]) {
  put(sink, "%s\n", key);
  for (int i = 0; i < 6; i++)
    put_row(sink, m[i], 6, 17);
}

static void put_table(struct sink *sink, const char *key, const struct hydro_table *table) {
  enum { DIGITS = 9 }; // of the codes' files
  if (table->frequencies == 0)
    return;
  put(sink, "%s %d\n", key, table->frequencies * table->headings);
  for (int f = 0; f < table->frequencies; f++)
    for (int h = 0; h < table->headings; h++) {
      put(sink, "%.10g %.9g ", table->omega_radps[f], table->heading_rad[h] * (180 / 3.14159265358979323846));
      put_row(sink, hydro_table_at(table, f, h), table->width, DIGITS);
    }
}

static void put_radiation(struct sink *sink, const struct hydro_table *table) {
  enum { DIGITS = 9 };
  if (table->frequencies == 0)
    return;
  put(sink, "# rad/s, then the lower triangles of A and B, row by row\nradiation %d\n", table->frequencies);
  for (int f = 0; f < table->frequencies; f++) {
    put(sink, "%.10g ", table->omega_radps[f]);
    put_row(sink, hydro_table_at(table, f, 0), table->width, DIGITS);
  }
}

static void put_fit(struct sink *sink, const struct hydro_fit *fit) {
  put(sink, "# largest error of the memory, of the peaks of B; row, column, rad/s\n");
  put(sink, "fit_error %.6g %d %d %.10g\n", fit->error, fit->row + 1, fit->column + 1, fit->omega_radps);
}

static void put_comments(struct sink *sink, const char *comments) {
  while (*comments) {
    size_t length = strcspn(comments, "\n");
    put(sink, "# %.*s\n", length > 900 ? 900 : (int)length, comments);
    comments += length + (comments[length] == '\n');
  }
}

void hydro_file_write(FILE *out, const struct hydro_data *data, const char *comments) {
  struct sink sink = {out, FNV1A_START};
  const struct hydro_memory *memory = &data->memory;
  put(&sink, "sagbend-hydro 3\n");
  put_comments(&sink, comments);
  put(&sink, "# SI units; x forward, y to starboard, z down about the vessel's reference point\n");
  put(&sink, "water_density_kgpm3 %.17g\ngravity_mps2 %.17g\ndepth_m %.17g\ndisplaced_kg %.17g\n",
      data->water_density_kgpm3, data->gravity_mps2, data->depth_m, data->displaced_kg);
  put_fit(&sink, &data->fit);
  put_matrix(&sink, "mass", data->mass);
  put_matrix(&sink, "restoring", data->restoring);
  put_matrix(&sink, "added_mass_inf", data->added_mass_inf);
  put(&sink, "# n oscillators: q' = p, p' = -w^2 q - R p + G nu, force -G'p\noscillators %d\n",
      memory->count);
  put(&sink, "# w, rad/s; R, 1/s; G\n");
  for (int i = 0; i < memory->count; i++)
    put_row(&sink, &memory->omega_radps[i], 1, 17);
  for (int i = 0; i < memory->count; i++)
    put_row(&sink, memory->damping_1ps[i], memory->count, 17);
  for (int i = 0; i < memory->count; i++)
    put_row(&sink, memory->drive[i], 6, 17);
  put_radiation(&sink, &data->radiation);
  put(&sink,
      "# rad/s, degrees where the wave goes to clockwise from the bow, then real and imaginary parts of "
      "six, per m\n");
  put_table(&sink, "force", &data->force);
  put_table(&sink, "motion", &data->motion);
  put(&sink, "# rad/s, degrees, mean drift in surge, sway, yaw, per m2\n");
  put_table(&sink, "drift", &data->drift);
  fprintf(out, "checksum %016llx\n", (unsigned long long)sink.hash);
}
