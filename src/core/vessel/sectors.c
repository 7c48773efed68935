#include "core/vessel/sectors.h"

#include "core/math/trig.h"

#include <string.h>

// Share of full revolutions, or of full stroke, below which a thruster counts as still.
static const double STILL = 0.02;

// Distance from an edge of a thrust that counts as out of the sector: a drive with a lag only approaches it.
static const double LEFT_RAD = 0.02;

static int is_turning(const struct thruster_def *def, const struct thruster_state *state, int started) {
  return started || fabs(state->revolutions_rpm) > STILL * def->revolutions_max_rpm;
}

struct sectors_now sectors_now(const struct plant_def *def, const struct plant_state *state,
                               const int *started, int thruster) {
  const struct thruster_def *own = &def->thruster[thruster];
  struct sectors_now now = {0};
  for (int k = 0; k < own->sector_count; k++)
    for (int i = 0; i < def->thruster_count && own->sector[k].against[0]; i++) {
      if (strncmp(def->thruster[i].name, own->sector[k].against, SIGNAL_NAME) != 0)
        continue;
      if (!is_turning(&def->thruster[i], &state->thruster[i], started[i]))
        now.lifted |= 1U << k;
      if (started[i] && !state->thruster[i].running)
        now.awaited |= 1U << k;
    }
  return now;
}

int sectors_are_washing(const struct plant_def *def, const struct plant_state *state, int thruster) {
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *other = &def->thruster[i];
    const struct thruster_state *now = &state->thruster[i];
    double stroke = thruster_stroke(other, now->revolutions_rpm, now->pitch);
    double direction = now->azimuth_rad + (stroke < 0 ? TRIG_PI : 0);
    int sector = fabs(stroke) > STILL ? thruster_sector_at(other, direction, LEFT_RAD, 0) : -1;
    if (sector >= 0 && strncmp(other->sector[sector].against, def->thruster[thruster].name, SIGNAL_NAME) == 0)
      return 1;
  }
  return 0;
}
