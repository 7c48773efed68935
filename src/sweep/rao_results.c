// The numbers of the results, the table and the CSV.
#include "sweep/rao_results.h"

#include "core/base/shown_text.h"

#include "io/config/config.h"
#include "io/files/output_file.h"

#include <math.h>

static const double DEG = 57.29577951308232;

const char *const RAO_MOTION[6] = {"surge", "sway", "heave", "roll", "pitch", "yaw"};
const char *const RAO_UNIT[6] = {"m/m", "m/m", "m/m", "rad/m", "rad/m", "rad/m"};

double rao_amplitude(const double motion[12], int i) {
  return hypot(motion[2 * i], motion[2 * i + 1]);
}

double rao_phase_deg(const double motion[12], int i) {
  return DEG * atan2(motion[2 * i + 1], motion[2 * i]);
}

double rao_difference(const struct rao_results *r, const double a[12], const double b[12], int i) {
  double difference = hypot(a[2 * i] - b[2 * i], a[2 * i + 1] - b[2 * i + 1]);
  return difference > 0 ? difference / r->c->peak[i] : 0;
}

int rao_has_motions(const struct rao_results *r) {
  return r->c->hydro->motion.frequencies > 0;
}

static void put(FILE *out, const double motion[12], int i, int is_known) {
  if (is_known)
    fprintf(out, ",%.9g,%.6g", rao_amplitude(motion, i), rao_phase_deg(motion, i));
  else
    fputs(",,", out);
}

enum status rao_write_csv(const struct rao_results *r, struct reason *why) {
  char path[SWEEP_PATH + 64];
  struct output_file file;
  const struct rao_grid *grid = &r->c->grid;
  snprintf(path, sizeof path, "%s/rao.csv", r->folder);
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  fputs("point,frequency_radps,heading_deg,motion,unit,simulated,simulated_phase_deg,linear,linear_phase_deg,"
        "file,file_phase_deg,difference_of_peak\n",
        file.stream);
  for (int k = 0; k < r->rows; k++)
    for (int i = 0; i < 6; i++) {
      const struct rao_row *row = &r->row[k];
      fprintf(file.stream, "%d,%.9g,%.9g,%s,%s", k + 1, grid->omega_radps[k / grid->headings],
              grid->heading_deg[k % grid->headings], RAO_MOTION[i], RAO_UNIT[i]);
      put(file.stream, row->simulated, i, row->is_there);
      put(file.stream, row->linear, i, 1);
      put(file.stream, row->file, i, rao_has_motions(r));
      if (row->is_there)
        fprintf(file.stream, ",%.4g\n", rao_difference(r, row->simulated, row->linear, i));
      else
        fputs(",\n", file.stream);
    }
  return output_file_close(&file, why);
}

// The largest difference of the simulation from the file's motions, of the peak.
static double worst_against_file(const struct rao_results *r, int i) {
  double worst = 0;
  for (int k = 0; k < r->rows; k++)
    if (r->row[k].is_there)
      worst = fmax(worst, rao_difference(r, r->row[k].simulated, r->row[k].file, i));
  return worst;
}

void rao_print(const struct rao_results *r) {
  const struct rao_grid *grid = &r->c->grid;
  printf("%-20s %d of %d points, waves of %g m amplitude\n", r->c->config->name, r->rows - r->missing,
         r->rows, RAO_WAVE_AMPLITUDE_M);
  if (r->missing == r->rows)
    return;
  printf("%-8s %12s %30s %18s %12s\n", "motion", "peak", "simulated - linear", "at", "- file");
  for (int i = 0; i < 6; i++) {
    int k = r->worst[i].row;
    printf("%-8s %8.4g %-5s %21.2f %% of peak %8.4g rad/s %4.4g deg", RAO_MOTION[i], r->c->peak[i],
           RAO_UNIT[i], 100 * r->worst[i].difference, grid->omega_radps[k / grid->headings],
           grid->heading_deg[k % grid->headings]);
    if (rao_has_motions(r))
      printf(" %8.2f %%", 100 * worst_against_file(r, i));
    fputc('\n', stdout);
  }
  printf("%-20s %s/rao.csv, rao.json\n", "results", shown(r->folder).text);
}
