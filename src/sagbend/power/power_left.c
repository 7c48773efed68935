#include "sagbend/power/power_left.h"

#include "sagbend/power/power_internal.h"

#include <math.h>
#include <string.h>

static int may_run(const struct power_def *def, int i) {
  return def->generator[i].running || def->management.load_start[0] > 0;
}

void power_left_after(const struct power_def *def, unsigned buses, unsigned generators,
                      struct power_left *out) {
  static const struct power_load no_load;
  struct power_switches switches;
  struct power_state state;
  int sets[MAX_BUSES] = {0}; // of each island of the sound plant
  memset(&switches, 0, sizeof switches);
  power_begin(def, &state, &no_load);
  struct power_islands sound = power_islands_of(def, &state, &switches);
  for (int i = 0; i < def->generator_count; i++) {
    const int bus = def->generator[i].bus, lost = (int)((buses >> bus | generators >> i) & 1);
    sets[sound.of_bus[bus]] += may_run(def, i);
    state.generator[i].phase = may_run(def, i) && !lost ? GENERATOR_ON_LINE : GENERATOR_STOPPED;
  }
  for (int t = 0; t < def->tie_count; t++)
    if ((buses >> def->tie[t].bus[0] | buses >> def->tie[t].bus[1]) & 1)
      state.tie[t].closed = 0;
  for (int b = 0; b < def->bus_count; b++)
    switches.bus_lost[b] = (int)(buses >> b & 1);
  for (int i = 0; i < def->battery_count; i++)
    if (sets[sound.of_bus[def->battery[i].bus]])
      state.battery[i].energy_j = 0;
  struct power_islands left = power_islands_of(def, &state, &switches);
  const double share = def->management.reduction > 0 ? def->management.reduction : 1;
  for (int b = 0; b < def->bus_count; b++) {
    const struct power_island *island = &left.island[left.of_bus[b]];
    out->island[b] = left.of_bus[b];
    out->live[b] = island->live && !(buses >> b & 1);
    out->drives_w[b] = left.of_bus[b] == b && island->live
                           ? fmax(0, share * island->rating_w + island->battery_w - island->hotel_w)
                           : 0;
  }
}
