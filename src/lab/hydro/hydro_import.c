// The import of a diffraction code's files: which code and kind each is, reading, checks, the fit of the
// memory.
#include "lab/hydro/hydro.h"
#include "lab/hydro/hydro_internal.h"

#include "sagbend/hydro/hydro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double LENGTH = 1, DENSITY = 1025, GRAVITY = 9.80665;
static const double WIDE_GAP_DEG = 30, DEGREE = 3.14159265358979323846 / 180;

enum code { VERES, WAMIT, NEMOH, ORCAFLEX, CAPYTAINE, CODES };
static const char *const CODE_NAMES[CODES] = {"VERES", "WAMIT", "Nemoh", "OrcaFlex", "Capytaine"};

// Kinds of files, and their names: an extension, or of Nemoh a whole name.
enum kind {
  RE1,
  RE2,
  RE7,
  RE8,
  HYD,
  W1,
  W2,
  W3,
  W4,
  W8,
  W9,
  W12D,
  HST,
  FRC,
  GDF,
  POT,
  NEMOH_RADIATION,
  NEMOH_FORCE,
  NEMOH_RESTORING,
  NEMOH_INERTIA,
  YML,
  YAML,
  NC,
  KINDS
};
static const struct {
  enum code code;
  const char *name;
} FILES[KINDS] = {[RE1] = {VERES, ".re1"},
                  [RE2] = {VERES, ".re2"},
                  [RE7] = {VERES, ".re7"},
                  [RE8] = {VERES, ".re8"},
                  [HYD] = {VERES, ".hyd"},
                  [W1] = {WAMIT, ".1"},
                  [W2] = {WAMIT, ".2"},
                  [W3] = {WAMIT, ".3"},
                  [W4] = {WAMIT, ".4"},
                  [W8] = {WAMIT, ".8"},
                  [W9] = {WAMIT, ".9"},
                  [W12D] = {WAMIT, ".12d"},
                  [HST] = {WAMIT, ".hst"},
                  [FRC] = {WAMIT, ".frc"},
                  [GDF] = {WAMIT, ".gdf"},
                  [POT] = {WAMIT, ".pot"},
                  [NEMOH_RADIATION] = {NEMOH, "RadiationCoefficients.tec"},
                  [NEMOH_FORCE] = {NEMOH, "ExcitationForce.tec"},
                  [NEMOH_RESTORING] = {NEMOH, "KH.dat"},
                  [NEMOH_INERTIA] = {NEMOH, "Inertia.dat"},
                  [YML] = {ORCAFLEX, ".yml"},
                  [YAML] = {ORCAFLEX, ".yaml"},
                  [NC] = {CAPYTAINE, ".nc"}};

// Whether a path ends like files of a kind.
static int is_of_kind(const char *path, int kind) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return *FILES[kind].name == '.' ? dot && strcasecmp(dot, FILES[kind].name) == 0
                                  : strcasecmp(name, FILES[kind].name) == 0;
}

struct files {
  const char *path[KINDS]; // NULL: not given
};

static enum status sort_files(char *const *paths, int count, struct files *files, struct reason *why) {
  for (int i = 0; i < count; i++) {
    int kind = 0;
    while (kind < KINDS && !is_of_kind(paths[i], kind))
      kind++;
    if (kind == KINDS)
      return fail(why, STATUS_BAD_INPUT,
                  "%.80s: a file of VERES (.re7 .re8 .re1 .re2 .hyd), WAMIT (.1 .2 .3 .4 .8 .9 .12d .hst "
                  ".frc .gdf .pot), Nemoh (RadiationCoefficients.tec ExcitationForce.tec KH.dat Inertia.dat) "
                  "OrcaFlex (.yml) or Capytaine (.nc) expected",
                  paths[i]);
    if (files->path[kind])
      return fail(why, STATUS_BAD_INPUT, "%.100s: one file %s expected, got also %.100s", paths[i],
                  FILES[kind].name, files->path[kind]);
    files->path[kind] = paths[i];
  }
  return STATUS_OK;
}

