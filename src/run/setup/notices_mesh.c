#include "run/setup/notices_mesh.h"

#include "sagbend/math/trig.h"
#include "sagbend/model/graded_mesh.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/ground/strength.h"

#include <math.h>
#include <stdio.h>

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
