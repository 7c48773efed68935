#include "sagbend/hydro/hydro_file.h"

#include "sagbend/base/fnv.h"

#include <stdarg.h>
#include <string.h>

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
