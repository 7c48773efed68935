// Notices before a run: what the case says that its author may not expect.
#include "run/setup/setup.h"

#include "net/case/case.h"
#include "sagbend/env/env.h"
#include "sagbend/ground/ground.h"
#include "sagbend/hydro/hydro.h"
#include "sagbend/math/math.h"
#include "sagbend/model/model.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/steel/steel.h"
#include "sagbend/vessel/vessel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Linear damping beside a hydro file is what radiation lacks. More than the largest radiation damping of a
// motion is mostly the damping of a configuration without a hydro file, which contains it.
static void notice_damping(const struct config *c, void (*say)(void *context, const char *text),
                           void *context) {
  static const char *const names[6] = {"surge", "sway", "heave", "roll", "pitch", "yaw"};
  const struct hydro_data *hydro = c->hydro;
  double peak[6] = {0};
  char line[256] = "";
  for (int f = 0; hydro && f < hydro->force.frequencies; f++) {
    double re[6][6], im[6][6];
    hydro_memory_at(&hydro->memory, hydro->force.omega_radps[f], re, im);
    for (int i = 0; i < 6; i++)
      peak[i] = fmax(peak[i], re[i][i]);
  }
  for (int i = 0; i < 6; i++)
    if (peak[i] > 0 && c->sim.vessel.damping_linear[i][i] > peak[i])
      snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s (%.3g, %.3g)", *line ? ", " : "",
               names[i], c->sim.vessel.damping_linear[i][i], peak[i]);
  if (!*line)
    return;
  char text[512];
  snprintf(text, sizeof text,
           "damping counted twice? vessel.damping.linear exceeds the largest radiation damping of "
           "vessel.hydro_file in %s; it should contain only what comes on top",
           line);
  say(context, text);
}

// The memory of a hydro file that was accepted with a tolerance, and what it takes from the order of the
// step.
static void notice_memory(const struct config *c, void (*say)(void *context, const char *text),
                          void *context) {
  char text[400], line[480];
  if (!c->hydro)
    return;
  if (hydro_fit_notice(c->hydro, text, sizeof text)) {
    snprintf(line, sizeof line, "vessel.hydro_file: %s", text);
    say(context, line);
  }
  if (c->sim.integrator.order == 4 && c->hydro->memory.count > 0)
    say(context,
        "simulation.order: 4 beside vessel.hydro_file: the memory of the radiation is of order 2, and so "
        "is the motion");
}

// A set-point below the horizontal force, mostly one in kN.
static void notice_low_tension(const char *list, int i, double tension_n, double force_n,
                               void (*say)(void *context, const char *text), void *context) {
  char line[256];
  if (tension_n >= force_n)
    return;
  snprintf(line, sizeof line,
           "%s.%d: a tension of %g N is less than statics.horizontal_force_n, %g N: the pipe runs out until "
           "the vessel has come nearer",
           list, i, tension_n, force_n);
  say(context, line);
}

// A tensioner that holds less than the horizontal force cannot hold the pipe: mostly a force in kN.
static void notice_tensioner(const struct config *c, void (*say)(void *context, const char *text),
                             void *context) {
  const struct tensioner_def *t = &c->sim.pipe.tensioner;
  const struct operations_def *all = &c->sim.pipe.operations;
  const double force = c->sim.statics.horizontal_force_n, held = fmin(t->brake_n, t->grip_n);
  char line[256];
  if (t->order_count == 0 || c->sim.statics.kind != STATICS_HORIZONTAL_FORCE)
    return;
  if (held < force) {
    snprintf(line, sizeof line,
             "pipe.tensioner: brake and grip hold %g N, less than statics.horizontal_force_n, %g N: the pipe "
             "slips",
             held, force);
    say(context, line);
  }
  for (int i = 0; i < t->order_count; i++)
    if (t->order[i].mode == TENSIONER_TENSION)
      notice_low_tension("pipe.tensioner.orders", i, t->order[i].tension_n, force, say, context);
  for (int i = 0; i < all->count; i++)
    if (all->operation[i].order == OPERATION_TENSION)
      notice_low_tension("pipe.operations", i, all->operation[i].tension_n, force, say, context);
}

