// Reads a grid of depths, and makes a surface of it.
#include "sagbend/case/case_internal.h"

#include "sagbend/yaml/yaml.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NCOLS, NROWS, X_CORNER, X_CENTER, Y_CORNER, Y_CENTER, CELLSIZE, DX, DY, NODATA, KEYS, TOKEN = 48 };
static const char *const KEY_NAMES[KEYS] = {"ncols",     "nrows",       "xllcorner", "xllcenter",
                                            "yllcorner", "yllcenter",   "cellsize",  "dx",
                                            "dy",        "nodata_value"};

static const double SMALLEST_CELL_M = 1e-3, LARGEST_CELL_M = 1e6;
static const double USUAL_NODATA = -9999; // of the format, where the header gives none
static const double SAME = 1e-6;          // numbers of the header that other programs round, relative
static const double FILLED = 1e30;        // a number beyond it is no elevation, whatever its last digits

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

static int is_size(int key) {
  return key == CELLSIZE || key == DX || key == DY;
}

static int is_nan(const char *token) {
  const char *at = token + (*token == '-' || *token == '+');
  return strncasecmp(at, "nan", 3) == 0 && (!at[3] || at[3] == '(');
}

static void read_key(struct scan *scan, double value[KEYS], int given[KEYS], struct position place[KEYS]) {
  int key = key_of(scan->token);
  struct position at = scan->now;
  if (key == KEYS) {
    error_add(scan->errors, at,
              "ncols, nrows, xllcorner, xllcenter, yllcorner, yllcenter, cellsize, dx, dy or NODATA_value of "
              "an ESRI ASCII "
              "grid expected, got %s",
              quote(scan->token).text);
    return;
  }

  int number = next(scan) && is_number(scan->token, &value[key]);
  if (!number && key == NODATA && is_nan(scan->token))
    number = 1, value[key] = (double)NAN;
  place[key] = at;
  if (given[key]++)
    error_add(scan->errors, at, "%s: duplicate key", KEY_NAMES[key]);
  else if (!number ||
           (is_count(key) && !(value[key] >= 2 && value[key] <= 100000 && value[key] == floor(value[key]))) ||
           (is_size(key) && !(value[key] >= SMALLEST_CELL_M && value[key] <= LARGEST_CELL_M)))
    error_add(scan->errors, scan->now, "%s: %s expected, got %s", KEY_NAMES[key],
              is_count(key)  ? "a whole number from 2 to 100000"
              : is_size(key) ? "a number from 0.001 to 1e6"
                             : "a number",
              quote(scan->token).text);
  else if (next(scan))
    error_add(scan->errors, scan->now, "the end of the line behind %s expected, got %s", KEY_NAMES[key],
              quote(scan->token).text);
}

// Keys that are needed, and the size of a cell, which GDAL writes as dx and dy where both differ.
static void check_given(struct scan *scan, double value[KEYS], const int given[KEYS],
                        const struct position place[KEYS]) {
  struct position start = {scan->now.source, 1, 1};
  const int needed[] = {NCOLS, NROWS, CELLSIZE};
  for (int i = 0; i < 3; i++)
    if (!given[needed[i]] && !(needed[i] == CELLSIZE && given[DX] && given[DY]))
      error_add(scan->errors, start, "%s: a number expected, got nothing", KEY_NAMES[needed[i]]);
  for (int k = X_CORNER; k <= Y_CORNER; k += 2)
    if (!given[k] == !given[k + 1])
      error_add(scan->errors, start, "exactly one of %s and %s expected, got %s", KEY_NAMES[k],
                KEY_NAMES[k + 1], given[k] ? "both" : "neither");
  for (int k = DX; k <= DY; k++)
    if (given[k] && given[CELLSIZE])
      error_add(scan->errors, place[k], "%s: cellsize, or dx and dy, expected, got both", KEY_NAMES[k]);
  if (given[DX] && given[DY] && !(fabs(value[DX] - value[DY]) <= SAME * value[DX]))
    error_add(scan->errors, place[DY],
              "dy: square cells expected, got dx %g and dy %g; resample the grid, as with gdalwarp -tr",
              value[DX], value[DY]);
  if (!given[CELLSIZE])
    value[CELLSIZE] = value[DX];
  double x = value[given[X_CORNER] ? X_CORNER : X_CENTER], y = value[given[Y_CORNER] ? Y_CORNER : Y_CENTER];
  if (value[CELLSIZE] > 0 && value[CELLSIZE] < 0.1 && fabs(x) <= 360 && fabs(y) <= 90)
    error_add(
        scan->errors, place[given[CELLSIZE] ? CELLSIZE : DX],
        "%s: metres expected, got %g at %g, %g, which are degrees; project the grid, as with gdalwarp -t_srs",
        KEY_NAMES[given[CELLSIZE] ? CELLSIZE : DX], value[CELLSIZE], x, y);
}

