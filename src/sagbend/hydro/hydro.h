// Hydrodynamic data of a vessel: the file of vessel.hydro_file, fits of the memory and their checks.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/vessel/vessel.h"

#include <stddef.h>
#include <stdio.h>

// ------------------------------------------------------------
// What the error of a fitted memory does, from the hydrodynamic data themselves.

// Fills data->fit.motion: the motions of the free vessel solved with the memory against those with the code's
// A and B, at all their frequencies and headings of the wave forces. Roll is damped with at least 5 % of
// critical. NaN without mass matrix, wave forces or A and B.
void hydro_fit_judge_motions(struct hydro_data *data);

// Fills the rest of data->fit where only A and B give it, as in hydro files of version 2: the largest error
// up to the last frequency at which the damping of some motion is above 2 % of its peak. NaN without A and B.
void hydro_fit_judge_memory(struct hydro_data *data);

// A sentence about an error beyond 2 %, or one that is unknown. Returns 0 if there is nothing to report.
int hydro_fit_notice(const struct hydro_data *data, char *text, size_t size);

// ------------------------------------------------------------
// What a diffraction code computed for a vessel, before the memory is fitted: axes, phases and units of
// sagbend/vessel/vessel.h, about the origin of the files. Readers (hydro) fill it, hydro.h judges
// it.

// Frequencies that a file may have; those that remain after --frequencies are at most MAX_HYDRO_FREQUENCIES.
enum { MAX_RAW_FREQUENCIES = 4096 };

struct hydro_raw {
  const char *code;                                  // "VERES", "WAMIT"
  double water_density_kgpm3, gravity_mps2, depth_m; // depth 0: deep
  double length_unit_m;                              // in which the files are written; 0: they have units
  double displaced_kg;                               // 0: unknown
  double wave_point_m[2]; // where the phases refer to the surface: x, y of the files' origin from there
  double body_height_m;   // of the files' origin above the water
  int is_mass_estimated;  // 1: from the forces of the longest waves
  int has_mass;           // the mass matrix is known
  double mass[6][6];      // rigid body
  double restoring[6][6];
  double external_damping[6][6],
      external_restoring[6][6]; // damping and restoring from outside that the files' motions contain

  int frequencies;
  double omega_radps[MAX_RAW_FREQUENCIES]; // increasing
  double added_mass[MAX_RAW_FREQUENCIES][6][6], damping[MAX_RAW_FREQUENCIES][6][6];
  int is_left_out[MAX_RAW_FREQUENCIES]; // 1: not used by the fit; set by the checks

  // What the files' motions contain beyond radiation: tanks.
  int has_additional; // tanks
  double additional_mass[MAX_RAW_FREQUENCIES][6][6], additional_damping[MAX_RAW_FREQUENCIES][6][6];
  double additional_restoring[6][6];

  int has_inf, has_zero; // limits of the added mass that the files give
  double added_mass_inf[6][6], added_mass_zero[6][6];

  struct hydro_table force, motion; // width 12
  struct hydro_table drift;         // width 3
  struct hydro_table roll_damping;  // width 1: viscous, N m s/rad, in the motions of the files
};

// Solves the motions of the files at a frequency and heading by their index in the table of forces, which has
// the frequencies of the radiation. with_additional: as the files' motions contain them. STATUS_SINGULAR if
// the equations are. motion: pairs of real and imaginary part.
enum status hydro_raw_solve(const struct hydro_raw *raw, int frequency, int heading, int with_additional,
                            double motion[12]);

// How much an error of K changes the motions: sensitivity_ab is the largest change of a motion, as a share of
// its peak over all frequencies and headings, per error of K_ab of the size sqrt(peak_a peak_b). peak: of the
// damping. For roll at least 5 % of critical damping is assumed. sensitivity: [frequency], zero without mass
// matrix.
void hydro_raw_sensitivity(const struct hydro_raw *raw, const double peak[6], double (*sensitivity)[6][6]);

// Wavenumber of a wave in water of that depth; depth 0: deep.
double hydro_wavenumber(double omega_radps, double gravity_mps2, double depth_m);

// ------------------------------------------------------------
// The report of an import: lines of text that the command prints and the file keeps as comments.

enum { REPORT_BYTES = 1 << 15 };

struct hydro_report {
  char text[REPORT_BYTES]; // lines, each ends with a newline; a report that is full drops further lines
  size_t used;
};

// Adds a line (printf format, without the newline).
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void report_line(struct hydro_report *report, const char *format, ...);

// ------------------------------------------------------------
// Makes the data of the simulator from those of a diffraction code: fits the memory and moves everything to
// the vessel's reference point.

struct hydro_build_options {
  double tolerance;   // largest error of K in units of the peaks of B
  double scale;       // Froude's, from the files' vessel to the user's; 0: 1
  double origin_m[3]; // of the files' axes, scaled, in the vessel's: x forward, y starboard, z down
};

// Takes the tables of raw, which has none afterwards. Reports order, error and where, A_inf and A(0).
// STATUS_BAD_INPUT: the tolerance was not reached, or mass plus A_inf is not positive definite. Release out
// with hydro_data_free in every case.
enum status hydro_build(struct hydro_raw *raw, const struct hydro_build_options *options,
                        struct hydro_data *out, struct hydro_report *report, struct reason *why);