// Length within which pipe bends at a clamped top, sqrt(EI/T).
static double bend_at_clamp(const struct config *c, const struct pipe_type *type) {
  const struct pipe_def *pipe = &c->sim.pipe;
  const double tension = c->sim.statics.horizontal_force_n +
                         fmax(0, pipe_type_weight(pipe, &pipe->line, &c->sim.env)) * c->sim.env.depth_m;
  return tension > 0 ? sqrt(type->bending_stiffness_nm2[0] / tension) : (double)INFINITY;
}

// The moment at the clamp of a pipe of constant length: too high by some 3 % of the square of the element's
// length over that of the bend (docs/model.md).
static void notice_clamped_moment(double element_m, double bend_m,
                                  void (*say)(void *context, const char *text), void *context) {
  const double share = element_m / bend_m;
  char line[256];
  if (!(share > 0.5))
    return;
  snprintf(
      line, sizeof line,
      "pipe.hangoff: the element at the clamp is %.3g m long, and the pipe bends within sqrt(EI/T) = %.3g m: "
      "its moment there is some %.2g %% too high; elements of at most %.2g m keep that below 1 %%",
      element_m, bend_m, fmin(3 * share * share, 100), 0.5 * bend_m);
  say(context, line);
}

// Splits and merges at a clamp that bends the pipe: one element cannot take the shape of two that are bent.
// With the angle auto it hardly does.
static void notice_clamp(const struct config *c, void (*say)(void *context, const char *text),
                         void *context) {
  const struct pipe_def *pipe = &c->sim.pipe;
  char line[256];
  const int is_constant = pipe->payout.row_count == 0 && pipe->tensioner.order_count == 0;
  if (pipe->hangoff != HANGOFF_CLAMPED || pipe->hangoff_angle_auto || pipe->elements == 0)
    return;
  for (int i = -1; i < pipe->tally.part_count; i++) {
    const struct mesh_segment whole = {pipe->length_m, pipe->elements, 0};
    const struct mesh_segment *part = i >= 0 ? &pipe->tally.part[i]
                                      : pipe->mesh_segment_count > 0
                                          ? &pipe->mesh[pipe->mesh_segment_count - 1]
                                          : &whole;
    const double bend_m = bend_at_clamp(c, pipe_type_of(pipe, part->type)), longest = 0.2 * bend_m;
    if (is_constant) {
      notice_clamped_moment(part->length_m / part->elements, bend_m, say, context);
      return;
    }
    if (part->length_m / part->elements <= longest)
      continue;
    snprintf(line, sizeof line,
             "pipe.hangoff: elements of %.3g m come to the clamp; ones of at most %.2g m keep the tension "
             "smooth where they begin and end, a fifth of sqrt(EI/T)",
             part->length_m / part->elements, longest);
    say(context, line);
    return;
  }
}

struct pipe_key setup_pipe_key(int type) {
  struct pipe_key key;
  snprintf(key.text, sizeof key.text, type ? "pipe.sections.%d" : "pipe", type - 1);
  return key;
}

int setup_is_perfectly_plastic(const struct config *c) {
  int found = 0;
  for (int k = 0; k <= c->sim.pipe.type_count && c->sim.pipe.elements > 0; k++)
    found |= pipe_type_of(&c->sim.pipe, k)->yield_moment_nm > 0 &&
             pipe_type_of(&c->sim.pipe, k)->ramberg_osgood[0] == 0;
  return found;
}

const char *setup_localisation_text(void) {
  return "pipe.ramberg_osgood: perfect: bending beyond yield gathers in single elements, so that curvature "
         "and strain there depend on the mesh and grow without limit as it becomes finer";
}

