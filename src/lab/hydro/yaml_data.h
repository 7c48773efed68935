// A YAML file of another program, read by key. Unlike a configuration (io/yaml) it is large and has keys that
// nobody asks for. Within the reader of OrcaFlex only. Errors name file, line and what was expected.
#pragma once

#include "sagbend/hydro/hydro.h"

#include <yaml.h>

enum { YAML_DATA_DOCUMENTS = 8 };

struct yaml_data {
  struct text_file file;
  yaml_document_t document;
  int is_loaded;
  const yaml_node_t *root; // a mapping
};

// Reads the first document that has the key. Release with yaml_data_free, also after a failure.
enum status yaml_data_open(struct yaml_data *data, const char *path, const char *key, struct reason *why);
void yaml_data_free(struct yaml_data *data, struct hydro_report *report);

// Fails with "path:line: expected, got the start of the value".
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
enum status yaml_data_fail(const struct yaml_data *data, const yaml_node_t *at, struct reason *why,
                           const char *expected, ...);

// The value of a key; NULL if the node is not a mapping or lacks it. A value ~ or null counts as absent.
const yaml_node_t *yaml_data_find(const struct yaml_data *data, const yaml_node_t *map, const char *key);
// The same, but an absent key is an error.
enum status yaml_data_need(const struct yaml_data *data, const yaml_node_t *map, const char *key,
                           const yaml_node_t **out, struct reason *why);

// The items of a list; 0, NULL beyond its end or if the node is not a list.
int yaml_data_count(const yaml_node_t *list);
const yaml_node_t *yaml_data_item(const struct yaml_data *data, const yaml_node_t *list, int index);

// The text of a scalar; NULL of others.
const char *yaml_data_text(const yaml_node_t *node);

// A finite number; with infinity accepted, the word Infinity too.
enum status yaml_data_number(const struct yaml_data *data, const yaml_node_t *node, int is_infinity_accepted,
                             double *out, struct reason *why);
// A list of exactly count finite numbers. An item ~ takes the value that out has before.
enum status yaml_data_numbers(const struct yaml_data *data, const yaml_node_t *list, int count, double *out,
                              struct reason *why);
// size lists of size numbers: rows.
enum status yaml_data_matrix(const struct yaml_data *data, const yaml_node_t *list, int size, double *out,
                             struct reason *why);

// The index of the scalar in a list of words that NULL ends; fallback if the key is absent.
enum status yaml_data_word(const struct yaml_data *data, const yaml_node_t *map, const char *key,
                           const char *const *words, int fallback, int *out, struct reason *why);

// A table whose key lists its columns, "A, B, C". Finds the key whose first column is names[0] and the place
// of each name in it. rows: its value; columns: the numbers of a row.
enum status yaml_data_columns(const struct yaml_data *data, const yaml_node_t *map, const char *const *names,
                              int count, int *place, const yaml_node_t **rows, int *columns,
                              struct reason *why);
