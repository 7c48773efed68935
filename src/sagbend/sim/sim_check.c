// Checks of a definition before anything is created. They protect the simulator from a caller's errors; the
// configuration has checked most of this with the key and the line.
#include "sagbend/env/env.h"
#include "sagbend/sim/sim.h"

#include <string.h>

static int all_are_positive(const double *number, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!(number[i] > 0) || !isfinite(number[i]))
      return 0;
  return 1;
}

static int none_is_negative(const double *number, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!(number[i] >= 0) || !isfinite(number[i]))
      return 0;
  return 1;
}

static int type_is_valid(const struct pipe_type *type) {
  const double positive[] = {type->outer_diameter_m,        type->mass_kgpm,
                             type->inertia_kgm[0],          type->inertia_kgm[1],
                             type->inertia_kgm[2],          type->axial_stiffness_n,
                             type->shear_stiffness_n[0],    type->shear_stiffness_n[1],
                             type->torsion_stiffness_nm2,   type->bending_stiffness_nm2[0],
                             type->bending_stiffness_nm2[1]};
  return all_are_positive(positive, sizeof positive / sizeof *positive);
}

static int mesh_is_valid(const struct pipe_def *pipe) {
  if (pipe->mesh_segment_count > MAX_MESH_SEGMENTS || pipe->type_count > MAX_PIPE_TYPES)
    return 0;
  double length = 0;
  int elements = 0;
  for (int i = 0; i < pipe->mesh_segment_count; i++) {
    const struct mesh_segment *part = &pipe->mesh[i];
    if (!(part->length_m > 0) || part->elements < 1 || part->type < 0 || part->type > pipe->type_count)
      return 0;
    length += part->length_m;
    elements += part->elements;
  }
  return pipe->mesh_segment_count == 0 ||
         (elements == pipe->elements && fabs(length - pipe->length_m) <= 1e-9 * pipe->length_m);
}

static int tally_is_valid(const struct pipe_def *pipe) {
  if (pipe->tally.part_count < 0 || pipe->tally.part_count > MAX_TALLY_PARTS)
    return 0;
  for (int i = 0; i < pipe->tally.part_count; i++) {
    const struct mesh_segment *part = &pipe->tally.part[i];
    if (!(part->length_m > 0) || part->elements < 1 || part->elements > 100000 || part->type < 0 ||
        part->type > pipe->type_count)
      return 0;
  }
  return 1;
}

static int bathymetry_is_valid(const struct bathymetry_def *grid) {
  return grid->north_nodes == 0 ||
         (grid->north_nodes >= 2 && grid->east_nodes >= 2 && grid->spacing_m > 0 && grid->z_m);
}

// A coefficient needs a spring: the elastic part of the slip is the bound divided by its stiffness.
static int friction_is_valid(const struct friction_def *f) {
  const int slips = f->coefficient[0] > 0 || f->coefficient[1] > 0;
  return (unsigned)f->law < FRICTION_LAW_COUNT && none_is_negative(f->coefficient, 2) &&
         (!slips || (f->stiffness_npm2 > 0 && isfinite(f->stiffness_npm2)));
}

// A top that moves on a circle needs the circle's period; a table or no radius needs none.
static int motion_is_valid(const struct motion_def *m) {
  return m->rows >= 0 && m->rows <= TABLE_ROWS_MAX &&
         (m->rows > 0 || m->radius_m == 0 || (isfinite(m->radius_m) && m->period_s > 0));
}

static enum status check_environment(const struct env_def *env, struct reason *why) {
  if (!(env->depth_m > 0))
    return fail(why, STATUS_BAD_INPUT, "depth_m: positive expected, got %g", env->depth_m);
  if (!(fabs(env->slope.angle_rad) <= 1))
    return fail(why, STATUS_BAD_INPUT, "seabed slope: an angle of at most 1 rad expected, got %g",
                env->slope.angle_rad);
  if (!bathymetry_is_valid(&env->bathymetry))
    return fail(why, STATUS_BAD_INPUT,
                "bathymetry: a grid of at least 2 by 2 nodes and their spacing expected");
  if (!friction_is_valid(&env->friction))
    return fail(why, STATUS_BAD_INPUT,
                "friction: a known law, coefficients of at least 0 and with one above 0 a positive stiffness "
                "expected");
  if (sea_limit_of(&env->waves, env->gravity_mps2, env->depth_m, why) == SEA_BREAKS)
    return STATUS_BAD_INPUT;
  return STATUS_OK;
}

