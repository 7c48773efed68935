#include "sagbend/hydro/first_column.h"

#include "sagbend/hydro/hydro_raw.h"

#include <math.h>
#include <string.h>

static const double TURN = 2 * 3.14159265358979323846;

const char *first_column_name(enum first_column column) {
#define X(kind, name, text) name,
  static const char *const names[] = {FIRST_COLUMN_TABLE(X)};
#undef X
  return names[column];
}

const char *first_column_text(enum first_column column) {
#define X(kind, name, text) text,
  static const char *const texts[] = {FIRST_COLUMN_TABLE(X)};
#undef X
  return texts[column];
}

enum first_column first_column_find(const char *name) {
  int column = 0;
  while (column < FIRST_COLUMNS && strcmp(name, first_column_name((enum first_column)column)) != 0)
    column++;
  return (enum first_column)column;
}

double first_column_omega(enum first_column column, double number, const struct first_column_water *water) {
  double wavenumber = number / water->length_m, rise = 1;
  switch (column) {
  case COLUMN_PERIOD:
    return TURN / number;
  case COLUMN_RADPS:
    return number;
  case COLUMN_HERTZ:
    return TURN * number;
  case COLUMN_WAVENUMBER:
    rise = water->depth_m > 0 ? tanh(wavenumber * water->depth_m) : 1;
    break;
  default:
    break;
  }
  return sqrt(water->gravity_mps2 * wavenumber * rise);
}

double first_column_number(enum first_column column, double omega_radps,
                           const struct first_column_water *water) {
  switch (column) {
  case COLUMN_PERIOD:
    return TURN / omega_radps;
  case COLUMN_RADPS:
    return omega_radps;
  case COLUMN_HERTZ:
    return omega_radps / TURN;
  case COLUMN_WAVENUMBER:
    return hydro_wavenumber(omega_radps, water->gravity_mps2, water->depth_m) * water->length_m;
  default:
    return omega_radps * omega_radps / water->gravity_mps2 * water->length_m;
  }
}
