// The points of a plan, and its end.
#include "lab/plan/plan.h"

#include "lab/failures/failures.h"

#include "net/case/case.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// ------------------------------------------------------------
// The axis of failures: the configuration without one, then with each that sagbend trials would try.

// As a plan of trials has them without its own.
static const struct failure_magnitudes USUAL = {3, 30, 50, 0.3, 0.5, 0.04};
static const double HIDDEN_LEAD_S = 60, SWITCH_S = 10;

static int is_wanted(const struct node *only, const struct failure *f) {
  int found = !only || f->group == FAILURE_NONE;
  for (const struct node *n = only ? only->first : NULL; n; n = n->next)
    found |= n->kind == NODE_SCALAR && failure_matches(f->id, n->text);
  return found;
}

static void check_only(const struct plan_reading *r, const struct node *only, const struct failures *all) {
  if (only->kind != NODE_LIST || !only->count) {
    plan_refuse(r, only, "a list of identifiers of 'sagbend trials --list'");
    return;
  }
  for (const struct node *n = only->first; n; n = n->next)
    if (n->kind != NODE_SCALAR || !failures_count(all, n->text))
      plan_refuse_name(r, n, FORMER_FAULT, "/-", "an identifier of 'sagbend trials --list'");
}

static void add_failure(const struct plan_reading *r, const struct failure *f, const char *place,
                        struct plan_axis *axis) {
  char text[FAILURE_EVENTS + 16];
  struct plan_level *level = plan_add_level(r, axis);
  if (!level)
    return;
  snprintf(text, sizeof text, "events=%s", *f->events ? f->events : "[]");
  level->cell[0] = strdup(f->id);
  if (!level->cell[0] || !plan_settings_add(&level->settings, text, place))
    plan_out_of_memory(r);
}

// The equipment is that of the base with the overrides of every point.
static enum status load(const struct plan *plan, struct config *config) {
  const char *text[PLAN_MAX_SETTINGS], *place[PLAN_MAX_SETTINGS];
  const int count = plan->set.count < PLAN_MAX_SETTINGS ? plan->set.count : PLAN_MAX_SETTINGS;
  for (int i = 0; i < count; i++)
    text[i] = plan->set.item[i].text, place[i] = plan->set.item[i].place;
  return config_load_placed(plan->base_path, text, place, count, config, stderr);
}

void plan_read_failures(const struct plan_reading *r, const struct node *section,
                        const struct axis_draft *draft, struct plan_axis *axis) {
  const struct node *only = plan_given(r, section, "only");
  const struct failure_times times = {draft->failure_at_s, draft->failure_for_s, HIDDEN_LEAD_S, SWITCH_S};
  struct config *config = malloc(sizeof *config);
  struct failures all = {.item = NULL};
  char *place = plan_place(r, section);
  if (r->errors->count)
    ; // the configuration may not be what is meant
  else if (!config || !place)
    plan_out_of_memory(r);
  else if (load(r->plan, config) != STATUS_OK)
    plan_refuse(r, section, "a base without errors, whose equipment fails,");
  else {
    if (failures_generate(config, &USUAL, &times, &all) != STATUS_OK)
      plan_out_of_memory(r);
    if (only)
      check_only(r, only, &all);
    for (int i = 0; i < all.count && !r->errors->count; i++)
      if (is_wanted(only, &all.item[i]))
        add_failure(r, &all.item[i], place, axis);
    config_free(config);
  }
  failures_free(&all);
  free(config);
  free(place);
}

// ------------------------------------------------------------
// The command of a controller in a plan.

// Appends the texts of a list. Returns their number, -1 after an error.
static int take_texts(const struct plan_reading *r, const struct node *list, int most, char **out) {
  int count = 0;
  if (list->kind != NODE_LIST || list->count < 1 || list->count > most) {
    plan_refuse(r, list, "a list of 1 to %d texts", most);
    return -1;
  }
  for (const struct node *item = list->first; item; item = item->next) {
    if (item->kind != NODE_SCALAR || !*item->text) {
      plan_refuse(r, item, "a text");
      return count ? count : -1;
    }
    if (!(out[count] = strdup(item->text)))
      plan_out_of_memory(r);
    else
      count++;
  }
  return count;
}

char *plan_controller_path(const struct plan_controller *c, const char *file) {
  size_t bytes = strlen(c->folder) + strlen(file) + 2;
  char *path = malloc(bytes);
  if (path)
    snprintf(path, bytes, "%s%s%s", *file == '/' ? "" : c->folder, *file == '/' ? "" : "/", file);
  return path;
}

static void check_files(const struct plan_reading *r, const struct node *list,
                        const struct plan_controller *c, int first) {
  int i = first;
  for (const struct node *item = list->first; item && i < c->file_count; item = item->next, i++) {
    char *path = plan_controller_path(c, c->file[i]);
    if (!path)
      plan_out_of_memory(r);
    else if (access(path, R_OK) != 0)
      plan_refuse(r, item, "a readable file");
    free(path);
  }
}

