// A plot of the amplitudes by gnuplot: six motions over the frequency, a colour for each heading.
#include "sweep/rao_results.h"

#include "io/files/output_file.h"
#include "sweep/gnuplot.h"

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
  int result = gnuplot_run(r->folder, "rao.gp");
  if (result != 0)
    fprintf(stderr, "sagbend: notice: %s: gnuplot %s; only the script is there\n", path,
            gnuplot_text(result));
  return STATUS_OK;
}
