#include "run/setup/setup_setup.h"

#include "os/process/process.h"

#include <inttypes.h>
#include <stdlib.h>

enum status setup_load(struct setup *setup, const struct case_options *options, FILE *errors) {
  const struct error_sink sink = error_to(errors);
  const struct config_request request = {.path = options->config_path,
                                         .overrides = (const char *const *)options->overrides,
                                         .override_count = options->override_count,
                                         .more = &RUN_SECTIONS};
  return setup_read(setup, &request, &sink);
}

enum status session_make_id(char id[17], struct reason *why) {
  uint64_t number;
  enum status status = os_random(&number, sizeof number, why);
  snprintf(id, 17, "%016" PRIx64, status == STATUS_OK ? number : 0);
  return status;
}

enum status setup_claim(const struct setup *setup, const char *config_path, struct file_claims *claims,
                        struct reason *why) {
  const struct config *config = &setup->config;
  static const char what[] = "a file that the configuration names";
  const char *const named[] = {config->dp_file, config->net.server_key_file, config->net.admitted_keys_file};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < sizeof named / sizeof *named && status == STATUS_OK; i++)
    status = file_claims_add(claims, FILE_READ, what, *named[i] ? named[i] : NULL, why);
  for (int i = 0; i < config->files.count && status == STATUS_OK; i++) {
    char *path = config_file_on_disk(config_path, &config->files.file[i]);
    status = file_claims_add(claims, FILE_READ, what, path, why);
    free(path);
  }
  return status;
}

void loaded_free(struct loaded *loaded) {
  plant_free(&loaded->plant);
  setup_free(&loaded->setup);
}