// ------------------------------------------------------------
// Checks of the data of a diffraction code, in this order. Each writes what it found into the report; what
// contradicts itself is refused, unless the user accepts it by the check's name.

#define HYDRO_CHECK_TABLE(X)                                                                                 \
  X(CHECK_MASS, "mass")                     /* a rigid body's, and positive definite */                      \
  X(CHECK_PASSIVITY, "passivity")           /* B positive semidefinite at most frequencies */                \
  X(CHECK_KRAMERS_KRONIG, "kramers-kronig") /* A and B belong together */                                    \
  X(CHECK_SYMMETRY, "symmetry")             /* of A and B where they are not left out */                     \
  X(CHECK_LONG_WAVES, "long-waves")         /* forces of the longest wave */                                 \
  X(CHECK_MOTIONS, "motions")               /* solved from A, B, C, F against the files' */
#define X(name, text) name,
enum hydro_check { HYDRO_CHECK_TABLE(X) HYDRO_CHECK_COUNT };
#undef X

// "symmetry", ...
const char *hydro_check_name(enum hydro_check check);

// Judges raw; symmetrises A and B and marks the frequencies that the fit leaves out. is_accepted: by check.
// STATUS_BAD_INPUT: a check that is not accepted failed; why names it and its place.
enum status hydro_checks(struct hydro_raw *raw, const int is_accepted[HYDRO_CHECK_COUNT],
                         struct hydro_report *report, struct reason *why);

// Names of the six degrees of freedom.
extern const char *const HYDRO_DOF[6];

// ------------------------------------------------------------
// The hydro file (docs/hydro.md): hydrodynamic data of a vessel as text, made by `sagbend hydro import` and
// named by vessel.hydro_file. First line "sagbend-hydro 3", then
// keys in any order, each once, with their numbers; a key of a matrix or table is followed by its rows; #
// begins a comment. The last line is the FNV-1a hash of all bytes before it. Versions 2
// (without the error of the fit, which follows from its A and B) and 1 (without these too) are read as well.

// comments: lines, each with a newline; written after "# ".
void hydro_file_write(FILE *out, const struct hydro_data *data, const char *comments);

// Reads the text of a file; name: for messages. STATUS_BAD_INPUT: why names file, line and what was expected.
// Release out with hydro_data_free in every case.
enum status hydro_file_parse(const char *name, const char *text, size_t size, struct hydro_data *out,
                             struct reason *why);

// ------------------------------------------------------------
// The quantity that the first column of a file holds, from which the frequency of a row follows.

// name in --first-column, what it is

#define FIRST_COLUMN_TABLE(X)                                                                                \
  X(COLUMN_PERIOD, "s", "periods in s")                                                                      \
  X(COLUMN_RADPS, "rad/s", "frequencies in rad/s")                                                           \
  X(COLUMN_HERTZ, "Hz", "frequencies in Hz")                                                                 \
  X(COLUMN_DEEP_WAVENUMBER, "KL", "wavenumbers of deep water times the length unit")                         \
  X(COLUMN_WAVENUMBER, "nuL", "wavenumbers times the length unit")
#define X(kind, name, text) kind,
enum first_column { FIRST_COLUMN_TABLE(X) FIRST_COLUMNS };
#undef X

// What the conversion of wavenumbers needs.
struct first_column_water {
  double length_m, gravity_mps2, depth_m; // depth 0: deep
};

// "s", "rad/s", ...
const char *first_column_name(enum first_column column);
// "periods in s", ...
const char *first_column_text(enum first_column column);
// The kind of a name; FIRST_COLUMNS: there is none.
enum first_column first_column_find(const char *name);

// Frequency in rad/s of a number above 0 of the column, and the number of a frequency.
double first_column_omega(enum first_column column, double number, const struct first_column_water *water);
double first_column_number(enum first_column column, double omega_radps,
                           const struct first_column_water *water);

// ------------------------------------------------------------
// What damping and wave force of one motion show of the waves (Newman 1962, The exciting forces on fixed
// bodies in waves; the relation of Haskind): B_jj = k / (8 pi rho g c_g) times the integral of |X_j|^2 over
// all headings, with the wavenumber k and the group velocity c_g. From the files' B and X follows k g /
// (omega c_g) for each frequency: 2 omega^2 / g in deep water, 1 / depth in waves much longer than the depth.
// A wrong length unit changes all by the same factor, a wrong depth those of the long waves, a wrong first
// column their course.

// How well water and units explain the waves: mean of |log(measured / computed)|, each at most 0.5.
struct hydro_waves {
  int frequencies; // that carry information; below 4 the rest is not set
  double given;    // with unit and depth as they were read
  double depth_m;  // that explains best with the unit as it was read, 0: deep; how well
  double depth_miss;
  double unit; // and depth that explain best together: the true length unit over the one that was read
  double unit_depth_m, unit_miss;
};

void hydro_waves_judge(const struct hydro_raw *raw, struct hydro_waves *out);

