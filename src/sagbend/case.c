// Versions, errors and cases.
#define _GNU_SOURCE // dl_iterate_phdr
#include "sagbend/sagbend_parts.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Versions ----

uint32_t sagbend_api_version(void) {
  return SAGBEND_API_VERSION;
}

const char *sagbend_version(void) {
  return SAGBEND_VERSION;
}

const char *sagbend_status_text(int status) {
  static const char *const texts[] = {[SAGBEND_OK] = "ok",
                                      [SAGBEND_BAD_INPUT] = "bad input",
                                      [SAGBEND_NO_MEMORY] = "out of memory",
                                      [SAGBEND_NOT_CONVERGED] = "no static equilibrium",
                                      [SAGBEND_IO] = "input or output failed",
                                      [SAGBEND_FAULT] = "the simulation has latched a fault",
                                      [SAGBEND_WRONG_CALL] = "wrong call"};
  return status >= 0 && (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

static char build_text[48] = "unknown"; // written once
static pthread_once_t build_once = PTHREAD_ONCE_INIT;

static int is_in(const struct dl_phdr_info *info, const char *at) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const char *start = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (info->dlpi_phdr[i].p_type == PT_LOAD && at >= start && at < start + info->dlpi_phdr[i].p_memsz)
      return 1;
  }
  return 0;
}

static void read_build_id(const char *at, const char *end) {
  while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    const char *id = at + sizeof note + ((note.n_namesz + 3u) & ~3u);
    if (note.n_type == NT_GNU_BUILD_ID && !memcmp(at + sizeof note, "GNU", 4)) {
      for (unsigned k = 0; k < note.n_descsz && 2 * k + 2 < sizeof build_text; k++)
        snprintf(build_text + 2 * k, 3, "%02x", (unsigned char)id[k]);
      return;
    }
    at = id + ((note.n_descsz + 3u) & ~3u);
  }
}

// Of the object that contains this library, which may be the host program itself.
static int look(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  if (!is_in(info, build_text))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const char *start = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      read_build_id(start, start + info->dlpi_phdr[i].p_memsz);
  }
  return 1;
}

static void find_build(void) {
  dl_iterate_phdr(look, NULL);
}

const char *sagbend_build(void) {
  pthread_once(&build_once, find_build);
  return build_text;
}

// ---- Errors ----

sagbend_status sagbend_status_of(enum status status) {
  switch (status) {
  case STATUS_OK:
    return SAGBEND_OK;
  case STATUS_NO_MEMORY:
    return SAGBEND_NO_MEMORY;
  case STATUS_NOT_CONVERGED:
  case STATUS_SINGULAR:
    return SAGBEND_NOT_CONVERGED;
  case STATUS_IO:
    return SAGBEND_IO;
  case STATUS_FAULT:
    return SAGBEND_FAULT;
  default:
    return SAGBEND_BAD_INPUT;
  }
}

int sagbend_copy_out(void *out, const void *full, size_t full_size) {
  size_t size;
  memcpy(&size, out, sizeof size);
  if (size < sizeof size)
    return 0;
  memcpy((char *)out + sizeof size, (const char *)full + sizeof size,
         (size < full_size ? size : full_size) - sizeof size);
  return 1;
}

sagbend_status sagbend_fail(sagbend_error *out, sagbend_status status, const char *text) {
  sagbend_error full = {.status = (int32_t)status};
  snprintf(full.text, sizeof full.text, "%s", text);
  if (out)
    sagbend_copy_out(out, &full, sizeof full);
  return status;
}

void sagbend_error_of(const struct error_report *e, sagbend_error *out) {
  *out =
      (sagbend_error){.size = sizeof *out, .status = SAGBEND_BAD_INPUT, .line = e->line, .column = e->column};
  snprintf(out->file, sizeof out->file, "%s", e->file ? e->file : "");
  snprintf(out->key, sizeof out->key, "%.*s", e->key_bytes, e->text);
  if (e->override)
    snprintf(out->text, sizeof out->text, "%s (in %s)", e->text, quote(e->override).text);
  else
    snprintf(out->text, sizeof out->text, "%s", e->text);
}