// Which sections are wires, and why; and beams that had better be wires.
static void notice_wires(const struct config *c, void (*say)(void *context, const char *text),
                         void *context) {
  char line[320];
  for (int k = 0; k <= c->sim.pipe.type_count && c->sim.pipe.elements > 0; k++) {
    const struct pipe_type *type = pipe_type_of(&c->sim.pipe, k);
    const double own = fmax(type->bending_stiffness_nm2[0], type->bending_stiffness_nm2[1]),
                 least = config_wire_bending(&c->sim, k);
    const struct pipe_key section = setup_pipe_key(k);
    const int is_slender = own < least;
    if (type->wire > 0)
      snprintf(
          line, sizeof line,
          "%s: its elements are wires, %s: EI = %.3g N m2 is %s T l^2/100 = %.3g N m2; tension along the "
          "chord, no torsion",
          section.text, c->element_kind[k] == ELEMENT_AUTO ? "by element_kind: auto" : "as element_kind asks",
          own, is_slender ? "below" : "not below", least);
    else if (is_slender)
      snprintf(line, sizeof line,
               "%s: its elements are beams%s, though EI = %.3g N m2 is below T l^2/100 = %.3g N m2: they may "
               "fold (event element_folded); element_kind: wire cannot",
               section.text, c->element_kind[k] == ELEMENT_BEAM ? ", as element_kind asks" : "", own, least);
    else
      continue;
    say(context, line);
  }
}

// The law that follows from the steel, and a yield moment that is not that of the steel.
static void notice_hardening(const struct config *c, void (*say)(void *context, const char *text),
                             void *context) {
  char line[320];
  for (int k = 0; k <= c->sim.pipe.type_count; k++) {
    const struct pipe_type *type = pipe_type_of(&c->sim.pipe, k);
    const struct check_steel *s = &c->sim.code_check.steel[k];
    if (!(c->steel_hardening >> k & 1))
      continue;
    const struct pipe_steel steel = {
        .yield_pa = s->yield_pa - s->yield_derating_pa, .diameter_m = s->diameter_m, .wall_m = s->wall_m};
    const double ratio = type->yield_moment_nm / hardening_yield_moment(&steel);
    int used = snprintf(line, sizeof line,
                        "%s.yield_moment_nm: its hardening follows pipe.steel, ramberg_osgood: [%.4g, %.4g]",
                        setup_pipe_key(k).text, type->ramberg_osgood[0], type->ramberg_osgood[1]);
    if (fabs(ratio - 1) > 0.1)
      snprintf(
          line + used, sizeof line - (size_t)used,
          "; it is %.3g times the yield stress times the elastic section modulus, %.4g N m, to which that "
          "law belongs",
          ratio, type->yield_moment_nm / ratio);
    say(context, line);
  }
  if (setup_is_perfectly_plastic(c))
    say(context, setup_localisation_text());
}

// Ranges of the code check that the configuration alone decides.
static void notice_check_ranges(const struct config *c, void (*say)(void *context, const char *text),
                                void *context) {
  const struct code_check_def *def = &c->sim.code_check;
  const struct check_factors factors = check_factors_of((enum safety_class)def->safety_class, def->condition);
  char line[256];
  for (int k = 0; k <= c->sim.pipe.type_count && def->enabled; k++) {
    struct check_capacity capacity;
    struct reason why;
    const struct pipe_key section = setup_pipe_key(k);
    if (check_prepare(&def->steel[k], &factors, def->min_pressure_pa, &capacity, &why) != STATUS_OK)
      continue;
    const double inside = fmax(c->sim.pipe.content_pressure_pa, def->min_pressure_pa);
    if (capacity.d_over_t < CHECK_LEAST_D_OVER_T || capacity.d_over_t > CHECK_LARGEST_D_OVER_T) {
      snprintf(line, sizeof line,
               "%s.steel: D/t = %.3g is outside %g to %g, where local buckling and propagation apply; their "
               "utilisations are undefined there",
               section.text, capacity.d_over_t, CHECK_LEAST_D_OVER_T, CHECK_LARGEST_D_OVER_T);
      say(context, line);
    }
    if (inside * capacity.use.containment > 1) {
      snprintf(
          line, sizeof line,
          "%s.steel: the internal pressure at the surface, %.4g Pa, is %.3g times what pressure containment "
          "allows%s",
          section.text, inside, inside * capacity.use.containment,
          inside >= capacity.burst_pa ? "; it bursts the pipe, and no check of local buckling applies" : "");
      say(context, line);
    }
  }
}

