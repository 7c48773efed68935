// The file of a plan -> struct plan.
#include "lab/plan/plan.h"

#include "net/case/case.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_PLAN = 1 << 20 };

static void count_points(const struct plan_reading *r) {
  struct plan *plan = r->plan;
  double count = plan->draws;
  int settings = plan->set.count;
  for (int i = 0; i < plan->axis_count; i++) {
    int most = 0;
    count *= plan->axis[i].level_count;
    for (int k = 0; k < plan->axis[i].level_count; k++)
      if (plan->axis[i].level[k].settings.count > most)
        most = plan->axis[i].level[k].settings.count;
    settings += most;
  }
  for (int i = 0; i < plan->random_count; i++)
    settings += plan->random[i].key_count;

  const struct node *vary = tree_child(r->root, "vary");
  struct position at = vary ? vary->key_at : r->root->at;
  if (count > PLAN_MAX_POINTS)
    error_add(r->errors, at, "at most %d points expected, got %.0f: the product of all axes and draws",
              PLAN_MAX_POINTS, count);
  if (settings > PLAN_MAX_SETTINGS)
    error_add(r->errors, at, "at most %d overrides of a point expected, got %d", PLAN_MAX_SETTINGS, settings);
  plan->setting_count = settings;
  plan->point_count = count > PLAN_MAX_POINTS ? 0 : (int)count;
}

static void check_columns(const struct plan_reading *r) {
  int count = plan_column_count(r->plan);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++)
      if (!strcmp(plan_column(r->plan, i), plan_column(r->plan, k))) {
        error_add(r->errors, tree_child(r->root, "vary") ? tree_child(r->root, "vary")->key_at : r->root->at,
                  "two columns have the name %s: give one of them another name",
                  quote(plan_column(r->plan, i)).text);
        return;
      }
}

static char *base_path(const char *plan_path, const char *base) {
  const char *slash = strrchr(plan_path, '/');
  if (*base == '/' || !slash)
    return strdup(base);
  size_t bytes = (size_t)(slash - plan_path) + strlen(base) + 2;
  char *path = malloc(bytes);
  if (path)
    snprintf(path, bytes, "%.*s/%s", (int)(slash - plan_path), plan_path, base);
  return path;
}

char *plan_find_base(const struct plan_reading *r, const char *text) {
  const struct node *base = plan_given(r, NULL, "base");
  char *path = base_path(r->path, text);
  if (!path)
    plan_out_of_memory(r);
  else if (base && access(path, R_OK) != 0)
    error_add(r->errors, base->at, "base: a readable file expected, got %s: %s", quote(base->text).text,
              strerror(errno));
  return path;
}

static char *read_text(const char *path, size_t *size, struct reason *why) {
  struct regular_file file;
  char *text = NULL;
  if (regular_file_open(path, LARGEST_PLAN, &file, why) != STATUS_OK)
    return NULL;
  text = malloc(file.size + 1);
  ssize_t got = 0;
  *size = 0;
  while (text && *size < file.size && (got = read(file.descriptor, text + *size, file.size - *size)) > 0)
    *size += (size_t)got;
  close(file.descriptor);
  if (text)
    text[*size] = '\0';
  else
    fail(why, STATUS_NO_MEMORY, "out of memory");
  return text;
}

static enum status plan_schema(struct schema *schema);

static void read_tree(struct plan_reading *r, struct plan_draft *draft, struct node *root) {
  struct schema schema;
  struct error_list *errors = r->errors;
  if (plan_schema(&schema) == STATUS_OK)
    schema_read(&schema, root, draft, errors);
  else
    error_add(errors, root->at, "out of memory");
  schema_free(&schema);
  if (root->kind != NODE_MAP)
    return;

  struct plan *plan = r->plan;
  int random_count = draft->plan.random_count;
  draft->plan.random_count = 0;
  char *path = plan->path;
  *plan = draft->plan;
  plan->path = path;
  plan->random_count = 0;
  draft->plan.random_count = random_count;
  r->draft = draft;
  r->root = root;
  plan->base_path = plan_find_base(r, plan->base);
  plan_read_controller(r, &plan->controller);
  if (plan->controller.argument_count && plan->mode != RUN_LOCKSTEP)
    error_add(errors, root->at, "controller.command needs mode lockstep, got fast");
  plan_read_settings(r, plan_given(r, NULL, "set"), &plan->set);
  plan_read_axes(r);
  plan_read_random(r);
  plan_read_outputs(r);
  if (errors->count == 0) {
    check_columns(r);
    count_points(r);
  }
}

int plan_parse(const struct plan_reading *r, const struct source *source, struct tree *tree) {
  struct reason why = {""};
  size_t size = 0;
  struct position start = {source, 1, 1};
  char *text = read_text(r->path, &size, &why);
  if (!text) {
    error_add(r->errors, start, "%s", why.text);
    return 0;
  }
  tree->root = tree_parse(tree, source, text, size, r->errors);
  if (!tree->root && r->errors->count == 0)
    error_add(r->errors, start, "sections of key: value lines expected, got nothing");
  free(text);
  return tree->root != NULL;
}

