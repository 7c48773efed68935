#include "io/config/config.h"
#include "hydro/raw/hydro_tables.h"
#include "io/config/config_loading.h"
#include "io/config/config_sections.h"

#include "core/base/fnv.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

// The session's record: the file's text, then the overrides as comments. STATUS_NO_MEMORY is the only
// failure.
static enum status make_record(struct config *config, const struct loading *loading) {
  size_t size = loading->text_size + 2;
  for (int i = 0; i < loading->override_count; i++)
    size += strlen(loading->overrides[i]) + sizeof "# --set \n";
  config->text = malloc(size);
  if (!config->text)
    return STATUS_NO_MEMORY;

  memcpy(config->text, loading->text, loading->text_size);
  config->text_size = config->file_text_size = loading->text_size;
  if (loading->override_count && config->text_size && config->text[config->text_size - 1] != '\n')
    config->text[config->text_size++] = '\n';
  for (int i = 0; i < loading->override_count; i++)
    config->text_size +=
        (size_t)sprintf(config->text + config->text_size, "# --set %s\n", loading->overrides[i]);
  config->text[config->text_size] = '\0';

  config->hash = hash_files(fnv1a(FNV1A_START, config->text, config->text_size), &loading->beside.files);
  config->model_hash = loading_hash(loading, 1);
  return STATUS_OK;
}

// A log runs again with the defaults of its time.
static void take_earlier_defaults(const struct check *c, struct config_draft *draft, int generation) {
  if (generation < 2 && !given(c, "pipe.element_kind"))
    draft->element_kind = ELEMENT_BEAM;
  if (generation < 1 && !given(c, "pipe.spacing"))
    draft->out.sim.pipe.spacing = SPACING_EQUAL;
  if (generation < 1 && !given(c, "vessel.damping.axes"))
    draft->out.sim.vessel.damping_axes = DAMPING_BODY;
}

// Text -> draft -> checks -> definition.
static void fill(struct loading *loading, struct config_draft *draft, struct config *out) {
  struct check check = {.errors = &loading->errors, .draft = draft};

  if (loading_read(loading, draft) == STATUS_OK) {
    check.root = loading->tree.root;
    take_earlier_defaults(&check, draft, DEFAULTS_GENERATION - loading->beside.files.defaults_behind);
    config_check(&check);
    *out = draft->out;
    config_take_references(loading, out);
  }
  if (loading->errors.count == 0)
    config_resolve(&check, out);
  if (loading->errors.count == 0)
    config_check_integrator(&check, out);
  if (loading->errors.count == 0 && make_record(out, loading) != STATUS_OK)
    error_add(&loading->errors, loading_start(loading), "out of memory");
}

static enum status load(struct loading *loading, struct config *out, FILE *errors) {
  struct config_draft *draft = calloc(1, sizeof *draft);

  memset(out, 0, sizeof *out);
  loading->file = (struct source){.name = loading->path}; // errors name it, also before it is read
  loading->schema = config_schema();
  if (draft)
    fill(loading, draft, out);
  else
    error_add(&loading->errors, loading_start(loading), "out of memory");

  if (loading->errors.count == 0) {
    out->files = loading->beside.files; // moved out, so that loading_finish does not free them
    loading->beside.files.count = 0;
  } else {
    config_free(out);
    memset(out, 0, sizeof *out);
  }
  free(draft);
  return loading_finish(loading, errors);
}