// Registers with true values beside instruments: a controller that reads them notices no failure.
static void notice_true_registers(const struct config *c, void (*say)(void *context, const char *text),
                                  void *context) {
  static const char quantity[] = "quantity.", power[] = "power_";
  const struct modbus_register_def *first = NULL;
  int count = 0;
  char line[256];
  for (int i = 0; config_run(c)->modbus.is_on && c->suite.instruments.count > 0 &&
                  i < config_run(c)->modbus.register_count;
       i++) {
    const struct modbus_register_def *def = &config_run(c)->modbus.registers[i];
    if (strncmp(def->signal, quantity, sizeof quantity - 1) != 0 ||
        strncmp(def->signal + sizeof quantity - 1, power, sizeof power - 1) == 0)
      continue;
    first = first ? first : def;
    count++;
  }
  if (!first)
    return;
  snprintf(line, sizeof line,
           "modbus.registers: %s%s true: no failure of an instrument changes what a controller reads there; "
           "instrument.NAME.SIGNAL is what is measured",
           first->signal, count > 1 ? " and others are" : " is");
  say(context, line);
}

static void notices_sea(const struct config *c, void (*say)(void *context, const char *text), void *context);

// A backup is worth what does not fail together with the main ones.
static void notice_backup(const struct config *c, void (*say)(void *context, const char *text),
                          void *context) {
  const struct controllers_def *list = &c->scenario.controllers;
  const struct instruments_def *all = &c->suite.instruments;
  const uint64_t backup = controllers_backup(list);
  int position = 0, heading = 0, motion = 0, wind = 0;
  char line[300];
  if (!backup)
    return;
  for (int i = 0; i < all->count; i++)
    if (all->instrument[i].zone == 1 + SIDE_BACKUP) {
      const enum instrument kind = all->instrument[i].kind;
      position |= kind == INSTRUMENT_GNSS || reference_is(kind);
      heading |= kind == INSTRUMENT_GYRO;
      motion |= kind == INSTRUMENT_MOTION;
      wind |= kind == INSTRUMENT_WIND;
    }
  if (position && heading && motion && wind)
    return;
  snprintf(
      line, sizeof line,
      "controllers: the backup %s has no%s%s%s%s of its own: what fails there fails it together with the "
      "main ones",
      list->item[backup - 1].name, position ? "" : " position reference", heading ? "" : " gyro",
      motion ? "" : " motion sensor", wind ? "" : " wind sensor");
  say(context, line);
}

void setup_notices(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  static const char *const modes[] = {
      [RUN_REALTIME] = "realtime", [RUN_LOCKSTEP] = "lockstep", [RUN_FAST] = "fast"};
  char line[256];
  if (c->run.mode == RUN_FAST && c->sim.controller == CONTROLLER_EXTERNAL) {
    snprintf(line, sizeof line, "in fast mode the controller of %.150s runs in this process", c->dp_file);
    say(context, line);
  }
  if (c->run.mode != RUN_LOCKSTEP && c->run.lockstep_timeout_s > 0)
    say(context, "simulation.lockstep_timeout_s has an effect in mode lockstep only");
  if (c->run.mode != RUN_REALTIME && c->run.overrun == OVERRUN_HALT) {
    snprintf(line, sizeof line,
             "simulation.overrun: halt has an effect in mode realtime only; in mode %s no step is late",
             modes[c->run.mode]);
    say(context, line);
  }
  if (c->run.mode != RUN_REALTIME && c->run.clock != RIG_CLOCK_MONOTONIC) {
    snprintf(line, sizeof line, "real_time.clock: %s has an effect in mode realtime only",
             rig_clock_word(c->run.clock));
    say(context, line);
  }
  if ((c->log.keep_parts > 0 || c->log.keep_mib > 0) && !(c->log.part_s > 0 || c->log.part_mib > 0))
    say(context, "log.keep_parts and log.keep_mib delete nothing: they need a log in parts (log.part_s, "
                 "log.part_mib)");
  notice_true_registers(c, say, context);
  notice_backup(c, say, context);
  notice_damping(c, say, context);
  notice_memory(c, say, context);
  notice_tensioner(c, say, context);
  notice_clamp(c, say, context);
  notices_mesh(c, say, context);
  notice_wires(c, say, context);
  notice_hardening(c, say, context);
  notice_check_ranges(c, say, context);
  notices_sea(c, say, context);
}

