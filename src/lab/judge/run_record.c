#define _POSIX_C_SOURCE 200809L
#include "lab/judge/run_record.h"

#include "lab/sweep/wave_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static const double DEGREE = 57.29577951308232;

double run_record_factor(int quantity) {
  const struct quantity_info *q = &quantity_table[quantity];
  return strcmp(q->name, q->shown_name) ? DEGREE : 1; // recorded in radians
}

// The field of a column; NULL: the line has fewer.
static const char *field_at(const char *line, int column) {
  for (; column > 0 && line; column--) {
    line = strchr(line, ',');
    line = line ? line + 1 : NULL;
  }
  return line;
}

static double number_at(const char *line, int column) {
  const char *field = column < 0 ? NULL : field_at(line, column);
  char *end = NULL;
  double value = field ? strtod(field, &end) : 0;
  return field && end != field ? value : (double)NAN;
}

static int make_room(struct run_record *r, int capacity) {
  double *time = realloc(r->time_s, (size_t)capacity * sizeof *time);
  if (!time)
    return 0;
  r->time_s = time;
  for (int i = 0; i < r->series; i++) {
    double *more = realloc(r->value[i], (size_t)capacity * sizeof *more);
    if (!more)
      return 0;
    r->value[i] = more;
  }
  return 1;
}

static enum status read_rows(FILE *file, struct run_record *out) {
  int time = -1, column[RUN_SERIES], capacity = 0;
  double factor[RUN_SERIES];
  enum status status = STATUS_OK;
  char *line = NULL;
  size_t size = 0;
  ssize_t got;
  do
    got = getline(&line, &size, file);
  while (got > 0 && *line == '#');
  if (got > 0)
    time = record_column(line, "time_s");
  for (int i = 0; i < out->series && got > 0; i++) {
    column[i] = record_column(line, quantity_table[out->quantity[i]].name);
    factor[i] = run_record_factor(out->quantity[i]);
  }
  while (status == STATUS_OK && time >= 0 && getline(&line, &size, file) > 0) {
    if (out->rows == capacity && !make_room(out, capacity = capacity ? 2 * capacity : 256)) {
      status = STATUS_NO_MEMORY;
      break;
    }
    out->time_s[out->rows] = number_at(line, time);
    for (int i = 0; i < out->series; i++)
      out->value[i][out->rows] = factor[i] * number_at(line, column[i]);
    out->rows += isfinite(out->time_s[out->rows]) != 0;
  }
  free(line);
  return status;
}

enum status run_record_read(const int *quantities, int count, const char *path, struct run_record *out) {
  *out = (struct run_record){.series = count < RUN_SERIES ? count : RUN_SERIES};
  for (int i = 0; i < out->series; i++)
    out->quantity[i] = quantities[i];
  FILE *file = fopen(path, "r");
  if (!file)
    return STATUS_OK;
  enum status status = read_rows(file, out);
  fclose(file);
  return status;
}

void run_record_free(struct run_record *r) {
  free(r->time_s);
  for (int i = 0; i < r->series; i++)
    free(r->value[i]);
  *r = (struct run_record){.rows = 0};
}
