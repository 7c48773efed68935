// Reads a dataset of Capytaine, one body, that export_dataset(..., format="netcdf") wrote: added mass,
// radiation damping, diffraction and Froude-Krylov force; stiffness and inertia if they are there. SI units;
// its axes are x forward, y to port, z up, a direction is that of travel, anticlockwise from x, in radians; a
// quantity is the real part of value e^(-i omega t). Degrees of freedom are found by their names.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/hydro/hydro.h"

#include <stddef.h>
#include <yaml.h>

// The same in a process of its own: HDF5 can crash on a damaged file, or compute for ever. STATUS_BAD_INPUT
// also if the process ended by a signal, as after a minute of computing.
enum status capytaine_read_apart(const char *path, struct hydro_raw *raw, int *has_restoring,
                                 struct hydro_report *report, struct reason *why);

// ------------------------------------------------------------
// Reads the files of Nemoh 2 and 3, one body: RadiationCoefficients.tec (added mass, damping),
// ExcitationForce.tec (wave force as amplitude and phase), KH.dat (restoring), Inertia.dat (mass). SI units;
// its axes are x forward, y to port, z up, a heading is the direction of travel, anticlockwise from x, and a
// quantity is the real part of value e^(-i omega t). Capytaine's export in this format is read too.

// Radiation comes first; the forces must have its frequencies.
enum status nemoh_read_radiation(const char *path, enum first_column column, struct hydro_raw *raw,
                                 struct hydro_report *report, struct reason *why);
enum status nemoh_read_force(const char *path, enum first_column column, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why);
enum status nemoh_read_restoring(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                                 struct reason *why);
enum status nemoh_read_inertia(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                               struct reason *why);

// ------------------------------------------------------------
// Reads variables of a NetCDF file by their names. libnetcdf, which brings HDF5 and thirty more libraries, is
// loaded when the first file is opened, so that a simulation carries none of it. Within the reader of
// Capytaine only, in a process of its own (capytaine.c). Errors name the file, the variable and what
// was expected.

enum { NETCDF_NAME = 64, NETCDF_DIMENSIONS = 8 };

struct netcdf_file {
  const char *path;
  int id; // -1: not open
};

struct netcdf_variable {
  int id; // -1: the file has none of this name
  char name[NETCDF_NAME];
  int dimensions;
  char dimension[NETCDF_DIMENSIONS][NETCDF_NAME]; // names, the slowest first
  size_t length[NETCDF_DIMENSIONS];
  size_t count;  // of values
  double *value; // owned; NULL: a text
};

// ------------------------------------------------------------
// Reads a vessel type of OrcaFlex from a text data file (.yml): load RAOs as wave force, displacement RAOs as
// motions, frequency-dependent added mass and damping, hydrostatic stiffness, mass and inertia, wave drift.
// Of the conventions those on directions, phases, periods and angles are followed; units are SI as OrcaFlex
// means it: m, te, kN. Its vessel axes are x forward, y to port, z up; a direction is that of travel,
// anticlockwise from x; the hydrostatic stiffness includes the weight. Everything is moved to the origin of
// these axes.

struct orcaflex_choice {
  const char *vessel_type, *draught;        // NULL: the only one that has radiation data
  double water_density_kgpm3, gravity_mps2; // 0: those of the file, 9.80665
};

enum status orcaflex_read(const char *path, const struct orcaflex_choice *choice, struct hydro_raw *raw,
                          struct hydro_report *report, struct reason *why);

// ------------------------------------------------------------
// A YAML file of another program, read by key. Unlike a configuration (sagbend/yaml) it is large and has keys
// that nobody asks for. Within the reader of OrcaFlex only. Errors name file, line and what was expected.

enum { YAML_DATA_DOCUMENTS = 8 };

struct yaml_data {
  struct text_file file;
  yaml_document_t document;
  int is_loaded;
  const yaml_node_t *root; // a mapping
};

// Reads the first document that has the key. Release with yaml_data_free, also after a failure.
enum status yaml_data_open(struct yaml_data *data, const char *path, const char *key, struct reason *why);
void yaml_data_free(struct yaml_data *data, struct hydro_report *report);

