// The keys of a plan.
#include "net/case/schema_json.h"
#include "lab/sweep/plan_parts.h"

static const struct key_def KEYS[] = {
    {"name", AS_TEXT, .size = 64, .fallback = "sweep", IN(plan_draft, plan.name),
     .doc = "Name of the sweep in progress lines and plots."},
    {"base", AS_TEXT, .size = 512, IN(plan_draft, plan.base),
     .doc = "Configuration that every point starts from. Path from the folder of the plan."},
    {"mode", AS_WORD, .fallback = "fast", .words = {"lockstep", "fast"}, WORD_IN(plan_draft, plan.mode),
     .word_first = RUN_LOCKSTEP,
     .doc = "Mode of the runs. fast: the controller runs inside. lockstep: sagbend-dp runs as a second "
            "process with the DP file of the configuration."},
    {"controller_timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "60",
     IN(plan_draft, plan.controller_timeout_s), .unit = "s",
     .doc = "Wall-clock limit for an answer of the controller in mode lockstep; the point fails beyond it."},
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

enum status plan_schema(struct schema *schema) {
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
