// The results as JSON.
#include "sweep/rao_results.h"

#include "io/config/config.h"
#include "io/files/json_text.h"
#include "io/files/output_file.h"

static void add_motion(cJSON *to, const char *name, const double motion[12]) {
  cJSON *all = cJSON_AddObjectToObject(to, name);
  for (int i = 0; i < 6; i++) {
    cJSON *one = cJSON_AddObjectToObject(all, RAO_MOTION[i]);
    cJSON_AddNumberToObject(one, "amplitude", rao_amplitude(motion, i));
    cJSON_AddNumberToObject(one, "phase_deg", rao_phase_deg(motion, i));
  }
}

static cJSON *build(const struct rao_results *r) {
  const struct rao_grid *grid = &r->c->grid;
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "name", r->c->config->name);
  cJSON_AddStringToObject(root, "hydro_file", r->c->config->hydro_file);
  cJSON_AddNumberToObject(root, "fit_error_of_peak", r->c->hydro->fit.error);
  cJSON_AddNumberToObject(root, "step_s", r->c->config->sim.step_s);
  cJSON_AddNumberToObject(root, "wave_amplitude_m", RAO_WAVE_AMPLITUDE_M);
  cJSON_AddItemToObject(root, "hold_stiffness", cJSON_CreateDoubleArray(r->c->hold_stiffness, 6));
  cJSON_AddItemToObject(root, "hold_damping", cJSON_CreateDoubleArray(r->c->hold_damping, 6));
  cJSON_AddNumberToObject(root, "points", r->rows);
  cJSON_AddNumberToObject(root, "missing", r->missing);
  cJSON *worst = cJSON_AddObjectToObject(root, "motions");
  for (int i = 0; i < 6; i++) {
    cJSON *one = cJSON_AddObjectToObject(worst, RAO_MOTION[i]);
    cJSON_AddStringToObject(one, "unit", RAO_UNIT[i]);
    cJSON_AddNumberToObject(one, "peak", r->c->peak[i]);
    cJSON_AddNumberToObject(one, "difference_of_peak", r->worst[i].difference);
  }
  cJSON *rows = cJSON_AddArrayToObject(root, "results");
  for (int k = 0; k < r->rows; k++) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddNumberToObject(row, "point", k + 1);
    cJSON_AddNumberToObject(row, "frequency_radps", grid->omega_radps[k / grid->headings]);
    cJSON_AddNumberToObject(row, "heading_deg", grid->heading_deg[k % grid->headings]);
    if (r->row[k].is_there)
      add_motion(row, "simulated", r->row[k].simulated);
    add_motion(row, "linear", r->row[k].linear);
    if (rao_has_motions(r))
      add_motion(row, "file", r->row[k].file);
    cJSON_AddItemToArray(rows, row);
  }
  return root;
}

enum status rao_write_json(const struct rao_results *r, int print, struct reason *why) {
  char path[SWEEP_PATH + 64];
  struct output_file file;
  cJSON *root = build(r);
  char *text = json_end(root);
  if (!text)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the results");
  snprintf(path, sizeof path, "%s/rao.json", r->folder);
  enum status status = output_file_open_atomic(&file, path, why);
  if (status == STATUS_OK) {
    fprintf(file.stream, "%s\n", text);
    status = output_file_close(&file, why);
  }
  if (print)
    puts(text);
  cJSON_free(text);
  return status;
}
