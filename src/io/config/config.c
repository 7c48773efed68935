#include "io/config/config.h"
#include "io/config/config_loading.h"
#include "io/config/config_references.h"
#include "io/config/config_sections.h"

#include "core/base/fnv.h"

#include <stdlib.h>
#include <string.h>

// The session's record: the file's text, then the overrides as comments. Returns 0 if memory runs out.
static int make_record(struct config *c, const struct loading *l) {
  size_t size = l->text_size + 2;
  for (int i = 0; i < l->override_count; i++)
    size += strlen(l->overrides[i]) + sizeof "# --set \n";
  c->text = malloc(size);
  if (!c->text)
    return 0;

  memcpy(c->text, l->text, l->text_size);
  c->text_size = c->file_text_size = l->text_size;
  if (l->override_count && c->text_size && c->text[c->text_size - 1] != '\n')
    c->text[c->text_size++] = '\n';
  for (int i = 0; i < l->override_count; i++)
    c->text_size += (size_t)sprintf(c->text + c->text_size, "# --set %s\n", l->overrides[i]);
  c->text[c->text_size] = '\0';

  c->hash = hash_files(fnv1a(FNV1A_START, c->text, c->text_size), &l->beside.files);
  c->model_hash = loading_hash(l, 1);
  return 1;
}

// Text -> draft -> checks -> definition.
static void fill(struct loading *l, struct config_draft *draft, struct config *out) {
  struct check check = {.errors = &l->errors, .draft = draft};

  if (loading_read(l, draft)) {
    check.root = l->tree.root;
    config_check(&check);
    *out = draft->out;
    config_take_references(l, out);
  }
  if (l->errors.count == 0)
    config_resolve(&check, out);
  if (l->errors.count == 0)
    config_check_integrator(&check, out);
  if (l->errors.count == 0 && !make_record(out, l))
    error_add(&l->errors, loading_start(l), "out of memory");
}

static int load(struct loading *l, struct config *out, FILE *errors) {
  struct config_draft *draft = calloc(1, sizeof *draft);

  memset(out, 0, sizeof *out);
  l->schema = config_schema();
  if (draft)
    fill(l, draft, out);
  else
    error_add(&l->errors, loading_start(l), "out of memory");

  if (l->errors.count == 0) {
    out->files = l->beside.files; // moved out, so that loading_finish does not free them
    l->beside.files.count = 0;
  } else {
    config_free(out);
    memset(out, 0, sizeof *out);
  }
  free(draft);
  return loading_finish(l, errors);
}

int config_load(const char *path, const char *const *overrides, int override_count, struct config *out,
                FILE *errors) {
  struct loading l = {.path = path, .overrides = overrides, .override_count = override_count};
  return load(&l, out, errors);
}

int config_load_text(const char *name, const char *text, size_t size, const struct config_files *files,
                     const char *const *overrides, int override_count, struct config *out, FILE *errors) {
  struct loading l = {.path = name,
                      .overrides = overrides,
                      .override_count = override_count,
                      .from_memory = 1,
                      .text = malloc(size + 1),
                      .text_size = size,
                      .beside = {.from_record = 1}};

  if (!l.text || size > LARGEST_CONFIG || !config_files_copy(files, &l.beside.files)) {
    fprintf(errors, "%s:1:1: error: a text of at most %d bytes and memory for it expected, got %zu bytes\n",
            name, LARGEST_CONFIG, size);
    free(l.text);
    config_files_free(&l.beside.files);
    memset(out, 0, sizeof *out);
    return 1;
  }
  memcpy(l.text, text, size);
  l.text[size] = '\0';
  return load(&l, out, errors);
}

void config_free(struct config *c) {
  free(c->bathymetry_z_m);
  c->bathymetry_z_m = NULL;
  free(c->text);
  c->text = NULL;
  c->text_size = 0;
  config_files_free(&c->files);
}

// *text: NULL, or receives the text.
static int load_dp(struct loading *l, struct dp_config *out, char **text, FILE *errors) {
  struct dp_draft draft = {0};
  struct check check = {.errors = &l->errors, .dp = &draft};

  memset(out, 0, sizeof *out);
  l->schema = dp_schema();
  if (loading_read(l, &draft)) {
    check.root = l->tree.root;
    dp_check(&check);
  }
  if (l->errors.count == 0) {
    *out = draft.out;
    dp_resolve(&check, out);
    out->hash = loading_hash(l, 0);
    if (text) { // the caller owns it now
      *text = l->text;
      l->text = NULL;
    }
  }
  return loading_finish(l, errors);
}

int dp_config_load(const char *path, const char *const *overrides, int override_count, struct dp_config *out,
                   FILE *errors) {
  struct loading l = {.path = path, .overrides = overrides, .override_count = override_count};
  return load_dp(&l, out, NULL, errors);
}

int dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                          struct dp_config *out, char **text, FILE *errors) {
  struct loading l = {.path = path, .overrides = overrides, .override_count = override_count, .is_beside = 1};

  if (text)
    *text = NULL;
  return load_dp(&l, out, text, errors);
}

static void write_schema(struct schema schema, FILE *out) {
  schema_write_json(&schema, out);
  schema_free(&schema);
}

void config_write_schema(FILE *out) {
  write_schema(config_schema(), out);
}

void dp_config_write_schema(FILE *out) {
  write_schema(dp_schema(), out);
}