// A miss up to this explains the data.
static const double HYDRO_WAVES_AGREE = 0.1;

// The kind of the first column, which was read as column: column itself if that agrees or nothing does
// better.
enum first_column hydro_waves_column(const struct hydro_raw *raw, enum first_column column,
                                     const struct first_column_water *water);

// ------------------------------------------------------------
// Axes and reference point of hydrodynamic data.

// Orders a table by increasing frequency and heading. Headings, any angle in radians, become those of
// vessel.h; one that is there twice with the same values (0 and 360) counts once. Where no two headings
// lie on opposite sides, the values of the port side are mirrored to starboard. STATUS_BAD_INPUT: two
// frequencies or headings are equal.
enum status hydro_table_order(struct hydro_table *table, struct reason *why);

// Largest gap between neighbouring headings, rad; that between the mirror images counts.
double hydro_table_gap(const struct hydro_table *table);

// m = X m X', the wrench transform X of a shift of the reference point by which the old one comes to lie at
// r_m of the new one.
void hydro_shift_matrix(double m[6][6], const double r_m[3]);

// Froude's scaling: lengths times scale, masses times its cube, times its root.
void hydro_scale(struct hydro_data *data, double scale);

// Refers phases, which are those of the surface at a point, to the surface at the files' origin, x, y from
// that point; a second call does nothing.
void hydro_refer_phases(struct hydro_raw *raw);

struct hydro_phase_water {
  double gravity_mps2, depth_m; // depth 0: deep
};

// Shifts a table of width 12 about a point that comes to lie at r_m of the new one, with phases that refer to
// the surface at wave_m of the new one. Afterwards both are the new reference point.
void hydro_shift_table(struct hydro_table *table, const struct hydro_phase_water *water, const double r_m[3],
                       const double wave_m[3], int is_motion);

// Shifts data by which the old reference point comes to lie at r_m of the new one, horizontal phases
// included.
void hydro_shift(struct hydro_data *data, const double r_m[3]);

// ------------------------------------------------------------
// Memory of hydrodynamic data.

// Takes memory, all zero. Release with hydro_table_free, also after a failure.
enum status hydro_table_create(struct hydro_table *table, int frequencies, int headings, int width);
void hydro_table_free(struct hydro_table *table);

// Releases all tables of data.
void hydro_data_free(struct hydro_data *data);

// ------------------------------------------------------------
// Text files of numbers that Fortran programs wrote, read line by line. Errors name file, line and what was
// expected.

enum { TEXT_LINE = 1024, MAX_LINE_NUMBERS = 64, LARGEST_TEXT_FILE = 64 << 20 };

struct text_file {
  const char *path;
  char *text; // owned, size bytes and a zero
  size_t size;
  const char *at;
  int is_unended;         // 1: the last line has no end
  int line;               // of the line in buffer, from 1
  char buffer[TEXT_LINE]; // the last line read, without its end
};

// Reads the whole file. STATUS_BAD_INPUT: it is missing, not a regular file, empty, not text, or ends in the
// middle of a number, which a file that was cut does: without an end of the last line the last number must
// have as many characters as the shortest that ends another line of as many words, and a whole exponent.
// Release with text_file_close, also after a failure.
enum status text_file_open(struct text_file *file, const char *path, struct reason *why);
// The same for a text in memory, which is copied.
enum status text_file_copy(struct text_file *file, const char *name, const char *text, size_t size,
                           struct reason *why);
// Releases the text. report: gets a notice if the last line had no end; NULL: none.
void text_file_close(struct text_file *file, struct hydro_report *report);

// Reads the next line into buffer (CR and spaces at its end removed). Returns 0 at the end of the file.
int text_file_next(struct text_file *file);
// The same, but the end of the file is an error: what was expected, as in "frequency 3 of 36".
enum status text_file_need(struct text_file *file, const char *what, struct reason *why);

// Fails with "path:line: expected, got 'start of the line'".
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
enum status text_file_fail(const struct text_file *file, struct reason *why, const char *expected, ...);

// Reads the numbers of the line in buffer, which has nothing else: at least fewest, at most most. Accepts
// Fortran's forms 1.0D+02 and 1.0-101. Returns the count through *count (may be NULL).
enum status text_file_numbers(const struct text_file *file, int fewest, int most, double *out, int *count,
                              const char *what, struct reason *why);

// The numbers at the start of the line in buffer, at most most, as Fortran reads a list: commas separate too,
// 3*0.5 is 0.5 three times, text after the numbers is a comment. Returns their count.
int text_file_list(const struct text_file *file, int most, double *out);

// Exactly count numbers of such a line, which users write for a Fortran program.
enum status text_file_numbers_before_comment(const struct text_file *file, int count, double *out,
                                             const char *what, struct reason *why);

// text_file_need, then exactly count numbers.
enum status text_file_row(struct text_file *file, int count, double *out, const char *what,
                          struct reason *why);

// Fails unless only empty lines remain.
enum status text_file_end(struct text_file *file, const char *after, struct reason *why);

// Whether a number is whole and within the limits.
int text_is_whole(double x, double low, double high);
