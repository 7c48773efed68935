#include "io/bathymetry/bathymetry.h"

#include "io/yaml/schema.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NCOLS, NROWS, X_CORNER, X_CENTER, Y_CORNER, Y_CENTER, CELLSIZE, NODATA, KEYS, TOKEN = 48 };
static const char *const KEY_NAMES[KEYS] = {"ncols",     "nrows",     "xllcorner", "xllcenter",
                                            "yllcorner", "yllcenter", "cellsize",  "nodata_value"};

static const double SMALLEST_CELL_M = 1e-3, LARGEST_CELL_M = 1e6;

struct scan {
  const char *at, *end, *line_start;
  struct position now; // of the token
  struct error_list *errors;
  char token[TOKEN];
};

// Reads the next token of the line. Returns 0 at the end of the line.
static int next(struct scan *scan) {
  while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r'))
    scan->at++;
  scan->now.column = (int)(scan->at - scan->line_start) + 1;
  size_t used = 0;
  for (; scan->at < scan->end && !strchr(" \t\r\n", *scan->at ? *scan->at : 'x'); scan->at++)
    if (used < TOKEN - 1)
      scan->token[used++] = *scan->at ? *scan->at : '?';
  scan->token[used] = '\0';
  return used > 0;
}

// Returns 0 after the last line.
static int next_line(struct scan *scan) {
  while (scan->at < scan->end && *scan->at != '\n')
    scan->at++;
  if (scan->at == scan->end)
    return 0;
  scan->line_start = ++scan->at;
  scan->now.line++;
  return 1;
}

static int key_of(const char *token) {
  for (int k = 0; k < KEYS; k++) {
    size_t i = 0;
    while (token[i] && tolower((unsigned char)token[i]) == KEY_NAMES[k][i])
      i++;
    if (!token[i] && !KEY_NAMES[k][i])
      return k;
  }
  return KEYS;
}

static int is_count(int key) {
  return key == NCOLS || key == NROWS;
}

static void read_key(struct scan *scan, double value[KEYS], int given[KEYS]) {
  int key = key_of(scan->token);
  struct position at = scan->now;
  if (key == KEYS) {
    error_add(
        scan->errors, at,
        "ncols, nrows, xllcorner, xllcenter, yllcorner, yllcenter, cellsize or NODATA_value expected, got %s",
        quote(scan->token).text);
    return;
  }

  int number = next(scan) && is_number(scan->token, &value[key]);
  if (given[key]++)
    error_add(scan->errors, at, "%s: duplicate key", KEY_NAMES[key]);
  else if (!number ||
           (is_count(key) && !(value[key] >= 2 && value[key] <= 100000 && value[key] == floor(value[key]))) ||
           (key == CELLSIZE && !(value[key] >= SMALLEST_CELL_M && value[key] <= LARGEST_CELL_M)))
    error_add(scan->errors, scan->now, "%s: %s expected, got %s", KEY_NAMES[key],
              is_count(key)     ? "a whole number from 2 to 100000"
              : key == CELLSIZE ? "a number from 0.001 to 1e6"
                                : "a number",
              quote(scan->token).text);
  else if (next(scan))
    error_add(scan->errors, scan->now, "the end of the line expected after %s, got %s", KEY_NAMES[key],
              quote(scan->token).text);
}

static void check_given(struct scan *scan, const int given[KEYS]) {
  struct position start = {scan->now.source, 1, 1};
  const int needed[] = {NCOLS, NROWS, CELLSIZE};
  for (int i = 0; i < 3; i++)
    if (!given[needed[i]])
      error_add(scan->errors, start, "%s: a number expected, got nothing", KEY_NAMES[needed[i]]);
  for (int k = X_CORNER; k <= Y_CORNER; k += 2)
    if (!given[k] == !given[k + 1])
      error_add(scan->errors, start, "exactly one of %s and %s expected, got %s", KEY_NAMES[k],
                KEY_NAMES[k + 1], given[k] ? "both" : "neither");
}

static void read_row(struct scan *scan, int columns, const double *nodata, double *z) {
  int count = 0;
  for (int more = 1; more; more = next(scan), count++) {
    double elevation;
    if (count >= columns)
      continue;
    if (!is_number(scan->token, &elevation))
      error_add(scan->errors, scan->now, "a number expected, got %s", quote(scan->token).text);
    else if (nodata && elevation == *nodata)
      error_add(scan->errors, scan->now, "an elevation expected, got NODATA_value");
    else
      z[count] = -elevation;
  }

  if (count != columns)
    error_add(scan->errors, (struct position){scan->now.source, scan->now.line, 1},
              "a row of %d elevations expected, got %d", columns, count);
}

static void read_rows(struct scan *scan, int rows, int columns, const double *nodata, double *z) {
  int row = 0; // from the north
  do {
    if (!*scan->token && !next(scan))
      continue;
    if (row == rows) {
      error_add(scan->errors, scan->now, "the end of the file expected after %d rows, got %s", rows,
                quote(scan->token).text);
      return;
    }
    read_row(scan, columns, nodata, z + (size_t)(rows - 1 - row) * (size_t)columns);
    row++;
    scan->token[0] = '\0';
  } while (next_line(scan));
  if (row < rows)
    error_add(scan->errors, scan->now, "%d rows of elevations expected, got %d", rows, row);
}

enum status bathymetry_read(const char *text, size_t size, const struct source *file,
                            const double origin_m[2], struct bathymetry_def *out, double **z_m,
                            struct error_list *errors) {
  struct scan scan = {
      .at = text, .end = text + size, .line_start = text, .now = {file, 1, 1}, .errors = errors};
  double value[KEYS] = {0};
  int given[KEYS] = {0}, before = errors->count;
  *z_m = NULL;
  do {
    if (next(&scan) && !isalpha((unsigned char)scan.token[0]))
      break;
    if (*scan.token)
      read_key(&scan, value, given);
    scan.token[0] = '\0';
  } while (next_line(&scan));
  check_given(&scan, given);
  if (errors->count > before)
    return STATUS_BAD_INPUT;
  int rows = (int)value[NROWS], columns = (int)value[NCOLS];
  double half = 0.5 * value[CELLSIZE];
  if (2.0 * rows * columns > BATHYMETRY_LARGEST_FILE) { // a digit and a space each
    error_add(errors, (struct position){file, 1, 1}, "a grid of at most %d nodes expected, got %d rows of %d",
              BATHYMETRY_LARGEST_FILE / 2, rows, columns);
    return STATUS_BAD_INPUT;
  }
  *z_m = calloc((size_t)rows * (size_t)columns, sizeof **z_m);
  if (!*z_m) {
    error_add(errors, (struct position){file, 1, 1}, "out of memory");
    return STATUS_NO_MEMORY;
  }
  read_rows(&scan, rows, columns, given[NODATA] ? &value[NODATA] : NULL, *z_m);
  *out = (struct bathymetry_def){
      .north_nodes = rows, .east_nodes = columns, .spacing_m = value[CELLSIZE], .z_m = *z_m};
  out->north_m = (given[Y_CORNER] ? value[Y_CORNER] + half : value[Y_CENTER]) - origin_m[0];
  out->east_m = (given[X_CORNER] ? value[X_CORNER] + half : value[X_CENTER]) - origin_m[1];
  if (errors->count == before)
    return STATUS_OK;
  free(*z_m);
  *z_m = NULL;
  return STATUS_BAD_INPUT;
}
