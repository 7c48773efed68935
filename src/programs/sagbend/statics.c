// sagbend statics: finds the static equilibrium that a run starts from, and prints it.
#include "programs/sagbend/sagbend_program.h"
#include "programs/sagbend/sagbend_program_internal.h"

#include "os/cli/cli.h"
#include "os/files/files.h"
#include "run/setup/setup.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/math/math.h"
#include "sagbend/rig/rig.h"

#include <math.h>
#include <stdlib.h>

struct statics_options {
  struct case_options given;
  const char *find, *shape_path, *depths, *forces, *table_path, *plot_path; // NULL: not given
  int json;
};

static const struct option_row OPTIONS[] = {
    {"elements", "N", "Number of pipe elements.", KEY(struct statics_options, given, "pipe.elements")},
    {"horizontal-force-n", "H", "Horizontal tension at the hang-off in newtons.",
     KEY(struct statics_options, given, "statics.horizontal_force_n")},
    {"find", "QUANTITY=VALUE",
     "Find the horizontal tension and the set-point at which a quantity has a value, such as layback_m=680: "
     "any quantity of the pipe that 'sagbend outputs' lists; touchdown_m (horizontal distance of the "
     "touchdown point from the lower end); or touchdown_point_m=X,Y, which lays the pipe towards a point.",
     TEXT(struct statics_options, find)},
    {"shape", "FILE.csv", "Write the positions of the pipe's nodes.",
     FILE_NAME(struct statics_options, shape_path, FILE_WRITTEN)},
    {"depths", "FIRST:LAST:STEP",
     "Make a table over water depth (m) and horizontal tension, with the window in which the verdicts of the "
     "configuration hold at rest. The pipe is shortened or lengthened so that the length on the seabed "
     "stays.",
     TEXT(struct statics_options, depths)},
    {"forces", "FIRST:LAST:STEP",
     "The same: horizontal tensions at the hang-off in newtons. Default of each of the two: the "
     "configuration's.",
     TEXT(struct statics_options, forces)},
    {"table", "FILE.csv", "With --depths or --forces: write the table.",
     FILE_NAME(struct statics_options, table_path, FILE_COMPLETED)},
    {"plot", "NAME", "With --depths or --forces: write NAME.gp and, with gnuplot, NAME.png.",
     TEXT(struct statics_options, plot_path)},
    JSON_OPTION(struct statics_options, json),
    SET_OPTION(struct statics_options, given),
    HELP_OPTION,
};

const struct cli_command statics_command = {
    .name = "statics",
    .arguments = "CONFIG",
    .purpose = "Find the static equilibrium from which a run starts.",
    .example = "sagbend statics configs/jlay-900m.yaml --elements 740 --json",
    .statuses =
        "0 equilibrium found; 1 none found, or a file could not be written; 2 wrong usage or configuration",
    .options = OPTIONS,
    .size = sizeof(struct statics_options),
    .words = {WORD(FILE_WORD, struct statics_options, given.config_path)},
};

static const double DEG = 180 / TRIG_PI;

struct line {
  const char *name, *unit, *meaning;
  double value;
};
enum { MAX_LINES = QUANTITY_COUNT + 16 };

static struct line *add(struct line *line, const char *name, const char *unit, double value,
                        const char *meaning) {
  *line = (struct line){name, unit, meaning, value};
  return line + 1;
}

// The quantities of sagbend/rig/quantities.inc that an equilibrium has, then what only the statics know.
static int collect(const struct loaded *s, struct line lines[MAX_LINES]) {
  const struct statics_report *report_statics = sim_statics(s->plant.sim);
  struct sim_output o;
  struct line *line = lines;
  sim_get_output(s->plant.sim, &o);
  const struct loop_view view = {.truth = &o};

  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_info *info = &quantity_table[q];
    if (quantity_groups[info->group].at_rest && quantity_exists((enum quantity)q, &view))
      line = add(line, info->shown_name, info->shown_unit, quantity_shown((enum quantity)q, &view),
                 info->meaning);
  }
  if (o.has_pipe) {
    const struct pipe_def *pipe = &s->setup.config.sim.pipe;
    double softest_1ps2 =
        report_statics->stability_checked ? report_statics->softest.least_1ps2 : (double)NAN;
    line = add(line, "lay_azimuth_deg", "deg", pipe->lay_azimuth_rad * DEG,
               "lay direction, clockwise from north");
    line = add(line, "horizontal_force_n", "N", report_statics->horizontal_force_n,
               "horizontal force at the hang-off");
    line = add(line, "weight_compensation_n", "N", report_statics->weight_compensation_n,
               "weight compensation at the hang-off, upwards");
    line = add(line, "compression_n", "N", fmax(0, -o.min_tension_n), "largest effective compression");
    line = add(line, "softest_1ps2", "1/s2", softest_1ps2, "stiffness over mass of the softest mode");
    line = add(line, "slipping_m", "m", report_statics->slipping_m,
               "length of pipe that seabed friction lets slip");
    line = add(line, "dry_m", "m", report_statics->dry_m, "length of pipe above the water, without buoyancy");
  }
  line = add(line, "iterations", "", report_statics->iterations, "Newton iterations");
  line = add(line, "residual_n", "N", report_statics->residual_n, "largest unbalanced force");
  return (int)(line - lines);
}

