// The vessel type of a data file of OrcaFlex (YAML).
#include "lab/hydro/hydro_internal.h"

#include "sagbend/hydro/hydro.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846, TONNE = 1000, GRAVITY = 9.80665, DENSITY = 1025;
static const double MASS_DIFFERS = 0.1;
static const char ADDED[] = "FrequencyDependentAddedMassAndDamping";
static const char *const ADDED_NAMES[6] = {"AddedMassMatrixX",  "AddedMassMatrixY",  "AddedMassMatrixZ",
                                           "AddedMassMatrixRx", "AddedMassMatrixRy", "AddedMassMatrixRz"};
static const char *const DAMPING_NAMES[6] = {"DampingX",  "DampingY",  "DampingZ",
                                             "DampingRx", "DampingRy", "DampingRz"};
static const char *const STIFFNESS_NAMES[3] = {"HydrostaticStiffnessz", "HydrostaticStiffnessRx",
                                               "HydrostaticStiffnessRy"};
static const char *const INERTIA_NAMES[3] = {"MomentOfInertiaTensorX", "MomentOfInertiaTensorY",
                                             "MomentOfInertiaTensorZ"};

// The frequency of a period or frequency as the file gives it: 0, or HUGE_VAL for the infinite one.
static double orcaflex_omega(const struct orcaflex *file, double number) {
  if (file->conventions.waves == ORCAFLEX_PERIOD)
    return number > 0 ? 2 * PI / number : HUGE_VAL; // an infinite period has the frequency 0
  return file->conventions.waves == ORCAFLEX_HZ ? 2 * PI * number : number;
}

// A point, or key absent: zero, in our axes from the origin of the vessel axes.
static enum status orcaflex_read_point(const struct orcaflex *file, const yaml_node_t *map, const char *key,
                                       double point_m[3], struct reason *why) {
  const yaml_node_t *node = yaml_data_find(&file->yaml, map, key);
  double theirs[3] = {point_m[0], -point_m[1], -point_m[2]};
  if (!node)
    return STATUS_OK;
  enum status status = yaml_data_numbers(&file->yaml, node, 3, theirs, why);
  for (int i = 0; i < 3; i++)
    point_m[i] = i ? -theirs[i] : theirs[i];
  return status;
}

static enum status orcaflex_read_conventions(struct orcaflex *file, const yaml_node_t *type,
                                             struct reason *why) {
  static const struct {
    const char *key;
    const char *words[3]; // ours second
    int fallback;
  } directions[6] = {{"SurgePositive", {"aft", "forward"}, 1}, {"SwayPositive", {"port", "starboard"}, 0},
                     {"HeavePositive", {"up", "down"}, 0},     {"RollPositiveStarboard", {"up", "down"}, 1},
                     {"PitchPositiveBow", {"down", "up"}, 0},  {"YawPositiveBow", {"port", "starboard"}, 0}};
  static const char *const waves[] = {"period (s)", "frequency (rad/s)", "frequency (Hz)", NULL};
  static const char *const units[] = {"degrees", "radians", NULL}, *const leads[] = {"leads", "lags", NULL};
  static const char *const crests[] = {"crest", "zero down-crossing", "trough", "zero up-crossing", NULL};
  static const char *const wave_units[] = {"amplitude", "wave steepness", "max wave slope", NULL};
  static const char *const symmetries[] = {"None", "xz plane", "xz and yz planes", NULL};
  struct orcaflex_conventions *c = &file->conventions;
  int angle, phase, lag, crest, wave_unit, symmetry;
  enum status status = STATUS_OK;
  for (int i = 0; i < 6 && status == STATUS_OK; i++) {
    int word;
    status = yaml_data_word(&file->yaml, type, directions[i].key, directions[i].words, directions[i].fallback,
                            &word, why);
    c->sign[i] = status == STATUS_OK && word ? 1 : -1;
  }
  if (status == STATUS_OK)
    status = yaml_data_word(&file->yaml, type, "WavesReferredToBy", waves, 0, &c->waves, why);
  if (status == STATUS_OK)
    status = yaml_data_word(&file->yaml, type, "RAOResponseUnits", units, 0, &angle, why);
  if (status == STATUS_OK)
    status = yaml_data_word(&file->yaml, type, "RAOPhaseUnitsConvention", units, 0, &phase, why);
  if (status == STATUS_OK)
    status = yaml_data_word(&file->yaml, type, "RAOPhaseConvention", leads, 1, &lag, why);
  if (status == STATUS_OK)
    status = yaml_data_word(&file->yaml, type, "RAOPhaseRelativeToConvention", crests, 0, &crest, why);
  if (status == STATUS_OK)
    status = yaml_data_word(&file->yaml, type, "RAOWaveUnit", wave_units, 0, &wave_unit, why);
  if (status == STATUS_OK)
    status = yaml_data_word(&file->yaml, type, "Symmetry", symmetries, 0, &symmetry, why);
  if (status != STATUS_OK)
    return status;
  c->angle = angle ? 1 : PI / 180;
  c->phase = phase ? 1 : PI / 180;
  c->lag = lag ? 1 : -1;
  c->crest_rad = crest * PI / 2;
  c->are_angles_per_metre = wave_unit == 0;
  c->is_fore_aft_symmetric = symmetry == 2;
  return STATUS_OK;
}