static enum status need(const struct files *files, enum kind kind, enum kind beside, struct reason *why) {
  return files->path[kind] ? STATUS_OK
                           : fail(why, STATUS_BAD_INPUT, "%.150s needs a file %s beside it",
                                  files->path[beside], FILES[kind].name);
}

static enum status read_veres(const struct files *files, struct hydro_raw *raw, struct hydro_report *report,
                              struct reason *why) {
  enum status status = need(files, RE8, RE7, why);
  if (status == STATUS_OK)
    status = veres_read_re7(files->path[RE7], raw, report, why);
  if (status == STATUS_OK)
    status = veres_read_re8(files->path[RE8], raw, report, why);
  if (status == STATUS_OK && files->path[RE1])
    status = veres_read_re1(files->path[RE1], raw, report, why);
  if (status == STATUS_OK && files->path[RE2])
    status = veres_read_re2(files->path[RE2], raw, report, why);
  if (status == STATUS_OK && files->path[HYD])
    status = veres_read_hyd(files->path[HYD], raw, report, why);
  return status;
}

static enum status find_units(const struct files *files, const struct hydro_import_options *options,
                              struct hydro_raw *raw, struct wamit_units *units,
                              struct wamit_gyration *gyration, struct wamit_hull *hull,
                              struct hydro_report *report, struct reason *why) {
  *units = (struct wamit_units){LENGTH, DENSITY, GRAVITY,
                                options->has_column ? options->column : COLUMN_PERIOD, raw->depth_m};
  enum status status = files->path[GDF]
                           ? wamit_read_gdf(files->path[GDF], raw->body_height_m, units, hull, report, why)
                           : STATUS_OK;
  if (status == STATUS_OK && files->path[FRC])
    status = wamit_read_frc(files->path[FRC], units, raw, gyration, report, why);
  if (options->length_unit_m > 0)
    units->length_m = options->length_unit_m;
  if (options->water_density_kgpm3 > 0)
    units->water_density_kgpm3 = options->water_density_kgpm3;
  if (options->gravity_mps2 > 0)
    units->gravity_mps2 = options->gravity_mps2;
  if (status == STATUS_OK && !(options->length_unit_m > 0) && !files->path[GDF] && !raw->has_mass)
    status =
        fail(why, STATUS_BAD_INPUT,
             "%.120s needs '--length-unit M' (ULEN), or a file .gdf that states it, or .frc with the mass",
             files->path[W1]);
  return status;
}

// The first column is judged before anything else: all checks of data with wrong frequencies would fail.
static enum status check_column(const char *path, enum first_column column, const struct hydro_raw *raw,
                                struct reason *why) {
  const struct first_column_water water = {raw->length_unit_m > 0 ? raw->length_unit_m : 1, raw->gravity_mps2,
                                           raw->depth_m};
  enum first_column found = hydro_waves_column(raw, column, &water);
  return found == column
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT,
                    "%.120s: the first column was read as %s, but damping and heave force agree with %s: "
                    "'--first-column %s'",
                    path, first_column_text(column), first_column_text(found), first_column_name(found));
}

