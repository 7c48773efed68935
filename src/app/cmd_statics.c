#include "app/commands.h"
#include "app/find.h"
#include "cli/console.h"
#include "io/files/output_file.h"
#include "session/node_row.h"
#include "session/session.h"

#include "core/math/trig.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

static const double DEG = 180 / TRIG_PI;

struct line {
  const char *key; // in JSON
  const char *label, *unit;
  double value;
};
enum { MAX_LINES = 64 };

static int collect(const struct session *s, struct line lines[MAX_LINES]) {
  const struct statics_report *r = sim_statics(s->sim);
  struct sim_output o;
  struct line *l = lines;
  sim_get_output(s->sim, &o);
  if (o.has_pipe) {
    *l++ = (struct line){"hangoff_angle_deg", "hang-off angle in the lay plane", "deg",
                         o.hangoff_angle_rad * DEG};
    *l++ = (struct line){"hangoff_lean_deg", "  out of it", "deg", o.hangoff_lean_rad * DEG};
    *l++ = (struct line){"layback_m", "lay-back, hang-off to touchdown", "m", o.layback_m};
    *l++ = (struct line){"top_tension_n", "top tension", "N", o.hangoff_tension_n};
    *l++ = (struct line){"max_tension_n", "largest effective tension", "N", o.max_tension_n};
    *l++ = (struct line){"max_tension_s_m", "  at arc length", "m", o.max_tension_s_m};
    *l++ = (struct line){"min_tension_n", "smallest effective tension", "N", o.min_tension_n};
    *l++ = (struct line){"min_tension_s_m", "  at arc length", "m", o.min_tension_s_m};
    *l++ = (struct line){"touchdown_tension_n", "effective tension at touchdown", "N", o.touchdown_tension_n};
    *l++ = (struct line){"bottom_tension_n", "effective tension at the lower end", "N", o.bottom_tension_n};
    *l++ = (struct line){"horizontal_force_n", "horizontal force at the top", "N", r->horizontal_force_n};
    *l++ = (struct line){"max_moment_nm", "largest bending moment", "N m", o.max_moment_nm};
    *l++ = (struct line){"max_moment_s_m", "  at arc length", "m", o.max_moment_s_m};
    *l++ = (struct line){"max_shear_n", "largest shear force", "N", o.max_shear_n};
    *l++ = (struct line){"max_shear_s_m", "  at arc length", "m", o.max_shear_s_m};
    *l++ = (struct line){"max_torsion_nm", "largest torsion", "N m", o.max_torsion_nm};
    *l++ = (struct line){"max_torsion_s_m", "  at arc length", "m", o.max_torsion_s_m};
    *l++ = (struct line){"max_curvature_1pm", "largest curvature", "1/m", o.max_curvature_1pm};
    *l++ = (struct line){"max_curvature_s_m", "  at arc length", "m", o.max_curvature_s_m};
    *l++ = (struct line){"max_wall_tension_n", "largest wall tension", "N", o.max_wall_tension_n};
    *l++ = (struct line){"max_wall_tension_s_m", "  at arc length", "m", o.max_wall_tension_s_m};
    *l++ = (struct line){"min_wall_tension_n", "smallest wall tension", "N", o.min_wall_tension_n};
    *l++ = (struct line){"min_wall_tension_s_m", "  at arc length", "m", o.min_wall_tension_s_m};
    *l++ = (struct line){"max_strain", "largest strain of the steel", "", o.max_strain};
    *l++ = (struct line){"max_strain_s_m", "  at arc length", "m", o.max_strain_s_m};
    *l++ = (struct line){"min_strain", "smallest strain of the steel", "", o.min_strain};
    *l++ = (struct line){"min_strain_s_m", "  at arc length", "m", o.min_strain_s_m};
    *l++ = (struct line){"touchdown_s_m", "touchdown at arc length", "m", o.touchdown_s_m};
    *l++ = (struct line){"lay_azimuth_deg", "lay azimuth", "deg", s->config.sim.pipe.lay_azimuth_rad * DEG};
    *l++ = (struct line){"x_touchdown_m", "touchdown, north", "m", o.touchdown_n_m[0]};
    *l++ = (struct line){"y_touchdown_m", "touchdown, east", "m", o.touchdown_n_m[1]};
    *l++ = (struct line){"x_top_m", "hang-off, north", "m", o.hangoff_position_n_m[0]};
    *l++ = (struct line){"y_top_m", "hang-off, east", "m", o.hangoff_position_n_m[1]};
    *l++ = (struct line){"z_top_m", "hang-off, down", "m", o.hangoff_position_n_m[2]};
    *l++ = (struct line){"ballast_n", "dead load at the hang-off", "N", r->weight_compensation_n};
  }
  *l++ = (struct line){"x_vessel_m", "vessel, north", "m", o.position_n_m[0]};
  *l++ = (struct line){"y_vessel_m", "vessel, east", "m", o.position_n_m[1]};
  *l++ = (struct line){"z_vessel_m", "vessel, down", "m", o.position_n_m[2]};
  if (o.has_pipe) {
    *l++ = (struct line){"compression_n", "largest compression", "N", fmax(0, -o.min_tension_n)};
    *l++ = (struct line){"softest_1ps2", "softest mode, stiffness over mass", "1/s2",
                         r->stability_checked ? r->softest.least_1ps2 : (double)NAN};
    *l++ = (struct line){"slipping_m", "pipe that seabed friction lets slip", "m", r->slipping_m};
  }
  *l++ = (struct line){"iterations", "Newton iterations", "", r->iterations};
  *l++ = (struct line){"residual_n", "largest unbalanced force", "N", r->residual_n};
  return (int)(l - lines);
}