// The item of a list by its name; without a name the only one that has radiation data, in itself or in one of
// its draughts.
static int has_radiation(const struct yaml_data *yaml, const yaml_node_t *item) {
  const yaml_node_t *draughts = yaml_data_find(yaml, item, "Draughts");
  int count = yaml_data_count(yaml_data_find(yaml, item, ADDED));
  for (int i = 0; i < yaml_data_count(draughts); i++)
    count += yaml_data_count(yaml_data_find(yaml, yaml_data_item(yaml, draughts, i), ADDED));
  return count > 0;
}

static enum status choose(const struct yaml_data *yaml, const yaml_node_t *list, const char *name,
                          const char *what, const char *option, const yaml_node_t **out, struct reason *why) {
  char names[80] = "";
  int found = 0;
  for (int i = 0; i < yaml_data_count(list); i++) {
    const yaml_node_t *item = yaml_data_item(yaml, list, i);
    const char *text = yaml_data_text(yaml_data_find(yaml, item, "Name"));
    if (name ? !text || strcmp(text, name) != 0 : !has_radiation(yaml, item))
      continue;
    *out = item;
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s'%.30s'", found ? ", " : "",
             text ? text : "");
    found++;
  }
  if (found == 1)
    return STATUS_OK;
  if (name)
    return yaml_data_fail(yaml, list, why, "a %s named '%.60s' once", what, name);
  return found == 0 ? yaml_data_fail(yaml, list, why, "a %s with %s", what, ADDED)
                    : fail(why, STATUS_BAD_INPUT, "%.80s:%d: '%s NAME' expected, one of %s", yaml->file.path,
                           (int)list->start_mark.line + 1, option, names);
}

// A matrix of a table, in our axes about the origin of the vessel axes.
static enum status read_matrix(const struct orcaflex *file, const yaml_node_t *map, const char *const *names,
                               int size, const double origin_m[3], double out[6][6], struct reason *why) {
  const yaml_node_t *rows;
  int place[6], columns, first = size == 6 ? 0 : 2;
  double theirs[36];
  enum status status = yaml_data_columns(&file->yaml, map, names, size, place, &rows, &columns, why);
  if (status == STATUS_OK)
    status = yaml_data_matrix(&file->yaml, rows, size, theirs, why);
  if (status == STATUS_OK && columns != size)
    status = yaml_data_fail(&file->yaml, rows, why, "%d columns", size);
  if (status != STATUS_OK)
    return status;
  memset(out, 0, 6 * sizeof *out);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      out[first + i][first + j] = file->conventions.sign[first + i] * file->conventions.sign[first + j] *
                                  TONNE * theirs[i * size + place[j]];
  hydro_shift_matrix(out, origin_m);
  return STATUS_OK;
}

// Puts a frequency in its place, so that they increase. Returns its index, or -1 if it is there already.
static int insert(struct hydro_raw *raw, double omega_radps) {
  int at = raw->frequencies;
  for (int f = 0; f < raw->frequencies; f++)
    if (raw->omega_radps[f] == omega_radps)
      return -1;
  for (; at > 0 && raw->omega_radps[at - 1] > omega_radps; at--) {
    raw->omega_radps[at] = raw->omega_radps[at - 1];
    memcpy(raw->added_mass[at], raw->added_mass[at - 1], sizeof raw->added_mass[at]);
    memcpy(raw->damping[at], raw->damping[at - 1], sizeof raw->damping[at]);
  }
  raw->omega_radps[at] = omega_radps;
  raw->frequencies++;
  return at;
}

