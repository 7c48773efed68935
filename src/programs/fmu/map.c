// The map: which measurement goes to which input of the FMU, and which output is which part of the command.
#include "programs/fmu/fmu_program_internal.h"

#include "sagbend/case/case.h"
#include "sagbend/yaml/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The file ----

static const size_t LARGEST_MAP = 1 << 20;

struct reader {
  const struct fmu_model *model;
  struct map *map;
  struct error_list errors;
};

static double number_of(struct reader *r, const struct node *n, const char *what) {
  double value = 0;
  if (n->kind == NODE_SCALAR && n->plain && is_number(n->text, &value))
    return value;
  if (n->kind == NODE_SCALAR && n->plain && (!strcmp(n->text, "true") || !strcmp(n->text, "false")))
    return *n->text == 't';
  error_add(&r->errors, n->at, "%s: %s expected, got %s", node_path(n).text, what, node_found(n).text);
  return 0;
}

static const struct model_value *variable_of(struct reader *r, const struct node *n, struct position at,
                                             const char *name) {
  const struct model_value *v = model_find(r->model, name);
  if (!v)
    error_add(&r->errors, at, "%s: a variable of the FMU expected, got %s", node_path(n).text,
              quote(name).text);
  else if (v->type == VALUE_OTHER)
    error_add(&r->errors, at, "%s: a number or a boolean of the FMU expected, got %s", node_path(n).text,
              v->element);
  return v && v->type != VALUE_OTHER ? v : NULL;
}

// What "from" names, scale, offset, and the form: a text alone, or a section.
static const char *read_link(struct reader *r, const struct node *n, double *scale, double *offset,
                             int *form) {
  const char *from = NULL;
  *scale = 1;
  *offset = 0;
  *form = PLAIN;
  if (n->kind == NODE_SCALAR)
    return n->text;
  for (const struct node *k = n->kind == NODE_MAP ? n->first : NULL; k; k = k->next) {
    if (!strcmp(k->key, "from") && k->kind == NODE_SCALAR)
      from = k->text;
    else if (!strcmp(k->key, "scale"))
      *scale = number_of(r, k, "a number");
    else if (!strcmp(k->key, "offset"))
      *offset = number_of(r, k, "a number");
    else if (!strcmp(k->key, "origin") && k->kind == NODE_SCALAR && !strcmp(k->text, "start"))
      *form |= FROM_START;
    else if (!strcmp(k->key, "wrap"))
      *form |= number_of(r, k, "true or false") != 0 ? WRAPPED : 0;
    else
      error_add(&r->errors, k->key_at, "%s: from, scale, offset, origin: start or wrap expected, got %s",
                node_path(n).text, quote(k->key).text);
  }
  if (!from)
    error_add(&r->errors, n->at, "%s: a text, or a section with from expected, got %s", node_path(n).text,
              node_found(n).text);
  return from;
}

static void read_input(struct reader *r, const struct node *n) {
  struct map_input *to = &r->map->input[r->map->input_count];
  const char *from = read_link(r, n, &to->scale, &to->offset, &to->form);
  to->to = variable_of(r, n, n->key_at, n->key);
  if (from && !map_source_is_known(from))
    error_add(&r->errors, n->at,
              "%s: a field of Sensors, instrument/NAME/CHANNEL, feedback/NAME/VALUE, setpoint/north_m or a "
              "variable such as sensor.NAME.CHANNEL expected, got %s",
              node_path(n).text, quote(from).text);
  snprintf(to->from, sizeof to->from, "%s", from ? from : "");
  r->map->input_count++;
}

static void read_output(struct reader *r, const struct node *n) {
  struct map_output *to = &r->map->output[r->map->output_count];
  int form;
  const char *from = read_link(r, n, &to->scale, &to->offset, &form);
  if (from)
    to->from = variable_of(r, n, n->at, from);
  if (map_target_of(n->key).kind == NO_TARGET)
    error_add(&r->errors, n->key_at,
              "%s: surge_n, sway_n, yaw_nm, thruster/NAME/revolutions_rpm, pitch, azimuth_rad, enable or a "
              "variable of command expected",
              node_path(n).text);
  snprintf(to->to, sizeof to->to, "%s", n->key);
  r->map->output_count++;
}

static void read_start(struct reader *r, const struct node *n) {
  struct map_start *to = &r->map->start[r->map->start_count++];
  to->to = variable_of(r, n, n->key_at, n->key);
  to->value = number_of(r, n, "a number");
}

