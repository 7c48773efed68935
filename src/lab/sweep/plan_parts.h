// What the files that read a plan share.
#pragma once

#include "sagbend/case/config.h"
#include "sagbend/yaml/yaml.h"
#include "lab/sweep/sweep.h"

#include <stddef.h>

struct plan_draft {
  struct plan plan;
  struct axis_draft {
    char name[PLAN_NAME], key[PLAN_NAME];
    double from, to, step, failure_at_s, failure_for_s;
    int count;
  } axis[PLAN_MAX_AXES];
  struct random_draft {
    char name[PLAN_NAME], key[PLAN_NAME];
    double uniform[2], normal[2], whole[2];
  } random[PLAN_MAX_RANDOM];
  int axis_count;
};

struct plan_reading {
  struct plan *plan;
  const struct plan_draft *draft;
  const struct node *root;
  const char *path;
  struct error_list *errors;
};

// The schema of a plan. STATUS_NO_MEMORY is the only failure. Release with schema_free.
enum status plan_schema(struct schema *schema);

// Reads the file at r->path as YAML. Reports what is wrong with it; returns 0 if nothing can be read. Release
// the tree with tree_free in every case.
int plan_parse(const struct plan_reading *r, const struct source *source, struct tree *tree);
// The path of the base, from the working directory; reports a file that cannot be read. The caller frees it;
// NULL: out of memory.
char *plan_find_base(const struct plan_reading *r, const char *text);

// The node of a key, NULL if it is absent, null or was refused.
const struct node *plan_given(const struct plan_reading *r, const struct node *section, const char *key);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void plan_refuse(const struct plan_reading *r, const struct node *node, const char *expected, ...);

// Adds the overrides that give a key this value: one for each value of a section. Reports what cannot be one.
void plan_set(const struct plan_reading *r, struct plan_settings *out, const char *key,
              const struct node *value);
// The same for a text without a node of its own.
void plan_set_text(const struct plan_reading *r, struct plan_settings *out, const char *key, const char *text,
                   const struct node *at);

// Adds the overrides of a section such as set; NULL: there is none.
void plan_read_settings(const struct plan_reading *r, const struct node *set, struct plan_settings *out);

// Takes the keys of an entry, from key or keys. Returns their number, 0 after an error.
int plan_take_keys(const struct plan_reading *r, const struct node *entry, char *out[PLAN_MAX_KEYS]);

// Reads command and files of a section, NULL: there is none.
void plan_take_controller(const struct plan_reading *r, const struct node *section,
                          struct plan_controller *out);
// Reads controller.command and controller.files.
void plan_read_controller(const struct plan_reading *r, struct plan_controller *out);

// A position of an axis with empty cells; NULL: out of memory, which it reports.
struct plan_level *plan_add_level(const struct plan_reading *r, struct plan_axis *axis);
// Reads the failures of an axis, of the configuration with what set says.
void plan_read_failures(const struct plan_reading *r, const struct node *section,
                        const struct axis_draft *draft, struct plan_axis *axis);
void plan_read_axes(const struct plan_reading *r);
void plan_read_random(const struct plan_reading *r);
void plan_read_outputs(const struct plan_reading *r);

char *plan_place(const struct plan_reading *r, const struct node *node); // NULL: out of memory
void plan_out_of_memory(const struct plan_reading *r);
