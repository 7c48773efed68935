// The polar plot as SVG: the wind up to which the vessel holds, 0 up, clockwise, linear from the centre.
#include "lab/capability/capability.h"

#include "sagbend/math/trig.h"
#include "os/files/markup.h"
#include "os/files/output_file.h"

#include <math.h>
#include <stdio.h>

static const double CENTRE = 400, RADIUS = 320, RING_MPS = 5, LARGEST_MPS = 35;

static const char *const COLOURS[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                      "#56b4e9", "#7f5f3f", "#8a8a00", "#5a3fa0", "#a0334f"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

static void point_at(double direction_rad, double wind_mps, double *x, double *y) {
  double r = RADIUS * wind_mps / LARGEST_MPS;
  *x = CENTRE + r * sin(direction_rad);
  *y = CENTRE - r * cos(direction_rad);
}

// Text of the file: the name may contain what SVG does not.
static void write_grid(FILE *out) {
  for (double wind = RING_MPS; wind <= LARGEST_MPS + 1e-9; wind += RING_MPS) {
    double r = RADIUS * wind / LARGEST_MPS;
    fprintf(out, "<circle cx=\"%g\" cy=\"%g\" r=\"%.1f\" class=\"grid\"/>\n", CENTRE, CENTRE, r);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"ring\">%g</text>\n", CENTRE + 3, CENTRE - r - 3, wind);
  }
  for (int d = 0; d < 360; d += 30) {
    double x, y, tx, ty, rad = d * TRIG_PI / 180;
    point_at(rad, LARGEST_MPS, &x, &y);
    point_at(rad, LARGEST_MPS + 2.3, &tx, &ty);
    fprintf(out, "<line x1=\"%g\" y1=\"%g\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n", CENTRE, CENTRE, x,
            y);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"angle\">%d&#176;</text>\n", tx, ty + 5, d);
  }
  fprintf(out, "<path d=\"M%g %g l-9 22 v36 h18 v-36 z\" class=\"hull\"/>\n", CENTRE, CENTRE - 29);
}

// Wind that the vessel holds in a case; case_count: in every case.
static double limit_of(const struct capability_model *m, int c, int direction) {
  if (c < m->case_count)
    return capability_point_at(m, c, direction)->limit_mps;
  double least = HUGE_VAL;
  for (int i = 0; i < m->case_count; i++)
    least = fmin(least, capability_point_at(m, i, direction)->limit_mps);
  return least;
}

static void write_curve(FILE *out, const struct capability_model *m, int c, const char *attributes) {
  fputs("<polygon points=\"", out);
  for (int d = 0; d < m->direction_count; d++) {
    double x, y;
    point_at(m->direction_rad[d], limit_of(m, c, d), &x, &y);
    fprintf(out, "%.2f,%.2f ", x, y);
  }
  fprintf(out, "\" %s/>\n", attributes);
}

static int beyond_count(const struct capability_model *m, int c) {
  int count = 0;
  for (int d = 0; d < m->direction_count; d++)
    count += capability_point_at(m, c, d)->beyond;
  return count;
}

static void write_beyond(FILE *out, const struct capability_model *m, int c, const char *colour) {
  for (int d = 0; d < m->direction_count; d++) {
    const struct capability_point *p = capability_point_at(m, c, d);
    double x, y;
    point_at(m->direction_rad[d], p->limit_mps, &x, &y);
    if (p->beyond)
      fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" fill=\"white\" stroke=\"%s\"/>\n", x, y,
              colour);
  }
}

static void write_legend(FILE *out, const struct capability_model *m) {
  double x = 2 * CENTRE + 20, y = 120;
  int any_beyond = 0;
  for (int c = 0; c < m->case_count; c++, y += 22) {
    fprintf(out,
            "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n<text "
            "x=\"%g\" y=\"%g\">",
            x, y, x + 30, y, c ? COLOURS[(c - 1) % COLOUR_COUNT] : "black", c ? "1.5" : "4",
            c > COLOUR_COUNT ? " stroke-dasharray=\"6 3\"" : "", x + 38, y + 5);
    markup_put(out, m->cases[c].name);
    fputs(m->declared_count && m->cases[c].is_declared ? " (declared)</text>\n" : "</text>\n", out);
    any_beyond |= beyond_count(m, c) > 0;
  }
  fprintf(out,
          "<rect x=\"%g\" y=\"%g\" width=\"30\" height=\"12\" class=\"least\"/>\n<text x=\"%g\" "
          "y=\"%g\">holds in every case</text>\n",
          x, y - 6, x + 38, y + 5);
  if (any_beyond)
    fprintf(out,
            "<circle cx=\"%g\" cy=\"%g\" r=\"3.5\" fill=\"white\" stroke=\"black\"/>\n<text x=\"%g\" "
            "y=\"%g\">beyond the table (%.1f m/s)</text>\n",
            x + 15, y + 22, x + 38, y + 27, weather_of(WEATHER_NUMBERS).wind_mps);
}

static void write_title(FILE *out, const struct capability_model *m) {
  fputs("<text x=\"20\" y=\"30\" class=\"title\">", out);
  markup_put(out, m->config.name);
  fprintf(out,
          ": wind that the vessel holds, m/s</text>\n<text x=\"20\" y=\"52\">Level %d, dynamic factor %g, "
          "external forces: ",
          m->level, m->factor);
  markup_put(out, m->external);
  if (m->has_current)
    fprintf(out, ", current %.4g m/s from %.4g degrees", m->current_mps, m->current_rad * 180 / TRIG_PI);
  fprintf(out, ". capability-L%d(%d, %d", m->level, capability_least(m, 0, 1, 1),
          capability_least(m, 0, 1, 0));
  if (m->case_count > 1)
    fprintf(out, ", %d, %d", capability_least(m, 1, m->case_count, 1),
            capability_least(m, 1, m->case_count, 0));
  fputs(")</text>\n", out);
}

static void write_picture(FILE *out, const struct capability_model *m) {
  char style[128];
  double height = fmax(780, 180 + 22 * m->case_count);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1120 %g\" width=\"1120\" height=\"%g\">\n"
          "<style>text{font:14px 'DejaVu Sans',sans-serif;fill:#222}.title{font-size:18px;font-weight:bold}"
          ".grid{fill:none;stroke:#ccc}.ring{font-size:11px;fill:#777}.angle{text-anchor:middle}"
          ".hull{fill:none;stroke:#999}.least{fill:#9ecae1;fill-opacity:.45}</style>\n"
          "<rect width=\"1120\" height=\"%g\" fill=\"white\"/>\n<g transform=\"translate(0 20)\">\n",
          height, height, height);
  write_curve(out, m, m->case_count, "class=\"least\"");
  write_grid(out);
  for (int c = m->case_count - 1; c >= 0; c--) {
    const char *colour = c ? COLOURS[(c - 1) % COLOUR_COUNT] : "black";
    snprintf(style, sizeof style, "fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s", colour,
             c ? "1.5" : "4", c > COLOUR_COUNT ? " stroke-dasharray=\"6 3\"" : "");
    write_curve(out, m, c, style);
    write_beyond(out, m, c, colour);
  }
  fputs("</g>\n", out);
  write_title(out, m);
  write_legend(out, m);
  fputs("</svg>\n", out);
}

enum status capability_write_svg(const struct capability_model *m, const char *path, struct reason *why) {
  struct output_file file;
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  write_picture(file.stream, m);
  return output_file_close(&file, why);
}
