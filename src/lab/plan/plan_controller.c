// The command of a controller in a plan.
#include "lab/plan/plan.h"

#include "lab/failures/failures.h"
#include "net/case/case.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