static char *command_place(const struct plan_reading *r, const struct node *command) {
  char *place = plan_place(r, command), *text = NULL;
  const struct node_path key = node_path(command);
  const size_t bytes = place ? strlen(place) + sizeof key.text + 16 : 0;
  if (place && (text = malloc(bytes)))
    snprintf(text, bytes, "%s: error: %s", place, key.text);
  free(place);
  return text;
}

enum status plan_controller_check(const struct plan_controller *c, const struct config *config,
                                  FILE *errors) {
  struct ready session = {.commands = "tcp://"}; // places that the configuration has
  if (nmea_has_groups(&config_run(config)->nmea))
    snprintf(session.port_offset, sizeof session.port_offset, "0");
  snprintf(session.commands_b, sizeof session.commands_b, "%.100s", config->net.command_endpoint_b);
  int any = 0, is_wrong = 0;
  if (config_run(config)->modbus.is_on)
    snprintf(session.modbus, sizeof session.modbus, "here");
  if (config_run(config)->modbus.is_on && *config_run(config)->modbus.endpoint_b)
    snprintf(session.modbus_b, sizeof session.modbus_b, "here");
  for (int i = 0; i < config_run(config)->nmea.input_count; i++)
    if (!*config_run(config)->nmea.inputs[i].serial)
      snprintf(session.nmea_in[session.nmea_in_count++], READY_PLACE, "here");
  for (int i = 0; i < config_run(config)->nmea.port_count; i++)
    if (!*config_run(config)->nmea.ports[i].serial)
      snprintf(session.nmea_out[session.nmea_out_count++], READY_PLACE, "here");
  for (int i = 1; i < c->argument_count; i++) {
    const char *at = c->argument[i];
    const struct ready_mark missing = ready_mark_missing(c->argument[i], &session, &any, &at);
    if (missing.size) {
      fprintf(errors, "%s: %.*s: a place that the configuration has expected: %s\n", c->place,
              (int)missing.size, at,
              at[1] == 'm'   ? "it has no such endpoint in modbus"
              : at[1] == 'e' ? "it has no network.command_endpoint_b"
              : at[1] == 'p' ? "nmea.ports and nmea.inputs have no group"
                             : "it has no such UDP port in nmea.inputs (in) or nmea.ports (out)");
      is_wrong = 1;
    }
  }
  const int has_buses = config_run(config)->modbus.is_on || config_run(config)->nmea.input_count > 0;
  if (c->argument_count && !any && !has_buses) {
    fprintf(errors,
            "%s: an argument with {endpoint}, for which the simulator's endpoint is put, expected: the "
            "configuration has neither modbus nor nmea.inputs\n",
            c->place);
    is_wrong = 1;
  }
  return is_wrong ? STATUS_BAD_INPUT : STATUS_OK;
}

static int is_fixed(const char *endpoint) {
  const char *colon = strrchr(endpoint, ':');
  return colon && strcmp(colon, ":*") != 0 && strcmp(colon, ":0") != 0;
}

// The first port or input at a place that all sessions on this machine hear, whatever its number.
static void find_shared(const struct nmea_def *nmea, char *out, size_t size) {
  for (int i = 0; i < nmea->port_count + nmea->input_count && !*out; i++) {
    const int is_input = i >= nmea->port_count, index = is_input ? i - nmea->port_count : i;
    const char *udp = is_input ? nmea->inputs[index].udp : nmea->ports[index].udp,
               *serial = is_input ? nmea->inputs[index].serial : nmea->ports[index].serial;
    if (nmea_is_group(udp, serial) || nmea_is_multicast(udp))
      snprintf(out, size,
               "nmea.%s.%d: udp with port *, such as 127.0.0.1:*, or an argument with {port_offset} in "
               "controller.command and no nmea.network.port_offset, expected, got a group or multicast "
               "address, which all runs on this machine share",
               is_input ? "inputs" : "ports", index);
  }
}

int plan_controller_takes_offset(const struct plan_controller *c, const struct config *config) {
  const struct nmea_def *nmea = &config_run(config)->nmea;
  int takes = !c->argument_count || !strcmp(c->argument[0], "sagbend-fmu"); // which hears no group
  for (int i = 1; i < c->argument_count; i++)
    takes |= strstr(c->argument[i], "{port_offset}") != NULL;
  return takes && !nmea->network.port_offset && nmea_has_groups(nmea);
}

