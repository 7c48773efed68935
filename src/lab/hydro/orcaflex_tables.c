// LoadRAOs, DisplacementRAOs and WaveDrift: for each direction a table of rows by period or frequency.
#include "lab/hydro/orcaflex_parts.h"
#include "sagbend/hydro/hydro_tables.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 12, DRIFTS = 3, MOST_COLUMNS = 32 };
static const double PI = 3.14159265358979323846, TONNE = 1000, EQUAL = 1e-5;
static const char *const PAIR_NAMES[1 + PAIRS] = {
    "RAOPeriodOrFrequency", "RAOSurgeAmp",   "RAOSurgePhase", "RAOSwayAmp",   "RAOSwayPhase",
    "RAOHeaveAmp",          "RAOHeavePhase", "RAORollAmp",    "RAORollPhase", "RAOPitchAmp",
    "RAOPitchPhase",        "RAOYawAmp",     "RAOYawPhase"};
static const char *const DRIFT_NAMES[1 + DRIFTS] = {"RAOPeriodOrFrequency", "RAOSurgeAmp", "RAOSwayAmp",
                                                    "RAOYawAmp"};

struct wanted {
  const char *key;
  int width;       // 12 or 3
  double unit[6];  // of the amplitudes
  int is_compared; // must have the frequencies of the added mass
};

// The index of a frequency in the table; -1: it is not there.
static int index_of(const struct hydro_table *table, double omega_radps) {
  for (int f = 0; f < table->frequencies; f++)
    if (fabs(table->omega_radps[f] - omega_radps) <= EQUAL * omega_radps)
      return f;
  return -1;
}

static void take_row(const struct orcaflex *file, const struct wanted *wanted, const double *row,
                     double *entry) {
  const struct orcaflex_conventions *c = &file->conventions;
  static const int drift_of[DRIFTS] = {0, 1, 5};
  for (int i = 0; i < DRIFTS && wanted->width == DRIFTS; i++)
    entry[i] = c->sign[drift_of[i]] * wanted->unit[drift_of[i]] * row[1 + i];
  for (int i = 0; i < 6 && wanted->width == PAIRS; i++) {
    double amplitude = c->sign[i] * wanted->unit[i] * row[1 + 2 * i];
    double lag = c->lag * c->phase * row[2 + 2 * i] + c->crest_rad;
    entry[2 * i] = amplitude * cos(lag);
    entry[2 * i + 1] = -amplitude * sin(lag);
  }
}

// Rows of a direction. A first direction finds the frequencies of a table that is not compared.
static enum status read_direction(const struct orcaflex *file, const struct wanted *wanted,
                                  const yaml_node_t *direction, int heading, struct hydro_table *table,
                                  struct reason *why) {
  const struct yaml_data *yaml = &file->yaml;
  const yaml_node_t *rows;
  int place[1 + PAIRS], columns, found = 0, count = 1 + wanted->width;
  unsigned char has[MAX_RAW_FREQUENCIES] = {0};
  enum status status = yaml_data_columns(yaml, direction, wanted->width == PAIRS ? PAIR_NAMES : DRIFT_NAMES,
                                         count, place, &rows, &columns, why);
  if (status == STATUS_OK && columns > MOST_COLUMNS)
    status = yaml_data_fail(yaml, rows, why, "at most %d columns", MOST_COLUMNS);
  for (int k = 0; k < yaml_data_count(rows) && status == STATUS_OK; k++) {
    const yaml_node_t *item = yaml_data_item(yaml, rows, k);
    double row[MOST_COLUMNS] = {0}, ordered[1 + PAIRS], omega;
    // The first number may be the word Infinity.
    const yaml_node_t *first = yaml_data_item(yaml, item, place[0]);
    if (yaml_data_count(item) != columns)
      return yaml_data_fail(yaml, item, why, "%d numbers", columns);
    status = yaml_data_number(yaml, first, 1, &omega, why);
    omega = status == STATUS_OK ? orcaflex_omega(file, omega) : 0;
    if (status != STATUS_OK || !(omega > 0) || isinf(omega))
      continue;
    status = yaml_data_numbers(yaml, item, columns, row, why);
    for (int i = 0; i < count; i++)
      ordered[i] = row[place[i]];
    int f = index_of(table, omega);
    if (status == STATUS_OK && f < 0)
      status = yaml_data_fail(yaml, first, why,
                              wanted->is_compared ? "a period or frequency of the added mass"
                                                  : "a period or frequency of the first direction");
    else if (status == STATUS_OK && has[f])
      status = yaml_data_fail(yaml, first, why, "each period or frequency once");
    if (status != STATUS_OK)
      break;
    has[f] = 1;
    found++;
    take_row(file, wanted, ordered, hydro_table_at(table, f, heading));
  }
  if (status == STATUS_OK && found != table->frequencies)
    status =
        yaml_data_fail(yaml, rows, why, "%d periods or frequencies above zero, of %s", table->frequencies,
                       wanted->is_compared ? "the added mass" : "the first direction");
  return status;
}

