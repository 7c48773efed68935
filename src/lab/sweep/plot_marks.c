#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/plot_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Index of a text in a list that grows; -1: out of memory.
static int index_of(char ***list, int *count, const char *text) {
  for (int i = 0; i < *count; i++)
    if (!strcmp((*list)[i], text))
      return i;
  char **more = realloc(*list, ((size_t)*count + 1) * sizeof *more);
  if (!more)
    return -1;
  *list = more;
  more[*count] = strdup(text);
  return more[*count] ? (*count)++ : -1;
}

static int is_number_text(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return end != text && !*end && isfinite(*out);
}

static int by_place(const void *left, const void *right) {
  const struct mark *a = left, *b = right;
  if (a->series != b->series)
    return a->series < b->series ? -1 : 1;
  if (a->x != b->x)
    return a->x < b->x ? -1 : 1;
  return a->y < b->y ? -1 : a->y > b->y;
}

// Sorts the marks and replaces those of one place by their mean, or their least: of y, or for a map of the
// value.
static void merge(struct marks *m, int is_map, int is_least) {
  int kept = 0;
  for (int i = 0; !is_map && i < m->count; i++) {
    m->item[i].value = m->item[i].y;
    m->item[i].y = 0;
  }
  if (m->count > 1)
    qsort(m->item, (size_t)m->count, sizeof *m->item, by_place);
  for (int i = 0; i < m->count;) {
    double sum = 0, least = m->item[i].value;
    int n = 0;
    for (; i + n < m->count && by_place(&m->item[i], &m->item[i + n]) == 0; n++) {
      sum += m->item[i + n].value;
      least = fmin(least, m->item[i + n].value);
    }
    m->item[kept] = m->item[i];
    m->item[kept++].value = is_least ? least : sum / n;
    i += n;
  }
  m->count = kept;
}

static int words_in_column(const struct results *r, int column) {
  double x;
  int found = 0;
  for (int number = 1; number <= r->plan->point_count && !found; number++) {
    struct plan_point point;
    if (plan_point_make(r->plan, number, &point) == STATUS_OK) {
      struct results_cell cell = results_cell(r, &point, column);
      found = *cell.text && !is_number_text(cell.text, &x);
    }
    plan_point_free(&point);
  }
  return found;
}

static void add_mark(struct marks *m, const struct results *r, const struct plan_point *point,
                     const int column[4]) {
  struct results_cell x = results_cell(r, point, column[0]), y = results_cell(r, point, column[1]);
  struct results_cell by = {""}, value = {"0"};
  struct mark mark = {.series = 0};
  if (column[2] >= 0)
    by = results_cell(r, point, column[2]);
  if (column[3] >= 0)
    value = results_cell(r, point, column[3]);
  if (!*x.text || !*y.text || !is_number_text(value.text, &mark.value))
    return;
  mark.series = index_of(&m->series, &m->series_count, by.text);
  if (m->x_is_word)
    mark.x = index_of(&m->x_word, &m->x_count, x.text);
  else if (!is_number_text(x.text, &mark.x))
    return;
  if (m->y_is_word)
    mark.y = index_of(&m->y_word, &m->y_count, y.text);
  else if (!is_number_text(y.text, &mark.y))
    return;
  if (mark.series >= 0)
    m->item[m->count++] = mark;
}

enum status plot_marks_take(struct marks *m, const struct results *r, const struct plan_plot *plot,
                            const int column[4]) {
  *m = (struct marks){.x_is_word = words_in_column(r, column[0])};
  m->y_is_word = plot->kind == PLAN_MAP && words_in_column(r, column[1]);
  m->item = calloc((size_t)r->plan->point_count, sizeof *m->item);
  if (!m->item)
    return STATUS_NO_MEMORY;
  for (int number = 1; number <= r->plan->point_count; number++) {
    struct plan_point point;
    if (plan_point_make(r->plan, number, &point) == STATUS_OK)
      add_mark(m, r, &point, column);
    plan_point_free(&point);
  }
  merge(m, plot->kind == PLAN_MAP, results_is_limit(r, column[plot->kind == PLAN_MAP ? 3 : 1]));
  return STATUS_OK;
}

static void free_words(char **list, int count) {
  for (int i = 0; i < count; i++)
    free(list[i]);
  free(list);
}

void plot_marks_free(struct marks *m) {
  free_words(m->series, m->series_count);
  free_words(m->x_word, m->x_count);
  free_words(m->y_word, m->y_count);
  free(m->item);
}