// ------------------------------------------------------------
static double top_z_m(const struct config *c) {
  return c->sim.vessel.position_n_m[2] + c->sim.vessel.hangoff_b_m[2];
}

// Parts of a mesh that differ much where the pipe bends: at the touchdown and at the hang-off. A mesh that
// pay-out moves is not looked at, nor is a part of another section, whose length is its own.
static void notice_neighbours(const struct config *c, void (*say)(void *context, const char *text),
                              void *context) {
  const struct pipe_def *pipe = &c->sim.pipe;
  struct touchdown t = {.from_m = 0, .to_m = pipe->length_m};
  double s = 0;
  char line[320];
  if (pipe->payout.row_count > 0 || pipe->tensioner.order_count > 0)
    return;
  touchdown_foresee(pipe, &c->sim.env, &c->sim.statics, top_z_m(c), &t);
  const int touches = c->sim.env.seabed != SEABED_NONE;
  for (int k = 0; k + 1 < pipe->mesh_segment_count; k++) {
    const struct mesh_segment *below = &pipe->mesh[k], *above = below + 1;
    const double l0 = below->length_m / below->elements, l1 = above->length_m / above->elements,
                 near = 2 * fmax(l0, l1);
    s += below->length_m;
    const int at_touchdown =
        touches && s > t.from_m - near && s<t.to_m + near, at_top = s> pipe->length_m - near;
    if (below->type != above->type || fmax(l0, l1) <= 4 * fmin(l0, l1) || !(at_touchdown || at_top))
      continue;
    snprintf(
        line, sizeof line,
        "pipe.mesh: at %.4g m elements of %.3g m meet ones of %.3g m, near the %s: moments there are wrong "
        "where neighbours differ by more than 4 times; make a part between them, or give pipe.elements "
        "alone",
        s, l0, l1, at_touchdown ? "touchdown" : "hang-off");
    say(context, line);
    return;
  }
}

// Largest speed with which the top is moved as imposed, or with which a vessel would follow the waves.
static double top_speed_mps(const struct config *c) {
  const struct motion_def *motion = &c->sim.pipe.motion;
  double most = 0;
  if (c->sim.pipe.hangoff != HANGOFF_MOVED)
    return c->sim.env.waves.present ? TRIG_PI * c->sim.env.waves.height_m / c->sim.env.waves.period_s : 0;
  if (motion->rows == 0)
    return 2 * TRIG_PI * motion->radius_m / motion->period_s;
  for (int k = 1; k < motion->rows; k++) {
    const struct table_row *a = &motion->table[k - 1], *b = &motion->table[k];
    double square = 0;
    for (int i = 0; i < 3; i++)
      square += (b->value[i] - a->value[i]) * (b->value[i] - a->value[i]);
    most = fmax(most, sqrt(square) / (b->time_s - a->time_s));
  }
  return most;
}

