// The map: which measurement goes to which input of the FMU, and which output is which part of the command.
#include "programs/fmu/fmu_program_internal.h"

#include "sagbend/case/case.h"
#include "sagbend/yaml/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Sources: fields of Sensors ----

static const struct {
  const char *name;
  size_t offset; // of a double in struct dp_sensors
} FIELDS[] = {
#define FIELD(name, member) {name, offsetof(struct dp_sensors, member)}
    FIELD("time_s", time_s),
    FIELD("position_north_m", position_n_m[0]),
    FIELD("position_east_m", position_n_m[1]),
    FIELD("position_down_m", position_n_m[2]),
    FIELD("roll_rad", euler_rad[0]),
    FIELD("pitch_rad", euler_rad[1]),
    FIELD("heading_rad", euler_rad[2]),
    FIELD("velocity_north_mps", velocity_n_mps[0]),
    FIELD("velocity_east_mps", velocity_n_mps[1]),
    FIELD("velocity_down_mps", velocity_n_mps[2]),
    FIELD("roll_rate_radps", euler_rate_radps[0]),
    FIELD("pitch_rate_radps", euler_rate_radps[1]),
    FIELD("heading_rate_radps", euler_rate_radps[2]),
    FIELD("applied_surge_n", applied_wrench_b[0]),
    FIELD("applied_sway_n", applied_wrench_b[1]),
    FIELD("applied_yaw_nm", applied_wrench_b[5]),
    FIELD("hangoff_tension_n", hangoff_tension_n),
    FIELD("hangoff_angle_rad", hangoff_angle_rad),
    FIELD("hangoff_azimuth_rad", hangoff_azimuth_rad),
    FIELD("paid_out_m", paid_out_m),
#undef FIELD
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };
static const char *const SETPOINT[3] = {"setpoint/north_m", "setpoint/east_m", "setpoint/heading_rad"};

static int parts_of(const char *from, const char *kind, char name[SIGNAL_NAME], const char **channel) {
  const size_t n = strlen(kind);
  const char *slash = strrchr(from, '/');
  if (strncmp(from, kind, n) != 0 || slash < from + n || (size_t)(slash - from) - n >= SIGNAL_NAME)
    return 0;
  snprintf(name, SIGNAL_NAME, "%.*s", (int)((size_t)(slash - from) - n), from + n);
  *channel = slash + 1;
  return 1;
}

// Angles are in rad here, as in messages: "heading_deg" of the table is heading_rad.
static int is_channel(const struct instrument_channel *row, const char *name) {
  char radians[64];
  const char *deg = strstr(row->name, "_deg");
  snprintf(radians, sizeof radians, "%.*s%s%s", deg ? (int)(deg - row->name) : 63, row->name,
           deg ? "_rad" : "", deg ? deg + 4 : "");
  return !strcmp(radians, name);
}

static int instrument_value(const struct readings *r, const char *name, const char *channel, double *out) {
  for (int i = 0; i < r->instrument_count; i++) {
    const struct reading *one = &r->instrument[i];
    if (strcmp(one->name, name) != 0)
      continue;
    *out = one->valid;
    if (!strcmp(channel, "valid"))
      return 1;
    for (int k = 0; k < instrument_channel_count(one->kind); k++)
      if (is_channel(instrument_channel(one->kind, k), channel)) {
        *out = one->value[k];
        return one->sequence ? 1 : SOURCE_IS_SILENT;
      }
  }
  return 0;
}

static int feedback_value(const struct readings *r, const char *name, const char *channel, double *out) {
  static const char *const names[] = {"running",     "ready",   "revolutions_rpm", "pitch",
                                      "azimuth_rad", "power_w", "stopped"};
  for (int i = 0; i < r->thruster_count; i++) {
    const struct thruster_feedback *t = &r->thruster[i];
    const double values[] = {t->running,     t->ready,   t->revolutions_rpm, t->pitch,
                             t->azimuth_rad, t->power_w, t->stopped};
    for (int k = 0; k < 7 && !strcmp(t->name, name); k++)
      if (!strcmp(names[k], channel)) {
        *out = values[k];
        return 1;
      }
  }
  return 0;
}

int map_source(const char *from, const struct wire_sensors *s, const struct wire_welcome *w, double *out) {
  char name[SIGNAL_NAME];
  const char *channel;
  for (int i = 0; i < FIELD_COUNT; i++)
    if (!strcmp(FIELDS[i].name, from)) {
      memcpy(out, (const char *)&s->dp + FIELDS[i].offset, sizeof *out);
      return i == 0 || !s->dp.readings.instrument_count ||
             FIELDS[i].offset >= offsetof(struct dp_sensors, applied_wrench_b);
    }
  for (int i = 0; i < 3; i++)
    if (!strcmp(SETPOINT[i], from)) {
      *out = w->setpoint[i];
      return w->has_setpoint;
    }
  if (parts_of(from, "instrument/", name, &channel))
    return instrument_value(&s->dp.readings, name, channel, out);
  return parts_of(from, "feedback/", name, &channel) && feedback_value(&s->dp.readings, name, channel, out);
}

static int map_source_is_known(const char *from) {
  char name[SIGNAL_NAME];
  const char *channel;
  for (int i = 0; i < FIELD_COUNT; i++)
    if (!strcmp(FIELDS[i].name, from))
      return 1;
  for (int i = 0; i < 3; i++)
    if (!strcmp(SETPOINT[i], from))
      return 1;
  return parts_of(from, "instrument/", name, &channel) || parts_of(from, "feedback/", name, &channel);
}

// ---- Targets: parts of a Command ----

static int target_is_known(const char *to) {
  static const char *const wrench[] = {"surge_n", "sway_n", "yaw_nm"}, *const parts[] = {
                                                                           "revolutions_rpm", "pitch",
                                                                           "azimuth_rad", "enable"};
  char name[SIGNAL_NAME];
  const char *channel;
  for (int i = 0; i < 3; i++)
    if (!strcmp(wrench[i], to))
      return 1;
  if (parts_of(to, "thruster/", name, &channel))
    for (int i = 0; i < 4; i++)
      if (!strcmp(parts[i], channel))
        return 1;
  return 0;
}

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
              "%s: a field of Sensors, instrument/NAME/CHANNEL, feedback/NAME/VALUE or setpoint/north_m "
              "expected, got %s",
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
  if (!target_is_known(n->key))
    error_add(
        &r->errors, n->key_at,
        "%s: surge_n, sway_n, yaw_nm or thruster/NAME/revolutions_rpm, pitch, azimuth_rad, enable expected",
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

enum status map_read(const char *path, const struct fmu_model *model, struct map *out) {
  struct reader r = {.model = model, .map = out};
  struct tree tree = {NULL, NULL, 0};
  const struct source source = {.name = path};
  const struct error_sink sink = error_to(stderr);
  size_t size;
  char *text = config_files_read(path, LARGEST_MAP, &size, (struct position){&source, 1, 1}, NULL, &r.errors);
  memset(out, 0, sizeof *out);
  out->timeout_s = 10;
  snprintf(out->heading, sizeof out->heading, "heading_rad");
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