// The elevations, row by row from the north. A row need not be a line: all may stand in one, or each line may
// have the same count. A line with another count than the columns is an error where the rows are lines
// otherwise.
struct rows {
  int rows, columns;
  double nodata;             // NaN: nan
  double *z;                 // filled from the north
  unsigned char *is_missing; // likewise
  int missing;
  size_t count; // of elevations so far, beyond the grid too
};

// Whether an elevation is the mark of a node without data, as a float or a double prints it.
static int is_mark(double elevation, double nodata) {
  return elevation == nodata || (fabs(nodata) >= FILLED && fabs(elevation) >= FILLED) ||
         fabs(elevation - nodata) <= SAME * fabs(nodata);
}

static void take(struct scan *scan, struct rows *r) {
  size_t all = (size_t)r->rows * (size_t)r->columns, at = r->count++;
  double elevation = 0;
  int missing = isnan(r->nodata) && is_nan(scan->token);
  if (!missing && !is_number(scan->token, &elevation)) {
    error_add(scan->errors, scan->now, "a number expected, got %s", quote(scan->token).text);
    return;
  }
  missing |= is_mark(elevation, r->nodata);
  if (at >= all)
    return;
  size_t row = (size_t)(r->rows - 1) - at / (size_t)r->columns,
         node = row * (size_t)r->columns + at % (size_t)r->columns;
  r->z[node] = -elevation;
  r->is_missing[node] = (unsigned char)missing;
  r->missing += missing;
}

// Whether the rows are not the lines, as all elevations in one line, the same count in each line, or rows
// that are broken over lines.
static int is_free(const struct scan *scan, const struct rows *r) {
  struct scan copy = *scan;
  size_t total = 0, columns = (size_t)r->columns, first = 0, last = 0;
  int is_even = 1, is_broken = 1, lines = 0; // is_broken: no line holds the end of a row and what follows it
  do {
    size_t here = *copy.token != '\0';
    while (next(&copy))
      here++;
    copy.token[0] = '\0';
    if (here == 0)
      continue;
    is_even &= lines < 2 || last == first;
    first = lines++ == 0 ? here : first;
    is_broken &= total % columns + here <= columns;
    last = here;
    total += here;
  } while (next_line(&copy));
  return total == (size_t)r->rows * columns && (is_broken || (is_even && last <= first && first != columns));
}

static void read_rows(struct scan *scan, struct rows *r) {
  size_t columns = (size_t)r->columns, all = (size_t)r->rows * columns;
  int has_lines = !is_free(scan, r);
  do {
    size_t before = r->count;
    if (!*scan->token && !next(scan))
      continue;
    if (before == all) {
      error_add(scan->errors, scan->now, "the end of the file behind %d rows expected, got %s", r->rows,
                quote(scan->token).text);
      return;
    }
    for (int more = 1; more; more = next(scan))
      take(scan, r);
    if (has_lines && r->count - before != columns)
      error_add(scan->errors, (struct position){scan->now.source, scan->now.line, 1},
                "a row of %d elevations expected, got %d", r->columns, (int)(r->count - before));
    if (has_lines)
      r->count = before + columns;
    scan->token[0] = '\0';
  } while (next_line(scan));
  if (r->count < all)
    error_add(scan->errors, scan->now, "%d rows of elevations expected, got %d", r->rows,
              (int)(r->count / columns));
}