static enum status read_wamit(const struct files *files, const struct hydro_import_options *options,
                              struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  struct wamit_units units;
  struct wamit_gyration gyration = {0};
  struct wamit_hull hull = {0};
  enum status status = need(files, HST, W1, why);
  if (status == STATUS_OK && !files->path[W2])
    status = need(files, W3, W1, why);
  if (status == STATUS_OK && files->path[POT])
    status = wamit_read_pot(files->path[POT], raw, report, why);
  if (options->depth_m > 0)
    raw->depth_m = options->depth_m;
  if (status == STATUS_OK)
    status = find_units(files, options, raw, &units, &gyration, &hull, report, why);
  if (status == STATUS_OK)
    status = wamit_read_1(files->path[W1], &units, raw, report, why);
  if (status == STATUS_OK)
    status = wamit_read_hst(files->path[HST], &units, raw, report, why);
  if (status == STATUS_OK)
    status = wamit_read_force(files->path[W3] ? files->path[W3] : files->path[W2], &units, raw, report, why);
  if (status == STATUS_OK && files->path[W4])
    status = wamit_read_motion(files->path[W4], &units, raw, report, why);
  for (enum kind kind = W8; status == STATUS_OK && kind <= W9; kind++)
    if (files->path[kind])
      status = wamit_read_drift(files->path[kind], &units, raw, report, why);
  if (status == STATUS_OK && files->path[W12D])
    status = wamit_read_difference(files->path[W12D], report, why);
  if (status == STATUS_OK) {
    hydro_refer_phases(raw);
    status = check_column(files->path[W1], units.column, raw, why);
  }
  return status == STATUS_OK && gyration.is_given
             ? wamit_take_gyration(files->path[FRC], &gyration, &hull, raw, report, why)
             : status;
}

static void hydro_raw_reverse(struct hydro_raw *raw);

static enum status read_nemoh(const struct files *files, const struct hydro_import_options *options,
                              struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  raw->water_density_kgpm3 = options->water_density_kgpm3 > 0 ? options->water_density_kgpm3 : DENSITY;
  raw->gravity_mps2 = options->gravity_mps2 > 0 ? options->gravity_mps2 : GRAVITY;
  enum first_column column = options->has_column ? options->column : COLUMN_RADPS;
  enum status status = need(files, NEMOH_FORCE, NEMOH_RADIATION, why);
  if (status == STATUS_OK && column > COLUMN_HERTZ)
    status = fail(why, STATUS_BAD_INPUT, "%.120s: '--first-column' s, rad/s or Hz expected for Nemoh, got %s",
                  files->path[NEMOH_RADIATION], first_column_name(column));
  if (status == STATUS_OK)
    status = need(files, NEMOH_RESTORING, NEMOH_RADIATION, why);
  if (status == STATUS_OK)
    status = nemoh_read_radiation(files->path[NEMOH_RADIATION], column, raw, report, why);
  if (status == STATUS_OK)
    status = nemoh_read_force(files->path[NEMOH_FORCE], column, raw, report, why);
  if (status == STATUS_OK)
    status = nemoh_read_restoring(files->path[NEMOH_RESTORING], raw, report, why);
  if (status == STATUS_OK && files->path[NEMOH_INERTIA])
    status = nemoh_read_inertia(files->path[NEMOH_INERTIA], raw, report, why);
  if (status == STATUS_OK && raw->omega_radps[0] > raw->omega_radps[raw->frequencies - 1])
    hydro_raw_reverse(raw);
  raw->depth_m = options->depth_m;
  return status == STATUS_OK ? check_column(files->path[NEMOH_RADIATION], column, raw, why) : status;
}

static enum status read_orcaflex(const struct files *files, const struct hydro_import_options *options,
                                 struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  const struct orcaflex_choice choice = {options->vessel_type, options->draught, options->water_density_kgpm3,
                                         options->gravity_mps2};
  if (files->path[YML] && files->path[YAML])
    return fail(why, STATUS_BAD_INPUT, "%.120s: one file of OrcaFlex expected, got also %.120s",
                files->path[YML], files->path[YAML]);
  raw->depth_m = options->depth_m;
  return orcaflex_read(files->path[files->path[YML] ? YML : YAML], &choice, raw, report, why);
}

