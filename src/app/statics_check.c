#include "app/statics_check.h"

#include <math.h>
#include <stdlib.h>

enum { PRINTED_ROWS = 20 };

static int is_checked(const struct session *s) {
  return s->config.sim.code_check.asked;
}

struct utilisation *statics_check_of(const struct session *s) {
  struct utilisation *used = is_checked(s) ? calloc((size_t)sim_node_count(s->sim), sizeof *used) : NULL;
  if (used)
    sim_get_static_utilisations(s->sim, used);
  return used;
}

static void print_number(double value) {
  if (isnan(value))
    printf(" %9s", "none");
  else
    printf(" %9.4f", value);
}

static void print_limits(const struct sim_output *o) {
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    for (int bit = 0; bit < CHECK_LIMIT_COUNT; bit++)
      if (o->check_limits[k] >> bit & 1)
        printf("%s_utilisation does not apply: %s\n", code_check_name(k), check_limit_text(bit));
}

enum status statics_check_print(const struct session *s) {
  struct sim_output o;
  if (!is_checked(s))
    return STATUS_OK;
  struct utilisation *used = statics_check_of(s);
  if (!used)
    return STATUS_NO_MEMORY;

  sim_get_output(s->sim, &o);
  int nodes = sim_node_count(s->sim), every = (nodes - 1 + PRINTED_ROWS - 1) / PRINTED_ROWS;
  printf("\nutilisations along the pipe\n%9s", "s_m");
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    printf(" %9s", code_check_name(k));
  putchar('\n');
  double arc_m = 0;
  for (int i = 0; i < nodes; i++) {
    if (i % every == 0 || i == nodes - 1) {
      printf("%9.2f", arc_m);
      for (int k = 0; k < CODE_CHECK_COUNT; k++)
        print_number(used[i].value[k]);
      putchar('\n');
    }
    if (i < nodes - 1)
      arc_m += pipe_element_length(&s->config.sim.pipe, i);
  }
  print_limits(&o);
  free(used);
  return STATUS_OK;
}

enum status statics_check_add(cJSON *root, const struct session *s) {
  struct sim_output o;
  if (!is_checked(s))
    return STATUS_OK;
  struct utilisation *used = statics_check_of(s);
  if (!used)
    return STATUS_NO_MEMORY;

  sim_get_output(s->sim, &o);
  cJSON *check = cJSON_AddObjectToObject(root, "code_check"), *arc = cJSON_AddArrayToObject(check, "s_m");
  int nodes = sim_node_count(s->sim);
  double arc_m = 0;
  for (int i = 0; i < nodes; i++) {
    cJSON_AddItemToArray(arc, cJSON_CreateNumber(arc_m));
    if (i < nodes - 1)
      arc_m += pipe_element_length(&s->config.sim.pipe, i);
  }
  for (int k = 0; k < CODE_CHECK_COUNT; k++) {
    cJSON *along = cJSON_AddArrayToObject(check, code_check_name(k));
    for (int i = 0; i < nodes; i++)
      cJSON_AddItemToArray(along, cJSON_CreateNumber(used[i].value[k])); // not finite: null
  }
  cJSON *limits = cJSON_AddObjectToObject(check, "does_not_apply");
  for (int k = 0; k < CODE_CHECK_COUNT; k++) {
    cJSON *reasons = o.check_limits[k] ? cJSON_AddArrayToObject(limits, code_check_name(k)) : NULL;
    for (int bit = 0; bit < CHECK_LIMIT_COUNT; bit++)
      if (o.check_limits[k] >> bit & 1)
        cJSON_AddItemToArray(reasons, cJSON_CreateString(check_limit_text(bit)));
  }
  free(used);
  return STATUS_OK;
}

void statics_check_columns(FILE *out, const struct session *s, const struct utilisation *used) {
  if (!is_checked(s))
    return;
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    if (!used)
      fprintf(out, ",%s_utilisation", code_check_name(k));
    else if (isnan(used->value[k]))
      fputs(",nan", out);
    else
      fprintf(out, ",%.12g", used->value[k]);
}
