// Nodes of a plan -> overrides and keys.
#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/plan_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void plan_out_of_memory(const struct plan_reading *r) {
  error_add(r->errors, r->root->at, "out of memory");
}

const struct node *plan_given(const struct plan_reading *r, const struct node *section, const char *key) {
  const struct node *node = tree_child(section ? section : r->root, key);
  return node && !node->bad && !node_is_null(node) ? node : NULL;
}

void plan_refuse(const struct plan_reading *r, const struct node *node, const char *expected, ...) {
  char text[512];
  va_list args;
  va_start(args, expected);
  vsnprintf(text, sizeof text, expected, args);
  va_end(args);
  error_add(r->errors, node->at, "%s: %s expected, got %s", node_path(node).text, text,
            node_found(node).text);
}

char *plan_place(const struct plan_reading *r, const struct node *node) {
  size_t bytes = strlen(r->path) + 32;
  char *place = malloc(bytes);
  if (place)
    snprintf(place, bytes, "%s:%d:%d", r->path, node->at.line, node->at.column);
  return place;
}

static char *join(const char *left, const char *between, const char *right) {
  size_t bytes = strlen(left) + strlen(between) + strlen(right) + 1;
  char *text = malloc(bytes);
  if (text)
    snprintf(text, bytes, "%s%s%s", left, between, right);
  return text;
}

void plan_set_text(const struct plan_reading *r, struct plan_settings *out, const char *key, const char *text,
                   const struct node *at) {
  char *setting = join(key, "=", text), *place = plan_place(r, at);
  if (!setting || !place || !plan_settings_add(out, setting, place))
    plan_out_of_memory(r);
  free(setting);
  free(place);
}

enum status plan_override(struct plan *plan, const char *const *overrides, int count, struct reason *why) {
  if (plan->setting_count + count > PLAN_MAX_SETTINGS)
    return fail(why, STATUS_BAD_INPUT, "at most %d overrides of a point expected, got %d", PLAN_MAX_SETTINGS,
                plan->setting_count + count);
  plan->setting_count += count;
  for (int i = 0; i < count; i++)
    if (!plan_settings_add(&plan->set, overrides[i], "--set"))
      return fail(why, STATUS_NO_MEMORY, "out of memory for the overrides");
  return STATUS_OK;
}

static int is_key(const char *key) {
  for (const char *c = key; *c; c++)
    if ((unsigned char)*c <= 0x20 || *c == '=' || *c == 0x7f)
      return 0;
  return *key != '\0';
}

void plan_set(const struct plan_reading *r, struct plan_settings *out, const char *key,
              const struct node *value) {
  if (!is_key(key)) {
    error_add(r->errors, value->key_at, "%s: a key of the configuration expected, such as a.b, got %s",
              node_path(value).text, quote(key).text);
  } else if (value->kind == NODE_MAP && value->first) {
    for (const struct node *child = value->first; child; child = child->next) {
      char *path = join(key, ".", child->key);
      if (path)
        plan_set(r, out, path, child);
      else
        plan_out_of_memory(r);
      free(path);
    }
  } else {
    char *text = node_flow_text(value);
    if (text)
      plan_set_text(r, out, key, text, value);
    else
      plan_out_of_memory(r);
    free(text);
  }
}

static int take_key(const struct plan_reading *r, const struct node *node, char **out) {
  if (node->kind != NODE_SCALAR || !is_key(node->text) || strlen(node->text) >= PLAN_NAME) {
    plan_refuse(r, node, "a key of the configuration, such as environment.wind.speed_mps,");
    return 0;
  }
  *out = strdup(node->text);
  if (!*out)
    plan_out_of_memory(r);
  return *out != NULL;
}

int plan_take_keys(const struct plan_reading *r, const struct node *entry, char *out[PLAN_MAX_KEYS]) {
  const struct node *key = plan_given(r, entry, "key"), *keys = plan_given(r, entry, "keys"),
                    *limit = plan_given(r, entry, "limit");
  if (!key + !keys + !limit != 2) {
    error_add(r->errors, entry->at, "%s: one of key, keys and limit expected, got %s", node_path(entry).text,
              key || keys || limit ? "several" : "none");
    return 0;
  }
  if (limit)
    *(limit->kind == NODE_SCALAR ? &key : &keys) = limit;
  if (key)
    return take_key(r, key, &out[0]);
  if (keys->kind != NODE_LIST || keys->count < 1 || keys->count > PLAN_MAX_KEYS) {
    plan_refuse(r, keys, "a list of 1 to %d keys", PLAN_MAX_KEYS);
    return 0;
  }
  int taken = 0;
  for (const struct node *child = keys->first; child; child = child->next)
    if (take_key(r, child, &out[taken])) {
      taken++;
    } else {
      while (taken > 0)
        free(out[--taken]);
      return 0;
    }
  return taken;
}