// A pipe whose top comes down faster than it sinks becomes slack, and snaps as it comes taut. The snap's rise
// is about the time in which a wave crosses the suspended pipe; the case snap of sagbend verify shows what a
// step of a tenth of it resolves.
static void notice_snap(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  const struct pipe_def *pipe = &c->sim.pipe;
  const struct pipe_type *line = &pipe->line;
  const double weight = pipe->elements > 0 ? pipe_type_weight(pipe, line, &c->sim.env) : 0;
  struct touchdown t = {.to_m = 0};
  char text[400];
  if (!(weight > 0) || pipe->hangoff == HANGOFF_FREE || !(line->drag_transverse > 0))
    return;
  const double sinks =
                   sqrt(2 * weight /
                        (c->sim.env.water_density_kgpm3 * line->drag_transverse * line->outer_diameter_m)),
               moves = top_speed_mps(c);
  if (moves <= sinks)
    return;
  touchdown_foresee(pipe, &c->sim.env, &c->sim.statics, top_z_m(c), &t);
  const double suspended = pipe->length_m - fmin(t.to_m, 0.9 * pipe->length_m),
               wave = sqrt(line->axial_stiffness_n / pipe_type_mass(pipe, line)),
               step = 0.1 * suspended / wave;
  if (c->sim.step_s <= step)
    return;
  snprintf(
      text, sizeof text,
      "snap loads: the top moves at up to %.3g m/s and the pipe sinks at %.3g m/s, so it may become slack "
      "and snap. A wave of tension, sqrt(EA/m) = %.4g m/s, crosses the suspended %.4g m in %.3g s; peaks "
      "need a tenth of it, simulation.step_s: %.2g",
      moves, sinks, wave, suspended, suspended / wave, step);
  say(context, text);
}

// What holds the end of a stretch stiffly has ten times its bending stiffness, or is a clamp. A lower end
// lies on the seabed, straight. Lengths of sqrt(EI/T) in an element: more than the least does not resolve the
// bend; beyond the most another notice asks for wires.
static const double STIFF_RATIO = 10, LEAST_BENDS = 2, MOST_BENDS = 10;

static int notice_stiff_end(const struct config *c, const struct mesh_segment *part, const char *at,
                            void (*say)(void *context, const char *text), void *context) {
  const struct pipe_type *type = pipe_type_of(&c->sim.pipe, part->type);
  const double element = part->length_m / part->elements,
               bend = sqrt(type->bending_stiffness_nm2[0] / config_typical_tension(&c->sim, part->type));
  char line[320];
  if (type->wire > 0 || !(element > LEAST_BENDS * bend) || element > MOST_BENDS * bend)
    return 0;
  snprintf(
      line, sizeof line,
      "pipe.mesh: at the %s an element of %.3g m meets a stiff end, and its pipe bends within sqrt(EI/T) "
      "= %.3g m: its moment there is too high and it may fold (event element_folded); elements of at "
      "most %.2g m resolve it, or element_kind: wire",
      at, element, bend, 0.5 * bend);
  say(context, line);
  return 1;
}

// Beams that do not resolve how they bend where a stiffer pipe or a clamp holds them.
static void notice_stiff_ends(const struct config *c, void (*say)(void *context, const char *text),
                              void *context) {
  const struct pipe_def *pipe = &c->sim.pipe;
  const int count = pipe_stretch_count(pipe);
  for (int k = 0; k + 1 < count; k++) {
    const struct mesh_segment below = pipe_stretch_of(pipe, k), above = pipe_stretch_of(pipe, k + 1);
    const double a = pipe_type_of(pipe, below.type)->bending_stiffness_nm2[0],
                 b = pipe_type_of(pipe, above.type)->bending_stiffness_nm2[0];
    if (fmax(a, b) >= STIFF_RATIO * fmin(a, b) &&
        notice_stiff_end(c, a < b ? &below : &above, "joint of two sections", say, context))
      return;
  }
  const struct mesh_segment top = pipe_stretch_of(pipe, count - 1);
  if (pipe->hangoff == HANGOFF_CLAMPED && pipe->hangoff_angle_auto)
    notice_stiff_end(c, &top, "clamped hang-off", say, context);
}