// Stiffness and inertia are in the dataset, or beside it in the files that Capytaine writes for Nemoh.
static enum status read_capytaine(const struct files *files, const struct hydro_import_options *options,
                                  struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  int has_restoring = 0;
  enum status status = capytaine_read_apart(files->path[NC], raw, &has_restoring, report, why);
  if (status == STATUS_OK && options->water_density_kgpm3 > 0)
    return fail(why, STATUS_BAD_INPUT,
                "%.150s: '--water-density' is not allowed with this dataset, which states it",
                files->path[NC]);
  if (status == STATUS_OK && files->path[NEMOH_RESTORING])
    status = nemoh_read_restoring(files->path[NEMOH_RESTORING], raw, report, why);
  else if (status == STATUS_OK && !has_restoring)
    status = fail(why, STATUS_BAD_INPUT,
                  "%.120s needs a variable hydrostatic_stiffness (assemble_dataset(..., hydrostatics=True)) "
                  "or a file KH.dat beside it",
                  files->path[NC]);
  if (status == STATUS_OK && files->path[NEMOH_INERTIA])
    status = nemoh_read_inertia(files->path[NEMOH_INERTIA], raw, report, why);
  return status;
}

static enum status read_files(const struct files *files, const struct hydro_import_options *options,
                              struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  int count[CODES] = {0}, codes = 0;
  const char *any = NULL;
  for (int k = 0; k < KINDS; k++)
    if (files->path[k]) {
      codes += count[FILES[k].code]++ == 0;
      any = files->path[k];
    }
  if (count[CAPYTAINE] && count[NEMOH] && !files->path[NEMOH_RADIATION] && !files->path[NEMOH_FORCE])
    codes--;
  if (codes > 1) {
    char names[64] = "";
    for (int c = 0; c < CODES; c++)
      if (count[c])
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
                 CODE_NAMES[c]);
    return fail(why, STATUS_BAD_INPUT, "%.150s: files of one code expected, got some of %s", any, names);
  }
  if (files->path[RE7])
    return read_veres(files, raw, report, why);
  if (files->path[W1])
    return read_wamit(files, options, raw, report, why);
  if (files->path[NEMOH_RADIATION])
    return read_nemoh(files, options, raw, report, why);
  if (count[CAPYTAINE])
    return read_capytaine(files, options, raw, report, why);
  if (count[ORCAFLEX])
    return read_orcaflex(files, options, raw, report, why);
  return fail(why, STATUS_BAD_INPUT,
              "%.120s needs a file .re7 (VERES), .1 (WAMIT) or RadiationCoefficients.tec (Nemoh) beside it",
              any);
}

static void report_headings(const struct hydro_raw *raw, struct hydro_report *report) {
  double gap = hydro_table_gap(&raw->force) / DEGREE;
  if (gap > WIDE_GAP_DEG + 1e-6)
    report_line(report, "warning: a gap of %.4g degrees between headings; forces between are interpolated",
                gap);
}

// What the motions of the files contain and the model does not.
static enum status take_additional(const struct hydro_raw *raw, const struct hydro_import_options *options,
                                   const char *path, struct hydro_report *report, struct reason *why) {
  double mass[6] = {0}, damping[6] = {0}, roll = 0;
  for (int f = 0; f < raw->frequencies; f++) {
    for (int h = 0; h < raw->roll_damping.headings; h++)
      roll = fmax(roll, hydro_table_at(&raw->roll_damping, f, h)[0]);
    for (int i = 0; i < 6; i++) {
      mass[i] = fmax(mass[i], fabs(raw->additional_mass[f][i][i]));
      damping[i] = fmax(damping[i], fabs(raw->additional_damping[f][i][i]));
    }
  }
  if (roll > 0)
    report_line(report,
                "roll damping of the files besides radiation: up to %.3g N m s/rad; it belongs into "
                "vessel.damping",
                roll);
  if (!raw->has_additional)
    return STATUS_OK;
  int worst = 0;
  for (int i = 0; i < 6; i++)
    if (mass[i] > 0 || damping[i] > 0) {
      report_line(report, "second matrices (tanks): %s up to %.2g kg or kg m2, %.2g N s/m or N m s/rad",
                  HYDRO_DOF[i], mass[i], damping[i]);
      worst = mass[i] > mass[worst] ? i : worst;
    }
  if (options->without_additional) {
    report_line(report, "second matrices left out (--without-additional): the model has no tanks");
    return STATUS_OK;
  }
  return fail(
      why, STATUS_BAD_INPUT,
      "%.100s: second matrices (tanks) of %s, up to %.2g kg m2 and %.2g N m s: the model has no tanks; "
      "'--without-additional' leaves them out",
      path, HYDRO_DOF[worst], mass[worst], damping[worst]);
}

