#include "io/config/config.h"
#include "io/config/bathymetry.h"
#include "io/config/config_draft.h"
#include "io/files/regular_file.h"
#include "io/net/endpoint.h"

#include "core/base/fnv.h"
#include "core/base/number_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 1 << 20, DEEPEST_EXTENDS = 8 };

// One loading, shared by both kinds of file.
struct loading {
  int from_memory; // text is there already
  int is_beside;   // a configuration names the file
  struct tree tree;
  struct source file;
  struct source *overrides;
  struct error_list errors;
  char *text;
  size_t text_size;
  struct file_reader beside; // files that the text refers to
};

// The text as a tree, laid over the one that it extends.
static struct node *parse(struct loading *r, const struct source *source, const char *text, size_t size,
                          int depth) {
  int errors_before = r->errors.count;
  struct node *root = tree_parse(&r->tree, source, text, size, &r->errors);
  if (!root && r->errors.count == errors_before)
    error_add(&r->errors, (struct position){source, 1, 1},
              "sections of key: value lines expected, got nothing");
  const struct node *extends = root && root->kind == NODE_MAP ? tree_child(root, "extends") : NULL;
  if (!extends || extends->bad || extends->kind != NODE_SCALAR || !*extends->text || node_is_null(extends))
    return root; // none, or what the schema refuses
  if (depth == DEEPEST_EXTENDS) {
    error_add(&r->errors, extends->at,
              "extends: at most %d files one upon another expected; does one extend itself?",
              DEEPEST_EXTENDS);
    return NULL;
  }
  const struct source *below;
  const struct config_file *file =
      config_files_take(&r->beside, extends->at, extends->text, LARGEST_FILE, &below, &r->errors);
  struct node *base = file ? parse(r, below, file->text, file->size, depth + 1) : NULL;
  if (base && base->kind != NODE_MAP)
    error_add(&r->errors, base->at, "sections of key: value lines expected, got %s", node_kind_name(base));
  if (!base || base->kind != NODE_MAP)
    return NULL;
  tree_merge(base, root);
  base->at = root->at;
  base->key_at = root->key_at;
  return base;
}

static void override_all(struct loading *r, const char *const *overrides, int count) {
  for (int i = 0; i < count; i++) {
    r->overrides[i] = (struct source){.name = "--set", .order = i + 1, .override = overrides[i]};
    if (strncmp(overrides[i], "extends=", 8) == 0)
      error_add(&r->errors, (struct position){&r->overrides[i], 1, 1}, "extends: only expected in a file");
    else
      tree_override(&r->tree, &r->overrides[i], overrides[i], &r->errors);
  }
}

// Files and overrides -> record. The tree stays for the checks. 0: there is nothing to check.
static int read_all(struct loading *r, const char *path, const char *const *overrides, int override_count,
                    const struct schema *schema, void *record) {
  r->file = (struct source){.name = path};
  r->beside.main_path = path;
  r->overrides = calloc((size_t)(override_count > 0 ? override_count : 1), sizeof *r->overrides);
  if (r->overrides && !r->from_memory)
    r->text = config_files_read(path, LARGEST_FILE, &r->text_size, (struct position){&r->file, 1, 1},
                                r->is_beside ? &r->file : NULL, &r->errors);
  if (!r->overrides || !r->text)
    return 0;
  r->tree.root = parse(r, &r->file, r->text, r->text_size, 0);
  if (!r->tree.root)
    return 0;
  override_all(r, overrides, override_count);
  schema_read(schema, r->tree.root, record, &r->errors);
  return r->tree.root->kind == NODE_MAP;
}

static int finish(struct loading *r, FILE *errors) {
  int count = r->errors.count;
  if (errors)
    error_print(&r->errors, errors);
  error_list_free(&r->errors);
  tree_free(&r->tree);
  for (int i = 0; i < MAX_CONFIG_FILES; i++)
    free((char *)r->beside.sources[i].name);
  config_files_free(&r->beside.files);
  free(r->overrides);
  free(r->text);
  return count;
}