// Events that an equilibrium can raise.
static const enum sim_event warnings[] = {EVENT_LARGE_BEND, EVENT_STRAIN_LIMIT};
enum { WARNINGS = sizeof warnings / sizeof *warnings };

static int has_event(const struct session *s, enum sim_event event) {
  struct sim_output o;
  sim_get_output(s->sim, &o);
  return o.events >> event & 1;
}

static const char *stability_text(const struct statics_report *r) {
  if (!r->stability_checked)
    return "not judged: nothing holds the pipe, or a moment on its free top has no potential";
  return r->unstable_left ? "stable, beside an unstable equilibrium" : "stable";
}

static void print_rest(const struct session *s) {
  const struct statics_report *r = sim_statics(s->sim);
  printf("%-34s %s\n", "small disturbances", stability_text(r));
  if (r->unstable_left)
    printf("%-34s %s\n", "warning", session_unstable_text(r).text);
  printf("%-34s %s, %s\n", "taken into account", r->with_friction ? "seabed friction" : "no friction",
         r->with_current ? "current at time 0" : "no current");
}

static void print_table(const struct session *s, const struct line *lines, int count) {
  const double *hold = sim_statics(s->sim)->hold_wrench_b;
  if (!sim_node_count(s->sim))
    puts("the configuration has no pipe: this is the vessel alone");
  for (int i = 0; i < count; i++)
    if (isnan(lines[i].value)) // no contact with the seabed
      printf("%-34s %16s\n", lines[i].label, "none");
    else
      printf("%-34s %16.8g %s\n", lines[i].label, lines[i].value, lines[i].unit);
  if (sim_node_count(s->sim))
    print_rest(s);
  for (int k = 0; k < WARNINGS; k++)
    if (has_event(s, warnings[k]))
      printf("%-34s %s\n", "warning", sim_event_text(warnings[k]));
  printf("%-34s %.6g %.6g %.6g N, %.6g %.6g %.6g N m\n", "wrench that holds the vessel", hold[0], hold[1],
         hold[2], hold[3], hold[4], hold[5]);
}

static int print_json(const struct session *s, const struct line *lines, int count) {
  const struct statics_report *r = sim_statics(s->sim);
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "name", s->config.name);
  cJSON_AddNumberToObject(root, "elements", s->config.sim.pipe.elements);
  for (int i = 0; i < count; i++)
    cJSON_AddNumberToObject(root, lines[i].key, lines[i].value); // not finite: null
  if (sim_node_count(s->sim)) {
    if (r->stability_checked)
      cJSON_AddBoolToObject(root, "stable", r->stable);
    else
      cJSON_AddNullToObject(root, "stable");
    cJSON_AddNumberToObject(root, "unstable_left", r->unstable_left);
    cJSON_AddBoolToObject(root, "with_friction", r->with_friction);
    cJSON_AddBoolToObject(root, "with_current", r->with_current);
  }
  for (int k = 0; k < WARNINGS; k++)
    cJSON_AddBoolToObject(root, sim_event_name(warnings[k]), has_event(s, warnings[k]));
  cJSON_AddItemToObject(root, "hold_wrench_b", cJSON_CreateDoubleArray(r->hold_wrench_b, 6));
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  if (!text) {
    fprintf(stderr, "sagbend: out of memory\n");
    return EXIT_FAILED;
  }
  puts(text);
  cJSON_free(text);
  return EXIT_DONE;
}

static int write_shape(const struct session *s, const char *path) {
  struct output_file file;
  int count = sim_node_count(s->sim);
  size_t room = count ? (size_t)count : 1;
  struct sim_node *nodes = calloc(room, sizeof *nodes);
  struct reason why = {"out of memory"};
  int status = nodes && output_file_open(&file, path, &why) == STATUS_OK ? EXIT_DONE : EXIT_FAILED;
  if (status == EXIT_DONE) {
    double arc_m = 0;
    sim_get_nodes(s->sim, nodes);
    fputs(NODE_ROW_HEADER "\n", file.stream);
    for (int i = 0; i < count; i++) {
      node_row(file.stream, arc_m, &nodes[i]);
      fputc('\n', file.stream);
      arc_m += pipe_element_length(&s->config.sim.pipe, i);
    }
    status = output_file_close(&file, &why) == STATUS_OK ? EXIT_DONE : EXIT_FAILED;
  }
  if (status != EXIT_DONE)
    fprintf(stderr, "sagbend: %s\n", why.text);
  free(nodes);
  return status;
}

static int report(const struct session *s, const struct options *o) {
  struct line lines[MAX_LINES];
  int count = collect(s, lines), status = EXIT_DONE;
  if (o->shape_path)
    status = write_shape(s, o->shape_path);
  if (o->json)
    status |= print_json(s, lines, count);
  else
    print_table(s, lines, count);
  return console_finish_stdout("sagbend statics", status);
}

int cmd_statics(int argc, char **argv) {
  struct options options;
  struct session session = {0};
  int status = options_read(COMMAND_STATICS, argc, argv, &options);
  if (status < 0) {
    status = session_load(&session, &options);
    if (status < 0)
      status = options.find ? find_equilibrium(&session, options.find) : session_create_sim(&session);
    if (status < 0)
      status = report(&session, &options);
    session_free(&session);
  }
  options_free(&options);
  return status;
}
