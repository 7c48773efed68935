// Reads a case or a DP file: text, what it extends, overrides, schema, draft, checks.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/hydro/hydro.h"
#include "sagbend/model/model.h"

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

static struct position loading_start(const struct loading *loading);

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

static void config_check(const struct check *c, const struct config_sections *more);

static void config_resolve(const struct check *c, const struct config_sections *more, struct config *out);

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

static void dp_check(const struct check *c);

static void dp_resolve(const struct check *c, struct dp_config *out);

static void fill_dp(struct loading *loading, struct dp_config *out, char **text, struct config_files *files) {
  struct dp_draft draft = {0};
  struct check check = {.errors = &loading->errors, .dp = &draft};
  if (loading_read(loading, &draft) == STATUS_OK) {
    check.root = loading->tree.root;
    dp_check(&check);
    config_take_path(loading, "pair.key", 0, draft.out.pair_key);
    config_take_path(loading, "pair.other_key", 0, draft.out.pair_other_key);
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

// ------------------------------------------------------------
// The sections in order: of the checks, of the JSON Schema and of the resolving step, in which a section may
// use what the sections before it have resolved.

static const struct config_section *const SECTIONS[] = {
    &SIMULATION_SECTION,     &VALIDITY_SECTION,    &GROUND_SECTION,     &CURRENT_SECTION,
    &SOIL_SECTION,           &FATIGUE_SECTION,     &WEATHER_SECTION,    &LOADS_SECTION,
    &REFERENCES_SECTION,     &INSTRUMENTS_SECTION, &VESSEL_SECTION,     &VESSEL_HULL_SECTION,
    &VESSEL_WEATHER_SECTION, &POWER_SECTION,       &THRUSTERS_SECTION,  &CAPABILITY_SECTION,
    &PIPE_SECTION,           &CODE_CHECK_SECTION,  &PIPE_YIELD_SECTION, &PIPE_ENDS_SECTION,
    &TALLY_SECTION,          &PAYOUT_SECTION,      &TENSIONER_SECTION,  &OPERATIONS_SECTION,
    &RETIRE_SECTION,         &STINGER_SECTION,     &STATICS_SECTION,    &PIPE_WIRE_SECTION,
    &EVENTS_SECTION,         &VERDICTS_SECTION,    &CONTROLLER_SECTION, &NETWORK_SECTION,
    &VIEW_SECTION,
};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

// Keys of a case that no step depends on, and that programs read by sections of their own: sockets, buses,
// logs. Who registers none (struct config_sections) may be given a case that has them.
static const struct key_def KEYS_OF_PROGRAMS[] = {
    {"network.command_endpoint", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.telemetry_endpoint", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.command_endpoint_b", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.telemetry_endpoint_b", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.server_key", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.admitted_keys", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"network.withhold_truth", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"log", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"nmea", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
    {"modbus", AS_ANY, .outside_model = 1, .optional = 1, .doc = "Of a session."},
};
static const struct key_rows ROWS_OF_PROGRAMS = KEY_ROWS(KEYS_OF_PROGRAMS);
static const struct key_group GROUP_OF_PROGRAMS = {.rows = &ROWS_OF_PROGRAMS, .prefix = ""};

static const struct dp_section *const DP_SECTIONS[] = {&DP_CONTROL_SECTION,    &DP_ROUTE_SECTION,
                                                       &DP_NAVIGATION_SECTION, &DP_TELEGRAMS_SECTION,
                                                       &DP_ALLOCATION_SECTION, &DP_CONSEQUENCE_SECTION};
enum { DP_SECTION_COUNT = sizeof DP_SECTIONS / sizeof *DP_SECTIONS };

static void add_groups(struct schema *schema, const struct key_group *groups, int count) {
  for (int i = 0; i < count && schema->title; i++)
    if (schema_add(schema, &groups[i]) != STATUS_OK)
      schema_free(schema);
}

struct schema config_schema(const struct config_sections *more) {
  struct schema schema = {.title = "Sagbend configuration", .keys_were = FORMER_CASE_KEY};
  for (int i = 0; i < SECTION_COUNT; i++)
    add_groups(&schema, SECTIONS[i]->groups, SECTIONS[i]->group_count);
  for (int i = 0; more && i < more->count; i++)
    add_groups(&schema, more->section[i]->groups, more->section[i]->group_count);
  if (!more)
    add_groups(&schema, &GROUP_OF_PROGRAMS, 1);
  return schema;
}

struct schema dp_schema(void) {
  struct schema schema = {.title = "Sagbend DP controller", .keys_were = FORMER_DP_KEY};
  for (int i = 0; i < DP_SECTION_COUNT; i++)
    add_groups(&schema, DP_SECTIONS[i]->groups, DP_SECTIONS[i]->group_count);
  return schema;
}

static void config_check(const struct check *c, const struct config_sections *more) {
  for (int i = 0; i < SECTION_COUNT; i++)
    if (SECTIONS[i]->check)
      SECTIONS[i]->check(c);
  for (int i = 0; more && i < more->count; i++)
    if (more->section[i]->check)
      more->section[i]->check(c);
}

// All checks between keys; then, if there was no error, everything to resolve.
static void config_resolve(const struct check *c, const struct config_sections *more, struct config *out) {
  for (int i = 0; i < SECTION_COUNT; i++)
    if (SECTIONS[i]->resolve)
      SECTIONS[i]->resolve(c, out);
  for (int i = 0; more && i < more->count; i++)
    if (more->section[i]->resolve)
      more->section[i]->resolve(c, out);
  const struct vessel_def *vessel = &out->sim.vessel;
  graded_mesh(&out->sim.pipe, &out->sim.env, &out->sim.statics,
              vessel->position_n_m[2] + vessel->hangoff_b_m[2]);
  config_resolve_wires(c, out);
  config_scale_event_times(out); // of the resolved loads, events and verdicts
}

static void dp_check(const struct check *c) {
  for (int i = 0; i < DP_SECTION_COUNT; i++)
    if (DP_SECTIONS[i]->check)
      DP_SECTIONS[i]->check(c);
}

static void dp_resolve(const struct check *c, struct dp_config *out) {
  for (int i = 0; i < DP_SECTION_COUNT; i++)
    if (DP_SECTIONS[i]->resolve)
      DP_SECTIONS[i]->resolve(c, out);
}

static int has_bore(const struct pipe_def *pipe) {
  int found = pipe->line.inner_diameter_m > 0;
  for (int k = 0; k < pipe->type_count; k++)
    found |= pipe->types[k].inner_diameter_m > 0;
  return found && pipe->elements > 0;
}

void config_hil_names(const struct config *c, struct hil_names *names) {
  struct instruments_def resolved = c->suite.instruments; // a draft is not
  const struct instruments_def *all = &resolved;
  const struct plant_def *plant = &c->sim.vessel.plant;
  char key[64];

  instruments_resolve(&resolved, key, NULL);
  memset(names, 0, sizeof *names);
  names->instrument_count = all->count;
  for (int i = 0; i < all->count; i++) {
    memcpy(names->instrument[i], all->instrument[i].name, sizeof names->instrument[i]);
    names->instrument_kind[i] = all->instrument[i].kind;
    names->other_targets[i] = all->instrument[i].reference.target_count - 1;
  }

  names->common_count = all->common_count;
  for (int i = 0; i < all->common_count; i++) {
    memcpy(names->common[i], all->common[i].name, SIGNAL_NAME);
    names->common_channels[i] = all->common[i].channels;
  }

  names->thruster_count = plant->thruster_count;
  for (int i = 0; i < plant->thruster_count; i++) {
    memcpy(names->thruster[i], plant->thruster[i].name, SIGNAL_NAME);
    names->full_rpm[i] = plant->thruster[i].revolutions_max_rpm;
    names->thruster_kind[i] = plant->thruster[i].kind;
  }

  names->has_tensioner = c->sim.pipe.tensioner.order_count > 0;
  names->has_bore = has_bore(&c->sim.pipe);
  names->has_fixed_setpoint = c->sim.controller == CONTROLLER_CONTINUOUS;
  names->bus_count = plant->bus_count;
  for (int i = 0; i < plant->bus_count; i++)
    memcpy(names->bus[i], plant->bus[i].name, SIGNAL_NAME);
  names->has_power_plant = power_is_present(&plant->power);
  names->generator_count = plant->power.generator_count;
  for (int i = 0; i < plant->power.generator_count; i++)
    memcpy(names->generator[i], plant->power.generator[i].name, SIGNAL_NAME);
  names->controller_count = c->scenario.controllers.count;
  names->has_backup = controllers_backup(&c->scenario.controllers) != 0;
  for (int i = 0; i < names->controller_count && i < MAX_CONTROLLERS; i++)
    memcpy(names->controller[i], c->scenario.controllers.item[i].name, SIGNAL_NAME);
  names->tie_count = plant->power.tie_count;
  for (int i = 0; i < plant->power.tie_count; i++)
    memcpy(names->tie[i], plant->power.tie[i].name, SIGNAL_NAME);
}

// ------------------------------------------------------------
enum { DEEPEST_EXTENDS = 8 };

// Position at the start of the main file.
static struct position loading_start(const struct loading *loading) {
  return (struct position){&loading->file, 1, 1};
}

static struct node *parse(struct loading *loading, const struct source *source, const char *text, size_t size,
                          int depth);

// The tree of the file that the node extends names; NULL after an error.
static struct node *parse_extended(struct loading *loading, const struct node *extends, int depth) {
  if (depth == DEEPEST_EXTENDS) {
    error_add(
        &loading->errors, extends->at,
        "extends: at most %d files that extend one another expected, got more (does one extend itself?)",
        DEEPEST_EXTENDS);
    return NULL;
  }

  const struct source *source;
  const struct config_file *file = config_files_take(&loading->beside, extends->at, extends->text,
                                                     LARGEST_CONFIG, &source, &loading->errors);
  struct node *root = file ? parse(loading, source, file->text, file->size, depth + 1) : NULL;
  if (root && root->kind != NODE_MAP)
    error_add(&loading->errors, root->at, "sections of key: value lines expected, got %s",
              node_found(root).text);
  return root && root->kind == NODE_MAP ? root : NULL;
}

// The text as a tree, laid over the one that it extends.
static struct node *parse(struct loading *loading, const struct source *source, const char *text, size_t size,
                          int depth) {
  int errors_before = loading->errors.count;
  struct node *root = tree_parse(&loading->tree, source, text, size, &loading->errors);

  if (!root && loading->errors.count == errors_before)
    error_add(&loading->errors, (struct position){source, 1, 1},
              "sections of key: value lines expected, got nothing");

  const struct node *extends = root ? tree_child(root, "extends") : NULL;
  if (!extends || extends->bad || extends->kind != NODE_SCALAR || !*extends->text || node_is_null(extends))
    return root; // none, or one that the schema refuses

  struct node *base = parse_extended(loading, extends, depth);
  if (!base)
    return NULL;
  tree_merge(base, root);
  base->at = root->at;
  base->key_at = root->key_at;
  return base;
}

static void override_all(struct loading *loading) {
  for (int i = 0; i < loading->override_count; i++) {
    struct source *source = &loading->override_sources[i];
    const char *override = loading->overrides[i];

    *source = (struct source){.name = "--set",
                              .order = i + 1,
                              .override = override,
                              .place = loading->override_places ? loading->override_places[i] : NULL};
    if (strncmp(override, "extends=", 8) == 0) {
      error_add(&loading->errors, (struct position){source, 1, 1}, "extends is not allowed in an override");
    } else {
      tree_override(&loading->tree, source, override, &loading->errors);
    }
  }
}

static int is_top_key(const struct schema *schema, const char *key) {
  int index = -1;
  for (const struct key_def *row; (row = schema_next_below(schema, "", &index));)
    if (!strcmp(row->path, key))
      return 1;
  return 0;
}

// Whether the file is of the other kind: it has a key that only that kind has, and none that only this one
// has. Then there is one error, in place of one for each key.
static int is_of_other_kind(struct loading *loading) {
  const char *found = NULL;
  struct position at = {0};
  const struct node *root = loading->tree.root;
  for (const struct node *n = root->kind == NODE_MAP ? root->first : NULL; n && !found; n = n->next)
    if (n->key && !is_top_key(&loading->schema, n->key))
      found = n->key, at = n->key_at;
  if (!found)
    return 0;
  struct schema other = loading->is_dp ? config_schema(NULL) : dp_schema();
  int theirs = 0, ours = 0;
  for (const struct node *n = root->first; n && other.keys; n = n->next) {
    int is_ours = is_top_key(&loading->schema, n->key), is_theirs = is_top_key(&other, n->key);
    if (is_theirs && !is_ours && !theirs++)
      found = n->key, at = n->key_at;
    ours += is_ours && !is_theirs;
  }
  schema_free(&other);
  if (!theirs || ours)
    return 0;
  error_add(
      &loading->errors, at,
      loading->is_dp
          ? "a DP file expected, got a case (it has %s): 'sagbend run' runs it, 'sagbend check' checks it"
          : "a case expected, got a DP file (it has %s): name it in controller.dp_file of a case, or give it "
            "to "
            "sagbend-dp; 'sagbend check --dp' checks it",
      found);
  return 1;
}

// Text -> tree, without the overrides.
static enum status take_tree(struct loading *loading) {
  loading->file = (struct source){.name = loading->path};
  loading->beside.main_path = loading->path;
  loading->override_sources = calloc((size_t)(loading->override_count > 0 ? loading->override_count : 1),
                                     sizeof *loading->override_sources);
  if (!loading->override_sources) {
    error_add(&loading->errors, loading_start(loading), "out of memory");
    return STATUS_NO_MEMORY;
  }

  if (!loading->from_memory)
    loading->text =
        config_files_read(loading->path, LARGEST_CONFIG, &loading->text_size, loading_start(loading),
                          loading->is_beside ? &loading->file : NULL, &loading->errors);
  if (!loading->text)
    return STATUS_BAD_INPUT;
  loading->tree.root = parse(loading, &loading->file, loading->text, loading->text_size, 0);
  return loading->tree.root ? STATUS_OK : STATUS_BAD_INPUT;
}

enum status loading_parse(struct loading *loading) {
  enum status status = take_tree(loading);
  if (status == STATUS_OK)
    override_all(loading);
  return status;
}

enum status loading_read(struct loading *loading, void *record) {
  enum status status = take_tree(loading);
  if (status != STATUS_OK)
    return status;
  if (!loading->schema.keys) {
    error_add(&loading->errors, loading_start(loading), "out of memory");
    return STATUS_NO_MEMORY;
  }
  if (is_of_other_kind(loading))
    return STATUS_BAD_INPUT;
  override_all(loading);
  loading->schema.has_former_names = loading->beside.files.has_former_names;
  schema_read(&loading->schema, loading->tree.root, record, &loading->errors);
  return loading->tree.root->kind == NODE_MAP ? STATUS_OK : STATUS_BAD_INPUT;
}

enum status loading_finish(struct loading *loading, const struct error_sink *errors) {
  enum status status = loading->errors.count > 0 ? STATUS_BAD_INPUT : STATUS_OK;

  error_deliver(&loading->errors, errors);
  error_list_free(&loading->errors);
  tree_free(&loading->tree);
  schema_free(&loading->schema);
  for (int i = 0; i < MAX_CONFIG_FILES; i++)
    free((char *)loading->beside.sources[i].name);
  config_files_free(&loading->beside.files);
  free(loading->override_sources);
  free(loading->text);
  return status;
}