// What remains must fit the hydro file.
static enum status check_counts(const struct hydro_raw *raw, struct reason *why) {
  int most = raw->frequencies;
  const struct hydro_table *const tables[] = {&raw->motion, &raw->drift};
  for (int k = 0; k < 2; k++)
    most = tables[k]->frequencies > most ? tables[k]->frequencies : most;
  return most <= MAX_HYDRO_FREQUENCIES
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT,
                    "at most %d frequencies expected, got %d from %.5g to %.5g rad/s: '--frequencies "
                    "FIRST:LAST' "
                    "uses a range of them",
                    MAX_HYDRO_FREQUENCIES, most, raw->omega_radps[0], raw->omega_radps[raw->frequencies - 1]);
}

static enum status hydro_raw_keep_range(struct hydro_raw *raw, double first_radps, double last_radps,
                                        struct hydro_report *report, struct reason *why);

static enum status import_raw(const struct files *files, const struct hydro_import_options *options,
                              struct hydro_raw *raw, struct hydro_data *out, struct hydro_report *report,
                              struct reason *why) {
  const struct hydro_build_options build = {
      options->tolerance, options->scale, {options->origin_m[0], options->origin_m[1], options->origin_m[2]}};
  enum status status = read_files(files, options, raw, report, why);
  if (options->depth_m > 0)
    raw->depth_m = options->depth_m;
  if (status == STATUS_OK && options->last_radps > 0)
    status = hydro_raw_keep_range(raw, options->first_radps, options->last_radps, report, why);
  if (status == STATUS_OK)
    status = check_counts(raw, why);
  if (status == STATUS_OK)
    hydro_refer_phases(raw);
  if (status == STATUS_OK)
    report_headings(raw, report);
  if (status == STATUS_OK)
    status = hydro_checks(raw, options->is_accepted, report, why);
  if (status == STATUS_OK)
    status = take_additional(raw, options, files->path[RE7], report, why);
  return status == STATUS_OK ? hydro_build(raw, &build, out, report, why) : status;
}

enum status hydro_import(char *const *paths, int count, const struct hydro_import_options *options,
                         struct hydro_data *out, struct hydro_report *report, struct reason *why) {
  struct files files = {{NULL}};
  struct hydro_raw *raw = calloc(1, sizeof *raw);
  *out = (struct hydro_data){0};
  report->used = 0;
  report->text[0] = '\0';
  enum status status =
      raw ? sort_files(paths, count, &files, why) : fail(why, STATUS_NO_MEMORY, "out of memory for the data");
  if (status == STATUS_OK && raw)
    status = import_raw(&files, options, raw, out, report, why);
  if (raw) {
    hydro_table_free(&raw->force);
    hydro_table_free(&raw->motion);
    hydro_table_free(&raw->drift);
    hydro_table_free(&raw->roll_damping);
  }
  free(raw);
  return status;
}

// ------------------------------------------------------------
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

// Keeps of A, B, wave force, motions and drift the frequencies from first to last, rad/s, as compared to five
// digits. STATUS_BAD_INPUT: fewer than 8 frequencies remain.
static enum status hydro_raw_keep_range(struct hydro_raw *raw, double first_radps, double last_radps,
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

// Turns the order of frequencies, A and B, of a file that begins with the shortest wave.
static void hydro_raw_reverse(struct hydro_raw *raw) {
  for (int low = 0, high = raw->frequencies - 1; low < high; low++, high--) {
    double kept = raw->omega_radps[low];
    raw->omega_radps[low] = raw->omega_radps[high];
    raw->omega_radps[high] = kept;
    swap_matrices(raw->added_mass[low], raw->added_mass[high]);
    swap_matrices(raw->damping[low], raw->damping[high]);
  }
}