static enum status read_frequency(const struct orcaflex *file, const yaml_node_t *item,
                                  const double origin_m[3], struct hydro_raw *raw, struct reason *why) {
  const yaml_node_t *node;
  double number = 0, (*added)[6] = NULL;
  int at = -1;
  enum status status = yaml_data_need(&file->yaml, item, "AMDPeriodOrFrequency", &node, why);
  if (status == STATUS_OK)
    status = yaml_data_number(&file->yaml, node, 1, &number, why);
  if (status != STATUS_OK)
    return status;
  double omega = orcaflex_omega(file, number);
  if (!(number >= 0))
    return yaml_data_fail(&file->yaml, node, why, "a period or frequency of at least 0");
  if (omega == 0 || isinf(omega)) {
    int *has = isinf(omega) ? &raw->has_inf : &raw->has_zero;
    added = isinf(omega) ? raw->added_mass_inf : raw->added_mass_zero;
    if (*has)
      return yaml_data_fail(&file->yaml, node, why, "each period or frequency once");
    *has = 1;
    return read_matrix(file, item, ADDED_NAMES, 6, origin_m, added, why);
  }
  if (raw->frequencies == MAX_RAW_FREQUENCIES)
    return yaml_data_fail(&file->yaml, node, why, "at most %d frequencies", MAX_RAW_FREQUENCIES);
  at = insert(raw, omega);
  if (at < 0)
    return yaml_data_fail(&file->yaml, node, why, "each period or frequency once");
  status = read_matrix(file, item, ADDED_NAMES, 6, origin_m, raw->added_mass[at], why);
  return status == STATUS_OK ? read_matrix(file, item, DAMPING_NAMES, 6, origin_m, raw->damping[at], why)
                             : status;
}

static enum status read_radiation(const struct orcaflex *file, struct hydro_raw *raw,
                                  struct hydro_report *report, struct reason *why) {
  const struct yaml_data *yaml = &file->yaml;
  const yaml_node_t *list = yaml_data_find(yaml, file->draught, ADDED);
  const yaml_node_t *datum = yaml_data_find(yaml, file->draught, "ReferenceOriginDatumPosition");
  double origin[3] = {0}, position[3] = {0};
  enum status status = orcaflex_read_point(file, file->draught, "ReferenceOrigin", origin, why);
  if (status == STATUS_OK && datum)
    status = yaml_data_numbers(yaml, datum, 3, position, why);
  if (status == STATUS_OK && datum && (fabs(position[1]) > 0.01 || fabs(position[2]) > 0.01))
    status = yaml_data_fail(yaml, datum, why, "a datum position without heel and trim");
  for (int i = 0; i < yaml_data_count(list) && status == STATUS_OK; i++)
    status = read_frequency(file, yaml_data_item(yaml, list, i), origin, raw, why);
  if (status == STATUS_OK && raw->frequencies < 8)
    status = yaml_data_fail(yaml, list ? list : file->draught, why, "%s at 8 or more frequencies", ADDED);
  if (status == STATUS_OK)
    status = read_matrix(file, file->draught, STIFFNESS_NAMES, 3, origin, raw->restoring, why);
  if (status == STATUS_OK)
    report_line(report, "%s: OrcaFlex, %d frequencies, %.4g to %.4g rad/s%s", yaml->file.path,
                raw->frequencies, raw->omega_radps[0], raw->omega_radps[raw->frequencies - 1],
                raw->has_inf ? ", with the infinite one" : "");
  return status;
}

// Mass and inertia, unless another mass floats than the file's: a model may divide it among its parts.
static enum status read_mass(const struct orcaflex *file, struct hydro_raw *raw, struct hydro_report *report,
                             struct reason *why) {
  const struct yaml_data *yaml = &file->yaml;
  const yaml_node_t *volume = yaml_data_find(yaml, file->draught, "DisplacedVolume");
  const yaml_node_t *mass = yaml_data_find(yaml, file->draught, "Mass"), *rows;
  const char *key = yaml_data_find(yaml, file->draught, "CentreOfMass") ? "CentreOfMass" : "CentreOfGravity";
  double displaced_m3 = 0, mass_te = 0, centre[3] = {0}, tensor[9];
  int place[3], columns;
  enum status status = volume ? yaml_data_number(yaml, volume, 0, &displaced_m3, why) : STATUS_OK;
  if (status == STATUS_OK && mass)
    status = yaml_data_number(yaml, mass, 0, &mass_te, why);
  if (status == STATUS_OK)
    status = orcaflex_read_point(file, file->draught, key, centre, why);
  if (status != STATUS_OK)
    return status;
  raw->displaced_kg = displaced_m3 > 0 ? displaced_m3 * raw->water_density_kgpm3 : TONNE * mass_te;
  if (!(mass_te > 0) || fabs(TONNE * mass_te / raw->displaced_kg - 1) > MASS_DIFFERS) {
    report_line(report, "mass %.6g kg left out: the displaced water has %.6g kg", TONNE * mass_te,
                raw->displaced_kg);
    return STATUS_OK;
  }
  status = yaml_data_columns(yaml, file->draught, INERTIA_NAMES, 3, place, &rows, &columns, why);
  if (status == STATUS_OK)
    status = yaml_data_matrix(yaml, rows, 3, tensor, why);
  if (status != STATUS_OK)
    return status;
  if (!(tensor[place[0]] > 0 && tensor[3 + place[1]] > 0 && tensor[6 + place[2]] > 0)) {
    report_line(report, "mass left out: the file has no moments of inertia");
    return STATUS_OK;
  }
  for (int i = 0; i < 3; i++) {
    raw->mass[i][i] = TONNE * mass_te;
    for (int j = 0; j < 3; j++) // vessel axes: x forward, y to port, z up
      raw->mass[3 + i][3 + j] = TONNE * tensor[3 * i + place[j]] * ((i == 0) == (j == 0) ? 1 : -1);
  }
  hydro_shift_matrix(raw->mass, centre);
  raw->has_mass = 1;
  report_line(report, "%s: mass %.6g kg, displaced %.6g kg", yaml->file.path, TONNE * mass_te,
              raw->displaced_kg);
  return STATUS_OK;
}

