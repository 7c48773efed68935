// The file of a plan -> struct plan.
#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/plan_parts.h"

#include "sagbend/base/regular_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_PLAN = 1 << 20 };

void plan_read_settings(const struct plan_reading *r, const struct node *set, struct plan_settings *out) {
  if (set && set->kind != NODE_MAP)
    plan_refuse(r, set, "a section of key: value lines");
  for (const struct node *child = set && set->kind == NODE_MAP ? set->first : NULL; child;
       child = child->next)
    plan_set(r, out, child->key, child);
}

static void count_points(const struct plan_reading *r) {
  struct plan *plan = r->plan;
  double count = plan->draws;
  int settings = plan->set.count;
  for (int i = 0; i < plan->axis_count; i++) {
    int most = 0;
    count *= plan->axis[i].level_count;
    for (int k = 0; k < plan->axis[i].level_count; k++)
      if (plan->axis[i].level[k].settings.count > most)
        most = plan->axis[i].level[k].settings.count;
    settings += most;
  }
  for (int i = 0; i < plan->random_count; i++)
    settings += plan->random[i].key_count;

  const struct node *vary = tree_child(r->root, "vary");
  struct position at = vary ? vary->key_at : r->root->at;
  if (count > PLAN_MAX_POINTS)
    error_add(r->errors, at, "at most %d points expected, got %.0f: the product of all axes and draws",
              PLAN_MAX_POINTS, count);
  if (settings > PLAN_MAX_SETTINGS)
    error_add(r->errors, at, "at most %d overrides of a point expected, got %d", PLAN_MAX_SETTINGS, settings);
  plan->setting_count = settings;
  plan->point_count = count > PLAN_MAX_POINTS ? 0 : (int)count;
}

static void check_columns(const struct plan_reading *r) {
  int count = plan_column_count(r->plan);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++)
      if (!strcmp(plan_column(r->plan, i), plan_column(r->plan, k))) {
        error_add(r->errors, tree_child(r->root, "vary") ? tree_child(r->root, "vary")->key_at : r->root->at,
                  "two columns have the name %s: give one of them another name",
                  quote(plan_column(r->plan, i)).text);
        return;
      }
}

static char *base_path(const char *plan_path, const char *base) {
  const char *slash = strrchr(plan_path, '/');
  if (*base == '/' || !slash)
    return strdup(base);
  size_t bytes = (size_t)(slash - plan_path) + strlen(base) + 2;
  char *path = malloc(bytes);
  if (path)
    snprintf(path, bytes, "%.*s/%s", (int)(slash - plan_path), plan_path, base);
  return path;
}

char *plan_find_base(const struct plan_reading *r, const char *text) {
  const struct node *base = plan_given(r, NULL, "base");
  char *path = base_path(r->path, text);
  if (!path)
    plan_out_of_memory(r);
  else if (base && access(path, R_OK) != 0)
    error_add(r->errors, base->at, "base: a readable file expected, got %s: %s", quote(base->text).text,
              strerror(errno));
  return path;
}

static char *read_text(const char *path, size_t *size, struct reason *why) {
  struct regular_file file;
  char *text = NULL;
  if (regular_file_open(path, LARGEST_PLAN, &file, why) != STATUS_OK)
    return NULL;
  text = malloc(file.size + 1);
  ssize_t got = 0;
  *size = 0;
  while (text && *size < file.size && (got = read(file.descriptor, text + *size, file.size - *size)) > 0)
    *size += (size_t)got;
  close(file.descriptor);
  if (text)
    text[*size] = '\0';
  else
    fail(why, STATUS_NO_MEMORY, "out of memory");
  return text;
}

static void read_tree(struct plan_reading *r, struct plan_draft *draft, struct node *root) {
  struct schema schema;
  struct error_list *errors = r->errors;
  if (plan_schema(&schema) == STATUS_OK)
    schema_read(&schema, root, draft, errors);
  else
    error_add(errors, root->at, "out of memory");
  schema_free(&schema);
  if (root->kind != NODE_MAP)
    return;

  struct plan *plan = r->plan;
  int random_count = draft->plan.random_count;
  draft->plan.random_count = 0;
  char *path = plan->path;
  *plan = draft->plan;
  plan->path = path;
  plan->random_count = 0;
  draft->plan.random_count = random_count;
  r->draft = draft;
  r->root = root;
  plan->base_path = plan_find_base(r, plan->base);
  plan_read_settings(r, plan_given(r, NULL, "set"), &plan->set);
  plan_read_axes(r);
  plan_read_random(r);
  plan_read_outputs(r);
  if (errors->count == 0) {
    check_columns(r);
    count_points(r);
  }
}

int plan_parse(const struct plan_reading *r, const struct source *source, struct tree *tree) {
  struct reason why = {""};
  size_t size = 0;
  struct position start = {source, 1, 1};
  char *text = read_text(r->path, &size, &why);
  if (!text) {
    error_add(r->errors, start, "%s", why.text);
    return 0;
  }
  tree->root = tree_parse(tree, source, text, size, r->errors);
  if (!tree->root && r->errors->count == 0)
    error_add(r->errors, start, "sections of key: value lines expected, got nothing");
  free(text);
  return tree->root != NULL;
}

enum status plan_read(const char *path, struct plan *out, FILE *errors) {
  struct error_list list = {0};
  struct source source = {.name = path};
  struct plan_draft *draft = calloc(1, sizeof *draft);
  *out = (struct plan){.path = strdup(path)};
  struct plan_reading reading = {.plan = out, .path = path, .errors = &list};
  struct tree tree = {0};
  if (!draft || !out->path)
    error_add(&list, (struct position){&source, 1, 1}, "out of memory");
  else if (plan_parse(&reading, &source, &tree))
    read_tree(&reading, draft, tree.root);
  tree_free(&tree);
  const struct error_sink sink = error_to(errors);
  error_deliver(&list, &sink);
  enum status status = list.count ? STATUS_BAD_INPUT : STATUS_OK;
  error_list_free(&list);
  free(draft);
  return status;
}