static int tensioner_is_valid_for(const struct pipe_def *pipe) {
  const struct tensioner_def *t = &pipe->tensioner;
  const double positive[] = {t->mass_kg, t->grip_n,  t->stiffness_npm, t->speed_max_mps,
                             t->motor_n, t->motor_w, t->ramp_nps,      t->acceleration_mps2};
  const double others[] = {t->brake_n, t->damping_nspm, t->dead_band_n};
  return all_are_positive(positive, sizeof positive / sizeof *positive) &&
         none_is_negative(others, sizeof others / sizeof *others) && t->order_count <= MAX_TENSIONER_ORDERS &&
         pipe->payout.row_count == 0 && (pipe->hangoff == HANGOFF_PINNED || pipe->hangoff == HANGOFF_CLAMPED);
}

static int retire_is_valid_for(const struct pipe_def *pipe, const struct env_def *env) {
  const int moves = pipe->payout.row_count > 0 || pipe->tensioner.order_count > 0;
  return moves && pipe->elements > 0 && pipe->lower != LOWER_FREE && isfinite(pipe->retire.anchor_m) &&
         pipe->retire.stored_max >= 1 && pipe->retire.stored_max <= 100000 && env->seabed != SEABED_NONE &&
         env->friction.coefficient[0] > 0 && env->friction.coefficient[1] > 0;
}

static int stinger_is_valid_for(const struct pipe_def *pipe) {
  const struct stinger_def *s = &pipe->stinger;
  const double arc[] = {s->radius_m, s->spacing_m};
  const double positive[] = {s->roller_radius_m, s->stiffness_npm, s->friction_stiffness_npm};
  const double others[] = {s->slope_rad, s->v_angle_rad, s->soft_m, s->friction};
  return all_are_positive(positive, sizeof positive / sizeof *positive) &&
         (s->support_count > 0 || all_are_positive(arc, 2)) &&
         none_is_negative(others, sizeof others / sizeof *others) && s->ramp_supports >= 0 &&
         s->arc_supports >= 0 && s->support_count >= 0 && stinger_supports(s) <= MAX_STINGER_SUPPORTS &&
         (pipe->hangoff == HANGOFF_PINNED || pipe->hangoff == HANGOFF_CLAMPED);
}

static int bends_validly(const struct pipe_type *type) {
  const double a = type->ramberg_osgood[0], b = type->ramberg_osgood[1];
  return type->yield_moment_nm == 0 ||
         (type->yield_moment_nm > 0 && isfinite(type->yield_moment_nm) && (a == 0 || (a > 0 && b > 1)) &&
          isfinite(a) && isfinite(b) && type->bending_stiffness_nm2[0] == type->bending_stiffness_nm2[1]);
}

