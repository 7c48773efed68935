// The quantity that the first column of a file holds, from which the frequency of a row follows.
#pragma once

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