static void read_section(struct reader *r, const struct node *section,
                         void (*take)(struct reader *r, const struct node *n)) {
  if (section->kind != NODE_MAP || section->count > FMU_MOST_VALUES) {
    error_add(&r->errors, section->at, "%s: a section of at most %d keys expected, got %s",
              node_path(section).text, FMU_MOST_VALUES, node_found(section).text);
    return;
  }
  for (const struct node *n = section->first; n; n = n->next)
    take(r, n);
}

static void read_key(struct reader *r, const struct node *n) {
  struct map *m = r->map;
  const int is_text = n->kind == NODE_SCALAR;
  if (!strcmp(n->key, "step_s") || !strcmp(n->key, "timeout_s")) {
    double *to = n->key[0] == 's' ? &m->step_s : &m->timeout_s;
    *to = number_of(r, n, "a number of seconds above 0");
    if (!(*to > 0))
      error_add(&r->errors, n->at, "%s: a number of seconds above 0 expected, got %s", n->key,
                node_found(n).text);
  } else if (!strcmp(n->key, "frame") && is_text && (!strcmp(n->text, "world") || !strcmp(n->text, "body")))
    m->is_world = !strcmp(n->text, "world");
  else if (!strcmp(n->key, "heading") && is_text && map_source_is_known(n->text))
    snprintf(m->heading, sizeof m->heading, "%s", n->text);
  else if (!strcmp(n->key, "start"))
    read_section(r, n, read_start);
  else if (!strcmp(n->key, "inputs"))
    read_section(r, n, read_input);
  else if (!strcmp(n->key, "outputs"))
    read_section(r, n, read_output);
  else if (!strcmp(n->key, "frame"))
    error_add(&r->errors, n->at, "frame: world or body expected, got %s", node_found(n).text);
  else if (!strcmp(n->key, "heading"))
    error_add(&r->errors, n->at, "heading: heading_rad or instrument/NAME/heading_rad expected, got %s",
              node_found(n).text);
  else
    error_add(&r->errors, n->key_at,
              "%s: step_s, timeout_s, frame, heading, start, inputs or outputs expected", n->key);
}

static void check(struct reader *r, const struct source *source) {
  const struct fmu_model *model = r->model;
  struct map *m = r->map;
  const struct position at = {source, 1, 1};
  if (!r->errors.count && !m->input_count && !m->output_count)
    map_by_names(model, m);
  if (!m->step_s)
    error_add(&r->errors, at, "step_s: required");
  if (!m->output_count)
    error_add(&r->errors, at, "outputs: required");
  const double own = model->version == 3 ? model->internal_step_s : model->has_fixed_step ? model->step_s : 0;
  const double ratio = own > 0 && m->step_s > 0 ? m->step_s / own : 1, whole = floor(ratio + 0.5);
  if (model->has_fixed_step && own > 0 && fabs(ratio - 1) > 1e-9)
    error_add(&r->errors, at, "step_s: %g, the fixed step of the FMU, expected, got %g", own, m->step_s);
  else if (own > 0 && (whole < 1 || fabs(ratio - whole) > 1e-6))
    error_add(&r->errors, at, "step_s: a whole multiple of the step of the FMU, %g s, expected, got %g", own,
              m->step_s);
}

void map_begin(struct map *map) {
  memset(map, 0, sizeof *map);
  map->timeout_s = 10;
  snprintf(map->heading, sizeof map->heading, "heading_rad");
}

enum status map_read(const char *path, const struct fmu_model *model, struct map *out) {
  struct reader r = {.model = model, .map = out};
  struct tree tree = {NULL, NULL, 0};
  const struct source source = {.name = path};
  const struct error_sink sink = error_to(stderr);
  size_t size;
  char *text = config_files_read(path, LARGEST_MAP, &size, (struct position){&source, 1, 1}, NULL, &r.errors);
  map_begin(out);
  if (text && (tree.root = tree_parse(&tree, &source, text, size, &r.errors)) &&
      tree.root->kind == NODE_MAP) {
    for (const struct node *n = tree.root->first; n; n = n->next)
      read_key(&r, n);
    check(&r, &source);
  } else if (!r.errors.count)
    error_add(&r.errors, (struct position){&source, 1, 1}, "keys of a map expected");
  const enum status status = r.errors.count ? STATUS_BAD_INPUT : STATUS_OK;
  error_deliver(&r.errors, &sink);
  error_list_free(&r.errors);
  tree_free(&tree);
  free(text);
  return status;
}