// Gives nodes without data the level of the nearest node with data, so that the surface has no edge beside
// them. Nearest by steps: rings grow around all nodes with data at once.
static void fill_missing(struct rows *r) {
  int left = r->missing, north = r->rows, east = r->columns;
  unsigned char *state = r->is_missing; // 1: without data, 2: filled in an earlier ring, 3: in this one
  while (left > 0) {
    for (int i = 0; i < north; i++)
      for (int j = 0; j < east; j++) {
        size_t at = (size_t)i * (size_t)east + (size_t)j;
        const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        for (int k = 0; k < 4 && state[at] == 1; k++) {
          int y = i + step[k][0], x = j + step[k][1];
          size_t beside = (size_t)y * (size_t)east + (size_t)x;
          if (y < 0 || y >= north || x < 0 || x >= east || (state[beside] & 1))
            continue;
          r->z[at] = r->z[beside];
          state[at] = 3;
          left--;
        }
      }
    for (size_t at = 0; at < (size_t)north * (size_t)east; at++)
      state[at] = state[at] == 3 ? 2 : state[at];
  }
  for (size_t at = 0; at < (size_t)north * (size_t)east; at++)
    state[at] = state[at] != 0;
}

enum status bathymetry_read(const char *text, size_t size, const struct source *file,
                            const double origin_m[2], struct bathymetry_def *out, double **z_m,
                            struct error_list *errors) {
  struct scan scan = {
      .at = text, .end = text + size, .line_start = text, .now = {file, 1, 1}, .errors = errors};
  double value[KEYS] = {0};
  int given[KEYS] = {0}, before = errors->count;
  struct position place[KEYS] = {0};
  *z_m = NULL;
  if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) // a byte order mark
    scan.at = scan.line_start += 3;
  do {
    if (next(&scan) && (strchr("+-.0123456789", scan.token[0]) || is_nan(scan.token)))
      break;
    if (*scan.token)
      read_key(&scan, value, given, place);
    scan.token[0] = '\0';
  } while (next_line(&scan));
  check_given(&scan, value, given, place);
  if (errors->count > before)
    return STATUS_BAD_INPUT;
  int rows = (int)value[NROWS], columns = (int)value[NCOLS];
  double half = 0.5 * value[CELLSIZE];
  if (2.0 * rows * columns > BATHYMETRY_LARGEST_FILE) { // a digit and a space each
    error_add(errors, (struct position){file, 1, 1}, "a grid of at most %d nodes expected, got %d rows of %d",
              BATHYMETRY_LARGEST_FILE / 2, rows, columns);
    return STATUS_BAD_INPUT;
  }
  size_t nodes = (size_t)rows * (size_t)columns;
  *z_m = calloc(nodes, sizeof **z_m + 1); // the marks of nodes without data follow the levels
  if (!*z_m) {
    error_add(errors, (struct position){file, 1, 1}, "out of memory");
    return STATUS_NO_MEMORY;
  }
  struct rows r = {.rows = rows,
                   .columns = columns,
                   .nodata = given[NODATA] ? value[NODATA] : USUAL_NODATA,
                   .z = *z_m,
                   .is_missing = (unsigned char *)(*z_m + nodes)};
  read_rows(&scan, &r);
  if (errors->count == before && (size_t)r.missing == nodes)
    error_add(errors, (struct position){file, 1, 1}, "elevations expected, got NODATA_value only");
  if (errors->count == before)
    fill_missing(&r);
  *out = (struct bathymetry_def){.north_nodes = rows,
                                 .east_nodes = columns,
                                 .spacing_m = value[CELLSIZE],
                                 .z_m = *z_m,
                                 .is_missing = r.missing > 0 ? r.is_missing : NULL};
  out->north_m = (given[Y_CORNER] ? value[Y_CORNER] + half : value[Y_CENTER]) - origin_m[0];
  out->east_m = (given[X_CORNER] ? value[X_CORNER] + half : value[X_CENTER]) - origin_m[1];
  if (errors->count == before)
    return STATUS_OK;
  free(*z_m);
  *z_m = NULL;
  return STATUS_BAD_INPUT;
}
