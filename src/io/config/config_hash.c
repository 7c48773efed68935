// Hashes of a configuration: of all that was read, and of what the steps depend on.
#include "io/config/config_loading.h"

#include "core/base/fnv.h"

#include <string.h>

uint64_t hash_files(uint64_t hash, const struct config_files *files) {
  for (int i = 0; i < files->count; i++) { // with the final zeros, so that "ab", "c" differs from "a", "bc"
    hash = fnv1a(hash, files->file[i].path, strlen(files->file[i].path) + 1);
    hash = fnv1a(hash, files->file[i].text, files->file[i].size + 1);
  }
  return hash;
}

// Overrides on which no step depends: length and pacing of the run, its threads, endpoints and log. Only keys
// without a former name may be listed here.
static int is_outside_model(const char *override) {
  static const char *const keys[] = {"simulation.duration_s=",
                                     "simulation.mode=",
                                     "simulation.realtime_priority=",
                                     "simulation.serving_priority=",
                                     "simulation.cpu=",
                                     "simulation.serving_cpu=",
                                     "simulation.keep_cpus_awake=",
                                     "simulation.spin_s=",
                                     "simulation.lockstep_timeout_s=",
                                     "simulation.lost_time_limit_s=",
                                     "simulation.overrun=",
                                     "simulation.overrun_limit=",
                                     "simulation.unsolved_share_max=",
                                     "simulation.on_event.",
                                     "network.command_endpoint=",
                                     "vessel.capability.",
                                     "vessel.failures",
                                     "network.telemetry_endpoint=",
                                     "network.server_key=",
                                     "network.admitted_keys=",
                                     "nmea.",
                                     "modbus.",
                                     "log."};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!strncmp(override, keys[i], strlen(keys[i])))
      return 1;
  return 0;
}

uint64_t loading_hash(const struct loading *loading, int model_only) {
  size_t size = loading->text_size;
  while (size && loading->text[size - 1] == '\n') // the record may have added one
    size--;

  uint64_t hash = fnv1a(FNV1A_START, loading->text, size);
  for (int i = 0; i < loading->override_count; i++)
    if (!model_only || !is_outside_model(loading->overrides[i]))
      hash = fnv1a(hash, loading->overrides[i], strlen(loading->overrides[i]) + 1);
  return hash_files(hash, &loading->beside.files);
}