// Events that an equilibrium can raise.
static const enum sim_event warnings[] = {EVENT_LARGE_BEND,  EVENT_ELEMENT_FOLDED,    EVENT_STRAIN_LIMIT,
                                          EVENT_LARGE_ANGLE, EVENT_HANGOFF_OUTSIDE,   EVENT_LARGE_STRAIN,
                                          EVENT_PIPE_SINKS,  EVENT_BEYOND_YIELD,      EVENT_OVERLOAD,
                                          EVENT_CHECK_LIMIT, EVENT_BUCKLE_PROPAGATION};
enum { WARNINGS = sizeof warnings / sizeof *warnings, UNCHECKED_WARNINGS = WARNINGS - 4 };

// Without a code check the last ones have no meaning.
static int warning_count(const struct loaded *s) {
  return s->setup.config.sim.code_check.enabled ? WARNINGS : UNCHECKED_WARNINGS;
}

static int has_event(const struct loaded *s, enum sim_event event) {
  struct sim_output o;
  sim_get_output(s->plant.sim, &o);
  return o.events >> event & 1;
}

static const char *stability_text(const struct statics_report *r) {
  if (!r->stability_checked)
    return "not judged: nothing holds the pipe, or a moment on its free top has no potential";
  return r->unstable_left ? "stable, beside an unstable equilibrium" : "stable";
}

static void print_rest(const struct loaded *s) {
  const struct statics_report *r = sim_statics(s->plant.sim);
  printf("%-30s %s\n", "small disturbances", stability_text(r));
  if (r->unstable_left)
    printf("%-30s %s\n", "warning", plant_unstable_text(r).text);
  printf("%-30s %s, %s\n", "taken into account", r->with_friction ? "seabed friction" : "no friction",
         r->with_current ? "current at time 0" : "no current");
}

static void print_table(const struct loaded *s, const struct line *lines, int count) {
  const double *hold = sim_statics(s->plant.sim)->initial_holding_force_b;
  if (!sim_node_count(s->plant.sim))
    puts("the configuration has no pipe: this is the vessel alone");
  for (int i = 0; i < count; i++) {
    char value[80];
    if (isnan(lines[i].value)) // no contact with the seabed
      snprintf(value, sizeof value, "%-30s %14s %-6s ", lines[i].name, "none", "");
    else
      snprintf(value, sizeof value, "%-30s %14.8g %-6s ", lines[i].name, lines[i].value + 0.0, // no -0
               lines[i].unit);
    print_labelled(0, value, "%s", lines[i].meaning);
  }
  if (sim_node_count(s->plant.sim))
    print_rest(s);
  for (int k = 0; k < warning_count(s); k++)
    if (has_event(s, warnings[k]))
      printf("%-30s %s\n", "warning", sim_event_text(warnings[k]));
  if (setup_is_perfectly_plastic(&s->setup.config))
    printf("%-30s %s\n", "warning", setup_localisation_text());
  printf("%-30s %.6g %.6g %.6g N, %.6g %.6g %.6g N m\n", "wrench that holds the vessel", hold[0], hold[1],
         hold[2], hold[3], hold[4], hold[5]);
}

static enum status statics_check_print(const struct loaded *s);

static int print_all(const struct loaded *s, const struct line *lines, int count) {
  print_table(s, lines, count);
  if (statics_check_print(s) == STATUS_OK)
    return EXIT_DONE;
  fprintf(stderr, "sagbend: out of memory\n");
  return EXIT_FAILED;
}

