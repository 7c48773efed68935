#include "net/case/case.h"
#include "net/case/case_internal.h"
#include "net/case/schema_json.h"

static const struct config_section *const SECTIONS[] = {&SOCKETS_SECTION, &LOG_SECTION, &NMEA_SECTION,
                                                        &MODBUS_SECTION};
const struct config_sections RUN_SECTIONS = {.section = SECTIONS,
                                             .count = sizeof SECTIONS / sizeof *SECTIONS,
                                             .draft_bytes = sizeof(struct run_draft),
                                             .record_bytes = sizeof(struct config_run)};

const struct config_run *config_run(const struct config *c) {
  return c->more;
}

static enum status load(struct config_request request, struct config *out, FILE *errors) {
  const struct error_sink sink = error_to(errors);
  request.more = &RUN_SECTIONS;
  return config_read(&request, out, &sink);
}

enum status config_load(const char *path, const char *const *overrides, int override_count,
                        struct config *out, FILE *errors) {
  return config_load_placed(path, overrides, NULL, override_count, out, errors);
}

enum status config_load_placed(const char *path, const char *const *overrides, const char *const *places,
                               int override_count, struct config *out, FILE *errors) {
  return load(
      (struct config_request){
          .path = path, .overrides = overrides, .override_places = places, .override_count = override_count},
      out, errors);
}

enum status config_load_text(const char *name, const char *text, size_t size,
                             const struct config_files *files, const char *const *overrides,
                             int override_count, struct config *out, FILE *errors) {
  return load((struct config_request){.path = name,
                                      .text = text,
                                      .text_size = size,
                                      .files = files,
                                      .overrides = overrides,
                                      .override_count = override_count},
              out, errors);
}

enum status dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                                  struct dp_config *out, char **text, struct config_files *files,
                                  FILE *errors) {
  const struct error_sink sink = error_to(errors);
  const struct config_request request = {
      .path = path, .overrides = overrides, .override_count = override_count};
  return dp_config_read(&request, 1, out, text, files, &sink);
}

enum status dp_config_load(const char *path, const char *const *overrides, int override_count,
                           struct dp_config *out, FILE *errors) {
  const struct error_sink sink = error_to(errors);
  const struct config_request request = {
      .path = path, .overrides = overrides, .override_count = override_count};
  return dp_config_read(&request, 0, out, NULL, NULL, &sink);
}

static enum status write_schema(struct schema schema, FILE *out, struct reason *why) {
  const enum status status = schema_write_json(&schema, out, why);
  schema_free(&schema);
  return status;
}

enum status config_write_schema(FILE *out, struct reason *why) {
  return write_schema(config_schema(&RUN_SECTIONS), out, why);
}

enum status dp_config_write_schema(FILE *out, struct reason *why) {
  return write_schema(dp_schema(), out, why);
}
