#include "sagbend/case/config.h"
#include "sagbend/hydro/hydro_tables.h"
#include "sagbend/case/config_loading.h"
#include "sagbend/case/config_sections.h"

#include "sagbend/base/fnv.h"

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

// What the sections of the program have filled, as far as the definition keeps it.
static void keep_more(struct loading *loading, const struct check *check, struct config *out) {
  const struct config_sections *more = loading->more;
  if (!more || !more->record_bytes)
    return;
  out->more = malloc(more->record_bytes);
  if (out->more)
    memcpy(out->more, check->more, more->record_bytes);
  else
    error_add(&loading->errors, loading_start(loading), "out of memory");
}

// Text -> draft -> checks -> definition.
static void fill(struct loading *loading, struct config_draft *draft, struct config *out) {
  const struct config_sections *more = loading->more;
  struct check check = {
      .errors = &loading->errors, .draft = draft, .more = more ? (char *)draft + MORE_DRAFT : NULL};

  if (loading_read(loading, draft) == STATUS_OK) {
    check.root = loading->tree.root;
    take_earlier_defaults(&check, draft, DEFAULTS_GENERATION - loading->beside.files.defaults_behind);
    config_check(&check, more);
    *out = draft->out;
    keep_more(loading, &check, out);
    config_take_references(loading, out);
  }
  if (loading->errors.count == 0)
    config_resolve(&check, more, out);
  if (loading->errors.count == 0)
    config_check_integrator(&check, out);
  if (loading->errors.count == 0 && make_record(out, loading) != STATUS_OK)
    error_add(&loading->errors, loading_start(loading), "out of memory");
}

static enum status load(struct loading *loading, struct config *out, const struct error_sink *errors) {
  struct config_draft *draft = calloc(1, MORE_DRAFT + (loading->more ? loading->more->draft_bytes : 0));

  memset(out, 0, sizeof *out);
  loading->file = (struct source){.name = loading->path}; // errors name it, also before it is read
  loading->schema = config_schema(loading->more);
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

// Copies the text of a request, and the files to which it refers.
static enum status take_text(const struct config_request *request, struct loading *loading) {
  loading->from_memory = 1;
  loading->beside.from_record = !request->pool;
  loading->beside.pool = request->pool;
  loading->beside.pool_path = request->pool_path;
  if (request->text_size > LARGEST_CONFIG)
    return STATUS_BAD_INPUT;
  loading->text = malloc(request->text_size + 1);
  loading->text_size = request->text_size;
  if (!loading->text || config_files_copy(request->files, &loading->beside.files) != STATUS_OK)
    return STATUS_NO_MEMORY;
  memcpy(loading->text, request->text, request->text_size);
  loading->text[request->text_size] = '\0';
  return STATUS_OK;
}

static enum status begin(const struct config_request *request, struct loading *loading,
                         const struct error_sink *errors) {
  *loading = (struct loading){.path = request->path,
                              .overrides = request->overrides,
                              .override_places = request->override_places,
                              .override_count = request->override_count,
                              .more = request->more};
  if (!request->text || take_text(request, loading) == STATUS_OK)
    return STATUS_OK;
  char place[600];
  snprintf(place, sizeof place, "%s:1:1", request->path);
  error_pass(errors, place, "a text of at most %d bytes and memory for it expected, got %zu bytes",
             LARGEST_CONFIG, request->text_size);
  free(loading->text);
  config_files_free(&loading->beside.files);
  return STATUS_BAD_INPUT;
}

enum status config_read(const struct config_request *request, struct config *out,
                        const struct error_sink *errors) {
  struct loading loading;
  memset(out, 0, sizeof *out);
  if (begin(request, &loading, errors) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const locale_t before = numbers_begin();
  enum status status = load(&loading, out, errors);
  numbers_end(before);
  return status;
}

void config_free(struct config *config) {
  free(config->bathymetry_z_m);
  config->bathymetry_z_m = NULL;
  if (config->hydro)
    hydro_data_free(config->hydro);
  free(config->hydro);
  config->hydro = NULL;
  free(config->more);
  config->more = NULL;
  free(config->text);
  config->text = NULL;
  config->text_size = 0;
  config_files_free(&config->files);
}

static void fill_dp(struct loading *loading, struct dp_config *out, char **text, struct config_files *files) {
  struct dp_draft draft = {0};
  struct check check = {.errors = &loading->errors, .dp = &draft};
  if (loading_read(loading, &draft) == STATUS_OK) {
    check.root = loading->tree.root;
    dp_check(&check);
  }
  if (loading->errors.count)
    return;
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

enum status dp_config_read(const struct config_request *request, int is_beside, struct dp_config *out,
                           char **text, struct config_files *files, const struct error_sink *errors) {
  struct loading loading;
  memset(out, 0, sizeof *out);
  if (text)
    *text = NULL;
  if (files)
    files->count = 0;
  if (begin(request, &loading, errors) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const locale_t before = numbers_begin();
  loading.is_beside = is_beside;
  loading.is_dp = 1;
  loading.schema = dp_schema();
  fill_dp(&loading, out, text, files);
  enum status status = loading_finish(&loading, errors);
  numbers_end(before);
  return status;
}
