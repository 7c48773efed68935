#include "lab/hydro/frequency_range.h"
#include "sagbend/hydro/hydro_tables.h"

#include <string.h>

enum { FEWEST = 8 };
static const double DIGITS = 1e-4; // reports print frequencies with five digits

struct range {
  double first, last;
};

static int is_inside(const struct range *range, double omega) {
  return omega >= range->first * (1 - DIGITS) && omega <= range->last * (1 + DIGITS);
}

static void keep_in_table(struct hydro_table *table, const struct range *range) {
  int kept = 0;
  for (int f = 0; f < table->frequencies; f++) {
    if (!is_inside(range, table->omega_radps[f]))
      continue;
    table->omega_radps[kept] = table->omega_radps[f];
    memmove(hydro_table_at(table, kept++, 0), hydro_table_at(table, f, 0),
            sizeof(double) * (size_t)table->headings * (size_t)table->width);
  }
  table->frequencies = kept;
  if (kept == 0)
    hydro_table_free(table);
}

static void keep_matrices(double (*m)[6][6], const int *index, int count) {
  for (int k = 0; k < count; k++)
    memmove(m[k], m[index[k]], sizeof m[k]);
}

enum status hydro_raw_keep_range(struct hydro_raw *raw, double first_radps, double last_radps,
                                 struct hydro_report *report, struct reason *why) {
  const struct range range = {first_radps, last_radps};
  int index[MAX_RAW_FREQUENCIES], kept = 0, all = raw->frequencies;
  double lowest = raw->omega_radps[0], highest = raw->omega_radps[all - 1];
  for (int f = 0; f < all; f++)
    if (is_inside(&range, raw->omega_radps[f]))
      index[kept++] = f;
  if (kept < FEWEST)
    return fail(
        why, STATUS_BAD_INPUT,
        "--frequencies: a range with at least %d of the %d frequencies from %.5g to %.5g rad/s expected, "
        "got %g:%g with %d",
        FEWEST, all, lowest, highest, first_radps, last_radps, kept);
  for (int k = 0; k < kept; k++)
    raw->omega_radps[k] = raw->omega_radps[index[k]];
  keep_matrices(raw->added_mass, index, kept);
  keep_matrices(raw->damping, index, kept);
  keep_matrices(raw->additional_mass, index, kept);
  keep_matrices(raw->additional_damping, index, kept);
  raw->frequencies = kept;
  keep_in_table(&raw->force, &range);
  keep_in_table(&raw->motion, &range);
  keep_in_table(&raw->drift, &range);
  keep_in_table(&raw->roll_damping, &range);
  report_line(report, "frequencies: %d of %d used, %.5g to %.5g of %.5g to %.5g rad/s", kept, all,
              raw->omega_radps[0], raw->omega_radps[kept - 1], lowest, highest);
  return STATUS_OK;
}

static void swap_matrices(double a[6][6], double b[6][6]) {
  double kept[6][6];
  memcpy(kept, a, sizeof kept);
  memcpy(a, b, sizeof kept);
  memcpy(b, kept, sizeof kept);
}

void hydro_raw_reverse(struct hydro_raw *raw) {
  for (int low = 0, high = raw->frequencies - 1; low < high; low++, high--) {
    double kept = raw->omega_radps[low];
    raw->omega_radps[low] = raw->omega_radps[high];
    raw->omega_radps[high] = kept;
    swap_matrices(raw->added_mass[low], raw->added_mass[high]);
    swap_matrices(raw->damping[low], raw->damping[high]);
  }
}
