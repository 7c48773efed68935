#include "run/recorder.h"

#include "core/base/steps.h"

#include "session/node_row.h"
#include "session/session.h"

#include <inttypes.h>
#include <math.h>

struct column {
  const char *name;
  double value;
};
enum { MAX_COLUMNS = 96 };

static struct column *add3(struct column *c, const char *const names[3], const double values[3]) {
  for (int i = 0; i < 3; i++)
    *c++ = (struct column){names[i], values[i]};
  return c;
}

// Every column with its name, so that header and rows cannot disagree.
static int columns_of(const struct frame *f, double position_error_m, struct column columns[MAX_COLUMNS]) {
  static const char *const position[] = {"north_m", "east_m", "down_m"},
                           *const euler[] = {"roll_rad", "pitch_rad", "yaw_rad"},
                           *const velocity[] = {"velocity_north_mps", "velocity_east_mps",
                                                "velocity_down_mps"},
                           *const rate[] = {"roll_rate_radps", "pitch_rate_radps", "yaw_rate_radps"},
                           *const force[] = {"control_surge_n", "control_sway_n", "control_heave_n"},
                           *const moment[] = {"control_roll_nm", "control_pitch_nm", "control_yaw_nm"},
                           *const touchdown[] = {"touchdown_north_m", "touchdown_east_m", "touchdown_down_m"},
                           *const pull[] = {"hangoff_force_north_n", "hangoff_force_east_n",
                                            "hangoff_force_down_n"};
  static const char *const work[] = {
#define X(id, text) "work_" text "_j",
      PORT_TABLE(X)
#undef X
  };
  static const char *const loss[] = {
#define X(id, text) "dissipated_" text "_j",
      LOSS_TABLE(X)
#undef X
  };
  const struct sim_output *o = &f->output;
  const struct ledger *l = &f->ledger;
  struct column *c = columns;
  *c++ = (struct column){"time_s", o->time_s};
  *c++ = (struct column){"step", (double)o->step};
  c = add3(c, position, o->position_n_m);
  c = add3(c, euler, o->euler_rad);
  c = add3(c, velocity, o->velocity_n_mps);
  c = add3(c, rate, o->euler_rate_radps);
  *c++ = (struct column){"position_error_m", position_error_m};
  c = add3(c, force, o->control_wrench_b);
  c = add3(c, moment, o->control_wrench_b + 3);
  *c++ = (struct column){"command_state", f->command_state};
  if (o->has_pipe) {
    *c++ = (struct column){"hangoff_tension_n", o->hangoff_tension_n};
    *c++ = (struct column){"hangoff_angle_rad", o->hangoff_angle_rad};
    *c++ = (struct column){"hangoff_lean_rad", o->hangoff_lean_rad};
    c = add3(c, pull, o->hangoff_force_n_n);
    c = add3(c, touchdown, o->touchdown_n_m);
    *c++ = (struct column){"touchdown_s_m", o->touchdown_s_m};
    *c++ = (struct column){"layback_m", o->layback_m};
    *c++ = (struct column){"max_curvature_1pm", o->max_curvature_1pm};
    *c++ = (struct column){"max_curvature_s_m", o->max_curvature_s_m};
    *c++ = (struct column){"max_moment_nm", o->max_moment_nm};
    *c++ = (struct column){"bottom_tension_n", o->bottom_tension_n};
    *c++ = (struct column){"touchdown_tension_n", o->touchdown_tension_n};
    *c++ = (struct column){"max_tension_n", o->max_tension_n};
    *c++ = (struct column){"max_tension_s_m", o->max_tension_s_m};
    *c++ = (struct column){"min_tension_n", o->min_tension_n};
    *c++ = (struct column){"min_tension_s_m", o->min_tension_s_m};
    *c++ = (struct column){"max_shear_n", o->max_shear_n};
    *c++ = (struct column){"max_torsion_nm", o->max_torsion_nm};
    *c++ = (struct column){"max_moment_s_m", o->max_moment_s_m};
    *c++ = (struct column){"max_shear_s_m", o->max_shear_s_m};
    *c++ = (struct column){"max_torsion_s_m", o->max_torsion_s_m};
    *c++ = (struct column){"max_wall_tension_n", o->max_wall_tension_n};
    *c++ = (struct column){"max_wall_tension_s_m", o->max_wall_tension_s_m};
    *c++ = (struct column){"min_wall_tension_n", o->min_wall_tension_n};
    *c++ = (struct column){"min_wall_tension_s_m", o->min_wall_tension_s_m};
    *c++ = (struct column){"max_strain", o->max_strain};
    *c++ = (struct column){"max_strain_s_m", o->max_strain_s_m};
    *c++ = (struct column){"min_strain", o->min_strain};
    *c++ = (struct column){"min_strain_s_m", o->min_strain_s_m};
  }
  if (o->weather.has_wind) {
    *c++ = (struct column){"wind_speed_mps", o->weather.wind_speed_mps};
    *c++ = (struct column){"wind_direction_rad", o->weather.wind_direction_rad};
  }
  if (o->weather.has_waves)
    *c++ = (struct column){"wave_elevation_m", o->weather.wave_elevation_m};
  *c++ = (struct column){"energy_j", l->energy_j};
  *c++ = (struct column){"kinetic_j", l->kinetic_j};
  for (int i = 0; i < PORT_COUNT; i++)
    *c++ = (struct column){work[i], l->total_work_j[i]};
  for (int i = 0; i < LOSS_COUNT; i++)
    *c++ = (struct column){loss[i], l->total_loss_j[i]};
  *c++ = (struct column){"residual_j", l->total_residual_j};
  *c++ = (struct column){"newton_iterations", o->newton_iterations};
  *c++ = (struct column){"step_us", f->timing.step_us};
  *c++ = (struct column){"wakeup_us", f->timing.wakeup_us};
  return (int)(c - columns);
}