// The frequencies of the first direction.
static enum status find_frequencies(const struct orcaflex *file, const yaml_node_t *direction, int *count,
                                    double *omega_radps, struct reason *why) {
  const yaml_node_t *rows;
  int place[1], columns;
  enum status status = yaml_data_columns(&file->yaml, direction, DRIFT_NAMES, 1, place, &rows, &columns, why);
  *count = 0;
  for (int k = 0; k < yaml_data_count(rows) && status == STATUS_OK; k++) {
    const yaml_node_t *item = yaml_data_item(&file->yaml, rows, k);
    double omega;
    if (yaml_data_count(item) <= place[0])
      return yaml_data_fail(&file->yaml, item, why, "%d numbers", columns);
    status = yaml_data_number(&file->yaml, yaml_data_item(&file->yaml, item, place[0]), 1, &omega, why);
    omega = status == STATUS_OK ? orcaflex_omega(file, omega) : 0;
    if (status != STATUS_OK || !(omega > 0) || isinf(omega))
      continue;
    if (*count == MAX_RAW_FREQUENCIES)
      return yaml_data_fail(&file->yaml, item, why, "at most %d rows", MAX_RAW_FREQUENCIES);
    omega_radps[(*count)++] = omega;
  }
  return status != STATUS_OK || *count > 0
             ? status
             : yaml_data_fail(&file->yaml, rows, why, "rows of periods or frequencies above zero");
}

// The waves from ahead of a vessel that is also symmetric fore and aft: surge, pitch and yaw change sign.
// Waves from the beam are their own image, and stay as they are.
static void mirror_fore_aft(struct hydro_table *table, int from, int to) {
  static const double pair_sign[6] = {-1, 1, 1, 1, -1, -1}, drift_sign[DRIFTS] = {-1, 1, -1};
  int is_beam = fabs(table->heading_rad[from] + PI / 2) < 1e-6; // ours of theirs from 0 to 90 are negative
  table->heading_rad[to] = is_beam ? table->heading_rad[from] : -PI - table->heading_rad[from];
  for (int f = 0; f < table->frequencies; f++)
    for (int i = 0; i < table->width; i++) {
      double sign = table->width == DRIFTS ? drift_sign[i] : pair_sign[i / 2];
      hydro_table_at(table, f, to)[i] = (is_beam ? 1 : sign) * hydro_table_at(table, f, from)[i];
    }
}

