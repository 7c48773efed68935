// The pull of the pipe from the statics.
#include "lab/capability/level2.h"

#include "sagbend/math/trig.h"

#include <stdlib.h>
#include <string.h>

static enum status solve(const struct level2_pipe *pipe, struct sim **sim, struct reason *why) {
  size_t size;
  enum status status = sim_memsize(pipe->def, &size, why);
  if (status == STATUS_OK && size > pipe->size)
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  return status == STATUS_OK ? sim_create(pipe->def, pipe->memory, pipe->size, sim, why) : status;
}

enum status level2_pipe_open(const struct config *config, struct level2_pipe *pipe, struct reason *why) {
  struct sim *sim;
  struct sim_output rest;
  *pipe = (struct level2_pipe){.def = malloc(sizeof *pipe->def)};
  if (!pipe->def)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  // What acts on the vessel and not on the pipe stays out.
  *pipe->def = config->sim;
  pipe->def->env.load_count = 0;
  pipe->def->env.wind.present = pipe->def->env.waves.present = 0;
  pipe->def->vessel.current_acts = 0;
  pipe->def->vessel.hull.row_count = 0; // which needs current_acts
  pipe->def->env.current = (struct current_def){0};
  pipe->def->statics.current = CURRENT_INITIAL;
  enum status status = sim_memsize(pipe->def, &pipe->size, why);
  pipe->size = (pipe->size + 4095) / 4096 * 4096;
  pipe->memory = status == STATUS_OK ? aligned_alloc(64, pipe->size) : NULL;
  if (status == STATUS_OK && !pipe->memory)
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK)
    status = solve(pipe, &sim, why);
  if (status != STATUS_OK)
    return status;
  sim_get_output(sim, &rest);
  pipe->def->statics.kind = STATICS_HANGOFF_POSITION;
  pipe->def->statics.hangoff_position_m[0] = rest.hangoff_position_n_m[0];
  pipe->def->statics.hangoff_position_m[1] = rest.hangoff_position_n_m[1];
  return STATUS_OK;
}

enum status level2_pipe_force(const struct level2_pipe *pipe, double current_mps, double direction_rad,
                              double force_b[3], struct reason *why) {
  struct sim *sim;
  pipe->def->env.current = (struct current_def){
      .surface_mps = current_mps,
      .direction_rad = trig_wrap(pipe->def->vessel.euler_rad[2] + direction_rad + TRIG_PI)};
  struct reason cause = {""};
  enum status status = solve(pipe, &sim, &cause);
  if (status != STATUS_OK)
    return fail(why, status,
                "the pipe in a current of %.3g m/s from %.4g deg off the bow, without wind: %.170s",
                current_mps, direction_rad * (180 / TRIG_PI), cause.text);
  const double *hold = sim_statics(sim)->hold_wrench_b;
  force_b[0] = -hold[0], force_b[1] = -hold[1], force_b[2] = -hold[5];
  return STATUS_OK;
}

void level2_pipe_close(struct level2_pipe *pipe) {
  free(pipe->memory);
  free(pipe->def);
  *pipe = (struct level2_pipe){0};
}