// Density and units, which stand outside the vessel type. The depth of the model's sea need not be that of
// the diffraction analysis.
static enum status read_water(const struct yaml_data *yaml, const struct orcaflex_choice *choice,
                              struct hydro_raw *raw, struct reason *why) {
  static const char *const systems[] = {"SI", NULL};
  const yaml_node_t *sea = yaml_data_find(yaml, yaml->root, "Environment");
  const yaml_node_t *density = yaml_data_find(yaml, sea, "Density");
  double density_tepm3 = DENSITY / TONNE;
  int system;
  enum status status = yaml_data_word(yaml, yaml_data_find(yaml, yaml->root, "General"), "UnitsSystem",
                                      systems, 0, &system, why);
  if (status == STATUS_OK && density)
    status = yaml_data_number(yaml, density, 0, &density_tepm3, why);
  if (status == STATUS_OK && density && !(density_tepm3 > 0))
    status = yaml_data_fail(yaml, density, why, "a density above 0");
  raw->gravity_mps2 = choice->gravity_mps2 > 0 ? choice->gravity_mps2 : GRAVITY;
  raw->water_density_kgpm3 =
      choice->water_density_kgpm3 > 0 ? choice->water_density_kgpm3 : TONNE * density_tepm3;
  return status;
}

static void report_damping(const struct orcaflex *file, struct hydro_report *report) {
  const yaml_node_t *list = yaml_data_find(&file->yaml, file->draught, "OtherLinearDamping");
  double damping[6] = {0}, most = 0;
  struct reason ignored = {""};
  if (list && yaml_data_numbers(&file->yaml, list, 6, damping, &ignored) == STATUS_OK)
    for (int i = 0; i < 6; i++)
      most = fmax(most, fabs(damping[i]));
  if (most > 0)
    report_line(report, "OtherLinearDamping of the file is not radiation: it belongs into vessel.damping");
}

static enum status orcaflex_read_tables(const struct orcaflex *file, struct hydro_raw *raw,
                                        struct hydro_report *report, struct reason *why);

enum status orcaflex_read(const char *path, const struct orcaflex_choice *choice, struct hydro_raw *raw,
                          struct hydro_report *report, struct reason *why) {
  struct orcaflex file;
  const yaml_node_t *types, *type = NULL, *draughts;
  enum status status = yaml_data_open(&file.yaml, path, "VesselTypes", why);
  if (status == STATUS_OK)
    status = read_water(&file.yaml, choice, raw, why);
  if (status == STATUS_OK)
    status = yaml_data_need(&file.yaml, file.yaml.root, "VesselTypes", &types, why);
  if (status == STATUS_OK)
    status = choose(&file.yaml, types, choice->vessel_type, "vessel type", "--vessel-type", &type, why);
  if (status == STATUS_OK)
    status = yaml_data_need(&file.yaml, type, "Draughts", &draughts, why);
  if (status == STATUS_OK)
    status = choose(&file.yaml, draughts, choice->draught, "draught", "--draught", &file.draught, why);
  if (status == STATUS_OK)
    status = orcaflex_read_conventions(&file, type, why);
  raw->code = "OrcaFlex";
  if (status == STATUS_OK)
    status = read_radiation(&file, raw, report, why);
  if (status == STATUS_OK)
    status = read_mass(&file, raw, report, why);
  if (status == STATUS_OK)
    status = orcaflex_read_tables(&file, raw, report, why);
  if (status == STATUS_OK)
    report_damping(&file, report);
  yaml_data_free(&file.yaml, report);
  return status;
}

// ------------------------------------------------------------
// LoadRAOs, DisplacementRAOs and WaveDrift: for each direction a table of rows by period or frequency.

enum { PAIRS = 12, DRIFTS = 3, MOST_COLUMNS = 32 };
static const double EQUAL = 1e-5;
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
  double origin[3] = {0}, wave[3];
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

// Load RAOs, displacement RAOs if there are any, wave drift if there is any. The frequencies of raw are
// known.
static enum status orcaflex_read_tables(const struct orcaflex *file, struct hydro_raw *raw,
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
