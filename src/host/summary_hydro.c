// Of a summary: the error of the memory in the hydro file.
#include "host/summary_parts.h"

#include "hydro/fit_error.h"
#include "hydro/hydro_checks.h"

void summary_add_hydro(cJSON *root, const struct host *host) {
  const struct hydro_data *data = host->setup.config.hydro;
  if (!data)
    return;
  cJSON *hydro = cJSON_AddObjectToObject(root, "hydro");
  summary_text(hydro, "file", host->setup.config.hydro_file);
  summary_number(hydro, "fit_error_of_peak", data->fit.error);
  cJSON *motions = cJSON_AddObjectToObject(hydro, "motion_error_of_peak");
  for (int i = 0; i < 6; i++)
    summary_number(motions, HYDRO_DOF[i], data->fit.motion[i]);
}

void summary_print_hydro(const struct host *host) {
  char text[400];
  if (host->setup.config.hydro && hydro_fit_notice(host->setup.config.hydro, text, sizeof text))
    printf("%-20s %s\n", "hydro file", text);
}