// A pipe that rests on soil and oscillates within the step. Of the types the one with the shortest step is
// named. The stiffness is that of the way to where the soil carries the pipe's weight; on its way back a soil
// is stiffer.
static void notice_soil(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  const struct pipe_def *pipe = &c->sim.pipe;
  double step_s = (double)INFINITY, mass = 0, stiffness = 0;
  char line[400];
  for (int k = 0; c->sim.env.seabed == SEABED_SOIL && k <= pipe->type_count; k++) {
    const struct pipe_type *type = pipe_type_of(pipe, k);
    const double weight = pipe_type_weight(pipe, type, &c->sim.env), m = pipe_type_mass(pipe, type);
    const double z = weight > 0 ? soil_penetration(&c->sim.env.soil, type->outer_diameter_m, weight) : 0;
    if (!(z > 0) || !isfinite(z) || !(sqrt(2 * m * z / weight) < step_s))
      continue;
    step_s = sqrt(2 * m * z / weight), mass = m, stiffness = weight / z;
  }
  if (!(c->sim.step_s > step_s))
    return;
  snprintf(line, sizeof line,
           "environment.soil: a pipe of %.4g kg/m on a stiffness of %.3g N/m2 oscillates within "
           "simulation.step_s: where it touches down its tension jumps, may alternate from step to step, and "
           "steps take more iterations (events contact_unresolved, tension_alternates); steps of at most "
           "%.2g s resolve it",
           mass, stiffness, step_s);
  say(context, line);
}

void notices_mesh(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  notice_neighbours(c, say, context);
  notice_snap(c, say, context);
  if (c->sim.pipe.elements > 0)
    notice_soil(c, say, context);
  if (c->sim.pipe.elements > 0)
    notice_stiff_ends(c, say, context);
}

// ------------------------------------------------------------
// With waves on the pipe the mesh near the surface resolves the decay of the waves with depth, k l <= 0.2,
// and the way of the surface along the pipe, l <= Hs/2. docs/model-sea.md has the tensions that show it. The
// pipe is taken as upright there, as in a J-lay; over a stinger its elements are short anyway. Where a vessel
// moves in these waves, it makes nearly all of the tension, and the mesh is no matter (ibid.).

static const double MEAN_PERIOD = 0.834; // of a JONSWAP sea over its peak period
static const double MOST_DECAY = 0.2;    // wave number times length of an element
static const double MOST_HEIGHT = 0.5;   // length of an element over the wave height
static const double MOST_URSELL = 26;    // of linear waves

static double wavenumber(const struct env_def *env, double period_s) {
  return waves_wavenumber(2 * TRIG_PI / period_s, env->gravity_mps2, env->depth_m);
}

// Whether waves move the upper end of the pipe with the vessel.
static int is_rocked(const struct sim_def *def) {
  const enum hangoff_kind kind = def->pipe.hangoff;
  return (kind == HANGOFF_PINNED || kind == HANGOFF_CLAMPED) && def->vessel.waves.present &&
         def->vessel.waves.first_order;
}

// Linear waves over a bed: the number of Ursell decides whether the second order is small.
static void notice_shallow(const struct env_def *env, void (*say)(void *context, const char *text),
                           void *context) {
  const struct waves_def *waves = &env->waves;
  const double height = waves->height_m * time_profile_largest(&waves->profile), d = env->depth_m,
               length = 2 * TRIG_PI / wavenumber(env, waves->period_s),
               ursell = height * length * length / (d * d * d);
  if (!(ursell > MOST_URSELL))
    return;
  char line[300];
  snprintf(
      line, sizeof line,
      "environment.waves.pipe: Ursell number H L^2/d^3 of %.3g with the height %.3g m, the length %.3g m "
      "and the depth %.3g m: linear waves are meant for at most %g; real crests are higher and shorter",
      ursell, height, length, d, MOST_URSELL);
  say(context, line);
}

