// The points of a plan, its settings, its end, and what every reader of a plan calls.
#include "lab/plan/plan.h"

#include "lab/failures/failures.h"
#include "net/case/case.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plan_column_count(const struct plan *plan) {
  int count = plan->random_count;
  for (int i = 0; i < plan->axis_count; i++)
    count += plan->axis[i].column_count;
  return count;
}

const char *plan_column(const struct plan *plan, int index) {
  for (int i = 0; i < plan->axis_count; i++) {
    if (index < plan->axis[i].column_count)
      return plan->axis[i].column[index];
    index -= plan->axis[i].column_count;
  }
  return plan->random[index].column;
}

// The value of a random entry in a draw. It depends on the seed, the column and the draw only, so that it is
// the same whatever runs beside it.
static struct number_text draw_value(const struct plan *plan, const struct plan_random *random, int draw) {
  char name[PLAN_NAME + 16];
  snprintf(name, sizeof name, "%s/%d", random->column, draw);
  struct random_stream stream = random_stream_of(random_seed((uint64_t)plan->seed, name));
  double a = random->a, b = random->b;
  if (random->distribution == PLAN_NORMAL)
    return number_text(a + b * random_normal(&stream));
  double u = random_uniform(&stream);
  if (random->distribution == PLAN_UNIFORM)
    return number_text(a + (b - a) * u);
  struct number_text text;
  snprintf(text.text, sizeof text.text, "%lld", (long long)a + (long long)((b - a + 1) * u));
  return text;
}

static void add_settings(struct plan_point *point, const struct plan_settings *settings) {
  for (int i = 0; i < settings->count; i++) {
    point->text[point->setting_count] = settings->item[i].text;
    point->place[point->setting_count++] = settings->item[i].place;
  }
}

static char *keep(struct plan_point *point, const char *left, const char *between, const char *right) {
  size_t bytes = strlen(left) + strlen(between) + strlen(right) + 1;
  char *text = malloc(bytes);
  if (text) {
    snprintf(text, bytes, "%s%s%s", left, between, right);
    point->drawn[point->drawn_count++] = text;
  }
  return text;
}

static enum status add_random(const struct plan *plan, int draw, struct plan_point *point) {
  for (int i = 0; i < plan->random_count; i++) {
    const struct plan_random *random = &plan->random[i];
    struct number_text value = draw_value(plan, random, draw);
    point->cell[point->cell_count] = keep(point, value.text, "", "");
    if (!point->cell[point->cell_count++])
      return STATUS_NO_MEMORY;
    for (int k = 0; k < random->key_count; k++) {
      point->text[point->setting_count] = keep(point, random->key[k], "=", value.text);
      point->place[point->setting_count] = random->place;
      if (!point->text[point->setting_count++])
        return STATUS_NO_MEMORY;
    }
  }
  return STATUS_OK;
}

enum status plan_point_make(const struct plan *plan, int number, struct plan_point *point) {
  int index = number - 1, draw = index % plan->draws + 1, at[PLAN_MAX_AXES];
  *point = (struct plan_point){.number = number};
  index /= plan->draws;
  for (int i = plan->axis_count - 1; i >= 0; i--) {
    at[i] = index % plan->axis[i].level_count;
    index /= plan->axis[i].level_count;
  }

  add_settings(point, &plan->set);
  for (int i = 0; i < plan->axis_count; i++) {
    const struct plan_level *level = &plan->axis[i].level[at[i]];
    add_settings(point, &level->settings);
    if (level->record_every_s > 0)
      point->record_every_s = level->record_every_s;
    for (int k = 0; k < plan->axis[i].column_count; k++)
      point->cell[point->cell_count++] = level->cell[k];
  }
  return add_random(plan, draw, point);
}

void plan_point_free(struct plan_point *point) {
  for (int i = 0; i < point->drawn_count; i++)
    free(point->drawn[i]);
  point->drawn_count = 0;
}

static void write_settings(const struct plan_settings *settings, FILE *out) {
  for (int i = 0; i < settings->count; i++)
    fprintf(out, " %s", settings->item[i].text);
}