void plan_controller_fixed_port(const struct plan_controller *c, const struct config *config, char *out,
                                size_t size) {
  int has_endpoint = !c->argument_count;
  for (int i = 1; i < c->argument_count; i++)
    has_endpoint |= strstr(c->argument[i], "{endpoint") != NULL;
  *out = '\0';
  if (config_run(config)->modbus.is_on && is_fixed(config_run(config)->modbus.endpoint))
    snprintf(out, size, "modbus.endpoint: port *, such as tcp://127.0.0.1:*, expected, got %s",
             config_run(config)->modbus.endpoint);
  if (!*out && config_run(config)->modbus.is_on && *config_run(config)->modbus.endpoint_b &&
      is_fixed(config_run(config)->modbus.endpoint_b))
    snprintf(out, size, "modbus.endpoint_b: port *, such as tcp://127.0.0.2:*, expected, got %s",
             config_run(config)->modbus.endpoint_b);
  if (!*out && !plan_controller_takes_offset(c, config))
    find_shared(&config_run(config)->nmea, out, size);
  for (int i = 0; i < config_run(config)->nmea.input_count && !*out; i++)
    if (is_fixed(config_run(config)->nmea.inputs[i].udp) &&
        !nmea_is_multicast(config_run(config)->nmea.inputs[i].udp))
      snprintf(out, size, "nmea.inputs.%d.udp: port *, such as 127.0.0.1:*, expected, got %s", i,
               config_run(config)->nmea.inputs[i].udp);
  for (int i = 0; i < config_run(config)->nmea.port_count && !*out && !has_endpoint; i++)
    if (is_fixed(config_run(config)->nmea.ports[i].udp) &&
        !nmea_is_multicast(config_run(config)->nmea.ports[i].udp))
      snprintf(out, size, "nmea.ports.%d.udp: port *, such as 127.0.0.1:*, expected, got %s", i,
               config_run(config)->nmea.ports[i].udp);
}

// An FMU whose variables have the names of the library needs no map.
static void drop_map(struct plan_controller *out) {
  free(out->argument[3]);
  free(out->file[1]);
  out->argument[3] = out->file[1] = NULL;
  out->argument_count = 3;
  out->file_count = 1;
}

// "X.fmu", or that and its map: as the arguments and the files of sagbend-fmu.
static void expand_fmu(const struct plan_reading *r, const struct node *command,
                       struct plan_controller *out) {
  const size_t size = out->argument_count ? strlen(out->argument[0]) : 0;
  if (size < 5 || strcmp(out->argument[0] + size - 4, ".fmu") != 0)
    return;
  if (out->argument_count > 2) {
    plan_refuse(r, command, "an FMU alone, or an FMU and its map");
    return;
  }
  const int has_map = out->argument_count == 2;
  char *fmu = out->argument[0],
       *map = out->argument_count == 2 ? out->argument[1] : malloc(size + sizeof ".yaml");
  if (map && out->argument_count == 1)
    sprintf(map, "%s.yaml", fmu);
  out->argument[0] = strdup("sagbend-fmu");
  out->argument[1] = strdup("{endpoint}");
  out->argument[2] = fmu;
  out->argument[3] = map;
  out->argument_count = 4;
  out->file[0] = strdup(fmu);
  out->file[1] = map ? strdup(map) : NULL;
  out->file_count = 2;
  if (!map || !out->argument[0] || !out->argument[1] || !out->file[0] || !out->file[1]) {
    plan_out_of_memory(r);
    out->argument_count = out->file_count = 0;
    return;
  }
  for (int i = 0; i < 2; i++) {
    char *path = plan_controller_path(out, out->file[i]);
    if (!path)
      plan_out_of_memory(r);
    else if (i && !has_map && access(path, F_OK) != 0)
      drop_map(out);
    else if (access(path, R_OK) != 0)
      plan_refuse(r, command, i ? "a readable map beside the FMU (X.fmu.yaml)" : "a readable FMU");
    free(path);
  }
}

void plan_take_controller(const struct plan_reading *r, const struct node *section,
                          struct plan_controller *out) {
  const struct node *command = section ? plan_given(r, section, "command") : NULL,
                    *files = section ? plan_given(r, section, "files") : NULL;
  out->folder = file_folder(r->path);
  if (!out->folder)
    plan_out_of_memory(r);
  if (!command || !out->folder) {
    if (files)
      plan_refuse(r, files, "a command beside it");
    return;
  }
  int count = take_texts(r, command, PLAN_MAX_ARGUMENTS, out->argument);
  out->argument_count = count > 0 ? count : 0;
  if (!(out->place = command_place(r, command)))
    plan_out_of_memory(r);
  expand_fmu(r, command, out);
  if (!files)
    return;
  const int first = out->file_count;
  count = take_texts(r, files, PLAN_MAX_FILES - first, out->file + first);
  out->file_count += count > 0 ? count : 0;
  check_files(r, files, out, first);
}

void plan_read_controller(const struct plan_reading *r, struct plan_controller *out) {
  plan_take_controller(r, plan_given(r, NULL, "controller"), out);
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
