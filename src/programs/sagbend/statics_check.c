#include "programs/sagbend/statics_check.h"

#include "run/setup/notices.h"

#include <math.h>
#include <stdlib.h>

enum { PRINTED_ROWS = 20 };
static const double JOINT_M = 12.2; // of the arrestor that stops a buckle

static int is_checked(const struct loaded *s) {
  return s->setup.config.sim.code_check.asked;
}

struct utilisation *statics_check_of(const struct loaded *s) {
  struct utilisation *used =
      is_checked(s) ? calloc((size_t)sim_node_count(s->plant.sim), sizeof *used) : NULL;
  if (used)
    sim_get_static_utilisations(s->plant.sim, used);
  return used;
}

// Propagation of a buckle along the pipe of one type.
struct propagation {
  int type;
  double d_over_t, runs_m, deepest_m; // runs_m: from this depth on
  double arrestor_wall_m;             // of a joint that stops a buckle at the deepest place; NaN: none does
};

static struct propagation propagation_of(const struct loaded *s, int type, double deepest_m) {
  const struct check_capacity *c = sim_check_capacity(s->plant.sim, type);
  const struct env_def *env = &s->setup.config.sim.env;
  struct propagation out = {.type = type,
                            .d_over_t = c->d_over_t,
                            .runs_m = sim_propagation_depth_m(s->plant.sim, type),
                            .deepest_m = deepest_m,
                            .arrestor_wall_m = check_arrestor_wall_m(
                                c, env->water_density_kgpm3 * env->gravity_mps2 * deepest_m, JOINT_M)};
  if (c->d_over_t < CHECK_LEAST_D_OVER_T || c->d_over_t > CHECK_LARGEST_D_OVER_T)
    out.runs_m = out.arrestor_wall_m = (double)NAN;
  return out;
}

// Of each type of which there is an element. Returns their number.
static int propagations_of(const struct loaded *s, struct propagation out[1 + MAX_PIPE_TYPES]) {
  const struct pipe_def *def = &s->setup.config.sim.pipe;
  struct sim_node *nodes = calloc((size_t)sim_node_count(s->plant.sim), sizeof *nodes);
  double deepest_m[1 + MAX_PIPE_TYPES] = {0};
  int is_there[1 + MAX_PIPE_TYPES] = {0}, count = 0;
  if (nodes)
    sim_get_nodes(s->plant.sim, nodes);
  for (int e = 0; nodes && e < sim_node_count(s->plant.sim) - 1; e++) {
    const int type = pipe_stretch_at(def, e).type;
    is_there[type] = 1;
    deepest_m[type] = fmax(deepest_m[type], fmax(nodes[e].position_n_m[2], nodes[e + 1].position_n_m[2]));
  }
  free(nodes);
  for (int k = 0; k <= def->type_count; k++)
    if (is_there[k])
      out[count++] = propagation_of(s, k, deepest_m[k]);
  return count;
}

static void print_propagation(const struct loaded *s, const struct sim_output *o) {
  const double spacing_m = s->setup.config.sim.code_check.arrestor_spacing_m;
  struct propagation all[1 + MAX_PIPE_TYPES];
  if (!(o->check[CHECK_PROPAGATION].utilisation > 1))
    return;
  printf("\npropagation of a buckle, along %.0f m of the pipe\n%-18s %8s %14s %10s %18s\n",
         o->propagation_length_m, "section", "D/t", "runs below, m", "deepest, m", "arrestor wall, mm");
  for (int k = 0, count = propagations_of(s, all); k < count; k++) {
    const struct propagation *x = &all[k];
    printf("%-18s %8.2f %14.1f %10.1f", setup_pipe_key(x->type).text, x->d_over_t, x->runs_m, x->deepest_m);
    if (isnan(x->runs_m))
      printf(" %18s\n", "does not apply");
    else if (x->deepest_m <= x->runs_m)
      printf(" %18s\n", "not needed");
    else if (isnan(x->arrestor_wall_m))
      printf(" %18s\n", "D/t below 15");
    else
      printf(" %18.1f\n", 1e3 * x->arrestor_wall_m);
  }
  if (spacing_m > 0)
    printf("buckle arrestors every %g m: a buckle runs along no more than that; %.0f of them\n", spacing_m,
           ceil(o->propagation_length_m / spacing_m) + 1);
  else
    printf("no buckle arrestors (pipe.code_check.arrestor_spacing_m); their spacing is the length that one "
           "buckle may cost\n");
}