void plan_write_lines(const struct plan *plan, FILE *out) {
  static const char *const kinds[] = {"uniform", "normal", "whole"};
  fprintf(out, "base: %s\nmode: %s\n", plan->base, plan->mode == RUN_FAST ? "fast" : "lockstep");
  if (plan->has_log)
    fprintf(out, "log: run.mcap, %s\n", plan->log_key ? plan->log_key : "not signed");
  for (int i = 0; i < plan->controller.argument_count; i++)
    fprintf(out, "controller: %s\n", plan->controller.argument[i]);
  for (int i = 0; i < plan->controller.file_count; i++)
    fprintf(out, "controller file: %s\n", plan->controller.file[i]);
  if (plan->controller.dp_file) {
    const char *slash = strrchr(plan->controller.dp_file, '/');
    fprintf(out, "controller DP file: %s\n", slash ? slash + 1 : plan->controller.dp_file);
  }
  for (int i = 0; i < plan->set.count; i++)
    fprintf(out, "set: %s\n", plan->set.item[i].text);
  for (int i = 0; i < plan->axis_count; i++)
    for (int k = 0; k < plan->axis[i].level_count; k++) {
      const struct plan_level *level = &plan->axis[i].level[k];
      fprintf(out, "vary %d, value %d:", i + 1, k + 1);
      for (int c = 0; c < plan->axis[i].column_count; c++)
        fprintf(out, " %s = %s;", plan->axis[i].column[c], level->cell[c]);
      write_settings(&level->settings, out);
      fputc('\n', out);
    }
  for (int i = 0; i < plan->axis_count; i++)
    for (int k = 0; k < plan->axis[i].verdict_count; k++)
      fprintf(out, "limit %d: %s\n", i + 1, plan->axis[i].verdict[k]);
  fprintf(out, "draws: %d\n", plan->draws);
  if (plan->random_count)
    fprintf(out, "seed: %d\n", plan->seed);
  for (int i = 0; i < plan->random_count; i++) {
    const struct plan_random *random = &plan->random[i];
    fprintf(out, "random %s: %s [%s, %s]", random->column, kinds[random->distribution],
            number_text(random->a).text, number_text(random->b).text);
    for (int k = 0; k < random->key_count; k++)
      fprintf(out, " %s", random->key[k]);
    fputc('\n', out);
  }
}

int plan_axis_make(struct plan_axis *axis, const char *column, int levels) {
  axis->column[0] = strdup(column);
  axis->column_count = 1;
  axis->level = calloc((size_t)levels, sizeof *axis->level);
  axis->level_capacity = levels;
  while (axis->column[0] && axis->level && axis->level_count < levels) {
    struct plan_level *level = &axis->level[axis->level_count];
    level->cell = calloc(1, sizeof *level->cell);
    if (!level->cell)
      return 0;
    axis->level_count++;
  }
  return axis->level_count == levels;
}

int plan_settings_add(struct plan_settings *settings, const char *text, const char *place) {
  if (settings->count == settings->capacity) {
    int capacity = settings->capacity ? 2 * settings->capacity : 4;
    struct plan_setting *items = realloc(settings->item, (size_t)capacity * sizeof *items);
    if (!items)
      return 0;
    settings->item = items;
    settings->capacity = capacity;
  }
  struct plan_setting *added = &settings->item[settings->count++];
  *added = (struct plan_setting){strdup(text), strdup(place)};
  return added->text && added->place;
}

enum status plan_override(struct plan *plan, const char *const *overrides, int count, struct reason *why) {
  if (plan->setting_count + count > PLAN_MAX_SETTINGS)
    return fail(why, STATUS_BAD_INPUT, "at most %d overrides of a point expected, got %d", PLAN_MAX_SETTINGS,
                plan->setting_count + count);
  plan->setting_count += count;
  for (int i = 0; i < count; i++)
    if (!plan_settings_add(&plan->set, overrides[i], "--set"))
      return fail(why, STATUS_NO_MEMORY, "out of memory for the overrides");
  return STATUS_OK;
}

int plan_settings_copy(struct plan_settings *out, const struct plan_settings *from) {
  int ok = 1;
  for (int i = 0; ok && i < from->count; i++)
    ok = plan_settings_add(out, from->item[i].text, from->item[i].place);
  return ok;
}

void plan_settings_free(struct plan_settings *settings) {
  for (int i = 0; i < settings->count; i++) {
    free(settings->item[i].text);
    free(settings->item[i].place);
  }
  free(settings->item);
}