static enum status read_directions(const struct orcaflex *file, const struct wanted *wanted,
                                   const yaml_node_t *list, const struct hydro_raw *raw,
                                   struct hydro_table *table, struct reason *why) {
  double omega[MAX_RAW_FREQUENCIES];
  int directions = yaml_data_count(list), frequencies = raw->frequencies, given = directions;
  int most = file->conventions.is_fore_aft_symmetric ? MAX_HYDRO_HEADINGS / 2 : MAX_HYDRO_HEADINGS;
  enum status status = STATUS_OK;
  memcpy(omega, raw->omega_radps, sizeof omega);
  if (directions > most)
    return yaml_data_fail(&file->yaml, list, why, "at most %d directions", most);
  if (!wanted->is_compared)
    status = find_frequencies(file, yaml_data_item(&file->yaml, list, 0), &frequencies, omega, why);
  if (status == STATUS_OK &&
      hydro_table_create(table, frequencies, file->conventions.is_fore_aft_symmetric ? 2 * given : given,
                         wanted->width) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  for (int f = 0; f < frequencies && status == STATUS_OK; f++)
    table->omega_radps[f] = omega[f];
  for (int h = 0; h < given && status == STATUS_OK; h++) {
    const yaml_node_t *direction = yaml_data_item(&file->yaml, list, h), *node;
    double degrees = 0;
    status = yaml_data_need(&file->yaml, direction, "RAODirection", &node, why);
    if (status == STATUS_OK)
      status = yaml_data_number(&file->yaml, node, 0, &degrees, why);
    double least = file->conventions.is_fore_aft_symmetric ? -1e-6 : -360;
    double highest = file->conventions.is_fore_aft_symmetric ? 90 + 1e-6 : 360;
    if (status == STATUS_OK && !(degrees >= least && degrees <= highest))
      status =
          yaml_data_fail(&file->yaml, node, why, "a direction from %.0f to %.0f degrees", least, highest);
    if (status != STATUS_OK)
      break;
    table->heading_rad[h] = -degrees * PI / 180;
    status = read_direction(file, wanted, direction, h, table, why);
    if (status == STATUS_OK && file->conventions.is_fore_aft_symmetric)
      mirror_fore_aft(table, h, given + h);
  }
  return status;
}

// Reads a table and moves it to the origin of the vessel axes. *is_there: whether it has any direction.
static enum status read_table(const struct orcaflex *file, const struct wanted *wanted,
                              const struct hydro_raw *raw, struct hydro_table *table, int *is_there,
                              struct reason *why) {
  const yaml_node_t *map = yaml_data_find(&file->yaml, file->draught, wanted->key);
  const yaml_node_t *list = yaml_data_find(&file->yaml, map, "RAOs");
  const struct hydro_phase_water water = {raw->gravity_mps2, raw->depth_m};
  double origin[3], wave[3];
  *is_there = yaml_data_count(list) > 0;
  if (!*is_there)
    return STATUS_OK;
  enum status status = orcaflex_read_point(file, map, "RAOOrigin", origin, why);
  memcpy(wave, origin, sizeof wave); // ~ : the RAO origin
  if (status == STATUS_OK)
    status = orcaflex_read_point(file, map, "PhaseOrigin", wave, why);
  if (status == STATUS_OK)
    status = read_directions(file, wanted, list, raw, table, why);
  if (status != STATUS_OK)
    return status;
  struct reason cause = {""};
  if (hydro_table_order(table, &cause) != STATUS_OK)
    return yaml_data_fail(&file->yaml, list, why, "%.110s in %s", cause.text, wanted->key);
  if (wanted->width == PAIRS)
    hydro_shift_table(table, &water, origin, wave, strcmp(wanted->key, "DisplacementRAOs") == 0);
  for (int f = 0; f < table->frequencies && wanted->width == DRIFTS; f++)
    for (int h = 0; h < table->headings; h++) {
      double *d = hydro_table_at(table, f, h);
      d[2] += origin[0] * d[1] - origin[1] * d[0];
    }
  return STATUS_OK;
}

static int is_zero(const struct hydro_table *table) {
  for (int i = 0; i < table->frequencies * table->headings * table->width; i++)
    if (table->value[i] != 0)
      return 0;
  return 1;
}

static int has_same_headings(const struct hydro_table *a, const struct hydro_table *b) {
  int is_same = a->headings == b->headings;
  for (int h = 0; is_same && h < a->headings; h++)
    is_same = fabs(a->heading_rad[h] - b->heading_rad[h]) < 1e-6;
  return is_same;
}

enum status orcaflex_read_tables(const struct orcaflex *file, struct hydro_raw *raw,
                                 struct hydro_report *report, struct reason *why) {
  const double angle = file->conventions.angle;
  const struct wanted load = {"LoadRAOs", PAIRS, {TONNE, TONNE, TONNE, TONNE, TONNE, TONNE}, 1};
  const struct wanted motion = {"DisplacementRAOs", PAIRS, {1, 1, 1, angle, angle, angle}, 1};
  const struct wanted drift = {"WaveDrift", DRIFTS, {TONNE, TONNE, TONNE, TONNE, TONNE, TONNE}, 0};
  int is_there;
  enum status status = read_table(file, &load, raw, &raw->force, &is_there, why);
  if (status == STATUS_OK && !is_there)
    return yaml_data_fail(&file->yaml, file->draught, why, "LoadRAOs with at least one direction");
  if (status == STATUS_OK && !file->conventions.are_angles_per_metre)
    report_line(report, "displacement RAOs left out: RAOWaveUnit is not 'amplitude'");
  else if (status == STATUS_OK)
    status = read_table(file, &motion, raw, &raw->motion, &is_there, why);
  if (status == STATUS_OK && raw->motion.headings && is_zero(&raw->motion)) {
    report_line(report, "displacement RAOs left out: they are zero");
    hydro_table_free(&raw->motion);
  }
  if (status == STATUS_OK && raw->motion.headings && !has_same_headings(&raw->motion, &raw->force))
    return yaml_data_fail(&file->yaml, file->draught, why, "DisplacementRAOs in the directions of LoadRAOs");
  if (status == STATUS_OK)
    status = read_table(file, &drift, raw, &raw->drift, &is_there, why);
  if (status == STATUS_OK)
    report_line(report, "%s: wave forces, %d headings%s%s", file->yaml.file.path, raw->force.headings,
                raw->motion.headings ? ", motions" : "", raw->drift.headings ? ", mean drift" : "");
  return status;
}
