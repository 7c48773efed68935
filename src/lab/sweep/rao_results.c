// The numbers of the results, the table, the CSV, the JSON and the plot.
#include "lab/sweep/sweep_internal.h"

#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"

#include <math.h>

static const double DEG = 57.29577951308232;

const char *const RAO_MOTION[6] = {"surge", "sway", "heave", "roll", "pitch", "yaw"};
const char *const RAO_UNIT[6] = {"m/m", "m/m", "m/m", "rad/m", "rad/m", "rad/m"};

static double rao_amplitude(const double motion[12], int i) {
  return hypot(motion[2 * i], motion[2 * i + 1]);
}

static double rao_phase_deg(const double motion[12], int i) {
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

static void add_motion(cJSON *to, const char *name, const double motion[12]) {
  cJSON *all = cJSON_AddObjectToObject(to, name);
  for (int i = 0; i < 6; i++) {
    cJSON *one = cJSON_AddObjectToObject(all, RAO_MOTION[i]);
    cJSON_AddNumberToObject(one, "amplitude", rao_amplitude(motion, i));
    cJSON_AddNumberToObject(one, "phase_deg", rao_phase_deg(motion, i));
  }
}

static cJSON *json_of(const struct rao_results *r) {
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
  cJSON *root = json_of(r);
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

// A plot of the amplitudes by gnuplot: six motions over the frequency, a colour for each heading.
static void write_data(FILE *out, const struct rao_results *r) {
  const struct rao_grid *grid = &r->c->grid;
  for (int h = 0; h < grid->headings; h++) {
    fprintf(out, "$heading%d << EOD\n", h);
    for (int f = 0; f < grid->frequencies; f++) {
      const struct rao_row *row = &r->row[f * grid->headings + h];
      fprintf(out, "%.9g", grid->omega_radps[f]);
      for (int i = 0; i < 6; i++) {
        if (row->is_there)
          fprintf(out, " %.6g", rao_amplitude(row->simulated, i));
        else
          fputs(" NaN", out);
        fprintf(out, " %.6g", rao_amplitude(row->linear, i));
      }
      fputc('\n', out);
    }
    fputs("EOD\n", out);
  }
}

static void write_page(FILE *out, const struct rao_results *r) {
  const struct rao_grid *grid = &r->c->grid;
  fputs("set multiplot layout 2,3\n", out);
  for (int i = 0; i < 6; i++) {
    fprintf(out, "set title '%s'\nset ylabel '%s'\n", RAO_MOTION[i], RAO_UNIT[i]);
    fputs(i == 0 ? "set key top right title 'degrees'\n" : "unset key\n", out);
    fputs("plot ", out);
    for (int h = 0; h < grid->headings; h++)
      fprintf(
          out,
          "%s$heading%d using 1:%d with lines linewidth 1.5 linecolor %d notitle, '' using 1:%d with points "
          "pointtype 7 pointsize 0.6 linecolor %d title '%g'",
          h ? ", " : "", h, 2 * i + 3, h + 1, 2 * i + 2, h + 1, grid->heading_deg[h]);
    fputc('\n', out);
  }
  fputs("unset multiplot\n", out);
}

static void write_script(FILE *out, const struct rao_results *r) {
  fputs("# Lines: linear answer. Points: simulated.\nset encoding utf8\nset grid\nset xlabel 'rad/s'\n"
        "set yrange [0:*]\n",
        out);
  if (r->c->grid.frequencies == 1)
    fprintf(out, "set xrange [%g:%g]\n", 0.9 * r->c->grid.omega_radps[0], 1.1 * r->c->grid.omega_radps[0]);
  write_data(out, r);
  fputs("set terminal svg size 1200,800 noenhanced font 'DejaVu Sans,12' background 'white'\n"
        "set output 'rao.svg'\n",
        out);
  write_page(out, r);
  fputs("set terminal pngcairo size 1200,800 noenhanced font 'DejaVu Sans,10'\nset output 'rao.png'\n", out);
  write_page(out, r);
}

enum status rao_write_plot(const struct rao_results *r, struct reason *why) {
  char path[SWEEP_PATH + 64];
  struct output_file file;
  snprintf(path, sizeof path, "%s/rao.gp", r->folder);
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  write_script(file.stream, r);
  status = output_file_close(&file, why);
  if (status != STATUS_OK)
    return status;
  gnuplot_draw(r->folder, "rao.gp", path);
  return STATUS_OK;
}