static enum status check_soil(const struct pipe_def *pipe, const struct env_def *env, struct reason *why) {
  const struct soil_def *soil = &env->soil;
  if (env->seabed != SEABED_SOIL && friction_needs_soil(env->friction.law))
    return fail(why, STATUS_BAD_INPUT, "friction: its law needs a soil");
  if (env->seabed != SEABED_SOIL || pipe->elements == 0)
    return STATUS_OK;
  const double positive[] = {soil->stiffness, soil->suction_depth, soil->dynamic_factor};
  const double others[] = {soil->strength_pa, soil->gradient_papm, soil->weight_npm3, soil->suction,
                           soil->lay_factor};
  if (!all_are_positive(positive, sizeof positive / sizeof *positive) || soil->suction_depth > 1 ||
      !none_is_negative(others, sizeof others / sizeof *others) || soil->table_count > SOIL_TABLE_MAX)
    return fail(why, STATUS_BAD_INPUT, "soil: positive properties and a suction depth of at most 1 expected");
  if (!(soil->sensitivity >= 0 && isfinite(soil->sensitivity)) ||
      (soil_softens(soil) &&
       !(soil->model == SOIL_CLAY && soil->softening_m > 0 && isfinite(soil->softening_m))))
    return fail(why, STATUS_BAD_INPUT, "soil: a sensitivity above 1 needs clay and a positive softening_m");
  for (int k = 0; k <= pipe->type_count; k++) {
    const struct pipe_type *type = pipe_type_of(pipe, k);
    struct soil_column column;
    if (soil_column_create(&column, soil, type->outer_diameter_m, why) != STATUS_OK ||
        soil_carries(soil, type->outer_diameter_m, pipe_type_weight(pipe, type, env), why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  }
  return STATUS_OK;
}

static enum status check_plastic(const struct pipe_def *pipe, struct reason *why) {
  int valid = bends_validly(&pipe->line);
  for (int k = 0; k < pipe->type_count; k++)
    valid &= bends_validly(&pipe->types[k]);
  if (!valid)
    return fail(why, STATUS_BAD_INPUT,
                "pipe yield: a positive moment, A = 0 or A > 0 with B > 1, and equal bending stiffnesses "
                "expected");
  return STATUS_OK;
}

static enum status check_tower(const struct pipe_def *pipe, struct reason *why) {
  const struct tower_def *tower = &pipe->tower;
  int valid = tower->rows == 0 || (tower->rows >= 2 && tower->rows <= TABLE_ROWS_MAX &&
                                   pipe->hangoff == HANGOFF_CLAMPED && tower->table[0].value[0] == 0);
  for (int i = 1; valid && i < tower->rows; i++)
    valid = tower->table[i].time_s > tower->table[i - 1].time_s && isfinite(tower->table[i].value[0]);
  int yields = pipe->line.yield_moment_nm != 0;
  for (int k = 0; k < pipe->type_count; k++)
    yields |= pipe->types[k].yield_moment_nm != 0;
  const int has_rollers = stinger_supports(&pipe->stinger) != 0;
  return valid && !(tower->rows > 0 && (yields || has_rollers))
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT,
                    "tower needs a clamped elastic pipe without a stinger, and angles over rising times that "
                    "begin with 0");
}

static int operation_is_valid(const struct pipe_def *pipe, const struct operation *op) {
  const double number[] = {op->tension_n, op->speed_mps, op->length_m, op->turn_rad, op->end_value};
  for (size_t k = 0; k < sizeof number / sizeof *number; k++)
    if (!isfinite(number[k]))
      return 0;
  const int moves = op->order == OPERATION_MOVE;
  return (unsigned)op->order < OPERATION_ORDER_COUNT && (unsigned)op->end < OPERATION_END_COUNT &&
         op->end_type >= 0 && op->end_type <= pipe->type_count && op->pause_s >= 0 && op->limit_s >= 0 &&
         (!moves || (op->moves >= 1 && op->length_m != 0 && op->speed_mps > 0)) &&
         (!op->turns || (op->turn_s > 0 && pipe->hangoff == HANGOFF_CLAMPED && pipe->tower.rows == 0));
}

static enum status check_operations(const struct pipe_def *pipe, struct reason *why) {
  const struct operations_def *all = &pipe->operations;
  int valid =
      all->count >= 0 && all->count <= MAX_OPERATIONS && (all->count == 0 || pipe->tensioner.order_count > 0);
  for (int i = 0; valid && i < all->count; i++)
    valid = operation_is_valid(pipe, &all->operation[i]);
  return valid
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "operations need a tensioner that follows orders and can do them");
}