static void keep_error(void *one, const struct error_report *e) {
  struct sagbend_case *c = one;
  if (e->more) // only how many there are beyond those that are kept
    return;
  sagbend_error *more = realloc(c->error, (c->error_count + 1) * sizeof *more);
  if (!more)
    return;
  c->error = more;
  sagbend_error_of(e, &more[c->error_count++]);
}

// ---- Cases ----

static const char MODE[] = "simulation.mode=";

// What the case and its DP file name is given from the case's folder.
static enum status name_files(sagbend_case *c) {
  const struct config_files *files = &c->setup.dp_files;
  const char *dp = c->setup.config.dp_file_in_text, *slash = strrchr(dp, '/');
  const int folder = slash ? (int)(slash - dp) + 1 : 0;
  c->file_path = calloc((size_t)files->count + 1, sizeof *c->file_path);
  for (int i = 0; c->file_path && i < files->count; i++) {
    const char *path = files->file[i].path;
    const size_t bytes = (size_t)folder + strlen(path) + 1;
    c->file_path[i] = malloc(bytes);
    if (!c->file_path[i])
      return STATUS_NO_MEMORY;
    snprintf(c->file_path[i], bytes, "%.*s%s", path[0] == '/' ? 0 : folder, dp, path);
  }
  return c->file_path ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status read_case(sagbend_case *c, struct config_request *request, const char *const *overrides,
                             size_t count, int controller) {
  const struct error_sink sink = {keep_error, c};
  const char **all = calloc(count + 1, sizeof *all);
  if (!all)
    return STATUS_NO_MEMORY;
  for (size_t i = 0; i < count; i++)
    all[i] = overrides[i];
  // The last one wins, also over "simulation={...}".
  all[count] = controller == SAGBEND_CONTROLLER_INSIDE ? "simulation.mode=fast" : "simulation.mode=lockstep";
  request->overrides = all;
  request->override_count = (int)count + 1;
  enum status status = setup_read(&c->setup, request, &sink);
  struct reason why = {""};
  if (status == STATUS_OK && setup_check_mode(&c->setup, request->path, &why) != STATUS_OK) {
    keep_error(c, &(struct error_report){.text = why.text});
    status = STATUS_BAD_INPUT;
  }
  free(all);
  return status == STATUS_OK ? name_files(c) : status;
}

static int sets_mode(const char *const *overrides, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strncmp(overrides[i], MODE, sizeof MODE - 1))
      return 1;
  return 0;
}

static int keep_overrides(sagbend_case *c, const char *const *overrides, size_t count) {
  c->override = calloc(count + 1, sizeof *c->override);
  for (size_t i = 0; c->override && i < count; i++, c->override_count++)
    if (!(c->override[i] = strdup(overrides[i])))
      return 0;
  return c->override != NULL;
}

static sagbend_status open_case(struct config_request *request, const char *const *overrides, size_t count,
                                int controller, sagbend_case **out, sagbend_error *error) {
  if (out)
    *out = NULL;
  if (!out || !request->path || (count && !overrides) || count > 4096 ||
      controller < SAGBEND_CONTROLLER_INSIDE || controller > SAGBEND_CONTROLLER_ALONE)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a path, its overrides and a kind of controller expected");
  if (sets_mode(overrides, count))
    return sagbend_fail(error, SAGBEND_WRONG_CALL,
                        "simulation.mode is not allowed as an override: the kind of controller gives it");
  sagbend_case *c = *out = calloc(1, sizeof *c);
  if (!c)
    return sagbend_fail(error, SAGBEND_NO_MEMORY, "out of memory for a case");
  c->controller = controller;
  c->path = strdup(request->path);
  if (!c->path || !keep_overrides(c, overrides, count)) {
    sagbend_case_close(c);
    *out = NULL;
    return sagbend_fail(error, SAGBEND_NO_MEMORY, "out of memory for a case");
  }
  const struct host_settings host = host_settings_begin();
  const enum status status = read_case(c, request, overrides, count, controller);
  host_settings_end(&host);
  if (status == STATUS_OK)
    return SAGBEND_OK;
  if (!c->error_count) { // without one the case would count as a good one
    sagbend_case_close(c);
    *out = NULL;
    return sagbend_fail(error, SAGBEND_NO_MEMORY, "out of memory for a case");
  }
  if (error)
    sagbend_copy_out(error, &c->error[0], sizeof c->error[0]);
  return sagbend_status_of(status);
}