// Goes on with the files beside; without any the hash stays as it is.
static uint64_t hash_files(uint64_t hash, const struct config_files *files) {
  for (int i = 0; i < files->count; i++) { // with the final zeros: "ab", "c" is not "a", "bc"
    hash = fnv1a(hash, files->file[i].path, strlen(files->file[i].path) + 1);
    hash = fnv1a(hash, files->file[i].text, files->file[i].size + 1);
  }
  return hash;
}

// Overrides that change no step: how long, where and beside what the steps run.
static int leaves_model_alone(const char *override) {
  static const char *const keys[] = {"simulation.duration_s=",
                                     "simulation.mode=",
                                     "simulation.realtime_priority=",
                                     "simulation.cpu=",
                                     "simulation.lockstep_timeout_s=",
                                     "simulation.lost_time_limit_s=",
                                     "simulation.unsolved_share_max=",
                                     "network.command_endpoint=",
                                     "network.telemetry_endpoint=",
                                     "nmea.",
                                     "log."};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!strncmp(override, keys[i], strlen(keys[i])))
      return 1;
  return 0;
}

static uint64_t hash_of(const struct loading *r, const char *const *overrides, int count, int model_only) {
  size_t size = r->text_size;
  while (size && r->text[size - 1] == '\n') // the record may have added one
    size--;
  uint64_t hash = fnv1a(FNV1A_START, r->text, size);
  for (int i = 0; i < count; i++)
    if (!model_only || !leaves_model_alone(overrides[i]))
      hash = fnv1a(hash, overrides[i], strlen(overrides[i]) + 1);
  return hash_files(hash, &r->beside.files);
}

// The session's record: the file's text, then the overrides as comments.
static int make_record(struct config *c, const struct loading *r, const char *const *overrides,
                       int override_count) {
  size_t size = r->text_size + 2;
  for (int i = 0; i < override_count; i++)
    size += strlen(overrides[i]) + sizeof "# --set \n";
  c->text = malloc(size);
  if (!c->text)
    return 0;
  memcpy(c->text, r->text, r->text_size);
  c->text_size = c->file_text_size = r->text_size;
  if (override_count && c->text_size && c->text[c->text_size - 1] != '\n')
    c->text[c->text_size++] = '\n';
  for (int i = 0; i < override_count; i++)
    c->text_size += (size_t)sprintf(c->text + c->text_size, "# --set %s\n", overrides[i]);
  c->text[c->text_size] = '\0';
  c->hash = hash_files(fnv1a(FNV1A_START, c->text, c->text_size), &r->beside.files);
  c->model_hash = hash_of(r, overrides, override_count, 1);
  return 1;
}

// The DP file's path is relative to the folder of the file that gives it; in an override, to the
// configuration's.
static void resolve_dp_file(struct loading *r, const char *path, struct config *c) {
  const struct node *n = tree_find(r->tree.root, "controller.dp_file");
  if (!n || n->bad || !c->dp_file[0] || r->from_memory)
    return;
  char given[sizeof c->dp_file];
  struct regular_file file = {.descriptor = -1};
  struct reason why = {""};
  strcpy(given, c->dp_file);
  if (n->at.source->path)
    path = n->at.source->name;
  const char *slash = strrchr(path, '/');
  int folder = slash && given[0] != '/' ? (int)(slash - path) + 1 : 0;
  if (folder + strlen(given) >= sizeof c->dp_file)
    error_add(&r->errors, n->at, "controller.dp_file: a path of at most %d bytes expected",
              (int)sizeof c->dp_file - 1);
  else if (snprintf(c->dp_file, sizeof c->dp_file, "%.*s%s", folder, path, given) > 0 &&
           regular_file_open(c->dp_file, LARGEST_FILE, &file, &why) != STATUS_OK)
    error_add(&r->errors, n->at, "controller.dp_file: a readable file expected, got %s: %s",
              quote(c->dp_file).text, why.text);
  else
    close(file.descriptor);
}