enum status plan_controller_copy(const struct plan_controller *from, struct plan_controller *out) {
  int ok = (out->folder = strdup(from->folder)) != NULL;
  for (int i = 0; ok && i < from->argument_count; i++)
    ok = (out->argument[out->argument_count++] = strdup(from->argument[i])) != NULL;
  for (int i = 0; ok && i < from->file_count; i++)
    ok = (out->file[out->file_count++] = strdup(from->file[i])) != NULL;
  if (ok && from->dp_file)
    ok = (out->dp_file = strdup(from->dp_file)) != NULL;
  if (ok && from->place)
    ok = (out->place = strdup(from->place)) != NULL;
  return ok ? STATUS_OK : STATUS_NO_MEMORY;
}

void plan_controller_free(struct plan_controller *c) {
  for (int i = 0; i < c->argument_count; i++)
    free(c->argument[i]);
  for (int i = 0; i < c->file_count; i++)
    free(c->file[i]);
  free(c->folder);
  free(c->dp_file);
  free(c->place);
  *c = (struct plan_controller){.folder = NULL};
}

static void free_axis(struct plan_axis *axis) {
  for (int i = 0; i < axis->level_count; i++) {
    struct plan_level *level = &axis->level[i];
    for (int k = 0; level->cell && k < axis->column_count; k++)
      free(level->cell[k]);
    free(level->cell);
    plan_settings_free(&level->settings);
  }
  for (int i = 0; i < axis->column_count; i++)
    free(axis->column[i]);
  for (int i = 0; i < axis->verdict_count; i++)
    free(axis->verdict[i]);
  free(axis->place);
  free(axis->level);
}

void plan_free(struct plan *plan) {
  plan_settings_free(&plan->set);
  for (int i = 0; i < plan->axis_count; i++)
    free_axis(&plan->axis[i]);
  for (int i = 0; i < plan->random_count; i++) {
    for (int k = 0; k < plan->random[i].key_count; k++)
      free(plan->random[i].key[k]);
    free(plan->random[i].column);
    free(plan->random[i].place);
  }
  for (int i = 0; i < plan->quantity_count; i++)
    free(plan->quantity[i]);
  for (int i = 0; i < plan->plot_count; i++)
    free(plan->plot[i].place);
  plan_controller_free(&plan->controller);
  free(plan->log_key);
  free(plan->path);
  free(plan->base_path);
  *plan = (struct plan){.path = NULL};
}

// ---- reading: nodes and their errors ----

void plan_out_of_memory(const struct plan_reading *r) {
  error_add(r->errors, r->root->at, "out of memory");
}

const struct node *plan_given(const struct plan_reading *r, const struct node *section, const char *key) {
  const struct node *node = tree_child(section ? section : r->root, key);
  return node && !node->bad && !node_is_null(node) ? node : NULL;
}

static void refuse(const struct plan_reading *r, const struct node *node, const char *present,
                   const char *expected, va_list args) {
  char text[512];
  vsnprintf(text, sizeof text, expected, args);
  const int is_whole = error_is_predicate(text);
  const size_t used = strlen(text);
  if (!is_whole)
    snprintf(text + used, sizeof text - used, " expected");
  error_add(r->errors, node->at, "%s%s%s%s", node_path(node).text,
            error_text(node_path(node).text, text, is_whole ? NULL : node_found(node).text).text,
            *present ? ", its present name is " : "", present);
}

void plan_refuse(const struct plan_reading *r, const struct node *node, const char *expected, ...) {
  va_list args;
  va_start(args, expected);
  refuse(r, node, "", expected, args);
  va_end(args);
}

void plan_refuse_name(const struct plan_reading *r, const struct node *node, enum former_kind kind,
                      const char *separators, const char *expected, ...) {
  char present[128] = "";
  va_list args;
  va_start(args, expected);
  const int was =
      node->kind == NODE_SCALAR && former_parts(kind, node->text, separators, present, sizeof present);
  refuse(r, node, was ? present : "", expected, args);
  va_end(args);
}

char *plan_place(const struct plan_reading *r, const struct node *node) {
  size_t bytes = strlen(r->path) + 32;
  char *place = malloc(bytes);
  if (place)
    snprintf(place, bytes, "%s:%d:%d", r->path, node->at.line, node->at.column);
  return place;
}
