// With waves on the pipe the mesh near the surface resolves the decay of the waves with depth, k l <= 0.2,
// and the way of the surface along the pipe, l <= Hs/2. docs/model-sea.md has the tensions that say so. The
// pipe is taken as upright there, as in a J-lay; over a stinger its elements are short anyway. Where a vessel
// moves in these waves, it makes nearly all of the tension, and the mesh is no matter (ibid.).
#include "run/setup/notices_sea.h"

#include "sagbend/env/sea_field.h"
#include "sagbend/env/sea_limits.h"
#include "sagbend/math/trig.h"

#include <math.h>
#include <stdio.h>

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

// Linear waves over a bed: the number of Ursell says whether the second order is small.
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

void notices_sea(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  const struct env_def *env = &c->sim.env;
  struct reason why;
  if (sea_limit_of(&env->waves, env->gravity_mps2, env->depth_m, &why) == SEA_IS_STEEP)
    say(context, why.text);
  notice_damping_axes(c, say, context);
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
