#include "sagbend/integrator/plan.h"

#include "sagbend/math/dense6.h"

#include <stddef.h>
#include <string.h>

static int is_diagonal(const double (*a)[6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      if (i != j && a[i][j] != 0)
        return 0;
  return 1;
}

static int any_is_nonzero(const double *a, int count) {
  for (int i = 0; i < count; i++)
    if (a[i] != 0)
      return 1;
  return 0;
}

// The exact splitting needs a vessel with constant, diagonal matrices and without ports that depend on the
// velocity. Returns the reason why this session has none, or NULL.
static const char *find_splitting_error(const struct vessel_def *vessel, const struct env_def *env,
                                        const struct pid_def *pid, const char **key) {
  const double (*inertia)[6] = (const double (*)[6])vessel->inertia;
  *key = "vessel.inertia";
  if (!is_diagonal(inertia) || inertia[0][0] != inertia[1][1] || inertia[0][0] != inertia[2][2])
    return "an exact splitting needs the mass matrix diag(m, m, m, Ix, Iy, Iz): one mass, three moments of "
           "inertia";
  *key = "vessel.damping";
  if (!is_diagonal((const double (*)[6])vessel->damping_linear) ||
      any_is_nonzero(vessel->damping_quadratic, 6))
    return "an exact splitting needs constant, diagonal damping: no quadratic and no coupling terms";
  *key = "vessel.damping.axes";
  if (vessel->damping_axes != DAMPING_BODY)
    return "an exact splitting needs constant damping: in body axes";
  *key = vessel->hull.cross_flow ? "vessel.cross_flow" : "vessel.current_rows";
  if (vessel->hull.cross_flow || vessel->hull.row_count > 0)
    return "an exact splitting needs constant damping: no drag of the hull";
  *key = "vessel.hydro_file";
  if (vessel->radiation.count > 0)
    return "an exact splitting allows no memory of the radiation";
  *key = "vessel.hydrostatics.flotation_b_m";
  if (any_is_nonzero(vessel->flotation_b_m, 3))
    return "an exact splitting needs the centre of flotation at the reference point";
  *key = "vessel.thrusters";
  if (vessel->plant.thruster_count > 0)
    return "an exact splitting allows no thrusters";
  *key = "vessel.wind";
  if (vessel->windage.present && env->wind.present)
    return "an exact splitting allows no wind";
  *key = "vessel.waves";
  if (vessel->waves.present && env->waves.present)
    return "an exact splitting allows no waves";
  *key = "vessel.damping";
  if (vessel->current_acts && (env->current.surface_mps != 0 || env->current.point_count > 0))
    return "an exact splitting allows no damping relative to a current";
  *key = "controller.pid";
  if (any_is_nonzero(pid->integral_limit, 6))
    return "an exact splitting allows no limit on the integral";
  return NULL;
}

static const char *find_error(const struct integrator_def *def, const struct vessel_def *vessel,
                              const struct pipe_def *pipe, const struct env_def *env,
                              const struct pid_def *pid, const char **key) {
  *key = "environment.waves.pipe";
  if (pipe->elements > 0 && env->waves.present && env->waves.on_pipe &&
      (def->order == 4 || def->vessel != VESSEL_STRANG))
    return "waves on the pipe need simulation.order 2 and vessel.integrator strang: the other schemes "
           "evaluate "
           "the conservative part at times of their own, for which the force of the accelerating water is "
           "not "
           "defined";
  *key = "simulation.order";
  if (def->order == 4 && pipe->elements > 0)
    return "order 4 needs a vessel without a pipe: the pipe's damping lies in the part of the step that "
           "would run backwards";
  if (def->order == 4 && def->vessel != VESSEL_STRANG)
    return "order 4 cannot be combined with vessel.integrator, which has its own order";
  if (def->vessel == VESSEL_STRANG)
    return NULL;
  *key = "vessel.integrator";
  if (pipe->elements > 0)
    return "an exact splitting needs a vessel without a pipe";
  return find_splitting_error(vessel, env, pid, key);
}

enum status integrator_check(const struct integrator_def *def, const struct vessel_def *vessel,
                             const struct pipe_def *pipe, const struct env_def *env,
                             const struct pid_def *pid, const char **key, struct reason *why) {
  const char *error = find_error(def, vessel, pipe, env, pid, key);
  return error ? fail(why, STATUS_BAD_INPUT, "%s", error) : STATUS_OK;
}

static struct split_vessel split_vessel_of(const struct vessel *vessel) {
  struct split_vessel split = {.mass_kg = vessel->bare_inertia[0][0],
                               .heave_npm = vessel->heave_stiffness_npm,
                               .tilt_nm = {vessel->pitch_stiffness_nm, vessel->roll_stiffness_nm},
                               .equilibrium_z_m = vessel->equilibrium_z_m};
  for (int i = 0; i < 3; i++)
    split.moment_kgm2[i] = vessel->bare_inertia[3 + i][3 + i];
  for (int i = 0; i < 6; i++)
    split.damping[i] = vessel->damping_linear[i][i];
  split.inertia = rigid_inertia_of(split.moment_kgm2);
  return split;
}

struct integrator_plan integrator_plan_of(const struct integrator_def *def, const struct model *m,
                                          double step_s) {
  static const struct scheme *const schemes[] = {NULL, &scheme_v2, &scheme_s4_6, &scheme_s6_10};
  static const enum rigid_attitude attitudes[] = {RIGID_MAGNUS_2, RIGID_MAGNUS_2, RIGID_MAGNUS_4,
                                                  RIGID_MAGNUS_6};
  struct integrator_plan plan = {
      .order = def->order == 4 ? 4 : 2, .splitting = schemes[def->vessel], .how = attitudes[def->vessel]};
  memcpy(plan.inertia_factor, m->vessel.bare_inertia, sizeof plan.inertia_factor);
  mat6_cholesky(plan.inertia_factor); // positive definite: the simulator has checked it
  for (int k = 0; k < 2 && m->vessel.radiation.count > 0; k++) {
    double share = plan.order != 4 ? 0.5 : k ? FOURTH_ORDER_W : 0.5 - FOURTH_ORDER_W;
    plan.radiation[k] = radiation_step_of(&m->vessel.radiation, share * step_s);
  }
  if (!plan.splitting)
    return plan;
  plan.vessel = split_vessel_of(&m->vessel);
  memcpy(plan.pid.kp, m->pid.kp, sizeof plan.pid.kp);
  memcpy(plan.pid.kd, m->pid.kd, sizeof plan.pid.kd);
  memcpy(plan.pid.ki, m->pid.ki, sizeof plan.pid.ki);
  memcpy(plan.pid.reference, m->pid.reference, sizeof plan.pid.reference);
  return plan;
}
