#include "lab/hydro/orcaflex.h"

#include "lab/hydro/orcaflex_parts.h"

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

double orcaflex_omega(const struct orcaflex *file, double number) {
  if (file->conventions.waves == ORCAFLEX_PERIOD)
    return number > 0 ? 2 * PI / number : HUGE_VAL; // an infinite period has the frequency 0
  return file->conventions.waves == ORCAFLEX_HZ ? 2 * PI * number : number;
}

enum status orcaflex_read_point(const struct orcaflex *file, const yaml_node_t *map, const char *key,
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

enum status orcaflex_read_conventions(struct orcaflex *file, const yaml_node_t *type, struct reason *why) {
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