sagbend_status sagbend_case_open(const char *path, const char *const *overrides, size_t count, int controller,
                                 sagbend_case **out, sagbend_error *error) {
  struct config_request request = {.path = path};
  return open_case(&request, overrides, count, controller, out, error);
}

sagbend_status sagbend_case_open_text(const char *name, const char *text, size_t bytes,
                                      const sagbend_file *files, size_t file_count,
                                      const char *const *overrides, size_t count, int controller,
                                      sagbend_case **out, sagbend_error *error) {
  struct config_file given[MAX_CONFIG_POOL];
  const struct config_pool pool = {(int)file_count, given};
  if (out)
    *out = NULL;
  if (!text || file_count > MAX_CONFIG_POOL || (file_count && !files))
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a text and at most 34 files expected");
  if (file_count && files[0].size < offsetof(sagbend_file, bytes) + sizeof files[0].bytes)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "files with their size, path and text expected");
  for (size_t i = 0; i < file_count; i++) {
    sagbend_file file = {0};
    memcpy(&file, (const char *)files + i * files[0].size,
           files[0].size < sizeof file ? files[0].size : sizeof file);
    if (!file.path || !file.text)
      return sagbend_fail(error, SAGBEND_WRONG_CALL, "files with their size, path and text expected");
    given[i] = (struct config_file){(char *)file.path, (char *)file.text, file.bytes};
  }
  struct config_request request = {.path = name, .text = text, .text_size = bytes, .pool = &pool};
  return open_case(&request, overrides, count, controller, out, error);
}

void sagbend_case_close(sagbend_case *c) {
  if (!c)
    return;
  for (int i = 0; c->file_path && i < c->setup.dp_files.count; i++)
    free(c->file_path[i]);
  free(c->file_path);
  for (size_t i = 0; i < c->override_count; i++)
    free(c->override[i]);
  free(c->override);
  free(c->path);
  variables_free(atomic_load(&c->variables));
  setup_free(&c->setup);
  free(c->error);
  free(c);
}

size_t sagbend_case_error_count(const sagbend_case *c) {
  return c ? c->error_count : 0;
}

sagbend_status sagbend_case_error(const sagbend_case *c, size_t index, sagbend_error *out) {
  if (!c || !out || index >= c->error_count)
    return SAGBEND_WRONG_CALL;
  return sagbend_copy_out(out, &c->error[index], sizeof *out) ? SAGBEND_OK : SAGBEND_WRONG_CALL;
}

size_t sagbend_case_file_count(const sagbend_case *c) {
  return c && !c->error_count ? 1 + (size_t)c->setup.config.files.count + (size_t)c->setup.has_dp +
                                    (size_t)c->setup.dp_files.count
                              : 0;
}

sagbend_status sagbend_case_file(const sagbend_case *c, size_t index, sagbend_file *out) {
  if (!out || index >= sagbend_case_file_count(c))
    return SAGBEND_WRONG_CALL;
  const struct config *config = &c->setup.config;
  const size_t own = 1 + (size_t)config->files.count;
  sagbend_file full = {.path = "", .text = config->text, .bytes = config->file_text_size};
  if (index > 0 && index < own) {
    const struct config_file *file = &config->files.file[index - 1];
    full = (sagbend_file){.path = file->path, .text = file->text, .bytes = file->size};
  } else if (index == own) {
    full = (sagbend_file){
        .path = config->dp_file_in_text, .text = c->setup.dp_text, .bytes = strlen(c->setup.dp_text)};
  } else if (index > own) {
    const struct config_file *file = &c->setup.dp_files.file[index - own - 1];
    full = (sagbend_file){.path = c->file_path[index - own - 1], .text = file->text, .bytes = file->size};
  }
  return sagbend_copy_out(out, &full, sizeof full) ? SAGBEND_OK : SAGBEND_WRONG_CALL;
}

const char *sagbend_case_name(const sagbend_case *c) {
  return c ? c->setup.config.name : "";
}

uint64_t sagbend_case_hash(const sagbend_case *c) {
  return c ? setup_hash(&c->setup) : 0;
}
