#include "run/setup/notices.h"
#include "net/case/case.h"

#include "sagbend/pipe/pipe.h"
#include "sagbend/steel/steel.h"
#include "sagbend/steel/hardening.h"
#include "sagbend/vessel/hydro_data.h"
#include "sagbend/hydro/fit_error.h"
#include "run/setup/notices_mesh.h"
#include "run/setup/notices_sea.h"

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
  for (int i = -1; i < pipe->feed.part_count; i++) {
    const struct mesh_segment whole = {pipe->length_m, pipe->elements, 0};
    const struct mesh_segment *part = i >= 0 ? &pipe->feed.part[i]
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
  for (int k = 0; k <= c->sim.pipe.type_count && def->asked; k++) {
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

// Registers with true values beside instruments: a controller that reads them is told of no failure.
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
  if ((c->log.keep_parts > 0 || c->log.keep_mib > 0) && !(c->log.part_s > 0 || c->log.part_mib > 0))
    say(context, "log.keep_parts and log.keep_mib delete nothing: they need a log in parts (log.part_s, "
                 "log.part_mib)");
  notice_true_registers(c, say, context);
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