static uint64_t every(double asked_s, double default_s, double step_s) {
  return steps_in_period(asked_s > 0 ? asked_s : default_s, step_s);
}

enum status recorder_open(struct recorder *r, const struct options *o, const struct config *config,
                          struct reason *why) {
  *r = (struct recorder){
      .series_every = every(o->record_every_s, 0.1, config->sim.step_s),
      .shapes_every = every(o->shapes_every_s, 10, config->sim.step_s),
      .pipe = &config->sim.pipe,
  };
  enum status status = output_file_open(&r->series, o->record_path, why);
  if (status == STATUS_OK)
    status = output_file_open(&r->shapes, o->shapes_path, why);
  if (status == STATUS_OK)
    status = output_file_open(&r->hashes, o->hashes_path, why);
  if (status != STATUS_OK)
    return status;
  if (r->shapes.stream)
    fprintf(r->shapes.stream, "time_s,%s\n", NODE_ROW_HEADER);
  return STATUS_OK;
}

static void print_number(FILE *out, double value, char before) {
  if (before)
    fputc(before, out);
  if (isnan(value))
    fputs("nan", out); // never "-nan"
  else
    fprintf(out, "%.12g", value);
}

void recorder_frame(struct recorder *r, const struct frame *f, double position_error_m) {
  struct column columns[MAX_COLUMNS];
  FILE *out = r->series.stream;
  if (!out || f->output.step % r->series_every != 0)
    return;
  int count = columns_of(f, position_error_m, columns);
  if (!r->series_begun++) {
    for (int i = 0; i < count; i++)
      fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    fputc('\n', out);
  }
  for (int i = 0; i < count; i++)
    print_number(out, columns[i].value, i ? ',' : 0);
  fputc('\n', out);
}

int recorder_wants_nodes(const struct recorder *r, uint64_t step) {
  return r->shapes.stream && step >= r->next_shape_step;
}

void recorder_nodes(struct recorder *r, uint64_t step, double time_s, int count,
                    const struct sim_node *nodes) {
  FILE *out = r->shapes.stream;
  r->next_shape_step = (step / r->shapes_every + 1) * r->shapes_every;
  double arc_m = 0;
  for (int i = 0; i < count; i++) {
    print_number(out, time_s, 0);
    fputc(',', out);
    node_row(out, arc_m, &nodes[i]);
    arc_m += pipe_element_length(r->pipe, i);
    fputc('\n', out);
  }
  fputc('\n', out); // a blank line between shapes: gnuplot's blocks
}

void recorder_hash(struct recorder *r, uint64_t step, uint64_t hash) {
  if (r->hashes.stream)
    fprintf(r->hashes.stream, "%" PRIu64 " %016" PRIx64 "\n", step, hash);
}

enum status recorder_close(struct recorder *r, struct reason *why) {
  struct output_file *const files[] = {&r->series, &r->shapes, &r->hashes};
  enum status worst = STATUS_OK;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    enum status status = output_file_close(files[i], why);
    if (status != STATUS_OK)
      worst = status;
  }
  return worst;
}