enum status plan_read(const char *path, struct plan *out, FILE *errors) {
  struct error_list list = {0};
  struct source source = {.name = path};
  struct plan_draft *draft = calloc(1, sizeof *draft);
  *out = (struct plan){.path = strdup(path)};
  struct plan_reading reading = {.plan = out, .path = path, .errors = &list};
  struct tree tree = {0};
  if (!draft || !out->path)
    error_add(&list, (struct position){&source, 1, 1}, "out of memory");
  else if (plan_parse(&reading, &source, &tree))
    read_tree(&reading, draft, tree.root);
  tree_free(&tree);
  const struct error_sink sink = error_to(errors);
  error_deliver(&list, &sink);
  enum status status = list.count ? STATUS_BAD_INPUT : STATUS_OK;
  error_list_free(&list);
  free(draft);
  return status;
}

// ------------------------------------------------------------
// The keys of a plan.

static const struct key_def KEYS[] = {
    {"name", AS_TEXT, .size = 64, .fallback = "sweep", IN(plan_draft, plan.name),
     .doc = "Name of the sweep in progress lines and plots."},
    {"base", AS_TEXT, .size = 512, IN(plan_draft, plan.base),
     .doc = "Configuration that every point starts from. Path from the folder of the plan."},
    {"mode", AS_WORD, .fallback = "fast", .words = {"lockstep", "fast"}, WORD_IN(plan_draft, plan.mode),
     .word_first = RUN_LOCKSTEP,
     .doc = "Mode of the runs. fast: the controller runs inside. lockstep: a second process is the "
            "controller: that of controller.command, or sagbend-dp with the DP file of the configuration."},
    {"controller_timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "60",
     IN(plan_draft, plan.controller_timeout_s), .unit = "s",
     .doc = "Wall-clock limit for an answer of the controller in mode lockstep; the point fails beyond it."},
    PLAN_CONTROLLER_KEYS,
    {"set", AS_ANY, .optional = 1,
     .doc = "Overrides of every point: keys of the configuration, as paths with dots or as sections."},
    {"vary", AS_ITEMS, .size = PLAN_MAX_AXES, .optional = 1,
     ITEMS_IN(plan_draft, axis, axis_draft, axis_count),
     .doc = "Axes of the sweep. The points are all combinations of their positions; the last axis varies "
            "fastest."},
    {"vary[].name", AS_TEXT, .size = PLAN_NAME, .optional = 1, IN(axis_draft, name),
     .doc = "Name of the column in the results. Absent: the key."},
    {"vary[].key", AS_TEXT, .size = PLAN_NAME, .optional = 1, IN(axis_draft, key),
     .doc = "Key of the configuration that varies: a path with dots; items of lists by number from 0."},
    {"vary[].keys", AS_ANY, .optional = 1,
     .doc = "List of keys that take the same value; with rows: one key for each column."},
    {"vary[].values", AS_ANY, .optional = 1,
     .doc = "List of values. Exactly one of values, from, rows, cases and failure."},
    {"vary[].from", AS_NUMBER, .optional = 1, IN(axis_draft, from),
     .doc = "First value of evenly spaced ones; with to, and step or count."},
    {"vary[].to", AS_NUMBER, .optional = 1, IN(axis_draft, to),
     .doc = "Last value of evenly spaced ones. With step: largest possible last value."},
    {"vary[].step", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(axis_draft, step),
     .doc = "Distance between evenly spaced values."},
    {"vary[].count", AS_INTEGER, .range = LIMITED, .low = 2, .high = PLAN_MAX_POINTS, .optional = 1,
     IN(axis_draft, count), .doc = "Number of evenly spaced values."},
    {"vary[].rows", AS_ANY, .optional = 1,
     .doc = "Table of values that go together, such as sea states: a list of rows, each with a value for "
            "each of keys."},
    {"vary[].cases", AS_ANY, .optional = 1,
     .doc = "Named sets of overrides, such as faults: a list of {name: TEXT, set: {KEY: VALUE, ...}}; "
            "without set, nothing is overridden."},
    {"vary[].limit", AS_ANY, .optional = 1,
     .doc = "In place of key or keys: of the values or rows, in their order, the last that holds is found by "
            "bisection; not all are run. At most one axis has it."},
    {"vary[].verdict", AS_ANY, .optional = 1,
     .doc = "With limit: name of the verdict, or a list of names, by which a row holds: all of them pass."},
    {"vary[].failure", AS_SECTION, .optional = 1,
     .doc = "No failure, and then the failures of the equipment as sagbend trials generates them: each "
            "replaces the events of the configuration. In place of values, from, rows and cases."},
    {"vary[].failure.at_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(axis_draft, failure_at_s), .unit = "s",
     .doc = "Time at which each failure begins, after the vessel has settled."},
    {"vary[].failure.for_s", AS_NUMBER, .range = POSITIVE, .fallback = "100000",
     IN(axis_draft, failure_for_s), .unit = "s", .doc = "How long it lasts."},
    {"vary[].failure.only", AS_ANY, .optional = 1,
     .doc = "List of identifiers of sagbend trials --list, in which * stands for any characters, such as "
            "bus-*/lost. Absent: all."},
    {"draws", AS_INTEGER, .range = LIMITED, .low = 1, .high = PLAN_MAX_POINTS, .fallback = "1",
     IN(plan_draft, plan.draws),
     .doc = "Number of draws of the random values at each combination of the axes. Draw n has the same "
            "values at all of them."},
    {"seed", AS_INTEGER, .range = NOT_NEGATIVE, .fallback = "1", IN(plan_draft, plan.seed),
     .doc = "Seed of the random values."},
    {"random", AS_ITEMS, .size = PLAN_MAX_RANDOM, .optional = 1,
     ITEMS_IN(plan_draft, random, random_draft, plan.random_count), .doc = "Random values."},
    {"random[].name", AS_TEXT, .size = PLAN_NAME, .optional = 1, IN(random_draft, name),
     .doc = "Name of the column in the results. Absent: the key."},
    {"random[].key", AS_TEXT, .size = PLAN_NAME, .optional = 1, IN(random_draft, key),
     .doc = "Key of the configuration that takes the value."},
    {"random[].keys", AS_ANY, .optional = 1, .doc = "List of keys that take the same value."},
    {"random[].uniform", AS_VECTOR, .size = 2, .optional = 1, IN(random_draft, uniform),
     .doc = "Uniform distribution: least and largest value. Exactly one of uniform, normal and whole."},
    {"random[].normal", AS_VECTOR, .size = 2, .optional = 1, IN(random_draft, normal),
     .doc = "Normal distribution: mean and standard deviation."},
    {"random[].whole", AS_VECTOR, .size = 2, .optional = 1, IN(random_draft, whole),
     .doc = "Whole numbers, each with the same probability: least and largest, such as [1, 1e6] for a seed."},
    {"quantities", AS_ANY, .optional = 1,
     .doc = "List of values of the summary that become columns: names of 'sagbend outputs' at the end of "
            "the run, or paths such as energy.closure_rel."},
    {"plots", AS_ITEMS, .size = PLAN_MAX_PLOTS, .optional = 1,
     ITEMS_IN(plan_draft, plan.plot, plan_plot, plan.plot_count), .doc = "Plots of the results."},
    {"plots[].name", AS_TEXT, .size = 64, IN(plan_plot, name), .doc = "Name of the files."},
    {"plots[].title", AS_TEXT, .size = 128, .optional = 1, IN(plan_plot, title), .doc = "Title."},
    {"plots[].kind", AS_WORD, .fallback = "lines", .words = {"lines", "polar", "map"},
     WORD_IN(plan_plot, kind),
     .doc = "lines: y over x, one line for each value of by. polar: the same with x as angle in degrees, "
            "clockwise from the top. map: value as colour over x and y."},
    {"plots[].x", AS_TEXT, .size = PLAN_NAME, IN(plan_plot, x), .doc = "Column of the results."},
    {"plots[].y", AS_TEXT, .size = PLAN_NAME, IN(plan_plot, y), .doc = "Column of the results."},
    {"plots[].by", AS_TEXT, .size = PLAN_NAME, .optional = 1, IN(plan_plot, by),
     .doc = "Column whose values each get a line. Not for a map."},
    {"plots[].value", AS_TEXT, .size = PLAN_NAME, .optional = 1, IN(plan_plot, value),
     .doc = "Column that a map shows as colour."},
    {"plots[].x_label", AS_TEXT, .size = 64, .optional = 1, IN(plan_plot, x_label),
     .doc = "Label of x. Absent: the name of the column."},
    {"plots[].y_label", AS_TEXT, .size = 64, .optional = 1, IN(plan_plot, y_label), .doc = "Label of y."},
    {"plots[].by_label", AS_TEXT, .size = 64, .optional = 1, IN(plan_plot, by_label),
     .doc = "Label of the lines."},
    {"plots[].value_label", AS_TEXT, .size = 64, .optional = 1, IN(plan_plot, value_label),
     .doc = "Label of the colours of a map."},
};
static const struct key_rows ROWS = KEY_ROWS(KEYS);

// The schema of a plan. STATUS_NO_MEMORY is the only failure. Release with schema_free.
static enum status plan_schema(struct schema *schema) {
  static const struct key_group group = {.rows = &ROWS, .prefix = ""};
  *schema = (struct schema){.title = "Sagbend sweep plan"};
  return schema_add(schema, &group);
}

enum status plan_write_schema(FILE *out, struct reason *why) {
  struct schema schema;
  if (plan_schema(&schema) != STATUS_OK)
    schema_free(&schema);
  const enum status status = schema_write_json(&schema, out, why);
  schema_free(&schema);
  return status;
}