// An interface that is not there, or a file in the place of a socket, is known before anything is computed.
static void check_endpoint_here(struct loading *r, const char *key, const char *endpoint) {
  struct reason why;
  const struct node *n = tree_find(r->tree.root, key);
  if (n && !n->bad && !r->from_memory && endpoint_check(endpoint, ENDPOINT_LISTEN, &why) == STATUS_OK &&
      endpoint_check_here(endpoint, &why) != STATUS_OK)
    error_add(&r->errors, n->at, "%s: %s", key, why.text);
}

static void take_bathymetry(struct loading *r, struct config *c) {
  struct bathymetry_def *grid = &c->sim.env.bathymetry;
  const struct node *n = tree_find(r->tree.root, "environment.bathymetry_file"),
                    *depth = tree_find(r->tree.root, "environment.depth_m");
  if (!n || n->bad || !c->bathymetry_file[0])
    return;
  const struct source *source;
  const struct config_file *file =
      config_files_take(&r->beside, n->at, c->bathymetry_file, BATHYMETRY_LARGEST_FILE, &source, &r->errors);
  if (!file || !bathymetry_read(file->text, file->size, source, c->bathymetry_origin_m, grid,
                                &c->bathymetry_z_m, &r->errors))
    return;
  double least = INFINITY, most = -INFINITY;
  for (size_t k = 0; k < (size_t)grid->north_nodes * (size_t)grid->east_nodes; k++) {
    least = fmin(least, grid->z_m[k]);
    most = fmax(most, grid->z_m[k]);
  }
  if (depth && !depth->bad && !(c->sim.env.depth_m >= least && c->sim.env.depth_m <= most))
    error_add(&r->errors, depth->at,
              "environment.depth_m: a level from %g to %g m expected, as the bathymetry's are, got %s", least,
              most, number_text(c->sim.env.depth_m).text);
}

static void scale_profile(struct time_profile *p, double factor) {
  p->start_s *= factor;
  p->stop_s *= factor;
  p->ramp_s *= factor;
  for (int i = 0; i < p->rows; i++)
    p->table[i].time_s *= factor;
}

static void scale_events(struct config *c) {
  double factor = c->run.time_scale_of_events;
  scale_profile(&c->sim.env.current.profile, factor);
  scale_profile(&c->sim.env.wind.profile, factor);
  scale_profile(&c->sim.env.waves.profile, factor);
  for (int i = 0; i < c->sim.env.load_count; i++)
    scale_profile(&c->sim.env.loads[i].profile, factor);
  scale_profile(&c->sim.pipe.end_profile, factor);
  c->sim.pid.start_s *= factor;
  for (int i = 0; i < c->scenario.event_count; i++) {
    c->scenario.event[i].at_s *= factor;
    c->scenario.event[i].duration_s *= factor;
  }
  for (int i = 0; i < c->scenario.verdict_count; i++) {
    c->scenario.verdict[i].from_s *= factor;
    c->scenario.verdict[i].to_s *= factor;
  }
}

