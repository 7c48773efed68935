// With waves on the pipe the mesh near the surface resolves the decay of the waves with depth, k l <= 0.6,
// and the way of the surface along the pipe, l <= Hs. docs/model-sea.md has the tensions that say so.
#include "setup/notices_sea.h"

#include "core/env/sea_field.h"
#include "core/env/sea_limits.h"
#include "core/math/trig.h"

#include <math.h>
#include <stdio.h>

static const double MEAN_PERIOD = 0.834; // of a JONSWAP sea over its peak period
static const double MOST_DECAY = 0.6;    // wave number times length of an element

static void notice_mesh(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  const struct pipe_def *pipe = &c->sim.pipe;
  const struct waves_def *waves = &c->sim.env.waves;
  if (!waves->present || !waves->on_pipe || pipe->elements == 0)
    return;
  const double height = waves->height_m * time_profile_largest(&waves->profile),
               period = waves->spectrum == WAVES_REGULAR ? waves->period_s : MEAN_PERIOD * waves->period_s,
               k = waves_wavenumber(2 * TRIG_PI / period, c->sim.env.gravity_mps2, c->sim.env.depth_m);
  double most = MOST_DECAY / k;
  if (pipe->buoyancy == BUOYANCY_BY_DEPTH && height < most && height > 0)
    most = height;
  const double above = fmax(0, -c->sim.vessel.position_n_m[2] - c->sim.vessel.hangoff_b_m[2]),
               over = above + SEA_CREST_SHARE * height + most;
  double from_top = 0, longest = 0;
  for (int e = pipe->elements - 1; e >= 0 && from_top < over; e--) {
    const double length = pipe_element_length(pipe, e);
    longest = fmax(longest, length);
    from_top += length;
  }
  if (!(longest > most * (1 + 1e-9)))
    return;
  char line[300];
  snprintf(line, sizeof line,
           "environment.waves.pipe: near the surface the elements are up to %.3g m long: for 1 %% of the "
           "tension by "
           "these waves, elements of at most %.2g m over the uppermost %.2g m are advised (pipe.mesh)",
           longest, most, over);
  say(context, line);
}

void notices_sea(const struct config *c, void (*say)(void *context, const char *text), void *context) {
  const struct env_def *env = &c->sim.env;
  struct reason why;
  if (sea_limit_of(&env->waves, env->gravity_mps2, env->depth_m, &why) == SEA_IS_STEEP)
    say(context, why.text);
  notice_mesh(c, say, context);
}