static enum status statics_check_add(cJSON *root, const struct loaded *s);

static int print_json(const struct loaded *s, const struct line *lines, int count) {
  const struct statics_report *r = sim_statics(s->plant.sim);
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "name", s->setup.config.name);
  cJSON_AddNumberToObject(root, "elements", s->setup.config.sim.pipe.elements);
  for (int i = 0; i < count; i++)
    cJSON_AddNumberToObject(root, lines[i].name, lines[i].value); // not finite: null
  if (sim_node_count(s->plant.sim)) {
    if (r->stability_checked)
      cJSON_AddBoolToObject(root, "stable", r->stable);
    else
      cJSON_AddNullToObject(root, "stable");
    cJSON_AddNumberToObject(root, "unstable_left", r->unstable_left);
    cJSON_AddBoolToObject(root, "with_friction", r->with_friction);
    cJSON_AddBoolToObject(root, "with_current", r->with_current);
  }
  for (int k = 0; k < warning_count(s); k++)
    cJSON_AddBoolToObject(root, sim_event_name(warnings[k]), has_event(s, warnings[k]));
  cJSON_AddItemToObject(root, "initial_holding_force_b",
                        cJSON_CreateDoubleArray(r->initial_holding_force_b, 6));
  enum status status = statics_check_add(root, s);
  char *text = json_end(root);
  if (status != STATUS_OK || !text) {
    cJSON_free(text);
    fprintf(stderr, "sagbend: out of memory\n");
    return EXIT_FAILED;
  }
  puts(text);
  cJSON_free(text);
  return EXIT_DONE;
}

static void statics_check_columns(FILE *out, const struct loaded *s, const struct utilisation *used);

static struct utilisation *statics_check_of(const struct loaded *s);

static int write_shape(const struct loaded *s, const char *path) {
  struct output_file file;
  int count = sim_node_count(s->plant.sim);
  size_t room = count ? (size_t)count : 1;
  struct sim_node *nodes = calloc(room, sizeof *nodes);
  struct utilisation *used = statics_check_of(s);
  struct reason why = {"out of memory"};
  int status = nodes && (used || !s->setup.config.sim.code_check.enabled) &&
                       output_file_open(&file, path, &why) == STATUS_OK
                   ? EXIT_DONE
                   : EXIT_FAILED;
  if (status == EXIT_DONE) {
    sim_get_nodes(s->plant.sim, nodes);
    node_row_header(file.stream);
    statics_check_columns(file.stream, s, NULL);
    fputc('\n', file.stream);
    for (int i = 0; i < count; i++) {
      node_row(file.stream, &nodes[i]);
      if (used)
        statics_check_columns(file.stream, s, &used[i]);
      fputc('\n', file.stream);
    }
    status = output_file_close(&file, &why) == STATUS_OK ? EXIT_DONE : EXIT_FAILED;
  }
  if (status != EXIT_DONE)
    fprintf(stderr, "sagbend: %s\n", why.text);
  free(nodes);
  free(used);
  return status;
}

static int report_statics(const struct loaded *s, const struct statics_options *o) {
  struct line lines[MAX_LINES];
  int count = collect(s, lines), status = EXIT_DONE;
  if (o->shape_path)
    status = write_shape(s, o->shape_path);
  if (o->json)
    status |= print_json(s, lines, count);
  else
    status |= print_all(s, lines, count);
  return console_finish_stdout("sagbend statics", status);
}

static void print_finding(void *context, const char *line) {
  (void)context;
  fprintf(stderr, "%s\n", shown(line).text);
}

static void say_notice(void *name, const char *text) {
  fprintf(stderr, "sagbend: notice: %s: %s\n", (const char *)name, text);
}

// Finds the wanted equilibrium (--find), or the one that the configuration describes.
static enum status create(struct loaded *loaded, const struct statics_options *options, struct reason *why) {
  if (options->find)
    return find_equilibrium(loaded, options->find, why);

  const struct error_sink sink = error_to(stderr);
  enum status status = plant_create(&loaded->plant, &loaded->setup, &sink, why);
  if (status != STATUS_OK)
    plausible_check(&loaded->setup, &options->given, NULL, print_finding, NULL);
  if (status == STATUS_OK && sim_statics(loaded->plant.sim)->unstable_left)
    fprintf(stderr, "sagbend: warning: %s: %s\n", loaded->setup.config.name,
            plant_unstable_text(sim_statics(loaded->plant.sim)).text);
  if (status == STATUS_OK)
    notices_mesh(&loaded->setup.config, say_notice, loaded->setup.config.name);
  return status;
}