static void add_propagation(cJSON *check, const struct loaded *s, const struct sim_output *o) {
  struct propagation found[1 + MAX_PIPE_TYPES];
  cJSON *all = cJSON_AddObjectToObject(check, "buckle_propagation");
  cJSON_AddNumberToObject(all, "length_m", o->propagation_length_m);
  cJSON_AddNumberToObject(all, "arrestor_spacing_m", s->setup.config.sim.code_check.arrestor_spacing_m);
  cJSON *sections = cJSON_AddArrayToObject(all, "sections");
  for (int k = 0, count = propagations_of(s, found); k < count; k++) {
    cJSON *one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "section", setup_pipe_key(found[k].type).text);
    cJSON_AddNumberToObject(one, "d_over_t", found[k].d_over_t);
    cJSON_AddNumberToObject(one, "runs_below_m", found[k].runs_m); // not finite: null, like the wall
    cJSON_AddNumberToObject(one, "deepest_m", found[k].deepest_m);
    cJSON_AddNumberToObject(one, "arrestor_wall_m", found[k].arrestor_wall_m);
    cJSON_AddItemToArray(sections, one);
  }
}

static void print_number(double value) {
  if (isnan(value))
    printf(" %11s", "none");
  else
    printf(" %11.4f", value);
}

static void print_limits(const struct sim_output *o) {
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    for (int bit = 0; bit < CHECK_LIMIT_COUNT; bit++)
      if (o->check_limits[k] >> bit & 1)
        printf("%s_utilisation does not apply: %s\n", code_check_name(k), check_limit_text(bit));
}

enum status statics_check_print(const struct loaded *s) {
  struct sim_output o;
  if (!is_checked(s))
    return STATUS_OK;
  struct utilisation *used = statics_check_of(s);
  if (!used)
    return STATUS_NO_MEMORY;

  sim_get_output(s->plant.sim, &o);
  int nodes = sim_node_count(s->plant.sim), every = (nodes - 1 + PRINTED_ROWS - 1) / PRINTED_ROWS;
  printf("\nutilisations along the pipe\n%9s", "s_m");
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    printf(" %11s", code_check_name(k));
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
      arc_m += pipe_element_length(&s->setup.config.sim.pipe, i);
  }
  print_limits(&o);
  print_propagation(s, &o);
  free(used);
  return STATUS_OK;
}

enum status statics_check_add(cJSON *root, const struct loaded *s) {
  struct sim_output o;
  if (!is_checked(s))
    return STATUS_OK;
  struct utilisation *used = statics_check_of(s);
  if (!used)
    return STATUS_NO_MEMORY;

  sim_get_output(s->plant.sim, &o);
  cJSON *check = cJSON_AddObjectToObject(root, "code_check"), *arc = cJSON_AddArrayToObject(check, "s_m");
  int nodes = sim_node_count(s->plant.sim);
  double arc_m = 0;
  for (int i = 0; i < nodes; i++) {
    cJSON_AddItemToArray(arc, cJSON_CreateNumber(arc_m));
    if (i < nodes - 1)
      arc_m += pipe_element_length(&s->setup.config.sim.pipe, i);
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
  add_propagation(check, s, &o);
  free(used);
  return STATUS_OK;
}

void statics_check_columns(FILE *out, const struct loaded *s, const struct utilisation *used) {
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
