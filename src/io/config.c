#include "io/config.h"
#include "io/config_draft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 1 << 20 };

// One loading, shared by both kinds of file.
struct loading {
  int from_memory; // text is there already
  struct tree tree;
  struct source file;
  struct source *overrides;
  struct error_list errors;
  char *text;
  size_t text_size;
};

static int read_file(struct loading *r, const char *path) {
  struct position start = {&r->file, 1, 1};
  FILE *file = fopen(path, "rb");
  r->text = malloc(LARGEST_FILE + 1);
  if (!file || !r->text) {
    error_add(&r->errors, start, "a readable file expected: %s", strerror(errno));
  } else {
    errno = 0;
    r->text_size = fread(r->text, 1, LARGEST_FILE + 1, file);
    if (ferror(file))
      error_add(&r->errors, start, "a readable file expected: %s", strerror(errno));
    else if (r->text_size > LARGEST_FILE)
      error_add(&r->errors, start, "a file of at most %d bytes expected", LARGEST_FILE);
  }
  if (file)
    fclose(file);
  return r->errors.count == 0;
}

// File and overrides -> record. The tree stays for the checks. 0: there is nothing to check.
static int read_all(struct loading *r, const char *path, const char *const *overrides, int override_count,
                    const struct schema *schema, void *record) {
  r->file = (struct source){.name = path};
  r->overrides = calloc((size_t)(override_count > 0 ? override_count : 1), sizeof *r->overrides);
  if (!r->overrides || (!r->from_memory && !read_file(r, path)))
    return 0;
  r->tree.root = tree_parse(&r->tree, &r->file, r->text, r->text_size, &r->errors);
  if (!r->tree.root && r->errors.count == 0)
    error_add(&r->errors, (struct position){&r->file, 1, 1},
              "sections of key: value lines expected, got nothing");
  if (!r->tree.root)
    return 0;
  for (int i = 0; i < override_count; i++) {
    r->overrides[i] = (struct source){.name = "--set", .order = i + 1, .override = overrides[i]};
    tree_override(&r->tree, &r->overrides[i], overrides[i], &r->errors);
  }
  schema_read(schema, r->tree.root, record, &r->errors);
  return r->tree.root->kind == NODE_MAP;
}

static int finish(struct loading *r, FILE *errors) {
  int count = r->errors.count;
  if (errors)
    error_print(&r->errors, errors);
  error_list_free(&r->errors);
  tree_free(&r->tree);
  free(r->overrides);
  free(r->text);
  return count;
}

static uint64_t fnv1a(uint64_t hash, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  return hash;
}

static const uint64_t FNV_START = 14695981039346656037u;

// Overrides that change no step: how long, where and beside what the steps run.
static int leaves_model_alone(const char *override) {
  static const char *const keys[] = {"simulation.duration_s=",
                                     "simulation.mode=",
                                     "simulation.realtime_priority=",
                                     "simulation.cpu=",
                                     "network.command_endpoint=",
                                     "network.telemetry_endpoint=",
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
  uint64_t hash = fnv1a(FNV_START, r->text, size);
  for (int i = 0; i < count; i++)
    if (!model_only || !leaves_model_alone(overrides[i]))
      hash = fnv1a(hash, overrides[i],
                   strlen(overrides[i]) + 1); // with its final zero: "ab", "c" is not "a", "bc"
  return hash;
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
  c->hash = fnv1a(FNV_START, c->text, c->text_size);
  c->model_hash = hash_of(r, overrides, override_count, 1);
  return 1;
}

// The DP file's path is given relative to the configuration's folder.
static void resolve_dp_file(struct loading *r, const char *path, struct config *c) {
  const struct node *n = tree_find(r->tree.root, "controller.dp_file");
  if (!n || n->bad || !c->dp_file[0] || r->from_memory)
    return;
  char given[sizeof c->dp_file];
  strcpy(given, c->dp_file);
  const char *slash = strrchr(path, '/');
  int folder = slash && given[0] != '/' ? (int)(slash - path) + 1 : 0;
  if (folder + strlen(given) >= sizeof c->dp_file)
    error_add(&r->errors, n->at, "controller.dp_file: a path of at most %d bytes expected",
              (int)sizeof c->dp_file - 1);
  else if (snprintf(c->dp_file, sizeof c->dp_file, "%.*s%s", folder, path, given) > 0 &&
           access(c->dp_file, R_OK) != 0)
    error_add(&r->errors, n->at, "controller.dp_file: a readable file expected, got %s: %s",
              quote(c->dp_file).text, strerror(errno));
}

static void scale_profile(struct time_profile *p, double factor) {
  p->start_s *= factor;
  p->stop_s *= factor;
  p->ramp_s *= factor;
}

static void scale_events(struct config *c) {
  double factor = c->run.time_scale_of_events;
  scale_profile(&c->sim.env.current.profile, factor);
  for (int i = 0; i < c->sim.env.load_count; i++)
    scale_profile(&c->sim.env.loads[i].profile, factor);
  c->sim.pid.start_s *= factor;
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
  }
  struct config *c = &draft->out;
  for (int i = 0; i < c->sim.env.load_count; i++)
    c->sim.env.loads[i] = draft->loads[i].def;
  scale_events(c);
  if (r->errors.count == 0 && !make_record(c, r, overrides, override_count))
    error_add(&r->errors, (struct position){&r->file, 1, 1}, "out of memory");
  if (r->errors.count == 0)
    *out = *c;
  free(draft);
  return finish(r, errors);
}

int config_load(const char *path, const char *const *overrides, int override_count, struct config *out,
                FILE *errors) {
  struct loading r = {0};
  return load(&r, path, overrides, override_count, out, errors);
}

int config_load_text(const char *name, const char *text, size_t size, const char *const *overrides,
                     int override_count, struct config *out, FILE *errors) {
  struct loading r = {.from_memory = 1, .text = malloc(size + 1), .text_size = size};
  if (!r.text || size > LARGEST_FILE) {
    fprintf(errors, "%s:1:1: error: a text of at most %d bytes and memory for it expected, got %zu bytes\n",
            name, LARGEST_FILE, size);
    free(r.text);
    memset(out, 0, sizeof *out);
    return 1;
  }
  memcpy(r.text, text, size);
  r.text[size] = '\0';
  return load(&r, name, overrides, override_count, out, errors);
}

void config_free(struct config *c) {
  free(c->text);
  c->text = NULL;
  c->text_size = 0;
}

int dp_config_load(const char *path, const char *const *overrides, int override_count, struct dp_config *out,
                   FILE *errors) {
  struct loading r = {0};
  struct dp_draft draft = {0};
  memset(out, 0, sizeof *out);
  if (read_all(&r, path, overrides, override_count, &dp_schema, &draft))
    dp_check(r.tree.root, &draft, &r.errors);
  draft.out.pid.start_s *= draft.event_time_scale;
  draft.out.pid.approach_s *= draft.event_time_scale;
  if (r.errors.count == 0) {
    *out = draft.out;
    out->hash = hash_of(&r, overrides, override_count, 0);
  }
  return finish(&r, errors);
}

void config_write_schema(FILE *out) {
  schema_write_json(&config_schema, out);
}

void dp_config_write_schema(FILE *out) {
  schema_write_json(&dp_schema, out);
}