static enum status write_window(const struct window *w, const struct config *c,
                                const struct statics_options *o, struct reason *why) {
  enum status status = STATUS_OK;
  if (o->table_path)
    status = window_write_table(w, c, o->table_path, why);
  if (status == STATUS_OK && o->plot_path)
    status = window_plot(w, o->plot_path, why);
  if (status == STATUS_OK && o->json)
    return window_print_json(w, c) == STATUS_OK ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK)
    window_print(w, c);
  return status;
}

// Loads the session and claims the files.
static enum status prepare(struct loaded *loaded, const struct statics_options *options,
                           struct file_claims *claims, struct reason *why) {
  char script[4096];
  enum status status = setup_load(&loaded->setup, &options->given, stderr);
  if (status == STATUS_OK)
    status = setup_claim(&loaded->setup, options->given.config_path, claims, why);
  if (status == STATUS_OK)
    status = command_claim(&statics_command, options, claims, why);
  if (status == STATUS_OK && options->plot_path) {
    static const char *const extensions[] = {"gp", "png"};
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
      snprintf(script, sizeof script, "%s.%s", options->plot_path, extensions[i]);
      status = file_claims_add(claims, FILE_WRITTEN, "--plot", script, why);
    }
  }
  return status;
}

static int statics_window(const struct statics_options *options) {
  static struct loaded loaded; // too large for a small stack
  struct reason why = {""};
  struct window window = {0};
  struct file_claims claims = {0};
  enum status status = prepare(&loaded, options, &claims, &why);
  if (status == STATUS_OK && (options->find || options->shape_path))
    status = fail(&why, STATUS_BAD_INPUT, "--depths and --forces are not allowed with --find or --shape");
  if (status == STATUS_OK)
    status = window_find(&loaded, options->depths, options->forces, &window, &why);
  if (status == STATUS_OK)
    status = write_window(&window, &loaded.setup.config, options, &why);
  file_claims_release(&claims);
  window_free(&window);
  loaded_free(&loaded);
  return console_finish_stdout("sagbend statics", exit_with_reason("sagbend statics", status, &why));
}

static int find_statics(const struct statics_options *options) {
  static struct loaded loaded; // too large for a small stack
  struct reason why = {""};
  if (options->depths || options->forces)
    return statics_window(options);
  if (options->table_path || options->plot_path)
    return exit_with_reason("sagbend statics",
                            fail(&why, STATUS_BAD_INPUT, "--table and --plot need --depths or --forces"),
                            &why);
  struct file_claims claims = {0};
  enum status status = prepare(&loaded, options, &claims, &why);
  if (status == STATUS_OK)
    status = create(&loaded, options, &why);
  int exit_status = status == STATUS_OK ? report_statics(&loaded, options)
                                        : exit_with_reason("sagbend statics", status, &why);
  file_claims_release(&claims);
  loaded_free(&loaded);
  return exit_status;
}

int cmd_statics(int argc, char **argv) {
  struct statics_options options;
  int exit_status;
  if (!command_begin(&statics_command, argc, argv, &options, &exit_status))
    return exit_status;
  exit_status = find_statics(&options);
  case_options_free(&options.given);
  return exit_status;
}

// ------------------------------------------------------------
enum { PRINTED_ROWS = 20 };
static const double JOINT_M = 12.2; // of the arrestor that stops a buckle

static int is_checked(const struct loaded *s) {
  return s->setup.config.sim.code_check.enabled;
}

// Utilisations at all nodes; NULL without a code check, or if memory runs out. Release with free.
static struct utilisation *statics_check_of(const struct loaded *s) {
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

// Utilisations along the pipe, at about twenty nodes, and why a check does not apply. STATUS_NO_MEMORY.
static enum status statics_check_print(const struct loaded *s) {
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

// "code_check": utilisations at all nodes, and why a check does not apply. STATUS_NO_MEMORY.
static enum status statics_check_add(cJSON *root, const struct loaded *s) {
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

// Columns of --shape after those of the node; nothing without a code check. used NULL: the header.
static void statics_check_columns(FILE *out, const struct loaded *s, const struct utilisation *used) {
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