// Fails with "path:line: expected, got the start of the value".
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
enum status yaml_data_fail(const struct yaml_data *data, const yaml_node_t *at, struct reason *why,
                           const char *expected, ...);

// The value of a key; NULL if the node is not a mapping or lacks it. A value ~ or null counts as absent.
const yaml_node_t *yaml_data_find(const struct yaml_data *data, const yaml_node_t *map, const char *key);
// The same, but an absent key is an error.
enum status yaml_data_need(const struct yaml_data *data, const yaml_node_t *map, const char *key,
                           const yaml_node_t **out, struct reason *why);

// The items of a list; 0, NULL beyond its end or if the node is not a list.
int yaml_data_count(const yaml_node_t *list);
const yaml_node_t *yaml_data_item(const struct yaml_data *data, const yaml_node_t *list, int index);

// The text of a scalar; NULL of others.
const char *yaml_data_text(const yaml_node_t *node);

// A finite number; with infinity accepted, the word Infinity too.
enum status yaml_data_number(const struct yaml_data *data, const yaml_node_t *node, int is_infinity_accepted,
                             double *out, struct reason *why);
// A list of exactly count finite numbers. An item ~ takes the value that out has before.
enum status yaml_data_numbers(const struct yaml_data *data, const yaml_node_t *list, int count, double *out,
                              struct reason *why);
// size lists of size numbers: rows.
enum status yaml_data_matrix(const struct yaml_data *data, const yaml_node_t *list, int size, double *out,
                             struct reason *why);

// The index of the scalar in a list of words that NULL ends; fallback if the key is absent.
enum status yaml_data_word(const struct yaml_data *data, const yaml_node_t *map, const char *key,
                           const char *const *words, int fallback, int *out, struct reason *why);

// A table whose key lists its columns, "A, B, C". Finds the key whose first column is names[0] and the place
// of each name in it. rows: its value; columns: the numbers of a row.
enum status yaml_data_columns(const struct yaml_data *data, const yaml_node_t *map, const char *const *names,
                              int count, int *place, const yaml_node_t **rows, int *columns,
                              struct reason *why);

// ------------------------------------------------------------
// What the parts of the reader of OrcaFlex share. Within it only.

enum orcaflex_waves { ORCAFLEX_PERIOD, ORCAFLEX_RADPS, ORCAFLEX_HZ };

// The conventions of a vessel type.
struct orcaflex_conventions {
  double sign[6];            // of our axes in the data's
  int waves;                 // enum orcaflex_waves
  double angle, phase;       // radians of a unit of rotations, of phases
  double lag;                // 1: positive phases are lags; -1: leads
  double crest_rad;          // lag behind the crest of what phases refer to
  int are_angles_per_metre;  // of wave amplitude
  int is_fore_aft_symmetric; // directions of one quarter
};

struct orcaflex {
  struct yaml_data yaml;
  const yaml_node_t *draught;
  struct orcaflex_conventions conventions;
};

// ------------------------------------------------------------
// Reads the files of ShipX/VERES, versions 1 and 2: .re7 (mass, added mass, damping, restoring), .re8 (wave
// force), .re1 (motions), .re2 (mean drift), .hyd (data check). VERES's axes are x aft, y to starboard, z up
// about a point on the centre line and the waterline, its heading 0 a head sea and 90 towards starboard.

