// A YAML file of results as OrcaFlex writes it: numbers, words and matrices by their names.
#include "lab/hydro/hydro_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status find_document(struct yaml_data *data, yaml_parser_t *parser, const char *key,
                                 struct reason *why) {
  const char *path = data->file.path;
  for (int i = 0; i < YAML_DATA_DOCUMENTS; i++) {
    if (!yaml_parser_load(parser, &data->document))
      return parser->error == YAML_MEMORY_ERROR
                 ? fail(why, STATUS_NO_MEMORY, "out of memory for %.150s", path)
                 : fail(why, STATUS_BAD_INPUT, "%.100s:%d: YAML expected: %.100s", path,
                        (int)parser->problem_mark.line + 1,
                        parser->problem ? parser->problem : "it cannot be read");
    data->is_loaded = 1;
    data->root = yaml_document_get_root_node(&data->document);
    if (!data->root)
      break;
    if (yaml_data_find(data, data->root, key))
      return STATUS_OK;
    yaml_document_delete(&data->document);
    data->is_loaded = 0;
  }
  return fail(why, STATUS_BAD_INPUT, "%.120s:1: a text data file of OrcaFlex with a key %.40s expected", path,
              key);
}

enum status yaml_data_open(struct yaml_data *data, const char *path, const char *key, struct reason *why) {
  yaml_parser_t parser;
  *data = (struct yaml_data){.is_loaded = 0};
  enum status status = text_file_open(&data->file, path, why);
  if (status != STATUS_OK)
    return status;
  if (!yaml_parser_initialize(&parser))
    return fail(why, STATUS_NO_MEMORY, "out of memory for %.150s", path);
  yaml_parser_set_input_string(&parser, (const unsigned char *)data->file.text, data->file.size);
  status = find_document(data, &parser, key, why);
  yaml_parser_delete(&parser);
  return status;
}

void yaml_data_free(struct yaml_data *data, struct hydro_report *report) {
  if (data->is_loaded)
    yaml_document_delete(&data->document);
  data->is_loaded = 0;
  text_file_close(&data->file, report);
}

enum status yaml_data_fail(const struct yaml_data *data, const yaml_node_t *at, struct reason *why,
                           const char *expected, ...) {
  char text[128], found[40];
  va_list arguments;
  va_start(arguments, expected);
  vsnprintf(text, sizeof text, expected, arguments);
  va_end(arguments);
  const char *value = yaml_data_text(at);
  if (value)
    snprintf(found, sizeof found, "'%.24s'", value);
  else
    snprintf(found, sizeof found, "%s", at->type == YAML_SEQUENCE_NODE ? "a list" : "a section");
  for (char *c = found; *c; c++)
    *c = isprint((unsigned char)*c) ? *c : '?';
  return fail(why, STATUS_BAD_INPUT, "%.80s:%d: %s expected, got %s", data->file.path,
              (int)at->start_mark.line + 1, text, found);
}

static const yaml_node_t *node_of(const struct yaml_data *data, int id) {
  return yaml_document_get_node((yaml_document_t *)&data->document, id);
}

static int is_absent(const yaml_node_t *node) {
  const char *text = yaml_data_text(node);
  return text && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && (!*text || !strcmp(text, "~"));
}

const yaml_node_t *yaml_data_find(const struct yaml_data *data, const yaml_node_t *map, const char *key) {
  if (!map || map->type != YAML_MAPPING_NODE)
    return NULL;
  for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
    const char *name = yaml_data_text(node_of(data, pair->key));
    const yaml_node_t *value = node_of(data, pair->value);
    if (name && strcmp(name, key) == 0)
      return is_absent(value) ? NULL : value;
  }
  return NULL;
}

enum status yaml_data_need(const struct yaml_data *data, const yaml_node_t *map, const char *key,
                           const yaml_node_t **out, struct reason *why) {
  *out = yaml_data_find(data, map, key);
  return *out ? STATUS_OK : yaml_data_fail(data, map, why, "a key %.100s", key);
}

int yaml_data_count(const yaml_node_t *list) {
  return list && list->type == YAML_SEQUENCE_NODE
             ? (int)(list->data.sequence.items.top - list->data.sequence.items.start)
             : 0;
}

const yaml_node_t *yaml_data_item(const struct yaml_data *data, const yaml_node_t *list, int index) {
  return index < yaml_data_count(list) ? node_of(data, list->data.sequence.items.start[index]) : NULL;
}