// A host that embeds this may have a locale whose numbers have a comma. Numbers of files have a point, in
// this thread while it reads them.
static locale_t numbers_begin(void) {
  return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static void numbers_end(locale_t before) {
  uselocale(before); // that of the name "C" is the library's own, not to be freed
}

static enum status load_in_locale(struct loading *loading, struct config *out, FILE *errors) {
  const locale_t before = numbers_begin();
  enum status status = load(loading, out, errors);
  numbers_end(before);
  return status;
}

enum status config_load(const char *path, const char *const *overrides, int override_count,
                        struct config *out, FILE *errors) {
  struct loading loading = {.path = path, .overrides = overrides, .override_count = override_count};
  return load_in_locale(&loading, out, errors);
}

enum status config_load_placed(const char *path, const char *const *overrides, const char *const *places,
                               int override_count, struct config *out, FILE *errors) {
  struct loading loading = {
      .path = path, .overrides = overrides, .override_places = places, .override_count = override_count};
  return load_in_locale(&loading, out, errors);
}

enum status config_load_text(const char *name, const char *text, size_t size,
                             const struct config_files *files, const char *const *overrides,
                             int override_count, struct config *out, FILE *errors) {
  struct loading loading = {.path = name,
                            .overrides = overrides,
                            .override_count = override_count,
                            .from_memory = 1,
                            .text = malloc(size + 1),
                            .text_size = size,
                            .beside = {.from_record = 1}};

  if (!loading.text || size > LARGEST_CONFIG ||
      config_files_copy(files, &loading.beside.files) != STATUS_OK) {
    if (errors)
      fprintf(errors, "%s:1:1: error: a text of at most %d bytes and memory for it expected, got %zu bytes\n",
              name, LARGEST_CONFIG, size);
    free(loading.text);
    config_files_free(&loading.beside.files);
    memset(out, 0, sizeof *out);
    return STATUS_BAD_INPUT;
  }
  memcpy(loading.text, text, size);
  loading.text[size] = '\0';
  return load_in_locale(&loading, out, errors);
}

void config_free(struct config *config) {
  free(config->bathymetry_z_m);
  config->bathymetry_z_m = NULL;
  if (config->hydro)
    hydro_data_free(config->hydro);
  free(config->hydro);
  config->hydro = NULL;
  free(config->text);
  config->text = NULL;
  config->text_size = 0;
  config_files_free(&config->files);
}

// *text: NULL, or receives the text.
// files: NULL, or receives those that it extends.
static enum status load_dp(struct loading *loading, struct dp_config *out, char **text,
                           struct config_files *files, FILE *errors) {
  const locale_t before = numbers_begin();
  struct dp_draft draft = {0};
  struct check check = {.errors = &loading->errors, .dp = &draft};

  memset(out, 0, sizeof *out);
  loading->schema = dp_schema();
  loading->is_dp = 1;
  if (loading_read(loading, &draft) == STATUS_OK) {
    check.root = loading->tree.root;
    dp_check(&check);
  }
  if (loading->errors.count == 0) {
    *out = draft.out;
    dp_resolve(&check, out);
    out->hash = loading_hash(loading, 0);
    if (text) { // the caller owns it now
      *text = loading->text;
      loading->text = NULL;
    }
    if (files) {
      *files = loading->beside.files; // likewise
      loading->beside.files.count = 0;
    }
  }
  enum status status = loading_finish(loading, errors);
  numbers_end(before);
  return status;
}

enum status dp_config_load(const char *path, const char *const *overrides, int override_count,
                           struct dp_config *out, FILE *errors) {
  struct loading loading = {.path = path, .overrides = overrides, .override_count = override_count};
  return load_dp(&loading, out, NULL, NULL, errors);
}

enum status dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                                  struct dp_config *out, char **text, struct config_files *files,
                                  FILE *errors) {
  struct loading loading = {
      .path = path, .overrides = overrides, .override_count = override_count, .is_beside = 1};

  if (text)
    *text = NULL;
  if (files)
    files->count = 0;
  return load_dp(&loading, out, text, files, errors);
}

static enum status write_schema(struct schema schema, FILE *out, struct reason *why) {
  const locale_t before = numbers_begin();
  const enum status status = schema_write_json(&schema, out, why);
  schema_free(&schema);
  numbers_end(before);
  return status;
}

enum status config_write_schema(FILE *out, struct reason *why) {
  return write_schema(config_schema(), out, why);
}

enum status dp_config_write_schema(FILE *out, struct reason *why) {
  return write_schema(dp_schema(), out, why);
}
