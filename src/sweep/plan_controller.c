// The command of a controller in a plan.
#define _POSIX_C_SOURCE 200809L
#include "io/files/file_target.h"
#include "sweep/plan_parts.h"

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

void plan_take_controller(const struct plan_reading *r, const struct node *section,
                          struct plan_controller *out) {
  const struct node *command = section ? plan_given(r, section, "command") : NULL,
                    *files = section ? plan_given(r, section, "files") : NULL;
  int has_endpoint = 0;
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
  for (int i = 1; i < out->argument_count; i++)
    has_endpoint |= strstr(out->argument[i], PLAN_ENDPOINT) != NULL;
  if (count > 0 && !has_endpoint)
    plan_refuse(r, command, "an argument with " PLAN_ENDPOINT ", for which the simulator's endpoint is put,");
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
  return ok ? STATUS_OK : STATUS_NO_MEMORY;
}

void plan_controller_free(struct plan_controller *c) {
  for (int i = 0; i < c->argument_count; i++)
    free(c->argument[i]);
  for (int i = 0; i < c->file_count; i++)
    free(c->file[i]);
  free(c->folder);
  free(c->dp_file);
  *c = (struct plan_controller){.folder = NULL};
}
