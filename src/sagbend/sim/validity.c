// Limits of validity: what the state is compared with after each step.
#include "sagbend/sim/sim_parts.h"

#include "sagbend/math/trig.h"

static double given_or(double value, double usual) {
  return value > 0 ? value : usual;
}

static double draft_of(const struct vessel_def *vessel) {
  return given_or(vessel->hull.draft_m, vessel->waves.draft_m);
}

// The hydrostatics are linear in roll and pitch.
static int angle_is_large(const struct sim *sim) {
  const struct vessel_def *vessel = &sim->def.vessel;
  double euler[3], limit = given_or(sim->def.validity.angle_rad, VALIDITY_ANGLE_RAD);
  if (!(vessel->gm_transverse_m > 0 || vessel->gm_longitudinal_m > 0))
    return 0;
  euler_of_quat(sim->state.vessel.q_nb, euler);
  return fabs(euler[0]) > limit || fabs(euler[1]) > limit;
}

// A hang-off that starts clear of the water stays above it; another one may be at the keel, and heave with
// it.
static int hangoff_is_outside(const struct sim *sim) {
  const struct pipe_mesh *pipe = &sim->state.mesh.pipe;
  double draft = given_or(draft_of(&sim->def.vessel), VALIDITY_DRAFT_M);
  double limit = given_or(sim->def.validity.hangoff_depth_m,
                          sim->hangoff_start_z_m < -VALIDITY_HANGOFF_DRY_M ? 0 : 2 * draft);
  if (sim->def.pipe.hangoff != HANGOFF_PINNED && sim->def.pipe.hangoff != HANGOFF_CLAMPED)
    return 0;
  vec3 top = pipe_get3(sim->state.pipe.r_n, pipe->nodes - 1);
  return top.z > limit ||
         (sim->def.env.seabed != SEABED_NONE && surface_penetration(&pipe->pipe->ground, 0, top, NULL) > 0);
}

// The springs of the seabed stand for pipe that rests on the ground.
static int pipe_sinks(const struct sim *sim) {
  const struct pipe_mesh *pipe = &sim->state.mesh.pipe;
  double diameters = given_or(sim->def.validity.sinking_diameters, VALIDITY_SINKING_DIAMETERS);
  int found = 0;
  for (int i = 0; i < pipe->nodes; i++) {
    double radius = pipe->outer_radius_m[i < pipe->elements ? i : i - 1];
    found |= pipe->contact_length_m[i] > 0 && sim->work.pipe.penetration_m[i] > diameters * 2 * radius;
  }
  return found;
}

// The data of a diffraction code hold for small motions of a vessel without way. Brard's number, the speed
// times the wave's frequency over g, is 1/4 where the waves that a moving vessel makes change their pattern.
static int is_beyond_hydro(const struct sim *sim) {
  const struct vessel_def *vessel = &sim->def.vessel;
  const struct vessel_state *state = &sim->state.vessel;
  const struct waves_def *waves = &sim->def.env.waves;
  if (vessel->radiation.count == 0) // no hydro file
    return 0;
  mat3 q = quat_matrix(state->q_nb);
  double heave = state->x_n.z + mat3_mul(&q, vec3_of(vessel->flotation_b_m)).z - vessel->equilibrium_z_m;
  if (draft_of(vessel) > 0 && fabs(heave) > draft_of(vessel))
    return 1;

  vec3 v = mat3_mul(&q, vec3_of(state->nu));
  if (vessel->current_acts)
    v = vec3_sub(
        v, current_at(&sim->model.current, current_turn_at(&sim->model.env.current, sim_time_s(sim)), 0));
  double brard = given_or(sim->def.validity.brard_number, VALIDITY_BRARD_NUMBER);
  double limit = brard * sim->def.env.gravity_mps2 * waves->period_s / (2 * TRIG_PI);
  return waves->present && v.x * v.x + v.y * v.y > limit * limit;
}

// The lengths of elements follow from where the touchdown was foreseen (sagbend/model/graded_mesh.h).
static int touchdown_has_left(const struct sim *sim) {
  const struct pipe_mesh *pipe = &sim->state.mesh.pipe;
  const struct pipe_def *def = &sim->def.pipe;
  if (!def->is_graded)
    return 0;
  for (int e = pipe->elements - 1; e >= 0; e--)
    if (sim->work.pipe.penetration_m[e] > 0 && pipe->contact_length_m[e] > 0)
      return pipe->length_m[e] > 1.01 * def->length_m / def->elements;
  return 0;
}

void sim_watch_validity(struct sim *sim) {
  if (angle_is_large(sim))
    sim_raise(sim, EVENT_LARGE_ANGLE);
  if (is_beyond_hydro(sim))
    sim_raise(sim, EVENT_BEYOND_HYDRO);
  if (sim->state.mesh.pipe.nodes == 0)
    return;
  if (hangoff_is_outside(sim))
    sim_raise(sim, EVENT_HANGOFF_OUTSIDE);
  if (sim->extremes.max_strain.value > given_or(sim->def.validity.strain, VALIDITY_STRAIN))
    sim_raise(sim, EVENT_LARGE_STRAIN);
  if (pipe_sinks(sim))
    sim_raise(sim, EVENT_PIPE_SINKS);
  if (touchdown_has_left(sim))
    sim_raise(sim, EVENT_TOUCHDOWN_LEFT);
}
