// The drawing of the vessel from above: outline, thrusters with their bus, instruments whose place counts.
// Each drawing has its own style: programs that make PDF do not let the page's style reach into it.
#include "lab/trials/trials_internal.h"

#include <math.h>

enum { WIDTH = 640, MARGIN = 16 };

static const char *const BUS_COLOURS[] = {"#b3261e", "#2e6e4e", "#1f4e8c", "#8a5a00", "#6b3fa0", "#444"};
enum { BUS_COLOUR_COUNT = sizeof BUS_COLOURS / sizeof *BUS_COLOURS };

struct sheet_frame {
  double forward[2], starboard[2]; // least and largest, m
  double scale;                    // per m
};

static void stretch(struct sheet_frame *f, double forward_m, double starboard_m) {
  f->forward[0] = fmin(f->forward[0], forward_m);
  f->forward[1] = fmax(f->forward[1], forward_m);
  f->starboard[0] = fmin(f->starboard[0], starboard_m);
  f->starboard[1] = fmax(f->starboard[1], starboard_m);
}

static struct sheet_frame frame_of(const struct config *c) {
  struct sheet_frame f = {{-1, 1}, {-1, 1}, 1};
  const struct plant_def *plant = &c->sim.vessel.plant;
  for (int i = 0; i < c->view.outline_count; i++)
    stretch(&f, c->view.outline[i].forward_m, c->view.outline[i].starboard_m);
  for (int i = 0; i < plant->thruster_count; i++)
    stretch(&f, plant->thruster[i].position_b_m[0], plant->thruster[i].position_b_m[1]);
  for (int i = 0; i < c->suite.instruments.count; i++)
    stretch(&f, c->suite.instruments.instrument[i].position_b_m[0],
            c->suite.instruments.instrument[i].position_b_m[1]);
  f.scale = (WIDTH - 2 * MARGIN) / (f.forward[1] - f.forward[0]);
  return f;
}

static double x_of(const struct sheet_frame *f, double forward_m) {
  return MARGIN + f->scale * (forward_m - f->forward[0]);
}
static double y_of(const struct sheet_frame *f, double starboard_m) {
  return MARGIN + f->scale * (starboard_m - f->starboard[0]);
}

static void put_thruster(const struct report *r, const struct sheet_frame *f, int index) {
  const struct thruster_def *d = &r->config->sim.vessel.plant.thruster[index];
  double x = x_of(f, d->position_b_m[0]), y = y_of(f, d->position_b_m[1]);
  const char *colour = d->bus < 0 ? "#444" : BUS_COLOURS[d->bus % BUS_COLOUR_COUNT];
  const enum thruster_steering steering = thruster_steering(d->kind);
  const int is_across = thruster_axis(d->kind) == AXIS_ACROSS;
  if (steering == STEERING_NONE)
    fprintf(r->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\"/>",
            x - (is_across ? 2.5 : 22), y - (is_across ? 22 : 2.5), is_across ? 5 : 44, is_across ? 44 : 5,
            colour);
  else
    fprintf(r->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"9\" fill=\"%s\" stroke=\"%s\" stroke-width=\"3\"/>",
            x, y, steering == STEERING_TURNS ? "#fff" : colour, colour);
  fprintf(r->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\" fill=\"%s\">%d</text>",
          x, steering == STEERING_NONE ? y - 25 : y + 4, steering == STEERING_RUDDER ? "#fff" : "#1d1f23",
          index + 1);
}

static void put_instrument(const struct report *r, const struct sheet_frame *f,
                           const struct instrument_def *d) {
  double x = x_of(f, d->position_b_m[0]), y = y_of(f, d->position_b_m[1]);
  if (d->kind == INSTRUMENT_GNSS)
    fprintf(r->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#1f4e8c\"/>", x, y);
  else if (d->kind == INSTRUMENT_WIND)
    fprintf(r->out, "<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" fill=\"#b98500\"/>", x, y - 5);
  else if (d->kind == INSTRUMENT_MOTION)
    fprintf(r->out, "<path d=\"M%.1f %.1fl4.5 8h-9z\" fill=\"#6b3fa0\"/>", x, y - 4);
  else if (d->position_b_m[0] != 0 || d->position_b_m[1] != 0)
    fprintf(r->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" fill=\"#555\"/>", x - 3.5, y - 3.5);
}

void report_put_vessel(const struct report *r) {
  const struct config *c = r->config;
  struct sheet_frame f = frame_of(c);
  double height = y_of(&f, f.starboard[1]) + MARGIN;
  report_put(r->out, HTML_VESSEL, WIDTH, height);
  for (int i = 0; i < c->view.outline_count; i++)
    fprintf(r->out, "%s%.1f %.1f", i ? "L" : "<path fill=\"#f4f2ec\" stroke=\"#1d1f23\" d=\"M",
            x_of(&f, c->view.outline[i].forward_m), y_of(&f, c->view.outline[i].starboard_m));
  fputs(c->view.outline_count ? "z\"/>" : "", r->out);
  for (int i = 0; i < c->suite.instruments.count; i++)
    put_instrument(r, &f, &c->suite.instruments.instrument[i]);
  for (int i = 0; i < c->sim.vessel.plant.thruster_count; i++)
    put_thruster(r, &f, i);
  report_put(r->out, HTML_VESSEL_2);
}