// Each fills its part of raw. re7 comes first; the others compare what they repeat with it.
enum status veres_read_re7(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
enum status veres_read_re8(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
enum status veres_read_re1(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
enum status veres_read_re2(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
enum status veres_read_hyd(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);

// ------------------------------------------------------------
// The heads that VERES's files share. Within the reader of VERES only.

struct veres_head {
  double water_density_kgpm3, gravity_mps2, length_m, breadth_m, draught_m;
  int version; // 1 or 2
  int headings, frequencies;
};

static const double VERES_SIGN[6] = {-1, 1, -1, -1, 1, -1}; // of our axes in VERES's

// ------------------------------------------------------------
// Reads the numeric files of WAMIT 6 and 7 (one body): .1 (added mass, damping), .2 or .3 (wave force), .4
// (motions), .8 or .9 (mean drift), .hst (restoring), .frc (mass), .gdf (length
// unit, gravity), .pot (depth, body origin). Its axes are x forward, y to port, z up; a heading is the
// direction of travel, anticlockwise from x; a period of -1 is the frequency zero, 0 the infinite one.
// Numbers have no unit: with density rho, gravity g and length unit L added mass is rho L^k, damping rho
// omega L^k, force rho g L^m, and so on.

struct wamit_units {
  double length_m, water_density_kgpm3, gravity_mps2;
  enum first_column column; // IPEROUT
  double depth_m;           // of the water, for a column of wavenumbers; 0: deep
};

// Hull of a .gdf of flat panels, about the body's axes moved up so that z = 0 is the water; WAMIT's axes.
struct wamit_hull {
  double volume_m3; // 0: unknown, as of a geometry without flat panels
  double centre_m[3];
};
// Form 1 of a .frc.
struct wamit_gyration {
  int is_given;
  double height_m;       // of the centre of gravity above the body's origin
  double radius_m[3][3]; // of gyration about that origin; a moment of inertia is m r |r|
};
// .gdf: length unit and gravity, and the hull. body_height_m: of the body's origin above the water.
enum status wamit_read_gdf(const char *path, double body_height_m, struct wamit_units *units,
                           struct wamit_hull *hull, struct hydro_report *report, struct reason *why);
// .pot: depth of the water into raw (0: deep) and where the body's origin lies from the point to whose
// surface the phases refer (XBODY).
enum status wamit_read_pot(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why);
// .frc: of form 2 density, mass, external damping and restoring; of form 1 radii of gyration. In units of its
// own.
enum status wamit_read_frc(const char *path, struct wamit_units *units, struct hydro_raw *raw,
                           struct wamit_gyration *gyration, struct hydro_report *report, struct reason *why);
// Mass matrix of radii of gyration, with the mass of the displaced water: that of the hull, or the one that
// the longest waves move.
enum status wamit_take_gyration(const char *path, const struct wamit_gyration *gyration,
                                const struct wamit_hull *hull, struct hydro_raw *raw,
                                struct hydro_report *report, struct reason *why);
enum status wamit_read_1(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                         struct hydro_report *report, struct reason *why);
enum status wamit_read_hst(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                           struct hydro_report *report, struct reason *why);
// .2 or .3, then .4; the periods must be those of .1, the headings of .4 those of the forces.
enum status wamit_read_force(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why);
enum status wamit_read_motion(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                              struct hydro_report *report, struct reason *why);
// .12d: compared with Newman's approximation in the report; the simulator does not use it.
enum status wamit_read_difference(const char *path, struct hydro_report *report, struct reason *why);
// .8 (momentum) or .9 (pressure): of the pairs of headings those with twice the same heading; the yaw moment
// of mode -6, about the body's own origin, where the file has it. The table replaces an earlier one.
enum status wamit_read_drift(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why);

// ------------------------------------------------------------
// Lists of numbers, all of one length, as WAMIT's numeric files are. Within the reader of WAMIT only.

enum { WAMIT_COLUMNS = 9 };

struct wamit_row {
  double number[WAMIT_COLUMNS];
  int count, line;
};

struct wamit_rows {
  struct text_file file; // open until wamit_rows_free, for messages
  struct wamit_row *row; // owned
  int count;
};

static const double WAMIT_SIGN[6] = {1, -1, -1, 1, -1, -1}; // of our axes in WAMIT's

// Reads a file whose lines have fewest to most numbers; a first line that is no number is a title.
enum status wamit_rows_read(struct wamit_rows *rows, const char *path, int fewest, int most, const char *what,
                            struct reason *why);
// report: for notices about the file; NULL: none.
void wamit_rows_free(struct wamit_rows *rows, struct hydro_report *report);

// Fails with the line of a row.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
enum status wamit_fail(const struct wamit_rows *rows, int row, struct reason *why, const char *expected, ...);

// Fails unless the column is a whole number from 1 to 6.
enum status wamit_check_index(const struct wamit_rows *rows, int row, int column, struct reason *why);

// ------------------------------------------------------------
// Leaves out what lies outside a range of frequencies.