static int load(struct loading *r, const char *path, const char *const *overrides, int override_count,
                struct config *out, FILE *errors) {
  struct config_draft *draft = calloc(1, sizeof *draft);
  memset(out, 0, sizeof *out);
  if (!draft) {
    fprintf(errors, "%s:1:1: error: out of memory\n", path);
    free(r->text);
    return 1;
  }
  if (read_all(r, path, overrides, override_count, &config_schema, draft)) {
    config_check(r->tree.root, draft, &r->errors);
    resolve_dp_file(r, path, &draft->out);
    check_endpoint_here(r, "network.command_endpoint", draft->out.net.command_endpoint);
    check_endpoint_here(r, "network.telemetry_endpoint", draft->out.net.telemetry_endpoint);
    take_bathymetry(r, &draft->out);
  }
  struct config *c = &draft->out;
  for (int i = 0; i < c->sim.env.load_count; i++)
    c->sim.env.loads[i] = draft->loads[i].def;
  scale_events(c);
  if (r->errors.count == 0 && !make_record(c, r, overrides, override_count))
    error_add(&r->errors, (struct position){&r->file, 1, 1}, "out of memory");
  if (r->errors.count == 0) {
    *out = *c;
    out->files = r->beside.files; // finish leaves them alone
    r->beside.files.count = 0;
  } else {
    config_free(c);
  }
  free(draft);
  return finish(r, errors);
}

int config_load(const char *path, const char *const *overrides, int override_count, struct config *out,
                FILE *errors) {
  struct loading r = {0};
  return load(&r, path, overrides, override_count, out, errors);
}

static int copy_files(const struct config_files *from, struct config_files *to) {
  for (int i = 0; from && i < from->count; i++) {
    struct config_file *copy = &to->file[i];
    *copy = (struct config_file){.path = strdup(from->file[i].path),
                                 .text = malloc(from->file[i].size + 1),
                                 .size = from->file[i].size};
    to->count++;
    if (!copy->path || !copy->text)
      return 0;
    memcpy(copy->text, from->file[i].text, copy->size);
    copy->text[copy->size] = '\0';
  }
  return 1;
}

int config_load_text(const char *name, const char *text, size_t size, const struct config_files *files,
                     const char *const *overrides, int override_count, struct config *out, FILE *errors) {
  struct loading r = {
      .from_memory = 1, .text = malloc(size + 1), .text_size = size, .beside = {.from_record = 1}};
  if (!r.text || size > LARGEST_FILE || !copy_files(files, &r.beside.files)) {
    fprintf(errors, "%s:1:1: error: a text of at most %d bytes and memory for it expected, got %zu bytes\n",
            name, LARGEST_FILE, size);
    free(r.text);
    config_files_free(&r.beside.files);
    memset(out, 0, sizeof *out);
    return 1;
  }
  memcpy(r.text, text, size);
  r.text[size] = '\0';
  return load(&r, name, overrides, override_count, out, errors);
}

void config_free(struct config *c) {
  free(c->bathymetry_z_m);
  c->bathymetry_z_m = NULL;
  free(c->text);
  c->text = NULL;
  c->text_size = 0;
  config_files_free(&c->files);
}

static int load_dp(struct loading loading, const char *path, const char *const *overrides, int override_count,
                   struct dp_config *out, char **text, FILE *errors) {
  struct loading r = loading;
  struct dp_draft draft = {0};
  memset(out, 0, sizeof *out);
  if (read_all(&r, path, overrides, override_count, &dp_schema, &draft))
    dp_check(r.tree.root, &draft, &r.errors);
  draft.out.def.pid.start_s *= draft.event_time_scale;
  draft.out.def.pid.approach_s *= draft.event_time_scale;
  if (r.errors.count == 0) {
    *out = draft.out;
    out->hash = hash_of(&r, overrides, override_count, 0);
    if (text) { // it passes to the caller
      *text = r.text;
      r.text = NULL;
    }
  }
  return finish(&r, errors);
}

int dp_config_load(const char *path, const char *const *overrides, int override_count, struct dp_config *out,
                   FILE *errors) {
  return load_dp((struct loading){0}, path, overrides, override_count, out, NULL, errors);
}

int dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                          struct dp_config *out, char **text, FILE *errors) {
  if (text)
    *text = NULL;
  return load_dp((struct loading){.is_beside = 1}, path, overrides, override_count, out, text, errors);
}

void config_write_schema(FILE *out) {
  schema_write_json(&config_schema, out);
}

void dp_config_write_schema(FILE *out) {
  schema_write_json(&dp_schema, out);
}