const char *yaml_data_text(const yaml_node_t *node) {
  return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

enum status yaml_data_number(const struct yaml_data *data, const yaml_node_t *node, int is_infinity_accepted,
                             double *out, struct reason *why) {
  const char *text = yaml_data_text(node);
  char *end = NULL;
  if (text && is_infinity_accepted && strcmp(text, "Infinity") == 0) {
    *out = HUGE_VAL;
    return STATUS_OK;
  }
  if (text && (isdigit((unsigned char)*text) || strchr("+-.", *text)) && !strpbrk(text, "xXnNpP"))
    *out = strtod(text, &end);
  return end && end > text && !*end && isfinite(*out) ? STATUS_OK
                                                      : yaml_data_fail(data, node, why, "a finite number");
}

enum status yaml_data_numbers(const struct yaml_data *data, const yaml_node_t *list, int count, double *out,
                              struct reason *why) {
  enum status status = STATUS_OK;
  if (yaml_data_count(list) != count)
    return yaml_data_fail(data, list, why, "a list of %d numbers", count);
  for (int i = 0; i < count && status == STATUS_OK; i++) {
    const yaml_node_t *item = yaml_data_item(data, list, i);
    if (!is_absent(item))
      status = yaml_data_number(data, item, 0, &out[i], why);
  }
  return status;
}

enum status yaml_data_matrix(const struct yaml_data *data, const yaml_node_t *list, int size, double *out,
                             struct reason *why) {
  enum status status = STATUS_OK;
  if (yaml_data_count(list) != size)
    return yaml_data_fail(data, list, why, "%d rows of %d numbers", size, size);
  for (int i = 0; i < size && status == STATUS_OK; i++)
    status = yaml_data_numbers(data, yaml_data_item(data, list, i), size, out + (ptrdiff_t)i * size, why);
  return status;
}

enum status yaml_data_word(const struct yaml_data *data, const yaml_node_t *map, const char *key,
                           const char *const *words, int fallback, int *out, struct reason *why) {
  const yaml_node_t *node = yaml_data_find(data, map, key);
  const char *text = yaml_data_text(node);
  char choice[96] = "";
  *out = fallback;
  if (!node)
    return STATUS_OK;
  for (int i = 0; words[i]; i++) {
    if (text && strcmp(text, words[i]) == 0) {
      *out = i;
      return STATUS_OK;
    }
    snprintf(choice + strlen(choice), sizeof choice - strlen(choice), "%s'%s'", i ? " or " : "", words[i]);
  }
  return yaml_data_fail(data, node, why, "%s: %s", key, choice);
}

// The length of the first name of a list "A, B"; *next: where the second begins, or NULL.
static size_t first_name(const char *names, const char **next) {
  size_t length = strcspn(names, ",");
  *next = names[length] ? names + length + 1 + strspn(names + length + 1, " ") : NULL;
  return length;
}

static int is_name(const char *at, size_t length, const char *name) {
  return strlen(name) == length && strncmp(at, name, length) == 0;
}

enum status yaml_data_columns(const struct yaml_data *data, const yaml_node_t *map, const char *const *names,
                              int count, int *place, const yaml_node_t **rows, int *columns,
                              struct reason *why) {
  const yaml_node_t *key = NULL;
  const char *next = NULL;
  if (map->type != YAML_MAPPING_NODE)
    return yaml_data_fail(data, map, why, "a section with a table %s, ...", names[0]);
  for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
    const yaml_node_t *node = node_of(data, pair->key);
    const char *text = yaml_data_text(node);
    if (!text || !is_name(text, first_name(text, &next), names[0]))
      continue;
    key = node;
    *rows = node_of(data, pair->value);
    break;
  }
  if (!key)
    return yaml_data_fail(data, map, why, "a table whose first column is %s", names[0]);
  for (int i = 0; i < count; i++)
    place[i] = -1;
  *columns = 0;
  for (const char *at = yaml_data_text(key); at; at = next, (*columns)++) {
    size_t length = first_name(at, &next);
    for (int i = 0; i < count; i++)
      if (place[i] < 0 && is_name(at, length, names[i]))
        place[i] = *columns;
  }
  for (int i = 0; i < count; i++)
    if (place[i] < 0)
      return yaml_data_fail(data, key, why, "a column %s", names[i]);
  return STATUS_OK;
}