static enum status check_pipe(const struct pipe_def *pipe, const struct env_def *env, struct reason *why) {
  if (check_soil(pipe, env, why) != STATUS_OK || check_plastic(pipe, why) != STATUS_OK ||
      check_tower(pipe, why) != STATUS_OK || check_operations(pipe, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (pipe->retire.anchor_m != 0 && !(pipe->retire.anchor_m > 0 && retire_is_valid_for(pipe, env)))
    return fail(why, STATUS_BAD_INPUT,
                "retire needs pay-out, a held lower end, a seabed with friction both ways, and a positive "
                "length and store");
  if (stinger_supports(&pipe->stinger) != 0 && !stinger_is_valid_for(pipe))
    return fail(
        why, STATUS_BAD_INPUT,
        "stinger needs a pipe that hangs from the vessel, at most %d supports and positive properties",
        MAX_STINGER_SUPPORTS);
  if (pipe->tensioner.order_count > 0 && !tensioner_is_valid_for(pipe))
    return fail(why, STATUS_BAD_INPUT,
                "tensioner needs a pipe that hangs from the vessel, no programme, and positive properties");
  if (pipe->elements < 0 || pipe->elements == 1 || pipe->elements > 100000)
    return fail(why, STATUS_BAD_INPUT, "pipe elements: 0 (no pipe) or 2 to 100000 expected, got %d",
                pipe->elements);
  if (pipe->elements > 0 && env->waves.present && env->waves.on_pipe && !pipe->water_inertia &&
      pipe->buoyancy == BUOYANCY_BY_DEPTH)
    return fail(why, STATUS_BAD_INPUT,
                "waves on the pipe need the force of the accelerating water, or buoyancy submerged");
  if (pipe->hangoff == HANGOFF_MOVED && !motion_is_valid(&pipe->motion))
    return fail(why, STATUS_BAD_INPUT, "motion: at most %d rows, or a positive period expected",
                TABLE_ROWS_MAX);
  if (!mesh_is_valid(pipe))
    return fail(why, STATUS_BAD_INPUT,
                "pipe mesh: parts that sum to the pipe's length and elements expected");
  if (!tally_is_valid(pipe))
    return fail(why, STATUS_BAD_INPUT, "pipe feed: parts of a positive length and known types expected");
  if (pipe->elements > 0 && !(pipe->length_m > 0 && type_is_valid(&pipe->line)))
    return fail(why, STATUS_BAD_INPUT,
                "pipe: length, diameter, mass, inertia and stiffness must be positive");
  for (int k = 0; k < pipe->type_count; k++)
    if (!type_is_valid(&pipe->types[k]))
      return fail(why, STATUS_BAD_INPUT,
                  "pipe type %d: diameter, mass, inertia and stiffness must be positive", k);
  return STATUS_OK;
}

static enum status check_radiation(const struct hydro_memory *memory, struct reason *why) {
  double factor[MAX_OSCILLATORS][MAX_OSCILLATORS];
  if (memory->count < 0 || memory->count > MAX_OSCILLATORS)
    return fail(why, STATUS_BAD_INPUT, "radiation: at most %d oscillators expected, got %d", MAX_OSCILLATORS,
                memory->count);
  for (int k = 0; k < memory->count; k++)
    if (!(memory->omega_radps[k] > 0) || !isfinite(memory->omega_radps[k]))
      return fail(why, STATUS_BAD_INPUT, "radiation: a positive frequency expected, got %g",
                  memory->omega_radps[k]);
  return hydro_memory_factor(memory, factor) == STATUS_OK
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "radiation: a positive semidefinite damping expected");
}

enum status sim_check_integrator(const struct sim_def *def, const char **key, struct reason *why) {
  return integrator_check(&def->integrator, &def->vessel, &def->pipe, &def->env, &def->pid, key, why);
}

enum status sim_check_def(const struct sim_def *def, struct reason *why) {
  if (!(def->step_s > 0) || !isfinite(def->step_s))
    return fail(why, STATUS_BAD_INPUT, "step_s: a positive number of seconds expected, got %g", def->step_s);
  if (def->newton_max_iterations < 1)
    return fail(why, STATUS_BAD_INPUT, "newton_max_iterations: at least 1 expected, got %d",
                def->newton_max_iterations);
  if (check_pipe(&def->pipe, &def->env, why) != STATUS_OK || check_environment(&def->env, why) != STATUS_OK)
    return STATUS_BAD_INPUT;

  double inertia[6][6];
  memcpy(inertia, def->vessel.inertia, sizeof inertia);
  if (mat6_cholesky(inertia) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "vessel inertia: a positive definite matrix expected");

  if (def->code_check.enabled && def->pipe.elements == 0)
    return fail(why, STATUS_BAD_INPUT, "code check needs a pipe");
  if (def->code_check.enabled && (unsigned)def->code_check.safety_class >= SAFETY_CLASS_COUNT)
    return fail(why, STATUS_BAD_INPUT, "code check needs a safety class");
  if (check_radiation(&def->vessel.radiation, why) != STATUS_OK)
    return STATUS_BAD_INPUT;

  const char *key;
  struct reason integrator_why;
  if (sim_check_integrator(def, &key, &integrator_why) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", key, integrator_why.text);
  return STATUS_OK;
}
