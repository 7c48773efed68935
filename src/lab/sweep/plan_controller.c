// The command of a controller in a plan.
#define _POSIX_C_SOURCE 200809L
#include "net/case/case.h"
#include "os/files/file_target.h"
#include "os/files/ready.h"
#include "lab/sweep/plan_parts.h"

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
                        const struct plan_controller *c) {
  int i = 0;
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
  int any = 0, is_wrong = 0;
  if (config_run(config)->modbus.is_on)
    snprintf(session.modbus, sizeof session.modbus, "here");
  for (int i = 0; i < config_run(config)->nmea.input_count; i++)
    if (*config_run(config)->nmea.inputs[i].udp)
      snprintf(session.nmea_in[session.nmea_in_count++], READY_PLACE, "here");
  for (int i = 0; i < config_run(config)->nmea.port_count; i++)
    if (*config_run(config)->nmea.ports[i].udp)
      snprintf(session.nmea_out[session.nmea_out_count++], READY_PLACE, "here");
  for (int i = 1; i < c->argument_count; i++) {
    const char *at = c->argument[i];
    const struct ready_mark missing = ready_mark_missing(c->argument[i], &session, &any, &at);
    if (missing.size) {
      fprintf(errors, "%s: %.*s: a place that the configuration has expected: %s\n", c->place,
              (int)missing.size, at,
              at[1] == 'm' ? "it has no section modbus"
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

void plan_controller_fixed_port(const struct plan_controller *c, const struct config *config, char *out,
                                size_t size) {
  int has_endpoint = !c->argument_count;
  for (int i = 1; i < c->argument_count; i++)
    has_endpoint |= strstr(c->argument[i], "{endpoint") != NULL;
  *out = '\0';
  if (config_run(config)->modbus.is_on && is_fixed(config_run(config)->modbus.endpoint))
    snprintf(out, size, "modbus.endpoint: port * expected, as in tcp://127.0.0.1:*, got %s",
             config_run(config)->modbus.endpoint);
  for (int i = 0; i < config_run(config)->nmea.input_count && !*out; i++)
    if (is_fixed(config_run(config)->nmea.inputs[i].udp))
      snprintf(out, size, "nmea.inputs.%d.udp: port * expected, as in 127.0.0.1:*, got %s", i,
               config_run(config)->nmea.inputs[i].udp);
  for (int i = 0; i < config_run(config)->nmea.port_count && !*out && !has_endpoint; i++)
    if (is_fixed(config_run(config)->nmea.ports[i].udp))
      snprintf(out, size, "nmea.ports.%d.udp: port * expected, as in 127.0.0.1:*, got %s", i,
               config_run(config)->nmea.ports[i].udp);
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
  if (!files)
    return;
  count = take_texts(r, files, PLAN_MAX_FILES, out->file);
  out->file_count = count > 0 ? count : 0;
  check_files(r, files, out);
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