static void notice_mesh(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  const struct pipe_def *pipe = &c->sim.pipe;
  const struct waves_def *waves = &c->sim.env.waves;
  const double height = waves->height_m * time_profile_largest(&waves->profile),
               period = waves->spectrum == WAVES_REGULAR ? waves->period_s : MEAN_PERIOD * waves->period_s,
               k = wavenumber(&c->sim.env, period);
  const int by_depth = pipe->buoyancy == BUOYANCY_BY_DEPTH;
  const double decay_m = MOST_DECAY / k, by_height_m = MOST_HEIGHT * height,
               most = by_depth && height > 0 && by_height_m < decay_m ? by_height_m : decay_m,
               reach = by_depth ? SEA_CREST_SHARE * height : 1 / k;
  const double above = fmax(0, -c->sim.vessel.position_n_m[2] - c->sim.vessel.hangoff_b_m[2]),
               from = by_depth ? fmax(0, above - reach) : above, to = above + reach;
  double from_top = 0, longest = 0;
  for (int e = pipe->elements - 1; e >= 0 && from_top < to; e--) {
    const double length = pipe_element_length(pipe, e);
    from_top += length;
    if (from_top > from)
      longest = fmax(longest, length);
  }
  if (!(longest > most * (1 + 1e-9)))
    return;
  char line[300];
  snprintf(line, sizeof line,
           "environment.waves.pipe: where the surface moves the elements are up to %.3g m long: for 1 %% of "
           "the tension "
           "by these waves, elements of at most %.3g m are advised from %.3g to %.3g m below the hang-off "
           "(pipe.mesh)",
           longest, most, from, to);
  say(context, line);
}

// Heave damping along an axis that pitches has a mean force in waves (enum damping_axes). Of a vessel with a
// hydro file the radiation damps the heave, in level axes.
static void notice_damping_axes(const struct config *c, void (*say)(void *context, const char *text),
                                void *context) {
  const struct vessel_def *vessel = &c->sim.vessel;
  if (!c->hydro && c->sim.env.waves.present && vessel->waves.present && vessel->waves.first_order &&
      vessel->damping_axes == DAMPING_BODY && vessel->damping_linear[2][2] > 0)
    say(context,
        "vessel.damping.axes: the linear heave damping acts along an axis that rolls and pitches: in "
        "these waves it pushes the vessel against the sea, by a force as large as the mean drift; "
        "set vessel.damping.axes to level");
}

// Weather that does not move the vessel, which lacks what it acts on.
static void notice_without_effect(const struct config *c, void (*say)(void *context, const char *text),
                                  void *context) {
  const struct env_def *env = &c->sim.env;
  const struct vessel_def *vessel = &c->sim.vessel;
  const int is_on_pipe = c->sim.pipe.elements > 0;
  if (current_is_configured(&env->current) && !vessel->current_acts)
    say(context, is_on_pipe ? "environment.current acts on the pipe alone: vessel.current_acts is false"
                            : "environment.current has no effect: vessel.current_acts is false");
  if (env->wind.present && !vessel->windage.present)
    say(context, "environment.wind does not act on the vessel, which has no section vessel.wind");
  if (env->waves.present && !vessel->waves.present && !c->hydro && !(is_on_pipe && env->waves.on_pipe))
    say(context, "environment.waves have no effect: the vessel has neither a section vessel.waves nor a "
                 "vessel.hydro_file");
}

// A sea that is steeper than seas are, damping that pushes in it, waves on a pipe that is not there, and a
// mesh that is too coarse for waves on the pipe.
static void notices_sea(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  const struct env_def *env = &c->sim.env;
  struct reason why;
  if (sea_limit_of(&env->waves, env->gravity_mps2, env->depth_m, &why) == SEA_IS_STEEP)
    say(context, why.text);
  notice_damping_axes(c, say, context);
  notice_without_effect(c, say, context);
  if (!env->waves.present || !env->waves.on_pipe)
    return;
  if (c->sim.pipe.elements == 0) {
    say(context, "environment.waves.pipe has no effect: there is no pipe");
    return;
  }
  notice_shallow(env, say, context);
  if (!is_rocked(&c->sim))
    notice_mesh(c, say, context);
}
